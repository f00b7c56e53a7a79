/* SPDX-License-Identifier: Apache-2.0 */
#include "oa/bounds.h"

#include <math.h>

double ste_oa_demand_sum(const struct ste_oa_system *system)
{
    double sum = 0;
    for (size_t i = 0; i < system->count; i++)
        sum += system->demands[i];
    return sum;
}

size_t ste_oa_bottleneck(const struct ste_oa_system *system)
{
    size_t most = 0;
    for (size_t i = 1; i < system->count; i++) {
        if (system->demands[i] > system->demands[most])
            most = i;
    }
    return most;
}

double ste_oa_demand_max(const struct ste_oa_system *system)
{
    return system->demands[ste_oa_bottleneck(system)];
}

double ste_oa_knee(const struct ste_oa_system *system)
{
    return (ste_oa_demand_sum(system) + system->think) / ste_oa_demand_max(system);
}

struct ste_oa_bounds ste_oa_asymptotic(const struct ste_oa_system *system, double n)
{
    const double sum = ste_oa_demand_sum(system), think = system->think;
    return (struct ste_oa_bounds){.lower = n / (n * sum + think),
                                  .upper = fmin(1 / ste_oa_demand_max(system), n / (sum + think))};
}

struct ste_oa_bounds ste_oa_balanced(const struct ste_oa_system *system, double n)
{
    const double sum = ste_oa_demand_sum(system), think = system->think;
    const double most = ste_oa_demand_max(system), mean = sum / (double)system->count;
    const double slow = (n - 1) * most / (1 + think / (n * sum));
    const double fast = (n - 1) * mean / (1 + think / sum);
    return (struct ste_oa_bounds){.lower = n / (sum + think + slow),
                                  .upper = fmin(1 / most, n / (sum + think + fast))};
}
