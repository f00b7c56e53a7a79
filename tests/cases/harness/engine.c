/* SPDX-License-Identifier: Apache-2.0
 * What router and node do with a delivery, in memory: decode, record, check, decide, state. Every
 * record and every state goes through its encoding, as on the real path. */
#include "harness.h"

#include <stdio.h>
#include <string.h>

enum { ARENA_BYTES_MAX = 256 << 20 };

bool ste_case_engine_open(struct ste_case_engine *engine, const struct ste_ref *ref,
                          const struct ste_cluster *cluster)
{
    *engine =
        (struct ste_case_engine){.xml = ste_xml_new(), .arena = ste_arena_new(ARENA_BYTES_MAX)};
    for (int day = -STE_CASE_DAYS_BACK; day <= STE_CASE_DAYS_AHEAD; day++)
        engine->open[engine->days.open_count++] = cluster->business_date + day;
    engine->days.open = engine->open;
    engine->rules = (struct ste_rules){
        .ref = ref,
        .business_date = cluster->business_date,
        .days = &engine->days,
        .shard_count = cluster->shard_count,
    };
    if (!engine->xml || !engine->arena ||
        !ste_match_key_init(&engine->rules.match_key, cluster->match_key, cluster->match_key_count))
        return false;
    ste_case_engine_clear(engine);
    return true;
}

void ste_case_engine_close(struct ste_case_engine *engine)
{
    for (size_t i = 0; i < STE_CASE_TRADES_MAX; i++)
        ste_buf_deinit(&engine->trades[i].state);
    ste_xml_free(engine->xml);
    ste_arena_free(engine->arena);
}

void ste_case_engine_clear(struct ste_case_engine *engine)
{
    ste_arena_reset(engine->arena);
    engine->trade_count = 0;
    engine->row_id = 0;
    engine->effects = (struct ste_effects){.arena = engine->arena};
}

/* The trade's place, made if it is new. NULL: too many for one case. */
static struct ste_case_trade *find_trade(struct ste_case_engine *engine,
                                         const struct ste_trade_id *id)
{
    for (size_t i = 0; i < engine->trade_count; i++)
        if (ste_hash_equal(engine->trades[i].id.trade_key, id->trade_key))
            return &engine->trades[i];
    if (engine->trade_count == STE_CASE_TRADES_MAX)
        return NULL;
    struct ste_case_trade *trade = &engine->trades[engine->trade_count++];
    trade->id = *id;
    ste_buf_clear(&trade->state);
    return trade;
}

static struct ste_trade *read_trade(struct ste_case_engine *engine,
                                    const struct ste_case_trade *stored, struct ste_error *err)
{
    struct ste_trade *trade = NULL;
    if (stored->state.len == 0)
        return ste_trade_new(engine->arena, &stored->id);
    if (ste_trade_decode(engine->arena, ste_buf_bytes(&stored->state), &stored->id, &trade, err) !=
        STE_OK)
        return NULL;
    return trade;
}

/* Other trades of the same match key, as path stop 6 finds them. */
static size_t find_siblings(struct ste_case_engine *engine, const struct ste_case_trade *mine,
                            struct ste_trade **out, struct ste_error *err)
{
    size_t count = 0;
    for (size_t i = 0; i < engine->trade_count; i++) {
        const struct ste_case_trade *other = &engine->trades[i];
        int days = other->id.trade_date - mine->id.trade_date;
        if (other == mine || other->state.len == 0 || days < -7 || days > 7 ||
            !ste_hash_equal(other->id.match_hash, mine->id.match_hash))
            continue;
        out[count] = read_trade(engine, other, err);
        count += out[count] != NULL;
    }
    return count;
}

static enum ste_code decide_in_trade(struct ste_case_engine *engine,
                                     const struct ste_record *record, const struct ste_trade_id *id,
                                     const struct ste_checked *checked, struct ste_error *err)
{
    struct ste_trade *siblings[STE_CASE_TRADES_MAX];
    struct ste_case_trade *stored = find_trade(engine, id);
    struct ste_trade *trade = stored ? read_trade(engine, stored, err) : NULL;
    if (!trade)
        return ste_error_set(err, STE_E_STATE_BAD, "no trade to decide in");
    size_t sibling_count = find_siblings(engine, stored, siblings, err);
    size_t messages_before = engine->effects.message_count;
    enum ste_code rc = ste_decide(&engine->rules, trade, siblings, sibling_count, record, id,
                                  checked, &engine->effects, err);
    for (size_t i = messages_before; i < engine->effects.message_count; i++)
        ste_trade_message_stored(trade, ++engine->row_id);
    if (rc == STE_OK && ste_trade_changed(trade)) {
        ste_buf_clear(&stored->state);
        if (!ste_trade_encode(trade, &stored->state))
            rc = ste_error_set(err, STE_E_NOMEM, "state not written");
    }
    return rc;
}

static enum ste_code take_record(struct ste_case_engine *engine, const struct ste_record *record,
                                 struct ste_error *err)
{
    struct ste_checked checked = {0};
    struct ste_trade_id id;
    if (record->message.exc.code != STE_C_NONE)
        return ste_decide(&engine->rules, NULL, NULL, 0, record, NULL, &checked, &engine->effects,
                          err);
    if (!ste_check_message(&engine->rules, &record->message, engine->arena, &checked) ||
        !ste_trade_identify(&record->message, &engine->rules.match_key, engine->arena, &id))
        return ste_error_set(err, STE_E_NOMEM, "check failed");
    if (checked.unsupported || checked.day_refused)
        return ste_decide(&engine->rules, NULL, NULL, 0, record, &id, &checked, &engine->effects,
                          err);
    return decide_in_trade(engine, record, &id, &checked, err);
}

/* Through the record's encoding, which is what a node sees. */
static struct ste_record *as_received(struct ste_case_engine *engine,
                                      const struct ste_record *record, struct ste_error *err)
{
    struct ste_buf buf = {0};
    struct ste_record *received = STE_ARENA_NEW(engine->arena, struct ste_record);
    bool done = false;
    if (received && ste_record_encode(&buf, record)) {
        struct ste_reader reader = ste_reader_of(ste_arena_dup(engine->arena, ste_buf_bytes(&buf)));
        if (ste_record_decode(&reader, engine->arena, received, &done, err) != STE_OK || done)
            received = NULL;
    } else {
        received = NULL;
    }
    ste_buf_deinit(&buf);
    return received;
}

bool ste_case_engine_send(struct ste_case_engine *engine, struct ste_bytes delivery_id,
                          struct ste_bytes body)
{
    struct ste_message *messages = NULL;
    size_t count = 0;
    struct ste_error err = {0};
    if (ste_xml_decode(engine->xml, body, engine->arena, &messages, &count, &err) != STE_OK) {
        fprintf(stderr, "decode: %s\n", err.text);
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        struct ste_record record = {
            .version = STE_RECORD_VERSION,
            .map_epoch = 1,
            .message = messages[i],
            .delivery_id = delivery_id,
            .key_id = STE_BYTES("STEHSGSG/hub"),
            .signer = STE_BYTES("STEHSGSG"),
        };
        struct ste_record *received = as_received(engine, &record, &err);
        if (!received || take_record(engine, received, &err) != STE_OK) {
            fprintf(stderr, "message %zu of %.*s: %s\n", i, (int)delivery_id.len, delivery_id.at,
                    err.text);
            return false;
        }
    }
    return true;
}
