/* SPDX-License-Identifier: Apache-2.0
 * The pool: takes clearing messages from ste.cls, writes each into the ledger, and acknowledges a
 * group only when its lines are on the disk. Whatever comes again is counted apart. One thread. */
#ifndef STE_BENCH_POOL_H
#define STE_BENCH_POOL_H

#include "bench/command.h"
#include "bench/flow.h"
#include "bench/ledger.h"

struct ste_pool_trade { /* by the trade's number in `trades` */
    uint64_t first_us;  /* arrival of its first CLS; 0: none yet */
    uint64_t versions;  /* bit v-1: version v has come */
    uint64_t body_hash; /* of the latest new version; 0: not known */
};
struct ste_pool {
    /* Given. */
    const struct ste_cluster *cluster;
    struct ste_ledger *ledger; /* NULL: none is kept */
    struct ste_flow *flow;     /* NULL: any trade is welcome */
    uint64_t expect;           /* trades that should clear; 0: until idle */
    unsigned idle_s;           /* without arrivals (and confirms, with flow); 0: for ever */
    /* Found. */
    struct ste_keymap own_trades; /* without flow */
    struct ste_pool_trade *trades;
    size_t trade_capacity;
    _Atomic uint64_t seen_trades;
    uint64_t unexpected;    /* of them, trades that should have had no CLS */
    uint64_t arrivals, cls; /* all, and those with a new trade and version */
    uint64_t repeats;       /* the same message-id and content again */
    uint64_t redelivered;   /* of the repeats: the broker says so itself */
    uint64_t conflicts;     /* the same message-id, other content */
    uint64_t unknown;       /* trades that are not of the set */
    uint64_t malformed;     /* no message-id as a CLS has it */
    uint64_t reconnects;
    uint64_t first_ns, last_ns; /* of new trades */
    bool timed_out;             /* idle before all expected ones had come */
};

/* Returns when all expected trades have come (with flow: and all is confirmed) and nothing has for
 * 300 ms, when idle, or when the jobs stop. Errors: STE_E_TIMEOUT without a first connection for
 * STE_REACH_FIRST_S, STE_E_MQ_REFUSED at it, STE_E_FILE of the ledger, STE_E_NOMEM. A struct
 * ste_bench_job's run. */
enum ste_code ste_pool_run(void *pool, struct ste_bench_jobs *jobs, struct ste_error *err);
/* One arrival, as it is counted; ste_pool_run does the rest. False: out of memory. */
bool ste_pool_take(struct ste_pool *pool, struct ste_bytes message_id, struct ste_bytes body,
                   bool redelivered, uint64_t now_ns);
/* A line of the ledger of a pool that was killed: as ste_pool_take, but nobody knows its body. */
bool ste_pool_resume(struct ste_pool *pool, struct ste_bytes message_id, uint64_t arrived_us);
/* True when there is nothing more to wait for; *heard_ns is when the last CLS came. The time
 * without a connection is not idle while drivers still have messages to confirm. */
bool ste_pool_is_over(struct ste_pool *pool, bool connected, uint64_t now_ns, uint64_t *heard_ns);
void ste_pool_deinit(struct ste_pool *pool);
/* The pool's own figures. */
void ste_pool_put(const struct ste_pool *pool, struct ste_facts *facts);
/* Why it ended, on stderr, if that is because nothing came for idle_s. */
void ste_pool_tell_timeout(const struct ste_pool *pool);
/* Trades that should have had a CLS, and have none so far; 0 when nobody knows how many should. */
uint64_t ste_pool_missing(const struct ste_pool *pool);

#endif
