/* SPDX-License-Identifier: Apache-2.0
 * Stop 7, decide: records of one trade in, its new state and a list of effects out. Pure: no
 * I/O, no clock, no randomness (MESSAGES sections 3 to 9). */
#ifndef STE_NODE_RULES_RULES_H
#define STE_NODE_RULES_RULES_H

#include "base/arena.h"
#include "msg/record.h"
#include "msg/reply.h"
#include "ref/ref.h"
#include "node/rules/trade.h"

/* Which trade dates are open, from table `day`; sorted. */
struct ste_days {
    const ste_date *open;
    size_t open_count;
};
bool ste_day_is_open(const struct ste_days *days, ste_date date);

/* For ste_check_message alone ref may be NULL, days NULL and business_date STE_DATE_NONE: what
 * needs them is then not looked at (`ste-submit --check` without a map). */
struct ste_rules {
    const struct ste_ref *ref;
    struct ste_match_key match_key;
    ste_date business_date;
    const struct ste_days *days;
    unsigned shard_count;
};

/* ---- stop 6, the part without the trade (node/rules/check.c) ---- */
/* Everything MESSAGES section 6 finds in the message itself: reject and warn findings, decoding's
 * own first, in document order of the fields. Appends to *ret (arena). Also DTRD for a future trade
 * date, LATE for one over 30 days old or whose day is not open. False: out of memory. */
struct ste_checked {
    struct ste_finding *findings; /* rejects and warnings */
    size_t finding_count;
    bool rejected;    /* at least one has level reject */
    bool day_refused; /* LATE or DTRD: the trade cannot even be looked up */
    bool unsupported; /* XFUN: alone, before identity */
};
bool ste_check_message(const struct ste_rules *rules, const struct ste_message *message,
                       struct ste_arena *arena, struct ste_checked *ret);

/* ---- effects ---- */
struct ste_effect_message { /* a row of `message` */
    const struct ste_record *record;
};
struct ste_effect_exception { /* a row of `exception`: a REJ or EXC and what it refused */
    const struct ste_record *record;
    enum ste_msg_code code;
    struct ste_bytes place, text;
    struct ste_finding *findings;
    size_t finding_count;
    bool is_rej;
};
struct ste_effects {
    struct ste_arena *arena;
    struct ste_effect_message *messages;
    size_t message_count, message_capacity;
    struct ste_effect_exception *exceptions;
    size_t exception_count, exception_capacity;
    struct ste_reply *replies; /* in the order they are said; already filtered by `replies:` */
    /* EXC to nobody are not here. A CLS for the clearing queue is in `clearings`, its copies for
     * the senders are replies of kind CLS with `to` set. */
    size_t reply_count, reply_capacity;
    struct ste_reply *clearings;
    size_t clearing_count, clearing_capacity;
    size_t duplicate_count; /* messages answered DUPL or taken twice */
};
/* Message-ids of outbound replies must be stable: made by the caller from trade key, trade version,
 * kind, receiver and place, or for ACK REJ EXC from delivery and index. See node/outbound. */

/* Applies one record to `trade` (which may be empty: a new trade). `checked` is what
 * ste_check_message found. siblings: other trades with the same match key dated within 7 days, as
 * they are now (KEY stage), only needed when the trade is empty. Records with exc set, day_refused
 * or unsupported ones need no trade: pass NULL.
 * STE_E_NOMEM; STE_E_LIMIT is never returned: the state's limit is a REJ XLIM. */
STE_MUST_CHECK enum ste_code ste_decide(const struct ste_rules *rules, struct ste_trade *trade,
                                        struct ste_trade *const *siblings, size_t sibling_count,
                                        const struct ste_record *record,
                                        const struct ste_trade_id *id,
                                        const struct ste_checked *checked,
                                        struct ste_effects *effects, struct ste_error *err);

#endif
