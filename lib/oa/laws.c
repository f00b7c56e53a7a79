/* SPDX-License-Identifier: Apache-2.0 */
#include "oa/laws.h"

#include <math.h>

static bool counted(double value)
{
    return isfinite(value) && value >= 0;
}

static double ratio(double above, double below)
{
    return below > 0 ? above / below : NAN;
}

bool ste_oa_laws(const struct ste_oa_counts *counts, struct ste_oa_laws *ret)
{
    if (!counted(counts->seconds) || counts->seconds <= 0 || !counted(counts->servers) ||
        counts->servers <= 0 || !counted(counts->arrivals) || !counted(counts->completions) ||
        !counted(counts->busy) || !counted(counts->waiting))
        return false;
    const double seconds = counts->seconds, done = counts->completions;
    *ret = (struct ste_oa_laws){.arrival_rate = counts->arrivals / seconds,
                                .throughput = done / seconds,
                                .utilisation = counts->busy / (counts->servers * seconds),
                                .service = ratio(counts->busy, done),
                                .present = counts->waiting / seconds,
                                .response = ratio(counts->waiting, done),
                                .imbalance = ratio(counts->arrivals - done, done)};
    return true;
}

double ste_oa_visits(double completions, double system_completions)
{
    return ratio(completions, system_completions);
}

double ste_oa_demand(double busy, double system_completions)
{
    return ratio(busy, system_completions);
}

double ste_oa_area(const double *times, const double *values, size_t n)
{
    double area = 0;
    for (size_t i = 1; i < n; i++) {
        const double step = times[i] - times[i - 1];
        if (!(step >= 0))
            return NAN;
        area += step * values[i - 1];
    }
    return area;
}

double ste_oa_mm1_response(double service, double utilisation)
{
    return utilisation < 1 ? service / (1 - utilisation) : NAN;
}

double ste_oa_mm1_present(double utilisation)
{
    return utilisation < 1 ? utilisation / (1 - utilisation) : NAN;
}
