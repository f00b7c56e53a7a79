/* SPDX-License-Identifier: Apache-2.0
 * Stop 6: what can be refused without the trade is refused without SQL; then all trade rows of
 * the batch, present or not, are locked in key order and read. */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "node/worker.h"

enum ste_code ste_node_check(struct ste_node_worker *worker, struct ste_work *work,
                             struct ste_error *err)
{
    work->needs_trade = false;
    if (work->record.message.exc.code != STE_C_NONE)
        return STE_OK;
    if (!ste_check_message(&worker->rules, &work->record.message, worker->batch.arena,
                           &work->checked))
        return ste_error_set(err, STE_E_NOMEM, "could not check a message");
    work->needs_trade = !work->checked.day_refused && !work->checked.unsupported;
    return STE_OK;
}

static int compare_keys(ste_date a_date, struct ste_hash a, ste_date b_date, struct ste_hash b)
{
    if (a_date != b_date)
        return a_date < b_date ? -1 : 1;
    return ste_hash_compare(a, b);
}

static int compare_works(const void *a, const void *b)
{
    const struct ste_work *const left = *(struct ste_work *const *)a;
    const struct ste_work *const right = *(struct ste_work *const *)b;
    return compare_keys(left->id.trade_date, left->id.trade_key, right->id.trade_date,
                        right->id.trade_key);
}

static struct ste_trade_key_row key_of(const struct ste_work *work)
{
    return (struct ste_trade_key_row){.trade_date = work->id.trade_date,
                                      .trade_key = work->id.trade_key,
                                      .match_hash = work->id.match_hash,
                                      .slot = work->id.slot,
                                      .identity = work->id.identity};
}

/* Sorted unique keys of the range; every work learns its place. */
static enum ste_code collect_keys(struct ste_node_worker *worker, struct ste_range range,
                                  struct ste_loaded *ret, struct ste_error *err)
{
    struct ste_work **const sorted =
        STE_ARENA_ARRAY(worker->attempt, struct ste_work *, range.count + 1);
    ret->keys = STE_ARENA_ARRAY(worker->attempt, struct ste_trade_key_row, range.count + 1);
    ret->rows = STE_ARENA_ARRAY(worker->attempt, struct ste_trade_row, range.count + 1);
    ret->trades = STE_ARENA_ARRAY(worker->attempt, struct ste_trade *, range.count + 1);
    if (sorted == NULL || ret->keys == NULL || ret->rows == NULL || ret->trades == NULL)
        return ste_error_set(err, STE_E_NOMEM, "could not load %zu trades", range.count);
    size_t count = 0;
    for (size_t i = 0; i < range.count; i++)
        if (range.works[i]->needs_trade)
            sorted[count++] = range.works[i];
    qsort(sorted, count, sizeof(struct ste_work *), compare_works);
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || compare_works(&sorted[i - 1], &sorted[i]) != 0)
            ret->keys[ret->count++] = key_of(sorted[i]);
        sorted[i]->trade_index = ret->count - 1;
    }
    return STE_OK;
}

static enum ste_code decode_trade(struct ste_node_worker *worker, const struct ste_trade_row *row,
                                  struct ste_trade **ret, struct ste_error *err)
{
    const struct ste_trade_id id = {.identity = row->identity,
                                    .trade_key = row->trade_key,
                                    .match_hash = row->match_hash,
                                    .trade_date = row->trade_date};
    return ste_trade_decode(worker->attempt, row->state, &id, ret, err);
}

static enum ste_code decode_trades(struct ste_node_worker *worker, struct ste_range range,
                                   struct ste_loaded *ret, struct ste_error *err)
{
    for (size_t i = 0; i < range.count; i++) {
        struct ste_work *const work = range.works[i];
        if (!work->needs_trade || ret->trades[work->trade_index] != NULL)
            continue;
        struct ste_trade **const trade = &ret->trades[work->trade_index];
        const struct ste_trade_row *const row = &ret->rows[work->trade_index];
        if (row->state.len == 0) {
            *trade = ste_trade_new(worker->attempt, &work->id);
            if (*trade == NULL)
                return ste_error_set(err, STE_E_NOMEM, "could not make a trade");
            continue;
        }
        const enum ste_code rc = decode_trade(worker, row, trade, err);
        if (rc != STE_OK)
            return rc;
    }
    return STE_OK;
}

static bool in_batch(const struct ste_loaded *loaded, const struct ste_trade_row *row)
{
    size_t low = 0, high = loaded->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const struct ste_trade_key_row *const key = &loaded->keys[middle];
        const int order =
            compare_keys(key->trade_date, key->trade_key, row->trade_date, row->trade_key);
        if (order == 0)
            return true;
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return false;
}

/* Trades with the match key of a new one, dated within 7 days, that this batch does not hold. */
static enum ste_code load_siblings(struct ste_node_worker *worker, struct ste_loaded *ret,
                                   struct ste_error *err)
{
    struct ste_trade_key_row *const fresh =
        STE_ARENA_ARRAY(worker->attempt, struct ste_trade_key_row, ret->count + 1);
    if (fresh == NULL)
        return ste_error_set(err, STE_E_NOMEM, "could not look for siblings");
    size_t fresh_count = 0, row_count = 0;
    for (size_t i = 0; i < ret->count; i++)
        if (ret->rows[i].state.len == 0)
            fresh[fresh_count++] = ret->keys[i];
    if (fresh_count == 0)
        return STE_OK;
    enum ste_code rc = ste_shard_load_siblings(worker->shard, fresh, fresh_count, worker->attempt,
                                               &ret->sibling_rows, &row_count, err);
    if (rc != STE_OK)
        return rc;
    ret->siblings = STE_ARENA_ARRAY(worker->attempt, struct ste_trade *, row_count + 1);
    if (ret->siblings == NULL)
        return ste_error_set(err, STE_E_NOMEM, "could not keep %zu siblings", row_count);
    for (size_t i = 0; rc == STE_OK && i < row_count; i++) {
        const struct ste_trade_row row = ret->sibling_rows[i];
        if (row.state.len == 0 || in_batch(ret, &row))
            continue;
        ret->sibling_rows[ret->sibling_count] = row;
        rc = decode_trade(worker, &row, &ret->siblings[ret->sibling_count], err);
        ret->sibling_count++;
    }
    return rc;
}

/* Path stop 6. */
enum ste_code ste_node_load(struct ste_node_worker *worker, struct ste_range range,
                            struct ste_loaded *ret, struct ste_error *err)
{
    *ret = (struct ste_loaded){0};
    enum ste_code rc = collect_keys(worker, range, ret, err);
    if (rc != STE_OK || ret->count == 0)
        return rc;
    rc = ste_shard_lock_and_load(worker->shard, ret->keys, ret->count, worker->attempt, ret->rows,
                                 err);
    if (rc == STE_OK)
        rc = load_siblings(worker, ret, err);
    if (rc == STE_OK)
        rc = decode_trades(worker, range, ret, err);
    return rc;
}
