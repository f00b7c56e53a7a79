/* SPDX-License-Identifier: Apache-2.0
 * Results: one JSON object for machines, a few lines for people. */
#ifndef STE_BENCH_REPORT_H
#define STE_BENCH_REPORT_H

#include "bench/drive.h"
#include "bench/pool.h"

struct ste_report {
    const struct ste_set *set;     /* NULL: unknown */
    const struct ste_drive *drive; /* NULL: was not part of it */
    const struct ste_pool *pool;   /* NULL: was not part of it */
    struct ste_histogram latency;  /* count 0: not measured */
    double seconds;                /* first publish to last CLS, or what there was of it */
    uint64_t messages;             /* what msg_per_s counts */
    bool passed;
};
/* Writes to `path` ("-": standard output), replacing it whole. NULL: nothing. */
STE_MUST_CHECK enum ste_code ste_report_json(const struct ste_report *report, const char *path,
                                             struct ste_error *err);
void ste_report_print(const struct ste_report *report, FILE *out);

#endif
