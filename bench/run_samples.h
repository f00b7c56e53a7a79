/* SPDX-License-Identifier: Apache-2.0
 * The monitor beside a run: one more job, with rows of kind driver and pool, and what the run found
 * as meta rows at the end (batch, drivers, rate, trades, messages, seconds, msg_per_s,
 * mean_latency_s, mean_residence_s, residence_messages, passed). The first sample is taken before
 * the first publish, the last one after the last CLS, both with empty queues. */
#ifndef STE_BENCH_RUN_SAMPLES_H
#define STE_BENCH_RUN_SAMPLES_H

#include "bench/monitor.h"
#include "bench/report.h"

struct ste_run_samples {
    /* Given. */
    const char *path; /* NULL: no samples, every function below does nothing */
    uint64_t interval_ms;
    const struct ste_flow *flow;
    const struct ste_pool *pool;
    const struct ste_drive *drives;
    size_t drive_count;
    /* Its own. */
    const struct ste_bench_job *jobs; /* of the pool, then of the drivers */
    struct ste_monitor *monitor;
    enum { STE_RUN_BEFORE, STE_RUN_DURING, STE_RUN_AFTER } phase;
    double pool_cpu_s, drive_cpu_s;
};
#define STE_RUN_SAMPLES_DEFAULTS                                                                   \
    {                                                                                              \
        .interval_ms = 1000                                                                        \
    }
#define STE_RUN_SAMPLES_OPTIONS(s)                                                                 \
    STE_TEXT_OPTION("samples", "FILE", &(s).path, false,                                           \
                    "write what ste-bench monitor sees meanwhile, as CSV"),                        \
        STE_NUMBER_OPTION("interval-ms", "N", &(s).interval_ms, STE_MONITOR_INTERVAL_MS_MIN,       \
                          STE_MONITOR_INTERVAL_MS_MAX, false,                                      \
                          "time between two samples (default 1000)")

/* Opens the monitor. False: complained. */
bool ste_run_samples_open(struct ste_run_samples *samples, const struct ste_cluster *cluster);
/* Puts its job behind those of pool and drivers, which stand in this order; returns the new count.
 */
size_t ste_run_samples_job(struct ste_run_samples *samples, struct ste_bench_job *jobs,
                           size_t count);
/* All jobs have ended: the last sample. */
void ste_run_samples_last(struct ste_run_samples *samples);
/* Writes the meta rows and ends the file. False: complained. */
bool ste_run_samples_close(struct ste_run_samples *samples, const struct ste_report *report,
                           uint64_t batch, uint64_t rate);

#endif
