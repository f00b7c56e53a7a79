/* SPDX-License-Identifier: Apache-2.0
 * Tables in files: one header line, then rows of as many cells, separated by commas; cells may be
 * quoted; lines that begin with '#' are comments. Every fault gets its file, line and column. */
#ifndef STE_REF_CSV_H
#define STE_REF_CSV_H

#include "conf/tree.h"

enum { STE_CSV_COLUMNS_MAX = 8, STE_CSV_BYTES_MAX = 64 << 20 };

struct ste_csv {
    const char *path; /* borrowed */
    const char *header;
    struct ste_faults *faults;
    char *text; /* the whole file; cells point into it */
    size_t text_bytes, at;
    unsigned line; /* of the row in hand */
    size_t column_count;
    struct ste_bytes cells[STE_CSV_COLUMNS_MAX];
    unsigned columns[STE_CSV_COLUMNS_MAX]; /* where each cell begins, from 1, in bytes */
};

/* Reads the file whose header line must be `header` ("code,name"). False after a fault: that it
 * could not be read stands at `node`, which named it. path and header must outlive *csv. Either way
 * the caller ends with ste_csv_close(). */
bool ste_csv_open(struct ste_csv *csv, const char *path, const char *header,
                  const struct ste_yaml *node, struct ste_faults *faults);
void ste_csv_close(struct ste_csv *csv);
/* The next row in cells[]; false at the end. A row of another width is a fault and left out. */
bool ste_csv_next(struct ste_csv *csv);
/* A fault of one cell of the row in hand. */
void ste_csv_fault(const struct ste_csv *csv, size_t cell, const char *format, ...)
    STE_PRINTF(3, 4);
/* A fault of a whole line. */
void ste_csv_fault_line(const struct ste_csv *csv, unsigned line, const char *format, ...)
    STE_PRINTF(3, 4);

#endif
