/* SPDX-License-Identifier: Apache-2.0
 * Reading what a daemon's /metrics says: Prometheus text format 0.0.4. Pure. */
#ifndef STE_BENCH_PROMETHEUS_H
#define STE_BENCH_PROMETHEUS_H

#include "base/bytes.h"

struct ste_prometheus_line {
    struct ste_bytes name, labels; /* labels: what stands between the braces; views into the text */
    double value;
};
/* The next sample of the text, which is shortened to what follows it. Comments and lines that are
 * no sample are passed over. False: no more. */
bool ste_prometheus_next(struct ste_bytes *text, struct ste_prometheus_line *ret);
/* A label's value as written, escapes and all; absent when the line has no such label. */
struct ste_bytes ste_prometheus_label(const struct ste_prometheus_line *line, const char *label);

#endif
