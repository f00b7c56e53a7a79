/* SPDX-License-Identifier: Apache-2.0
 * Which publishes of one channel are not settled yet: a ring from delivery tag to cookie. Pure: no
 * connection in it. A basic.return comes before the basic.ack of the same publish and is paired
 * with it by the tag that every publish carries in its header ste-seq. */
#ifndef STE_MQ_CONFIRMS_H
#define STE_MQ_CONFIRMS_H

#include "mq/mq.h"

struct ste_mq_confirm {
    uint64_t cookie;
    bool settled, returned;
};

struct ste_mq_confirms {
    struct ste_mq_confirm *ring;
    uint64_t mask;   /* ring size - 1, a power of two */
    uint64_t oldest; /* no tag below it is unsettled */
    uint64_t next;   /* tag of the next publish; the broker counts from 1 */
    size_t window, unsettled;
};

/* window ≥ 1: how many may be unsettled. False when out of memory. */
bool ste_mq_confirms_init(struct ste_mq_confirms *confirms, size_t window);
void ste_mq_confirms_deinit(struct ste_mq_confirms *confirms);
/* Also full when an old publish stays open while four windows of younger ones were settled. */
bool ste_mq_confirms_full(const struct ste_mq_confirms *confirms);
/* The tag of a publish about to be sent; must not be full. */
uint64_t ste_mq_confirms_add(struct ste_mq_confirms *confirms, uint64_t cookie);
/* False: no such publish is open, the broker and we disagree. */
bool ste_mq_confirms_return(struct ste_mq_confirms *confirms, uint64_t tag);
/* basic.ack (ack true) or basic.nack; calls settled once per publish it settles (it may publish).
 * False: it settles nothing we know. tag 0 with `multiple` means every open publish. */
bool ste_mq_confirms_settle(struct ste_mq_confirms *confirms, uint64_t tag, bool multiple, bool ack,
                            ste_mq_settled *settled, void *context);

#endif
