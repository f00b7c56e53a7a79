/* SPDX-License-Identifier: Apache-2.0
 * What the live tests share. */
#include "dbshard/shard_live_test.h"

void live_ok(enum ste_code rc, const struct ste_error *err)
{
    if (rc != STE_OK)
        fail_msg("%s: %s", ste_code_name(rc), err->text);
}

struct ste_shard *live_open(struct live *live)
{
    struct ste_shard *shard = NULL;
    struct ste_error err = {0};
    live_ok(ste_shard_open(&live->lab.cluster, 0, STE_DB_NODE, &shard, &err), &err);
    return shard;
}

struct ste_trade_key_row live_key(const struct live *live, uint32_t n)
{
    struct ste_trade_key_row key = {.trade_date = live->lab.cluster.business_date, .slot = n};
    for (int i = 0; i < 4; i++)
        key.trade_key.bytes[i] = (uint8_t)(n >> (24 - 8 * i));
    key.trade_key.bytes[15] = 0xff;
    key.match_hash = key.trade_key;
    key.identity = STE_BYTES("REF|BROKSGSG|INVMSGSG|2026-11-30");
    return key;
}

struct ste_trade_save live_save(const struct ste_trade_key_row *key, struct ste_bytes state)
{
    return (struct ste_trade_save){.trade_date = key->trade_date,
                                   .trade_key = key->trade_key,
                                   .match_hash = key->match_hash,
                                   .slot = key->slot,
                                   .identity = key->identity,
                                   .state = state,
                                   .status = 1,
                                   .trade_reference = STE_BYTES("REF"),
                                   .broker8 = STE_BYTES("BROKSGSG"),
                                   .manager8 = STE_BYTES("INVMSGSG"),
                                   .instrument = STE_BYTES("SG1L01001701"),
                                   .settlement_date = key->trade_date + 2,
                                   .message_count = 1};
}

void live_store(struct live *live, struct ste_shard *shard, const struct ste_trade_key_row *keys,
                size_t count, struct ste_bytes text)
{
    struct ste_trade_row rows[8];
    struct ste_trade_save saves[8];
    struct ste_error err = {0};
    live_ok(ste_shard_begin(shard, &err), &err);
    live_ok(ste_shard_lock_and_load(shard, keys, count, live->arena, rows, &err), &err);
    for (size_t i = 0; i < count; i++)
        saves[i] = live_save(&keys[i], text);
    live_ok(ste_shard_save_trades(shard, saves, count, &err), &err);
    live_ok(ste_shard_commit(shard, &err), &err);
}

static enum ste_code take_number(void *context, char **values, const unsigned long *lengths,
                                 struct ste_error *err)
{
    (void)err;
    *(uint64_t *)context = ste_shard_value_u64(values, lengths, 0);
    return STE_OK;
}

uint64_t live_number(struct ste_shard *shard, const char *sql)
{
    uint64_t number = 0;
    struct ste_error err = {0};
    live_ok(ste_shard_select(shard, ste_bytes_of(sql), "count", take_number, &number, &err), &err);
    live_ok(ste_shard_end_read(shard, &err), &err);
    return number;
}

struct ste_message_row live_message(const struct live *live, uint32_t n, struct ste_bytes body)
{
    static const uint8_t sha256[32] = {1, 2, 3};
    return (struct ste_message_row){.trade_date = live->lab.cluster.business_date - (int)(n % 3),
                                    .trade_key = live_key(live, n).trade_key,
                                    .slot = n,
                                    .type = 1,
                                    .function = 1,
                                    .sender8 = STE_BYTES("BROKSGSG"),
                                    .reference = STE_BYTES("R'1 "),
                                    .key_id = STE_BYTES("STEHSGSG/hub"),
                                    .delivery_id = STE_BYTES("d-1"),
                                    .delivery_index = n,
                                    .signed_sha256 = sha256,
                                    .received_us = 1700000000000000u,
                                    .body = body};
}

void live_kill(struct live *live, unsigned long id)
{
    struct ste_shard *root = NULL;
    struct ste_error err = {0};
    char sql[64];
    live_ok(ste_shard_open(&live->lab.cluster, 0, STE_DB_MIGRATOR, &root, &err), &err);
    snprintf(sql, sizeof(sql), "KILL CONNECTION %lu", id);
    live_ok(ste_shard_run(root, ste_bytes_of(sql), "kill", &err), &err);
    ste_shard_close(root);
}
