/* SPDX-License-Identifier: Apache-2.0
 * The pages, from the table and the counters. */
#include "obs/internal.h"

#include <inttypes.h>

#include "base/clock.h"
#include "base/process.h"

const struct ste_metric ste_metrics[STE_METRIC_COUNT] = {
#define X(id, name, kind, labels, help) {name, STE_METRIC_##kind, labels, help},
#include "obs/metrics.def"
#undef X
};

const struct ste_metric ste_process_metrics[STE_PROCESS_METRIC_COUNT] = {
#define X(id, name, kind, help) {name, STE_METRIC_##kind, "", help},
#include "obs/process.def"
#undef X
};
static const char *const type_names[STE_OBS_TYPE_COUNT] = {"NOE", "ALB", "NPR", "SET", "EXC"};

const char *ste_metric_type(enum ste_metric_kind kind)
{
    return kind == STE_METRIC_gauge ? "gauge" : "counter";
}

/* A label's value: backslash, quote and line end are escaped. */
static void write_escaped(struct ste_buf *out, const char *text)
{
    for (; *text; text++) {
        if (*text == '\n')
            ste_buf_append_cstr(out, "\\n");
        else if (*text == '"' || *text == '\\')
            ste_buf_printf(out, "\\%c", *text);
        else
            ste_buf_append(out, text, 1);
    }
}

static void write_value(struct ste_buf *out, enum ste_metric_kind kind, uint64_t value)
{
    if (kind == STE_METRIC_seconds)
        ste_buf_printf(out, "%" PRIu64 ".%09" PRIu64 "\n", value / STE_NS_PER_S,
                       value % STE_NS_PER_S);
    else
        ste_buf_printf(out, "%" PRIu64 "\n", value);
}

static void write_head(struct ste_buf *out, const struct ste_metric *metric)
{
    ste_buf_printf(out, "# HELP %s %s\n# TYPE %s %s\n", metric->name, metric->help, metric->name,
                   ste_metric_type(metric->kind));
}

/* The line up to the labels of component and worker, with its comma behind the last. */
static void write_labels(struct ste_buf *out, const char *metric, const char *proc,
                         const char *name, const char *worker_labels)
{
    ste_buf_printf(out, "%s{proc=\"", metric);
    write_escaped(out, proc);
    ste_buf_append_cstr(out, "\",name=\"");
    write_escaped(out, name);
    ste_buf_printf(out, "\"%s%s", worker_labels[0] ? "," : "", worker_labels);
}

void ste_obs_write_text(struct ste_buf *out, const char *proc, const char *name,
                        struct ste_obs_worker *const *workers, size_t worker_count)
{
    for (size_t m = 0; m < STE_METRIC_COUNT; m++) {
        const struct ste_metric *metric = &ste_metrics[m];
        const bool typed = m >= STE_M_TYPE_FIRST;
        write_head(out, metric);
        for (size_t i = 0; i < worker_count * (typed ? STE_OBS_TYPE_COUNT : 1); i++) {
            const size_t type = i % STE_OBS_TYPE_COUNT;
            struct ste_obs_worker *const worker = workers[typed ? i / STE_OBS_TYPE_COUNT : i];
            write_labels(out, metric->name, proc, name, worker->labels);
            if (typed)
                ste_buf_printf(out, ",type=\"%s\"", type_names[type]);
            ste_buf_append_cstr(out, "} ");
            write_value(out, metric->kind,
                        atomic_load_explicit(typed ? &worker->types[m - STE_M_TYPE_FIRST][type]
                                                   : &worker->values[m],
                                             memory_order_relaxed));
        }
    }
}

uint64_t ste_obs_started_s(void)
{
    struct ste_process process;
    if (!ste_process_read(0, &process))
        return 0;
    const uint64_t age_ns = ste_clock_boot_ns() - process.started_after_ns;
    return (ste_clock_wall_us() - age_ns / STE_NS_PER_US) / (STE_NS_PER_S / STE_NS_PER_US);
}

void ste_obs_write_process(struct ste_buf *out, const char *proc, const char *name,
                           uint64_t started_s)
{
    struct ste_process process;
    if (!ste_process_read(0, &process))
        return;
    const uint64_t values[STE_PROCESS_METRIC_COUNT] = {
        [STE_P_CPU] = process.cpu_ns,
        [STE_P_MEMORY] = process.resident_bytes,
        [STE_P_FDS] = ste_process_open_fds(0),
        [STE_P_START] = started_s,
    };
    for (size_t m = 0; m < STE_PROCESS_METRIC_COUNT; m++) {
        write_head(out, &ste_process_metrics[m]);
        write_labels(out, ste_process_metrics[m].name, proc, name, "");
        ste_buf_append_cstr(out, "} ");
        write_value(out, ste_process_metrics[m].kind, values[m]);
    }
}

bool ste_obs_write_reasons(struct ste_buf *out, struct ste_obs_worker *const *workers,
                           size_t worker_count)
{
    bool ready = true;
    for (size_t w = 0; w < worker_count; w++) {
        const char *reason = atomic_load_explicit(&workers[w]->not_ready, memory_order_acquire);
        if (!reason || !reason[0])
            continue;
        ready = false;
        ste_buf_printf(out, "%s%s%s\n", workers[w]->labels, workers[w]->labels[0] ? ": " : "",
                       reason);
    }
    return ready;
}
