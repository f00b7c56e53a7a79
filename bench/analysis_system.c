/* SPDX-License-Identifier: Apache-2.0
 * The window, the laws of each stage, and what follows for the whole: bottleneck, stations, bounds,
 * the check against Little's law. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/analysis_internal.h"
#include "oa/mva.h"

double *ste_gauge_of(struct work *work, enum ste_quantity quantity, const char *name, double factor)
{
    const struct ste_growth *growth = &work->growth;
    double *sum = NULL;
    for (size_t i = 0; i < growth->samples->series_count; i++) {
        const struct ste_series *series = &growth->samples->series[i];
        if (series->quantity != quantity || !ste_name_fits(series->name, name))
            continue;
        if (!sum)
            sum = STE_ARENA_ARRAY(growth->arena, double, growth->count);
        if (!sum)
            return NULL;
        for (size_t t = 0, at = 0; t < growth->count; t++) {
            while (at + 1 < series->count && series->at_s[at + 1] <= growth->times[t])
                at++;
            if (series->count > 0 && series->at_s[at] <= growth->times[t])
                sum[t] += factor * series->values[at];
        }
    }
    return sum;
}

/* Some quantities are sampled rarely: the longest series has all the times. */
static void find_times(struct work *work)
{
    const struct ste_samples *samples = work->growth.samples;
    for (size_t i = 0; i < samples->series_count; i++) {
        if (samples->series[i].count <= work->growth.count)
            continue;
        work->growth.count = samples->series[i].count;
        work->growth.times = samples->series[i].at_s;
    }
    work->analysis->times_s = work->growth.times;
    work->analysis->time_count = work->growth.count;
}

static double cores_of(const struct ste_samples *samples)
{
    const struct ste_series *series = ste_samples_find(samples, STE_Q_MACHINE_CORES, NULL, NULL);
    double cores = series && series->count > 0 ? series->values[series->count - 1]
                                               : ste_samples_meta_number(samples, "cores", 1);
    return cores >= 1 ? cores : 1;
}

static void find_flows(struct work *work)
{
    struct ste_growth *growth = &work->growth;
    work->confirmed = ste_growth_of(growth, STE_Q_DRIVER_CONFIRMED, "", "");
    work->driver_cpu = ste_growth_of(growth, STE_Q_DRIVER_CPU, "", "");
    work->entered = work->confirmed;
    if (!work->entered)
        work->entered = ste_growth_of(growth, STE_Q_WORKER_ARRIVALS, "router", "");
    if (!work->entered)
        work->entered = ste_growth_of(growth, STE_Q_WORKER_ARRIVALS, "node", "");
    work->cleared = ste_growth_of(growth, STE_Q_POOL_CLEARED, "", "");
    if (!work->cleared)
        work->cleared = ste_growth_of(growth, STE_Q_WORKER_COMPLETIONS, "node", "");
    if (work->confirmed)
        return;
    /* Without the driver: deliveries in ste.in, each of `batch` messages, and what is in hand. Not
     * known when deliveries waited and nothing tells how many messages they hold. */
    const double *in = ste_growth_of(growth, STE_Q_WORKER_ARRIVALS, "router", "");
    const double *out = ste_growth_of(growth, STE_Q_WORKER_COMPLETIONS, "router", "");
    double batch = ste_samples_meta_number(growth->samples, "batch", NAN);
    double *present = ste_gauge_of(work, STE_Q_QUEUE_READY, "ste.in", 1);
    bool known = present && in && out;
    for (size_t i = 0; known && i < growth->count; i++) {
        known = isfinite(batch) || present[i] == 0;
        present[i] = fmax((known && present[i] > 0 ? batch * present[i] : 0) + in[i] - out[i], 0);
    }
    work->router_present = known ? present : NULL;
}

static enum ste_code find_window(struct work *work, double from_s, double to_s,
                                 struct ste_error *err)
{
    struct ste_analysis *analysis = work->analysis;
    const double *times = work->growth.times;
    size_t end = work->growth.count - 1, first = 0, last = end;
    if (work->entered[end] <= 0 && work->cleared[end] <= 0)
        return ste_error_set(
            err, STE_E_ARGUMENT,
            "the samples show no messages: was the engine watched while it worked?");
    if (work->cleared[end] <= 0)
        return ste_error_set(err, STE_E_ARGUMENT, "nothing was completed in %.1f s of samples",
                             times[end]);
    if (isfinite(from_s)) {
        while (first < end && times[first + 1] <= from_s)
            first++;
    } else {
        while (first < end && work->entered[first + 1] <= 0)
            first++;
    }
    if (isfinite(to_s)) {
        while (last > 0 && times[last - 1] >= to_s)
            last--;
    } else {
        while (last > 0 && work->cleared[last - 1] >= work->cleared[end])
            last--;
    }
    if (last <= first)
        return ste_error_set(err, STE_E_ARGUMENT,
                             "no two samples from %.1f s to %.1f s; the samples last %.1f s",
                             isfinite(from_s) ? from_s : times[first],
                             isfinite(to_s) ? to_s : times[last], times[end]);
    analysis->first = first;
    analysis->last = last;
    analysis->from_s = times[first];
    analysis->to_s = times[last];
    analysis->interval_s = (times[last] - times[first]) / (double)(last - first);
    if (work->cleared[last] - work->cleared[first] <= 0)
        return ste_error_set(err, STE_E_ARGUMENT, "nothing was completed from %.1f s to %.1f s",
                             analysis->from_s, analysis->to_s);
    return STE_OK;
}

static double or_nothing(double value)
{
    return isfinite(value) ? value : 0;
}

/* What is not known counts as nothing, and nothing that rests on it is told. */
static void apply_laws(struct ste_stage *stage, double system_completions)
{
    const struct ste_oa_counts *known = &stage->counts;
    struct ste_oa_counts counts = *known;
    counts.arrivals = or_nothing(counts.arrivals);
    counts.completions = or_nothing(counts.completions);
    counts.busy = or_nothing(counts.busy);
    counts.waiting = or_nothing(counts.waiting);
    struct ste_oa_laws laws = {NAN, NAN, NAN, NAN, NAN, NAN, NAN};
    (void)ste_oa_laws(&counts, &laws); /* false: all stay NAN */
    if (!isfinite(known->arrivals))
        laws.arrival_rate = laws.imbalance = NAN;
    if (!isfinite(known->completions))
        laws.throughput = laws.service = laws.response = laws.imbalance = NAN;
    if (!isfinite(known->busy))
        laws.utilisation = laws.service = NAN;
    if (!isfinite(known->waiting))
        laws.present = laws.response = NAN;
    stage->laws = laws;
    stage->visits = ste_oa_visits(known->completions, system_completions);
    stage->demand = ste_oa_demand(known->busy, system_completions);
}

double ste_stage_use(const struct ste_stage *stage)
{
    return fmax(stage->laws.utilisation, stage->cpu_use); /* fmax passes over a NAN */
}

static void find_bottlenecks(struct ste_analysis *analysis)
{
    for (size_t i = 0; i < analysis->stage_count; i++) {
        const struct ste_stage *stage = &analysis->stages[i];
        double use = ste_stage_use(stage);
        if (stage->type[0])
            continue; /* types share their workers */
        if (isfinite(use) && (!analysis->busiest || use > ste_stage_use(analysis->busiest)))
            analysis->busiest = stage;
        if (stage->part || stage->kind == STE_STAGE_SYSTEM || !isfinite(stage->demand))
            continue;
        if (!analysis->costliest || stage->demand > analysis->costliest->demand)
            analysis->costliest = stage;
    }
}

static bool is_station(const struct ste_stage *stage)
{
    return !stage->part && stage->kind != STE_STAGE_SYSTEM && stage->kind != STE_STAGE_SHARD &&
           isfinite(stage->demand) && stage->demand > 0;
}

/* The shards are inside the nodes' wait for the database. */
static void find_stations(struct ste_analysis *analysis)
{
    for (size_t i = 0; i < analysis->stage_count; i++) {
        const struct ste_stage *stage = &analysis->stages[i];
        if (!is_station(stage) || analysis->station_count == STE_STATIONS_MAX)
            continue;
        size_t at = analysis->station_count++;
        double servers = stage->counts.servers;
        analysis->stations[at] =
            (struct ste_station){.stage = stage, .demand = stage->demand, .servers = servers};
        analysis->demands[at] = stage->demand / servers;
        analysis->system.think += stage->demand * (servers - 1) / servers;
    }
    analysis->system.demands = analysis->demands;
    analysis->system.count = analysis->station_count;
}

static void find_ceiling(struct ste_analysis *analysis, double throughput)
{
    analysis->ceiling = INFINITY;
    for (size_t i = 0; i < analysis->stage_count; i++) {
        const struct ste_stage *stage = &analysis->stages[i];
        double use = stage->kind == STE_STAGE_SYSTEM || stage->kind == STE_STAGE_SHARD
                         ? stage->laws.utilisation
                         : stage->cpu_use;
        if (!(use > 0) || throughput / use >= analysis->ceiling)
            continue;
        analysis->ceiling = throughput / use;
        analysis->ceiling_by = stage;
    }
}

/* Others on the machine take processors from the run: what was measured is then not the engine's
 * end. Driver and pool are part of process "bench" where that is sampled. */
static void find_foreign(struct work *work)
{
    struct ste_analysis *analysis = work->analysis;
    const double *busy = ste_growth_of(&work->growth, STE_Q_MACHINE_BUSY, "", "");
    const double *sum[] = {ste_growth_of(&work->growth, STE_Q_PROCESS_CPU, "", ""), NULL, NULL};
    analysis->foreign = NAN;
    if (!busy || !sum[0])
        return;
    if (!ste_growth_of(&work->growth, STE_Q_PROCESS_CPU, "bench", "")) {
        sum[1] = work->driver_cpu;
        sum[2] = ste_growth_of(&work->growth, STE_Q_POOL_CPU, "", "");
    }
    double all = busy[analysis->last] - busy[analysis->first], ours = 0;
    for (size_t i = 0; i < sizeof sum / sizeof sum[0]; i++)
        ours += sum[i] ? sum[i][analysis->last] - sum[i][analysis->first] : 0;
    if (all > 0)
        analysis->foreign = fmax(1 - ours / all, 0);
}

static void check_little(struct ste_analysis *analysis, const struct ste_samples *samples)
{
    const struct ste_stage *system = &analysis->stages[0];
    analysis->residence_s = ste_samples_meta_number(samples, "mean_residence_s", NAN);
    analysis->little_present = system->laws.throughput * analysis->residence_s;
    analysis->little_apart =
        (system->laws.present - analysis->little_present) / analysis->little_present;
}

enum ste_code ste_analyse(const struct ste_samples *samples, double from_s, double to_s,
                          struct ste_arena *arena, struct ste_analysis *ret, struct ste_error *err)
{
    struct ste_analysis *analysis = STE_ARENA_NEW(arena, struct ste_analysis);
    if (!analysis || !(analysis->stages = STE_ARENA_ARRAY(arena, struct ste_stage, STE_STAGES_MAX)))
        return ste_error_set(err, STE_E_NOMEM, "no memory for the analysis");
    struct work work = {.growth = {.samples = samples, .arena = arena}, .analysis = analysis};
    find_times(&work);
    if (work.growth.count < 2)
        return ste_error_set(err, STE_E_ARGUMENT, "fewer than two samples");
    analysis->cores = cores_of(samples);
    find_flows(&work);
    if (!work.entered || !work.cleared)
        return ste_error_set(err, STE_E_ARGUMENT,
                             "neither driver and pool nor the workers of router and node were "
                             "sampled: nothing tells what arrived and what was completed");
    enum ste_code rc = find_window(&work, from_s, to_s, err);
    if (rc != STE_OK)
        return rc;
    ste_stages_measure(&work);
    const struct ste_stage *system = &analysis->stages[0];
    for (size_t i = 0; i < analysis->stage_count; i++)
        apply_laws(&analysis->stages[i], system->counts.completions);
    find_bottlenecks(analysis);
    find_foreign(&work);
    find_stations(analysis);
    find_ceiling(analysis, system->laws.throughput);
    check_little(analysis, samples);
    *ret = *analysis;
    ret->system.demands = analysis->demands; /* in the arena, as all else */
    return STE_OK;
}

const struct ste_stage *ste_analysis_find(const struct ste_analysis *analysis,
                                          enum ste_stage_kind kind, const char *type)
{
    for (size_t i = 0; i < analysis->stage_count; i++) {
        const struct ste_stage *stage = &analysis->stages[i];
        if (stage->kind == kind && strcmp(stage->type, type) == 0 && stage->part == (type[0] != 0))
            return stage;
    }
    return NULL;
}

/* From above the processors are one more limit. From below they are one more station: that counts
 * their work twice, so that the bound holds however the stations share them. */
struct ste_oa_bounds ste_analysis_bounds(const struct ste_analysis *analysis, double n,
                                         bool balanced)
{
    struct ste_oa_bounds (*of)(const struct ste_oa_system *, double) =
        balanced ? ste_oa_balanced : ste_oa_asymptotic;
    double demands[STE_STATIONS_MAX + 1];
    struct ste_oa_system shared = {.demands = demands, .think = analysis->system.think};
    struct ste_oa_bounds bounds = of(&analysis->system, n);
    for (; shared.count < analysis->system.count; shared.count++)
        demands[shared.count] = analysis->system.demands[shared.count];
    demands[shared.count++] = 1 / analysis->ceiling;
    bounds.upper = fmin(bounds.upper, analysis->ceiling);
    bounds.lower = fmin(of(&shared, n).lower, bounds.upper);
    return bounds;
}

double ste_analysis_mva(const struct ste_analysis *analysis, double n)
{
    struct ste_oa_station stations[STE_STATIONS_MAX];
    struct ste_oa_closed closed;
    struct ste_error err;
    for (size_t i = 0; i < analysis->station_count; i++)
        stations[i] = (struct ste_oa_station){.servers = (unsigned)analysis->stations[i].servers,
                                              .demand = analysis->stations[i].demand};
    if (!(n >= 1 && n <= STE_OA_JOBS_MAX) ||
        ste_oa_mva(stations, analysis->station_count, 0, (size_t)n, &closed, NULL, &err) != STE_OK)
        return NAN;
    return fmin(closed.throughput, analysis->ceiling);
}

double ste_stage_rate(const struct ste_analysis *analysis, const struct ste_stage *stage, size_t at)
{
    double step = at > 0 ? analysis->times_s[at] - analysis->times_s[at - 1] : 0;
    return stage->done && step > 0 ? (stage->done[at] - stage->done[at - 1]) / step : NAN;
}
