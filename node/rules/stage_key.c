/* SPDX-License-Identifier: Apache-2.0
 * KEY: a new trade beside another one of the same match key. It changes nothing. */
#include "node/rules/stage.h"

/* One line of the comparison of two trades. */
struct key_reason {
    enum ste_msg_code code;
    const char *element;
    struct ste_bytes ours, theirs;           /* what counts */
    struct ste_bytes our_value, their_value; /* as their creators sent them */
};

enum { KEY_REASON_COUNT = 4 };

static void key_reasons(const struct ste_trade *ours, const struct ste_trade *theirs,
                        struct key_reason out[static KEY_REASON_COUNT])
{
    out[0] = (struct key_reason){STE_C_IIND,
                                 "TradeReference",
                                 ours->trade_reference,
                                 theirs->trade_reference,
                                 ours->trade_reference,
                                 theirs->trade_reference};
    out[1] = (struct key_reason){STE_C_DTRD,
                                 "TradeDate",
                                 ours->trade_date_text,
                                 theirs->trade_date_text,
                                 ours->trade_date_text,
                                 theirs->trade_date_text};
    out[2] = (struct key_reason){STE_C_IEXE,
                                 "Broker",
                                 ours->broker8,
                                 theirs->broker8,
                                 ours->values[ours->creator_broker],
                                 theirs->values[theirs->creator_broker]};
    out[3] = (struct key_reason){STE_C_INVE,
                                 "Manager",
                                 ours->manager8,
                                 theirs->manager8,
                                 ours->values[ours->creator_manager],
                                 theirs->values[theirs->creator_manager]};
}

static struct ste_reply_value creator_value(const struct ste_trade *trade, struct ste_bytes value)
{
    return (struct ste_reply_value){
        .value = value,
        .sender = ste_bic8(trade->values[trade->creator_sender]),
        .reference = trade->values[trade->creator_reference],
    };
}

static void add_reasons(struct ste_decision *decision, const struct ste_trade *theirs,
                        struct ste_reply *model)
{
    const struct ste_trade *ours = decision->trade;
    struct key_reason differences[KEY_REASON_COUNT];
    key_reasons(ours, theirs, differences);
    model->reasons = STE_DECISION_ARRAY(decision, struct ste_reply_reason, KEY_REASON_COUNT);
    for (size_t i = 0; i < KEY_REASON_COUNT && model->reasons; i++) {
        const struct key_reason *difference = &differences[i];
        if (ste_bytes_equal(difference->ours, difference->theirs))
            continue;
        struct ste_reply_value *values = STE_DECISION_ARRAY(decision, struct ste_reply_value, 2);
        if (!values)
            return;
        values[0] = creator_value(ours, difference->our_value);
        values[1] = creator_value(theirs, difference->their_value);
        ste_sort_values(values, 2);
        model->reasons[model->reason_count++] = (struct ste_reply_reason){
            .code = difference->code,
            .element = ste_bytes_of(difference->element),
            .level = STE_BYTES("differs"),
            .text = ste_difference_text(difference->code),
            .values = values,
            .value_count = 2,
        };
    }
}

/* The creating messages are what the NMA shows: those of the receiver are concerned. */
static void add_reference(struct ste_reply *reply, const struct ste_trade *trade)
{
    if (ste_bytes_equal(ste_bic8(trade->values[trade->creator_sender]), reply->to))
        reply->references[reply->reference_count++] = trade->values[trade->creator_reference];
}

static void tell(struct ste_decision *decision, const struct ste_trade *theirs,
                 const struct ste_reply *model, struct ste_bytes to)
{
    struct ste_reply *reply = ste_effect_reply(decision, STE_REPLY_NMA, to);
    if (!reply)
        return;
    if (ste_bytes_equal(to, decision->sender8))
        decision->told_nma = true;
    reply->stage = STE_BYTES("KEY");
    reply->reasons = model->reasons;
    reply->reason_count = model->reason_count;
    reply->references = STE_DECISION_ARRAY(decision, struct ste_bytes, 2);
    if (!reply->references)
        return;
    add_reference(reply, decision->trade);
    add_reference(reply, theirs);
    ste_sort_bytes(reply->references, reply->reference_count);
}

static void tell_pair(struct ste_decision *decision, const struct ste_trade *theirs)
{
    const struct ste_trade *ours = decision->trade;
    bool same_broker = ste_bytes_equal(ours->broker8, theirs->broker8);
    bool same_manager = ste_bytes_equal(ours->manager8, theirs->manager8);
    struct ste_receivers receivers;
    struct ste_reply model = {0};
    if (!ste_receivers_init(&receivers, decision, ours->held_count + theirs->held_count + 2))
        return;
    if (same_broker)
        ste_receivers_add(&receivers, ours->broker8);
    if (same_manager)
        ste_receivers_add(&receivers, ours->manager8);
    if (same_broker && same_manager) {
        ste_receivers_add_senders(&receivers, ours);
        ste_receivers_add_senders(&receivers, theirs);
    }
    add_reasons(decision, theirs, &model);
    for (size_t i = 0; i < receivers.count && model.reason_count; i++)
        tell(decision, theirs, &model, receivers.list[i]);
}

void ste_stage_key(struct ste_decision *decision, struct ste_trade *const *siblings,
                   size_t sibling_count)
{
    const struct ste_trade *ours = decision->trade;
    for (size_t i = 0; i < sibling_count; i++) {
        const struct ste_trade *theirs = siblings[i];
        int days = ours->trade_date - theirs->trade_date;
        if (theirs == ours || ste_trade_is_empty(theirs) || ste_trade_is_live(theirs) ||
            days > STE_KEY_DAYS || days < -STE_KEY_DAYS)
            continue;
        tell_pair(decision, theirs);
    }
}
