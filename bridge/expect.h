/* SPDX-License-Identifier: Apache-2.0
 * What was sent and is not answered yet; what answers announced and did not come yet. Pure: no
 * connection, no clock, nothing printed. */
#ifndef STE_BRIDGE_EXPECT_H
#define STE_BRIDGE_EXPECT_H

#include "msg/reply.h"

struct ste_summary { /* lines shown, by kind */
    uint64_t submitted, ack, rej, exc, dupl, nma, mac, cls;
};

struct ste_expect;
struct ste_expect *ste_expect_new(void); /* NULL: out of memory */
void ste_expect_free(struct ste_expect *expect);

/* Announces a delivery: which messages it holds, in order. STE_E_NOMEM. */
STE_MUST_CHECK enum ste_code ste_expect_delivery(struct ste_expect *expect,
                                                 struct ste_bytes message_id,
                                                 const struct ste_message *messages, size_t count,
                                                 struct ste_error *err);
/* Announces a trade: only outcomes of announced trades are shown. STE_E_NOMEM. */
STE_MUST_CHECK enum ste_code ste_expect_trade(struct ste_expect *expect, struct ste_hash trade_key,
                                              struct ste_error *err);
/* *ret_new: this word (a routing key, an id of something taken) is new. STE_E_NOMEM. */
STE_MUST_CHECK enum ste_code ste_expect_note(struct ste_expect *expect, const char *word,
                                             bool *ret_new, struct ste_error *err);
/* Takes a reply into account. *ret_show false: it answers somebody else's message, tells of a trade
 * that was not announced, or repeats what was shown. *ret_reference: what the answered message
 * called itself, absent where the reply answers none; valid until the next call. STE_E_NOMEM. */
STE_MUST_CHECK enum ste_code ste_expect_take(struct ste_expect *expect,
                                             const struct ste_reply *reply, bool *ret_show,
                                             struct ste_bytes *ret_reference,
                                             struct ste_error *err);
/* Every message has its answer, and each trade the outcome its answers announced. */
bool ste_expect_complete(const struct ste_expect *expect);
struct ste_summary *ste_expect_summary(struct ste_expect *expect);

#endif
