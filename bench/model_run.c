/* SPDX-License-Identifier: Apache-2.0
 * What one run shows, from the monitor's samples. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/model.h"

/* Ends of the steady part: shares of the messages committed. */
static const double steady_from = .05, steady_to = .95;
/* Less time than this without work tells nothing of idle processes. */
static const double idle_seconds_min = 2;

static bool starts(const char *name, const char *prefix)
{
    return strncmp(name, prefix, strlen(prefix)) == 0;
}

/* Growth of a quantity over all series whose name starts so ("" all). */
static double growth(const struct ste_samples *samples, enum ste_quantity quantity,
                     const char *prefix, double from_s, double to_s)
{
    double sum = 0;
    for (size_t i = 0; i < samples->series_count; i++) {
        const struct ste_series *const series = &samples->series[i];
        if (series->quantity == quantity && starts(series->name, prefix))
            sum += ste_series_growth(series, from_s, to_s);
    }
    return sum;
}

static unsigned count_series(const struct ste_samples *samples, enum ste_quantity quantity,
                             const char *prefix)
{
    unsigned count = 0;
    for (size_t i = 0; i < samples->series_count; i++)
        count += samples->series[i].quantity == quantity && starts(samples->series[i].name, prefix);
    return count;
}

/* Counts and shares: none is below 0. */
static double number_of(const struct ste_samples *samples, const char *name, double otherwise)
{
    const double value = ste_samples_meta_number(samples, name, otherwise);
    return value < 0 ? otherwise : value;
}

/* The series of a sample's times: any that is in every sample. */
static const struct ste_series *longest(const struct ste_samples *samples)
{
    const struct ste_series *most = NULL;
    for (size_t i = 0; i < samples->series_count; i++) {
        if (most == NULL || samples->series[i].count > most->count)
            most = &samples->series[i];
    }
    return most;
}

static double committed(const struct ste_samples *samples, double from_s, double to_s)
{
    return growth(samples, STE_Q_WORKER_COMPLETIONS, "node-", from_s, to_s);
}

/* The first sample at which so many messages were committed. */
static size_t reached(const struct ste_samples *samples, const struct ste_series *times,
                      double messages)
{
    size_t i = 0;
    while (i + 1 < times->count && committed(samples, times->at_s[0], times->at_s[i]) < messages)
        i++;
    return i;
}

static double cpu_of(const struct ste_samples *samples, enum ste_model_part part, double from_s,
                     double to_s)
{
    static const char *const prefixes[STE_PART_COUNT] = {
        [STE_PART_ROUTER] = "router-",
        [STE_PART_BROKER] = "broker",
        [STE_PART_NODE] = "node-",
        [STE_PART_SHARD] = "shard-",
    };
    if (part == STE_PART_DRIVER)
        return growth(samples, STE_Q_DRIVER_CPU, "", from_s, to_s);
    if (part == STE_PART_POOL)
        return growth(samples, STE_Q_POOL_CPU, "", from_s, to_s);
    return growth(samples, STE_Q_PROCESS_CPU, prefixes[part], from_s, to_s);
}

static double done_by(const struct ste_samples *samples, enum ste_model_part part, double from_s,
                      double to_s)
{
    switch (part) {
    case STE_PART_DRIVER:
        return growth(samples, STE_Q_DRIVER_CONFIRMED, "", from_s, to_s);
    case STE_PART_POOL:
        return growth(samples, STE_Q_POOL_CLEARED, "", from_s, to_s);
    case STE_PART_ROUTER:
        return growth(samples, STE_Q_WORKER_COMPLETIONS, "router-", from_s, to_s);
    default:
        return committed(samples, from_s, to_s);
    }
}

static bool at_rest(const struct ste_samples *samples, double from_s, double to_s)
{
    return !(growth(samples, STE_Q_WORKER_ARRIVALS, "", from_s, to_s) > 0) &&
           !(growth(samples, STE_Q_WORKER_COMPLETIONS, "", from_s, to_s) > 0) &&
           !(growth(samples, STE_Q_DRIVER_SENT, "", from_s, to_s) > 0);
}

/* Intervals in which nothing moved; the one after work still cleans up and is left out. */
static void see_idle(const struct ste_samples *samples, const struct ste_series *times,
                     struct ste_model_run *run)
{
    const unsigned processes[STE_PART_COUNT] = {1, 1, 1, 1, run->nodes, run->shards};
    double seconds = 0, cpu[STE_PART_COUNT] = {0};
    bool rested = true;
    for (size_t i = 1; i < times->count; i++) {
        const double from_s = times->at_s[i - 1], to_s = times->at_s[i];
        const bool rests = at_rest(samples, from_s, to_s);
        if (rests && rested) {
            seconds += to_s - from_s;
            for (enum ste_model_part part = 0; part < STE_PART_COUNT; part++)
                cpu[part] += cpu_of(samples, part, from_s, to_s);
        }
        rested = rests;
    }
    for (enum ste_model_part part = 0; part < STE_PART_COUNT; part++)
        run->idle[part] = seconds < idle_seconds_min ? NAN : cpu[part] / seconds / processes[part];
}

static enum ste_code cut(const struct ste_samples *samples, const struct ste_series *times,
                         size_t first, size_t last, struct ste_model_run *run,
                         struct ste_error *err)
{
    run->intervals = calloc(last - first + 1, sizeof *run->intervals);
    if (run->intervals == NULL)
        return ste_error_set(err, STE_E_NOMEM, "no memory for the intervals of a run");
    for (size_t i = first + 1; i <= last; i++) {
        const double from_s = times->at_s[i - 1], to_s = times->at_s[i];
        run->intervals[run->interval_count++] = (struct ste_model_interval){
            .seconds = to_s - from_s,
            .batches = growth(samples, STE_Q_WORKER_BATCHES, "node-", from_s, to_s),
            .messages = committed(samples, from_s, to_s),
            .node_cpu = cpu_of(samples, STE_PART_NODE, from_s, to_s),
            .shard_cpu = cpu_of(samples, STE_PART_SHARD, from_s, to_s)};
    }
    return STE_OK;
}

static double mean_waiting(const struct ste_samples *samples, double from_s, double to_s)
{
    double sum = 0, seconds = to_s - from_s;
    for (size_t i = 0; i < samples->series_count; i++) {
        const struct ste_series *const series = &samples->series[i];
        const bool typed =
            series->quantity == STE_Q_QUEUE_READY && starts(series->name, "ste.") &&
            strspn(series->name + strcspn(series->name, "0123456789"), "0123456789") == 2;
        for (size_t k = 1; typed && k < series->count; k++) {
            if (series->at_s[k - 1] >= from_s && series->at_s[k] <= to_s)
                sum += series->values[k - 1] * (series->at_s[k] - series->at_s[k - 1]);
        }
    }
    return seconds > 0 ? sum / seconds : 0;
}

/* Nodes and shards work at a steady pace from 5 to 95 % of the work; the others are often done
 * sooner, so their cost is that of the whole run. */
static void see_costs(const struct ste_samples *samples, double steady_s, double steady_end_s,
                      double end_s, struct ste_model_run *run)
{
    for (enum ste_model_part part = 0; part < STE_PART_COUNT; part++) {
        const bool steady = part == STE_PART_NODE || part == STE_PART_SHARD;
        const double from_s = steady ? steady_s : 0, to_s = steady ? steady_end_s : end_s;
        run->cpu[part] = cpu_of(samples, part, from_s, to_s);
        run->done[part] = done_by(samples, part, from_s, to_s);
        run->part_seconds[part] = to_s - from_s;
    }
    run->routed = growth(samples, STE_Q_WORKER_COMPLETIONS, "router-", 0, end_s);
    run->publications = growth(samples, STE_Q_WORKER_BATCHES, "router-", 0, end_s);
    run->seconds = steady_end_s - steady_s;
    run->messages = committed(samples, steady_s, steady_end_s);
    run->batches = growth(samples, STE_Q_WORKER_BATCHES, "node-", steady_s, steady_end_s);
    run->database_s = growth(samples, STE_Q_WORKER_DATABASE, "node-", steady_s, steady_end_s);
    run->waiting = mean_waiting(samples, steady_s, steady_end_s);
}

static void see_configuration(const struct ste_samples *samples, bool mesh,
                              struct ste_model_run *run)
{
    const double nodes = count_series(samples, STE_Q_PROCESS_CPU, "node-");
    const double shards = count_series(samples, STE_Q_PROCESS_CPU, "shard-");
    const double workers = count_series(samples, STE_Q_WORKER_COMPLETIONS, "node-");
    const double routers = count_series(samples, STE_Q_WORKER_COMPLETIONS, "router-");
    run->nodes = (unsigned)number_of(samples, "nodes", nodes);
    run->shards = (unsigned)number_of(samples, "shards", shards);
    run->router_threads = (unsigned)number_of(samples, "router_workers", routers);
    const double all = number_of(samples, "workers", workers);
    const double most = run->nodes > run->shards ? run->nodes : run->shards;
    const double pairs = mesh ? (double)run->nodes * run->shards : most;
    run->mesh = mesh;
    run->workers = pairs > 0 ? (unsigned)fmax(1, round(all / pairs)) : 0;
    run->node_cpu = number_of(samples, "node_cpu_share", 0);
    run->shard_cpu = number_of(samples, "shard_cpu_share", 0);
    const struct ste_series *const cores =
        ste_samples_find(samples, STE_Q_MACHINE_CORES, NULL, NULL);
    run->cores = number_of(samples, "cores", 0);
    if (!(run->cores > 0) && cores != NULL && cores->count > 0)
        run->cores = cores->values[0];
}

enum ste_code ste_model_run_of(const struct ste_samples *samples, bool mesh,
                               struct ste_model_run *ret, struct ste_error *err)
{
    struct ste_model_run run = {0};
    const struct ste_series *const times = longest(samples);
    const double all = times == NULL ? 0 : committed(samples, 0, samples->seconds);
    see_configuration(samples, mesh, &run);
    if (run.nodes == 0 || run.shards == 0 || run.router_threads == 0 || !(run.cores > 0) ||
        !(all > 0))
        return ste_error_set(err, STE_E_ARGUMENT,
                             "the samples show no %s: was the engine watched while it worked?",
                             run.nodes == 0     ? "node"
                             : run.shards == 0  ? "shard"
                             : !(run.cores > 0) ? "cores"
                             : all > 0          ? "router"
                                                : "messages");
    const size_t first = reached(samples, times, all * steady_from);
    const size_t last = reached(samples, times, all * steady_to);
    if (last <= first)
        return ste_error_set(err, STE_E_ARGUMENT,
                             "the work took less than two samples: sample oftener, or work longer");
    see_costs(samples, times->at_s[first], times->at_s[last], samples->seconds, &run);
    see_idle(samples, times, &run);
    const enum ste_code rc = cut(samples, times, first, last, &run, err);
    if (rc == STE_OK)
        *ret = run;
    return rc;
}

void ste_model_run_deinit(struct ste_model_run *run)
{
    free(run->intervals);
    *run = (struct ste_model_run){0};
}
