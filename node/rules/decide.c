/* SPDX-License-Identifier: Apache-2.0
 * The order of the checks, then what an accepted message sets off. */
#include "node/rules/decision.h"

/* ---- refusals that need the trade ---- */

/* The element that names the place a message wants. */
static enum ste_field_id place_field(const struct ste_message *message)
{
    return message->type == STE_TYPE_NOE ? STE_F_TRADE_REFERENCE : STE_F_ACCOUNT;
}

static struct ste_finding place_taken(struct ste_decision *decision, const struct ste_held *holder)
{
    const struct ste_trade *trade = decision->trade;
    struct ste_bytes sender8 = ste_held_sender8(trade, holder);
    struct ste_bytes reference = ste_held_value(trade, holder, STE_F_REFERENCE);
    struct ste_bytes text =
        ste_decision_text(decision, "the place is held by %.*s with reference %.*s",
                          (int)sender8.len, sender8.at, (int)reference.len, reference.at);
    return ste_finding_at(decision, STE_C_PODU, place_field(&decision->record->message), text);
}

/* One finding that the trade's state has against the message. False: none. */
static bool refused_by_state(struct ste_decision *decision, struct ste_finding *ret)
{
    const struct ste_trade *trade = decision->trade;
    const struct ste_message *message = &decision->record->message;
    const struct ste_held *holder = ste_trade_holder(trade, message);
    if (holder) {
        *ret = place_taken(decision, holder);
        return true;
    }
    if (message->type == STE_TYPE_ALB && ste_trade_is_live(trade)) {
        *ret = ste_finding_at(decision, STE_C_LATE, STE_F_ACCOUNT,
                              STE_BYTES("the trade is cleared: no account can be added"));
        return true;
    }
    if (message->type != STE_TYPE_NOE && trade->leg_count >= STE_ACCOUNTS_MAX &&
        ste_trade_leg_of(trade, ste_value(message, STE_F_ACCOUNT)) == STE_NO_LEG) {
        *ret = ste_finding_at(
            decision, STE_C_XLIM, STE_F_ACCOUNT,
            ste_decision_text(decision, "a trade has at most %d accounts", STE_ACCOUNTS_MAX));
        return true;
    }
    if (trade->size_bytes + ste_trade_cost_bytes(message) > trade->limit_bytes) {
        *ret = ste_finding_at(decision, STE_C_XLIM, place_field(message),
                              ste_decision_text(decision, "the trade's state would pass %zu bytes",
                                                trade->limit_bytes));
        return true;
    }
    return false;
}

/* ---- identity ---- */

/* True: this sender's reference was accepted before in this trade, and that settles the record. */
static bool settled_by_identity(struct ste_decision *decision)
{
    const struct ste_record *record = decision->record;
    const struct ste_message *message = &record->message;
    const struct ste_seen *seen =
        ste_trade_find_seen(decision->trade, ste_message_identity64(message));
    if (!seen)
        return false;
    if (seen->content64 != ste_message_content64(message)) {
        struct ste_bytes reference = ste_value(message, STE_F_REFERENCE);
        struct ste_finding finding = ste_finding_at(
            decision, STE_C_REFE, STE_F_REFERENCE,
            ste_decision_text(decision, "reference %.*s was accepted with other content",
                              (int)reference.len, reference.at));
        ste_answer_exc(decision, &finding);
        return true;
    }
    decision->effects->duplicate_count++;
    /* Repeated inside the engine: the first answer stands in the outbox. */
    if (seen->delivery64 != ste_delivery64(record->delivery_id, message->index))
        ste_answer_dupl(decision);
    return true;
}

/* ---- an accepted message ---- */

static void judge_leg(struct ste_decision *decision, struct ste_leg *leg)
{
    for (size_t place = 0; place < STE_PLACE_COUNT; place++)
        if (!leg->places[place])
            return;
    ste_stage_leg(decision, leg);
}

static void judge_strays(struct ste_decision *decision, const struct ste_leg *leg)
{
    if (leg->places[ste_place_of(STE_TYPE_ALB)])
        return;
    for (unsigned type = STE_TYPE_NPR; type <= STE_TYPE_SET; type++) {
        const struct ste_held *stray = ste_leg_held(decision->trade, leg, (enum ste_type)type);
        if (stray)
            ste_stage_account(decision, stray);
    }
}

/* Every stage that `added` completed, or is part of. */
static void judge_stages(struct ste_decision *decision, const struct ste_held *added,
                         bool was_allocated)
{
    struct ste_trade *trade = decision->trade;
    if (!trade->noe)
        return;
    bool is_allocated = ste_trade_is_allocated(trade);
    bool is_block = added->type == STE_TYPE_NOE || added->type == STE_TYPE_ALB;
    if (is_allocated && is_block)
        ste_stage_block(decision);
    for (size_t i = 0; i < trade->leg_count; i++)
        if (added->type == STE_TYPE_NOE || added->leg == i)
            judge_leg(decision, &trade->legs[i]);
    for (size_t i = 0; is_allocated && i < trade->leg_count; i++)
        if (!was_allocated || (!is_block && added->leg == i))
            judge_strays(decision, &trade->legs[i]);
}

static void accept(struct ste_decision *decision, struct ste_trade *const *siblings,
                   size_t sibling_count)
{
    const struct ste_record *record = decision->record;
    struct ste_trade *trade = decision->trade;
    bool is_new = ste_trade_is_empty(trade), was_allocated = ste_trade_is_allocated(trade);
    const struct ste_held *added = ste_trade_add(
        trade, &record->message, ste_delivery64(record->delivery_id, record->message.index));
    if (!added) {
        decision->out_of_memory = true;
        return;
    }
    ste_effect_message(decision);
    size_t ack = ste_answer_ack_begin(decision);
    if (is_new)
        ste_stage_key(decision, siblings, sibling_count);
    judge_stages(decision, added, was_allocated);
    ste_clear(decision);
    ste_answer_ack_finish(decision, ack);
}

/* ---- the order of the checks ---- */

/* Equal trade keys of different identities: an exception, never a merge. */
static bool collides(struct ste_decision *decision)
{
    if (ste_bytes_equal(decision->trade->identity, decision->id->identity))
        return false;
    struct ste_finding finding = ste_finding_at(decision, STE_C_XCOL, STE_F_TRADE_REFERENCE,
                                                ste_bytes_of(ste_msg_code_text(STE_C_XCOL)));
    ste_answer_exc(decision, &finding);
    return true;
}

static void decide(struct ste_decision *decision, struct ste_trade *const *siblings,
                   size_t sibling_count)
{
    const struct ste_record *record = decision->record;
    const struct ste_checked *checked = decision->checked;
    struct ste_finding finding;
    if (record->message.exc.code != STE_C_NONE) {
        ste_answer_exc(decision, &record->message.exc);
        return;
    }
    decision->sender8 = ste_bic8(ste_value(&record->message, STE_F_SENDER));
    if (checked->unsupported || !decision->trade)
        ste_answer_rej(decision, checked->findings, checked->finding_count);
    else if (collides(decision) || settled_by_identity(decision))
        return;
    else if (checked->rejected || checked->day_refused)
        ste_answer_rej(decision, checked->findings, checked->finding_count);
    else if (refused_by_state(decision, &finding))
        ste_answer_rej(decision, &finding, 1);
    else
        accept(decision, siblings, sibling_count);
}

/* Path stop 7, decide. */
enum ste_code ste_decide(const struct ste_rules *rules, struct ste_trade *trade,
                         struct ste_trade *const *siblings, size_t sibling_count,
                         const struct ste_record *record, const struct ste_trade_id *id,
                         const struct ste_checked *checked, struct ste_effects *effects,
                         struct ste_error *err)
{
    struct ste_decision decision = {
        .rules = rules,
        .trade = trade,
        .record = record,
        .id = id,
        .checked = checked,
        .effects = effects,
    };
    decide(&decision, siblings, sibling_count);
    return decision.out_of_memory ? ste_error_set(err, STE_E_NOMEM, "out of memory in decide")
                                  : STE_OK;
}
