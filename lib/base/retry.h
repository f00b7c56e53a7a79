/* SPDX-License-Identifier: Apache-2.0
 * Bounded exponential back-off with full jitter. */
#ifndef STE_BASE_RETRY_H
#define STE_BASE_RETRY_H

#include <stdint.h>

struct ste_retry {
    uint32_t base_ms, limit_ms;
    uint32_t attempt;
    uint64_t seed;
};
void ste_retry_init(struct ste_retry *retry, uint32_t base_ms, uint32_t limit_ms, uint64_t seed);
uint32_t ste_retry_next_ms(struct ste_retry *retry); /* the next wait; counts the attempt */
void ste_retry_reset(struct ste_retry *retry);       /* after a success */

#endif
