/* SPDX-License-Identifier: Apache-2.0
 * What a quality-of-service sweep found, as table, JSON and closing line. Pure. */
#ifndef STE_BENCH_QOS_REPORT_H
#define STE_BENCH_QOS_REPORT_H

#include "bench/qos.h"
#include "bench/table.h"

struct ste_qos_report {
    const struct ste_qos_options *options;
    struct ste_qos_result *results;
    size_t count;
    bool complete; /* the whole plan was measured */
};

/* *ret is the caller's. Errors: STE_E_NOMEM. */
STE_MUST_CHECK enum ste_code ste_qos_report_table(const struct ste_qos_report *report,
                                                  struct ste_table **ret, struct ste_error *err);
/* Received a second in a round, durable over volatile, at full speed from one sender to one
 * receiver with one key. False: that pair was not measured with this size. */
bool ste_qos_report_ratio(const struct ste_qos_report *report, uint64_t round, uint64_t bytes,
                          double *ret);
/* One line with the median of all such ratios, and their spread; or that there is none. */
void ste_qos_report_closing(const struct ste_qos_report *report, FILE *out);
/* A line for each point of which something is lost or came twice. False: a durable one is among
 * them. */
bool ste_qos_report_losses(const struct ste_qos_report *report, FILE *out);
/* {"experiment", "mode", "seconds", "complete", "points", "runs", "ratios"}: what ste-bench compare
 * reads. `table` is the report's. False: no memory. */
bool ste_qos_report_json(const struct ste_qos_report *report, const struct ste_table *table,
                         struct ste_buf *out);

#endif
