/* SPDX-License-Identifier: Apache-2.0
 * Metrics of a daemon, and its health endpoint on loopback: /metrics (Prometheus text), /livez,
 * /readyz (200, or 503 with the reasons). The only user of libmicrohttpd. */
#ifndef STE_OBS_OBS_H
#define STE_OBS_OBS_H

#include <stdatomic.h>
#include "base/error.h"
#include "base/bytes.h"

/* One list of metrics for all daemons, with units and help: lib/obs/metrics.def,
 * X(id, name, kind, labels, help). docs/METRICS.md is printed from it, and from process.def. */
enum ste_metric_id {
#define X(id, name, kind, labels, help) id,
#include "obs/metrics.def"
#undef X
    STE_METRIC_COUNT
};
/* Types of the label "type", in the order of ste_queue_types (conf/cluster.h): NOE ALB NPR SET EXC.
 */
enum { STE_OBS_TYPE_COUNT = 5, STE_M_TYPE_FIRST = STE_M_TYPE_ARRIVALS };

/* Counters of one worker; written by its thread alone (relaxed atomics), read by the endpoint. */
struct ste_obs_worker {
    _Atomic uint64_t values[STE_M_TYPE_FIRST];
    _Atomic uint64_t types[STE_METRIC_COUNT - STE_M_TYPE_FIRST][STE_OBS_TYPE_COUNT];
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
/* What a worker did since its last flush, by type: plain numbers of its thread, so that a batch
 * costs one atomic add a type. */
struct ste_obs_types {
    uint32_t arrivals[STE_OBS_TYPE_COUNT], completions[STE_OBS_TYPE_COUNT]; /* messages */
    uint64_t busy_ns;                                                       /* at the last flush */
};
/* Adds it to the worker's metrics and begins again. busy_ns, which only grows, is how long the
 * worker has worked: what it grew by is shared among the types by their arrivals and completions,
 * and nobody's when there were none. */
void ste_obs_types_flush(struct ste_obs_worker *worker, struct ste_obs_types *types,
                         uint64_t busy_ns);
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
