/* SPDX-License-Identifier: Apache-2.0
 * One station of the simulation. Between two events the speed of each job does not change. Events:
 * a job is done, the quota of the period is used up, or a new period begins. */
#include <math.h>
#include <stdlib.h>

#include "oa/simulate_internal.h"

static const double nothing_s = 1e-12;     /* less service than this is none: rounding */
static const double variation_least = .01; /* 10,000 phases a service, which no event counts */

/* splitmix64 (G. Steele, D. Lea, C. Flood, "Fast Splittable Pseudorandom Number Generators", 2014):
 * the same numbers on every machine. */
static uint64_t next_u64(struct ste_sim_random *random)
{
    uint64_t z = random->state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

double ste_sim_uniform(struct ste_sim_random *random)
{
    return (double)(next_u64(random) >> 11) * 0x1p-53;
}

double ste_sim_exponential(struct ste_sim_random *random, double mean)
{
    return -mean * log1p(-ste_sim_uniform(random));
}

/* ---- validity ---- */

static bool amount(double value)
{
    return isfinite(value) && value >= 0;
}

static bool step_valid(const struct ste_oa_simulation *in, const struct ste_oa_step *step)
{
    if (step->kind == STE_OA_SERVE)
        return step->where < in->station_count && amount(step->mean_s) &&
               (step->variation == 0 ||
                (step->variation >= variation_least && step->variation <= 1));
    return step->where < in->lock_count &&
           (step->kind == STE_OA_UNLOCK || amount(step->probability));
}

/* Locks are not nested, and who begins again holds none. */
static bool class_valid(const struct ste_oa_simulation *in, const struct ste_oa_sim_class *class)
{
    double service = 0;
    const struct ste_oa_step *held = NULL;
    for (size_t i = 0; i < class->step_count; i++) {
        const struct ste_oa_step *const step = &class->steps[i];
        if (!step_valid(in, step))
            return false;
        if (step->kind == STE_OA_SERVE) {
            service += step->mean_s;
        } else if (step->kind == STE_OA_LOCK) {
            if (held != NULL)
                return false;
            held = step;
        } else {
            if (held == NULL || held->where != step->where)
                return false;
            held = NULL;
        }
    }
    return held == NULL && service > 0 &&
           (class->jobs > 0 || (isfinite(class->arrival_rate) && class->arrival_rate > 0));
}

bool ste_sim_valid(const struct ste_oa_simulation *in)
{
    bool good = amount(in->warm_up_s) && isfinite(in->seconds) && in->seconds > 0;
    for (size_t k = 0; k < in->station_count; k++) {
        const struct ste_oa_sim_station *const station = &in->stations[k];
        good = good && amount(station->quota_s) && amount(station->period_s) &&
               amount(station->phase_s) && station->phase_s <= station->period_s &&
               (station->quota_s == 0 || station->period_s > 0);
    }
    for (size_t c = 0; good && c < in->class_count; c++)
        good = class_valid(in, &in->classes[c]);
    return good && in->class_count > 0;
}

/* ---- a station ---- */

static bool limited(const struct ste_sim_station *station)
{
    return station->of.quota_s > 0;
}

/* Less service than this cannot be given: it ends within the clock's own grain, and no later event
 * would come. */
static double grain_s(double now)
{
    return fmax(nothing_s, now * 1e-15);
}

/* All present together may miss the end of the quota by a grain each. */
static bool throttled(const struct ste_sim_station *station)
{
    return limited(station) &&
           station->quota_left <= grain_s(station->updated) * (double)(station->count + 1);
}

static size_t servers_of(const struct ste_sim_station *station)
{
    return station->of.servers > 1 ? station->of.servers : 1;
}

/* How many are being served, and how fast each. */
static size_t served_of(const struct ste_sim_station *station, double *ret_speed)
{
    const size_t servers = servers_of(station);
    *ret_speed = throttled(station) ? 0 : 1;
    if (station->of.discipline == STE_OA_FCFS && station->count > servers)
        return servers;
    if (station->of.discipline == STE_OA_SHARED && station->count > servers)
        *ret_speed *= (double)servers / (double)station->count;
    return station->count;
}

static void plan(struct ste_sim_station *station)
{
    double speed, left = INFINITY;
    const size_t served = served_of(station, &speed);
    for (size_t i = 0; i < served; i++)
        left = fmin(left, station->here[i].left_s);
    station->next_event = INFINITY;
    if (station->count == 0)
        return;
    if (speed > 0)
        station->next_event = station->updated + left / speed;
    if (!limited(station))
        return;
    station->next_event = fmin(station->next_event, station->period_end);
    if (speed > 0)
        station->next_event = fmin(
            station->next_event, station->updated + station->quota_left / (speed * (double)served));
}

/* A new period brings the whole quota; what was left of the old one is gone. */
static void refill(struct ste_sim_station *station, double now)
{
    if (!limited(station) || station->period_end > now)
        return;
    const double periods = floor((now - station->period_end) / station->of.period_s) + 1;
    station->period_end += periods * station->of.period_s;
    station->quota_left = station->of.quota_s;
}

void ste_sim_open(struct ste_sim_station *station, const struct ste_oa_sim_station *of)
{
    *station = (struct ste_sim_station){.of = *of,
                                        .quota_left = of->quota_s,
                                        .period_end = of->phase_s > 0 ? of->phase_s : of->period_s,
                                        .next_event = INFINITY};
}

void ste_sim_advance(struct ste_sim_station *station, double now)
{
    double speed;
    const size_t served = served_of(station, &speed);
    const double passed = now - station->updated, given = passed * speed;
    for (size_t i = 0; i < served; i++)
        station->here[i].left_s = fmax(0, station->here[i].left_s - given);
    station->area += passed * (double)station->count;
    station->served += given * (double)served;
    if (limited(station))
        station->quota_left = fmax(0, station->quota_left - given * (double)served);
    station->updated = now;
    refill(station, now);
}

bool ste_sim_enter(struct ste_sim_station *station, size_t job, double service_s, double now)
{
    ste_sim_advance(station, now);
    if (station->count == station->capacity) {
        const size_t capacity = station->capacity ? station->capacity * 2 : 16;
        void *const here = realloc(station->here, capacity * sizeof *station->here);
        if (here == NULL)
            return false;
        station->here = here;
        station->capacity = capacity;
    }
    station->here[station->count++] = (struct ste_sim_present){job, service_s};
    plan(station);
    return true;
}

bool ste_sim_leave(struct ste_sim_station *station, double now, size_t *ret_job)
{
    double speed;
    ste_sim_advance(station, now);
    const size_t served = served_of(station, &speed);
    for (size_t i = 0; i < served; i++) {
        if (station->here[i].left_s > grain_s(now))
            continue;
        *ret_job = station->here[i].job;
        for (size_t j = i + 1; j < station->count; j++)
            station->here[j - 1] = station->here[j];
        station->count--;
        plan(station);
        return true;
    }
    plan(station);
    return false;
}

void ste_sim_forget(struct ste_sim_station *station, double now)
{
    ste_sim_advance(station, now);
    station->served = 0;
    station->area = 0;
    plan(station);
}
