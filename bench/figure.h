/* SPDX-License-Identifier: Apache-2.0
 * Figures: data as CSV, drawn by gnuplot with the scripts of bench/figures into SVG and PNG, with a
 * sentence on what they show, computed from the data. A figure whose data is not there says why
 * instead; none is ever empty. In the folder everything stays together: `gnuplot -c draw.gp NAME`
 * draws one again. */
#ifndef STE_BENCH_FIGURE_H
#define STE_BENCH_FIGURE_H

#include "bench/analysis.h"
#include "bench/points.h"

enum { STE_FIGURES_MAX = 32, STE_FIGURE_SERIES_MAX = 24 };

struct ste_figure {
    const char *id, *title;
    const char *reading;  /* how to read it */
    const char *sentence; /* what it shows */
    const char *missing;  /* why it is not there; NULL: it is */
    struct ste_bytes svg; /* an <svg> element */
};
/* The first failure stays: code and text, and nothing is drawn any more. */
struct ste_figures {
    const char *dir; /* exists */
    struct ste_arena *arena;
    struct ste_error *err;
    enum ste_code rc;
    size_t count;
    struct ste_figure items[STE_FIGURES_MAX];
};

/* Whether gnuplot runs, before anything is written. Errors: STE_E_FILE with what to install. */
STE_MUST_CHECK enum ste_code ste_figures_check(struct ste_error *err);
/* Writes the scripts into dir. Errors: STE_E_FILE; STE_E_NOMEM. */
STE_MUST_CHECK enum ste_code ste_figures_begin(struct ste_figures *figures, const char *dir,
                                               struct ste_arena *arena, struct ste_error *err);
/* Never NULL: beyond the most, the last one again and an error. */
struct ste_figure *ste_figure_add(struct ste_figures *figures, const char *id, const char *title,
                                  const char *reading);
/* Draws `csv` with `values` (lines of gnuplot: "columns = 3") and frees both. Blocks until gnuplot
 * is done. Errors: STE_E_FILE: no gnuplot, or it failed. */
void ste_figure_draw(struct ste_figures *figures, struct ste_figure *figure, struct ste_buf *csv,
                     struct ste_buf *values);
/* A text in the arena; "" and an error when there is no memory. */
const char *ste_figure_say(struct ste_figures *figures, const char *format, ...) STE_PRINTF(2, 3);
/* Zeros in the arena; NULL and an error when there is no memory. */
double *ste_figure_doubles(struct ste_figures *figures, size_t count);

/* The figures of one run, and of the laws. */
void ste_figures_network(struct ste_figures *figures, const struct ste_analysis *analysis);
void ste_figures_run(struct ste_figures *figures, const struct ste_analysis *analysis,
                     const struct ste_samples *samples);
/* Curves and bounds are those of the first run, its point and the others' stand among them. */
void ste_figures_laws(struct ste_figures *figures, const struct ste_analysis *const *runs,
                      size_t count);
/* Of experiments; NULL: not given. */
struct ste_experiments {
    const struct ste_points *scale, *volume, *latency, *qos;
};
void ste_figures_experiments(struct ste_figures *figures,
                             const struct ste_experiments *experiments);

/* Columns of data beside each other, one row for each x. Lack of memory shows in csv->failed. */
struct ste_columns {
    const char *x_title;
    size_t count;
    struct {
        const char *title;
        const double *values;
    } series[STE_FIGURE_SERIES_MAX];
};
/* Adds nothing when values is NULL, or beyond STE_FIGURE_SERIES_MAX. */
void ste_columns_add(struct ste_columns *wide, const char *title, const double *values);
void ste_columns_csv(const struct ste_columns *wide, const double *x, size_t count,
                     struct ste_buf *csv);
void ste_csv_number(struct ste_buf *csv, double value, char behind); /* NAN as NaN */

/* A stage's colour, the same in all figures: "#2f6fde". */
const char *ste_stage_colour(enum ste_stage_kind kind);

/* "12,345", "0.93"; "1.2 s", "340 ms", "45 µs"; "93 %". In the arena. */
const char *ste_say_number(struct ste_figures *figures, double value);
const char *ste_say_seconds(struct ste_figures *figures, double seconds);
const char *ste_say_percent(struct ste_figures *figures, double share);

#endif
