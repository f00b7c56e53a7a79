/* SPDX-License-Identifier: Apache-2.0
 * ste-bench drive, and the options that run has in common with it. */
#include <stdio.h>
#include <stdlib.h>

#include "bench/drive_command.h"
#include "bench/progress.h"
#include "mq/names.h"

bool ste_drive_prepare(struct ste_drive *drive, const struct ste_drive_options *o,
                       const struct ste_bench_map *map, const struct ste_set *set, char *key_id,
                       char *run_id)
{
    if (!ste_drive_key_id(map->cluster, o->key, key_id))
        return false;
    if (!o->run_id)
        ste_drive_run_id(run_id);
    *drive = (struct ste_drive){.cluster = map->cluster,
                                .ref = map->ref,
                                .set = set,
                                .role = STE_ROLE_SUBMITTER,
                                .exchange = STE_EXCHANGE_IN,
                                .routing_key = "in",
                                .key_id = key_id,
                                .run_id = o->run_id ? o->run_id : run_id,
                                .batch = (unsigned)o->batch,
                                .in_flight = (unsigned)o->in_flight,
                                .rate = o->rate,
                                .patience_s = (unsigned)o->patience_s};
    return true;
}

struct watch {
    struct ste_drive *drive;
    struct ste_progress progress;
};

static void draw(void *context)
{
    struct watch *watch = context;
    ste_progress_update(&watch->progress, atomic_load(&watch->drive->confirmed_messages));
}

/* The set is open and the map loaded: sends it. */
static int drive_set(const struct ste_drive_options *o, const struct ste_bench_map *map,
                     const struct ste_set *set)
{
    struct ste_drive drive;
    struct ste_error err = {0};
    char key_id[STE_DRIVE_KEY_ID_BYTES], run_id[STE_DRIVE_RUN_ID_BYTES];
    if (!ste_drive_prepare(&drive, o, map, set, key_id, run_id))
        return STE_BENCH_FAILURE;
    uint8_t *done = NULL;
    if (ste_ledger_open(o->ledger, &drive.ledger, &err) != STE_OK ||
        (o->resume && ste_ledger_done(o->ledger, o->run_id, set->header->messages / drive.batch + 1,
                                      &done, &err) != STE_OK)) {
        ste_bench_complain("drive", &err);
        if (drive.ledger)
            (void)!ste_ledger_close(drive.ledger, &err);
        return STE_BENCH_FAILURE;
    }
    drive.done = done;
    struct ste_bench_job job = {.run = ste_drive_run, .context = &drive, .what = "drive"};
    struct watch watch = {.drive = &drive};
    bool interrupted = false;
    ste_progress_start(&watch.progress, "sent", "msg", set->header->messages, o->progress);
    bool good = ste_bench_jobs_run(&job, 1, draw, &watch, &interrupted);
    uint64_t confirmed = atomic_load(&drive.confirmed_messages);
    free(done);
    drive.done = NULL;
    ste_progress_end(&watch.progress, confirmed);
    if (ste_ledger_close(drive.ledger, &err) != STE_OK) {
        ste_bench_complain("drive", &err);
        good = false;
    }
    struct ste_report report = {.set = set,
                                .drive = &drive,
                                .messages = confirmed,
                                .seconds = ste_drive_seconds(&drive),
                                .passed = good && confirmed + drive.skipped_messages ==
                                                      set->header->messages};
    ste_report_print(&report, stderr);
    if (ste_report_json(&report, o->json, &err) != STE_OK) {
        ste_bench_complain("drive", &err);
        report.passed = false;
    }
    if (job.result == STE_E_TIMEOUT)
        return STE_BENCH_TIMED_OUT;
    return report.passed ? STE_BENCH_OK : STE_BENCH_FAILURE;
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
    struct ste_bench_map map;
    struct ste_set set;
    struct ste_error err = {0};
    if (!ste_bench_map_load(&map, o.config, true))
        return STE_BENCH_FAILURE;
    status = STE_BENCH_FAILURE;
    if (ste_set_open(&set, o.set, &err) == STE_OK) {
        status = drive_set(&o, &map, &set);
        ste_set_close(&set);
    } else {
        ste_bench_complain("drive", &err);
    }
    ste_bench_map_deinit(&map);
    return status;
}
