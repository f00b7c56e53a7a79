/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "bench/ceiling.h"
#include "bench/command.h"
#include "dbshard/migrate.h"
#include "dbshard/shard.h"
#include "msg/identity.h"

enum {
    CEILING_SHARD = 0,
    CEILING_STATE_BYTES = 700, /* what a standard trade's state takes, about */
    CEILING_WRITERS_MAX = 16,
    CEILING_REDO_MAX = 100,
    CEILING_DAYS_MAX = 1000,
    CEILING_STATUS = 1,
};

/* Messages are handed out in whole batches, in the order of the set, as a shard's queues would. */
struct supply {
    const struct ste_cluster *cluster;
    const struct ste_set *set;
    pthread_mutex_t mutex;
    uint64_t next;
    size_t offset;
    unsigned batch;
    ste_date day;
};
struct writer {
    struct supply *supply;
    struct ste_arena *arena;
    struct ste_trade_key_row *keys;
    struct ste_trade_row *rows;
    struct ste_trade_save *saves;
    struct ste_message_row *messages;
    uint64_t *ids;
    uint64_t written, redone;
};

static size_t take_batch(struct writer *writer)
{
    static const uint8_t sha256[32] = {42};
    struct supply *supply = writer->supply;
    size_t count = 0;
    (void)pthread_mutex_lock(&supply->mutex);
    for (; count < supply->batch && supply->next < supply->set->header->messages; count++) {
        const struct ste_set_entry *entry = &supply->set->entries[supply->next++];
        writer->messages[count] =
            (struct ste_message_row){.trade_date = supply->day,
                                     .trade_key = entry->trade_key,
                                     .slot = ste_slot_of_hash(entry->trade_key),
                                     .type = entry->type,
                                     .function = STE_FUNCTION_NEWM,
                                     .sender8 = {entry->sender8, sizeof entry->sender8},
                                     .reference = {entry->reference, entry->reference_len},
                                     .account = STE_BYTES("SAFE-0001"),
                                     .key_id = STE_BYTES("STEHSGSG/hub"),
                                     .delivery_id = STE_BYTES("0123456789-0000000"),
                                     .delivery_index = (uint32_t)count,
                                     .signed_sha256 = sha256,
                                     .received_us = ste_clock_wall_us(),
                                     .body = ste_set_next(supply->set, &supply->offset)};
    }
    (void)pthread_mutex_unlock(&supply->mutex);
    return count;
}

static int by_key(const void *a, const void *b)
{
    return ste_hash_compare(((const struct ste_trade_key_row *)a)->trade_key,
                            ((const struct ste_trade_key_row *)b)->trade_key);
}

/* The trades of the batch, once each, in key order. */
static size_t keys_of(struct writer *writer, size_t count)
{
    size_t unique = 0;
    for (size_t i = 0; i < count; i++) {
        const struct ste_message_row *message = &writer->messages[i];
        /* The identity is 40-60 bytes of text in a real row; the key's own bytes stand for it. */
        struct ste_bytes identity = {(const char *)message->trade_key.bytes,
                                     sizeof message->trade_key.bytes};
        writer->keys[i] = (struct ste_trade_key_row){.trade_date = message->trade_date,
                                                     .trade_key = message->trade_key,
                                                     .match_hash = message->trade_key,
                                                     .slot = message->slot,
                                                     .identity = identity};
    }
    qsort(writer->keys, count, sizeof writer->keys[0], by_key);
    for (size_t i = 0; i < count; i++) {
        if (unique == 0 || by_key(&writer->keys[i], &writer->keys[unique - 1]) != 0)
            writer->keys[unique++] = writer->keys[i];
    }
    return unique;
}

static void decide(struct writer *writer, size_t key_count, struct ste_bytes state)
{
    for (size_t i = 0; i < key_count; i++) {
        const struct ste_trade_key_row *key = &writer->keys[i];
        writer->saves[i] =
            (struct ste_trade_save){.trade_date = key->trade_date,
                                    .trade_key = key->trade_key,
                                    .match_hash = key->match_hash,
                                    .slot = key->slot,
                                    .identity = key->identity,
                                    .state = state,
                                    .status = CEILING_STATUS,
                                    .trade_reference = STE_BYTES("SGX20261130-0001-000000123"),
                                    .broker8 = STE_BYTES("LBAASG2L"),
                                    .manager8 = STE_BYTES("LMAASG2L"),
                                    .instrument = STE_BYTES("SG1L01001701"),
                                    .settlement_date = key->trade_date + 2,
                                    .message_count = 1,
                                    .account_count = 2};
    }
}

static enum ste_code transact(struct writer *writer, struct ste_shard *shard, size_t count,
                              size_t key_count, struct ste_bytes state, struct ste_error *err)
{
    ste_arena_reset(writer->arena);
    enum ste_code rc = ste_shard_begin(shard, err);
    if (rc == STE_OK)
        rc = ste_shard_lock_and_load(shard, writer->keys, key_count, writer->arena, writer->rows,
                                     err);
    if (rc == STE_OK) {
        decide(writer, key_count, state);
        rc = ste_shard_insert_messages(shard, writer->messages, count, writer->ids, err);
    }
    if (rc == STE_OK)
        rc = ste_shard_save_trades(shard, writer->saves, key_count, err);
    if (rc == STE_OK)
        rc = ste_shard_commit(shard, err);
    if (rc != STE_OK)
        ste_shard_rollback(shard);
    return rc;
}

static bool is_redone(enum ste_code rc)
{
    return rc == STE_E_SHARD_DEADLOCK || rc == STE_E_SHARD_LOCK_TIMEOUT;
}

static enum ste_code write_batches(void *context, struct ste_bench_jobs *jobs,
                                   struct ste_error *err)
{
    struct writer *writer = context;
    struct ste_shard *shard = NULL;
    char state[CEILING_STATE_BYTES];
    memset(state, 's', sizeof state);
    enum ste_code rc =
        ste_shard_open(writer->supply->cluster, CEILING_SHARD, STE_DB_NODE, &shard, err);
    while (rc == STE_OK && !ste_bench_stopping(jobs)) {
        size_t count = take_batch(writer);
        if (count == 0)
            break;
        size_t key_count = keys_of(writer, count);
        for (unsigned attempt = 0; attempt < CEILING_REDO_MAX; attempt++) {
            rc = transact(writer, shard, count, key_count, (struct ste_bytes){state, sizeof state},
                          err);
            if (!is_redone(rc))
                break;
            writer->redone++;
        }
        if (rc == STE_OK)
            writer->written += count;
    }
    ste_shard_close(shard);
    return rc;
}

static bool writer_init(struct writer *writer, struct supply *supply)
{
    *writer = (struct writer){.supply = supply,
                              .arena = ste_arena_new(0),
                              .keys = calloc(supply->batch, sizeof *writer->keys),
                              .rows = calloc(supply->batch, sizeof *writer->rows),
                              .saves = calloc(supply->batch, sizeof *writer->saves),
                              .messages = calloc(supply->batch, sizeof *writer->messages),
                              .ids = calloc(supply->batch, sizeof *writer->ids)};
    return writer->arena && writer->keys && writer->rows && writer->saves && writer->messages &&
           writer->ids;
}

static void writer_deinit(struct writer *writer)
{
    ste_arena_free(writer->arena);
    free(writer->keys);
    free(writer->rows);
    free(writer->saves);
    free(writer->messages);
    free(writer->ids);
}

/* Opens a day that no trade can have. A purged day never opens again, so each run takes the next.
 */
static enum ste_code open_day(const struct ste_cluster *cluster, ste_date *ret,
                              struct ste_error *err)
{
    ste_date first = 0;
    enum ste_code rc = STE_E_ARGUMENT;
    if (!ste_date_parse(STE_BYTES("1990-01-01"), &first))
        return ste_error_set(err, STE_E_ARGUMENT, "no first day");
    for (ste_date day = first; day < first + CEILING_DAYS_MAX && rc == STE_E_ARGUMENT; day++) {
        rc = ste_day_change(cluster, STE_DAY_OPEN, day, err);
        if (rc == STE_OK)
            *ret = day;
    }
    return rc;
}

enum ste_code ste_ceiling_shard(const struct ste_bench_map *map, const struct ste_set *set,
                                struct ste_ceiling *ret, struct ste_error *err)
{
    struct supply supply = {.cluster = map->cluster, .set = set, .batch = ret->batch};
    struct writer writers[CEILING_WRITERS_MAX] = {{0}};
    struct ste_bench_job jobs[CEILING_WRITERS_MAX] = {{0}};
    size_t count = ret->writers < CEILING_WRITERS_MAX ? ret->writers : CEILING_WRITERS_MAX;
    bool good = true, interrupted = false;
    enum ste_code rc = open_day(map->cluster, &supply.day, err);
    if (rc != STE_OK)
        return rc;
    (void)pthread_mutex_init(&supply.mutex, NULL);
    for (size_t i = 0; i < count && good; i++) {
        good = writer_init(&writers[i], &supply);
        jobs[i] = (struct ste_bench_job){
            .run = write_batches, .context = &writers[i], .what = "ceiling: shard"};
    }
    uint64_t start_ns = ste_clock_mono_ns();
    if (good)
        good = ste_bench_jobs_run(jobs, count, NULL, NULL, &interrupted);
    ret->seconds = (double)(ste_clock_mono_ns() - start_ns) / 1e9;
    for (size_t i = 0; i < count; i++) {
        ret->messages += writers[i].written;
        ret->redone += writers[i].redone;
        writer_deinit(&writers[i]);
    }
    (void)pthread_mutex_destroy(&supply.mutex);
    rc = ste_day_change(map->cluster, STE_DAY_PURGE, supply.day, err);
    if (rc == STE_OK && (!good || interrupted))
        rc = ste_error_set(err, STE_E_STOPPING, "the shard's ceiling was not measured to its end");
    return rc;
}
