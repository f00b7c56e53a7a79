/* SPDX-License-Identifier: Apache-2.0
 * The points of an experiment: a CSV with one heading line and a row for each run, gathered to
 * median and spread. Columns are found by name; others may stand beside them. */
#ifndef STE_BENCH_POINTS_H
#define STE_BENCH_POINTS_H

#include "base/arena.h"

enum { STE_POINTS_COLUMNS_MAX = 64, STE_POINTS_ROWS_MAX = 100000 };
struct ste_points {
    const char *path; /* borrowed, for complaints */
    size_t column_count, row_count;
    char **headings;
    char **cells; /* row by row */
};
/* Everything of *ret is in the arena. Plain fields only, no quotes. Errors: STE_E_FILE; STE_E_PARSE
 * with the line as place: no row, or not as many fields as headings; STE_E_LIMIT; STE_E_NOMEM. */
STE_MUST_CHECK enum ste_code ste_points_read(const char *path, struct ste_arena *arena,
                                             struct ste_points *ret, struct ste_error *err);
/* NULL: no such column. */
const char *ste_points_text(const struct ste_points *points, size_t row, const char *column);
/* NAN: no such column, an empty field, or not a number. */
double ste_points_number(const struct ste_points *points, size_t row, const char *column);
/* Every row has a number of 0 or more in each of these columns (a list that ends with NULL).
 * Errors: STE_E_PARSE with file, row and column. */
STE_MUST_CHECK enum ste_code ste_points_check(const struct ste_points *points,
                                              const char *const *columns, struct ste_error *err);

/* All runs with the same series and x. */
struct ste_point {
    double series, x;
    double median, least, most, predicted; /* predicted: median, NAN where there is none */
    size_t runs;
};
struct ste_point_list {
    struct ste_point *items; /* by series, then x */
    size_t count;
};
/* `series` and `predicted` may be NULL. `keep` (may be NULL) says which rows count. Errors:
 * STE_E_PARSE with the line as place: a number is missing; STE_E_NOMEM. */
STE_MUST_CHECK enum ste_code ste_points_gather(const struct ste_points *points, const char *series,
                                               const char *x, const char *y, const char *predicted,
                                               bool (*keep)(const struct ste_points *, size_t row),
                                               struct ste_arena *arena, struct ste_point_list *ret,
                                               struct ste_error *err);
/* Of `count` values, which are put in order. 0 values: NAN. */
double ste_median(double *values, size_t count);

#endif
