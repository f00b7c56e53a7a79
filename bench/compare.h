/* SPDX-License-Identifier: Apache-2.0
 * Two sides of measurements, A and B, figure by figure: median, spread, ratio, and whether B is
 * better, the same or worse. Pure.
 *
 * A figure is what has a name and one or more values a side. What a result file says:
 *   - With a list "runs" or "ratios", only they are read: each of their objects is one round, its
 *     numbers are values of the figures of that name. Those of "ratios" are ratios within a round.
 *     Without "ratios" they are made: within each round every figure over each one whose name says
 *     "alone" or "ceiling", where both are alike in direction.
 *   - Else a number is a value of the figure that its path names ("latency_ms.p99"), a list of
 *     numbers is as many values, and the objects of a list are rows, whose texts and settings
 *     become part of the name ("ceilings[broker,1,1].msg_per_s").
 *   - Settings (batch, seed, size_bytes …: settings[] in compare_read.c), texts, true and false,
 *     "machine" and "settings" are no figures.
 *
 * Direction is by name, split into words at what is neither letter nor digit. A name with "_per_s",
 * " per s" or "/s" is a rate: higher is better. Neither is better, and no verdict given, of what
 * says how a run was made: with the word expected, and sizes over data ("buffer pool / data"). Else
 * lower is better with one of the words bytes, conflicts, cpu, duplicates, errors, failed, latency,
 * lost, malformed, missing, ms, nacked, ns, p<digits>, reconnects, redelivered, repeats, resent,
 * returned, rss, s, seconds, surplus, unexpected, unknown, us. Anything else is a rate or a ratio
 * of rates ("singles", "singles / broker alone"), or a fit that is 1 at best ("fit of the
 * prediction"): higher is better. */
#ifndef STE_BENCH_COMPARE_H
#define STE_BENCH_COMPARE_H

#include "base/bytes.h"
#include "json/json.h"

enum ste_compare_side { STE_COMPARE_A, STE_COMPARE_B, STE_COMPARE_SIDES };
enum ste_compare_verdict {
    STE_COMPARE_SAME,
    STE_COMPARE_BETTER,
    STE_COMPARE_WORSE,
    STE_COMPARE_ALONE,    /* only one side has it */
    STE_COMPARE_UNJUDGED, /* neither higher nor lower is better */
};
extern const char *const ste_compare_verdict_names[];
enum ste_compare_better { STE_COMPARE_HIGHER, STE_COMPARE_LOWER, STE_COMPARE_NEITHER };
extern const char *const ste_compare_better_names[];

enum { STE_COMPARE_VALUES_MAX = 256, STE_COMPARE_FIGURES_MAX = 4096 };

struct ste_compare_values {
    double values[STE_COMPARE_VALUES_MAX];
    size_t count;
};
struct ste_compare_figure {
    char *name;
    bool is_ratio;
    enum ste_compare_better better;
    struct ste_compare_values sides[STE_COMPARE_SIDES];
};
/* Zero-initialise; ste_comparison_deinit at the end. */
struct ste_comparison {
    struct ste_compare_figure *figures; /* in the order in which they were met */
    size_t count, capacity;
};
void ste_comparison_deinit(struct ste_comparison *compare);

enum ste_compare_better ste_compare_better(const char *name);
/* Errors: STE_E_NOMEM, STE_E_LIMIT. */
STE_MUST_CHECK enum ste_code ste_compare_add(struct ste_comparison *compare,
                                             enum ste_compare_side side, bool is_ratio,
                                             const char *name, double value, struct ste_error *err);
/* compare_read.c: a result file's values, as told above; those of several files of a side add up.
 * Errors: as above, also STE_E_LIMIT for too long a name; STE_E_PARSE when the document is no
 * object or holds no figure at all. */
STE_MUST_CHECK enum ste_code ste_compare_read(struct ste_comparison *compare,
                                              enum ste_compare_side side,
                                              const struct ste_json *root, struct ste_error *err);

struct ste_compare_summary {
    double median, min, max; /* NAN without values */
    size_t count;
};
struct ste_compare_summary ste_compare_summarise(const struct ste_compare_values *values);
struct ste_compare_row {
    struct ste_compare_summary a, b;
    double ratio;                /* of medians, B/A; NAN: not defined */
    double ratio_min, ratio_max; /* min B / max A, max B / min A */
    enum ste_compare_verdict verdict;
};
/* Better or worse only when both hold: the medians differ by more than `tolerance` (0.1 is 10 %)
 * of A's, and the spreads do not touch, so that every value of B lies on the same side of every
 * value of A. With a single value a side the tolerance alone decides. */
struct ste_compare_row ste_compare_judge(const struct ste_compare_figure *figure, double tolerance);
/* Whether a figure counts towards the verdict over all. */
bool ste_compare_counts(const struct ste_compare_figure *figure, bool absolute);

#endif
