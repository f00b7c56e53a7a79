/* SPDX-License-Identifier: Apache-2.0 */
#include "oa/mva.h"

#include <math.h>
#include <stdlib.h>

static size_t servers_of(const struct ste_oa_station *station)
{
    return station->servers > 1 ? station->servers : 1;
}

static enum ste_code check(const struct ste_oa_station *stations, size_t count, double think,
                           size_t n, struct ste_error *err)
{
    double sum = think;
    bool good = isfinite(think) && think >= 0;
    for (size_t k = 0; k < count; k++) {
        good = good && isfinite(stations[k].demand) && stations[k].demand >= 0 &&
               stations[k].servers <= STE_OA_SERVERS_MAX;
        sum += stations[k].demand;
    }
    if (!good || !(sum > 0))
        return ste_error_set(err, STE_E_ARGUMENT,
                             "a closed network wants demands of 0 and more, one above it, and at "
                             "most %d servers a station",
                             STE_OA_SERVERS_MAX);
    if (n > STE_OA_JOBS_MAX)
        return ste_error_set(err, STE_E_ARGUMENT, "%zu jobs are above %d", n, STE_OA_JOBS_MAX);
    return STE_OK;
}

/* What is carried from n-1 jobs to n: the number at each station, and for several servers the
 * probabilities of 0 … m-1 jobs there, one run of places a station. */
struct carried {
    double *present, *probability;
};

static double respond(const struct ste_oa_station *station, double present,
                      const double *probability)
{
    if (station->kind == STE_OA_DELAY)
        return station->demand;
    const size_t servers = servers_of(station);
    double busy_less = 0; /* servers that an arriving job finds idle, beyond its own */
    for (size_t j = 0; servers > 1 && j + 1 < servers; j++)
        busy_less += (double)(servers - 1 - j) * probability[j];
    return station->demand / (double)servers * (1 + present + busy_less);
}

/* p(j|n) = X·D/j · p(j-1|n-1) below m jobs. p(0|n) follows from the mean number of busy servers,
 * Σ min(j,m)·p(j|n) = X·D; rounding may leave it a hair below 0 near saturation. */
static void carry_probability(const struct ste_oa_station *station, double throughput,
                              double *probability)
{
    const size_t servers = servers_of(station);
    if (station->kind == STE_OA_DELAY || servers == 1)
        return;
    const double busy = throughput * station->demand;
    double missing = 0;
    for (size_t j = servers - 1; j >= 1; j--) {
        probability[j] = busy / (double)j * probability[j - 1];
        missing += (double)(servers - j) * probability[j];
    }
    probability[0] = fmax(0, 1 - (busy + missing) / (double)servers);
}

static void step(const struct ste_oa_station *stations, size_t count, double think, size_t n,
                 struct carried *carried, double *response, struct ste_oa_closed *ret)
{
    double sum = 0;
    const double *probability = carried->probability;
    for (size_t k = 0; k < count; k++) {
        response[k] = respond(&stations[k], carried->present[k], probability);
        sum += response[k];
        probability += servers_of(&stations[k]);
    }
    const double throughput = (double)n / (think + sum);
    double *next = carried->probability;
    for (size_t k = 0; k < count; k++) {
        carried->present[k] = throughput * response[k];
        carry_probability(&stations[k], throughput, next);
        next += servers_of(&stations[k]);
    }
    *ret = (struct ste_oa_closed){.throughput = throughput, .response = sum};
}

static void report(const struct ste_oa_station *stations, size_t count, double throughput,
                   const double *response, const double *present, struct ste_oa_load *ret)
{
    for (size_t k = 0; k < count; k++) {
        const bool delay = stations[k].kind == STE_OA_DELAY;
        const double servers = delay ? 1 : (double)servers_of(&stations[k]);
        ret[k] = (struct ste_oa_load){.utilisation = throughput * stations[k].demand / servers,
                                      .response = response[k],
                                      .present = present[k]};
    }
}

enum ste_code ste_oa_mva(const struct ste_oa_station *stations, size_t count, double think,
                         size_t n, struct ste_oa_closed *ret, struct ste_oa_load *ret_loads,
                         struct ste_error *err)
{
    const enum ste_code rc = check(stations, count, think, n, err);
    if (rc != STE_OK)
        return rc;
    size_t places = 0;
    for (size_t k = 0; k < count; k++)
        places += servers_of(&stations[k]);
    double *const memory = calloc(2 * count + places + 1, sizeof *memory);
    if (memory == NULL)
        return ste_error_set(err, STE_E_NOMEM, "no memory for a network of %zu stations", count);
    struct carried carried = {.present = memory, .probability = memory + 2 * count};
    double *const response = memory + count;
    double *first = carried.probability;
    for (size_t k = 0; k < count; k++) {
        first[0] = 1; /* with no job all are empty */
        first += servers_of(&stations[k]);
    }
    struct ste_oa_closed result = {0};
    for (size_t jobs = 1; jobs <= n; jobs++)
        step(stations, count, think, jobs, &carried, response, &result);
    if (ret_loads != NULL)
        report(stations, count, result.throughput, response, carried.present, ret_loads);
    *ret = result;
    free(memory);
    return STE_OK;
}
