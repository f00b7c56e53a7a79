/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/run_samples.h"

#include <stdio.h>
#include <time.h>

/* CPU of a job's thread: by its clock while it runs, by what it left behind once it is joined. In
 * between the clock is gone, and what was known last stands. */
static void add_cpu(const struct ste_run_samples *samples, size_t job, double *sum_s)
{
    clockid_t clock;
    struct timespec now;
    if (samples->phase == STE_RUN_AFTER)
        *sum_s += (double)samples->jobs[job].cpu_ns / 1e9;
    else if (samples->phase == STE_RUN_DURING &&
             pthread_getcpuclockid(samples->jobs[job].thread, &clock) == 0 &&
             clock_gettime(clock, &now) == 0)
        *sum_s += (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static double at_least(double *known, double now)
{
    if (now > *known)
        *known = now;
    return *known;
}

static void put_rows(void *context, struct ste_samples_writer *writer)
{
    struct ste_run_samples *samples = context;
    double pool_s = 0, drive_s = 0;
    uint64_t published = 0;
    add_cpu(samples, 0, &pool_s);
    for (size_t i = 0; i < samples->drive_count; i++) {
        add_cpu(samples, 1 + i, &drive_s);
        published += atomic_load(&samples->drives[i].published_messages);
    }
    ste_samples_put(writer, STE_Q_DRIVER_SENT, "driver", "", (double)published);
    ste_samples_put(writer, STE_Q_DRIVER_CONFIRMED, "driver", "",
                    (double)atomic_load(&samples->flow->confirmed_messages));
    ste_samples_put(writer, STE_Q_DRIVER_CPU, "driver", "",
                    at_least(&samples->drive_cpu_s, drive_s));
    ste_samples_put(writer, STE_Q_POOL_CLS, "pool", "",
                    (double)atomic_load(&samples->pool->seen_trades));
    ste_samples_put(writer, STE_Q_POOL_CLEARED, "pool", "",
                    (double)atomic_load(&samples->flow->cleared_messages));
    ste_samples_put(writer, STE_Q_POOL_CPU, "pool", "", at_least(&samples->pool_cpu_s, pool_s));
}

bool ste_run_samples_open(struct ste_run_samples *samples, const struct ste_cluster *cluster)
{
    struct ste_error err = {0};
    const struct ste_monitor_options options = {.cluster = cluster,
                                                .out = samples->path,
                                                .interval_ms = samples->interval_ms,
                                                .beside = true,
                                                .more = put_rows,
                                                .context = samples};
    if (!samples->path || ste_monitor_open(&options, &samples->monitor, &err) == STE_OK)
        return true;
    ste_bench_complain("samples", &err);
    return false;
}

/* It starts last: the threads of the others are known by then. */
static enum ste_code run(void *context, struct ste_bench_jobs *jobs, struct ste_error *err)
{
    struct ste_run_samples *samples = context;
    samples->phase = STE_RUN_DURING;
    return ste_monitor_run(samples->monitor, jobs, err);
}

size_t ste_run_samples_job(struct ste_run_samples *samples, struct ste_bench_job *jobs,
                           size_t count)
{
    samples->jobs = jobs;
    if (samples->monitor)
        jobs[count++] = (struct ste_bench_job){.run = run, .context = samples, .what = "samples"};
    return count;
}

void ste_run_samples_last(struct ste_run_samples *samples)
{
    if (!samples->monitor)
        return;
    samples->phase = STE_RUN_AFTER;
    ste_monitor_last(samples->monitor, true);
    samples->jobs = NULL;
}

static void put(struct ste_samples_writer *writer, const char *quantity, double value)
{
    char text[32];
    snprintf(text, sizeof text, "%.10g", value);
    ste_samples_meta(writer, quantity, text);
}

static void put_report(struct ste_samples_writer *writer, const struct ste_report *report,
                       uint64_t batch, uint64_t rate)
{
    put(writer, "batch", (double)batch);
    put(writer, "drivers", report->drivers);
    put(writer, "rate", (double)rate);
    if (report->header)
        put(writer, "trades", (double)report->header->trades);
    put(writer, "messages", (double)report->messages);
    put(writer, "seconds", report->seconds);
    if (report->seconds > 0)
        put(writer, "msg_per_s", (double)report->messages / report->seconds);
    if (report->latency.count > 0)
        put(writer, "mean_latency_s",
            (double)report->latency.sum_us / (double)report->latency.count / 1e6);
    if (report->residence_messages > 0) {
        put(writer, "mean_residence_s", report->mean_residence_ms / 1e3);
        put(writer, "residence_messages", (double)report->residence_messages);
    }
    ste_samples_meta(writer, "passed", report->passed ? "true" : "false");
}

bool ste_run_samples_close(struct ste_run_samples *samples, const struct ste_report *report,
                           uint64_t batch, uint64_t rate)
{
    struct ste_error err = {0};
    if (!samples->monitor)
        return true;
    put_report(ste_monitor_writer(samples->monitor), report, batch, rate);
    const enum ste_code rc = ste_monitor_close(samples->monitor, &err);
    samples->monitor = NULL;
    if (rc != STE_OK)
        ste_bench_complain("samples", &err);
    return rc == STE_OK;
}
