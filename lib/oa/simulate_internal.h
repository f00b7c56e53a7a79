/* SPDX-License-Identifier: Apache-2.0
 * Between the files of the simulation: its stations, jobs and random numbers. */
#ifndef STE_OA_SIMULATE_INTERNAL_H
#define STE_OA_SIMULATE_INTERNAL_H

#include "oa/simulate.h"

#define STE_SIM_NO_LOCK SIZE_MAX

struct ste_sim_job {
    size_t class, step; /* step: the next one */
    size_t holds;       /* a lock it has or waits for */
    size_t next;        /* in a list of waiting or free jobs */
    double began;
};
struct ste_sim_lock {
    bool taken;
    size_t first, last; /* waiting jobs */
};
struct ste_sim_present {
    size_t job;
    double left_s; /* service still to give */
};
struct ste_sim_station {
    struct ste_oa_sim_station of;
    struct ste_sim_present *here; /* in order of arrival */
    size_t count, capacity;
    double quota_left, period_end; /* of a station with a quota */
    double updated, next_event;
    double served, area; /* service given; area under the number present */
};
struct ste_sim_random {
    uint64_t state;
};

double ste_sim_uniform(struct ste_sim_random *random); /* [0, 1) */
double ste_sim_exponential(struct ste_sim_random *random, double mean);

bool ste_sim_valid(const struct ste_oa_simulation *input);
void ste_sim_open(struct ste_sim_station *station, const struct ste_oa_sim_station *of);
/* Gives all present the service due until `now`. Never passes the station's next event. */
void ste_sim_advance(struct ste_sim_station *station, double now);
/* False: no memory. */
bool ste_sim_enter(struct ste_sim_station *station, size_t job, double service_s, double now);
/* Takes out one job that is done. False: none is; then the next event is planned anew. */
bool ste_sim_leave(struct ste_sim_station *station, double now, size_t *ret_job);
/* Starts counting at `now`, which is not after the next event. */
void ste_sim_forget(struct ste_sim_station *station, double now);

#endif
