/* SPDX-License-Identifier: Apache-2.0
 * ste-bench run: drivers and pool as threads of one process, on one clock, so that the latency
 * of every trade is known and the messages on their way can be bounded. */
#include <stdio.h>

#include "bench/drive_command.h"
#include "bench/progress.h"
#include "bench/run_samples.h"

struct run_options {
    struct ste_drive_options drive;
    const char *cls_ledger;
    uint64_t outstanding, idle_s;
    struct ste_run_samples samples;
};

/* One run: everything that its threads work on. */
struct run {
    const struct run_options *o;
    const struct ste_input *input;
    struct ste_flow *flow;
    struct ste_fleet fleet;
    struct ste_pool pool;
    struct ste_progress progress;
    struct ste_run_samples samples;
};

/* Progress is what is through: messages of cleared trades. */
static void draw(void *context)
{
    struct run *run = context;
    ste_progress_update(&run->progress, atomic_load(&run->flow->cleared_messages));
}

static bool close_ledger(struct ste_ledger *ledger)
{
    struct ste_error err = {0};
    if (ste_ledger_close(ledger, &err) == STE_OK)
        return true;
    ste_bench_complain("run", &err);
    return false;
}

static void measure(const struct run *run, const struct ste_drive *sum, struct ste_report *report)
{
    const struct ste_pool *pool = &run->pool;
    ste_histogram_init(&report->latency);
    ste_histogram_init(&report->scheduled);
    (void)ste_flow_latency(run->flow, &report->latency, &report->scheduled);
    report->mean_residence_ms = ste_flow_residence_ms(run->flow, &report->residence_messages);
    uint64_t end_ns = pool->last_ns > sum->last_confirm_ns ? pool->last_ns : sum->last_confirm_ns;
    if (sum->first_publish_ns != 0 && end_ns > sum->first_publish_ns)
        report->seconds = (double)(end_ns - sum->first_publish_ns) / 1e9;
    report->messages = atomic_load(&sum->confirmed_messages);
}

static int report_run(struct run *run, bool good)
{
    struct ste_error err = {0};
    const struct ste_pool *pool = &run->pool;
    struct ste_drive sum;
    ste_drive_sum(run->fleet.drives, run->fleet.count, &sum);
    struct ste_report report = {
        .header = &run->input->header, .drive = &sum, .drivers = run->fleet.count, .pool = pool};
    measure(run, &sum, &report);
    report.passed = good && ste_pool_missing(pool) == 0 && pool->unexpected == 0 &&
                    pool->conflicts == 0 && pool->malformed == 0 &&
                    report.messages == run->input->header.messages;
    report.passed &=
        ste_run_samples_close(&run->samples, &report, run->o->drive.batch, run->o->drive.rate);
    if (good || sum.first_publish_ns != 0) /* else why it failed says all */
        ste_report_print(&report, stderr);
    ste_pool_tell_timeout(pool);
    if (ste_report_write(&report, run->o->drive.json, run->o->drive.csv, &err) != STE_OK) {
        ste_bench_complain("run", &err);
        report.passed = false;
    }
    if (good && pool->timed_out)
        return STE_BENCH_TIMED_OUT;
    return report.passed ? STE_BENCH_OK : STE_BENCH_FAILURE;
}

/* Fleet and ledgers are open. */
static int run_jobs(struct run *run)
{
    struct ste_bench_job jobs[2 + STE_DRIVERS_MAX] = {
        {.run = ste_pool_run, .context = &run->pool, .what = "pool"}};
    size_t count = 1 + run->fleet.count;
    bool interrupted = false;
    ste_fleet_jobs(&run->fleet, jobs + 1);
    count = ste_run_samples_job(&run->samples, jobs, count);
    run->flow->to_confirm = run->input->header.messages;
    ste_progress_start(&run->progress, "cleared", "msg", run->input->header.messages,
                       run->o->drive.progress);
    bool good = ste_bench_jobs_run(jobs, count, draw, run, &interrupted);
    ste_run_samples_last(&run->samples);
    ste_progress_end(&run->progress, atomic_load(&run->flow->cleared_messages));
    good = ste_fleet_close(&run->fleet, "run") && good;
    good = close_ledger(run->pool.ledger) && good;
    run->pool.ledger = NULL;
    const int status = report_run(run, good && !interrupted);
    return ste_bench_timed_out(jobs, count) ? STE_BENCH_TIMED_OUT : status;
}

static int run_input(const struct run_options *o, const struct ste_bench_map *map,
                     const struct ste_input *input, struct ste_flow *flow)
{
    struct ste_error err = {0};
    struct run run = {.o = o,
                      .input = input,
                      .flow = flow,
                      .pool = {.cluster = map->cluster,
                               .flow = flow,
                               .expect = input->header.cls,
                               .idle_s = (unsigned)o->idle_s}};
    run.samples = o->samples;
    run.samples.flow = flow;
    run.samples.pool = &run.pool;
    if (!ste_fleet_open(&run.fleet, "run", &o->drive, map, input, flow, o->outstanding))
        return STE_BENCH_FAILURE;
    run.samples.drives = run.fleet.drives;
    run.samples.drive_count = run.fleet.count;
    int status = STE_BENCH_FAILURE;
    if (o->cls_ledger && ste_ledger_open(o->cls_ledger, &run.pool.ledger, &err) != STE_OK) {
        ste_bench_complain("run", &err);
        (void)ste_fleet_close(&run.fleet, "run");
    } else if (!ste_run_samples_open(&run.samples, map->cluster)) {
        (void)ste_fleet_close(&run.fleet, "run");
        (void)close_ledger(run.pool.ledger);
    } else {
        status = run_jobs(&run);
    }
    ste_pool_deinit(&run.pool);
    return status;
}

/* With a bound, a trade must be complete before the bound is reached, or all would wait for ever.
 */
static bool bound_fits(const struct run_options *o, const struct ste_set_header *header)
{
    uint64_t window = header->shuffle_window, late = header->late_messages;
    uint64_t least = (1 + o->drive.drivers) * o->drive.batch + 700;
    if (o->outstanding == 0 || (window <= UINT32_MAX && late <= UINT32_MAX * UINT64_C(2) &&
                                o->outstanding >= least + 2 * window + late))
        return true;
    fprintf(stderr,
            "ste-bench run: --outstanding %llu is too small for messages shuffled within %llu, "
            "some %llu late, %llu a delivery\n",
            (unsigned long long)o->outstanding, (unsigned long long)window,
            (unsigned long long)late, (unsigned long long)o->drive.batch);
    return false;
}

int ste_bench_run(int argc, char **argv)
{
    struct run_options o = {
        .drive = STE_DRIVE_DEFAULTS, .idle_s = 30, .samples = STE_RUN_SAMPLES_DEFAULTS};
    const struct ste_bench_option options[] = {
        STE_DRIVE_OPTIONS(o.drive),
        STE_TEXT_OPTION("ledger", "FILE", &o.drive.ledger, false, "the drivers' ledger"),
        STE_TEXT_OPTION("cls-ledger", "FILE", &o.cls_ledger, false, "the pool's ledger"),
        STE_NUMBER_OPTION("outstanding", "N", &o.outstanding, 0, UINT32_MAX, false,
                          "at most N messages between publish and CLS (default 0: no bound)"),
        STE_NUMBER_OPTION("idle", "S", &o.idle_s, 1, 86400, false,
                          "give up after S seconds without confirm and CLS (default 30)"),
        STE_RUN_SAMPLES_OPTIONS(o.samples),
    };
    int status = ste_bench_options(argc, argv, "Sends a set and waits for its clearing messages.",
                                   options, sizeof options / sizeof options[0]);
    if (status >= 0)
        return status;
    if (!ste_drive_run_id_is_good("run", &o.drive))
        return STE_BENCH_USAGE;
    struct ste_bench_map map;
    struct ste_input input;
    struct ste_flow flow;
    if (!ste_bench_map_load(&map, o.drive.config, true))
        return STE_BENCH_FAILURE;
    status = ste_input_open(&input, "run", o.drive.set, &o.drive.plan, &map, &flow);
    if (status < 0) {
        status = STE_BENCH_USAGE;
        if (bound_fits(&o, &input.header))
            status = run_input(&o, &map, &input, &flow);
        ste_flow_deinit(&flow);
        ste_input_close(&input);
    }
    ste_bench_map_deinit(&map);
    return status;
}
