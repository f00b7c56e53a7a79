/* SPDX-License-Identifier: Apache-2.0
 * Log-linear histogram of microseconds: 128 buckets per power of two, so that every value is known
 * to better than 0.8 %; smallest and largest are exact. Fixed memory; one thread. */
#ifndef STE_BENCH_HISTOGRAM_H
#define STE_BENCH_HISTOGRAM_H

#include <stdio.h>
#include <stdint.h>

#include "bench/facts.h"

enum {
    STE_HISTOGRAM_SUB_BITS = 7,
    STE_HISTOGRAM_POWERS = 40, /* values from 2^40 us (12 days) on share the last bucket */
    STE_HISTOGRAM_BUCKETS = (STE_HISTOGRAM_POWERS - STE_HISTOGRAM_SUB_BITS + 1)
                            << STE_HISTOGRAM_SUB_BITS,
};

struct ste_histogram {
    uint64_t count, smallest_us, largest_us, sum_us;
    uint64_t buckets[STE_HISTOGRAM_BUCKETS];
};

void ste_histogram_init(struct ste_histogram *histogram);
void ste_histogram_add(struct ste_histogram *histogram, uint64_t value_us);
/* Adds all values of `from`, as another thread gathered them. */
void ste_histogram_merge(struct ste_histogram *into, const struct ste_histogram *from);
/* The value that `percent` (0 … 100) of all values do not pass; 0 when there are none. The answer
 * is the upper end of its bucket, never above the largest value. */
uint64_t ste_histogram_percentile_us(const struct ste_histogram *histogram, double percent);
/* The group `name`: p0, p50, p90, p95, p99, p99.9, p99.99, p100, mean (milliseconds) and count. */
void ste_histogram_put(const struct ste_histogram *histogram, const char *name,
                       struct ste_facts *facts);
/* The same as a line for people. */
void ste_histogram_print(const struct ste_histogram *histogram, const char *name, FILE *out);

#endif
