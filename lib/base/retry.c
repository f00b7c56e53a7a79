/* SPDX-License-Identifier: Apache-2.0 */
#include "base/retry.h"

void ste_retry_init(struct ste_retry *retry, uint32_t base_ms, uint32_t limit_ms, uint64_t seed)
{
    *retry = (struct ste_retry){.base_ms = base_ms, .limit_ms = limit_ms, .seed = seed};
}

/* splitmix64: every seed, 0 too, gives a full sequence. */
static uint64_t next_random(uint64_t *seed)
{
    uint64_t z = (*seed += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

uint32_t ste_retry_next_ms(struct ste_retry *retry)
{
    unsigned doublings = retry->attempt < 31 ? retry->attempt : 31;
    uint64_t ceiling_ms = (uint64_t)retry->base_ms << doublings;
    if (ceiling_ms > retry->limit_ms)
        ceiling_ms = retry->limit_ms;
    if (ceiling_ms == 0)
        ceiling_ms = 1; /* a loop around this never spins */
    if (retry->attempt < UINT32_MAX)
        retry->attempt++;
    return (uint32_t)(1 + next_random(&retry->seed) % ceiling_ms);
}

void ste_retry_reset(struct ste_retry *retry)
{
    retry->attempt = 0;
}
