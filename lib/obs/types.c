/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "obs/obs.h"

static void add(struct ste_obs_worker *worker, enum ste_metric_id id, unsigned type, uint64_t more)
{
    if (more > 0)
        atomic_fetch_add_explicit(&worker->types[id - STE_M_TYPE_FIRST][type], more,
                                  memory_order_relaxed);
}

void ste_obs_types_flush(struct ste_obs_worker *worker, struct ste_obs_types *types,
                         uint64_t busy_ns)
{
    const uint64_t more_ns = busy_ns > types->busy_ns ? busy_ns - types->busy_ns : 0;
    uint64_t total = 0, until_now = 0, given_ns = 0;
    for (unsigned type = 0; type < STE_OBS_TYPE_COUNT; type++)
        total += (uint64_t)types->arrivals[type] + types->completions[type];
    types->busy_ns = busy_ns;
    if (total == 0)
        return;
    /* Shares end at rounded places of one line, so that nothing is lost between them. */
    for (unsigned type = 0; type < STE_OBS_TYPE_COUNT; type++) {
        until_now += (uint64_t)types->arrivals[type] + types->completions[type];
        const uint64_t end_ns = (uint64_t)((double)more_ns * (double)until_now / (double)total);
        add(worker, STE_M_TYPE_ARRIVALS, type, types->arrivals[type]);
        add(worker, STE_M_TYPE_COMPLETIONS, type, types->completions[type]);
        add(worker, STE_M_TYPE_BUSY_NS, type, end_ns - given_ns);
        given_ns = end_ns;
    }
    memset(types->arrivals, 0, sizeof types->arrivals);
    memset(types->completions, 0, sizeof types->completions);
}
