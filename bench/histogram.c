/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/histogram.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

void ste_histogram_init(struct ste_histogram *histogram)
{
    memset(histogram, 0, sizeof *histogram);
    histogram->smallest_us = UINT64_MAX;
}

/* Below 128 a bucket is one microsecond; above, the highest bit picks a row of 128 buckets and the
 * next seven bits one of them. */
static size_t bucket_of(uint64_t value_us)
{
    if (value_us < UINT64_C(1) << STE_HISTOGRAM_SUB_BITS)
        return (size_t)value_us;
    if (value_us >= UINT64_C(1) << STE_HISTOGRAM_POWERS)
        return STE_HISTOGRAM_BUCKETS - 1;
    unsigned power = 63 - (unsigned)__builtin_clzll(value_us);
    unsigned shift = power - STE_HISTOGRAM_SUB_BITS;
    uint64_t sub = (value_us >> shift) - (UINT64_C(1) << STE_HISTOGRAM_SUB_BITS);
    return ((size_t)(shift + 1) << STE_HISTOGRAM_SUB_BITS) + (size_t)sub;
}

/* The largest value that falls into the bucket. */
static uint64_t bucket_end_us(size_t bucket)
{
    size_t row = bucket >> STE_HISTOGRAM_SUB_BITS;
    uint64_t sub = bucket & ((UINT64_C(1) << STE_HISTOGRAM_SUB_BITS) - 1);
    if (row == 0)
        return sub;
    return ((sub + (UINT64_C(1) << STE_HISTOGRAM_SUB_BITS) + 1) << (row - 1)) - 1;
}

void ste_histogram_add(struct ste_histogram *histogram, uint64_t value_us)
{
    histogram->buckets[bucket_of(value_us)]++;
    histogram->count++;
    histogram->sum_us += value_us;
    if (value_us < histogram->smallest_us)
        histogram->smallest_us = value_us;
    if (value_us > histogram->largest_us)
        histogram->largest_us = value_us;
}

void ste_histogram_merge(struct ste_histogram *into, const struct ste_histogram *from)
{
    for (size_t i = 0; i < STE_HISTOGRAM_BUCKETS; i++)
        into->buckets[i] += from->buckets[i];
    into->count += from->count;
    into->sum_us += from->sum_us;
    if (from->smallest_us < into->smallest_us)
        into->smallest_us = from->smallest_us;
    if (from->largest_us > into->largest_us)
        into->largest_us = from->largest_us;
}

uint64_t ste_histogram_percentile_us(const struct ste_histogram *histogram, double percent)
{
    if (histogram->count == 0)
        return 0;
    if (percent <= 0)
        return histogram->smallest_us;
    uint64_t rank = (uint64_t)ceil((double)histogram->count * percent / 100.0 - 1e-9);
    uint64_t seen = 0;
    for (size_t i = 0; i < STE_HISTOGRAM_BUCKETS; i++) {
        seen += histogram->buckets[i];
        if (seen >= rank) {
            uint64_t end_us = bucket_end_us(i);
            if (i == STE_HISTOGRAM_BUCKETS - 1 || end_us > histogram->largest_us)
                return histogram->largest_us;
            return end_us > histogram->smallest_us ? end_us : histogram->smallest_us;
        }
    }
    return histogram->largest_us;
}

static const struct {
    const char *name;
    double percent;
} percentiles[] = {{"p0", 0},   {"p50", 50},     {"p90", 90},       {"p95", 95},
                   {"p99", 99}, {"p99.9", 99.9}, {"p99.99", 99.99}, {"p100", 100}};

static double percentile_ms(const struct ste_histogram *histogram, double percent)
{
    return (double)ste_histogram_percentile_us(histogram, percent) / 1000.0;
}

void ste_histogram_put(const struct ste_histogram *histogram, const char *name,
                       struct ste_facts *facts)
{
    ste_facts_group(facts, name);
    for (size_t i = 0; i < sizeof percentiles / sizeof percentiles[0]; i++)
        ste_facts_double(facts, percentiles[i].name,
                         percentile_ms(histogram, percentiles[i].percent), 3);
    double mean_ms =
        histogram->count ? (double)histogram->sum_us / (double)histogram->count / 1000.0 : 0.0;
    ste_facts_double(facts, "mean", mean_ms, 3);
    ste_facts_uint(facts, "count", histogram->count);
    ste_facts_end_group(facts);
}

void ste_histogram_print(const struct ste_histogram *histogram, const char *name, FILE *out)
{
    fputs(name, out);
    for (size_t i = 0; i < sizeof percentiles / sizeof percentiles[0]; i++)
        fprintf(out, "  %s %.1f", percentiles[i].name,
                percentile_ms(histogram, percentiles[i].percent));
    fputs(" ms\n", out);
}
