/* SPDX-License-Identifier: Apache-2.0
 * Inside lib/obs. */
#ifndef STE_OBS_INTERNAL_H
#define STE_OBS_INTERNAL_H

#include "obs/obs.h"

enum ste_metric_kind {
    STE_METRIC_counter,
    STE_METRIC_seconds, /* counted in nanoseconds, printed in seconds */
    STE_METRIC_gauge,
};
struct ste_metric {
    const char *name;
    enum ste_metric_kind kind;
    const char *labels; /* "type", or "" */
    const char *help;
};
enum ste_process_metric_id {
#define X(id, name, kind, help) id,
#include "obs/process.def"
#undef X
    STE_PROCESS_METRIC_COUNT
};
extern const struct ste_metric ste_process_metrics[STE_PROCESS_METRIC_COUNT];
extern const struct ste_metric ste_metrics[STE_METRIC_COUNT];
const char *ste_metric_type(enum ste_metric_kind kind); /* as Prometheus calls it */

/* The /metrics page: HELP and TYPE once per metric, then a line per worker. */
void ste_obs_write_text(struct ste_buf *out, const char *proc, const char *name,
                        struct ste_obs_worker *const *workers, size_t worker_count);
/* The process's own metrics, appended to the page; what /proc does not tell is left out. */
void ste_obs_write_process(struct ste_buf *out, const char *proc, const char *name,
                           uint64_t started_s);
uint64_t ste_obs_started_s(void); /* this process, since 1970; 0: not known */
/* The reasons against readiness, a line per worker; true when there are none. */
bool ste_obs_write_reasons(struct ste_buf *out, struct ste_obs_worker *const *workers,
                           size_t worker_count);

#endif
