/* SPDX-License-Identifier: Apache-2.0
 * Measured points for the model to predict, from a table of runs. Pure. */
#ifndef STE_BENCH_MODEL_POINTS_H
#define STE_BENCH_MODEL_POINTS_H

#include "bench/points.h"
#include "conf/cluster.h"

enum {
    STE_MODEL_NODES_MAX = 10000,
    STE_MODEL_SHARDS_MAX = STE_SHARD_COUNT_MAX,
    STE_MODEL_SHARE_MAX = 1000
};
struct ste_model_point {
    unsigned nodes, shards;
    double node_cpu, shard_cpu; /* shares of a core; 0: not held; NAN: the table does not say */
    double msg_per_s;           /* median of the runs that are alike in all of these */
};
/* Columns nodes, shards, msg_per_s; node_cpu and shard_cpu if they are there: a number, "none" for
 * not held, or empty. *ret is in the arena, by nodes, then shards. Errors: STE_E_PARSE with the row
 * as place; STE_E_NOMEM. */
STE_MUST_CHECK enum ste_code ste_model_points_of(const struct ste_points *points,
                                                 struct ste_arena *arena,
                                                 struct ste_model_point **ret, size_t *ret_count,
                                                 struct ste_error *err);

#endif
