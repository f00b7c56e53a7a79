/* SPDX-License-Identifier: Apache-2.0
 * The stages: what of the samples is theirs. What follows for the system is in analysis_system.c.
 */
#include "bench/analysis.h"

#include <math.h>
#include <string.h>

#include "bench/analysis_internal.h"

const char ste_stage_type_names[STE_STAGE_TYPE_COUNT][4] = {"NOE", "ALB", "NPR", "SET", "EXC"};

static const double *sum_of(struct work *work, const double *a, const double *b)
{
    if (!a || !b)
        return a ? a : b;
    double *sum = STE_ARENA_ARRAY(work->growth.arena, double, work->growth.count);
    for (size_t i = 0; sum && i < work->growth.count; i++)
        sum[i] = a[i] + b[i];
    return sum;
}

/* Arrived - done. Sources are read one after the other, so that completions may run ahead by what
 * is done meanwhile; more than that was there before the first sample. */
static const double *present_of(struct work *work, const double *arrived, const double *done)
{
    size_t count = work->growth.count;
    if (!arrived || !done)
        return NULL;
    double *present = STE_ARENA_ARRAY(work->growth.arena, double, count);
    if (!present)
        return NULL;
    double least = 0, fastest = 0;
    for (size_t i = 0; i < count; i++) {
        present[i] = arrived[i] - done[i];
        least = fmin(least, present[i]);
        fastest = fmax(fastest, i > 0 ? done[i] - done[i - 1] : 0);
    }
    double before = -least > fastest / 2 ? -least : 0;
    for (size_t i = 0; i < count; i++)
        present[i] = fmax(present[i] + before, 0);
    return present;
}

static struct ste_stage *add_stage(struct work *work, enum ste_stage_kind kind, const char *name,
                                   const char *type, bool part)
{
    struct ste_analysis *analysis = work->analysis;
    if (analysis->stage_count == STE_STAGES_MAX)
        return NULL;
    struct ste_stage *stage = &analysis->stages[analysis->stage_count++];
    *stage = (struct ste_stage){.kind = kind, .unit = "messages", .part = part};
    memcpy(stage->name, name, strnlen(name, sizeof stage->name - 1));
    memcpy(stage->type, type, strnlen(type, sizeof stage->type - 1));
    stage->counts = (struct ste_oa_counts){
        .arrivals = NAN, .completions = NAN, .busy = NAN, .waiting = NAN, .servers = 1};
    stage->processors = stage->cpu_use = NAN;
    return stage;
}

static double in_window(const struct work *work, const double *grown)
{
    return grown ? grown[work->analysis->last] - grown[work->analysis->first] : NAN;
}

static void measure(struct work *work, struct ste_stage *stage, const double *arrived,
                    const double *done, const double *busy, const double *present)
{
    const struct ste_analysis *analysis = work->analysis;
    size_t samples = analysis->last - analysis->first + 1;
    stage->arrived = arrived;
    stage->done = done;
    stage->present = present;
    stage->counts.seconds = analysis->to_s - analysis->from_s;
    stage->counts.arrivals = in_window(work, arrived);
    stage->counts.completions = in_window(work, done);
    stage->counts.busy = in_window(work, busy);
    if (present)
        stage->counts.waiting =
            ste_oa_area(analysis->times_s + analysis->first, present + analysis->first, samples);
}

/* Worker threads of a process or of all: at least 1. */
static double workers_of(const struct work *work, const char *name)
{
    double count = 0;
    for (size_t i = 0; i < work->growth.samples->series_count; i++) {
        const struct ste_series *series = &work->growth.samples->series[i];
        if (series->quantity == STE_Q_WORKER_BUSY && ste_name_fits(series->name, name))
            count++;
    }
    return fmax(count, 1);
}

/* Thread CPU and the wait for the database. */
static const double *worked(struct work *work, const char *name)
{
    const double *cpu = ste_growth_of(&work->growth, STE_Q_WORKER_BUSY, name, "");
    const double *wait = ste_growth_of(&work->growth, STE_Q_WORKER_DATABASE, name, "");
    const double *both = sum_of(work, cpu, wait);
    return both ? both : ste_growth_of(&work->growth, STE_Q_STAGE_BUSY, name, "");
}

static const double *counted(struct work *work, enum ste_quantity worker, enum ste_quantity stage,
                             const char *name)
{
    const double *grown = ste_growth_of(&work->growth, worker, name, "");
    return grown ? grown : ste_growth_of(&work->growth, stage, name, "");
}

/* Processors that one process of this kind may use: its share where the run says so. */
static double processors(const struct work *work, const char *meta)
{
    double share = ste_samples_meta_number(work->growth.samples, meta, 0);
    return share > 0 ? fmin(share, work->analysis->cores) : work->analysis->cores;
}

static void measure_cpu(struct work *work, struct ste_stage *stage, double count)
{
    const char *meta = stage->kind == STE_STAGE_ROUTER ? "router_cpu_share" : "node_cpu_share";
    const double *cpu = ste_growth_of(&work->growth, STE_Q_PROCESS_CPU, stage->name, "");
    stage->processors = fmin(count * processors(work, meta), work->analysis->cores);
    stage->cpu_use = in_window(work, cpu) / (stage->processors * stage->counts.seconds);
}

static void add_process(struct work *work, enum ste_stage_kind kind, const char *name)
{
    struct ste_stage *stage = add_stage(work, kind, name, "", true);
    if (!stage)
        return;
    const double *taken = counted(work, STE_Q_WORKER_ARRIVALS, STE_Q_STAGE_ARRIVALS, name);
    const double *done = counted(work, STE_Q_WORKER_COMPLETIONS, STE_Q_STAGE_COMPLETIONS, name);
    stage->counts.servers = workers_of(work, name);
    measure(work, stage, taken, done, worked(work, name), present_of(work, taken, done));
    measure_cpu(work, stage, 1);
}

/* Calls `add_one` once for each name of the quantity that fits `base`, without what follows a "/".
 * Returns how many; 1 at least. */
static size_t each_name(struct work *work, enum ste_quantity quantity, const char *base,
                        enum ste_stage_kind kind,
                        void (*add_one)(struct work *, enum ste_stage_kind, const char *))
{
    const struct ste_samples *samples = work->growth.samples;
    size_t before = work->analysis->stage_count;
    for (size_t i = 0; i < samples->series_count; i++) {
        char name[STE_SAMPLES_NAME_BYTES];
        if (samples->series[i].quantity != quantity ||
            !ste_name_fits(samples->series[i].name, base))
            continue;
        (void)snprintf(name, sizeof name, "%s", samples->series[i].name);
        name[strcspn(name, "/")] = '\0';
        bool known = false;
        for (size_t s = before; s < work->analysis->stage_count; s++)
            known = known || strcmp(work->analysis->stages[s].name, name) == 0;
        if (!known)
            add_one(work, kind, name);
    }
    size_t added = work->analysis->stage_count - before;
    return added > 0 ? added : 1;
}

static void add_routers(struct work *work)
{
    struct ste_growth *growth = &work->growth;
    const double *done = counted(work, STE_Q_WORKER_COMPLETIONS, STE_Q_STAGE_COMPLETIONS, "router");
    if (!done)
        return;
    const double *taken = counted(work, STE_Q_WORKER_ARRIVALS, STE_Q_STAGE_ARRIVALS, "router");
    const double *arrived = work->confirmed ? work->confirmed : taken;
    struct ste_stage *all = add_stage(work, STE_STAGE_ROUTER, "router", "", false);
    if (all) {
        all->counts.servers = workers_of(work, "router");
        measure(work, all, arrived, done, worked(work, "router"),
                work->confirmed ? present_of(work, arrived, done) : work->router_present);
    }
    for (size_t t = 0; t < STE_STAGE_TYPE_COUNT; t++) {
        const char *type = ste_stage_type_names[t];
        const double *in = ste_growth_of(growth, STE_Q_STAGE_ARRIVALS, "router", type);
        const double *out = ste_growth_of(growth, STE_Q_STAGE_COMPLETIONS, "router", type);
        struct ste_stage *stage =
            out ? add_stage(work, STE_STAGE_ROUTER, "router", type, true) : NULL;
        if (!stage)
            continue;
        stage->counts.servers = workers_of(work, "router");
        measure(work, stage, in, out, ste_growth_of(growth, STE_Q_STAGE_BUSY, "router", type),
                present_of(work, in, out));
    }
    size_t count =
        each_name(work, STE_Q_WORKER_COMPLETIONS, "router", STE_STAGE_ROUTER, add_process);
    if (all)
        measure_cpu(work, all, (double)count);
}

static void add_nodes(struct work *work)
{
    struct ste_growth *growth = &work->growth;
    const double *done = counted(work, STE_Q_WORKER_COMPLETIONS, STE_Q_STAGE_COMPLETIONS, "node");
    if (!done)
        return;
    const double *routed =
        counted(work, STE_Q_WORKER_COMPLETIONS, STE_Q_STAGE_COMPLETIONS, "router");
    if (!routed)
        routed = counted(work, STE_Q_WORKER_ARRIVALS, STE_Q_STAGE_ARRIVALS, "node");
    struct ste_stage *all = add_stage(work, STE_STAGE_NODE, "node", "", false);
    if (all) {
        all->counts.servers = workers_of(work, "node");
        measure(work, all, routed, done, worked(work, "node"), present_of(work, routed, done));
    }
    for (size_t t = 0; t < STE_STAGE_TYPE_COUNT; t++) {
        const char *type = ste_stage_type_names[t];
        const double *in = ste_growth_of(growth, STE_Q_STAGE_COMPLETIONS, "router", type);
        const double *out = ste_growth_of(growth, STE_Q_STAGE_COMPLETIONS, "node", type);
        if (!in)
            in = ste_growth_of(growth, STE_Q_STAGE_ARRIVALS, "node", type);
        struct ste_stage *stage = out ? add_stage(work, STE_STAGE_NODE, "node", type, true) : NULL;
        if (!stage)
            continue;
        stage->counts.servers = workers_of(work, "node");
        measure(work, stage, in, out, ste_growth_of(growth, STE_Q_STAGE_BUSY, "node", type),
                present_of(work, in, out));
    }
    size_t count = each_name(work, STE_Q_WORKER_COMPLETIONS, "node", STE_STAGE_NODE, add_process);
    if (all)
        measure_cpu(work, all, (double)count);
}

static void add_shard(struct work *work, enum ste_stage_kind kind, const char *name)
{
    struct ste_growth *growth = &work->growth;
    struct ste_stage *stage = add_stage(work, kind, name, "", true);
    if (!stage)
        return;
    const double *done = ste_growth_of(growth, STE_Q_SHARD_MESSAGES, name, "");
    stage->counts.servers = processors(work, "shard_cpu_share");
    measure(work, stage, NULL, done, ste_growth_of(growth, STE_Q_PROCESS_CPU, name, ""), NULL);
}

/* Messages that workers have at the database: their time in its calls, times the records that a
 * transaction holds, between each sample and the next. */
static double *at_shards(struct work *work)
{
    struct ste_growth *growth = &work->growth;
    const double *times = growth->times;
    const double *waited = ste_growth_of(growth, STE_Q_WORKER_DATABASE, "node", "");
    const double *batches = ste_growth_of(growth, STE_Q_WORKER_BATCHES, "node", "");
    const double *done = ste_growth_of(growth, STE_Q_WORKER_COMPLETIONS, "node", "");
    double *const present =
        waited && batches && done ? STE_ARENA_ARRAY(growth->arena, double, growth->count) : NULL;
    for (size_t i = 0; present && i < growth->count; i++) {
        const bool more = i + 1 < growth->count && batches[i + 1] > batches[i];
        present[i] = more ? (waited[i + 1] - waited[i]) / (times[i + 1] - times[i]) *
                                (done[i + 1] - done[i]) / (batches[i + 1] - batches[i])
                          : 0;
    }
    return present;
}

static void add_shards(struct work *work)
{
    const double *done = ste_growth_of(&work->growth, STE_Q_SHARD_MESSAGES, "shard", "");
    const double *cpu = ste_growth_of(&work->growth, STE_Q_PROCESS_CPU, "shard", "");
    if (!done && !cpu)
        return;
    struct ste_stage *all = add_stage(work, STE_STAGE_SHARD, "shard", "", false);
    size_t count = each_name(work, STE_Q_PROCESS_CPU, "shard", STE_STAGE_SHARD, add_shard);
    if (!all)
        return;
    all->counts.servers =
        fmin((double)count * processors(work, "shard_cpu_share"), work->analysis->cores);
    measure(work, all, counted(work, STE_Q_WORKER_ARRIVALS, STE_Q_STAGE_ARRIVALS, "node"), done,
            cpu, at_shards(work));
}

static void add_driver(struct work *work)
{
    const double *sent = ste_growth_of(&work->growth, STE_Q_DRIVER_SENT, "", "");
    if (!work->confirmed)
        return;
    struct ste_stage *stage = add_stage(work, STE_STAGE_DRIVER, "driver", "", false);
    if (!stage)
        return;
    stage->counts.servers = fmax(ste_samples_meta_number(work->growth.samples, "drivers", 1), 1);
    measure(work, stage, sent, work->confirmed, work->driver_cpu,
            present_of(work, sent, work->confirmed));
}

/* The pool's unit is the CLS; what waits for it stands in ste.cls. */
static void add_pool(struct work *work)
{
    struct ste_growth *growth = &work->growth;
    const double *taken = ste_growth_of(growth, STE_Q_POOL_CLS, "", "");
    if (!taken)
        return;
    struct ste_stage *stage = add_stage(work, STE_STAGE_POOL, "pool", "", false);
    double *waiting = ste_gauge_of(work, STE_Q_QUEUE_READY, "ste.cls", 1);
    double *arrived = waiting ? STE_ARENA_ARRAY(growth->arena, double, growth->count) : NULL;
    for (size_t i = 0; arrived && i < growth->count; i++)
        arrived[i] = taken[i] + waiting[i] - waiting[0];
    if (!stage)
        return;
    stage->unit = "CLS";
    measure(work, stage, arrived, taken, ste_growth_of(growth, STE_Q_POOL_CPU, "", ""), waiting);
}

static void add_broker(struct work *work)
{
    const double *cpu = ste_growth_of(&work->growth, STE_Q_PROCESS_CPU, "broker", "");
    struct ste_stage *stage = cpu ? add_stage(work, STE_STAGE_BROKER, "broker", "", false) : NULL;
    if (!stage)
        return;
    stage->counts.servers = work->analysis->cores;
    measure(work, stage, NULL, work->cleared, cpu, NULL);
}

void ste_stages_measure(struct work *work)
{
    struct ste_stage *system = add_stage(work, STE_STAGE_SYSTEM, "system", "", false);
    if (system) {
        system->counts.servers = work->analysis->cores;
        measure(work, system, work->entered, work->cleared,
                ste_growth_of(&work->growth, STE_Q_MACHINE_BUSY, "", ""),
                present_of(work, work->entered, work->cleared));
    }
    add_driver(work);
    add_routers(work);
    add_nodes(work);
    add_shards(work);
    add_broker(work);
    add_pool(work);
}
