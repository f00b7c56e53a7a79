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

void live_ok(enum ste_code rc,
             const struct ste_error *err);      /* fails the test with the error's text */
struct ste_shard *live_open(struct live *live); /* a node's session */
/* Key number n: sorted as n, of the business date; its slot is n. */
struct ste_trade_key_row live_key(const struct live *live, uint32_t n);
struct ste_trade_save live_save(const struct ste_trade_key_row *key, struct ste_bytes state);
struct ste_message_row live_message(const struct live *live, uint32_t n, struct ste_bytes body);
/* Writes at most 8 trades with this state, in one transaction. */
void live_store(struct live *live, struct ste_shard *shard, const struct ste_trade_key_row *keys,
                size_t count, struct ste_bytes text);
uint64_t live_number(struct ste_shard *shard, const char *sql);
void live_kill(struct live *live, unsigned long connection_id);

/* shard_lock_live_test.c */
void test_two_workers_lose_nothing(void **state);
void test_two_workers_lose_without_the_locking_statement(void **state);
/* shard_rows_live_test.c */
void test_trade_there_and_back(void **state);
void test_siblings(void **state);
void test_siblings_made_at_once(void **state);
void test_message_ids_of_two_writers(void **state);
void test_bodies(void **state);
void test_prepared_failures(void **state);
void test_exceptions_are_counted(void **state);
void test_exceptions_never_deadlock(void **state);
void test_outbox(void **state);

#endif
