/* SPDX-License-Identifier: Apache-2.0
 * Whether every receiver of a quality-of-service point got what was sent to it, no more and no
 * less. The sum of the messages' numbers beside their count shows one lost and another twice. Pure.
 */
#ifndef STE_BENCH_QOS_TALLY_H
#define STE_BENCH_QOS_TALLY_H

#include "bench/qos_plan.h"

struct ste_qos_tally {
    uint64_t count, sum; /* sum: of message numbers, modulo 2^64 */
};
static inline void ste_qos_tally_add(struct ste_qos_tally *tally, uint64_t number)
{
    tally->count++;
    tally->sum += number;
}

struct ste_qos_balance {
    uint64_t expected, received, lost, surplus;
};

/* What a receiver of mode topic is to get of `by_key`, which holds what was sent with each key. */
struct ste_qos_tally ste_qos_tally_topic(const struct ste_qos_point *point, uint64_t receiver,
                                         const struct ste_qos_tally *by_key);
/* What all receivers of mode work are to get together. */
struct ste_qos_tally ste_qos_tally_work(const struct ste_qos_point *point,
                                        const struct ste_qos_tally *by_key);
/* Adds one comparison. Counts that agree over different sums are one lost and one surplus, at
 * least. */
void ste_qos_balance_add(struct ste_qos_balance *balance, struct ste_qos_tally expected,
                         struct ste_qos_tally received);

#endif
