/* SPDX-License-Identifier: Apache-2.0
 * MAC and CLS: what was agreed, once BLOCK and the LEG of every allocated account passed. */
#include "node/rules/compare.h"
#include "node/rules/decision.h"

static bool everything_agrees(const struct ste_trade *trade)
{
    if (ste_trade_is_live(trade) || trade->block != STE_STAGE_PASSED)
        return false;
    for (size_t i = 0; i < trade->leg_count; i++) {
        const struct ste_leg *leg = &trade->legs[i];
        if (leg->places[ste_place_of(STE_TYPE_ALB)] && leg->result != STE_STAGE_PASSED)
            return false;
    }
    return true;
}

/* ---- agreed values ---- */

/* Without trailing zeros, or with at least `decimals`. */
static struct ste_bytes number(struct ste_decision *decision, struct ste_bytes text,
                               uint8_t decimals)
{
    char out[STE_DECIMAL_TEXT_BYTES];
    if (text.len == 0)
        return text;
    ste_wide_format(ste_number_of(text), decimals, out);
    return ste_decision_text(decision, "%s", out);
}

/* With all the minor units of its currency. */
static struct ste_bytes money(struct ste_decision *decision, struct ste_bytes text,
                              struct ste_bytes currency)
{
    const struct ste_currency *known = ste_ref_currency(decision->rules->ref, currency);
    return number(decision, text, known ? known->minor_units : 0);
}

/* Within a tolerance the deliverer's amount is the agreed one: the broker's when the client buys.
 */
static const struct ste_held *deliverer(const struct ste_trade *trade, const struct ste_leg *leg)
{
    const struct ste_held *npr = ste_leg_held(trade, leg, STE_TYPE_NPR);
    bool client_receives = ste_bytes_equal(
        ste_held_value(trade, ste_trade_noe(trade), STE_F_DIRECTION), STE_BYTES("BUYI"));
    return client_receives ? npr : ste_leg_held(trade, leg, STE_TYPE_SET);
}

static void leg_references(struct ste_decision *decision, const struct ste_leg *leg,
                           struct ste_reply_leg *ret)
{
    const struct ste_trade *trade = decision->trade;
    ret->references = STE_DECISION_ARRAY(decision, struct ste_bytes, STE_PLACE_COUNT);
    if (!ret->references)
        return;
    for (size_t place = 0; place < STE_PLACE_COUNT; place++)
        ret->references[ret->reference_count++] =
            ste_held_value(trade, &trade->held[leg->places[place] - 1], STE_F_REFERENCE);
    ste_sort_bytes(ret->references, ret->reference_count);
}

static void leg_money(struct ste_decision *decision, const struct ste_leg *leg,
                      struct ste_reply_leg *ret)
{
    const struct ste_trade *trade = decision->trade;
    const struct ste_held *amount = deliverer(trade, leg);
    const struct ste_held *npr = ste_leg_held(trade, leg, STE_TYPE_NPR);
    ret->currency = ste_held_value(trade, amount, STE_F_SETTLEMENT_AMOUNT_CURRENCY);
    ret->settlement_amount =
        money(decision, ste_held_value(trade, amount, STE_F_SETTLEMENT_AMOUNT), ret->currency);
    ret->commission_currency = ste_held_value(trade, npr, STE_F_COMMISSION_CURRENCY);
    ret->commission =
        money(decision, ste_held_value(trade, npr, STE_F_COMMISSION), ret->commission_currency);
    ret->accrued_currency = ste_held_value(trade, npr, STE_F_ACCRUED_INTEREST_CURRENCY);
    ret->accrued_interest =
        money(decision, ste_held_value(trade, npr, STE_F_ACCRUED_INTEREST), ret->accrued_currency);
}

static void agreed_leg(struct ste_decision *decision, const struct ste_leg *leg,
                       struct ste_bytes place_of_whole, struct ste_reply_leg *ret)
{
    const struct ste_trade *trade = decision->trade;
    const struct ste_held *alb = ste_leg_held(trade, leg, STE_TYPE_ALB);
    const struct ste_held *set = ste_leg_held(trade, leg, STE_TYPE_SET);
    *ret = (struct ste_reply_leg){
        .account = trade->values[leg->account],
        .quantity = number(decision, ste_held_value(trade, alb, STE_F_QUANTITY), 0),
        .quantity_unit = ste_held_value(trade, alb, STE_F_QUANTITY_UNIT),
        .delivering_agent = ste_held_value(trade, set, STE_F_DELIVERING_AGENT),
        .receiving_agent = ste_held_value(trade, set, STE_F_RECEIVING_AGENT),
    };
    struct ste_bytes place = ste_held_value(trade, set, STE_F_PLACE_OF_SETTLEMENT);
    if (!ste_bytes_equal(ste_bic8(place), ste_bic8(place_of_whole)))
        ret->place_of_settlement = place;
    leg_references(decision, leg, ret);
    bool is_free = ste_bytes_equal(ste_held_value(trade, set, STE_F_PAYMENT), STE_BYTES("FREE"));
    if (!is_free) /* a leg free of payment has no amount */
        leg_money(decision, leg, ret);
}

/* The allocated legs by account. NULL: out of memory. */
static const struct ste_leg **sorted_legs(struct ste_decision *decision, size_t *ret_count)
{
    const struct ste_trade *trade = decision->trade;
    const struct ste_leg **legs =
        STE_DECISION_ARRAY(decision, const struct ste_leg *, trade->leg_count);
    size_t count = 0;
    for (size_t i = 0; legs && i < trade->leg_count; i++) {
        const struct ste_leg *leg = &trade->legs[i];
        if (!leg->places[ste_place_of(STE_TYPE_ALB)])
            continue;
        size_t at = count++;
        for (; at > 0 && ste_bytes_compare(trade->values[legs[at - 1]->account],
                                           trade->values[leg->account]) > 0;
             at--)
            legs[at] = legs[at - 1];
        legs[at] = leg;
    }
    *ret_count = count;
    return legs;
}

/* ---- the clearing message ---- */

static void agreed_block(struct ste_decision *decision, const struct ste_leg *first,
                         struct ste_reply *ret)
{
    const struct ste_trade *trade = decision->trade;
    const struct ste_held *noe = ste_trade_noe(trade);
    const struct ste_held *npr = ste_leg_held(trade, first, STE_TYPE_NPR);
    const struct ste_held *set = ste_leg_held(trade, first, STE_TYPE_SET);
    ret->trade_date = trade->trade_date_text;
    ret->broker = trade->broker8;
    ret->manager = trade->manager8;
    ret->settlement_date = ste_held_value(trade, noe, STE_F_SETTLEMENT_DATE);
    ret->direction = ste_held_value(trade, noe, STE_F_DIRECTION);
    ret->payment = ste_held_value(trade, noe, STE_F_PAYMENT);
    ret->instrument = ste_held_value(trade, noe, STE_F_INSTRUMENT);
    ret->quantity = number(decision, ste_held_value(trade, noe, STE_F_QUANTITY), 0);
    ret->quantity_unit = ste_held_value(trade, noe, STE_F_QUANTITY_UNIT);
    ret->price = number(decision, ste_held_value(trade, npr, STE_F_PRICE), 0);
    ret->price_type = ste_held_value(trade, npr, STE_F_PRICE_TYPE);
    ret->price_currency = ste_held_value(trade, npr, STE_F_PRICE_CURRENCY);
    const struct ste_held *place = noe->values[STE_F_PLACE_OF_SETTLEMENT] ? noe : set;
    ret->place_of_settlement = ste_held_value(trade, place, STE_F_PLACE_OF_SETTLEMENT);
}

/* All references that the clearing rests on; of one sender, or of all when `sender8` is absent. */
static void rests_on(struct ste_decision *decision, struct ste_bytes sender8, struct ste_reply *ret)
{
    const struct ste_trade *trade = decision->trade;
    ret->references = STE_DECISION_ARRAY(decision, struct ste_bytes, trade->held_count);
    ret->reference_count = 0;
    for (size_t i = 0; ret->references && i < trade->held_count; i++) {
        const struct ste_held *held = &trade->held[i];
        bool is_stray =
            held->leg != STE_NO_LEG && !trade->legs[held->leg].places[ste_place_of(STE_TYPE_ALB)];
        if (is_stray || (sender8.len && !ste_bytes_equal(ste_held_sender8(trade, held), sender8)))
            continue;
        ret->references[ret->reference_count++] = ste_held_value(trade, held, STE_F_REFERENCE);
    }
    ste_sort_bytes(ret->references, ret->reference_count);
}

static bool make_clearing(struct ste_decision *decision, struct ste_reply *ret)
{
    size_t leg_count;
    const struct ste_leg **legs = sorted_legs(decision, &leg_count);
    struct ste_reply *clearing = legs ? ste_effect_clearing(decision) : NULL;
    if (!clearing || leg_count == 0)
        return false;
    clearing->action = STE_BYTES("NEWM");
    clearing->version = decision->trade->clearings[decision->trade->clearing_count - 1].version;
    agreed_block(decision, legs[0], clearing);
    clearing->legs = STE_DECISION_ARRAY(decision, struct ste_reply_leg, leg_count);
    if (!clearing->legs)
        return false;
    clearing->leg_count = leg_count;
    for (size_t i = 0; i < leg_count; i++)
        agreed_leg(decision, legs[i], clearing->place_of_settlement, &clearing->legs[i]);
    rests_on(decision, (struct ste_bytes){NULL, 0}, clearing);
    *ret = *clearing;
    return true;
}

/* ---- who is told ---- */

static void tell_mac(struct ste_decision *decision, const struct ste_reply *clearing,
                     struct ste_bytes to)
{
    struct ste_reply *mac = ste_effect_reply(decision, STE_REPLY_MAC, to);
    if (!mac)
        return;
    *mac = *clearing;
    mac->kind = STE_REPLY_MAC;
    mac->to = to;
    rests_on(decision, to, mac);
    if (ste_bytes_equal(to, decision->sender8))
        decision->told_mac = true;
}

static void tell_copy(struct ste_decision *decision, const struct ste_reply *clearing,
                      struct ste_bytes to)
{
    struct ste_reply *copy = ste_effect_reply(decision, STE_REPLY_CLS, to);
    if (!copy)
        return;
    *copy = *clearing;
    copy->to = to;
}

void ste_clear(struct ste_decision *decision)
{
    struct ste_trade *trade = decision->trade;
    struct ste_receivers receivers;
    struct ste_reply clearing;
    if (!everything_agrees(trade))
        return;
    if (!STE_GROW(trade->arena, trade->clearings, trade->clearing_count,
                  trade->clearing_capacity)) {
        decision->out_of_memory = true;
        return;
    }
    trade->clearings[trade->clearing_count] = (struct ste_clearing){
        .version = (uint32_t)trade->clearing_count + 1,
        .action = STE_CLEARING_NEWM,
    };
    trade->clearing_count++;
    if (!make_clearing(decision, &clearing) ||
        !ste_receivers_init(&receivers, decision, trade->held_count))
        return;
    ste_receivers_add_senders(&receivers, trade);
    for (size_t i = 0; i < receivers.count; i++)
        tell_mac(decision, &clearing, receivers.list[i]);
    for (size_t i = 0; i < receivers.count; i++)
        tell_copy(decision, &clearing, receivers.list[i]);
}
