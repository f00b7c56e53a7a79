/* SPDX-License-Identifier: Apache-2.0
 * A trade in memory: its dictionary of values, places and searchable columns. */
#include "node/rules/trade_state.h"

#include <string.h>

enum { FIRST_CAPACITY = 8, FIRST_SLOTS = 128, MESSAGE_OVERHEAD_BYTES = 256 };

bool ste_grow(struct ste_arena *arena, void **items, size_t *capacity, size_t count,
              size_t item_bytes)
{
    if (count < *capacity)
        return true;
    size_t larger = *capacity ? *capacity * 2 : FIRST_CAPACITY;
    void *fresh = ste_arena_alloc_array(arena, item_bytes, larger);
    if (!fresh)
        return false;
    if (count)
        memcpy(fresh, *items, count * item_bytes);
    *items = fresh;
    *capacity = larger;
    return true;
}

bool ste_trade_split(struct ste_trade *trade)
{
    struct ste_bytes *parts[] = {&trade->trade_reference, &trade->broker8, &trade->manager8,
                                 &trade->trade_date_text};
    const char *at = trade->identity.at, *end = at + trade->identity.len;
    for (size_t i = 0; i < 4; i++) {
        const char *bar = at < end ? memchr(at, '|', (size_t)(end - at)) : NULL;
        if ((bar == NULL) != (i == 3))
            return false;
        *parts[i] = (struct ste_bytes){at, (size_t)((bar ? bar : end) - at)};
        if (parts[i]->len == 0)
            return false;
        at = bar ? bar + 1 : end;
    }
    return ste_date_parse(trade->trade_date_text, &trade->trade_date);
}

struct ste_trade *ste_trade_new(struct ste_arena *arena, const struct ste_trade_id *id)
{
    struct ste_trade *trade = STE_ARENA_NEW(arena, struct ste_trade);
    if (!trade)
        return NULL;
    trade->arena = arena;
    trade->limit_bytes = STE_STATE_BYTES_MAX;
    trade->size_bytes = MESSAGE_OVERHEAD_BYTES + id->identity.len;
    trade->trade_key = id->trade_key;
    trade->identity = ste_arena_dup(arena, id->identity);
    trade->values = STE_ARENA_ARRAY(arena, struct ste_bytes, FIRST_CAPACITY);
    if (!trade->identity.at || !trade->values || !ste_trade_split(trade))
        return NULL;
    trade->value_capacity = FIRST_CAPACITY;
    trade->value_count = 1; /* entry 0: absent */
    return trade;
}

/* ---- the dictionary ---- */

static void slot_put(struct ste_trade *trade, uint16_t index)
{
    size_t mask = trade->value_slot_count - 1;
    size_t at = (size_t)ste_hash64_of(trade->values[index]) & mask;
    while (trade->value_slots[at])
        at = (at + 1) & mask;
    trade->value_slots[at] = index;
}

/* Keeps the table at most half full. */
static bool slots_ready(struct ste_trade *trade)
{
    size_t wanted = trade->value_slot_count ? trade->value_slot_count : FIRST_SLOTS;
    if (trade->value_slots && (trade->value_count + 1) * 2 <= wanted)
        return true;
    while ((trade->value_count + 1) * 2 > wanted)
        wanted *= 2;
    trade->value_slots = STE_ARENA_ARRAY(trade->arena, uint16_t, wanted);
    if (!trade->value_slots)
        return false;
    trade->value_slot_count = wanted;
    for (size_t i = 1; i < trade->value_count; i++)
        slot_put(trade, (uint16_t)i);
    return true;
}

/* The index of `value`, which is kept if it is new. False: out of memory, or 65,535 values. */
static bool intern(struct ste_trade *trade, struct ste_bytes value, uint16_t *ret)
{
    if (value.len == 0) {
        *ret = 0;
        return true;
    }
    if (!slots_ready(trade))
        return false;
    size_t mask = trade->value_slot_count - 1;
    size_t at = (size_t)ste_hash64_of(value) & mask;
    for (; trade->value_slots[at]; at = (at + 1) & mask)
        if (ste_bytes_equal(trade->values[trade->value_slots[at]], value)) {
            *ret = trade->value_slots[at];
            return true;
        }
    if (trade->value_count > STE_TRADE_VALUES_MAX ||
        !STE_GROW(trade->arena, trade->values, trade->value_count, trade->value_capacity))
        return false;
    struct ste_bytes copy = ste_arena_dup(trade->arena, value);
    if (!copy.at)
        return false;
    *ret = (uint16_t)trade->value_count;
    trade->values[trade->value_count++] = copy;
    trade->value_slots[at] = *ret;
    return true;
}

/* ---- places ---- */

uint16_t ste_trade_leg_of(const struct ste_trade *trade, struct ste_bytes account)
{
    for (size_t i = 0; i < trade->leg_count; i++)
        if (ste_bytes_equal(trade->values[trade->legs[i].account], account))
            return (uint16_t)i;
    return STE_NO_LEG;
}

const struct ste_held *ste_trade_holder(const struct ste_trade *trade,
                                        const struct ste_message *message)
{
    if (message->type == STE_TYPE_NOE)
        return ste_trade_noe(trade);
    uint16_t leg = ste_trade_leg_of(trade, ste_value(message, STE_F_ACCOUNT));
    return leg == STE_NO_LEG ? NULL : ste_leg_held(trade, &trade->legs[leg], message->type);
}

const struct ste_seen *ste_trade_find_seen(const struct ste_trade *trade, uint64_t identity64)
{
    for (size_t i = 0; i < trade->seen_count; i++)
        if (trade->seen[i].identity64 == identity64)
            return &trade->seen[i];
    return NULL;
}

/* What the rules will need of a message: what it says about the conditions, and who says it. */
static bool is_kept(const struct ste_message *message, enum ste_field_id id)
{
    switch (id) {
    case STE_F_PREVIOUS_REFERENCE:
    case STE_F_RECEIVER:
    case STE_F_CREATED_AT:
    case STE_F_TRADE_REFERENCE: /* these two are in the identity */
    case STE_F_TRADE_DATE:
    case STE_F_GROSS_AMOUNT:
    case STE_F_GROSS_AMOUNT_CURRENCY:
    case STE_F_COUNTRY:
    case STE_F_NARRATIVE:
    case STE_F_OTHER_CHARGES:
    case STE_F_OTHER_CHARGES_CURRENCY:
    case STE_F_FACTOR:
        return false;
    default:
        return ste_has(message, id);
    }
}

size_t ste_trade_cost_bytes(const struct ste_message *message)
{
    size_t bytes = MESSAGE_OVERHEAD_BYTES;
    for (unsigned id = 1; id < STE_FIELD_COUNT; id++)
        if (is_kept(message, (enum ste_field_id)id))
            bytes += ste_value(message, (enum ste_field_id)id).len;
    return bytes;
}

static void note_creator(struct ste_trade *trade, const struct ste_held *held)
{
    trade->creator_sender = held->values[STE_F_SENDER];
    trade->creator_reference = held->values[STE_F_REFERENCE];
    trade->creator_broker = held->values[STE_F_BROKER];
    trade->creator_manager = held->values[STE_F_MANAGER];
}

struct ste_wide ste_number_of(struct ste_bytes text)
{
    struct ste_decimal number = {0, 0};
    (void)ste_decimal_parse(text, true, &number); /* checked when the message came in */
    return ste_wide_of(number);
}

/* Puts held[index] into its place, which makes the leg if need be. False: taken, or no memory. */
static bool take_place(struct ste_trade *trade, size_t index)
{
    struct ste_held *held = &trade->held[index];
    if (held->type == STE_TYPE_NOE) {
        if (trade->noe)
            return false;
        held->leg = STE_NO_LEG;
        trade->noe = (uint16_t)(index + 1);
        return true;
    }
    if (held->leg == STE_NO_LEG) {
        if (trade->leg_count >= STE_NO_LEG ||
            !STE_GROW(trade->arena, trade->legs, trade->leg_count, trade->leg_capacity))
            return false;
        trade->legs[trade->leg_count] = (struct ste_leg){.account = held->values[STE_F_ACCOUNT]};
        held->leg = (uint16_t)trade->leg_count++;
    }
    uint16_t *place = &trade->legs[held->leg].places[ste_place_of((enum ste_type)held->type)];
    if (*place)
        return false;
    *place = (uint16_t)(index + 1);
    if (held->type == STE_TYPE_ALB)
        return ste_wide_add(trade->allocated,
                            ste_number_of(ste_held_value(trade, held, STE_F_QUANTITY)),
                            &trade->allocated);
    return true;
}

/* A stage that was judged has its messages: what follows relies on it. */
static bool judged_is_there(const struct ste_trade *trade)
{
    if (trade->block != STE_STAGE_INCOMPLETE && !ste_trade_is_allocated(trade))
        return false;
    for (size_t i = 0; i < trade->leg_count; i++) {
        const struct ste_leg *leg = &trade->legs[i];
        bool is_whole = trade->noe && leg->places[0] && leg->places[1] && leg->places[2];
        if (leg->result != STE_STAGE_INCOMPLETE && !is_whole)
            return false;
    }
    return true;
}

bool ste_trade_index(struct ste_trade *trade)
{
    for (size_t i = 0; i < trade->held_count; i++)
        if (!take_place(trade, i))
            return false;
    return judged_is_there(trade);
}

const struct ste_held *ste_trade_add(struct ste_trade *trade, const struct ste_message *message,
                                     uint64_t delivery64)
{
    if (!STE_GROW(trade->arena, trade->held, trade->held_count, trade->held_capacity) ||
        !STE_GROW(trade->arena, trade->seen, trade->seen_count, trade->seen_capacity))
        return NULL;
    struct ste_held *held = &trade->held[trade->held_count];
    *held = (struct ste_held){.type = (uint8_t)message->type, .leg = STE_NO_LEG};
    for (unsigned id = 1; id < STE_FIELD_COUNT; id++)
        if (is_kept(message, (enum ste_field_id)id) &&
            !intern(trade, ste_value(message, (enum ste_field_id)id), &held->values[id]))
            return NULL;
    if (message->type != STE_TYPE_NOE)
        held->leg = ste_trade_leg_of(trade, ste_value(message, STE_F_ACCOUNT));
    if (!take_place(trade, trade->held_count))
        return NULL;
    trade->held_count++;
    if (trade->seen_count == 0)
        note_creator(trade, held);
    trade->seen[trade->seen_count++] = (struct ste_seen){
        .identity64 = ste_message_identity64(message),
        .content64 = ste_message_content64(message),
        .delivery64 = delivery64,
    };
    trade->size_bytes += ste_trade_cost_bytes(message);
    trade->version++;
    trade->changed = true;
    return held;
}

bool ste_trade_is_allocated(const struct ste_trade *trade)
{
    const struct ste_held *noe = ste_trade_noe(trade);
    return noe && ste_wide_compare(trade->allocated,
                                   ste_number_of(ste_held_value(trade, noe, STE_F_QUANTITY))) >= 0;
}

bool ste_trade_is_live(const struct ste_trade *trade)
{
    return trade->clearing_count &&
           trade->clearings[trade->clearing_count - 1].action == STE_CLEARING_NEWM;
}

/* ---- what the worker asks ---- */

bool ste_trade_is_empty(const struct ste_trade *trade)
{
    return trade->seen_count == 0;
}

bool ste_trade_changed(const struct ste_trade *trade)
{
    return trade->changed;
}

uint64_t ste_trade_version(const struct ste_trade *trade)
{
    return trade->version;
}

static bool some_stage_failed(const struct ste_trade *trade)
{
    bool allocated = ste_trade_is_allocated(trade);
    if (trade->block == STE_STAGE_FAILED)
        return true;
    for (size_t i = 0; i < trade->leg_count; i++)
        if (trade->legs[i].result == STE_STAGE_FAILED ||
            (allocated && !trade->legs[i].places[ste_place_of(STE_TYPE_ALB)]))
            return true;
    return false;
}

enum ste_trade_status ste_trade_status_of(const struct ste_trade *trade)
{
    if (ste_trade_is_empty(trade))
        return STE_TRADE_EMPTY;
    if (trade->clearing_count)
        return ste_trade_is_live(trade) ? STE_TRADE_CLEARED : STE_TRADE_CANCELLED;
    return some_stage_failed(trade) ? STE_TRADE_UNMATCHED : STE_TRADE_OPEN;
}

void ste_trade_message_stored(struct ste_trade *trade, uint64_t message_row_id)
{
    if (trade->seen_unstored >= trade->seen_count)
        return;
    trade->seen[trade->seen_unstored++].row_id = message_row_id;
    trade->changed = true;
}

void ste_trade_columns_of(const struct ste_trade *trade, struct ste_trade_columns *ret)
{
    *ret = (struct ste_trade_columns){
        .trade_reference = trade->trade_reference,
        .broker8 = trade->broker8,
        .manager8 = trade->manager8,
        .settlement_date = STE_DATE_NONE,
        .message_count = (unsigned)trade->seen_count,
        .account_count = (unsigned)trade->leg_count,
    };
    if (trade->clearing_count)
        ret->cls_version = trade->clearings[trade->clearing_count - 1].version;
    if (!trade->held_count)
        return;
    const struct ste_held *first = trade->noe ? ste_trade_noe(trade) : &trade->held[0];
    ret->instrument = ste_held_value(trade, first, STE_F_INSTRUMENT);
    ste_date settlement;
    if (ste_date_parse(ste_held_value(trade, first, STE_F_SETTLEMENT_DATE), &settlement))
        ret->settlement_date = settlement;
}
