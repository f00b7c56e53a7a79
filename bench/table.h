/* SPDX-License-Identifier: Apache-2.0
 * One table, four ways: aligned text for people, CSV for spreadsheets and gnuplot, JSON for
 * machines, HTML for a page. Filled row by row, kept whole in memory. One thread. */
#ifndef STE_BENCH_TABLE_H
#define STE_BENCH_TABLE_H

#include <stdio.h>

#include "json/json.h"

enum { STE_TABLE_COLUMNS_MAX = 32 };
struct ste_table_column {
    const char *name;  /* "throughput": JSON member and CSV heading, with the unit at its end */
    const char *title; /* "X 1/s": heading for people; NULL: name */
    int decimals;      /* -1: the column holds texts */
};
struct ste_table;
/* `columns` outlives the table. *ret is the caller's, ste_table_free(). */
STE_MUST_CHECK enum ste_code ste_table_new(const struct ste_table_column *columns, size_t count,
                                           struct ste_table **ret, struct ste_error *err);
void ste_table_free(struct ste_table *table);
/* Cells of the current row, left to right; ste_table_end_row starts the next. Lack of memory and a
 * wrong number of cells (a bug) show in ste_table_complete. NAN prints as "-", empty or null. */
void ste_table_text(struct ste_table *table, const char *text);
void ste_table_number(struct ste_table *table, double value);
void ste_table_end_row(struct ste_table *table);
bool ste_table_complete(const struct ste_table *table);
size_t ste_table_rows(const struct ste_table *table);

void ste_table_print(const struct ste_table *table, FILE *out);
/* RFC 4180 with one heading line. */
void ste_table_csv(const struct ste_table *table, struct ste_buf *out);
/* A list of objects as member `key` (NULL inside a list or at the top). */
void ste_table_json(const struct ste_table *table, struct ste_json_writer *writer, const char *key);
/* A <table> with thead and tbody. A row carries its texts as data-NAME, for style sheets. */
void ste_table_html(const struct ste_table *table, struct ste_buf *out);
/* `text` with what HTML reserves written out. */
void ste_html_text(struct ste_buf *out, const char *text);
/* Text into a file, replacing it whole (write beside, rename); "-" is standard output. */
STE_MUST_CHECK enum ste_code ste_bench_write_file(const char *path, struct ste_bytes text,
                                                  struct ste_error *err);

#endif
