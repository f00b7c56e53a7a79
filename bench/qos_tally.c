/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/qos_tally.h"

static void merge(struct ste_qos_tally *into, const struct ste_qos_tally *from)
{
    into->count += from->count;
    into->sum += from->sum;
}

struct ste_qos_tally ste_qos_tally_topic(const struct ste_qos_point *point, uint64_t receiver,
                                         const struct ste_qos_tally *by_key)
{
    struct ste_qos_tally tally = {0};
    for (uint64_t key = 0; key < point->keys; key++) {
        if (ste_qos_subscribes(point, receiver, key))
            merge(&tally, &by_key[key]);
    }
    return tally;
}

struct ste_qos_tally ste_qos_tally_work(const struct ste_qos_point *point,
                                        const struct ste_qos_tally *by_key)
{
    struct ste_qos_tally tally = {0};
    for (uint64_t key = 0; key < point->keys; key++)
        merge(&tally, &by_key[key]);
    return tally;
}

void ste_qos_balance_add(struct ste_qos_balance *balance, struct ste_qos_tally expected,
                         struct ste_qos_tally received)
{
    balance->expected += expected.count;
    balance->received += received.count;
    if (expected.count > received.count)
        balance->lost += expected.count - received.count;
    else if (expected.count < received.count)
        balance->surplus += received.count - expected.count;
    else if (expected.sum != received.sum) {
        balance->lost++;
        balance->surplus++;
    }
}
