/* SPDX-License-Identifier: Apache-2.0
 * What every daemon does before and after its work: options, the cluster map with reference data
 * and all their faults, --check-config, --health, worker threads that stop together. */
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

/* A worker: one thread. Returns when the daemon stops (STE_OK), or with what only a person can
 * mend. */
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
/* main() of a daemon: options, map, --check-config, --health, then `run` with the component that
 * `find` picked by name (NULL: none of that name). Returns the exit status. */
typedef const void *ste_daemon_find(const struct ste_cluster *cluster, const char *name,
                                    unsigned *ret_health_port);
typedef enum ste_code ste_daemon_start(struct ste_daemon *daemon, const void *component,
                                       struct ste_error *err);
int ste_daemon_main(const char *proc, ste_daemon_find *find, ste_daemon_start *run, int argc,
                    char **argv);
/* Sleeps up to `ms`, or until the daemon stops. */
void ste_daemon_pause(struct ste_daemon *daemon, unsigned ms);

#endif
