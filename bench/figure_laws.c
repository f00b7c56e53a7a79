/* SPDX-License-Identifier: Apache-2.0
 * Figures of the laws: Little's, the bounds, each component's curve and the area between them. */
#include <math.h>

#include "bench/figure.h"

enum { CURVE_POINTS = 240 };

struct runs {
    const struct ste_analysis *const *items;
    size_t count;
};

/* A second block: one point a run, (N, X) or (X, R in ms). */
static void put_measured(const struct runs *runs, bool response, struct ste_buf *csv)
{
    ste_buf_append_cstr(csv, "\n\n");
    for (size_t i = 0; i < runs->count; i++) {
        const struct ste_oa_laws *laws = &runs->items[i]->stages[0].laws;
        ste_csv_number(csv, response ? laws->throughput : fmax(laws->present, 1), ',');
        ste_csv_number(csv, response ? fmax(1e3 * laws->response, 1e-3) : laws->throughput, '\n');
    }
}

static const char *others(struct ste_figures *f, const struct runs *runs)
{
    return runs->count == 1 ? ""
                            : ste_figure_say(f,
                                             " All %zu runs are drawn; curves and figures are "
                                             "those of the first.",
                                             runs->count);
}

static void little(struct ste_figures *f, const struct ste_analysis *a)
{
    struct ste_figure *figure = ste_figure_add(
        f, "little", "Little's law, generalised and measured",
        "N = X·R: on a dotted line every point has the same response time R. A point is one "
        "interval of the run; the higher it stands above its neighbours, the longer messages "
        "waited.");
    const struct ste_stage *system = ste_analysis_find(a, STE_STAGE_SYSTEM, "");
    const struct ste_stage *stages[] = {system, ste_analysis_find(a, STE_STAGE_ROUTER, ""),
                                        ste_analysis_find(a, STE_STAGE_NODE, "")};
    struct ste_buf csv = {0}, values = {0};
    double x_most = 0, n_most = 10;
    if (!system->present || a->last - a->first < 3) {
        figure->missing = "fewer than four samples while messages moved";
        return;
    }
    ste_buf_append_cstr(&csv, "x,n,router_x,router_n,node_x,node_n\n");
    size_t each = (a->last - a->first + 399) / 400;
    for (size_t i = a->first + each; i <= a->last; i += each) {
        for (size_t s = 0; s < sizeof stages / sizeof stages[0]; s++) {
            double x = stages[s] ? ste_stage_rate(a, stages[s], i) : NAN;
            double n = stages[s] && stages[s]->present ? stages[s]->present[i] : NAN;
            bool drawn = x > 0 && n >= 1;
            ste_csv_number(&csv, drawn ? x : NAN, ',');
            ste_csv_number(&csv, drawn ? n : NAN, s == 2 ? '\n' : ',');
            x_most = drawn ? fmax(x_most, x) : x_most;
            n_most = drawn ? fmax(n_most, n) : n_most;
        }
    }
    ste_buf_printf(&values,
                   "x_most = %.9g\nn_least = 1\nn_most = %.9g\nx_mean = %.9g\n"
                   "n_mean = %.9g\n",
                   1.1 * x_most, 3 * n_most, system->laws.throughput, system->laws.present);
    figure->sentence = ste_figure_say(
        f, "Over the whole run N = %s, X = %s/s, so R = N/X = %s.%s",
        ste_say_number(f, system->laws.present), ste_say_number(f, system->laws.throughput),
        ste_say_seconds(f, system->laws.response),
        isfinite(a->residence_s)
            ? ste_figure_say(f,
                             " Driver and pool measured a mean residence of %s; X times that is "
                             "%s messages, and the counted N is %s apart.",
                             ste_say_seconds(f, a->residence_s),
                             ste_say_number(f, a->little_present),
                             ste_say_percent(f, fabs(a->little_apart)))
            : " The mean residence was not measured beside it, so the law is not checked here.");
    if (x_most > 0) {
        ste_figure_draw(f, figure, &csv, &values);
        return;
    }
    figure->missing = "no interval had messages present";
    ste_buf_deinit(&csv);
    ste_buf_deinit(&values);
}

/* What ends the throughput: a station, or processors. */
static const char *limit_of(const struct ste_analysis *a)
{
    if (1 / ste_oa_demand_max(&a->system) < a->ceiling)
        return a->stations[ste_oa_bottleneck(&a->system)].stage->name;
    return a->ceiling_by->kind == STE_STAGE_SYSTEM ? "machine's processors" : a->ceiling_by->name;
}

static void bounds(struct ste_figures *f, const struct runs *runs)
{
    const struct ste_analysis *a = runs->items[0];
    struct ste_figure *figure = ste_figure_add(
        f, "bounds", "Bounds on throughput",
        "With few messages the sum of all demands bounds the rate, with many the slowest station "
        "does; both meet at the knee N* = (D+Z)/Dmax. Demands are those at this run's batches.");
    const struct ste_stage *system = ste_analysis_find(a, STE_STAGE_SYSTEM, "");
    if (a->station_count == 0 || !isfinite(system->laws.present)) {
        figure->missing = "no station's busy time was sampled";
        return;
    }
    double knee = ste_oa_knee(&a->system), n_mean = fmax(system->laws.present, 1);
    double n_end = fmax(n_mean, 4 * knee), x_end = system->laws.throughput;
    for (size_t i = 0; i < runs->count; i++) {
        n_end = fmax(n_end, runs->items[i]->stages[0].laws.present);
        x_end = fmax(x_end, runs->items[i]->stages[0].laws.throughput);
    }
    n_end *= 3;
    struct ste_buf csv = {0}, values = {0};
    ste_buf_append_cstr(&csv,
                        "n,asymptotic_lower,asymptotic_upper,balanced_lower,balanced_upper,mva\n");
    for (size_t i = 0; i <= CURVE_POINTS; i++) {
        double n = pow(n_end, (double)i / CURVE_POINTS);
        struct ste_oa_bounds wide = ste_analysis_bounds(a, n, false);
        struct ste_oa_bounds narrow = ste_analysis_bounds(a, n, true);
        ste_csv_number(&csv, n, ',');
        ste_csv_number(&csv, wide.lower, ',');
        ste_csv_number(&csv, wide.upper, ',');
        ste_csv_number(&csv, narrow.lower, ',');
        ste_csv_number(&csv, narrow.upper, ',');
        ste_csv_number(&csv, ste_analysis_mva(a, round(n)), '\n');
        x_end = fmax(x_end, wide.upper);
    }
    put_measured(runs, false, &csv);
    struct ste_oa_bounds end = ste_analysis_bounds(a, n_mean, true);
    ste_buf_printf(&values, "knee = %.9g\nn_end = %.9g\nx_end = %.9g\n", fmax(knee, 1), n_end,
                   1.12 * x_end);
    figure->sentence = ste_figure_say(
        f,
        "The knee lies at %s messages; %s were there on average. At most %s messages a second are "
        "possible with these demands, limited by the %s; %s were measured, %s of that.%s",
        ste_say_number(f, knee), ste_say_number(f, n_mean), ste_say_number(f, end.upper),
        limit_of(a), ste_say_number(f, system->laws.throughput),
        ste_say_percent(f, system->laws.throughput / end.upper), others(f, runs));
    ste_figure_draw(f, figure, &csv, &values);
}

/* R of a station with m servers at throughput x, for one message of the system: the delay, and an
 * open queue of one fast server (oa/laws.h, M/M/1). */
static double station_response(double demand, double servers, double x)
{
    double fast = demand / servers;
    return demand - fast + ste_oa_mm1_response(fast, x * fast);
}

/* The processors that set the ceiling, as a station: where there is work for all of them. */
struct shared {
    double servers, demand;
};
static struct shared shared_of(const struct ste_analysis *a)
{
    const struct ste_stage *by = a->ceiling_by;
    if (!by || !isfinite(a->ceiling))
        return (struct shared){0};
    bool own = by->kind == STE_STAGE_SYSTEM || by->kind == STE_STAGE_SHARD;
    double servers = fmax(own ? by->counts.servers : by->processors, 1);
    return (struct shared){.servers = servers, .demand = servers / a->ceiling};
}

struct curves {
    double x_end, wall;       /* to where it is drawn; where the first station ends */
    double r_least, r_most;   /* ms */
    double x_mean, r_mean_ms; /* the highest measured */
    struct ste_buf each, area;
};

static void put_headings(const struct ste_analysis *a, const struct shared *shared,
                         struct curves *curves)
{
    ste_buf_append_cstr(&curves->each, "x");
    for (size_t s = 0; s < a->station_count; s++)
        ste_buf_printf(&curves->each, ",%s", a->stations[s].stage->name);
    if (shared->servers > 0 && a->ceiling_by->kind == STE_STAGE_SYSTEM)
        ste_buf_append_cstr(&curves->each, ",machine: all work on it");
    else if (shared->servers > 0)
        ste_buf_printf(&curves->each, ",processors of %s", a->ceiling_by->name);
    ste_buf_append_cstr(&curves->each, ",a message in all\n");
    ste_buf_append_cstr(&curves->area, "x,lowest_ms,highest_ms\n");
}

/* One row: each station, the processors, and a message in all: every station and the wait for a
 * processor. The processors' work is not in it, since much of it no message waits for. */
static void put_row(const struct ste_analysis *a, const struct shared *shared, double x,
                    struct curves *curves)
{
    double sum = 0, low = INFINITY, high = 0;
    ste_csv_number(&curves->each, x, ',');
    for (size_t s = 0; s < a->station_count; s++) {
        double r_ms = 1e3 * station_response(a->stations[s].demand, a->stations[s].servers, x);
        ste_csv_number(&curves->each, r_ms, ',');
        sum += r_ms;
        low = fmin(low, r_ms);
        high = fmax(high, r_ms);
    }
    if (shared->servers > 0) {
        double r_ms = 1e3 * station_response(shared->demand, shared->servers, x);
        ste_csv_number(&curves->each, r_ms, ',');
        sum += r_ms - 1e3 * shared->demand;
        low = fmin(low, r_ms);
        high = fmax(high, r_ms);
    }
    ste_csv_number(&curves->each, sum, '\n');
    ste_csv_number(&curves->area, x, ',');
    ste_csv_number(&curves->area, low, ',');
    ste_csv_number(&curves->area, high, '\n');
    curves->r_least = fmin(curves->r_least, low);
    curves->r_most = fmax(curves->r_most, sum);
}

static void compute_curves(const struct ste_analysis *a, const struct shared *shared,
                           struct curves *curves)
{
    double end = fmin(1 / ste_oa_demand_max(&a->system), a->ceiling);
    curves->wall = end;
    curves->x_end = 1.08 * fmax(end, curves->x_mean);
    curves->r_least = INFINITY;
    curves->r_most = curves->r_mean_ms;
    put_headings(a, shared, curves);
    for (size_t i = 0; i < CURVE_POINTS; i++)
        put_row(a, shared, end * .998 * (double)i / (CURVE_POINTS - 1), curves);
}

static void put_curve_values(const struct curves *curves, struct ste_buf *values)
{
    ste_buf_printf(values, "x_end = %.9g\nr_least = %.9g\nr_most = %.9g\nx_wall = %.9g\n",
                   curves->x_end, curves->r_least / 2, curves->r_most * 10, curves->wall);
}

static void performance(struct ste_figures *f, const struct runs *runs)
{
    const struct ste_analysis *a = runs->items[0];
    struct ste_figure *each = ste_figure_add(
        f, "performance", "Performance curve of each component",
        "R = S/(1 − X·S) for each station at its demand: what a message would wait there if "
        "messages came evenly. Each curve ends where its station is full. Shards work inside of "
        "the node's wait. The machine's curve is of all work on it, also of what no message waits "
        "for, so it is no part of a message's and may lie above it.");
    struct ste_figure *area = ste_figure_add(
        f, "area", "Performance operating area",
        "Between the curve of the fastest and of the slowest component, the processors that all "
        "share as one of them. Left of the red line the "
        "engine can follow; a measured point far above the area is queues that were filled on "
        "purpose (full speed), not work.");
    const struct ste_stage *system = ste_analysis_find(a, STE_STAGE_SYSTEM, "");
    if (a->station_count < 2 || !isfinite(system->laws.response)) {
        each->missing = area->missing = "fewer than two stations with busy time were sampled";
        return;
    }
    struct curves curves = {0};
    for (size_t i = 0; i < runs->count; i++) {
        curves.x_mean = fmax(curves.x_mean, runs->items[i]->stages[0].laws.throughput);
        curves.r_mean_ms = fmax(curves.r_mean_ms, 1e3 * runs->items[i]->stages[0].laws.response);
    }
    struct shared shared = shared_of(a);
    compute_curves(a, &shared, &curves);
    double sum = 0;
    const char *paint = "";
    for (size_t s = 0; s < a->station_count; s++) {
        sum += a->stations[s].demand;
        paint = ste_figure_say(f, "%s%s ", paint, ste_stage_colour(a->stations[s].stage->kind));
    }
    const char *slowest = limit_of(a);
    each->sentence = ste_figure_say(
        f,
        "Without any waiting a message would take %s. The first to fill is the %s, at %s messages "
        "a second. Measured: %s at %s messages a second.%s",
        ste_say_seconds(f, sum), slowest, ste_say_number(f, curves.wall),
        ste_say_seconds(f, system->laws.response), ste_say_number(f, system->laws.throughput),
        others(f, runs));
    put_measured(runs, true, &curves.each);
    put_measured(runs, true, &curves.area);
    area->sentence = ste_figure_say(
        f, "The run stood at %s of the %s messages a second at which the area ends.",
        ste_say_percent(f, system->laws.throughput / curves.wall), ste_say_number(f, curves.wall));
    struct ste_buf values = {0};
    put_curve_values(&curves, &values);
    ste_buf_printf(&values, "columns = %zu\npaint = \"%s%s\"\n",
                   a->station_count + (shared.servers > 0 ? 3 : 2), paint,
                   ste_stage_colour(STE_STAGE_SYSTEM));
    ste_figure_draw(f, each, &curves.each, &values);
    put_curve_values(&curves, &values);
    ste_buf_printf(&values, "wall = \"%s a second\"\n", ste_say_number(f, curves.wall));
    ste_figure_draw(f, area, &curves.area, &values);
}

void ste_figures_laws(struct ste_figures *figures, const struct ste_analysis *const *items,
                      size_t count)
{
    const struct runs runs = {.items = items, .count = count};
    little(figures, items[0]);
    bounds(figures, &runs);
    performance(figures, &runs);
}
