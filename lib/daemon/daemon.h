/* SPDX-License-Identifier: Apache-2.0
 * What every daemon does before and after its work: options, the cluster map with reference data and
 * all their faults, --check-config, --health, worker threads that stop together. */
#ifndef STE_DAEMON_DAEMON_H
#define STE_DAEMON_DAEMON_H

#include <stdatomic.h>

#include "base/log.h"
#include "conf/cluster.h"
#include "obs/obs.h"
#include "ref/ref.h"

struct ste_daemon {
    struct ste_log log;
    const char *config_file, *name; /* --config, --name */
    bool check_config, health;
    struct ste_cluster *cluster;
    struct ste_ref *ref;
    struct ste_obs *obs;
    int signal_fd;
    int wake_fd; /* readable once stopping: workers wait on it beside their sockets */
    _Atomic bool stopping;
};

/* Reads the options. Returns -1 to go on, else the exit status (help, version, usage). */
int ste_daemon_options(struct ste_daemon *daemon, const char *proc, int argc, char **argv);
/* Loads map and reference data; prints every fault as file:line:column to stderr. */
STE_MUST_CHECK enum ste_code ste_daemon_load(struct ste_daemon *daemon, struct ste_error *err);
/* Exit status of `--health` for a component listening on health_port. */
int ste_daemon_health(unsigned health_port);

/* A worker: one thread. Returns when the daemon stops (STE_OK), or with what only a person can mend. */
struct ste_worker_slot {
    enum ste_code (*run)(struct ste_worker_slot *slot, struct ste_error *err);
    struct ste_daemon *daemon;
    struct ste_obs_worker *counters; /* filled in by ste_daemon_run */
    const void *job;                 /* what it works on, for run */
    unsigned number;                 /* its index in the daemon */
    char labels[96];                 /* of its metrics */
};
/* Starts the health endpoint and one thread per slot; returns when all have ended: after SIGTERM or
 * SIGINT, or after the first worker that failed has stopped the others. */
STE_MUST_CHECK enum ste_code ste_daemon_run(struct ste_daemon *daemon, unsigned health_port,
                                            struct ste_worker_slot *slots, size_t slot_count,
                                            struct ste_error *err);
static inline bool ste_daemon_stopping(struct ste_daemon *daemon)
{
    return atomic_load_explicit(&daemon->stopping, memory_order_relaxed);
}
/* Sleeps up to `ms`, or until the daemon stops. */
void ste_daemon_pause(struct ste_daemon *daemon, unsigned ms);
void ste_daemon_deinit(struct ste_daemon *daemon);

#endif
