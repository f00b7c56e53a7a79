/* SPDX-License-Identifier: Apache-2.0
 * The encoding of a trade's state (table trade, column state), version 1. Varints unless said
 * otherwise; docs/WIRE.md has the same list.
 *
 *   u8 version, u8 flags (0), u8 block result, trade version, block identity
 *   count values, each a block            entry 1 first; 0 is "absent" and not written
 *   four values of the creating message: sender, reference, broker, manager
 *   count legs, each: account value, u8 result
 *   count held, each: u8 type, u8 flags (0), leg + 1 or 0, bitmap of fields, one value per bit
 *   count seen, each: u64 identity, u64 content, u64 delivery, row id, u8 flags (0)
 *   count told, each: u8 stage, u8 type, leg + 1 or 0, u64 content
 *   count clearings, each: version, u8 action
 *   count open requests: 0 in this version */
#include "node/rules/trade_state.h"

#include <string.h>

enum {
    STATE_FLAGS_KNOWN = 0,
    HELD_BYTES_MIN = 4, /* of the encoding: bounds what a damaged count may ask for */
    SEEN_BYTES_MIN = 26,
    TOLD_BYTES_MIN = 11,
    TRADE_FIXED_BYTES = 64,
};

/* ---- writing ---- */

static void put_leg(struct ste_buf *buf, uint16_t leg)
{
    ste_buf_varint(buf, leg == STE_NO_LEG ? 0 : (uint64_t)leg + 1);
}

static void put_held(struct ste_buf *buf, const struct ste_held *held)
{
    uint64_t bitmap = 0;
    for (unsigned id = 1; id < STE_FIELD_COUNT; id++)
        if (held->values[id])
            bitmap |= UINT64_C(1) << id;
    ste_buf_u8(buf, held->type);
    ste_buf_u8(buf, held->flags);
    put_leg(buf, held->leg);
    ste_buf_varint(buf, bitmap);
    for (; bitmap; bitmap &= bitmap - 1)
        ste_buf_varint(buf, held->values[__builtin_ctzll(bitmap)]);
}

static void put_seen(struct ste_buf *buf, const struct ste_seen *seen)
{
    ste_buf_u64(buf, seen->identity64);
    ste_buf_u64(buf, seen->content64);
    ste_buf_u64(buf, seen->delivery64);
    ste_buf_varint(buf, seen->row_id);
    ste_buf_u8(buf, seen->flags);
}

static void put_told(struct ste_buf *buf, const struct ste_told *told)
{
    ste_buf_u8(buf, told->stage);
    ste_buf_u8(buf, told->type);
    put_leg(buf, told->leg);
    ste_buf_u64(buf, told->content64);
}

bool ste_trade_encode(const struct ste_trade *trade, struct ste_buf *buf)
{
    ste_buf_u8(buf, STE_STATE_VERSION);
    ste_buf_u8(buf, 0);
    ste_buf_u8(buf, trade->block);
    ste_buf_varint(buf, trade->version);
    ste_buf_block(buf, trade->identity);
    ste_buf_varint(buf, trade->value_count - 1);
    for (size_t i = 1; i < trade->value_count; i++)
        ste_buf_block(buf, trade->values[i]);
    ste_buf_varint(buf, trade->creator_sender);
    ste_buf_varint(buf, trade->creator_reference);
    ste_buf_varint(buf, trade->creator_broker);
    ste_buf_varint(buf, trade->creator_manager);
    ste_buf_varint(buf, trade->leg_count);
    for (size_t i = 0; i < trade->leg_count; i++) {
        ste_buf_varint(buf, trade->legs[i].account);
        ste_buf_u8(buf, trade->legs[i].result);
    }
    ste_buf_varint(buf, trade->held_count);
    for (size_t i = 0; i < trade->held_count; i++)
        put_held(buf, &trade->held[i]);
    ste_buf_varint(buf, trade->seen_count);
    for (size_t i = 0; i < trade->seen_count; i++)
        put_seen(buf, &trade->seen[i]);
    ste_buf_varint(buf, trade->told_count);
    for (size_t i = 0; i < trade->told_count; i++)
        put_told(buf, &trade->told[i]);
    ste_buf_varint(buf, trade->clearing_count);
    for (size_t i = 0; i < trade->clearing_count; i++) {
        ste_buf_varint(buf, trade->clearings[i].version);
        ste_buf_u8(buf, trade->clearings[i].action);
    }
    ste_buf_varint(buf, 0); /* open requests */
    return !buf->failed;
}

/* ---- reading ---- */

/* A count of items of at least `item_bytes` each, with room for some more. Sets *ret_items and
 * *ret_capacity; false marks the reader as failed, or is out of memory. */
static bool get_array(struct ste_reader *reader, struct ste_arena *arena, size_t item_bytes_min,
                      size_t item_bytes, void **ret_items, size_t *ret_count, size_t *ret_capacity)
{
    uint64_t count = ste_read_varint(reader);
    if (reader->failed || count > (size_t)(reader->end - reader->at) / item_bytes_min) {
        reader->failed = true;
        return false;
    }
    *ret_count = (size_t)count;
    *ret_capacity = (size_t)count + 4;
    *ret_items = ste_arena_alloc_array(arena, item_bytes, *ret_capacity);
    return *ret_items != NULL;
}
#define GET_ARRAY(reader, trade, items, count, capacity, bytes_min)                                \
    get_array((reader), (trade)->arena, (bytes_min), sizeof(*(trade)->items),                      \
              (void **)&(trade)->items, &(trade)->count, &(trade)->capacity)

static uint16_t get_value(struct ste_reader *reader, const struct ste_trade *trade)
{
    uint64_t index = ste_read_varint(reader);
    if (index >= trade->value_count) {
        reader->failed = true;
        return 0;
    }
    return (uint16_t)index;
}

static uint16_t get_leg(struct ste_reader *reader, const struct ste_trade *trade)
{
    uint64_t leg = ste_read_varint(reader);
    if (leg > trade->leg_count)
        reader->failed = true;
    return leg == 0 || reader->failed ? STE_NO_LEG : (uint16_t)(leg - 1);
}

static uint8_t get_u8_below(struct ste_reader *reader, unsigned limit)
{
    uint8_t value = ste_read_u8(reader);
    if (value >= limit)
        reader->failed = true;
    return value;
}

static bool get_values(struct ste_reader *reader, struct ste_trade *trade)
{
    uint64_t count = ste_read_varint(reader);
    if (reader->failed || count > STE_TRADE_VALUES_MAX ||
        count > (size_t)(reader->end - reader->at)) {
        reader->failed = true;
        return false;
    }
    trade->value_count = (size_t)count + 1;
    trade->value_capacity = trade->value_count + 16;
    trade->values = STE_ARENA_ARRAY(trade->arena, struct ste_bytes, trade->value_capacity);
    if (!trade->values)
        return false;
    for (size_t i = 1; i < trade->value_count; i++)
        trade->values[i] = ste_read_block(reader);
    trade->creator_sender = get_value(reader, trade);
    trade->creator_reference = get_value(reader, trade);
    trade->creator_broker = get_value(reader, trade);
    trade->creator_manager = get_value(reader, trade);
    return true;
}

static bool get_legs(struct ste_reader *reader, struct ste_trade *trade)
{
    if (!GET_ARRAY(reader, trade, legs, leg_count, leg_capacity, 2))
        return false;
    for (size_t i = 0; i < trade->leg_count; i++) {
        trade->legs[i].account = get_value(reader, trade);
        trade->legs[i].result = get_u8_below(reader, STE_STAGE_FAILED + 1);
    }
    return true;
}

static bool get_held(struct ste_reader *reader, struct ste_trade *trade)
{
    if (!GET_ARRAY(reader, trade, held, held_count, held_capacity, HELD_BYTES_MIN))
        return false;
    for (size_t i = 0; i < trade->held_count; i++) {
        struct ste_held *held = &trade->held[i];
        held->type = get_u8_below(reader, STE_TYPE_SET + 1);
        held->flags = get_u8_below(reader, 1);
        held->leg = get_leg(reader, trade);
        uint64_t bitmap = ste_read_varint(reader);
        if (held->type == 0 || (held->type == STE_TYPE_NOE) != (held->leg == STE_NO_LEG) ||
            (bitmap & 1) || bitmap >> STE_FIELD_COUNT)
            reader->failed = true;
        if (reader->failed)
            return false;
        for (; bitmap; bitmap &= bitmap - 1)
            held->values[__builtin_ctzll(bitmap)] = get_value(reader, trade);
    }
    return true;
}

static bool get_seen(struct ste_reader *reader, struct ste_trade *trade)
{
    if (!GET_ARRAY(reader, trade, seen, seen_count, seen_capacity, SEEN_BYTES_MIN))
        return false;
    for (size_t i = 0; i < trade->seen_count; i++) {
        struct ste_seen *seen = &trade->seen[i];
        seen->identity64 = ste_read_u64(reader);
        seen->content64 = ste_read_u64(reader);
        seen->delivery64 = ste_read_u64(reader);
        seen->row_id = ste_read_varint(reader);
        seen->flags = get_u8_below(reader, 1);
    }
    trade->seen_unstored = trade->seen_count;
    return true;
}

static bool get_told(struct ste_reader *reader, struct ste_trade *trade)
{
    if (!GET_ARRAY(reader, trade, told, told_count, told_capacity, TOLD_BYTES_MIN))
        return false;
    for (size_t i = 0; i < trade->told_count; i++) {
        trade->told[i].stage = ste_read_u8(reader);
        trade->told[i].type = get_u8_below(reader, STE_TYPE_COUNT);
        trade->told[i].leg = get_leg(reader, trade);
        trade->told[i].content64 = ste_read_u64(reader);
    }
    return true;
}

static bool get_clearings(struct ste_reader *reader, struct ste_trade *trade)
{
    if (!GET_ARRAY(reader, trade, clearings, clearing_count, clearing_capacity, 2))
        return false;
    for (size_t i = 0; i < trade->clearing_count; i++) {
        uint64_t version = ste_read_varint(reader);
        trade->clearings[i].version = (uint32_t)version;
        trade->clearings[i].action = get_u8_below(reader, STE_CLEARING_CANC + 1);
        if (version != i + 1)
            reader->failed = true;
    }
    if (ste_read_varint(reader) != 0) /* open requests */
        reader->failed = true;
    return true;
}

/* False and the reader not failed: out of memory. */
static bool get_trade(struct ste_reader *reader, struct ste_trade *trade)
{
    uint8_t version = ste_read_u8(reader);
    uint8_t flags = ste_read_u8(reader);
    if (version != STE_STATE_VERSION || flags != STATE_FLAGS_KNOWN)
        reader->failed = true;
    trade->block = get_u8_below(reader, STE_STAGE_FAILED + 1);
    trade->version = ste_read_varint(reader);
    trade->identity = ste_read_block(reader);
    if (!ste_trade_split(trade))
        reader->failed = true;
    return !reader->failed && get_values(reader, trade) && get_legs(reader, trade) &&
           get_held(reader, trade) && get_seen(reader, trade) && get_told(reader, trade) &&
           get_clearings(reader, trade);
}

enum ste_code ste_trade_decode(struct ste_arena *arena, struct ste_bytes state,
                               const struct ste_trade_id *id, struct ste_trade **ret,
                               struct ste_error *err)
{
    struct ste_trade *trade = STE_ARENA_NEW(arena, struct ste_trade);
    struct ste_bytes copy = ste_arena_dup(arena, state);
    if (!trade || !copy.at)
        return ste_error_set(err, STE_E_NOMEM, "could not read a trade's state: out of memory");
    trade->arena = arena;
    trade->trade_key = id->trade_key;
    trade->limit_bytes = STE_STATE_BYTES_MAX;
    trade->size_bytes = state.len + TRADE_FIXED_BYTES;
    struct ste_reader reader = ste_reader_of(copy);
    bool whole = get_trade(&reader, trade);
    if (!whole && !reader.failed)
        return ste_error_set(err, STE_E_NOMEM, "could not read a trade's state: out of memory");
    if (reader.failed || reader.at != reader.end || !ste_trade_index(trade)) {
        char key[2 * sizeof(id->trade_key.bytes) + 1];
        ste_hex(id->trade_key.bytes, sizeof(id->trade_key.bytes), key);
        return ste_error_at(err, STE_E_STATE_BAD, key, "could not read a state of %zu bytes",
                            state.len);
    }
    *ret = trade;
    return STE_OK;
}
