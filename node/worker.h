/* SPDX-License-Identifier: Apache-2.0
 * A shard worker: one thread, one database connection, one consuming and one publishing connection.
 * Its loop reads receive, check and load, decide, commit, ack, relay. */
#ifndef STE_NODE_WORKER_H
#define STE_NODE_WORKER_H

#include "daemon/daemon.h"
#include "dbshard/shard.h"
#include "node/batch.h"
#include "node/relay.h"

struct ste_node_worker {
    struct ste_daemon *daemon;
    struct ste_obs_worker *counters;
    const struct ste_assignment *assignment;
    uint64_t worker_id; /* of outbox rows */

    struct ste_mq *consume;
    struct ste_relay relay; /* owns the publishing connection */
    struct ste_shard *shard;

    struct ste_rules rules;
    struct ste_days days;
    struct ste_arena *days_arena;
    uint64_t days_read_ns, pinged_ns, swept_ns;
    struct ste_obs_types types; /* what was done since the last count_busy */
    uint64_t busy_ns, db_ns;    /* worked so far; ste_shard_wait_ns as of then */
    bool told_blocked;          /* /readyz says that the broker blocks publishers */

    struct ste_batch batch;
    /* A suspect that came while others were gathered: the next batch. */
    struct ste_mq_delivery aside;
    bool has_aside;
    struct ste_arena *attempt; /* of one try to commit; reset before each */
    struct ste_buf states;     /* of the trades being saved; kept for its memory */
};

/* Runs until the daemon stops; slot->job is the struct ste_assignment, slot->number tells workers
 * of a node apart. */
enum ste_code ste_node_run(struct ste_worker_slot *slot, struct ste_error *err);

/* A lost database connection alone is opened again, the broker's stay: *err says why it was lost,
 * and afterwards, if that fails, why it cannot be opened. Blocks up to the connect timeout. */
STE_MUST_CHECK enum ste_code ste_node_reopen_shard(struct ste_node_worker *worker,
                                                   struct ste_error *err);

/* ---- the stops, one file each ---- */
/* Stop 5 (receive.c): fills the batch; empty when nothing came within wait_ms. Suspects and
 * records of other shards have been sent on, confirmed, when it returns. */
STE_MUST_CHECK enum ste_code ste_node_receive(struct ste_node_worker *worker, int wait_ms,
                                              struct ste_error *err);

/* What stop 6 found: one entry a trade of the batch, sorted by (trade_date, trade_key). */
struct ste_loaded {
    struct ste_trade_key_row *keys;
    struct ste_trade_row *rows;
    struct ste_trade **trades;
    size_t count;
    struct ste_trade **siblings; /* in the database only, not in this batch */
    struct ste_trade_row *sibling_rows;
    size_t sibling_count;
};
/* Works first..first+count of the batch: one attempt at a transaction. */
struct ste_range {
    struct ste_work **works;
    size_t count;
};
/* Reads table `day` again. */
STE_MUST_CHECK enum ste_code ste_node_read_days(struct ste_node_worker *worker,
                                                struct ste_error *err);
/* Stop 6, the part without SQL (check.c of the rules does the judging): for every work. */
STE_MUST_CHECK enum ste_code ste_node_check(struct ste_node_worker *worker, struct ste_work *work,
                                            struct ste_error *err);
/* Stop 6 (load.c): all trade rows, present or not, locked in key order and read. */
STE_MUST_CHECK enum ste_code ste_node_load(struct ste_node_worker *worker, struct ste_range range,
                                           struct ste_loaded *ret, struct ste_error *err);
/* Stop 7 (decide.c): records of one trade applied in order. */
STE_MUST_CHECK enum ste_code ste_node_decide(struct ste_node_worker *worker, struct ste_range range,
                                             const struct ste_loaded *loaded,
                                             struct ste_effects *effects, struct ste_error *err);
/* Before stop 8 (refuse.c): rows of table exception, one per exception effect, in the attempt's
 * arena. Effects and replies of messages that the engine refused before are taken out. */
STE_MUST_CHECK enum ste_code ste_node_refuse(struct ste_node_worker *worker,
                                             struct ste_effects *effects,
                                             struct ste_exception_row **ret, struct ste_error *err);
/* Stop 8 (commit.c): states, message rows, exceptions and outbox rows stand together. */
STE_MUST_CHECK enum ste_code ste_node_commit(struct ste_node_worker *worker, struct ste_range range,
                                             const struct ste_loaded *loaded,
                                             struct ste_effects *effects, struct ste_error *err);
/* Stops 6 to 9 for the whole batch (transact.c): what fails is done again, smaller where that
 * helps, until everything is committed; then the deliveries are acked. */
STE_MUST_CHECK enum ste_code ste_node_transact(struct ste_node_worker *worker,
                                               struct ste_error *err);

#endif
