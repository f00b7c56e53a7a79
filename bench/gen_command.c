/* SPDX-License-Identifier: Apache-2.0
 * ste-bench gen: makes a set for the driver, or a file for ste-submit. */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "bench/plan.h"

struct gen_options {
    struct ste_plan_options plan;
    const char *config, *out, *xml;
    bool force, progress;
};

static int read_options(int argc, char **argv, struct gen_options *o)
{
    const struct ste_bench_option options[] = {
        STE_TEXT_OPTION("config", "FILE", &o->config, true, "the cluster map"),
        STE_TEXT_OPTION("out", "DIR", &o->out, false, "write a set for the driver"),
        STE_TEXT_OPTION("xml", "FILE", &o->xml, false, "write one XML file (- is standard output)"),
        STE_PLAN_OPTIONS(o->plan, "trades"),
        STE_FLAG_OPTION("force", &o->force, "overwrite what --out or --xml holds"),
        STE_FLAG_OPTION("progress", &o->progress, "show progress even without a terminal"),
    };
    return ste_bench_options(argc, argv,
                             "Makes trades from the map's reference data: all match, but for the "
                             "shares asked for.",
                             options, sizeof options / sizeof options[0]);
}

static int wrong_usage(const char *why)
{
    fprintf(stderr, "ste-bench gen: %s (see ste-bench gen --help)\n", why);
    return STE_BENCH_USAGE;
}

/* What the set says of itself, once it is complete. */
static enum ste_code tell_set(const char *folder, struct ste_error *err)
{
    struct ste_set set;
    enum ste_code rc = ste_set_open(&set, folder, err);
    if (rc != STE_OK)
        return rc;
    const struct ste_set_header *header = set.header;
    fprintf(stderr,
            "%s: %llu trades from number %llu of seed %llu, %llu messages, %llu bytes, in set.ste, "
            "set.idx and set.json\n",
            folder, (unsigned long long)header->trades, (unsigned long long)header->first_trade,
            (unsigned long long)header->seed, (unsigned long long)header->messages,
            (unsigned long long)header->bytes);
    ste_set_close(&set);
    return STE_OK;
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
        if (rc == STE_OK)
            rc = tell_set(o->out, err);
    }
    if (rc == STE_OK && o->xml) {
        ste_progress_start(&progress, "generated", "messages", messages, o->progress);
        rc = ste_gen_file(plan, o->xml, &progress, err);
        ste_progress_end(&progress, messages);
    }
    return rc;
}

/* Complains. A pipe or a device has nothing to lose. */
static bool may_make(const struct gen_options *o)
{
    struct stat is;
    if (o->force)
        return true;
    if (o->out && ste_set_is_there(o->out)) {
        fprintf(stderr,
                "ste-bench gen: %s holds a set: another --out, or --force to overwrite it\n",
                o->out);
        return false;
    }
    if (o->xml && strcmp(o->xml, "-") != 0 && stat(o->xml, &is) == 0 && S_ISREG(is.st_mode)) {
        fprintf(stderr, "ste-bench gen: %s is there: another --xml, or --force to overwrite it\n",
                o->xml);
        return false;
    }
    return true;
}

int ste_bench_gen(int argc, char **argv)
{
    struct gen_options o = {.plan = STE_PLAN_DEFAULTS};
    struct ste_gen_plan plan;
    int status = read_options(argc, argv, &o);
    if (status >= 0)
        return status;
    if (!o.out && !o.xml)
        return wrong_usage("wants --out or --xml");
    if (!ste_plan_of("gen", &o.plan, &plan))
        return STE_BENCH_USAGE;
    if (o.xml && plan.gen.shares.invalid)
        return wrong_usage("--xml and --share-invalid: what is not well-formed ends the file");
    if (!may_make(&o))
        return STE_BENCH_FAILURE;
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
