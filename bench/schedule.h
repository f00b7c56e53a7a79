/* SPDX-License-Identifier: Apache-2.0
 * The open loop of a set rate: when each message is due, whatever became of those before. All
 * drivers share one schedule, which starts when the first of them could send. */
#ifndef STE_BENCH_SCHEDULE_H
#define STE_BENCH_SCHEDULE_H

#include <stdatomic.h>
#include <stdint.h>

struct ste_schedule {
    uint64_t rate;             /* messages a second; 0: as fast as it goes */
    _Atomic uint64_t start_ns; /* 0: not started */
};

/* Starts it, unless it runs already. */
static inline void ste_schedule_start(struct ste_schedule *schedule, uint64_t now_ns)
{
    uint64_t none = 0;
    (void)atomic_compare_exchange_strong(&schedule->start_ns, &none, now_ns);
}

/* When a delivery that has `ahead` messages before it is due; 0: at once. */
static inline uint64_t ste_schedule_due_ns(const struct ste_schedule *schedule, uint64_t ahead)
{
    uint64_t start_ns = atomic_load_explicit(&schedule->start_ns, memory_order_relaxed);
    if (schedule->rate == 0 || start_ns == 0)
        return 0;
    return start_ns + (uint64_t)((unsigned __int128)ahead * 1000000000u / schedule->rate);
}

#endif
