/* SPDX-License-Identifier: Apache-2.0
 * What drivers and pool know together about the trades of one set or plan: when a trade's messages
 * were due and confirmed, when its clearing message came, and how many messages are on their way.
 * Any number of drivers, one pool; what they found is read together once all have ended. */
#ifndef STE_BENCH_FLOW_H
#define STE_BENCH_FLOW_H

#include <stdatomic.h>

#include "bench/gen.h"
#include "bench/histogram.h"
#include "bench/keymap.h"
#include "bench/set.h"

struct ste_flow_trade {
    /* By the drivers. Repeats of a message count for nothing. */
    _Atomic uint64_t confirmed_us;   /* last confirm; 0: none */
    _Atomic uint64_t confirm_sum_us; /* of all its confirms: exact, up to 2^64 */
    _Atomic uint64_t due_us;         /* when its last message was due by the set rate; 0: no rate */
    _Atomic uint16_t confirmed;      /* messages */
    uint16_t messages;
    bool no_cls;         /* it will not clear */
    uint64_t arrived_us; /* by the pool: first CLS; 0: none */
};
struct ste_flow {
    struct ste_keymap keys; /* number = the entry's trade */
    struct ste_flow_trade *trades;
    size_t trade_count;
    /* A message is on its way from its publish to the CLS of its trade. */
    _Atomic uint64_t cleared_messages;
    _Atomic uint64_t last_confirm_ns;
    _Atomic uint64_t confirmed_messages; /* all, repeats and refused ones too */
    uint64_t to_confirm;                 /* the pool waits until so many are; 0: it does not */
    int cleared_fd;                      /* readable when cleared_messages has grown */
};

STE_MUST_CHECK enum ste_code ste_flow_init(struct ste_flow *flow, const struct ste_set *set,
                                           struct ste_error *err);
/* The same for a plan, and what the plan says of itself. */
STE_MUST_CHECK enum ste_code ste_flow_init_plan(struct ste_flow *flow,
                                                const struct ste_gen_plan *plan,
                                                struct ste_set_header *ret_header,
                                                struct ste_error *err);
void ste_flow_deinit(struct ste_flow *flow);
/* By a driver: these messages are confirmed. due_us: when they should have been sent; 0: no rate.
 */
void ste_flow_confirmed(struct ste_flow *flow, const struct ste_set_entry *entries, size_t count,
                        uint64_t now_us, uint64_t due_us);
/* By the pool: the trade's first CLS. */
void ste_flow_cleared(struct ste_flow *flow, uint32_t trade, uint64_t now_us);

/* Confirm of a trade's last message to arrival of its CLS. A CLS may be here before its confirm has
 * been read: that counts as 0. `scheduled` (may be NULL): from when its last message was due, so
 * that a message held up in the driver counts in full (corrected for coordinated omission); empty
 * without a rate. Returns how many trades that should have a CLS have none. */
uint64_t ste_flow_latency(const struct ste_flow *flow, struct ste_histogram *latency,
                          struct ste_histogram *scheduled);
/* Mean over messages of (arrival of their trade's CLS − their own confirm), in ms: R of Little's
 * law N = X·R. Over the messages of cleared trades that are confirmed whole, *ret_messages of them.
 */
double ste_flow_residence_ms(const struct ste_flow *flow, uint64_t *ret_messages);

#endif
