/* SPDX-License-Identifier: Apache-2.0
 * ste-bench qos: rates and latencies by size, demand, senders, receivers and keys, durable and
 * volatile, in the columns of the xmlBlaster mailing list's table. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/signals.h"
#include "bench/command.h"
#include "bench/progress.h"
#include "bench/qos_queues.h"
#include "bench/qos_report.h"
#include "mq/mq.h"

enum {
    SECONDS = 5,
    SECONDS_QUICK = 1,
    SECONDS_MAX = 3600,
    ROUNDS_MAX = 20,
    IN_FLIGHT = 512,
    OUTSTANDING = 2000,
    PATIENCE_S = 20,
};

struct qos_command {
    const char *config, *kinds, *bytes, *demands, *senders, *receivers, *keys, *mode, *json, *csv;
    bool quick, full_factorial, progress;
    uint64_t rounds;
    struct ste_qos_options options;
    struct ste_qos_plan plan;
    struct ste_qos_report report;
    struct ste_mq *lock; /* its connection; NULL once that is lost */
};

static int usage(const char *option, const char *why)
{
    fprintf(stderr, "ste-bench qos: %s: %s (see ste-bench qos --help)\n", option, why);
    return STE_BENCH_USAGE;
}

static int read_options(int argc, char **argv, struct qos_command *c)
{
    const struct ste_bench_option options[] = {
        STE_TEXT_OPTION("config", "FILE", &c->config, true, "the cluster map"),
        STE_TEXT_OPTION("demand", "LIST", &c->demands, false,
                        "messages a second of all senders together, or full (default "
                        "10,100,500,1000,2000,full)"),
        STE_TEXT_OPTION("receivers", "LIST", &c->receivers, false, "(default 1,2,5,10,20,50,100)"),
        STE_TEXT_OPTION("sizes", "LIST", &c->bytes, false,
                        "bytes of a message (default 512,1500,4096,16384)"),
        STE_TEXT_OPTION("senders", "LIST", &c->senders, false, "(default 1)"),
        STE_TEXT_OPTION("keys", "LIST", &c->keys, false, "distinct routing keys (default 1)"),
        STE_TEXT_OPTION("kind", "LIST", &c->kinds, false, "(default durable,volatile)"),
        STE_TEXT_OPTION("mode", "MODE", &c->mode, false,
                        "topic: a queue each; work: one queue for all (default topic)"),
        STE_NUMBER_OPTION("seconds", "N", &c->options.seconds, 1, SECONDS_MAX, false,
                          "of sending at each point (default 5)"),
        STE_NUMBER_OPTION("rounds", "N", &c->rounds, 1, ROUNDS_MAX, false,
                          "times that all points are measured, one round after the other (1)"),
        STE_NUMBER_OPTION("in-flight", "N", &c->options.in_flight, 1, 65536, false,
                          "messages of a sender waiting for their confirm (default 512)"),
        STE_NUMBER_OPTION("outstanding", "N", &c->options.outstanding, 1, 1000000, false,
                          "deliveries under way, of all receivers together (default 2000)"),
        STE_FLAG_OPTION("quick", &c->quick,
                        "sizes 512,4096, demand 1000,full, receivers 1,10, 1 s each"),
        STE_FLAG_OPTION("full-factorial", &c->full_factorial,
                        "all with all, not one thing at a time round the base point"),
        STE_FLAG_OPTION("progress", &c->progress, "a progress bar even if stderr is a file"),
        STE_OUT_OPTION("json", &c->json, "write the result (- is standard output)"),
        STE_OUT_OPTION("csv", &c->csv, "write the table (- is standard output)"),
    };
    int status = ste_bench_options(
        argc, argv,
        "Measures the broker by size, demand, senders, receivers and keys, durable and volatile:\n"
        "one thing at a time round a base of 4096 bytes, full speed, 1 sender, 1 receiver, 1 key.",
        options, sizeof options / sizeof options[0]);
    if (status >= 0)
        return status;
    if (c->mode && strcmp(c->mode, "work") != 0 && strcmp(c->mode, "topic") != 0)
        return usage("mode", "wants topic or work");
    c->options.mode = c->mode && strcmp(c->mode, "work") == 0 ? STE_QOS_WORK : STE_QOS_TOPIC;
    if (c->options.seconds == 0)
        c->options.seconds = c->quick ? SECONDS_QUICK : SECONDS;
    return -1;
}

/* -1, or the exit status. */
static int read_lists(struct qos_command *c)
{
    struct ste_qos_sweep sweep;
    struct ste_error err = {0};
    bool quick = c->quick;
    const struct {
        const char *name, *text, *otherwise;
        uint64_t min, max;
        struct ste_qos_list *list;
    } lists[] = {
        {"sizes", c->bytes, quick ? "512,4096" : "512,1500,4096,16384", STE_QOS_BYTES_MIN,
         STE_QOS_BYTES_MAX, &sweep.bytes},
        {"demand", c->demands, quick ? "1000,full" : "10,100,500,1000,2000,full", 1,
         STE_QOS_DEMAND_MAX, &sweep.demands},
        {"senders", c->senders, "1", 1, STE_QOS_SENDERS_MAX, &sweep.senders},
        {"receivers", c->receivers, quick ? "1,10" : "1,2,5,10,20,50,100", 1, STE_QOS_RECEIVERS_MAX,
         &sweep.receivers},
        {"keys", c->keys, "1", 1, STE_QOS_KEYS_MAX, &sweep.keys},
    };
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        const char *text = lists[i].text ? lists[i].text : lists[i].otherwise;
        bool full_allowed = lists[i].list == &sweep.demands;
        if (ste_qos_list_parse(text, lists[i].min, lists[i].max, full_allowed, lists[i].list,
                               &err) != STE_OK)
            return usage(lists[i].name, err.text);
    }
    if (ste_qos_kinds_parse(c->kinds ? c->kinds : "durable,volatile", &sweep.kinds, &err) != STE_OK)
        return usage("kind", err.text);
    if (ste_qos_plan_build(&sweep, c->full_factorial, &c->plan, &err) != STE_OK)
        return usage("full-factorial", err.text);
    return -1;
}

/* A point also takes the time to make and remove queues and until all has come: how long is learnt
 * from those before it, so that the bar seldom waits. */
struct watch {
    struct ste_mq **lock;
    struct ste_progress progress;
    uint64_t points, first_ns, begun_ns; /* done; the first and the present one began */
    double expected_ns;                  /* for a point */
};
enum { PARTS = 1000 }; /* of a point, for the bar */

/* Heartbeats, while a point is measured. A lock that is lost ends no sweep: it only guards against
 * a second one. */
static void keep_lock(struct ste_mq **lock)
{
    struct ste_error err = {0};
    if (*lock && ste_mq_pump(*lock, 0, &err) != STE_OK) {
        ste_bench_complain("qos: lock", &err);
        ste_mq_close(*lock);
        *lock = NULL;
    }
}

static void draw(void *context)
{
    struct watch *watch = context;
    keep_lock(watch->lock);
    const double spent = (double)(ste_clock_mono_ns() - watch->begun_ns) / watch->expected_ns;
    ste_progress_update(&watch->progress, watch->points * PARTS +
                                              (spent < 1 ? (uint64_t)(spent * PARTS) : PARTS - 1));
}

/* Points in their order until one fails or a signal comes; report.complete tells whether all. */
static void measure_all(struct qos_command *c, struct ste_api *api)
{
    struct watch watch = {.lock = &c->lock,
                          .first_ns = ste_clock_mono_ns(),
                          .expected_ns = (double)(c->options.seconds * STE_NS_PER_S)};
    struct ste_error err = {0};
    bool interrupted = false;
    enum ste_code rc = STE_OK;
    size_t total = c->plan.count * c->rounds;
    ste_progress_start(&watch.progress, "qos", "points", total * PARTS, c->progress);
    watch.progress.steps = total;
    for (size_t i = 0; i < total && rc == STE_OK && !interrupted; i++) {
        struct ste_qos_result *result = &c->report.results[i];
        watch.begun_ns = ste_clock_mono_ns();
        watch.points = i;
        if (i > 0)
            watch.expected_ns = (double)(watch.begun_ns - watch.first_ns) / (double)i;
        rc = ste_qos_measure(&c->options, &c->plan.points[i % c->plan.count], api, draw, &watch,
                             result, &interrupted, &err);
        result->round = i / c->plan.count + 1;
        if (rc == STE_OK && !interrupted)
            c->report.count++;
    }
    ste_progress_end(&watch.progress, c->report.count * PARTS);
    if (rc != STE_OK)
        ste_bench_complain("qos", &err);
    if (interrupted)
        fputs("ste-bench qos: interrupted\n", stderr);
    c->report.complete = c->report.count == total;
}

static enum ste_code write_files(const struct qos_command *c, const struct ste_table *table,
                                 struct ste_error *err)
{
    struct ste_buf text = {0};
    enum ste_code rc = STE_OK;
    if (c->csv) {
        ste_table_csv(table, &text);
        rc = text.failed ? ste_error_set(err, STE_E_NOMEM, "no memory for the table")
                         : ste_bench_write_file(c->csv, ste_buf_bytes(&text), err);
    }
    ste_buf_clear(&text);
    if (rc == STE_OK && c->json)
        rc = ste_qos_report_json(&c->report, table, &text)
                 ? ste_bench_write_file(c->json, ste_buf_bytes(&text), err)
                 : ste_error_set(err, STE_E_NOMEM, "no memory for the result");
    ste_buf_deinit(&text);
    return rc;
}

static int tell(const struct qos_command *c)
{
    struct ste_error err = {0};
    struct ste_table *table = NULL;
    if (c->report.count == 0) /* why is told already */
        return STE_BENCH_FAILURE;
    bool to_stdout = (c->json && strcmp(c->json, "-") == 0) || (c->csv && strcmp(c->csv, "-") == 0);
    FILE *out = to_stdout ? stderr : stdout;
    enum ste_code rc = ste_qos_report_table(&c->report, &table, &err);
    if (rc == STE_OK) {
        ste_table_print(table, out);
        ste_qos_report_closing(&c->report, out);
        rc = write_files(c, table, &err);
    }
    ste_table_free(table);
    if (rc != STE_OK)
        ste_bench_complain("qos", &err);
    bool whole = ste_qos_report_losses(&c->report, stderr);
    return rc == STE_OK && whole && c->report.complete ? STE_BENCH_OK : STE_BENCH_FAILURE;
}

static enum ste_code take_lock(struct qos_command *c, struct ste_error *err)
{
    struct ste_error why = {0};
    enum ste_code rc = ste_mq_open(c->options.cluster, STE_ROLE_ADMIN, STE_MQ_CONSUME,
                                   "ste-bench qos lock", &c->lock, err);
    if (rc == STE_OK && ste_mq_declare_reply_queue(c->lock, STE_QOS_LOCK, &why) != STE_OK)
        rc = ste_error_set(err, why.code,
                           why.code == STE_E_MQ_REFUSED
                               ? "another sweep runs on this broker, or the right to make its "
                                 "queue is missing: %.200s"
                               : "%.200s",
                           why.text);
    return rc;
}

static int run_sweep(struct qos_command *c)
{
    struct ste_bench_map map;
    struct ste_api api = {0};
    struct ste_error err = {0};
    int signal_fd = -1, status = STE_BENCH_FAILURE;
    if (!ste_bench_map_load(&map, c->config, false))
        return STE_BENCH_FAILURE;
    c->options.cluster = map.cluster;
    /* From here on a signal waits until a point looks for it: queues are never left behind. */
    enum ste_code rc = ste_signals_open(&signal_fd, &err);
    if (rc == STE_OK)
        rc = ste_api_open(map.cluster, &api, &err);
    if (rc == STE_OK)
        rc = take_lock(c, &err);
    c->report.options = &c->options;
    c->report.results = calloc(c->plan.count * c->rounds, sizeof *c->report.results);
    if (rc == STE_OK && !c->report.results)
        rc = ste_error_set(&err, STE_E_NOMEM, "no memory for %zu points", c->plan.count);
    if (rc == STE_OK) {
        measure_all(c, &api);
        status = tell(c);
    } else {
        ste_bench_complain("qos", &err);
    }
    free(c->report.results);
    ste_mq_close(c->lock);
    ste_api_close(&api);
    if (signal_fd >= 0)
        (void)close(signal_fd);
    ste_bench_map_deinit(&map);
    return status;
}

int ste_bench_qos(int argc, char **argv)
{
    struct qos_command *c = calloc(1, sizeof *c);
    if (!c) {
        fputs("ste-bench qos: out of memory\n", stderr);
        return STE_BENCH_FAILURE;
    }
    c->rounds = 1;
    c->options.in_flight = IN_FLIGHT;
    c->options.outstanding = OUTSTANDING;
    c->options.patience_s = PATIENCE_S;
    int status = read_options(argc, argv, c);
    if (status < 0)
        status = read_lists(c);
    if (status < 0)
        status = run_sweep(c);
    free(c);
    return status;
}
