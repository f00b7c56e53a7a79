/* SPDX-License-Identifier: Apache-2.0
 * The approximation for several classes: a fixed point instead of a recursion. */
#include <math.h>
#include <stdlib.h>

#include "oa/mva.h"

enum { ROUNDS_MAX = 20000 };
static const double settled = 1e-10; /* largest change of a queue, per job of its class */

static enum ste_code check(const struct ste_oa_classes *in, struct ste_error *err)
{
    bool good = true;
    for (size_t c = 0; c < in->class_count; c++) {
        double sum = in->think[c];
        good = good && isfinite(in->jobs[c]) && in->jobs[c] >= 0 && isfinite(in->think[c]) &&
               in->think[c] >= 0;
        for (size_t k = 0; k < in->station_count; k++) {
            const double demand = in->demands[c * in->station_count + k];
            good = good && isfinite(demand) && demand >= 0;
            sum += demand;
        }
        good = good && sum > 0;
    }
    return good
               ? STE_OK
               : ste_error_set(err, STE_E_ARGUMENT, "a class wants jobs and demands of 0 and more");
}

/* All of the class evenly spread over its stations, to begin with. */
static void spread(const struct ste_oa_classes *in, double *present, double *total)
{
    const size_t count = in->station_count;
    for (size_t c = 0; c < in->class_count; c++) {
        size_t visited = 0;
        for (size_t k = 0; k < count; k++)
            visited += in->demands[c * count + k] > 0;
        for (size_t k = 0; k < count; k++) {
            present[c * count + k] =
                in->demands[c * count + k] > 0 ? in->jobs[c] / (double)visited : 0;
            total[k] += present[c * count + k];
        }
    }
}

/* New queues of one class from what stands there; gives the largest change. */
static double settle(const struct ste_oa_classes *in, size_t c, double *present,
                     const double *total, double *response, double *ret_throughput)
{
    const size_t count = in->station_count;
    const double *const demand = in->demands + c * count;
    const double jobs = in->jobs[c];
    double sum = 0, most = 0;
    if (!(jobs > 0))
        return *ret_throughput = 0;
    const double own = fmin(1, 1 / jobs); /* share of the class's queue that the job itself is */
    for (size_t k = 0; k < count; k++) {
        const double others = total[k] - own * present[k];
        response[k] = in->kinds[k] == STE_OA_DELAY ? demand[k] : demand[k] * (1 + others);
        sum += response[k];
    }
    *ret_throughput = jobs / (in->think[c] + sum);
    for (size_t k = 0; k < count; k++) {
        const double now = *ret_throughput * response[k];
        most = fmax(most, fabs(now - present[k]) / jobs);
        present[k] = now;
    }
    return most;
}

static void add_up(const struct ste_oa_classes *in, const double *present, double *total)
{
    for (size_t k = 0; k < in->station_count; k++) {
        total[k] = 0;
        for (size_t c = 0; c < in->class_count; c++)
            total[k] += present[c * in->station_count + k];
    }
}

enum ste_code ste_oa_schweitzer(const struct ste_oa_classes *in, double *ret_throughput,
                                double *ret_present, struct ste_error *err)
{
    const size_t places = in->class_count * in->station_count;
    enum ste_code rc = check(in, err);
    if (rc != STE_OK)
        return rc;
    double *const memory =
        calloc(places + 2 * in->station_count + in->class_count + 1, sizeof *memory);
    if (memory == NULL)
        return ste_error_set(err, STE_E_NOMEM, "no memory for %zu classes", in->class_count);
    double *const present = memory, *const total = present + places;
    double *const response = total + in->station_count;
    double *const throughput = response + in->station_count;
    spread(in, present, total);
    double change = 1;
    for (unsigned round = 0; round < ROUNDS_MAX && change > settled; round++) {
        change = 0;
        for (size_t c = 0; c < in->class_count; c++)
            change = fmax(change, settle(in, c, present + c * in->station_count, total, response,
                                         &throughput[c]));
        add_up(in, present, total);
    }
    if (change > settled)
        rc = ste_error_set(err, STE_E_LIMIT, "the queues did not settle in %d rounds", ROUNDS_MAX);
    for (size_t c = 0; rc == STE_OK && c < in->class_count; c++)
        ret_throughput[c] = throughput[c];
    for (size_t i = 0; rc == STE_OK && ret_present != NULL && i < places; i++)
        ret_present[i] = present[i];
    free(memory);
    return rc;
}
