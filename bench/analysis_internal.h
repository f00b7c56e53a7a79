/* SPDX-License-Identifier: Apache-2.0
 * Between the files of the analysis. */
#ifndef STE_BENCH_ANALYSIS_INTERNAL_H
#define STE_BENCH_ANALYSIS_INTERNAL_H

#include "bench/analysis.h"

struct work {
    struct ste_growth growth;
    struct ste_analysis *analysis;
    /* Since the first sample, at each time; NULL where it was not sampled. */
    const double *confirmed, *driver_cpu, *router_present;
    const double *entered, *cleared; /* the system's arrivals and completions: never NULL */
};

/* analysis.c: fills analysis->stages, counts only. */
void ste_stages_measure(struct work *work);
/* analysis_system.c: the value of gauges summed at each time (that of the sample before), times
 * `factor`; names fit as in ste_growth_of. NULL: not sampled, or lack of memory. */
double *ste_gauge_of(struct work *work, enum ste_quantity quantity, const char *name,
                     double factor);

/* A row of kind meta as a number; `otherwise` where there is none, or no number. */

#endif
