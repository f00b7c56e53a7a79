/* SPDX-License-Identifier: Apache-2.0
 * Data for gnuplot, and numbers as people write them. */
#include <math.h>
#include <string.h>

#include "bench/figure.h"

void ste_csv_number(struct ste_buf *csv, double value, char behind)
{
    if (isfinite(value))
        ste_buf_printf(csv, "%.9g%c", value, behind);
    else
        ste_buf_printf(csv, "NaN%c", behind);
}

void ste_columns_add(struct ste_columns *wide, const char *title, const double *values)
{
    if (!values || wide->count == STE_FIGURE_SERIES_MAX)
        return;
    wide->series[wide->count].title = title;
    wide->series[wide->count++].values = values;
}

void ste_columns_csv(const struct ste_columns *wide, const double *x, size_t count,
                     struct ste_buf *csv)
{
    ste_buf_append_cstr(csv, wide->x_title);
    for (size_t s = 0; s < wide->count; s++)
        ste_buf_printf(csv, ",%s", wide->series[s].title);
    ste_buf_append_cstr(csv, "\n");
    for (size_t i = 0; i < count; i++) {
        ste_csv_number(csv, x[i], ',');
        for (size_t s = 0; s < wide->count; s++)
            ste_csv_number(csv, wide->series[s].values[i], s + 1 == wide->count ? '\n' : ',');
    }
}

const char *ste_stage_colour(enum ste_stage_kind kind)
{
    static const char *const colours[] = {
        [STE_STAGE_SYSTEM] = "#86861a", [STE_STAGE_DRIVER] = "#8a56d0",
        [STE_STAGE_ROUTER] = "#2f6fde", [STE_STAGE_NODE] = "#178f5f",
        [STE_STAGE_SHARD] = "#c2479b",  [STE_STAGE_BROKER] = "#0f8ea8",
        [STE_STAGE_POOL] = "#d9730d",
    };
    return colours[kind];
}

/* Whole numbers in groups of three digits, small ones with three digits that count. */
const char *ste_say_number(struct ste_figures *figures, double value)
{
    char digits[64], grouped[96];
    size_t at = 0;
    if (!isfinite(value))
        return "unknown";
    if (fabs(value) < 99.5 || fabs(value) > 1e15)
        return ste_figure_say(figures, "%.3g", value);
    (void)snprintf(digits, sizeof digits, "%.0f", fabs(value));
    size_t len = strlen(digits);
    if (value < 0)
        grouped[at++] = '-';
    for (size_t i = 0; i < len; i++) {
        if (i > 0 && (len - i) % 3 == 0)
            grouped[at++] = ',';
        grouped[at++] = digits[i];
    }
    grouped[at] = '\0';
    return ste_figure_say(figures, "%s", grouped);
}

const char *ste_say_seconds(struct ste_figures *figures, double seconds)
{
    if (!isfinite(seconds))
        return "unknown";
    if (fabs(seconds) >= 1)
        return ste_figure_say(figures, "%.3g s", seconds);
    if (fabs(seconds) >= 1e-3)
        return ste_figure_say(figures, "%.3g ms", seconds * 1e3);
    return ste_figure_say(figures, "%.3g µs", seconds * 1e6);
}

const char *ste_say_percent(struct ste_figures *figures, double share)
{
    if (!isfinite(share))
        return "an unknown share";
    return ste_figure_say(figures, "%.*f %%", fabs(share) < .0995 ? 1 : 0, 100 * share);
}
