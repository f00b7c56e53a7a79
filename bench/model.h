/* SPDX-License-Identifier: Apache-2.0
 * The capacity model of the engine: what throughput, batch and bottleneck other numbers of nodes
 * and shards would have, from the costs that one run showed. Pure. docs/CAPACITY.md draws it.
 *
 *     driver ─► broker ─► router ─► broker ─► workers ────────► broker ─► pool
 *                                             │ node i's CPU  ▲
 *                                             ▼               │ commit: flush
 *                                             shard j's CPU ──┘
 *
 * - Customers are the workers. As deploy/lab spreads them, shard j belongs to node j mod N while
 *   there are no more nodes than shards, and node i works for shard i mod M alone when there are
 *   more; or (mesh) each node has W for each shard. Each worker carries one batch round: receive
 *   and check (node), lock and load (shard), decide and compose (node), write and commit (shard,
 *   flush of the log), relay and ack (node).
 * - A batch of B records costs a part `txn_s + record_s·B + delivery_s·B/r` of CPU; r records came
 *   in one delivery, as the router gathered them. Small batches are dear: that is why many workers
 *   of one shard, each with little to do, are slower than few.
 * - A worker holds the rows of its trades from the load to the commit. The others of its shard that
 *   need rows of the same trades wait (`lock`: the share of batches that do). So the node's own
 *   pauses keep a shard idle: one database does not get faster with more nodes.
 * - Workers of one shard cost its server more the more there are (`crowd`): lock waits are work.
 * - A node or shard held to a share of a core (control groups) gets share × period of CPU, then
 *   nothing until the period ends. Not held: it shares the machine's cores with all others.
 * - What else must hold: driver, pool and router are threads (X ≤ threads/D); all CPU together is
 *   at most the cores; an offered rate is not exceeded.
 *
 * Workers are alike, so one of them stands for all: the fixed point of approximate mean value
 * analysis, as Schweitzer's (lib/oa/mva.h) of one class, with the quotas' and the locks' waits as
 * surrogate delays (P. A. Jacobson, E. D. Lazowska 1982), which lib/oa does not have. At a rate,
 * driver, router, broker and pool are an open network (lib/oa/open.h). The simulation
 * (lib/oa/simulate.h) walks the same rounds without those approximations. */
#ifndef STE_BENCH_MODEL_H
#define STE_BENCH_MODEL_H

#include "bench/samples.h"

enum ste_model_part {
    STE_PART_DRIVER,
    STE_PART_POOL,
    STE_PART_ROUTER,
    STE_PART_BROKER,
    STE_PART_NODE,
    STE_PART_SHARD,
    STE_PART_COUNT
};
const char *ste_model_part_name(enum ste_model_part part); /* "node" */

/* CPU seconds. */
struct ste_model_cost {
    double txn_s, record_s, delivery_s;
    double idle;        /* per second of each process, whatever it does */
    double idle_worker; /* per second and worker connected to it; of a shard and a node */
};

enum { STE_MODEL_NOTES_MAX = 16, STE_MODEL_NOTE_BYTES = 240 };
struct ste_model {
    struct ste_model_cost cost[STE_PART_COUNT];
    unsigned nodes, shards, workers, router_threads; /* of the run that it was calibrated with */
    bool mesh;                                       /* every node works for every shard */
    double node_cpu, shard_cpu;                      /* shares of that run; 0: not held */
    double cores;
    double batch, publication; /* mean records per transaction, per publication of a router */
    bool at_capacity;          /* that run went as fast as it could: speed is fitted */
    bool backlogged;           /* work was always waiting: batches are as full as they get */
    double throughput;         /* messages a second of that run */
    double database_s;         /* mean wait for the database per transaction */
    double lock;               /* share of batches that want rows another one holds, 0 … 1 */
    double crowd;           /* further CPU of a shard with many workers, relative: c (1 - 1/w)^2 */
    double speed;           /* part of its share, or of the cores, that a process gets to use */
    double simulated_speed; /* the same for the simulation; 0: as `speed` */
    unsigned note_count;
    char notes[STE_MODEL_NOTES_MAX][STE_MODEL_NOTE_BYTES]; /* assumptions, for people */
};
void ste_model_note(struct ste_model *model, const char *format, ...) STE_PRINTF(2, 3);

/* What is asked. */
struct ste_model_case {
    unsigned nodes, shards, workers, router_threads;
    bool mesh;
    double cores;
    double node_cpu, shard_cpu;   /* 0: not held */
    double quota_period_s;        /* of control groups; 0: as deploy/lab makes them: 20 ms, or more,
                                     so that the quota is 1 ms */
    double flush_s;               /* one flush of a database's log */
    double batch_max;             /* records */
    double publication;           /* records of the router's; 0: found with the throughput */
    double rate;                  /* offered, messages a second; 0: as fast as it goes */
    double outstanding;           /* bound between publish and CLS; 0: none */
    double scale[STE_PART_COUNT]; /* of all costs of a part; 1: as measured */
};
/* The configuration of the calibrating run. */
struct ste_model_case ste_model_case_of(const struct ste_model *model);

struct ste_model_answer {
    double throughput;  /* messages a second */
    double upper;       /* the least of all simple limits */
    const char *limit;  /* which: "node", "shard", "router", "driver", "pool", "cores", "rate", and
                           "workers" or "locks" where waiting keeps X well below all of them */
    double batch;       /* records per transaction */
    double publication; /* records per publication of the router */
    double cycle_s;     /* one batch round of a worker */
    double lock_wait_s; /* of that, waiting for rows */
    double response_s;  /* publish to CLS; NAN where the queues grow while it lasts */
    double
        use[STE_PART_COUNT]; /* utilisation of each node, shard, router thread … by its own limit */
    double use_cores;
};
/* Errors: STE_E_ARGUMENT (no node, shard, worker, router, core), STE_E_LIMIT (idle work uses up a
 * whole share). */
STE_MUST_CHECK enum ste_code ste_model_predict(const struct ste_model *model,
                                               const struct ste_model_case *asked,
                                               struct ste_model_answer *ret, struct ste_error *err);

/* The same by simulation of `seconds`; mean and half width of 95 % confidence. */
struct ste_model_simulated {
    double throughput, half_width;
    double use_node, use_shard;
};
STE_MUST_CHECK enum ste_code ste_model_simulate(const struct ste_model *model,
                                                const struct ste_model_case *asked, double seconds,
                                                uint64_t seed, struct ste_model_simulated *ret,
                                                struct ste_error *err);

/* Fits simulated_speed as ste_model_calibrate fits speed, if that did. */
STE_MUST_CHECK enum ste_code ste_model_fit_simulation(struct ste_model *model, double seconds,
                                                      uint64_t seed, struct ste_error *err);

/* ---- calibration ---- */

/* What one run shows; intervals are those between samples. */
struct ste_model_run {
    unsigned nodes, shards, workers, router_threads;
    bool mesh;
    double node_cpu, shard_cpu, cores;
    double messages, batches, seconds;   /* in the steady part: 5 to 95 % of the work */
    double cpu[STE_PART_COUNT];          /* of a part's processes, over the time of `done` */
    double done[STE_PART_COUNT];         /* messages of that part */
    double part_seconds[STE_PART_COUNT]; /* over which cpu was seen */
    double database_s;
    double publications, routed;
    double waiting;              /* mean deliveries ready in typed queues */
    double idle[STE_PART_COUNT]; /* CPU per second of a process without work; NAN: never seen */
    size_t interval_count;
    struct ste_model_interval {
        double seconds, batches, messages, node_cpu, shard_cpu;
    } * intervals; /* of the steady part */
};
/* mesh: samples tell the number of workers, not whose they are. Errors: STE_E_ARGUMENT (no
 * messages, no node, no shard in the samples), STE_E_NOMEM. */
STE_MUST_CHECK enum ste_code ste_model_run_of(const struct ste_samples *samples, bool mesh,
                                              struct ste_model_run *ret, struct ste_error *err);
void ste_model_run_deinit(struct ste_model_run *run);

/* The first run gives everything. More runs help: with as many workers a shard as the first to part
 * the cost of a transaction from that of a record, with another number to find the crowd. crowd
 * NAN: found so, else assumed. lock, crowd: see struct ste_model. Errors: STE_E_ARGUMENT. */
STE_MUST_CHECK enum ste_code ste_model_calibrate(const struct ste_model_run *runs, size_t count,
                                                 double lock, double crowd, struct ste_model *ret,
                                                 struct ste_error *err);

#endif
