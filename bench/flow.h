/* SPDX-License-Identifier: Apache-2.0
 * What driver and pool know together about the trades of one set: when a trade's last message was
 * confirmed, when its clearing message came, and how many messages are on their way. Each array has
 * one writing thread; they are read together once both threads have ended. */
#ifndef STE_BENCH_FLOW_H
#define STE_BENCH_FLOW_H

#include <stdatomic.h>

#include "bench/histogram.h"
#include "bench/keymap.h"
#include "bench/set.h"

struct ste_flow {
    struct ste_keymap trades; /* number = the entry's trade */
    uint32_t *message_counts; /* of each trade */
    uint64_t *confirmed_us;   /* last confirm; driver. 0: none */
    uint64_t *arrived_us;     /* first CLS; pool. 0: none */
    size_t trade_count;
    /* A message is on its way from its publish to the CLS of its trade. */
    _Atomic uint64_t cleared_messages;
    _Atomic uint64_t last_confirm_ns;
    int cleared_fd; /* readable when cleared_messages has grown */
};

STE_MUST_CHECK enum ste_code ste_flow_init(struct ste_flow *flow, const struct ste_set *set,
                                           struct ste_error *err);
void ste_flow_deinit(struct ste_flow *flow);
/* By the driver: these messages are confirmed. */
void ste_flow_confirmed(struct ste_flow *flow, const struct ste_set_entry *entries, size_t count,
                        uint64_t now_us);
/* By the pool: the trade's first CLS. */
void ste_flow_cleared(struct ste_flow *flow, uint32_t trade, uint64_t now_us);
/* Confirm of a trade's last message to arrival of its CLS. A CLS may be here before its confirm has
 * been read: that counts as 0. Returns how many trades of the set have none. */
uint64_t ste_flow_latency(const struct ste_flow *flow, struct ste_histogram *histogram);

#endif
