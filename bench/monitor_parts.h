/* SPDX-License-Identifier: Apache-2.0
 * Inside the monitor: what it looks at, a file each. All but the API's thread is called from one
 * thread at a time. */
#ifndef STE_BENCH_MONITOR_PARTS_H
#define STE_BENCH_MONITOR_PARTS_H

#include "bench/monitor.h"

/* A source that may be away: told once, until it has been back. */
struct ste_outage {
    bool told;
};
void ste_outage_tell(struct ste_outage *outage, const char *what, const struct ste_error *err);

/* What a settled engine looks like; gathered while a sample is taken. */
struct ste_monitor_balance {
    uint64_t ready;                 /* in all queues but ste.exception, ste.dead */
    uint64_t arrivals, completions; /* of all routers and nodes */
    bool complete;                  /* everything answered */
    bool any;                       /* something did */
};

/* ---- monitor_broker.c: queues ---- */
struct ste_monitor_broker;
STE_MUST_CHECK enum ste_code ste_monitor_broker_open(const struct ste_cluster *cluster,
                                                     struct ste_monitor_broker **ret,
                                                     struct ste_error *err);
/* writer NULL: only looks. */
void ste_monitor_broker_sample(struct ste_monitor_broker *broker, struct ste_samples_writer *writer,
                               struct ste_monitor_balance *balance);
/* Between samples that are far apart: the heartbeats. Never blocks. */
void ste_monitor_broker_idle(struct ste_monitor_broker *broker);
void ste_monitor_broker_close(struct ste_monitor_broker *broker, uint64_t *ret_api_cpu_ns);

/* ---- monitor_api.c: what only the management API tells, by a thread of its own ---- */
enum { STE_MONITOR_QUEUES_MAX = 4 + STE_SHARD_COUNT_MAX * (STE_QUEUE_TYPE_COUNT + 1) };
struct ste_monitor_queue {
    char name[STE_SAMPLES_NAME_BYTES], type[4];
    bool missing; /* the broker has no such queue: not asked again */
};
struct ste_monitor_api_values {
    bool known;
    double unacked, bytes;
};
struct ste_monitor_api;
STE_MUST_CHECK enum ste_code ste_monitor_api_start(const struct ste_cluster *cluster,
                                                   const struct ste_monitor_queue *queues,
                                                   size_t queue_count, struct ste_monitor_api **ret,
                                                   struct ste_error *err);
/* The newest answer, once; false: no new one. */
bool ste_monitor_api_take(struct ste_monitor_api *api, struct ste_monitor_api_values *values);
/* Ends the thread (waits for a question under way) and returns its CPU. Accepts NULL. */
uint64_t ste_monitor_api_stop(struct ste_monitor_api *api);

/* ---- monitor_processes.c: the machine, and what runs on it ---- */
struct ste_monitor_processes;
/* lab NULL: only the machine and this process, called self. A lab's router or node is read there
 * when it runs now; else its /metrics tell (one source from begin to end: one counter). */
STE_MUST_CHECK enum ste_code
ste_monitor_processes_open(const char *lab, const struct ste_cluster *cluster, const char *self,
                           struct ste_monitor_processes **ret, struct ste_error *err);
/* Takes little time, so that all processor time is of one moment. To count file descriptors is
 * dear: only with_fds. */
void ste_monitor_processes_sample(struct ste_monitor_processes *processes, bool with_fds,
                                  struct ste_samples_writer *writer);
bool ste_monitor_processes_have(const struct ste_monitor_processes *processes, const char *name);
/* Sums up the files of each shard's schema: for the first and the last sample. */
void ste_monitor_data_sample(struct ste_monitor_processes *processes,
                             struct ste_samples_writer *writer);
void ste_monitor_processes_close(struct ste_monitor_processes *processes);
/* True: the folder looks like an instance of the lab. */
bool ste_monitor_is_lab(const char *folder);

/* ---- monitor_daemons.c: routers and nodes ---- */
struct ste_monitor_daemons;
STE_MUST_CHECK enum ste_code ste_monitor_daemons_open(const struct ste_cluster *cluster,
                                                      struct ste_monitor_daemons **ret,
                                                      struct ste_error *err);
/* writer NULL: only looks. What a daemon says of its own process is put where `processes` does not
 * read it. */
void ste_monitor_daemons_sample(struct ste_monitor_daemons *daemons,
                                const struct ste_monitor_processes *processes,
                                struct ste_samples_writer *writer,
                                struct ste_monitor_balance *balance);
void ste_monitor_daemons_close(struct ste_monitor_daemons *daemons);

/* ---- monitor_shards.c ---- */
struct ste_monitor_shards;
STE_MUST_CHECK enum ste_code ste_monitor_shards_open(const struct ste_cluster *cluster,
                                                     struct ste_monitor_shards **ret,
                                                     struct ste_error *err);
/* True: one answered. */
bool ste_monitor_shards_sample(struct ste_monitor_shards *shards,
                               struct ste_samples_writer *writer);
void ste_monitor_shards_close(struct ste_monitor_shards *shards);

/* ---- monitor_meta.c ---- */
void ste_monitor_meta(const struct ste_monitor_options *options, const char *lab,
                      struct ste_samples_writer *writer);

#endif
