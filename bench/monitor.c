/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/monitor.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "bench/monitor_parts.h"

enum { SLICE_MS = 50, IDLE_EVERY_MS = 1000, SETTLE_MS = 2000, SETTLE_STEP_MS = 50 };
static const uint64_t fds_every_ns = 5 * STE_NS_PER_S;

struct ste_monitor {
    struct ste_monitor_options options;
    const char *lab; /* NULL: none */
    struct ste_samples_writer *writer;
    struct ste_monitor_processes *processes;
    struct ste_monitor_broker *broker;
    struct ste_monitor_daemons *daemons;
    struct ste_monitor_shards *shards;
    uint64_t start_ns, slowest_ns, late, cpu_ns;
    bool answered;   /* something, once */
    uint64_t fds_ns; /* when file descriptors were counted last */
    _Atomic uint64_t samples;
};

void ste_outage_tell(struct ste_outage *outage, const char *what, const struct ste_error *err)
{
    if (!outage->told)
        fprintf(stderr, "ste-bench: monitor: %s: %s\n", what,
                err->text[0] ? err->text : ste_code_text(err->code));
    outage->told = true;
}

/* One moment. Processor time first, since a loaded machine may take long over the rest; then
 * daemons and queues, close together; what the disk tells last. */
static void sample(struct ste_monitor *monitor, bool with_data)
{
    struct ste_samples_writer *writer = monitor->writer;
    struct ste_monitor_balance balance = {.complete = true};
    const uint64_t begun_ns = ste_clock_mono_ns(), begun_cpu_ns = ste_clock_thread_cpu_ns();
    const bool with_fds = with_data || begun_ns - monitor->fds_ns >= fds_every_ns;
    if (with_fds)
        monitor->fds_ns = begun_ns;
    ste_samples_at(writer, begun_ns / STE_NS_PER_US);
    ste_monitor_processes_sample(monitor->processes, with_fds, writer);
    if (monitor->options.more)
        monitor->options.more(monitor->options.context, writer);
    ste_monitor_daemons_sample(monitor->daemons, monitor->processes, writer, &balance);
    ste_monitor_broker_sample(monitor->broker, writer, &balance);
    if (ste_monitor_shards_sample(monitor->shards, writer) || balance.any)
        monitor->answered = true;
    if (with_data)
        ste_monitor_data_sample(monitor->processes, writer);
    const uint64_t took_ns = ste_clock_mono_ns() - begun_ns;
    if (took_ns > monitor->slowest_ns)
        monitor->slowest_ns = took_ns;
    monitor->cpu_ns += ste_clock_thread_cpu_ns() - begun_cpu_ns;
    atomic_fetch_add(&monitor->samples, 1);
}

static enum ste_code open_all(struct ste_monitor *monitor, struct ste_error *err)
{
    const struct ste_cluster *cluster = monitor->options.cluster;
    enum ste_code rc = ste_samples_create(monitor->options.out, &monitor->writer, err);
    if (rc == STE_OK)
        rc = ste_monitor_processes_open(monitor->lab, cluster,
                                        monitor->options.beside ? "bench" : "monitor",
                                        &monitor->processes, err);
    if (rc == STE_OK)
        rc = ste_monitor_broker_open(cluster, &monitor->broker, err);
    if (rc == STE_OK)
        rc = ste_monitor_daemons_open(cluster, &monitor->daemons, err);
    if (rc == STE_OK)
        rc = ste_monitor_shards_open(cluster, &monitor->shards, err);
    return rc;
}

static void close_all(struct ste_monitor *monitor)
{
    uint64_t api_cpu_ns = 0;
    ste_monitor_broker_close(monitor->broker, &api_cpu_ns);
    ste_monitor_daemons_close(monitor->daemons);
    ste_monitor_shards_close(monitor->shards);
    ste_monitor_processes_close(monitor->processes);
    monitor->cpu_ns += api_cpu_ns;
}

enum ste_code ste_monitor_open(const struct ste_monitor_options *options, struct ste_monitor **ret,
                               struct ste_error *err)
{
    struct ste_monitor *monitor = calloc(1, sizeof *monitor);
    if (!monitor)
        return ste_error_set(err, STE_E_NOMEM, "no memory for the monitor");
    monitor->options = *options;
    monitor->lab = options->lab;
    if (!monitor->lab && ste_monitor_is_lab(options->cluster->folder))
        monitor->lab = options->cluster->folder;
    enum ste_code rc = open_all(monitor, err);
    if (rc == STE_OK) {
        ste_monitor_meta(options, monitor->lab, monitor->writer);
        monitor->start_ns = ste_clock_mono_ns();
        sample(monitor, true);
        *ret = monitor;
        return STE_OK;
    }
    close_all(monitor);
    struct ste_error another = {0};
    if (ste_samples_finish(monitor->writer, &another) != STE_OK)
        ste_bench_complain("monitor", &another);
    free(monitor);
    return rc;
}

/* True: time for a sample. Wakes up now and then for heartbeats and to see whether it is alone. */
static bool wait_until(struct ste_monitor *monitor, struct ste_bench_jobs *jobs, uint64_t due_ns)
{
    uint64_t idle_ns = ste_clock_mono_ns() + IDLE_EVERY_MS * STE_NS_PER_MS;
    for (uint64_t now_ns; (now_ns = ste_clock_mono_ns()) < due_ns;) {
        const uint64_t slice_ns =
            (monitor->options.beside ? SLICE_MS : IDLE_EVERY_MS) * STE_NS_PER_MS;
        const uint64_t wait_ns = due_ns - now_ns < slice_ns ? due_ns - now_ns : slice_ns;
        const struct timespec wait = {.tv_nsec = (long)(wait_ns % STE_NS_PER_S),
                                      .tv_sec = (time_t)(wait_ns / STE_NS_PER_S)};
        struct pollfd wake = {.fd = jobs->wake_fd, .events = POLLIN};
        (void)ppoll(&wake, 1, &wait, NULL);
        if (ste_bench_stopping(jobs) ||
            (monitor->options.beside && atomic_load(&jobs->running) <= 1))
            return false;
        if (now_ns >= idle_ns) {
            ste_monitor_broker_idle(monitor->broker);
            idle_ns = now_ns + IDLE_EVERY_MS * STE_NS_PER_MS;
        }
    }
    return true;
}

enum ste_code ste_monitor_run(void *context, struct ste_bench_jobs *jobs, struct ste_error *err)
{
    struct ste_monitor *monitor = context;
    const uint64_t interval_ns = monitor->options.interval_ms * STE_NS_PER_MS;
    const uint64_t end_ns = monitor->options.seconds == 0
                                ? UINT64_MAX
                                : monitor->start_ns + monitor->options.seconds * STE_NS_PER_S;
    (void)err;
    for (uint64_t tick = 1;; tick++) {
        const uint64_t now_ns = ste_clock_mono_ns();
        const uint64_t passed = (now_ns - monitor->start_ns) / interval_ns;
        if (passed >= tick) { /* the last one took longer: those that were due are left out */
            monitor->late += passed + 1 - tick;
            tick = passed + 1;
        }
        const uint64_t due_ns = monitor->start_ns + tick * interval_ns;
        /* The end has a sample of its own, by ste_monitor_last. */
        if (!wait_until(monitor, jobs, due_ns < end_ns ? due_ns : end_ns) || due_ns >= end_ns)
            return STE_OK;
        sample(monitor, false);
    }
}

static bool is_settled(struct ste_monitor *monitor)
{
    struct ste_monitor_balance balance = {.complete = true};
    ste_monitor_daemons_sample(monitor->daemons, monitor->processes, NULL, &balance);
    ste_monitor_broker_sample(monitor->broker, NULL, &balance);
    return balance.complete && balance.ready == 0 && balance.arrivals == balance.completions;
}

void ste_monitor_last(struct ste_monitor *monitor, bool settle)
{
    const uint64_t limit_ns = ste_clock_mono_ns() + SETTLE_MS * STE_NS_PER_MS;
    while (settle && !is_settled(monitor) && ste_clock_mono_ns() < limit_ns)
        ste_clock_sleep_ms(SETTLE_STEP_MS);
    sample(monitor, true);
}

struct ste_samples_writer *ste_monitor_writer(struct ste_monitor *monitor)
{
    return monitor->writer;
}

uint64_t ste_monitor_samples(const struct ste_monitor *monitor)
{
    return atomic_load(&monitor->samples);
}

static void put_meta(struct ste_monitor *monitor, const char *quantity, double value)
{
    char text[32];
    snprintf(text, sizeof text, "%.6g", value);
    ste_samples_meta(monitor->writer, quantity, text);
}

enum ste_code ste_monitor_close(struct ste_monitor *monitor, struct ste_error *err)
{
    if (!monitor)
        return STE_OK;
    const double seconds = (double)(ste_clock_mono_ns() - monitor->start_ns) / 1e9;
    close_all(monitor);
    const double cpu_s = (double)monitor->cpu_ns / 1e9;
    put_meta(monitor, "late_samples", (double)monitor->late);
    put_meta(monitor, "slowest_sample_s", (double)monitor->slowest_ns / 1e9);
    put_meta(monitor, "monitor_cpu_s", cpu_s);
    fprintf(stderr,
            "monitor %llu samples in %.1f s, %llu late, the slowest took %.0f ms; it used %.2f %% "
            "of a core\n",
            (unsigned long long)monitor->samples, seconds, (unsigned long long)monitor->late,
            (double)monitor->slowest_ns / 1e6, seconds > 0 ? 100 * cpu_s / seconds : 0);
    enum ste_code rc = ste_samples_finish(monitor->writer, err);
    if (rc == STE_OK && !monitor->answered)
        rc = ste_error_set(err, STE_E_TIMEOUT, "no broker, router, node or shard ever answered");
    free(monitor);
    return rc;
}
