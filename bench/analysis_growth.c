/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "bench/analysis.h"

bool ste_name_fits(const char *have, const char *name)
{
    size_t len = strlen(name);
    return len == 0 || (strncmp(have, name, len) == 0 &&
                        (have[len] == '\0' || have[len] == '-' || have[len] == '/'));
}

/* A counter that fell counts from 0 again. */
static double step(const struct ste_series *series, size_t at)
{
    double before = series->values[at], after = series->values[at + 1];
    return after >= before ? after - before : after;
}

static void add(const struct ste_growth *growth, const struct ste_series *series, double *sum)
{
    size_t at = 0;
    double grown = 0;
    for (size_t i = 0; i < growth->count; i++) {
        double now = growth->times[i], here = 0;
        for (; at + 1 < series->count && series->at_s[at + 1] <= now; at++)
            grown += step(series, at);
        if (at + 1 < series->count && now > series->at_s[at])
            here = step(series, at) * (now - series->at_s[at]) /
                   (series->at_s[at + 1] - series->at_s[at]);
        sum[i] += grown + here;
    }
}

const double *ste_growth_of(const struct ste_growth *growth, enum ste_quantity quantity,
                            const char *name, const char *type)
{
    double *sum = NULL;
    for (size_t i = 0; i < growth->samples->series_count; i++) {
        const struct ste_series *series = &growth->samples->series[i];
        if (series->quantity != quantity || !ste_name_fits(series->name, name) ||
            (type[0] && strcmp(series->type, type) != 0))
            continue;
        if (!sum)
            sum = STE_ARENA_ARRAY(growth->arena, double, growth->count);
        if (!sum)
            return NULL;
        add(growth, series, sum);
    }
    return sum;
}
