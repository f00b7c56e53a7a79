/* SPDX-License-Identifier: Apache-2.0
 * Routers and nodes, by the /metrics of their health_port: rows of kind stage (a component, a
 * type), worker (a worker of a component) and process (a component). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/monitor_parts.h"
#include "bench/prometheus.h"
#include "bench/scrape.h"

enum { SCRAPE_MS = 500, STAGE_ROWS_MAX = 3 * STE_QUEUE_TYPE_COUNT };

struct daemon {
    const char *name;
    bool node;
    struct ste_outage outage;
};

struct ste_monitor_daemons {
    size_t count;
    struct daemon *daemons;
    struct ste_scrape *scrapes; /* of the same index */
};

/* What each metric becomes. Stage: the workers' values of a type are added up. */
static const struct {
    const char *metric;
    enum ste_quantity quantity;
    bool of_node; /* a router has none */
} metrics[] = {
    {"ste_type_arrivals_total", STE_Q_STAGE_ARRIVALS, false},
    {"ste_type_completions_total", STE_Q_STAGE_COMPLETIONS, false},
    {"ste_type_busy_seconds_total", STE_Q_STAGE_BUSY, false},
    {"ste_stage_records_total", STE_Q_WORKER_ARRIVALS, false},
    {"ste_stage_completions_total", STE_Q_WORKER_COMPLETIONS, false},
    {"ste_stage_batches_total", STE_Q_WORKER_BATCHES, false},
    {"ste_stage_busy_seconds_total", STE_Q_WORKER_BUSY, false},
    {"ste_stage_database_seconds_total", STE_Q_WORKER_DATABASE, true},
    {"process_cpu_seconds_total", STE_Q_PROCESS_CPU, false},
    {"process_resident_memory_bytes", STE_Q_PROCESS_MEMORY, false},
    {"process_open_fds", STE_Q_PROCESS_FDS, false},
};
enum { METRIC_COUNT = sizeof metrics / sizeof metrics[0] };

struct stage_row {
    enum ste_quantity quantity;
    char type[4];
    double value;
};
struct page {
    const struct daemon *daemon;
    bool process_known;                /* read elsewhere */
    struct ste_samples_writer *writer; /* NULL: only looks */
    struct stage_row rows[STAGE_ROWS_MAX];
    size_t row_count;
};

static void add_daemon(struct ste_monitor_daemons *daemons, const char *name, bool node,
                       unsigned port)
{
    daemons->daemons[daemons->count] = (struct daemon){.name = name, .node = node};
    daemons->scrapes[daemons->count++] = (struct ste_scrape){.port = port, .fd = -1};
    if (port == 0)
        fprintf(stderr, "ste-bench: monitor: %s has no fixed health_port: left out\n", name);
}

enum ste_code ste_monitor_daemons_open(const struct ste_cluster *cluster,
                                       struct ste_monitor_daemons **ret, struct ste_error *err)
{
    const size_t count = cluster->router_count + cluster->node_count;
    struct ste_monitor_daemons *daemons = calloc(1, sizeof *daemons);
    if (daemons) {
        daemons->daemons = calloc(count + 1, sizeof *daemons->daemons);
        daemons->scrapes = calloc(count + 1, sizeof *daemons->scrapes);
    }
    if (!daemons || !daemons->daemons || !daemons->scrapes) {
        ste_monitor_daemons_close(daemons);
        return ste_error_set(err, STE_E_NOMEM, "no memory for the monitor");
    }
    for (size_t i = 0; i < cluster->router_count; i++)
        add_daemon(daemons, cluster->routers[i].name, false, cluster->routers[i].health_port);
    for (size_t i = 0; i < cluster->node_count; i++)
        add_daemon(daemons, cluster->nodes[i].name, true, cluster->nodes[i].health_port);
    *ret = daemons;
    return STE_OK;
}

static void add_stage(struct page *page, enum ste_quantity quantity, struct ste_bytes type,
                      double value)
{
    struct stage_row *row = page->rows, *const end = page->rows + page->row_count;
    while (row < end &&
           (row->quantity != quantity || !ste_bytes_equal(ste_bytes_of(row->type), type)))
        row++;
    if (row == end) {
        if (page->row_count == STAGE_ROWS_MAX || type.len == 0 || type.len >= sizeof row->type)
            return;
        *row = (struct stage_row){.quantity = quantity};
        memcpy(row->type, type.at, type.len);
        page->row_count++;
    }
    row->value += value;
}

static bool is_of_process(enum ste_quantity quantity)
{
    return quantity == STE_Q_PROCESS_CPU || quantity == STE_Q_PROCESS_MEMORY ||
           quantity == STE_Q_PROCESS_FDS;
}

static void take_line(struct page *page, const struct ste_prometheus_line *line)
{
    size_t m = 0;
    while (m < METRIC_COUNT && !ste_bytes_equal(line->name, ste_bytes_of(metrics[m].metric)))
        m++;
    if (m == METRIC_COUNT || (metrics[m].of_node && !page->daemon->node))
        return;
    const enum ste_quantity quantity = metrics[m].quantity;
    const struct ste_bytes worker = ste_prometheus_label(line, "worker");
    const struct ste_bytes type = ste_prometheus_label(line, "type");
    char name[STE_SAMPLES_NAME_BYTES];
    if (type.len > 0) {
        add_stage(page, quantity, type, line->value);
    } else if (page->writer && !(page->process_known && is_of_process(quantity))) {
        snprintf(name, sizeof name, "%.40s%s%.*s", page->daemon->name, worker.len > 0 ? "/" : "",
                 (int)(worker.len < 16 ? worker.len : 16), worker.len > 0 ? worker.at : "");
        ste_samples_put(page->writer, quantity, name, "", line->value);
    }
}

static void take_page(const struct daemon *daemon, bool process_known, struct ste_bytes text,
                      struct ste_samples_writer *writer, struct ste_monitor_balance *balance)
{
    struct page page = {.daemon = daemon, .process_known = process_known, .writer = writer};
    struct ste_prometheus_line line;
    while (ste_prometheus_next(&text, &line))
        take_line(&page, &line);
    for (size_t i = 0; i < page.row_count; i++) {
        const struct stage_row *row = &page.rows[i];
        if (writer)
            ste_samples_put(writer, row->quantity, daemon->name, row->type, row->value);
        if (row->quantity == STE_Q_STAGE_ARRIVALS)
            balance->arrivals += (uint64_t)row->value;
        if (row->quantity == STE_Q_STAGE_COMPLETIONS)
            balance->completions += (uint64_t)row->value;
    }
}

void ste_monitor_daemons_sample(struct ste_monitor_daemons *daemons,
                                const struct ste_monitor_processes *processes,
                                struct ste_samples_writer *writer,
                                struct ste_monitor_balance *balance)
{
    ste_scrape_all(daemons->scrapes, daemons->count, SCRAPE_MS);
    for (size_t i = 0; i < daemons->count; i++) {
        struct daemon *daemon = &daemons->daemons[i];
        if (daemons->scrapes[i].result == STE_OK) {
            balance->any = true;
            daemon->outage.told = false;
            take_page(daemon, ste_monitor_processes_have(processes, daemon->name),
                      daemons->scrapes[i].page, writer, balance);
        } else if (daemons->scrapes[i].port != 0) {
            struct ste_error err = {0};
            (void)ste_error_set(&err, STE_E_HTTP, "no metrics from 127.0.0.1:%u",
                                daemons->scrapes[i].port);
            balance->complete = false;
            ste_outage_tell(&daemon->outage, daemon->name, &err);
        }
    }
}

void ste_monitor_daemons_close(struct ste_monitor_daemons *daemons)
{
    if (!daemons)
        return;
    for (size_t i = 0; i < daemons->count; i++)
        ste_scrape_deinit(&daemons->scrapes[i]);
    free(daemons->daemons);
    free(daemons->scrapes);
    free(daemons);
}
