/* SPDX-License-Identifier: Apache-2.0 */
#include "oa/open.h"

#include <math.h>

/* Probability that all m servers are busy, offered a = λ·D < m; by the recursion of Erlang's B. */
static double erlang_c(double offered, unsigned servers)
{
    double b = 1;
    for (unsigned j = 1; j <= servers; j++)
        b = offered * b / (j + offered * b);
    return b / (1 - offered / servers * (1 - b));
}

static struct ste_oa_load load_of(const struct ste_oa_station *station, double rate)
{
    const double demand = station->demand;
    if (station->kind == STE_OA_DELAY)
        return (struct ste_oa_load){rate * demand, demand, rate * demand};
    const unsigned servers = station->servers > 1 ? station->servers : 1;
    const double busy = rate * demand / servers;
    if (busy >= 1)
        return (struct ste_oa_load){busy, INFINITY, INFINITY};
    const double waits = servers == 1 ? busy : erlang_c(rate * demand, servers);
    const double response = demand + waits * demand / (servers * (1 - busy));
    return (struct ste_oa_load){busy, response, rate * response};
}

enum ste_code ste_oa_open(const struct ste_oa_station *stations, size_t count, double arrival_rate,
                          struct ste_oa_open *ret, struct ste_oa_load *ret_loads,
                          struct ste_error *err)
{
    struct ste_oa_open result = {.saturation = INFINITY};
    double most = -1;
    if (!isfinite(arrival_rate) || arrival_rate < 0)
        return ste_error_set(err, STE_E_ARGUMENT, "an arrival rate is 0 or more");
    for (size_t k = 0; k < count; k++) {
        const struct ste_oa_station *const station = &stations[k];
        if (!isfinite(station->demand) || station->demand < 0 ||
            station->servers > STE_OA_SERVERS_MAX)
            return ste_error_set(err, STE_E_ARGUMENT,
                                 "station %zu: a demand is 0 or more, servers at most %d", k,
                                 STE_OA_SERVERS_MAX);
    }
    for (size_t k = 0; k < count; k++) {
        const struct ste_oa_load load = load_of(&stations[k], arrival_rate);
        result.response += load.response;
        result.present += load.present;
        if (stations[k].kind == STE_OA_QUEUE) {
            const double servers = stations[k].servers > 1 ? stations[k].servers : 1;
            result.saturation = fmin(result.saturation, servers / stations[k].demand);
            result.unstable += load.utilisation >= 1;
            if (load.utilisation > most) {
                most = load.utilisation;
                result.bottleneck = k;
            }
        }
        if (ret_loads != NULL)
            ret_loads[k] = load;
    }
    *ret = result;
    return STE_OK;
}
