/* SPDX-License-Identifier: Apache-2.0
 * The pages, from the table and the counters. */
#include "obs/internal.h"

#include <inttypes.h>

#include "base/clock.h"

const struct ste_metric ste_metrics[STE_METRIC_COUNT] = {
#define X(id, name, kind, labels, help) {name, STE_METRIC_##kind, help},
#include "obs/metrics.def"
#undef X
};

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

void ste_obs_write_text(struct ste_buf *out, const char *proc, const char *name,
                        struct ste_obs_worker *const *workers, size_t worker_count)
{
    for (size_t m = 0; m < STE_METRIC_COUNT; m++) {
        const struct ste_metric *metric = &ste_metrics[m];
        ste_buf_printf(out, "# HELP %s %s\n# TYPE %s %s\n", metric->name, metric->help,
                       metric->name, ste_metric_type(metric->kind));
        for (size_t w = 0; w < worker_count; w++) {
            ste_buf_printf(out, "%s{proc=\"", metric->name);
            write_escaped(out, proc);
            ste_buf_append_cstr(out, "\",name=\"");
            write_escaped(out, name);
            ste_buf_printf(out, "\"%s%s} ", workers[w]->labels[0] ? "," : "", workers[w]->labels);
            write_value(out, metric->kind,
                        atomic_load_explicit(&workers[w]->values[m], memory_order_relaxed));
        }
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
