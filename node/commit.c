/* SPDX-License-Identifier: Apache-2.0
 * Stop 8: one transaction for what a range of records did: message rows, one write per trade,
 * exceptions, outbox rows. Then stop 9 is handed the outbox rows. */
#include <stddef.h>

#include "base/clock.h"
#include "base/fault.h"
#include "node/outbound.h"
#include "node/worker.h"

static struct ste_work *work_of(const struct ste_record *record)
{
    return (struct ste_work *)(void *)((char *)(uintptr_t)record -
                                       offsetof(struct ste_work, record));
}

static struct ste_message_row message_row(const struct ste_record *record)
{
    const struct ste_work *const work = work_of(record);
    const struct ste_message *const message = &record->message;
    return (struct ste_message_row){.trade_date = work->id.trade_date,
                                    .trade_key = work->id.trade_key,
                                    .slot = work->id.slot,
                                    .type = message->type,
                                    .function = message->function,
                                    .sender8 = ste_bic8(ste_value(message, STE_F_SENDER)),
                                    .reference = ste_value(message, STE_F_REFERENCE),
                                    .account = ste_value(message, STE_F_ACCOUNT),
                                    .key_id = record->key_id,
                                    .delivery_id = record->delivery_id,
                                    .delivery_index = message->index,
                                    .signed_sha256 = record->signed_sha256,
                                    .received_us = record->received_us,
                                    .body = message->original};
}

/* Message rows first: the states keep their ids. */
static enum ste_code write_messages(struct ste_node_worker *worker, const struct ste_loaded *loaded,
                                    const struct ste_effects *effects, struct ste_error *err)
{
    const size_t count = effects->message_count;
    struct ste_message_row *const rows =
        STE_ARENA_ARRAY(worker->attempt, struct ste_message_row, count + 1);
    uint64_t *const ids = STE_ARENA_ARRAY(worker->attempt, uint64_t, count + 1);
    if (rows == NULL || ids == NULL)
        return ste_error_set(err, STE_E_NOMEM, "could not write %zu messages", count);
    for (size_t i = 0; i < count; i++)
        rows[i] = message_row(effects->messages[i].record);
    const enum ste_code rc =
        count == 0 ? STE_OK : ste_shard_insert_messages(worker->shard, rows, count, ids, err);
    for (size_t i = 0; rc == STE_OK && i < count; i++) {
        const struct ste_work *const work = work_of(effects->messages[i].record);
        ste_trade_message_stored(loaded->trades[work->trade_index], ids[i]);
    }
    return rc;
}

/* The state is appended to `states`, which moves while it grows: only its length is known yet. */
static bool save_row(const struct ste_trade_key_row *key, const struct ste_trade *trade,
                     struct ste_buf *states, struct ste_trade_save *ret)
{
    struct ste_trade_columns columns = {0};
    const size_t before = states->len;
    ste_trade_columns_of(trade, &columns);
    const bool good = ste_trade_encode(trade, states);
    *ret = (struct ste_trade_save){.trade_date = key->trade_date,
                                   .trade_key = key->trade_key,
                                   .match_hash = key->match_hash,
                                   .slot = key->slot,
                                   .identity = key->identity,
                                   .state = {NULL, states->len - before},
                                   .status = ste_trade_status_of(trade),
                                   .trade_reference = columns.trade_reference,
                                   .broker8 = columns.broker8,
                                   .manager8 = columns.manager8,
                                   .instrument = columns.instrument,
                                   .settlement_date = columns.settlement_date,
                                   .message_count = columns.message_count,
                                   .account_count = columns.account_count,
                                   .cls_version = columns.cls_version};
    return good;
}

/* One write per trade; a placeholder that stayed empty goes. */
static enum ste_code write_trades(struct ste_node_worker *worker, const struct ste_loaded *loaded,
                                  struct ste_error *err)
{
    struct ste_trade_save *const saves =
        STE_ARENA_ARRAY(worker->attempt, struct ste_trade_save, loaded->count + 1);
    struct ste_trade_key_row *const empty =
        STE_ARENA_ARRAY(worker->attempt, struct ste_trade_key_row, loaded->count + 1);
    if (saves == NULL || empty == NULL)
        return ste_error_set(err, STE_E_NOMEM, "could not write %zu trades", loaded->count);
    size_t save_count = 0, empty_count = 0, offset = 0;
    ste_buf_clear(&worker->states);
    for (size_t i = 0; i < loaded->count; i++) {
        if (ste_trade_is_empty(loaded->trades[i]))
            empty[empty_count++] = loaded->keys[i];
        else if (ste_trade_changed(loaded->trades[i]) &&
                 !save_row(&loaded->keys[i], loaded->trades[i], &worker->states,
                           &saves[save_count++]))
            return ste_error_set(err, STE_E_NOMEM, "could not encode a trade");
    }
    for (size_t i = 0; i < save_count; i++) {
        saves[i].state.at = worker->states.at + offset;
        offset += saves[i].state.len;
    }
    enum ste_code rc = STE_OK;
    if (save_count > 0)
        rc = ste_shard_save_trades(worker->shard, saves, save_count, err);
    if (rc == STE_OK && empty_count > 0)
        rc = ste_shard_delete_trades(worker->shard, empty, empty_count, err);
    return rc;
}

static void count_effects(struct ste_node_worker *worker, struct ste_range range,
                          const struct ste_effects *effects)
{
    struct ste_obs_worker *const counters = worker->counters;
    ste_works_count(range.works, range.count, worker->types.completions);
    ste_obs_add(counters, STE_M_COMPLETIONS, range.count);
    ste_obs_add(counters, STE_M_BATCHES, 1);
    ste_obs_add(counters, STE_M_STORED, effects->message_count);
    ste_obs_add(counters, STE_M_DUPLICATES, effects->duplicate_count);
    ste_obs_add(counters, STE_M_EXCEPTIONS, effects->exception_count);
    ste_obs_add(counters, STE_M_CLS, effects->clearing_count);
    ste_obs_add(counters, STE_M_REPLIES, effects->reply_count);
}

/* Everything that the transaction holds besides its locks. */
static enum ste_code write_all(struct ste_node_worker *worker, const struct ste_loaded *loaded,
                               const struct ste_effects *effects,
                               const struct ste_exception_row *exceptions,
                               const struct ste_outbound *outbound, uint64_t *outbox_ids,
                               struct ste_error *err)
{
    enum ste_code rc = write_messages(worker, loaded, effects, err);
    if (rc == STE_OK)
        rc = write_trades(worker, loaded, err);
    if (rc == STE_OK)
        rc = ste_shard_insert_exceptions(worker->shard, exceptions, effects->exception_count, err);
    if (rc == STE_OK && outbound->count > 0)
        rc = ste_shard_insert_outbox(worker->shard, worker->worker_id, outbound->rows,
                                     outbound->count, outbox_ids, err);
    if (rc == STE_OK && worker->relay.settle.confirmed_count > 0)
        rc = ste_shard_delete_outbox(worker->shard, worker->relay.settle.confirmed,
                                     worker->relay.settle.confirmed_count, err);
    return rc;
}

/* Path stop 8. */
enum ste_code ste_node_commit(struct ste_node_worker *worker, struct ste_range range,
                              const struct ste_loaded *loaded, struct ste_effects *effects,
                              struct ste_error *err)
{
    const uint64_t start_ns = ste_clock_thread_cpu_ns();
    struct ste_outbound outbound = {.arena = worker->attempt, .shard = worker->assignment->shard};
    struct ste_exception_row *exceptions = NULL;
    enum ste_code rc = ste_node_refuse(worker, effects, &exceptions, err);
    if (rc != STE_OK)
        return rc;
    if (!ste_outbound_build(&outbound, effects))
        return ste_error_set(err, STE_E_NOMEM, "could not write replies");
    uint64_t *const ids = STE_ARENA_ARRAY(worker->attempt, uint64_t, outbound.count + 1);
    if (ids == NULL)
        return ste_error_set(err, STE_E_NOMEM, "could not write replies");
    rc = write_all(worker, loaded, effects, exceptions, &outbound, ids, err);
    STE_FAULT_POINT("node-before-commit");
    if (rc == STE_OK)
        rc = ste_shard_commit(worker->shard, err);
    const uint64_t committed_ns = ste_clock_thread_cpu_ns();
    ste_obs_add(worker->counters, STE_M_COMMIT_NS, committed_ns - start_ns);
    if (rc != STE_OK)
        return rc;
    worker->relay.settle.confirmed_count = 0;
    count_effects(worker, range, effects);
    rc = ste_relay_send(&worker->relay, outbound.rows, ids, outbound.count, err);
    ste_obs_add(worker->counters, STE_M_PUBLISH_NS, ste_clock_thread_cpu_ns() - committed_ns);
    return rc;
}
