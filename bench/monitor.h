/* SPDX-License-Identifier: Apache-2.0
 * The monitor: looks at every queue, router, node, shard, process and at the machine at a fixed
 * interval, and writes what it sees (samples.h). What does not answer leaves its rows out, is told
 * once on stderr, and is asked again at the next sample.
 *
 * It disturbs little: a passive declare a queue on one channel, a page of /metrics a daemon, two
 * statements a shard; the management API only every 5 s, since the broker itself knows no more.
 * Samples fall on start + k × interval of CLOCK_MONOTONIC; one that takes longer than the interval
 * is followed by that of the next whole one, and those left out are counted. */
#ifndef STE_BENCH_MONITOR_H
#define STE_BENCH_MONITOR_H

#include "bench/command.h"
#include "bench/samples.h"

enum { STE_MONITOR_INTERVAL_MS_MIN = 50, STE_MONITOR_INTERVAL_MS_MAX = 3600000 };

struct ste_monitor_options {
    const struct ste_cluster *cluster;
    const char *out; /* the file of samples */
    const char *lab; /* folder of the lab instance; NULL: that of the map, if it is one */
    uint64_t interval_ms;
    uint64_t seconds; /* 0: until the jobs stop */
    bool beside;      /* ends when it is the last job that runs */
    /* Further rows of each sample, of the kinds that only the caller knows. NULL: none. */
    void (*more)(void *context, struct ste_samples_writer *writer);
    void *context;
};
struct ste_monitor;

/* Begins the file, connects, takes the first sample. `options` is copied; the cluster and the texts
 * outlive the monitor. Errors: STE_E_FILE of the samples; STE_E_CONFIG and STE_E_MQ_REFUSED when
 * the map has no admin of the broker, or it may not enter; STE_E_NOMEM. A broker, daemon or shard
 * that is away is no error. */
STE_MUST_CHECK enum ste_code ste_monitor_open(const struct ste_monitor_options *options,
                                              struct ste_monitor **ret, struct ste_error *err);
/* Takes the samples; a struct ste_bench_job's run. */
enum ste_code ste_monitor_run(void *monitor, struct ste_bench_jobs *jobs, struct ste_error *err);
/* Takes the last sample: at once, or with `settle` as soon as all queues are empty and everything
 * that came in is done, after 2 s at the latest. */
void ste_monitor_last(struct ste_monitor *monitor, bool settle);
/* For meta rows of the caller, before or after the samples. */
struct ste_samples_writer *ste_monitor_writer(struct ste_monitor *monitor);
uint64_t ste_monitor_samples(const struct ste_monitor *monitor); /* so far; from any thread */
/* Ends the file, tells on stderr what the monitor itself has used, frees it. Accepts NULL. Errors:
 * STE_E_FILE; STE_E_TIMEOUT when nothing ever answered. */
STE_MUST_CHECK enum ste_code ste_monitor_close(struct ste_monitor *monitor, struct ste_error *err);

#endif
