/* SPDX-License-Identifier: Apache-2.0
 * What an analysis says as tables: a row for each stage, and the bounds by the number of messages;
 * and how to read each symbol and law. */
#ifndef STE_BENCH_REPORT_TABLE_H
#define STE_BENCH_REPORT_TABLE_H

#include "bench/analysis.h"
#include "bench/table.h"

struct ste_symbol {
    const char *symbol, *name, *how; /* "X", "throughput", "X = C/T: …" */
};
enum { STE_SYMBOL_COUNT = 15 };
extern const struct ste_symbol ste_symbols[STE_SYMBOL_COUNT];

/* Empty tables; the caller frees them. */
STE_MUST_CHECK enum ste_code ste_stage_table_new(struct ste_table **ret, struct ste_error *err);
STE_MUST_CHECK enum ste_code ste_bounds_table_new(struct ste_table **ret, struct ste_error *err);
/* `run` is the number of the samples file, from 1. */
void ste_stage_table_add(struct ste_table *table, const struct ste_analysis *analysis, double run);
void ste_bounds_table_add(struct ste_table *table, const struct ste_analysis *analysis, double run);
/* Window, bottlenecks, knee, Little check: a few lines for people. */
void ste_analysis_print(const struct ste_analysis *analysis, FILE *out);
/* The same as members of the object that is open. */
void ste_analysis_json(const struct ste_analysis *analysis, struct ste_json_writer *writer);
/* Above this share of foreign work (ste_analysis.foreign) the figures are not the engine's alone.
 */
#define STE_FOREIGN_MAX 0.1
/* Above this (A-C)/C of the system its N and R are told with a word of warning. */
#define STE_IMBALANCE_MAX 0.05
/* "node NOE" */
enum { STE_STAGE_TEXT_BYTES = STE_SAMPLES_NAME_BYTES + 8 };
const char *ste_stage_text(const struct ste_stage *stage, char room[STE_STAGE_TEXT_BYTES]);

#endif
