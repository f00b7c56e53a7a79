/* SPDX-License-Identifier: Apache-2.0
 * The loop: take the earliest event of any station or arrival, move the clock, move the job. */
#include "oa/simulate.h"

#include <math.h>
#include <stdlib.h>

#include "oa/simulate_internal.h"

enum { JOBS_MAX = 1000000, PARTS = 20 };
static const uint64_t events_max_default = 50000000;
static const double student_t_19 = 2.093; /* 97.5 % point of Student's t, 19 degrees of freedom */

struct part {
    double completions, response_s;
};
struct run {
    const struct ste_oa_simulation *in;
    struct ste_sim_station *stations;
    struct ste_sim_lock *locks;
    struct ste_sim_job *jobs;
    size_t job_count, job_capacity, free_job; /* free list by `next`, SIZE_MAX ends it */
    double *next_arrival;                     /* per class; INFINITY: closed */
    struct part parts[PARTS];
    struct ste_sim_random random;
    double now;
    uint64_t events, completions;
};

/* ---- jobs ---- */

static bool new_job(struct run *run, size_t class, size_t *ret)
{
    if (run->free_job != SIZE_MAX) {
        *ret = run->free_job;
        run->free_job = run->jobs[*ret].next;
    } else {
        if (run->job_count == run->job_capacity) {
            const size_t capacity = run->job_capacity ? run->job_capacity * 2 : 64;
            void *const jobs = realloc(run->jobs, capacity * sizeof *run->jobs);
            if (jobs == NULL)
                return false;
            run->jobs = jobs;
            run->job_capacity = capacity;
        }
        *ret = run->job_count++;
    }
    run->jobs[*ret] =
        (struct ste_sim_job){.class = class, .holds = STE_SIM_NO_LOCK, .next = SIZE_MAX};
    return true;
}

static void count_end(struct run *run, const struct ste_sim_job *job)
{
    const double at = run->now - run->in->warm_up_s;
    if (at < 0 || at >= run->in->seconds)
        return;
    struct part *const part = &run->parts[(size_t)(at / run->in->seconds * PARTS)];
    part->completions++;
    part->response_s += run->now - job->began;
    run->completions++;
}

static double service_time(struct run *run, const struct ste_oa_step *step)
{
    if (!(step->variation > 0))
        return step->mean_s;
    const unsigned phases = (unsigned)fmax(1, round(1 / (step->variation * step->variation)));
    double sum = 0;
    for (unsigned i = 0; i < phases; i++)
        sum += ste_sim_exponential(&run->random, step->mean_s / phases);
    return sum;
}

/* True: the job waits for the lock. */
static bool lock(struct run *run, size_t id, const struct ste_oa_step *step)
{
    struct ste_sim_job *const job = &run->jobs[id];
    struct ste_sim_lock *const lock = &run->locks[step->where];
    if (ste_sim_uniform(&run->random) >= step->probability)
        return false;
    job->holds = step->where;
    if (!lock->taken) {
        lock->taken = true;
        return false;
    }
    job->next = SIZE_MAX;
    if (lock->first == SIZE_MAX)
        lock->first = id;
    else
        run->jobs[lock->last].next = id;
    lock->last = id;
    return true;
}

/* The job that now has the lock, or SIZE_MAX. */
static size_t unlock(struct run *run, size_t id, const struct ste_oa_step *step)
{
    struct ste_sim_lock *const lock = &run->locks[step->where];
    if (run->jobs[id].holds != step->where)
        return SIZE_MAX;
    run->jobs[id].holds = STE_SIM_NO_LOCK;
    const size_t next = lock->first;
    if (next == SIZE_MAX)
        lock->taken = false;
    else
        lock->first = run->jobs[next].next;
    return next;
}

/* Moves a job on until it is served or waits. A job that gets a lock meanwhile is moved too. */
static enum ste_code walk(struct run *run, size_t id, struct ste_error *err)
{
    const struct ste_oa_sim_class *const class = &run->in->classes[run->jobs[id].class];
    for (;;) {
        struct ste_sim_job *const job = &run->jobs[id];
        if (job->step == class->step_count) {
            count_end(run, job);
            if (class->jobs == 0) {
                job->next = run->free_job;
                run->free_job = id;
                return STE_OK;
            }
            job->step = 0;
            job->began = run->now;
        }
        const struct ste_oa_step *const step = &class->steps[job->step++];
        if (step->kind == STE_OA_SERVE) {
            if (ste_sim_enter(&run->stations[step->where], id, service_time(run, step), run->now))
                return STE_OK;
            return ste_error_set(err, STE_E_NOMEM, "no memory for a queue");
        }
        if (step->kind == STE_OA_LOCK && lock(run, id, step))
            return STE_OK;
        if (step->kind == STE_OA_UNLOCK) {
            const size_t next = unlock(run, id, step);
            const enum ste_code rc = next == SIZE_MAX ? STE_OK : walk(run, next, err);
            if (rc != STE_OK)
                return rc;
        }
    }
}

static enum ste_code start_job(struct run *run, size_t class, struct ste_error *err)
{
    size_t id;
    if (run->job_count >= JOBS_MAX && run->free_job == SIZE_MAX)
        return ste_error_set(err, STE_E_LIMIT, "more than %d jobs at once", JOBS_MAX);
    if (!new_job(run, class, &id))
        return ste_error_set(err, STE_E_NOMEM, "no memory for a job");
    run->jobs[id].began = run->now;
    return walk(run, id, err);
}

/* ---- the loop ---- */

static void plan_arrival(struct run *run, size_t class)
{
    const struct ste_oa_sim_class *const of = &run->in->classes[class];
    const double gap = 1 / of->arrival_rate;
    run->next_arrival[class] =
        run->now + (of->regular ? gap : ste_sim_exponential(&run->random, gap));
}

static enum ste_code begin(struct run *run, struct ste_error *err)
{
    enum ste_code rc = STE_OK;
    for (size_t c = 0; rc == STE_OK && c < run->in->class_count; c++) {
        const struct ste_oa_sim_class *const class = &run->in->classes[c];
        run->next_arrival[c] = INFINITY;
        if (class->jobs == 0)
            plan_arrival(run, c);
        for (unsigned j = 0; rc == STE_OK && j < class->jobs; j++)
            rc = start_job(run, c, err);
    }
    return rc;
}

/* The next event; *ret_station is SIZE_MAX when it is an arrival of *ret_class. */
static double next_event(const struct run *run, size_t *ret_station, size_t *ret_class)
{
    double at = INFINITY;
    *ret_station = SIZE_MAX;
    *ret_class = 0;
    for (size_t k = 0; k < run->in->station_count; k++) {
        if (run->stations[k].next_event < at) {
            at = run->stations[k].next_event;
            *ret_station = k;
        }
    }
    for (size_t c = 0; c < run->in->class_count; c++) {
        if (run->next_arrival[c] < at) {
            at = run->next_arrival[c];
            *ret_station = SIZE_MAX;
            *ret_class = c;
        }
    }
    return at;
}

static enum ste_code loop(struct run *run, struct ste_error *err)
{
    const double end = run->in->warm_up_s + run->in->seconds;
    const uint64_t most = run->in->events_max ? run->in->events_max : events_max_default;
    enum ste_code rc = begin(run, err);
    bool warm = false;
    while (rc == STE_OK) {
        size_t station, class;
        const double at = next_event(run, &station, &class);
        if (!warm && at >= run->in->warm_up_s) {
            warm = true;
            for (size_t k = 0; k < run->in->station_count; k++)
                ste_sim_forget(&run->stations[k], run->in->warm_up_s);
        }
        if (at >= end)
            break;
        run->now = at;
        if (++run->events > most)
            return ste_error_set(err, STE_E_LIMIT, "more than %llu events",
                                 (unsigned long long)most);
        if (station == SIZE_MAX) {
            plan_arrival(run, class);
            rc = start_job(run, class, err);
            continue;
        }
        size_t left;
        while (rc == STE_OK && ste_sim_leave(&run->stations[station], run->now, &left))
            rc = walk(run, left, err);
    }
    for (size_t k = 0; k < run->in->station_count; k++)
        ste_sim_advance(&run->stations[k], end);
    run->now = end;
    return rc;
}

/* ---- the results ---- */

static struct ste_oa_estimate estimate(const double *values, size_t count)
{
    double sum = 0, square = 0;
    for (size_t i = 0; i < count; i++)
        sum += values[i];
    const double mean = count > 0 ? sum / (double)count : NAN;
    for (size_t i = 0; i < count; i++)
        square += (values[i] - mean) * (values[i] - mean);
    if (count < PARTS) /* some part saw no job end: too short a run to tell */
        return (struct ste_oa_estimate){mean, INFINITY};
    const double deviation = sqrt(square / (double)(count - 1));
    return (struct ste_oa_estimate){mean, student_t_19 * deviation / sqrt((double)count)};
}

static void report(const struct run *run, struct ste_oa_simulated *ret,
                   struct ste_oa_sim_load *ret_loads)
{
    double rates[PARTS], responses[PARTS];
    size_t seen = 0;
    for (size_t i = 0; i < PARTS; i++) {
        rates[i] = run->parts[i].completions * PARTS / run->in->seconds;
        if (run->parts[i].completions > 0)
            responses[seen++] = run->parts[i].response_s / run->parts[i].completions;
    }
    *ret = (struct ste_oa_simulated){.throughput = estimate(rates, PARTS),
                                     .response = estimate(responses, seen),
                                     .completions = run->completions,
                                     .events = run->events};
    for (size_t k = 0; ret_loads != NULL && k < run->in->station_count; k++) {
        const struct ste_sim_station *const station = &run->stations[k];
        const double servers = station->of.servers > 1 ? station->of.servers : 1;
        ret_loads[k] = (struct ste_oa_sim_load){.utilisation = station->of.discipline == STE_OA_WAIT
                                                                   ? 0
                                                                   : station->served / servers /
                                                                         run->in->seconds,
                                                .present = station->area / run->in->seconds};
    }
}

static enum ste_code prepare(struct run *run, struct ste_error *err)
{
    const struct ste_oa_simulation *const in = run->in;
    run->stations = calloc(in->station_count + 1, sizeof *run->stations);
    run->locks = calloc(in->lock_count + 1, sizeof *run->locks);
    run->next_arrival = calloc(in->class_count + 1, sizeof *run->next_arrival);
    if (run->stations == NULL || run->locks == NULL || run->next_arrival == NULL)
        return ste_error_set(err, STE_E_NOMEM, "no memory for a simulation");
    for (size_t k = 0; k < in->station_count; k++)
        ste_sim_open(&run->stations[k], &in->stations[k]);
    for (size_t i = 0; i < in->lock_count; i++)
        run->locks[i].first = SIZE_MAX;
    return STE_OK;
}

enum ste_code ste_oa_simulate(const struct ste_oa_simulation *input, struct ste_oa_simulated *ret,
                              struct ste_oa_sim_load *ret_loads, struct ste_error *err)
{
    struct run run = {.in = input, .free_job = SIZE_MAX, .random = {input->seed}};
    if (!ste_sim_valid(input))
        return ste_error_set(err, STE_E_ARGUMENT, "the network to simulate is not valid");
    enum ste_code rc = prepare(&run, err);
    if (rc == STE_OK)
        rc = loop(&run, err);
    if (rc == STE_OK)
        report(&run, ret, ret_loads);
    for (size_t k = 0; run.stations != NULL && k < input->station_count; k++)
        free(run.stations[k].here);
    free(run.stations);
    free(run.locks);
    free(run.next_arrival);
    free(run.jobs);
    return rc;
}
