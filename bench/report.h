/* SPDX-License-Identifier: Apache-2.0
 * Results: one JSON object and one CSV line for machines, a few lines for people. */
#ifndef STE_BENCH_REPORT_H
#define STE_BENCH_REPORT_H

#include "bench/drive.h"
#include "bench/pool.h"

struct ste_report {
    const struct ste_set_header *header; /* what was sent; NULL: unknown */
    const struct ste_drive *drive;       /* all drivers' sum; NULL: was not part of it */
    unsigned drivers;
    uint64_t skipped_messages;      /* sent by an earlier run */
    const struct ste_pool *pool;    /* NULL: was not part of it */
    struct ste_histogram latency;   /* confirm of a trade's last message to its CLS; count 0: not
                                       measured */
    struct ste_histogram scheduled; /* from when that message was due by the set rate */
    double mean_residence_ms;       /* ste_flow_residence_ms */
    uint64_t residence_messages;    /* 0: not measured */
    double seconds;                 /* first publish to last CLS, or what there was of it */
    uint64_t messages;              /* what msg_per_s counts */
    bool passed;
};
/* Writes each to its path ("-": standard output), replacing it whole. NULL: nothing. */
STE_MUST_CHECK enum ste_code ste_report_write(const struct ste_report *report, const char *json,
                                              const char *csv, struct ste_error *err);
void ste_report_print(const struct ste_report *report, FILE *out);

#endif
