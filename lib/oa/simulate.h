/* SPDX-License-Identifier: Apache-2.0
 * A discrete-event simulation of networks that mva.h and open.h compute, and of three things that
 * no product form has: a processor share handed out by the period (Linux cgroup quota), locks held
 * over several stations, and service times that do not vary. Seeded: the same input gives the same
 * result wherever the C library's log1p does. Results by the method of batch means (G. S. Fishman
 * 1978): the run is cut into 20 equal parts whose means are taken as independent.
 * Pure: no clock, no I/O. Blocks while it computes; time and events are bounded by `events_max`.
 *
 * A job walks the steps of its class, one after the other; a closed class then starts again (think
 * time is a delay station), a job of an open class leaves. */
#ifndef STE_OA_SIMULATE_H
#define STE_OA_SIMULATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

enum ste_oa_discipline {
    STE_OA_FCFS,   /* in order of arrival, `servers` at a time */
    STE_OA_SHARED, /* all at once, each at speed min(1, servers/n): a processor */
    STE_OA_WAIT,   /* nobody waits: think time, a disk's flush */
};
struct ste_oa_sim_station {
    enum ste_oa_discipline discipline;
    unsigned servers; /* 0 counts as 1 */
    double quota_s;   /* service given per period, then nothing until the next; 0: no limit */
    double period_s;  /* of the quota */
    double phase_s;   /* when the first period ends, in (0, period_s]; 0 counts as period_s */
};

enum ste_oa_step_kind { STE_OA_SERVE, STE_OA_LOCK, STE_OA_UNLOCK };
struct ste_oa_step {
    enum ste_oa_step_kind kind;
    unsigned where;     /* station, or lock; locks are given in order of arrival */
    double mean_s;      /* of a service */
    double variation;   /* of a service, its standard deviation over its mean v: 1 exponential, 0
                           always mean_s, from 0.01: Erlang of 1/v² phases, rounded */
    double probability; /* of a lock: whether this job needs it this time; an unlock without its
                           lock is nothing. Between a lock and its unlock stands no other lock */
};
struct ste_oa_sim_class {
    unsigned jobs;       /* closed: so many; 0: open */
    double arrival_rate; /* open: per second */
    bool regular;        /* open: at equal distances instead of at random */
    const struct ste_oa_step *steps;
    size_t step_count; /* at least one service above 0 s; every lock has its unlock behind it */
};
struct ste_oa_simulation {
    const struct ste_oa_sim_station *stations;
    size_t station_count;
    size_t lock_count;
    const struct ste_oa_sim_class *classes;
    size_t class_count;
    uint64_t seed;
    double warm_up_s;    /* not counted */
    double seconds;      /* counted, after the warm-up */
    uint64_t events_max; /* 0: 50 million */
};

struct ste_oa_estimate {
    double mean, half_width; /* 95 % confidence: mean ± half_width. Of a response: INFINITY when a
                                part of the run saw no job end; a mean of no job is NAN */
};
struct ste_oa_sim_load {
    double utilisation; /* mean service given per second and server; a delay station: 0 */
    double present;     /* mean number of jobs there */
};
struct ste_oa_simulated {
    struct ste_oa_estimate throughput; /* all classes together: ends of a walk per second */
    struct ste_oa_estimate response;   /* seconds from the first step to the last */
    uint64_t completions, events;
};
/* ret_loads (may be NULL): station_count places. Errors: STE_E_ARGUMENT (what the comments above
 * rule out), STE_E_NOMEM, STE_E_LIMIT (events_max, or more than a million jobs: an open network
 * that grows). */
STE_MUST_CHECK enum ste_code ste_oa_simulate(const struct ste_oa_simulation *input,
                                             struct ste_oa_simulated *ret,
                                             struct ste_oa_sim_load *ret_loads,
                                             struct ste_error *err);

#endif
