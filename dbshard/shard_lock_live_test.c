/* SPDX-License-Identifier: Apache-2.0
 * Why path stop 6 begins with INSERT … ON DUPLICATE KEY UPDATE: two workers meet at the first
 * messages of the same 10,000 trades. Each adds its own bit to a trade's state; the one that sees
 * both bits completes the trade. With the locking statement every trade is completed exactly once.
 * With SELECT … FOR UPDATE in its place, which locks no row that is not there yet, some never are:
 * the second test fails if that should ever change. */
#include <pthread.h>

#include "dbshard/shard_live_test.h"

enum { TRADES = 10000, BATCH = 50, TRIES_MAX = 1000 };

struct bout {
    struct live *live;
    bool locking; /* the variant under test */
    pthread_barrier_t start;
};

struct fighter {
    struct bout *bout;
    char bit;
    struct ste_shard *shard;
    struct ste_arena *arena;
    size_t completed, redone;
    enum ste_code rc;
    struct ste_error err;
};

static enum ste_code load(struct fighter *self, const struct ste_trade_key_row *keys,
                          struct ste_trade_row *rows)
{
    return self->bout->locking
               ? ste_shard_lock_and_load(self->shard, keys, BATCH, self->arena, rows, &self->err)
               : ste_shard_load_only(self->shard, keys, BATCH, true, self->arena, rows, &self->err);
}

static enum ste_code one_batch(struct fighter *self, const struct ste_trade_key_row *keys,
                               size_t *ret_completed)
{
    struct ste_trade_row rows[BATCH];
    struct ste_trade_save saves[BATCH];
    char bits[BATCH];
    size_t completed = 0;
    ste_arena_reset(self->arena);
    enum ste_code rc = ste_shard_begin(self->shard, &self->err);
    if (rc == STE_OK)
        rc = load(self, keys, rows);
    for (size_t i = 0; rc == STE_OK && i < BATCH; i++) {
        bits[i] = self->bit;
        if (rows[i].state.len)
            bits[i] = (char)(bits[i] | rows[i].state.at[0]);
        completed += bits[i] == 3;
        saves[i] = (struct ste_trade_save){.trade_date = keys[i].trade_date,
                                           .trade_key = keys[i].trade_key,
                                           .match_hash = keys[i].match_hash,
                                           .slot = keys[i].slot,
                                           .identity = keys[i].identity,
                                           .state = {&bits[i], 1},
                                           .status = (unsigned)bits[i],
                                           .settlement_date = STE_DATE_NONE};
    }
    if (rc == STE_OK)
        rc = ste_shard_save_trades(self->shard, saves, BATCH, &self->err);
    if (rc == STE_OK)
        rc = ste_shard_commit(self->shard, &self->err);
    if (rc == STE_OK)
        *ret_completed = completed;
    return rc;
}

static void *fight(void *context)
{
    struct fighter *self = context;
    struct ste_trade_key_row keys[BATCH];
    const uint32_t base = self->bout->locking ? 1000000 : 2000000;
    for (uint32_t first = 0; first < TRADES; first += BATCH) {
        for (uint32_t i = 0; i < BATCH; i++)
            keys[i] = live_key(self->bout->live, base + first + i);
        pthread_barrier_wait(&self->bout->start);
        for (int tries = 0; self->rc == STE_OK && tries < TRIES_MAX; tries++) {
            size_t completed = 0;
            enum ste_code rc = one_batch(self, keys, &completed);
            if (rc == STE_E_SHARD_DEADLOCK || rc == STE_E_SHARD_LOCK_TIMEOUT) {
                self->redone++;
                continue; /* the whole batch again */
            }
            self->rc = rc;
            self->completed += completed;
            break;
        }
    }
    return NULL;
}

/* Returns how many trades were completed; *ret_twice, how many completions too many there were. */
static size_t run_bout(struct live *live, bool locking, size_t *ret_redone)
{
    struct bout bout = {.live = live, .locking = locking};
    struct fighter fighters[2] = {{.bout = &bout, .bit = 1}, {.bout = &bout, .bit = 2}};
    pthread_t threads[2];
    assert_int_equal(pthread_barrier_init(&bout.start, NULL, 2), 0);
    for (int i = 0; i < 2; i++) {
        fighters[i].shard = live_open(live);
        fighters[i].arena = ste_arena_new(0);
        assert_non_null(fighters[i].arena);
    }
    for (int i = 0; i < 2; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, fight, &fighters[i]), 0);
    for (int i = 0; i < 2; i++) {
        pthread_join(threads[i], NULL);
        live_ok(fighters[i].rc, &fighters[i].err);
        ste_shard_close(fighters[i].shard);
        ste_arena_free(fighters[i].arena);
    }
    pthread_barrier_destroy(&bout.start);
    *ret_redone = fighters[0].redone + fighters[1].redone;
    return fighters[0].completed + fighters[1].completed;
}

void test_two_workers_lose_nothing(void **state)
{
    size_t redone = 0, completed = run_bout(*state, true, &redone);
    print_message("locking: %zu of %d trades completed, %zu batches done again\n", completed,
                  TRADES, redone);
    assert_int_equal(completed, TRADES);
}

void test_two_workers_lose_without_the_locking_statement(void **state)
{
    size_t redone = 0, completed = run_bout(*state, false, &redone);
    print_message("SELECT … FOR UPDATE: %zu of %d trades completed, %zu batches done again\n",
                  completed, TRADES, redone);
    assert_true(completed < TRADES);
}
