/* SPDX-License-Identifier: Apache-2.0
 * ste-bench model: what other numbers of nodes and shards would do, from the samples of one run. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/command.h"
#include "bench/model_points.h"
#include "bench/model_report.h"
#include "bench/model_words.h"

enum { LIST_MAX = 512, RUNS_MAX = 16, PATH_BYTES = 1024 };

struct model_options {
    const char *samples, *nodes, *shards, *node_cpu, *shard_cpu, *cores, *flush_ms, *scale, *rate;
    const char *outstanding, *lock, *crowd, *period_ms, *measured, *json, *csv, *seconds;
    uint64_t workers, routers, batch, seed;
    bool simulate, mesh;
};
struct wanted {
    struct ste_model model;
    struct ste_model_case as; /* nodes and shards are filled in point by point */
    unsigned nodes[LIST_MAX], shards[LIST_MAX];
    size_t node_count, shard_count;
    bool node_cpu_given, shard_cpu_given;
    double lock, crowd;
};

static int wrong(const char *option, const char *why)
{
    fprintf(stderr, "ste-bench model: --%s: %s (see ste-bench model --help)\n", option, why);
    return STE_BENCH_USAGE;
}

static void complain(const struct ste_error *err)
{
    ste_bench_complain("model", err);
}

/* ---- options ---- */

static int read_options(int argc, char **argv, struct model_options *o)
{
    const struct ste_bench_option options[] = {
        STE_TEXT_OPTION("samples", "FILE,…", &o->samples, true,
                        "the monitor's samples of the run to learn from; more runs of other batch "
                        "sizes part a transaction's cost from a record's"),
        STE_TEXT_OPTION("nodes", "LIST", &o->nodes, false,
                        "numbers of nodes, as 1-8 or 1,2,4 (default: as in the samples)"),
        STE_TEXT_OPTION("shards", "LIST", &o->shards, false, "numbers of shards, likewise"),
        STE_NUMBER_OPTION(
            "workers", "W", &o->workers, 1, 1024, false,
            "threads of each node for each of its shards (default: as in the samples)"),
        STE_FLAG_OPTION("mesh", &o->mesh,
                        "every node works for every shard (default: as deploy/lab spreads them)"),
        STE_NUMBER_OPTION("routers", "R", &o->routers, 1, 1024, false,
                          "threads of all routers (default: as in the samples)"),
        STE_TEXT_OPTION("cores", "N", &o->cores, false, "processors for everything together"),
        STE_TEXT_OPTION("node-cpu", "SHARE", &o->node_cpu, false,
                        "each node is held to this share of a core; 0: not held"),
        STE_TEXT_OPTION("shard-cpu", "SHARE", &o->shard_cpu, false, "each shard likewise"),
        STE_TEXT_OPTION("quota-period-ms", "MS", &o->period_ms, false,
                        "of the control groups (default: as deploy/lab makes them)"),
        STE_NUMBER_OPTION("batch", "N", &o->batch, 1, 100000, false,
                          "records in a full batch (default: as in the samples)"),
        STE_TEXT_OPTION("flush-ms", "MS", &o->flush_ms, false,
                        "one flush of a database's log (default 0.3)"),
        STE_TEXT_OPTION("scale-demand", "PART=F,…", &o->scale, false,
                        "multiply the cost of driver, pool, router, broker, node, shard"),
        STE_TEXT_OPTION("rate", "R", &o->rate, false, "offered messages a second (default: all)"),
        STE_TEXT_OPTION("outstanding", "N", &o->outstanding, false,
                        "bound of messages between publish and CLS (default: none)"),
        STE_TEXT_OPTION("lock", "P", &o->lock, false,
                        "share of batches that want rows another one holds (default 1)"),
        STE_TEXT_OPTION("crowd", "C", &o->crowd, false,
                        "w workers of a shard cost it 1+C(1-1/w)^2 times the CPU of one (default: "
                        "from a second run with another number of nodes for each shard, else 1.3)"),
        STE_FLAG_OPTION("simulate", &o->simulate, "simulate each point too"),
        STE_TEXT_OPTION("seconds", "S", &o->seconds, false, "to simulate (default 60)"),
        STE_NUMBER_OPTION("seed", "S", &o->seed, 0, UINT64_MAX, false,
                          "of the simulation (default 1)"),
        STE_TEXT_OPTION(
            "measured", "FILE,…", &o->measured, false,
            "samples of other runs, or a CSV of nodes, shards, msg_per_s, and node_cpu, shard_cpu "
            "where they were held: the points to predict, with the error"),
        STE_OUT_OPTION("json", &o->json, "the table as JSON (- is standard output)"),
        STE_OUT_OPTION("csv", &o->csv, "the table as CSV (- is standard output)"),
    };
    return ste_bench_options(
        argc, argv,
        "Predicts throughput, response and bottleneck for other numbers of nodes and shards.",
        options, sizeof options / sizeof options[0]);
}

static int take_numbers(const struct model_options *o, struct wanted *wanted)
{
    double flush_ms = -1, period_ms = -1;
    const struct {
        const char *name, *text;
        double min, max, *at;
    } numbers[] = {
        {"cores", o->cores, .01, 100000, &wanted->as.cores},
        {"node-cpu", o->node_cpu, 0, STE_MODEL_SHARE_MAX, &wanted->as.node_cpu},
        {"shard-cpu", o->shard_cpu, 0, STE_MODEL_SHARE_MAX, &wanted->as.shard_cpu},
        {"quota-period-ms", o->period_ms, 1, 1000, &period_ms},
        {"flush-ms", o->flush_ms, 0, 10000, &flush_ms},
        {"rate", o->rate, 0, 1e9, &wanted->as.rate},
        {"outstanding", o->outstanding, 0, 1e12, &wanted->as.outstanding},
    };
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        if (numbers[i].text != NULL &&
            !ste_model_number(numbers[i].text, numbers[i].min, numbers[i].max, numbers[i].at))
            return wrong(numbers[i].name, "a number out of range, or none");
    }
    if (flush_ms >= 0)
        wanted->as.flush_s = flush_ms / 1000;
    if (period_ms >= 0)
        wanted->as.quota_period_s = period_ms / 1000;
    if (o->scale != NULL && !ste_model_scales(o->scale, wanted->as.scale))
        return wrong("scale-demand", "wants PART=FACTOR,… of driver pool router broker node shard");
    return -1;
}

/* What the samples do not say, and the command line does. */
static int take_case(const struct model_options *o, struct wanted *wanted)
{
    wanted->as = ste_model_case_of(&wanted->model);
    wanted->nodes[0] = wanted->model.nodes;
    wanted->shards[0] = wanted->model.shards;
    wanted->node_count = wanted->shard_count = 1;
    if (o->nodes != NULL && !ste_model_list(o->nodes, STE_MODEL_NODES_MAX, wanted->nodes, LIST_MAX,
                                            &wanted->node_count))
        return wrong("nodes", "wants a list as 1-8 or 1,2,4");
    if (o->shards != NULL && !ste_model_list(o->shards, STE_MODEL_SHARDS_MAX, wanted->shards,
                                             LIST_MAX, &wanted->shard_count))
        return wrong("shards", "wants a list as 1-8 or 1,2,4");
    wanted->node_cpu_given = o->node_cpu != NULL;
    wanted->shard_cpu_given = o->shard_cpu != NULL;
    if (o->workers > 0)
        wanted->as.workers = (unsigned)o->workers;
    if (o->routers > 0)
        wanted->as.router_threads = (unsigned)o->routers;
    if (o->batch > 0)
        wanted->as.batch_max = wanted->model.batch = (double)o->batch;
    return take_numbers(o, wanted);
}

/* ---- files ---- */

/* The next of the names between commas; false: none is left. */
static bool next_name(const char **list, char name[static PATH_BYTES])
{
    const size_t len = strcspn(*list, ",");
    if (len == 0 || len >= PATH_BYTES)
        return false;
    memcpy(name, *list, len);
    name[len] = '\0';
    *list += len + ((*list)[len] == ',');
    return true;
}

static enum ste_code read_run(const char *path, bool mesh, struct ste_model_run *ret,
                              struct ste_error *err)
{
    struct ste_samples samples = {0};
    enum ste_code rc = ste_samples_read(path, &samples, err);
    if (rc != STE_OK)
        return rc;
    rc = ste_model_run_of(&samples, mesh, ret, err);
    ste_samples_deinit(&samples);
    if (rc != STE_OK && err->place[0] == '\0')
        (void)snprintf(err->place, sizeof err->place, "%.120s", path);
    return rc;
}

static enum ste_code calibrate(const char *list, bool mesh, double lock, double crowd,
                               struct ste_model *ret, struct ste_error *err)
{
    struct ste_model_run runs[RUNS_MAX];
    char name[PATH_BYTES];
    size_t count = 0;
    enum ste_code rc = STE_OK;
    while (rc == STE_OK && next_name(&list, name)) {
        rc = count == RUNS_MAX
                 ? ste_error_set(err, STE_E_ARGUMENT, "more than %d runs to learn from", RUNS_MAX)
                 : read_run(name, mesh, &runs[count], err);
        count += rc == STE_OK;
    }
    if (rc == STE_OK)
        rc = ste_model_calibrate(runs, count, lock, crowd, ret, err);
    while (count > 0)
        ste_model_run_deinit(&runs[--count]);
    return rc;
}

static bool is_samples(const char *path)
{
    char head[16] = "";
    FILE *const file = fopen(path, "re");
    if (file == NULL)
        return false;
    const bool fits = fgets(head, sizeof head, file) != NULL && strncmp(head, "at_us,", 6) == 0;
    (void)fclose(file); /* only read */
    return fits;
}

/* ---- points ---- */

static bool add_grid(const struct wanted *wanted, struct ste_model_report *report,
                     struct ste_error *err)
{
    struct ste_model_case asked = wanted->as;
    for (size_t s = 0; s < wanted->shard_count; s++) {
        for (size_t n = 0; n < wanted->node_count; n++) {
            asked.nodes = wanted->nodes[n];
            asked.shards = wanted->shards[s];
            if (ste_model_report_add(report, &asked, NAN, err) != STE_OK)
                return false;
        }
    }
    return true;
}

static const char *held(double share)
{
    return share > 0 ? "held to a share of a core" : "not held";
}

/* Costs were learnt one way and the point was made the other. Told once a file. */
static void warn_of_shares(const struct ste_model *model, const struct ste_model_case *asked,
                           const char *name, bool *told)
{
    const bool nodes = (model->node_cpu > 0) != (asked->node_cpu > 0);
    const double learnt = nodes ? model->node_cpu : model->shard_cpu;
    const double wanted = nodes ? asked->node_cpu : asked->shard_cpu;
    if (*told || (learnt > 0) == (wanted > 0))
        return;
    *told = true;
    fprintf(stderr,
            "ste-bench: model: %s: %s that were %s, predicted from a run whose %s were %s: expect "
            "larger errors\n",
            name, nodes ? "nodes" : "shards", held(wanted), nodes ? "nodes" : "shards",
            held(learnt));
}

/* A measured run says itself how it was made; what-if options stay. */
static enum ste_code add_run(const struct wanted *wanted, const char *name,
                             struct ste_model_report *report, struct ste_error *err)
{
    struct ste_model_run run;
    struct ste_model_case asked = wanted->as;
    bool told = false;
    enum ste_code rc = read_run(name, wanted->model.mesh, &run, err);
    if (rc != STE_OK)
        return rc;
    asked.nodes = run.nodes;
    asked.shards = run.shards;
    asked.workers = run.workers;
    asked.router_threads = run.router_threads;
    asked.node_cpu = run.node_cpu;
    asked.shard_cpu = run.shard_cpu;
    asked.cores = run.cores;
    warn_of_shares(&wanted->model, &asked, name, &told);
    rc = ste_model_report_add(report, &asked, run.messages / run.seconds, err);
    ste_model_run_deinit(&run);
    return rc;
}

static enum ste_code add_point(const struct wanted *wanted, const struct ste_model_point *point,
                               const char *name, bool *told, struct ste_model_report *report,
                               struct ste_error *err)
{
    struct ste_model_case asked = wanted->as;
    asked.nodes = point->nodes;
    asked.shards = point->shards;
    if (!isnan(point->node_cpu))
        asked.node_cpu = point->node_cpu;
    if (!isnan(point->shard_cpu))
        asked.shard_cpu = point->shard_cpu;
    warn_of_shares(&wanted->model, &asked, name, told);
    return ste_model_report_add(report, &asked, point->msg_per_s, err);
}

/* Neither the table nor the command line says. */
static void warn_of_silence(const struct wanted *wanted, const struct ste_model_point *points,
                            size_t count, const char *name)
{
    bool node = !wanted->node_cpu_given, shard = !wanted->shard_cpu_given, silent = false;
    for (size_t i = 0; i < count; i++)
        silent =
            silent || (node && isnan(points[i].node_cpu)) || (shard && isnan(points[i].shard_cpu));
    if (silent)
        fprintf(stderr,
                "ste-bench: model: %s does not say to what shares of a core its nodes and shards "
                "were held: taken as in the run learnt from (nodes %g, shards %g; 0: not held); "
                "--node-cpu, --shard-cpu or columns node_cpu, shard_cpu tell otherwise\n",
                name, wanted->as.node_cpu, wanted->as.shard_cpu);
}

static enum ste_code add_points(const struct wanted *wanted, const char *name,
                                struct ste_model_report *report, struct ste_error *err)
{
    struct ste_points table;
    struct ste_model_point *points = NULL;
    size_t count = 0;
    bool told = false;
    struct ste_arena *const arena = ste_arena_new(0);
    if (arena == NULL)
        return ste_error_set(err, STE_E_NOMEM, "no memory for measured points");
    enum ste_code rc = ste_points_read(name, arena, &table, err);
    if (rc == STE_OK)
        rc = ste_model_points_of(&table, arena, &points, &count, err);
    if (rc == STE_OK)
        warn_of_silence(wanted, points, count, name);
    for (size_t i = 0; rc == STE_OK && i < count; i++)
        rc = add_point(wanted, &points[i], name, &told, report, err);
    ste_arena_free(arena);
    return rc;
}

static bool add_measured(const struct wanted *wanted, const char *list,
                         struct ste_model_report *report, struct ste_error *err)
{
    char name[PATH_BYTES];
    enum ste_code rc = STE_OK;
    while (rc == STE_OK && next_name(&list, name))
        rc = is_samples(name) ? add_run(wanted, name, report, err)
                              : add_points(wanted, name, report, err);
    return rc == STE_OK;
}

static int run_model(const struct model_options *o, struct wanted *wanted,
                     const struct ste_model_simulation *simulation)
{
    struct ste_error err = {0};
    if (calibrate(o->samples, o->mesh, wanted->lock, wanted->crowd, &wanted->model, &err) !=
        STE_OK) {
        complain(&err);
        return STE_BENCH_FAILURE;
    }
    if (simulation->wanted && ste_model_fit_simulation(&wanted->model, simulation->seconds,
                                                       simulation->seed, &err) != STE_OK) {
        complain(&err);
        return STE_BENCH_FAILURE;
    }
    const int status = take_case(o, wanted);
    if (status >= 0)
        return status;
    struct ste_model_report *report = NULL;
    bool good = ste_model_report_new(&wanted->model, simulation, &report, &err) == STE_OK;
    /* Measured points are predicted; a grid beside them only where it is asked for. */
    if (good && (o->measured == NULL || o->nodes != NULL || o->shards != NULL))
        good = add_grid(wanted, report, &err);
    if (good && o->measured != NULL)
        good = add_measured(wanted, o->measured, report, &err);
    if (good)
        good = ste_model_report_write(report, o->json, o->csv, &err) == STE_OK;
    if (!good)
        complain(&err);
    ste_model_report_free(report);
    return good ? STE_BENCH_OK : STE_BENCH_FAILURE;
}

int ste_bench_model(int argc, char **argv)
{
    struct model_options o = {.seed = 1};
    struct wanted wanted = {.lock = 1, .crowd = NAN};
    struct ste_model_simulation simulation = {.seconds = 60};
    const int status = read_options(argc, argv, &o);
    if (status >= 0)
        return status;
    if (o.lock != NULL && !ste_model_number(o.lock, 0, 1, &wanted.lock))
        return wrong("lock", "wants a share from 0 to 1");
    if (o.crowd != NULL && !ste_model_number(o.crowd, 0, 10, &wanted.crowd))
        return wrong("crowd", "wants a number from 0 to 10");
    if (o.seconds != NULL && !ste_model_number(o.seconds, .1, 100000, &simulation.seconds))
        return wrong("seconds", "wants a number from 0.1 to 100000");
    simulation.wanted = o.simulate;
    simulation.seed = o.seed;
    return run_model(&o, &wanted, &simulation);
}
