/* SPDX-License-Identifier: Apache-2.0
 * One record being applied to one trade: what all parts of the decision share. */
#ifndef STE_NODE_RULES_DECISION_H
#define STE_NODE_RULES_DECISION_H

#include "node/rules/rules.h"
#include "node/rules/trade_state.h"

enum { STE_KEY_DAYS = 7 }; /* how far apart the trade dates of siblings may be (stage KEY) */

struct ste_decision {
    const struct ste_rules *rules;
    struct ste_trade *trade; /* NULL: refused without looking */
    const struct ste_record *record;
    const struct ste_trade_id *id; /* NULL: the message names no trade */
    const struct ste_checked *checked;
    struct ste_effects *effects;
    struct ste_bytes sender8; /* the message's, first 8 characters */
    struct ste_bytes key_hex; /* of the trade; made when first needed */
    bool told_nma, told_mac;  /* to the message's sender, for `then` */
    bool out_of_memory;       /* sticky: checked once, at the end */
};

/* ---- effects.c: lists that grow, replies that are wanted ---- */

/* Does this participant want replies of this kind? One whom the list does not have wants all. */
bool ste_reply_wanted(const struct ste_rules *rules, struct ste_bytes bic8,
                      enum ste_reply_kind kind);
/* A reply of this kind to `to`, begun with what all replies of the trade carry; NULL when it is not
 * wanted or memory is out. The pointer is good until the next call. */
struct ste_reply *ste_effect_reply(struct ste_decision *decision, enum ste_reply_kind kind,
                                   struct ste_bytes to);
struct ste_reply *ste_effect_clearing(struct ste_decision *decision);
void ste_effect_message(struct ste_decision *decision);
void ste_effect_exception(struct ste_decision *decision, const struct ste_finding *findings,
                          size_t finding_count, bool is_rej);
/* Arena memory for `count` items, zeroed; NULL sets out_of_memory. */
void *ste_decision_array(struct ste_decision *decision, size_t item_bytes, size_t count);
#define STE_DECISION_ARRAY(decision, type, count)                                                  \
    ((type *)ste_decision_array((decision), sizeof(type), (count)))
/* printf into the arena; absent when memory is out. */
struct ste_bytes ste_decision_text(struct ste_decision *decision, const char *format, ...)
    STE_PRINTF(2, 3);
void ste_sort_bytes(struct ste_bytes *items, size_t count);

/* Distinct receivers, in order of first mention. */
struct ste_receivers {
    struct ste_bytes *list;
    size_t count;
};
/* Room for count_max; false: out of memory. */
bool ste_receivers_init(struct ste_receivers *receivers, struct ste_decision *decision,
                        size_t count_max);
void ste_receivers_add(struct ste_receivers *receivers, struct ste_bytes bic8);
/* The senders of all messages that hold a place. */
void ste_receivers_add_senders(struct ste_receivers *receivers, const struct ste_trade *trade);

/* ---- answers.c: what the sender, or the signer, of the record is told ---- */

/* The ACK is said first, but its `then` is known last: begin gives its place in the replies
 * (SIZE_MAX: not wanted), finish fills it in. */
size_t ste_answer_ack_begin(struct ste_decision *decision);
void ste_answer_ack_finish(struct ste_decision *decision, size_t place);
void ste_answer_dupl(struct ste_decision *decision);
void ste_answer_rej(struct ste_decision *decision, const struct ste_finding *findings,
                    size_t finding_count);
void ste_answer_exc(struct ste_decision *decision, const struct ste_finding *finding);
/* A finding with level reject about `field`, at its start tag. */
struct ste_finding ste_finding_at(struct ste_decision *decision, enum ste_msg_code code,
                                  enum ste_field_id field, struct ste_bytes text);

/* ---- stage_*.c and clearing.c ---- */

void ste_stage_key(struct ste_decision *decision, struct ste_trade *const *siblings,
                   size_t sibling_count);
void ste_stage_block(struct ste_decision *decision);
void ste_stage_leg(struct ste_decision *decision, struct ste_leg *leg);
/* A message whose account nothing was allocated to. */
void ste_stage_account(struct ste_decision *decision, const struct ste_held *stray);
/* MAC and CLS, if everything agrees and no CLS is live. */
void ste_clear(struct ste_decision *decision);

#endif
