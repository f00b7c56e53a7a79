/* SPDX-License-Identifier: Apache-2.0
 * What a driver sends: a set on disk, or a plan of trades made on the fly. */
#ifndef STE_BENCH_INPUT_H
#define STE_BENCH_INPUT_H

#include "bench/flow.h"
#include "bench/plan.h"
#include "bench/source.h"

struct ste_input {
    struct ste_set set; /* header NULL: a plan */
    struct ste_gen_plan plan;
    struct ste_gen_data data;
    struct ste_set_header header; /* of either */
};
/* -1: go on; else the exit status, complained. `folder` NULL: a plan; both or neither is wrong
 * usage. With flow, that is filled in too (ste_flow_deinit). The input stays where it is. */
int ste_input_open(struct ste_input *input, const char *command, const char *folder,
                   const struct ste_plan_options *plan, const struct ste_bench_map *map,
                   struct ste_flow *flow);
void ste_input_close(struct ste_input *input);
/* `deliveries`: how many of a plan may be made and not confirmed. */
STE_MUST_CHECK enum ste_code ste_input_source(const struct ste_input *input, unsigned batch,
                                              const uint8_t *done, size_t deliveries,
                                              struct ste_source **ret, struct ste_error *err);
/* An upper bound of how many deliveries it makes. */
uint64_t ste_input_deliveries(const struct ste_input *input, unsigned batch);

#endif
