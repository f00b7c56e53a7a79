/* SPDX-License-Identifier: Apache-2.0
 * The monitor's raw samples on disk, one long CSV that any tool can read:
 *     at_us,kind,name,type,quantity,value
 * at_us is CLOCK_MONOTONIC (as in the ledgers), the same for all rows of one sample; kind and
 * quantity stand in quantities.def; name is which one ("ste.noe.00", "router-1", "node-1/0",
 * "shard-2", "broker"), type a message type ("NOE" … "EXC") or empty. Rows of kind "meta" come
 * first, and at the end what is known only then: at_us 0, the value a text without comma (quantity
 * = "started_at", "interval_ms", "map", "nodes", "shards", "batch", …); of two of one name the
 * later counts. Every figure of report and model is computed from this file. */
#ifndef STE_BENCH_SAMPLES_H
#define STE_BENCH_SAMPLES_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"

enum ste_quantity {
#define X(id, kind, quantity, counter, unit, help) id,
#include "bench/quantities.def"
#undef X
    STE_Q_COUNT
};
const char *ste_quantity_kind(enum ste_quantity quantity);
const char *ste_quantity_name(enum ste_quantity quantity);

enum { STE_SAMPLES_NAME_BYTES = 64 };

/* ---- writing; one thread ---- */
struct ste_samples_writer;
STE_MUST_CHECK enum ste_code ste_samples_create(const char *path, struct ste_samples_writer **ret,
                                                struct ste_error *err);
/* Commas and control characters in texts become blanks. */
void ste_samples_meta(struct ste_samples_writer *writer, const char *quantity, const char *value);
/* The rows that follow belong to this moment; those before are in the file. */
void ste_samples_at(struct ste_samples_writer *writer, uint64_t at_us);
void ste_samples_put(struct ste_samples_writer *writer, enum ste_quantity quantity,
                     const char *name, const char *type_or_empty, double value);
/* Flushes and closes. A row that could not be written is told here. Accepts NULL. */
STE_MUST_CHECK enum ste_code ste_samples_finish(struct ste_samples_writer *writer,
                                                struct ste_error *err);

/* ---- reading; the whole file in memory ---- */
struct ste_series {
    enum ste_quantity quantity;
    char name[STE_SAMPLES_NAME_BYTES];
    char type[4];
    size_t count;
    double *at_s, *values; /* at_s from the first sample of the file */
};
struct ste_samples {
    size_t series_count;
    struct ste_series *series; /* in order of first appearance */
    size_t meta_count;
    struct {
        char name[STE_SAMPLES_NAME_BYTES], value[256];
    } * meta;
    double seconds;      /* first to last sample */
    size_t sample_count; /* distinct at_us */
};
/* Errors: STE_E_FILE; STE_E_PARSE with the line as place. Unknown quantities are passed over. */
STE_MUST_CHECK enum ste_code ste_samples_read(const char *path, struct ste_samples *ret,
                                              struct ste_error *err);
void ste_samples_deinit(struct ste_samples *samples);
/* type NULL: any. name NULL: any; the first that fits, or NULL. */
const struct ste_series *ste_samples_find(const struct ste_samples *samples,
                                          enum ste_quantity quantity, const char *name,
                                          const char *type);
const char *ste_samples_meta_value(const struct ste_samples *samples, const char *name); /* NULL */
/* The same as a finite number; `otherwise` where it is not one. */
double ste_samples_meta_number(const struct ste_samples *samples, const char *name,
                               double otherwise);
/* Growth of a counter between two times (linear between samples, none before the first or after the
 * last); a counter that fell (its process was started again) counts from 0. */
double ste_series_growth(const struct ste_series *series, double from_s, double to_s);

#endif
