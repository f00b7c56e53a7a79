/* SPDX-License-Identifier: Apache-2.0
 * What the live tests share. */
#ifndef STE_DBSHARD_SHARD_LIVE_TEST_H
#define STE_DBSHARD_SHARD_LIVE_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "dbshard/internal.h"
#include "dbshard/shard_lab.h"

/* *state of every test */
struct live {
    struct ste_shard_lab lab;
    struct ste_arena *arena;
};

static inline void live_ok(enum ste_code rc, const struct ste_error *err)
{
    if (rc != STE_OK)
        fail_msg("%s: %s", ste_code_name(rc), err->text);
}

static inline struct ste_shard *live_open(struct live *live)
{
    struct ste_shard *shard = NULL;
    struct ste_error err = {0};
    live_ok(ste_shard_open(&live->lab.cluster, 0, STE_DB_NODE, &shard, &err), &err);
    return shard;
}

/* Key number n: sorted as n, of the business date. */
static inline struct ste_trade_key_row live_key(const struct live *live, uint32_t n)
{
    struct ste_trade_key_row key = {.trade_date = live->lab.cluster.business_date, .slot = n};
    for (int i = 0; i < 4; i++)
        key.trade_key.bytes[i] = (uint8_t)(n >> (24 - 8 * i));
    key.trade_key.bytes[15] = 0xff;
    key.match_hash = key.trade_key;
    key.identity = STE_BYTES("REF|BROKSGSG|INVMSGSG|2026-11-30");
    return key;
}

void test_two_workers_lose_nothing(void **state);
void test_two_workers_lose_without_the_locking_statement(void **state);

#endif
