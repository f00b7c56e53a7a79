/* SPDX-License-Identifier: Apache-2.0
 * ste-bench drive: drivers alone. */
#include <stdio.h>

#include "bench/drive_command.h"
#include "bench/progress.h"

struct watch {
    struct ste_fleet *fleet;
    struct ste_progress progress;
};

static void draw(void *context)
{
    struct watch *watch = context;
    ste_progress_update(&watch->progress, ste_fleet_confirmed(watch->fleet));
}

static int report_drive(const struct ste_drive_options *o, const struct ste_input *input,
                        const struct ste_fleet *fleet, uint64_t skipped, bool good)
{
    struct ste_error err = {0};
    struct ste_drive sum;
    ste_drive_sum(fleet->drives, fleet->count, &sum);
    uint64_t confirmed = atomic_load(&sum.confirmed_messages);
    struct ste_report report = {.header = &input->header,
                                .drive = &sum,
                                .drivers = fleet->count,
                                .skipped_messages = skipped,
                                .messages = confirmed,
                                .seconds = ste_drive_seconds(&sum),
                                .passed = good && confirmed + skipped == input->header.messages};
    if (good || sum.first_publish_ns != 0) /* else why it failed says all */
        ste_report_print(&report, stderr);
    if (ste_report_write(&report, o->json, o->csv, &err) != STE_OK) {
        ste_bench_complain("drive", &err);
        report.passed = false;
    }
    return report.passed ? STE_BENCH_OK : STE_BENCH_FAILURE;
}

/* The input is open and the map loaded: sends it. */
static int drive_input(const struct ste_drive_options *o, const struct ste_bench_map *map,
                       const struct ste_input *input)
{
    struct ste_fleet fleet;
    struct ste_bench_job jobs[STE_DRIVERS_MAX];
    if (!ste_fleet_open(&fleet, "drive", o, map, input, NULL, 0))
        return STE_BENCH_FAILURE;
    ste_fleet_jobs(&fleet, jobs);
    struct watch watch = {.fleet = &fleet};
    bool interrupted = false;
    ste_progress_start(&watch.progress, "sent", "msg", input->header.messages, o->progress);
    bool good = ste_bench_jobs_run(jobs, fleet.count, draw, &watch, &interrupted);
    ste_progress_end(&watch.progress, ste_fleet_confirmed(&fleet));
    uint64_t skipped = ste_source_skipped(fleet.source);
    good = ste_fleet_close(&fleet, "drive") && good;
    int status = report_drive(o, input, &fleet, skipped, good);
    return ste_bench_timed_out(jobs, fleet.count) ? STE_BENCH_TIMED_OUT : status;
}

int ste_bench_drive(int argc, char **argv)
{
    struct ste_drive_options o = STE_DRIVE_DEFAULTS;
    const struct ste_bench_option options[] = {
        STE_DRIVE_OPTIONS(o),
        STE_TEXT_OPTION("ledger", "FILE", &o.ledger, true,
                        "append a line for every confirmed delivery and message"),
        STE_FLAG_OPTION("resume", &o.resume,
                        "send only what the ledger does not name; wants the --run-id and --batch "
                        "of the run that ended early"),
    };
    int status = ste_bench_options(argc, argv, "Signs a set and sends it to ste.in.", options,
                                   sizeof options / sizeof options[0]);
    if (status >= 0)
        return status;
    if (o.resume && !o.run_id) {
        fputs("ste-bench drive: --resume wants the --run-id of the run that ended early\n", stderr);
        return STE_BENCH_USAGE;
    }
    if (!ste_drive_run_id_is_good("drive", &o))
        return STE_BENCH_USAGE;
    struct ste_bench_map map;
    struct ste_input input;
    if (!ste_bench_map_load(&map, o.config, true))
        return STE_BENCH_FAILURE;
    status = ste_input_open(&input, "drive", o.set, &o.plan, &map, NULL);
    if (status < 0) {
        status = drive_input(&o, &map, &input);
        ste_input_close(&input);
    }
    ste_bench_map_deinit(&map);
    return status;
}
