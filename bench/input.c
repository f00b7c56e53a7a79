/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/input.h"

#include <stdio.h>

static enum ste_code open_set(struct ste_input *input, const char *folder, struct ste_flow *flow,
                              struct ste_error *err)
{
    enum ste_code rc = ste_set_open(&input->set, folder, err);
    if (rc != STE_OK)
        return rc;
    input->header = *input->set.header;
    if (flow)
        rc = ste_flow_init(flow, &input->set, err);
    if (rc != STE_OK)
        ste_set_close(&input->set);
    return rc;
}

static enum ste_code open_plan(struct ste_input *input, const struct ste_bench_map *map,
                               struct ste_flow *flow, struct ste_error *err)
{
    enum ste_code rc = ste_gen_data_load(map->cluster, map->ref, &input->data, err);
    if (rc != STE_OK)
        return rc;
    input->plan.gen.data = &input->data;
    rc = flow ? ste_flow_init_plan(flow, &input->plan, &input->header, err)
              : ste_gen_header(&input->plan, &input->header, NULL, NULL, err);
    if (rc != STE_OK)
        ste_gen_data_deinit(&input->data);
    return rc;
}

int ste_input_open(struct ste_input *input, const char *command, const char *folder,
                   const struct ste_plan_options *plan, const struct ste_bench_map *map,
                   struct ste_flow *flow)
{
    struct ste_error err = {0};
    *input = (struct ste_input){0};
    if ((folder != NULL) == ste_plan_is_wanted(plan)) {
        fprintf(stderr, "ste-bench %s: wants --set, or --generate or --standard\n", command);
        return STE_BENCH_USAGE;
    }
    if (!folder && !ste_plan_of(command, plan, &input->plan))
        return STE_BENCH_USAGE;
    enum ste_code rc =
        folder ? open_set(input, folder, flow, &err) : open_plan(input, map, flow, &err);
    if (rc == STE_OK)
        return -1;
    ste_bench_complain(command, &err);
    return STE_BENCH_FAILURE;
}

void ste_input_close(struct ste_input *input)
{
    ste_set_close(&input->set);
    ste_gen_data_deinit(&input->data);
}

enum ste_code ste_input_source(const struct ste_input *input, unsigned batch, const uint8_t *done,
                               size_t deliveries, struct ste_source **ret, struct ste_error *err)
{
    if (input->set.header)
        return ste_source_open_set(&input->set, batch, done, ret, err);
    return ste_source_open_plan(&input->plan, batch, done, deliveries, ret, err);
}

uint64_t ste_input_deliveries(const struct ste_input *input, unsigned batch)
{
    return input->header.messages / batch + 2 * input->header.alone + 1;
}
