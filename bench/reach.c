/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/reach.h"

#include <stdio.h>
#include <unistd.h>

#include "base/clock.h"

/* On a terminal the line takes the place of a bar, which is drawn again below it. */
static void tell(const char *text, const char *then)
{
    fprintf(stderr, "%sste-bench: %s%s\n", isatty(STDERR_FILENO) ? "\r\033[K" : "", text, then);
}

void ste_reach_connected(struct ste_reach *reach, struct ste_bench_jobs *jobs)
{
    reach->ever_connected = true;
    if (atomic_exchange(&jobs->broker_away, false))
        tell("the broker is there", "");
}

void ste_reach_lost(struct ste_bench_jobs *jobs, const struct ste_error *err)
{
    if (!atomic_exchange(&jobs->broker_away, true))
        tell(err->text, "; waiting for the broker");
}

enum ste_code ste_reach_failed(struct ste_reach *reach, struct ste_bench_jobs *jobs,
                               uint64_t now_ns, struct ste_error *err)
{
    const bool starting = err->code == STE_E_MQ_REFUSED && reach->ever_connected;
    if (ste_code_class(err->code) != STE_CLASS_RETRY && !starting)
        return err->code;
    if (ste_bench_stopping(jobs)) /* another one has given up, or a signal came */
        return STE_OK;
    if (reach->first_try_ns == 0)
        reach->first_try_ns = now_ns;
    if (!reach->ever_connected &&
        now_ns - reach->first_try_ns >= STE_NS_PER_S * STE_REACH_FIRST_S) {
        return ste_error_set(err, STE_E_TIMEOUT,
                             "could not reach the broker for %d s: is the lab up?",
                             STE_REACH_FIRST_S);
    }
    ste_reach_lost(jobs, err);
    return STE_OK;
}
