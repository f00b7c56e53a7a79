/* SPDX-License-Identifier: Apache-2.0
 * ste-bench gen: makes a set for the driver, or a file for ste-submit. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/command.h"
#include "bench/gen.h"

struct gen_options {
    const char *config, *out, *xml, *window, *accounts;
    uint64_t trades, seed, first;
    bool progress;
};

static int read_options(int argc, char **argv, struct gen_options *o)
{
    const struct ste_bench_option options[] = {
        STE_TEXT_OPTION("config", "FILE", &o->config, true, "the cluster map"),
        STE_NUMBER_OPTION("trades", "N", &o->trades, 1, 100000000, true, "how many trades"),
        STE_TEXT_OPTION("out", "DIR", &o->out, false, "write a set for the driver"),
        STE_TEXT_OPTION("xml", "FILE", &o->xml, false, "write one XML file (- is standard output)"),
        STE_NUMBER_OPTION("seed", "S", &o->seed, 0, UINT64_MAX, false,
                          "the same seed gives the same set (default 1)"),
        STE_NUMBER_OPTION("first", "N", &o->first, 0, 999999999, false,
                          "number of the first trade (default 0)"),
        STE_TEXT_OPTION("shuffle-window", "W", &o->window, false,
                        "shuffle within blocks of W messages; 0 none, all (default 512)"),
        STE_TEXT_OPTION("accounts", "A", &o->accounts, false,
                        "accounts a trade, as 2 or 1-5 (default 2, at most 200)"),
        STE_FLAG_OPTION("progress", &o->progress, "show progress even without a terminal"),
    };
    return ste_bench_options(argc, argv, "Makes trades that match, from the map's reference data.",
                             options, sizeof options / sizeof options[0]);
}

static bool parse_window(const char *text, uint64_t *ret)
{
    if (strcmp(text, "all") == 0) {
        *ret = STE_GEN_SHUFFLE_ALL;
        return true;
    }
    return ste_bytes_u64(ste_bytes_of(text), ret) && *ret <= UINT32_MAX;
}

static bool parse_accounts(const char *text, struct ste_gen *gen)
{
    unsigned min = 0, max = 0;
    int used = 0;
    if (sscanf(text, "%3u-%3u%n", &min, &max, &used) == 2 && text[used] == '\0')
        ;
    else if (sscanf(text, "%3u%n", &min, &used) == 1 && text[used] == '\0')
        max = min;
    else
        return false;
    gen->accounts_min = min;
    gen->accounts_max = max;
    return min >= 1 && min <= max && max <= STE_ACCOUNTS_MAX;
}

static int wrong_usage(const char *why)
{
    fprintf(stderr, "ste-bench gen: %s (see ste-bench gen --help)\n", why);
    return STE_BENCH_USAGE;
}

static enum ste_code make(const struct gen_options *o, const struct ste_gen_plan *plan,
                          struct ste_error *err)
{
    struct ste_progress progress;
    uint64_t accounts = (uint64_t)plan->gen.accounts_min + plan->gen.accounts_max;
    uint64_t messages = plan->trades + plan->trades * accounts * 3 / 2; /* about, for a range */
    enum ste_code rc = STE_OK;
    if (o->out) {
        ste_progress_start(&progress, "generated", "messages", messages, o->progress);
        rc = ste_gen_set(plan, o->out, &progress, err);
        ste_progress_end(&progress, messages);
    }
    if (rc == STE_OK && o->xml) {
        ste_progress_start(&progress, "generated", "messages", messages, o->progress);
        rc = ste_gen_file(plan, o->xml, &progress, err);
        ste_progress_end(&progress, messages);
    }
    return rc;
}

int ste_bench_gen(int argc, char **argv)
{
    struct gen_options o = {.seed = 1};
    int status = read_options(argc, argv, &o);
    if (status >= 0)
        return status;
    struct ste_gen_plan plan = {.gen = {.seed = o.seed, .accounts_min = 2, .accounts_max = 2},
                                .first_trade = o.first,
                                .trades = o.trades,
                                .shuffle_window = STE_GEN_SHUFFLE_DEFAULT};
    if (!o.out && !o.xml)
        return wrong_usage("wants --out or --xml");
    if (o.window && !parse_window(o.window, &plan.shuffle_window))
        return wrong_usage("--shuffle-window wants a number of messages, or all");
    if (o.accounts && !parse_accounts(o.accounts, &plan.gen))
        return wrong_usage("--accounts wants a number or a range from 1 to 200");
    struct ste_bench_map map;
    if (!ste_bench_map_load(&map, o.config, true))
        return STE_BENCH_FAILURE;
    struct ste_gen_data data;
    struct ste_error err = {0};
    enum ste_code rc = ste_gen_data_load(map.cluster, map.ref, &data, &err);
    if (rc == STE_OK) {
        plan.gen.data = &data;
        rc = make(&o, &plan, &err);
        ste_gen_data_deinit(&data);
    }
    if (rc != STE_OK)
        ste_bench_complain("gen", &err);
    ste_bench_map_deinit(&map);
    return rc == STE_OK ? STE_BENCH_OK : STE_BENCH_FAILURE;
}
