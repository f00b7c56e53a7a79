/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "bench/monitor.h"
#include "bench/progress.h"

struct watch {
    struct ste_monitor *monitor;
    struct ste_progress progress;
};

static void draw(void *context)
{
    struct watch *watch = context;
    ste_progress_update(&watch->progress, ste_monitor_samples(watch->monitor));
}

static int run(const struct ste_monitor_options *options, bool progress)
{
    struct ste_error err = {0};
    struct watch watch = {0};
    bool interrupted = false;
    if (ste_monitor_open(options, &watch.monitor, &err) != STE_OK) {
        ste_bench_complain("monitor", &err);
        return STE_BENCH_FAILURE;
    }
    struct ste_bench_job job = {
        .run = ste_monitor_run, .context = watch.monitor, .what = "monitor"};
    const uint64_t total =
        options->seconds > 0 ? options->seconds * 1000 / options->interval_ms + 1 : 0;
    ste_progress_start(&watch.progress, "taken", "samples", total, progress);
    bool good = ste_bench_jobs_run(&job, 1, draw, &watch, &interrupted);
    ste_monitor_last(watch.monitor, false);
    ste_progress_end(&watch.progress, ste_monitor_samples(watch.monitor));
    if (ste_monitor_close(watch.monitor, &err) != STE_OK) {
        ste_bench_complain("monitor", &err);
        good = false;
    }
    return good ? STE_BENCH_OK : STE_BENCH_FAILURE;
}

int ste_bench_monitor(int argc, char **argv)
{
    struct ste_monitor_options o = {.interval_ms = 1000};
    const char *config = NULL;
    bool progress = false;
    const struct ste_bench_option options[] = {
        STE_TEXT_OPTION("config", "FILE", &config, true, "the cluster map"),
        STE_TEXT_OPTION("out", "FILE", &o.out, true, "where the samples go, as CSV"),
        STE_TEXT_OPTION("lab", "DIR", &o.lab, false,
                        "instance of the lab: CPU and memory of broker and shards, bytes on disk "
                        "(default: the map's folder, if it is one)"),
        STE_NUMBER_OPTION("interval-ms", "N", &o.interval_ms, STE_MONITOR_INTERVAL_MS_MIN,
                          STE_MONITOR_INTERVAL_MS_MAX, false,
                          "time between two samples (default 1000)"),
        STE_NUMBER_OPTION("seconds", "N", &o.seconds, 1, 1000000, false,
                          "how long (default: until SIGINT or SIGTERM)"),
        STE_FLAG_OPTION("progress", &progress, "show progress even without a terminal"),
    };
    int status =
        ste_bench_options(argc, argv, "Samples queues, routers, nodes, shards and the machine.",
                          options, sizeof options / sizeof options[0]);
    if (status >= 0)
        return status;
    struct ste_bench_map map;
    if (!ste_bench_map_load(&map, config, false))
        return STE_BENCH_FAILURE;
    o.cluster = map.cluster;
    status = run(&o, progress);
    ste_bench_map_deinit(&map);
    return status;
}
