/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/compare.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/points.h"

const char *const ste_compare_verdict_names[] = {"same", "better", "worse", "-", "-"};
const char *const ste_compare_better_names[] = {"higher", "lower", "neither"};

static const char *const lower_words[] = {
    "bytes",       "conflicts",  "cpu",     "duplicates", "errors", "failed", "latency",
    "lost",        "malformed",  "missing", "ms",         "nacked", "ns",     "reconnects",
    "redelivered", "repeats",    "resent",  "returned",   "rss",    "s",      "seconds",
    "surplus",     "unexpected", "unknown", "us",
};
/* How a run was made, though no setting: neither more nor less of it is better. */
static const char *const neither_words[] = {"expected"};
static const char neither_ending[] = " / data";

void ste_comparison_deinit(struct ste_comparison *compare)
{
    for (size_t i = 0; i < compare->count; i++)
        free(compare->figures[i].name);
    free(compare->figures);
    *compare = (struct ste_comparison){0};
}

/* "p50", "p99" */
static bool is_percentile(struct ste_bytes word)
{
    if (word.len < 2 || word.at[0] != 'p')
        return false;
    for (size_t i = 1; i < word.len; i++) {
        if (!isdigit((unsigned char)word.at[i]))
            return false;
    }
    return true;
}

static bool among(struct ste_bytes word, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (ste_bytes_equal(word, ste_bytes_of(words[i])))
            return true;
    }
    return false;
}

static bool ends_in(const char *name, const char *ending)
{
    const size_t len = strlen(name), ending_len = strlen(ending);
    return len >= ending_len && strcmp(name + len - ending_len, ending) == 0;
}

enum ste_compare_better ste_compare_better(const char *name)
{
    enum ste_compare_better better = STE_COMPARE_HIGHER;
    static const char *const rates[] = {"_per_s", " per s", "/s"};
    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++) {
        const char *found = strstr(name, rates[i]);
        if (found && !isalnum((unsigned char)found[strlen(rates[i])]))
            return STE_COMPARE_HIGHER;
    }
    if (ends_in(name, neither_ending))
        return STE_COMPARE_NEITHER;
    while (*name) {
        size_t len = 0;
        while (isalnum((unsigned char)name[len]))
            len++;
        const struct ste_bytes word = {name, len};
        if (among(word, neither_words, sizeof neither_words / sizeof *neither_words))
            return STE_COMPARE_NEITHER;
        if (is_percentile(word) ||
            among(word, lower_words, sizeof lower_words / sizeof *lower_words))
            better = STE_COMPARE_LOWER;
        name += len > 0 ? len : 1;
    }
    return better;
}

static struct ste_compare_figure *find(struct ste_comparison *compare, bool is_ratio,
                                       const char *name)
{
    for (size_t i = 0; i < compare->count; i++) {
        struct ste_compare_figure *figure = &compare->figures[i];
        if (figure->is_ratio == is_ratio && strcmp(figure->name, name) == 0)
            return figure;
    }
    return NULL;
}

static enum ste_code add_figure(struct ste_comparison *compare, bool is_ratio, const char *name,
                                struct ste_compare_figure **ret, struct ste_error *err)
{
    if (compare->count == STE_COMPARE_FIGURES_MAX)
        return ste_error_set(err, STE_E_LIMIT, "more than %d figures", STE_COMPARE_FIGURES_MAX);
    if (compare->count == compare->capacity) {
        size_t capacity = compare->capacity ? 2 * compare->capacity : 16;
        struct ste_compare_figure *figures = realloc(compare->figures, capacity * sizeof *figures);
        if (!figures)
            return ste_error_set(err, STE_E_NOMEM, "no memory for %zu figures", capacity);
        compare->figures = figures;
        compare->capacity = capacity;
    }
    char *copy = strdup(name);
    if (!copy)
        return ste_error_set(err, STE_E_NOMEM, "no memory for a name");
    struct ste_compare_figure *figure = &compare->figures[compare->count++];
    *figure = (struct ste_compare_figure){
        .name = copy, .is_ratio = is_ratio, .better = ste_compare_better(name)};
    *ret = figure;
    return STE_OK;
}

enum ste_code ste_compare_add(struct ste_comparison *compare, enum ste_compare_side side,
                              bool is_ratio, const char *name, double value, struct ste_error *err)
{
    struct ste_compare_figure *figure = find(compare, is_ratio, name);
    enum ste_code rc = figure ? STE_OK : add_figure(compare, is_ratio, name, &figure, err);
    if (rc != STE_OK)
        return rc;
    struct ste_compare_values *values = &figure->sides[side];
    if (values->count == STE_COMPARE_VALUES_MAX)
        return ste_error_set(err, STE_E_LIMIT, "more than %d values of %s", STE_COMPARE_VALUES_MAX,
                             name);
    values->values[values->count++] = value;
    return STE_OK;
}

struct ste_compare_summary ste_compare_summarise(const struct ste_compare_values *values)
{
    struct ste_compare_values sorted = *values;
    size_t n = sorted.count;
    if (n == 0)
        return (struct ste_compare_summary){.median = NAN, .min = NAN, .max = NAN};
    const double median = ste_median(sorted.values, n); /* puts them in order */
    return (struct ste_compare_summary){
        .median = median, .min = sorted.values[0], .max = sorted.values[n - 1], .count = n};
}

static double over(double part, double whole)
{
    return whole > 0 ? part / whole : NAN;
}

struct ste_compare_row ste_compare_judge(const struct ste_compare_figure *figure, double tolerance)
{
    struct ste_compare_row row = {.a = ste_compare_summarise(&figure->sides[STE_COMPARE_A]),
                                  .b = ste_compare_summarise(&figure->sides[STE_COMPARE_B])};
    row.ratio = over(row.b.median, row.a.median);
    row.ratio_min = over(row.b.min, row.a.max);
    row.ratio_max = over(row.b.max, row.a.min);
    if (row.a.count == 0 || row.b.count == 0) {
        row.verdict = STE_COMPARE_ALONE;
        return row;
    }
    if (figure->better == STE_COMPARE_NEITHER) {
        row.verdict = STE_COMPARE_UNJUDGED;
        return row;
    }
    bool far = fabs(row.b.median - row.a.median) > tolerance * fabs(row.a.median);
    bool apart = row.b.min > row.a.max || row.b.max < row.a.min;
    bool higher = row.b.median > row.a.median;
    if (far && apart)
        row.verdict = higher == (figure->better == STE_COMPARE_HIGHER) ? STE_COMPARE_BETTER
                                                                       : STE_COMPARE_WORSE;
    return row;
}

bool ste_compare_counts(const struct ste_compare_figure *figure, bool absolute)
{
    return figure->better != STE_COMPARE_NEITHER && (figure->is_ratio || absolute);
}
