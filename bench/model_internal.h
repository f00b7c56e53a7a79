/* SPDX-License-Identifier: Apache-2.0
 * Between the files of the capacity model: what one round of a worker is made of. */
#ifndef STE_BENCH_MODEL_INTERNAL_H
#define STE_BENCH_MODEL_INTERNAL_H

#include "bench/model.h"

/* Parts of a node's CPU for a batch: before the rows are held, while, and after. From the stages of
 * docs/BENCHMARKS.md, "Where the time goes" (receive and check; lock and load, decide, compose and
 * commit; relay and ack; "the rest" spread). */
#define STE_MODEL_NODE_BEFORE .30
#define STE_MODEL_NODE_INSIDE .60
/* Part of a shard's CPU for a batch that is locking and loading; the rest is writing. */
#define STE_MODEL_SHARD_LOAD .35

/* CPU per second that one connected worker without work costs a shard: it reads table day and
 * sweeps the outbox once a second. */
#define STE_MODEL_SHARD_IDLE_WORKER .0006

/* Part of what a node's worker without work costs that stays when it has work: table day and the
 * outbox (13 % of a profile), health and metrics. The rest is looking for work, which a busy worker
 * does not do. */
#define STE_MODEL_NODE_CHORES .25

/* node/batch.h and router/worker.c: how many records fill a batch at first (a node whose
 * transactions are quick lets it grow), how long a batch and a publication stay open. */
#define STE_MODEL_BATCH_RECORDS 256
#define STE_MODEL_LINGER_S .001
#define STE_MODEL_LINGER_S_A_RECORD .002 /* of a delivery, when a batch is more than one */
#define STE_MODEL_LINGER_S_MOST .030
#define STE_MODEL_GATHER_S .001

/* Who works for whom. Trades are spread evenly over the shards, so where nodes and shards do not
 * divide each other, the shards with the fewest workers, or with the node that has most to do, set
 * the pace: `nodes` is how many nodes' worth of work gets done, `all` how many workers'. */
struct ste_model_layout {
    double per_node, per_shard, all, nodes;
};
struct ste_model_layout ste_model_layout_of(unsigned nodes, unsigned shards, unsigned workers,
                                            bool mesh);

/* By what part of C the w workers of a shard make it dearer than one would: (1 - 1/w)^2. The form
 * is chosen: it fits 1, 2, 4 and 8 workers on two machines within 7 %, 1 - 1/w does not. */
double ste_model_crowding(double per_shard);

/* Records in a batch when work is always waiting. */
double ste_model_batch(const struct ste_model *model, const struct ste_model_case *asked);
/* CPU seconds a message; asked->publication is found or given. */
double ste_model_demand(const struct ste_model *model, const struct ste_model_case *asked,
                        enum ste_model_part part, double batch);
/* Cores that one node, or one shard, may use for messages. */
double ste_model_share(const struct ste_model *model, const struct ste_model_case *asked,
                       enum ste_model_part part);
/* Seconds after which a quota is full again; 0: not held. */
double ste_model_period(const struct ste_model *model, const struct ste_model_case *asked,
                        enum ste_model_part part);
/* Cores left to the workers that are not held, while so many messages a second go through. */
double ste_model_cores_left(const struct ste_model *model, const struct ste_model_case *asked,
                            double throughput, double batch);

#endif
