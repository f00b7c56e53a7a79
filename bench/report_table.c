/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/report_table.h"

#include <math.h>

const struct ste_symbol ste_symbols[STE_SYMBOL_COUNT] = {
    {"T", "interval", "the time observed, in seconds; all else is counted in it"},
    {"A", "arrivals", "messages that came to the stage; counted, not sampled"},
    {"C", "completions", "messages that it was done with; counted, not sampled"},
    {"(A−C)/C", "flow balance",
     "0 when as many left as came; far from 0 the figures are those of a queue that fills or "
     "empties, and rates of A and C are not to be mixed"},
    {"B", "busy time",
     "seconds its servers worked: thread CPU and the wait for the database of workers, CPU of "
     "broker and shards; of m servers up to m × T"},
    {"W", "area", "message-seconds: the area under the number present over time"},
    {"λ", "arrival rate", "λ = A/T, messages a second that came"},
    {"X", "throughput", "X = C/T, messages a second that went out"},
    {"U", "utilisation",
     "U = B/(m·T) = X·S/m: share of its servers' time in use; near 100 % the stage is the end of "
     "what the system can do"},
    {"S", "service time", "S = B/C: how long a server works on one message"},
    {"N", "number present",
     "N = W/T, on average in queue and in hand; Little's law: N = X·R, for every stage and the "
     "whole. What waits in the broker's queues is counted at the stage that takes it, what is in "
     "the shards at the nodes too"},
    {"R", "response time",
     "R = W/C = N/X: how long a message is there, waiting included; with a driver at full speed "
     "most of it is waiting in a queue that the driver filled"},
    {"V", "visits",
     "V = C/C₀ a message of the system; forced flow: X of a stage = V·X of the system, so that one "
     "measured rate fixes all others"},
    {"D", "demand",
     "D = V·S = B/C₀: seconds of a stage that one message of the system costs; the largest D/m "
     "bounds the throughput: X ≤ m/D"},
    {"CPU", "processors in use",
     "share of the processors that its processes may use; for the shares they are held to, or all "
     "of the machine"},
};

static const struct ste_table_column stage_columns[] = {
    {"run", NULL, 0},
    {"stage", NULL, -1},
    {"type", NULL, -1},
    {"unit", NULL, -1},
    {"interval_s", "T s", 1},
    {"servers", "m", 1},
    {"arrivals", "A", 0},
    {"completions", "C", 0},
    {"imbalance_percent", "(A−C)/C %", 2},
    {"busy_s", "B s", 2},
    {"area_s", "W s", 0},
    {"arrivals_per_s", "λ 1/s", 1},
    {"throughput_per_s", "X 1/s", 1},
    {"utilisation_percent", "U %", 1},
    {"service_us", "S µs", 1},
    {"present", "N", 1},
    {"response_s", "R s", 4},
    {"visits", "V", 3},
    {"demand_us", "D µs", 1},
    {"cpu_percent", "CPU %", 1},
};

static const struct ste_table_column bounds_columns[] = {
    {"run", NULL, 0},
    {"messages", "N", 0},
    {"asymptotic_lower_per_s", "asymptotic ≥ 1/s", 1},
    {"balanced_lower_per_s", "balanced ≥ 1/s", 1},
    {"mva_per_s", "MVA 1/s", 1},
    {"balanced_upper_per_s", "balanced ≤ 1/s", 1},
    {"asymptotic_upper_per_s", "asymptotic ≤ 1/s", 1},
};

enum ste_code ste_stage_table_new(struct ste_table **ret, struct ste_error *err)
{
    return ste_table_new(stage_columns, sizeof stage_columns / sizeof stage_columns[0], ret, err);
}

enum ste_code ste_bounds_table_new(struct ste_table **ret, struct ste_error *err)
{
    return ste_table_new(bounds_columns, sizeof bounds_columns / sizeof bounds_columns[0], ret,
                         err);
}

void ste_stage_table_add(struct ste_table *table, const struct ste_analysis *analysis, double run)
{
    for (size_t i = 0; i < analysis->stage_count; i++) {
        const struct ste_stage *stage = &analysis->stages[i];
        const struct ste_oa_counts *counts = &stage->counts;
        const struct ste_oa_laws *laws = &stage->laws;
        ste_table_number(table, run);
        ste_table_text(table, stage->name);
        ste_table_text(table, stage->type[0] ? stage->type : "all");
        ste_table_text(table, stage->unit);
        const double figures[] = {
            counts->seconds,         counts->servers,       counts->arrivals,
            counts->completions,     100 * laws->imbalance, counts->busy,
            counts->waiting,         laws->arrival_rate,    laws->throughput,
            100 * laws->utilisation, 1e6 * laws->service,   laws->present,
            laws->response,          stage->visits,         1e6 * stage->demand,
            100 * stage->cpu_use,
        };
        for (size_t f = 0; f < sizeof figures / sizeof figures[0]; f++)
            ste_table_number(table, figures[f]);
        ste_table_end_row(table);
    }
}

void ste_bounds_table_add(struct ste_table *table, const struct ste_analysis *analysis, double run)
{
    static const double steps[] = {1, 2, 5};
    double present = analysis->stages[0].laws.present;
    double end = 2 * fmax(isfinite(present) ? present : 1, 10);
    for (double decade = 1; decade <= end && analysis->station_count > 0; decade *= 10) {
        for (size_t s = 0; s < sizeof steps / sizeof steps[0] && decade * steps[s] <= end; s++) {
            double n = decade * steps[s];
            struct ste_oa_bounds wide = ste_analysis_bounds(analysis, n, false);
            struct ste_oa_bounds narrow = ste_analysis_bounds(analysis, n, true);
            ste_table_number(table, run);
            ste_table_number(table, n);
            ste_table_number(table, wide.lower);
            ste_table_number(table, narrow.lower);
            ste_table_number(table, ste_analysis_mva(analysis, n));
            ste_table_number(table, narrow.upper);
            ste_table_number(table, wide.upper);
            ste_table_end_row(table);
        }
    }
}

const char *ste_stage_text(const struct ste_stage *stage, char room[STE_STAGE_TEXT_BYTES])
{
    (void)snprintf(room, STE_STAGE_TEXT_BYTES, "%s%s%s", stage->name, stage->type[0] ? " " : "",
                   stage->type);
    return room;
}

void ste_analysis_print(const struct ste_analysis *a, FILE *out)
{
    const struct ste_stage *system = &a->stages[0];
    fprintf(out, "window      %.1f s to %.1f s of the samples, one every %.2f s\n", a->from_s,
            a->to_s, a->interval_s);
    if (fabs(system->laws.imbalance) > STE_IMBALANCE_MAX)
        fprintf(out,
                "balance     %+.1f %%: messages that will never clear, or a window that begins or "
                "ends amid the run, count as present\n",
                100 * system->laws.imbalance);
    if (a->busiest)
        fprintf(out, "bottleneck  by utilisation: %s, %.1f %% in use%s\n", a->busiest->name,
                100 * ste_stage_use(a->busiest),
                a->busiest->kind == STE_STAGE_SYSTEM ? " (all processors of the machine)" : "");
    else
        fputs("bottleneck  by utilisation: not known, no busy time was sampled\n", out);
    if (a->costliest)
        fprintf(out, "            by demand: %s, %.1f µs a message at %.3g servers\n",
                a->costliest->name, 1e6 * a->costliest->demand, a->costliest->counts.servers);
    if (a->station_count > 0)
        fprintf(out,
                "bounds      knee N* = %.1f messages; at most %.0f/s by the stations, %.0f/s by "
                "the processors%s%s\n",
                ste_oa_knee(&a->system), 1 / ste_oa_demand_max(&a->system), a->ceiling,
                a->ceiling_by && a->ceiling_by->kind != STE_STAGE_SYSTEM ? " of " : "",
                a->ceiling_by && a->ceiling_by->kind != STE_STAGE_SYSTEM ? a->ceiling_by->name
                                                                         : "");
    if (isfinite(a->foreign))
        fprintf(
            out, "machine     %.1f %% of its busy time went to none of the processes sampled%s\n",
            100 * a->foreign,
            a->foreign > STE_FOREIGN_MAX ? ": not idle otherwise, so these are no figures to keep"
                                         : "");
    if (isfinite(a->little_apart))
        fprintf(out,
                "Little      N = %.1f counted; X times the measured mean residence of %.4f s is "
                "%.1f: %+.1f %% apart\n",
                system->laws.present, a->residence_s, a->little_present, 100 * a->little_apart);
    else
        fputs("Little      not checked: the samples hold no mean residence (mean_residence_s)\n",
              out);
}

static void put_stage(struct ste_json_writer *writer, const char *key,
                      const struct ste_stage *stage)
{
    char room[STE_STAGE_TEXT_BYTES];
    ste_json_put_cstr(writer, key, stage ? ste_stage_text(stage, room) : NULL);
}

void ste_analysis_json(const struct ste_analysis *a, struct ste_json_writer *writer)
{
    ste_json_put_double(writer, "from_s", a->from_s, 3);
    ste_json_put_double(writer, "to_s", a->to_s, 3);
    ste_json_put_double(writer, "interval_s", a->interval_s, 4);
    ste_json_put_double(writer, "cores", a->cores, 0);
    ste_json_put_double(writer, "foreign", a->foreign, 4);
    ste_json_put_object(writer, "bottleneck");
    put_stage(writer, "by_utilisation", a->busiest);
    ste_json_put_double(writer, "use", a->busiest ? ste_stage_use(a->busiest) : NAN, 4);
    put_stage(writer, "by_demand", a->costliest);
    ste_json_put_double(writer, "demand_s", a->costliest ? a->costliest->demand : NAN, 9);
    ste_json_put_end(writer);
    ste_json_put_object(writer, "little");
    ste_json_put_double(writer, "present", a->stages[0].laws.present, 3);
    ste_json_put_double(writer, "residence_s", a->residence_s, 6);
    ste_json_put_double(writer, "throughput_times_residence", a->little_present, 3);
    ste_json_put_double(writer, "apart", a->little_apart, 4);
    ste_json_put_end(writer);
    ste_json_put_object(writer, "limits");
    ste_json_put_double(writer, "knee_messages", a->station_count ? ste_oa_knee(&a->system) : NAN,
                        3);
    ste_json_put_double(writer, "stations_per_s",
                        a->station_count ? 1 / ste_oa_demand_max(&a->system) : NAN, 1);
    ste_json_put_double(writer, "processors_per_s", a->ceiling, 1);
    ste_json_put_double(writer, "think_s", a->system.think, 9);
    ste_json_put_end(writer);
}
