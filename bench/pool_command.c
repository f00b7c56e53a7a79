/* SPDX-License-Identifier: Apache-2.0
 * ste-bench pool: alone, beside any number of drivers. */
#include <stdio.h>
#include <stdlib.h>

#include "bench/input.h"
#include "bench/progress.h"
#include "bench/report.h"

struct pool_options {
    struct ste_plan_options plan;
    const char *config, *ledger, *set, *sent, *json, *csv;
    uint64_t expect, idle_s;
    bool progress, resume;
};

static int read_options(int argc, char **argv, struct pool_options *o)
{
    const struct ste_bench_option options[] = {
        STE_TEXT_OPTION("config", "FILE", &o->config, true, "the cluster map"),
        STE_TEXT_OPTION("ledger", "FILE", &o->ledger, true, "append a line for every CLS"),
        STE_NUMBER_OPTION("expect", "N", &o->expect, 0, UINT32_MAX - 1, false,
                          "end after N trades (default: the set's, else when idle)"),
        STE_NUMBER_OPTION("idle", "S", &o->idle_s, 0, 86400, false,
                          "end after S seconds without arrivals (default 30; 0 never)"),
        STE_TEXT_OPTION("set", "DIR", &o->set, false,
                        "count trades of this set only; or of this plan, as the driver has it:"),
        STE_PLAN_OPTIONS(o->plan, "generate"),
        STE_TEXT_OPTION("sent", "LEDGER", &o->sent, false,
                        "the driver's ledger: joined at the end for the latency"),
        STE_FLAG_OPTION("resume", &o->resume,
                        "count what the ledger names already: after a pool that was killed"),
        STE_FLAG_OPTION("progress", &o->progress, "show progress even without a terminal"),
        STE_OUT_OPTION("json", &o->json, "write the result (- is standard output)"),
        STE_OUT_OPTION("csv", &o->csv, "the result as a heading and one line"),
    };
    return ste_bench_options(argc, argv, "Takes the clearing messages from ste.cls.", options,
                             sizeof options / sizeof options[0]);
}

struct watch {
    struct ste_pool *pool;
    struct ste_progress progress;
};

static void draw(void *context)
{
    struct watch *watch = context;
    ste_progress_update(&watch->progress, atomic_load(&watch->pool->seen_trades));
}

struct resume {
    struct ste_pool *pool;
    bool failed;
};

/* Joining: the last confirm of each trade that the pool has seen. */
struct join {
    const struct ste_keymap *trades;
    struct ste_keymap seen; /* messages, where some are sent twice: the first one counts */
    bool has_repeats, failed;
    uint64_t *confirmed_us;
    uint64_t now_us, first_us, messages;
};

static void on_delivery(void *context, struct ste_bytes id, uint64_t count, uint64_t confirmed_us)
{
    struct join *join = context;
    (void)id;
    (void)count;
    join->now_us = confirmed_us;
    if (join->first_us == 0 || confirmed_us < join->first_us)
        join->first_us = confirmed_us;
}

/* 32 hex digits that name a message: the trade's first 16, and those of its bytes' SHA-256. */
static bool is_repeat(struct join *join, struct ste_bytes key, struct ste_bytes sha256)
{
    char name[2 * sizeof(struct ste_hash) + 1];
    struct ste_hash hash;
    (void)snprintf(name, sizeof name, "%.*s%.*s", key.len < 16 ? (int)key.len : 16, key.at,
                   (int)sha256.len, sha256.at);
    if (!ste_keymap_parse(ste_bytes_of(name), &hash))
        return false;
    size_t before = join->seen.count;
    uint32_t number = ste_keymap_put(&join->seen, hash);
    join->failed |= number == STE_KEYMAP_NONE;
    return number < before;
}

static void on_message(void *context, uint64_t index, struct ste_bytes sender, struct ste_bytes key,
                       struct ste_bytes reference, struct ste_bytes sha256)
{
    struct join *join = context;
    struct ste_hash trade_key;
    (void)index;
    (void)sender;
    (void)reference;
    join->messages++;
    if (join->has_repeats && is_repeat(join, key, sha256))
        return;
    uint32_t number = STE_KEYMAP_NONE;
    if (ste_keymap_parse(key, &trade_key))
        number = ste_keymap_find(join->trades, trade_key);
    if (number != STE_KEYMAP_NONE && join->now_us > join->confirmed_us[number])
        join->confirmed_us[number] = join->now_us;
}

static enum ste_code join_ledger(const struct pool_options *o, const struct ste_pool *pool,
                                 bool has_repeats, struct ste_report *report, struct ste_error *err)
{
    if (!o->sent)
        return STE_OK;
    const struct ste_keymap *trades = pool->flow ? &pool->flow->keys : &pool->own_trades;
    struct join join = {.trades = trades,
                        .has_repeats = has_repeats,
                        .confirmed_us = calloc(trades->count + 1, sizeof *join.confirmed_us)};
    if (!join.confirmed_us)
        return ste_error_set(err, STE_E_NOMEM, "out of memory");
    const struct ste_ledger_reader reader = {&join, on_delivery, on_message, NULL};
    ste_keymap_init(&join.seen);
    enum ste_code rc = ste_ledger_read(o->sent, &reader, err);
    ste_keymap_deinit(&join.seen);
    if (rc == STE_OK && join.failed)
        rc = ste_error_set(err, STE_E_NOMEM, "out of memory");
    for (size_t i = 0; rc == STE_OK && i < trades->count && i < pool->trade_capacity; i++) {
        uint64_t arrived = pool->trades[i].first_us, confirmed = join.confirmed_us[i];
        if (arrived != 0 && confirmed != 0)
            ste_histogram_add(&report->latency, arrived > confirmed ? arrived - confirmed : 0);
    }
    report->messages = join.messages;
    /* From the first confirm on: the first publish is known to the driver alone. */
    if (join.first_us != 0 && pool->last_ns / 1000 > join.first_us)
        report->seconds = (double)(pool->last_ns / 1000 - join.first_us) / 1e6;
    free(join.confirmed_us);
    return rc;
}

/* The body of a CLS taken by an earlier pool is gone: its repeat counts as one whatever it says. */
static void on_cls(void *context, struct ste_bytes id, uint64_t arrived_us)
{
    struct resume *resume = context;
    if (!ste_pool_resume(resume->pool, id, arrived_us))
        resume->failed = true;
}

static enum ste_code resume_ledger(const struct pool_options *o, struct ste_pool *pool,
                                   struct ste_error *err)
{
    struct resume resume = {.pool = pool};
    if (!o->resume)
        return STE_OK;
    const struct ste_ledger_reader reader = {.context = &resume, .cls = on_cls};
    enum ste_code rc = ste_ledger_read(o->ledger, &reader, err);
    if (rc == STE_OK && resume.failed)
        rc = ste_error_set(err, STE_E_NOMEM, "out of memory");
    return rc;
}

static int pool_map(const struct pool_options *o, const struct ste_bench_map *map,
                    struct ste_flow *flow, const struct ste_set_header *header)
{
    struct ste_error err = {0};
    struct ste_pool pool = {
        .cluster = map->cluster, .flow = flow, .expect = o->expect, .idle_s = (unsigned)o->idle_s};
    if (header && pool.expect == 0)
        pool.expect = header->cls;
    if (ste_ledger_open(o->ledger, &pool.ledger, &err) != STE_OK ||
        resume_ledger(o, &pool, &err) != STE_OK) {
        ste_bench_complain("pool", &err);
        if (pool.ledger)
            (void)!ste_ledger_close(pool.ledger, &err);
        ste_pool_deinit(&pool);
        return STE_BENCH_FAILURE;
    }
    struct ste_bench_job job = {.run = ste_pool_run, .context = &pool, .what = "pool"};
    struct watch watch = {.pool = &pool};
    bool interrupted = false;
    ste_progress_start(&watch.progress, "cleared", "trades", pool.expect, o->progress);
    bool good = ste_bench_jobs_run(&job, 1, draw, &watch, &interrupted);
    uint64_t seen = atomic_load(&pool.seen_trades);
    ste_progress_end(&watch.progress, seen);
    struct ste_report report = {.header = header, .pool = &pool};
    ste_histogram_init(&report.latency);
    report.seconds =
        pool.last_ns > pool.first_ns ? (double)(pool.last_ns - pool.first_ns) / 1e9 : 0;
    if (ste_ledger_close(pool.ledger, &err) != STE_OK ||
        join_ledger(o, &pool, header && header->repeats > 0, &report, &err) != STE_OK) {
        ste_bench_complain("pool", &err);
        good = false;
    }
    report.passed = good && ste_pool_missing(&pool) == 0 && pool.unexpected == 0 &&
                    pool.conflicts == 0 && pool.malformed == 0;
    if (job.result != STE_E_TIMEOUT) /* without a broker there is nothing to tell */
        ste_report_print(&report, stderr);
    ste_pool_tell_timeout(&pool);
    if (ste_report_write(&report, o->json, o->csv, &err) != STE_OK) {
        ste_bench_complain("pool", &err);
        report.passed = false;
    }
    ste_pool_deinit(&pool);
    if ((pool.timed_out && good) || job.result == STE_E_TIMEOUT)
        return STE_BENCH_TIMED_OUT;
    return report.passed ? STE_BENCH_OK : STE_BENCH_FAILURE;
}

int ste_bench_pool(int argc, char **argv)
{
    struct pool_options o = {.plan = STE_PLAN_DEFAULTS, .idle_s = 30};
    int status = read_options(argc, argv, &o);
    if (status >= 0)
        return status;
    struct ste_bench_map map;
    struct ste_input input;
    struct ste_flow flow;
    bool planned = o.set || ste_plan_is_wanted(&o.plan);
    if (!ste_bench_map_load(&map, o.config, planned))
        return STE_BENCH_FAILURE;
    if (planned)
        status = ste_input_open(&input, "pool", o.set, &o.plan, &map, &flow);
    if (status < 0) {
        status = pool_map(&o, &map, planned ? &flow : NULL, planned ? &input.header : NULL);
        if (planned) {
            ste_flow_deinit(&flow);
            ste_input_close(&input);
        }
    }
    ste_bench_map_deinit(&map);
    return status;
}
