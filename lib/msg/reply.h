/* SPDX-License-Identifier: Apache-2.0
 * What the engine says: replies and the clearing message, as structures and as XML (MESSAGES
 * section 9). Written by nodes, read again by ste-submit and the pool. */
#ifndef STE_MSG_REPLY_H
#define STE_MSG_REPLY_H

#include "msg/identity.h"
#include "msg/message.h"

enum ste_reply_kind {
#define X(name, text) STE_REPLY_##name,
#include "msg/replies.def"
#undef X
    STE_REPLY_KIND_COUNT
};
const char *ste_reply_kind_name(enum ste_reply_kind kind);

struct ste_reply_value {
    struct ste_bytes value, sender, reference; /* sender: BIC8 */
};
struct ste_reply_reason {
    enum ste_msg_code code;
    struct ste_bytes element, account, level, place, text; /* level: differs | warn | reject */
    struct ste_reply_value *values;                        /* sorted by value, then reference */
    size_t value_count;
};
struct ste_reply_leg { /* of MAC and CLS */
    struct ste_bytes account, quantity, quantity_unit, settlement_amount, currency;
    struct ste_bytes commission, commission_currency; /* not always the settlement's */
    struct ste_bytes accrued_interest, accrued_currency;
    struct ste_bytes place_of_settlement; /* where it is not that of the whole */
    struct ste_bytes delivering_agent, receiving_agent;
    struct ste_bytes *references; /* CLS: those the leg rests on, by bytes */
    size_t reference_count;
};
struct ste_reply {
    enum ste_reply_kind kind;
    struct ste_bytes to;              /* BIC8 */
    struct ste_bytes trade_reference; /* absent where unknown (EXC) */
    struct ste_bytes trade_key;       /* hex; absent where unknown */
    struct ste_bytes stage, account;  /* BLOCK, LEG, ACCOUNT, KEY */
    struct ste_bytes delivery;        /* ACK, REJ, EXC */
    uint32_t index;
    bool has_index;
    enum ste_msg_code code;       /* of the reply itself: DUPL, PREV; else NONE */
    struct ste_bytes then;        /* ACK: "NMA MAC" */
    struct ste_bytes *references; /* of the receiver's messages concerned */
    size_t reference_count;
    struct ste_reply_reason *reasons;
    size_t reason_count;
    uint64_t trade_version; /* the state's version; 0: none */
    /* MAC and CLS */
    unsigned version;        /* of the clearing message */
    struct ste_bytes action; /* CLS: NEWM or CANC */
    struct ste_bytes trade_date, settlement_date, direction, payment, instrument, broker, manager;
    struct ste_bytes price, price_type, price_currency, quantity, quantity_unit,
        place_of_settlement;
    struct ste_reply_leg *legs; /* by account */
    size_t leg_count;
};

/* One <TradeReply>, or <ClearingSettlement> for kind CLS, without XML declaration. False: out of
 * memory. Deterministic: the same reply gives the same bytes. */
bool ste_reply_write(struct ste_buf *buf, const struct ste_reply *reply, bool with_namespace);
/* Several in one <TradeReplies>: */
bool ste_replies_open(struct ste_buf *buf);
bool ste_replies_close(struct ste_buf *buf);

/* Reads a body: one TradeReply, TradeReplies, or a ClearingSettlement. Everything in arena. */
STE_MUST_CHECK enum ste_code ste_replies_read(struct ste_bytes body, struct ste_arena *arena,
                                              struct ste_reply **ret, size_t *ret_count,
                                              struct ste_error *err);
#endif
