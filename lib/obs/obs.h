/* SPDX-License-Identifier: Apache-2.0
 * Metrics of a daemon, and its health endpoint on loopback: /metrics (Prometheus text), /livez,
 * /readyz (200, or 503 with the reasons). The only user of libmicrohttpd. */
#ifndef STE_OBS_OBS_H
#define STE_OBS_OBS_H

#include <stdatomic.h>
#include "base/error.h"
#include "base/bytes.h"

/* One list of metrics for all daemons, with units and help: lib/obs/metrics.def,
 * X(id, name, kind, labels, help). docs/METRICS.md is printed from it. */
enum ste_metric_id {
#define X(id, name, kind, labels, help) id,
#include "obs/metrics.def"
#undef X
    STE_METRIC_COUNT
};

/* Counters of one worker; written by its thread alone (relaxed atomics), read by the endpoint. */
struct ste_obs_worker {
    _Atomic uint64_t values[STE_METRIC_COUNT];
    char labels[96]; /* `worker="0",shard="3"`, without braces */
    /* Not ready while set; empty text means ready. Set with ste_obs_not_ready. */
    _Atomic(const char *) not_ready; /* string literal */
};

static inline void ste_obs_add(struct ste_obs_worker *worker, enum ste_metric_id id, uint64_t more)
{
    atomic_fetch_add_explicit(&worker->values[id], more, memory_order_relaxed);
}
static inline void ste_obs_set(struct ste_obs_worker *worker, enum ste_metric_id id, uint64_t value)
{
    atomic_store_explicit(&worker->values[id], value, memory_order_relaxed);
}
/* reason: a string literal, or NULL when ready again. */
void ste_obs_not_ready(struct ste_obs_worker *worker, const char *reason);

struct ste_obs;
/* Listens on 127.0.0.1:port (0: any free port; ste_obs_port tells). worker_count workers are owned
 * by it and live until stop. proc is "router" or "node", name the component's name. */
STE_MUST_CHECK enum ste_code ste_obs_start(const char *proc, const char *name, unsigned port,
                                           size_t worker_count, struct ste_obs **ret,
                                           struct ste_error *err);
struct ste_obs_worker *ste_obs_worker(struct ste_obs *obs, size_t index);
unsigned ste_obs_port(const struct ste_obs *obs);
void ste_obs_stop(struct ste_obs *obs);
/* `--health`: GET /readyz of a running daemon on that port; prints nothing. */
STE_MUST_CHECK enum ste_code ste_obs_probe(unsigned port, char *reasons, size_t reasons_bytes,
                                           struct ste_error *err);
#endif
