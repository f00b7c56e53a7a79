/* SPDX-License-Identifier: Apache-2.0
 * Figures of one run over time: the execution graph, the start, the rates, processor time. */
#include <math.h>
#include <string.h>

#include "bench/figure.h"

enum { RATE_BINS = 120 };

struct scene {
    struct ste_figures *figures;
    const struct ste_analysis *analysis;
    const struct ste_samples *samples;
    size_t from, count; /* times that are drawn */
    const double *times;
};

static void put_window(const struct scene *scene, size_t columns, struct ste_buf *values)
{
    ste_buf_printf(values, "columns = %zu\nfrom = %.9g\nto = %.9g\ncores = %g\n", columns,
                   scene->analysis->from_s, scene->analysis->to_s, scene->analysis->cores);
}

static void draw(struct scene *scene, struct ste_figure *figure, const struct ste_columns *wide,
                 const double *x, size_t count, const char *paint)
{
    struct ste_buf csv = {0}, values = {0};
    if (paint[0])
        ste_buf_printf(&values, "paint = \"%s\"\n", paint);
    ste_columns_csv(wide, x, count, &csv);
    put_window(scene, wide->count + 1, &values);
    ste_figure_draw(scene->figures, figure, &csv, &values);
}

/* `values` at the times drawn; NULL stays NULL. */
static const double *shown(const struct scene *scene, const double *values)
{
    return values ? values + scene->from : NULL;
}

static void execution_graph(struct scene *scene)
{
    struct ste_figures *f = scene->figures;
    const struct ste_analysis *a = scene->analysis;
    struct ste_figure *figure = ste_figure_add(
        f, "execution", "Execution graph",
        "Arrivals lift a line, completions lower it; the area under it over the time is the mean "
        "number present, N = W/T.");
    const struct ste_stage *system = ste_analysis_find(a, STE_STAGE_SYSTEM, "");
    struct ste_columns wide = {.x_title = "time_s"};
    const struct ste_stage *longest = NULL;
    ste_columns_add(&wide, "whole system", shown(scene, system->present));
    for (size_t i = 0; i < a->stage_count; i++) {
        const struct ste_stage *stage = &a->stages[i];
        bool router = stage->kind == STE_STAGE_ROUTER && !stage->part;
        bool node_type = stage->kind == STE_STAGE_NODE && stage->type[0];
        if ((!router && !node_type) || !stage->present)
            continue;
        ste_columns_add(&wide, router ? "router" : ste_figure_say(f, "node %s", stage->type),
                        shown(scene, stage->present));
        if (!longest || stage->laws.present > longest->laws.present)
            longest = stage;
    }
    if (!system->present || wide.count < 2) {
        figure->missing = "neither router nor nodes were sampled";
        return;
    }
    double most = 0, at_s = 0;
    for (size_t i = a->first; i <= a->last; i++) {
        if (system->present[i] <= most)
            continue;
        most = system->present[i];
        at_s = a->times_s[i] - a->from_s;
    }
    figure->sentence = ste_figure_say(
        f,
        "At most %s messages were in the system, %s after the start; on average %s. The longest "
        "queue was before %s%s%s: %s on average, %s of all.",
        ste_say_number(f, most), ste_say_seconds(f, at_s), ste_say_number(f, system->laws.present),
        longest->kind == STE_STAGE_ROUTER ? "the router" : "the nodes",
        longest->type[0] ? " as " : "", longest->type, ste_say_number(f, longest->laws.present),
        ste_say_percent(f, longest->laws.present / system->laws.present));
    draw(scene, figure, &wide, scene->times, scene->count, "");
}

/* The first time at which `values` has reached `level`; NAN: never. */
static double when(const struct ste_analysis *a, const double *values, double level)
{
    for (size_t i = a->first; values && i <= a->last; i++)
        if (values[i] >= level)
            return a->times_s[i];
    return NAN;
}

static const struct ste_stage *stage_of(const struct ste_analysis *a, enum ste_stage_kind kind)
{
    return ste_analysis_find(a, kind, "");
}

/* Where messages are counted on their way, and how many have passed there since the first sample,
 * at each time; NULL: not known. */
enum { CONFIRMED, ROUTED, COMMITTED, CLEARED, PLACES };
static const char *const place_titles[PLACES] = {"confirmed to the driver", "routed", "committed",
                                                 "cleared"};
static void passed_of(const struct ste_analysis *a, const double *ret[static PLACES])
{
    const struct ste_stage *system = stage_of(a, STE_STAGE_SYSTEM);
    const struct ste_stage *router = stage_of(a, STE_STAGE_ROUTER);
    const struct ste_stage *node = stage_of(a, STE_STAGE_NODE);
    ret[CONFIRMED] = system->arrived;
    ret[ROUTED] = router ? router->done : NULL;
    ret[COMMITTED] = node ? node->done : NULL;
    ret[CLEARED] = system->done;
}

static void driver_lag(struct scene *scene)
{
    struct ste_figures *f = scene->figures;
    const struct ste_analysis *a = scene->analysis;
    struct ste_figure *figure =
        ste_figure_add(f, "lag", "Driver lag at the start",
                       "The distance upwards between two lines is the number of messages between "
                       "two stages, the distance sideways how long one waits there.");
    const struct ste_stage *system = stage_of(a, STE_STAGE_SYSTEM);
    const double *passed[PLACES];
    passed_of(a, passed);
    if (!stage_of(a, STE_STAGE_DRIVER) || !passed[ROUTED] || !passed[COMMITTED]) {
        figure->missing = "the samples lack the driver, the router or the nodes";
        return;
    }
    size_t all = a->last - a->first + 1, count = all / 5 > 12 ? all / 5 : all < 12 ? all : 12;
    double *x = ste_figure_doubles(f, all);
    for (size_t i = 0; x && i < count; i++)
        x[i] = a->times_s[a->first + i] - a->from_s;
    struct ste_columns wide = {.x_title = "time_s"};
    for (size_t i = 0; i < PLACES; i++)
        ste_columns_add(&wide, place_titles[i], shown(scene, passed[i]));
    double first = when(a, system->arrived, 1),
           cleared = when(a, system->done, system->done[a->first] + 1);
    double sent = when(a, system->arrived, system->arrived[a->last]);
    double ahead = 0;
    for (size_t i = a->first; i <= a->last; i++)
        if (a->times_s[i] == sent)
            ahead = system->arrived[i] - system->done[i];
    figure->sentence = ste_figure_say(
        f,
        "The first message was cleared %s after the first was confirmed (to within an interval of "
        "%s). The driver had its last confirm %s after its start; %s messages, %s of all, were "
        "then still to be cleared.",
        ste_say_seconds(f, cleared - first), ste_say_seconds(f, a->interval_s),
        ste_say_seconds(f, sent - a->from_s), ste_say_number(f, ahead),
        ste_say_percent(f, ahead / system->arrived[a->last]));
    if (x)
        draw(scene, figure, &wide, x, count, "");
}

struct bins {
    size_t count;
    double *times;      /* middles */
    size_t first, each; /* bin i is from times_s[first + i × each] to that of the next */
};

/* The window in at most RATE_BINS pieces of whole intervals. */
static struct bins bins_of(const struct scene *scene)
{
    const struct ste_analysis *a = scene->analysis;
    size_t intervals = a->last - a->first, each = (intervals + RATE_BINS - 1) / RATE_BINS;
    struct bins bins = {.count = intervals / each, .first = a->first, .each = each};
    bins.times = ste_figure_doubles(scene->figures, bins.count);
    if (!bins.times)
        return (struct bins){0};
    for (size_t i = 0; i < bins.count; i++) {
        size_t from = bins.first + i * each;
        bins.times[i] = (a->times_s[from] + a->times_s[from + each]) / 2;
    }
    return bins;
}

/* Growth a second in each bin, times `factor`. */
static double *slopes(const struct scene *scene, const struct bins *bins, const double *grown,
                      double factor)
{
    double *rates = grown ? ste_figure_doubles(scene->figures, bins->count) : NULL;
    for (size_t i = 0; rates && i < bins->count; i++) {
        size_t from = bins->first + i * bins->each, to = from + bins->each;
        rates[i] = factor * (grown[to] - grown[from]) /
                   (scene->analysis->times_s[to] - scene->analysis->times_s[from]);
    }
    return rates;
}

static void rates_over_time(struct scene *scene)
{
    struct ste_figures *f = scene->figures;
    const struct ste_analysis *a = scene->analysis;
    struct ste_figure *figure =
        ste_figure_add(f, "rate", "Rate over time",
                       "Throughput X = C/T of each interval. Where one line runs above the next, "
                       "a queue grows between the two.");
    const struct ste_stage *system = stage_of(a, STE_STAGE_SYSTEM);
    const double *passed[PLACES], *rates[PLACES];
    struct bins bins = bins_of(scene);
    if (bins.count < 2) {
        figure->missing = "fewer than three samples while messages moved";
        return;
    }
    struct ste_columns wide = {.x_title = "time_s"};
    passed_of(a, passed);
    for (size_t i = 0; i < PLACES; i++) {
        rates[i] = slopes(scene, &bins, passed[i], 1);
        ste_columns_add(&wide, place_titles[i], rates[i]);
    }
    size_t skip = bins.count / 10, middle = bins.count - 2 * skip;
    double *ordered = ste_figure_doubles(f, middle);
    if (ordered && rates[CLEARED]) {
        memcpy(ordered, rates[CLEARED] + skip, middle * sizeof *ordered);
        double median = ste_median(ordered, middle);
        figure->sentence = ste_figure_say(
            f,
            "Over the whole run %s messages a second were cleared. Without the first and last "
            "tenth of the time the median is %s, from %s to %s.",
            ste_say_number(f, system->laws.throughput), ste_say_number(f, median),
            ste_say_number(f, ordered[0]), ste_say_number(f, ordered[middle - 1]));
    }
    draw(scene, figure, &wide, bins.times, bins.count, "");
}

static void node_processors(struct scene *scene)
{
    struct ste_figures *f = scene->figures;
    const struct ste_analysis *a = scene->analysis;
    struct ste_figure *figure = ste_figure_add(
        f, "node_cpu", "Processor time of a node",
        "Processor time in each interval, as a share of one processor; a node with several "
        "workers may use more than one. A flat line is a steady run.");
    struct ste_growth growth = {scene->samples, a->times_s, a->time_count, f->arena};
    struct bins bins = bins_of(scene);
    struct ste_columns wide = {.x_title = "time_s"};
    double sum = 0;
    size_t nodes = 0;
    for (size_t i = 0; i < a->stage_count && bins.count >= 2; i++) {
        const struct ste_stage *stage = &a->stages[i];
        if (stage->kind != STE_STAGE_NODE || !stage->part || stage->type[0])
            continue;
        const double *cpu = ste_growth_of(&growth, STE_Q_PROCESS_CPU, stage->name, "");
        if (!cpu)
            continue;
        ste_columns_add(&wide, stage->name, slopes(scene, &bins, cpu, 100));
        sum += cpu[a->last] - cpu[a->first];
        nodes++;
    }
    if (nodes == 0) {
        figure->missing = "no node's processor time was sampled";
        return;
    }
    const struct ste_stage *node = stage_of(a, STE_STAGE_NODE);
    const double *waits = ste_growth_of(&growth, STE_Q_WORKER_DATABASE, "node", "");
    double seconds = a->to_s - a->from_s;
    figure->sentence = ste_figure_say(
        f, "A node used %s of one processor on average.%s%s",
        ste_say_percent(f, sum / seconds / (double)nodes),
        waits && node
            ? ste_figure_say(f, " Its workers waited for the database in %s of their time.",
                             ste_say_percent(f, (waits[a->last] - waits[a->first]) /
                                                    (seconds * node->counts.servers)))
            : "",
        nodes > wide.count
            ? ste_figure_say(f, " The first %zu of %zu are drawn.", wide.count, nodes)
            : "");
    draw(scene, figure, &wide, bins.times, bins.count, "");
}

/* Each line is the sum of those before it, so that the areas lie on each other. */
static void stack(struct ste_columns *wide, struct ste_figures *f, const char *title,
                  const double *add, size_t count)
{
    double *sum = add ? ste_figure_doubles(f, count) : NULL;
    const double *below = wide->count > 0 ? wide->series[wide->count - 1].values : NULL;
    for (size_t i = 0; sum && i < count; i++)
        sum[i] = fmax(add[i], 0) + (below ? below[i] : 0);
    ste_columns_add(wide, title, sum);
}

static void machine_processors(struct scene *scene)
{
    struct ste_figures *f = scene->figures;
    const struct ste_analysis *a = scene->analysis;
    struct ste_figure *figure =
        ste_figure_add(f, "cpu", "Processor time of each process",
                       "Areas lie on each other. Where their top reaches the dashed line, the "
                       "machine has no processor left.");
    struct ste_growth growth = {scene->samples, a->times_s, a->time_count, f->arena};
    static const struct {
        const char *title, *name;
        enum ste_quantity quantity;
        enum ste_stage_kind kind;
    } parts[] = {
        {"driver", "", STE_Q_DRIVER_CPU, STE_STAGE_DRIVER},
        {"pool", "", STE_Q_POOL_CPU, STE_STAGE_POOL},
        {"routers", "router", STE_Q_PROCESS_CPU, STE_STAGE_ROUTER},
        {"nodes", "node", STE_Q_PROCESS_CPU, STE_STAGE_NODE},
        {"broker", "broker", STE_Q_PROCESS_CPU, STE_STAGE_BROKER},
        {"shards", "shard", STE_Q_PROCESS_CPU, STE_STAGE_SHARD},
    };
    struct bins bins = bins_of(scene);
    struct ste_columns wide = {.x_title = "time_s"};
    const char *largest = "", *paint = "";
    double most = 0, sum = 0;
    for (size_t i = 0; i < sizeof parts / sizeof parts[0] && bins.count >= 2; i++) {
        const double *cpu = ste_growth_of(&growth, parts[i].quantity, parts[i].name, "");
        stack(&wide, f, parts[i].title, slopes(scene, &bins, cpu, 1), bins.count);
        if (cpu)
            paint = ste_figure_say(f, "%s%s ", paint, ste_stage_colour(parts[i].kind));
        double used = cpu ? cpu[a->last] - cpu[a->first] : 0;
        sum += used;
        if (used <= most)
            continue;
        most = used;
        largest = parts[i].title;
    }
    if (wide.count == 0) {
        figure->missing = "no processor time was sampled";
        return;
    }
    const double *busy = ste_growth_of(&growth, STE_Q_MACHINE_BUSY, "", "");
    double *machine = slopes(scene, &bins, busy, 1);
    for (size_t i = 0; machine && i < bins.count; i++)
        machine[i] -= wide.series[wide.count - 1].values[i];
    stack(&wide, f, "all else", machine, bins.count);
    paint = ste_figure_say(f, "%s%s", paint, ste_stage_colour(STE_STAGE_SYSTEM));
    double all = busy ? busy[a->last] - busy[a->first] : sum;
    figure->sentence = ste_figure_say(
        f,
        "%s of %g processors were in use on average (%s). The largest part of what was "
        "sampled is that of the %s: %s. %s went to what was not.",
        ste_say_number(f, all / (a->to_s - a->from_s)), a->cores,
        ste_say_percent(f, all / (a->to_s - a->from_s) / a->cores), largest,
        ste_say_percent(f, most / all),
        isfinite(a->foreign) ? ste_say_percent(f, a->foreign) : "An unknown part");
    draw(scene, figure, &wide, bins.times, bins.count, paint);
}

void ste_figures_run(struct ste_figures *figures, const struct ste_analysis *analysis,
                     const struct ste_samples *samples)
{
    struct scene scene = {.figures = figures,
                          .analysis = analysis,
                          .samples = samples,
                          .from = analysis->first,
                          .count = analysis->last - analysis->first + 1,
                          .times = analysis->times_s + analysis->first};
    execution_graph(&scene);
    driver_lag(&scene);
    rates_over_time(&scene);
    node_processors(&scene);
    machine_processors(&scene);
}
