/* SPDX-License-Identifier: Apache-2.0
 * ste-bench run: driver and pool as two threads of one process, on one clock, so that the latency
 * of every trade is known and the messages on their way can be bounded. */
#include <stdio.h>

#include "bench/drive_command.h"
#include "bench/progress.h"

struct run_options {
    struct ste_drive_options drive;
    const char *cls_ledger;
    uint64_t outstanding, idle_s;
};

struct watch {
    struct ste_drive *drive;
    struct ste_pool *pool;
    struct ste_flow *flow;
    struct ste_progress progress;
};

/* Progress is what is through: messages of cleared trades. */
static void draw(void *context)
{
    struct watch *watch = context;
    ste_progress_update(&watch->progress, atomic_load(&watch->flow->cleared_messages));
}

static bool open_ledgers(const struct run_options *o, struct ste_drive *drive,
                         struct ste_pool *pool)
{
    struct ste_error err = {0};
    enum ste_code rc = STE_OK;
    if (o->drive.ledger)
        rc = ste_ledger_open(o->drive.ledger, &drive->ledger, &err);
    if (rc == STE_OK && o->cls_ledger)
        rc = ste_ledger_open(o->cls_ledger, &pool->ledger, &err);
    if (rc != STE_OK)
        ste_bench_complain("run", &err);
    return rc == STE_OK;
}

static bool close_ledger(struct ste_ledger *ledger)
{
    struct ste_error err = {0};
    if (ste_ledger_close(ledger, &err) == STE_OK)
        return true;
    ste_bench_complain("run", &err);
    return false;
}

static int report_run(const struct run_options *o, const struct ste_drive *drive,
                      const struct ste_pool *pool, const struct ste_flow *flow, bool good)
{
    struct ste_error err = {0};
    struct ste_report report = {.set = drive->set, .drive = drive, .pool = pool};
    ste_histogram_init(&report.latency);
    uint64_t missing = ste_flow_latency(flow, &report.latency);
    uint64_t end_ns =
        pool->last_ns > drive->last_confirm_ns ? pool->last_ns : drive->last_confirm_ns;
    if (drive->first_publish_ns != 0 && end_ns > drive->first_publish_ns)
        report.seconds = (double)(end_ns - drive->first_publish_ns) / 1e9;
    report.messages = atomic_load(&drive->confirmed_messages);
    report.passed = good && missing == 0 && pool->conflicts == 0 && pool->malformed == 0 &&
                    report.messages == drive->set->header->messages;
    ste_report_print(&report, stderr);
    if (missing > 0)
        fprintf(stderr, "missing %llu trades have no CLS\n", (unsigned long long)missing);
    if (ste_report_json(&report, o->drive.json, &err) != STE_OK) {
        ste_bench_complain("run", &err);
        report.passed = false;
    }
    if (good && pool->timed_out)
        return STE_BENCH_TIMED_OUT;
    return report.passed ? STE_BENCH_OK : STE_BENCH_FAILURE;
}

static int run_set(const struct run_options *o, const struct ste_bench_map *map,
                   const struct ste_set *set, struct ste_flow *flow)
{
    struct ste_drive drive;
    char key_id[STE_DRIVE_KEY_ID_BYTES], run_id[STE_DRIVE_RUN_ID_BYTES];
    if (!ste_drive_prepare(&drive, &o->drive, map, set, key_id, run_id))
        return STE_BENCH_FAILURE;
    drive.flow = flow;
    drive.outstanding_max = o->outstanding;
    struct ste_pool pool = {.cluster = map->cluster,
                            .flow = flow,
                            .expect = set->header->cls,
                            .idle_s = (unsigned)o->idle_s};
    int status = STE_BENCH_FAILURE;
    if (open_ledgers(o, &drive, &pool)) {
        struct ste_bench_job jobs[] = {
            {.run = ste_pool_run, .context = &pool, .what = "pool"},
            {.run = ste_drive_run, .context = &drive, .what = "drive"},
        };
        struct watch watch = {.drive = &drive, .pool = &pool, .flow = flow};
        bool interrupted = false;
        ste_progress_start(&watch.progress, "cleared", "msg", set->header->messages,
                           o->drive.progress);
        bool good = ste_bench_jobs_run(jobs, 2, draw, &watch, &interrupted);
        ste_progress_end(&watch.progress, atomic_load(&flow->cleared_messages));
        good = close_ledger(drive.ledger) && good;
        good = close_ledger(pool.ledger) && good;
        status = report_run(o, &drive, &pool, flow, good && !interrupted);
    } else {
        (void)close_ledger(drive.ledger);
    }
    ste_pool_deinit(&pool);
    return status;
}

/* With a bound, a trade must be complete before the bound is reached, or all would wait for ever.
 */
static bool bound_fits(const struct run_options *o, const struct ste_set *set)
{
    uint64_t window = set->header->shuffle_window;
    if (o->outstanding == 0 ||
        (window <= UINT32_MAX && o->outstanding >= 2 * window + 2 * o->drive.batch + 700))
        return true;
    fprintf(stderr,
            "ste-bench run: --outstanding %llu is too small for a set shuffled within %llu "
            "messages, %llu a delivery\n",
            (unsigned long long)o->outstanding, (unsigned long long)window,
            (unsigned long long)o->drive.batch);
    return false;
}

int ste_bench_run(int argc, char **argv)
{
    struct run_options o = {.drive = STE_DRIVE_DEFAULTS, .idle_s = 30};
    const struct ste_bench_option options[] = {
        STE_DRIVE_OPTIONS(o.drive),
        STE_TEXT_OPTION("ledger", "FILE", &o.drive.ledger, false, "the driver's ledger"),
        STE_TEXT_OPTION("cls-ledger", "FILE", &o.cls_ledger, false, "the pool's ledger"),
        STE_NUMBER_OPTION("outstanding", "N", &o.outstanding, 0, UINT32_MAX, false,
                          "at most N messages between publish and CLS (default 0: no bound)"),
        STE_NUMBER_OPTION("idle", "S", &o.idle_s, 1, 86400, false,
                          "give up after S seconds without confirm and CLS (default 30)"),
    };
    int status = ste_bench_options(argc, argv, "Sends a set and waits for its clearing messages.",
                                   options, sizeof options / sizeof options[0]);
    if (status >= 0)
        return status;
    struct ste_bench_map map;
    struct ste_set set = {0};
    struct ste_flow flow;
    struct ste_error err = {0};
    if (!ste_bench_map_load(&map, o.drive.config, true))
        return STE_BENCH_FAILURE;
    status = STE_BENCH_FAILURE;
    enum ste_code rc = ste_set_open(&set, o.drive.set, &err);
    if (rc == STE_OK && !bound_fits(&o, &set)) {
        status = STE_BENCH_USAGE;
    } else if (rc == STE_OK && (rc = ste_flow_init(&flow, &set, &err)) == STE_OK) {
        status = run_set(&o, &map, &set, &flow);
        ste_flow_deinit(&flow);
    }
    if (rc != STE_OK)
        ste_bench_complain("run", &err);
    ste_set_close(&set);
    ste_bench_map_deinit(&map);
    return status;
}
