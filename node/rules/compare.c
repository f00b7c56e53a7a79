/* SPDX-License-Identifier: Apache-2.0
 * One function per comparison rule; `ways` says which one a condition takes. */
#include "node/rules/compare.h"
#include "ref/tolerance.h"

enum ste_way_kind { WAY_TEXT, WAY_BIC8, WAY_NUMBER, WAY_CURRENCY };

/* Anything not listed is compared as text. */
static const struct ste_way {
    enum ste_way_kind kind;
    enum ste_field_id qualifier;
    enum ste_field_id currency; /* whose rate a band goes by */
} ways[STE_CONDITION_COUNT] = {
    [STE_COND_QUANTITY] = {WAY_NUMBER, STE_F_QUANTITY_UNIT, STE_F_NONE},
    [STE_COND_PRICE] = {WAY_NUMBER, STE_F_PRICE_TYPE, STE_F_PRICE_CURRENCY},
    [STE_COND_SETTLEMENT_CURRENCY] = {WAY_CURRENCY, STE_F_NONE, STE_F_NONE},
    [STE_COND_SETTLEMENT_AMOUNT] = {WAY_NUMBER, STE_F_SETTLEMENT_AMOUNT_CURRENCY,
                                    STE_F_SETTLEMENT_AMOUNT_CURRENCY},
    [STE_COND_COMMISSION] = {WAY_NUMBER, STE_F_COMMISSION_CURRENCY, STE_F_COMMISSION_CURRENCY},
    [STE_COND_ACCRUED_INTEREST] = {WAY_NUMBER, STE_F_ACCRUED_INTEREST_CURRENCY,
                                   STE_F_ACCRUED_INTEREST_CURRENCY},
    [STE_COND_BROKER] = {WAY_BIC8, STE_F_NONE, STE_F_NONE},
    [STE_COND_MANAGER] = {WAY_BIC8, STE_F_NONE, STE_F_NONE},
    [STE_COND_DELIVERING_AGENT] = {WAY_BIC8, STE_F_NONE, STE_F_NONE},
    [STE_COND_RECEIVING_AGENT] = {WAY_BIC8, STE_F_NONE, STE_F_NONE},
    [STE_COND_PLACE_OF_SETTLEMENT] = {WAY_BIC8, STE_F_NONE, STE_F_NONE},
};

/* ---- what a message says ---- */

bool ste_may_say(const struct ste_held *held, const struct ste_condition *condition)
{
    return ste_condition_presence(condition, (enum ste_type)held->type) != STE_NOT_CARRIED;
}

/* Condition 8: SettlementAmount's currency, else SettlementCurrency, else an ACTU price's. */
static struct ste_bytes settlement_currency(const struct ste_trade *trade,
                                            const struct ste_held *held)
{
    if (ste_may_say(held, &ste_conditions[STE_COND_SETTLEMENT_AMOUNT]) &&
        held->values[STE_F_SETTLEMENT_AMOUNT_CURRENCY])
        return ste_held_value(trade, held, STE_F_SETTLEMENT_AMOUNT_CURRENCY);
    if (held->values[STE_F_SETTLEMENT_CURRENCY])
        return ste_held_value(trade, held, STE_F_SETTLEMENT_CURRENCY);
    if (ste_bytes_equal(ste_held_value(trade, held, STE_F_PRICE_TYPE), STE_BYTES("ACTU")))
        return ste_held_value(trade, held, STE_F_PRICE_CURRENCY);
    return (struct ste_bytes){NULL, 0};
}

bool ste_say(const struct ste_trade *trade, const struct ste_held *held,
             const struct ste_condition *condition, struct ste_said *ret)
{
    if (!ste_may_say(held, condition))
        return false;
    const struct ste_way *way = &ways[condition->id];
    struct ste_bytes value = way->kind == WAY_CURRENCY
                                 ? settlement_currency(trade, held)
                                 : ste_held_value(trade, held, condition->field);
    if (value.len == 0)
        return false;
    ret->held = held;
    ret->value = value;
    ret->qualifier = trade->values[way->qualifier ? held->values[way->qualifier] : 0];
    return true;
}

/* ---- the rules ---- */

/* Values of one trade are kept once: equal ones mostly share their bytes. */
static bool same_text(struct ste_bytes a, struct ste_bytes b)
{
    return (a.at == b.at && a.len == b.len) || ste_bytes_equal(a, b);
}

static bool texts_agree(const struct ste_said *said, size_t count)
{
    for (size_t i = 1; i < count; i++)
        if (!same_text(said[i].value, said[0].value))
            return false;
    return true;
}

static bool bics_agree(const struct ste_said *said, size_t count)
{
    for (size_t i = 1; i < count; i++)
        if (!same_text(ste_bic8(said[i].value), ste_bic8(said[0].value)))
            return false;
    return true;
}

bool ste_qualifiers_agree(const struct ste_said *said, size_t count)
{
    for (size_t i = 1; i < count; i++)
        if (!same_text(said[i].qualifier, said[0].qualifier))
            return false;
    return true;
}

bool ste_within(const struct ste_ref *ref, const struct ste_tolerance *tolerance,
                struct ste_bytes currency, struct ste_wide smallest, struct ste_wide largest)
{
    const struct ste_rate *rate =
        tolerance->compare == STE_COMPARE_BAND ? ste_ref_rate(ref, currency) : NULL;
    return ste_tolerance_passes(tolerance, rate, smallest, largest);
}

/* The one currency of all of them; absent when there is none, or more than one. */
static struct ste_bytes common_currency(const struct ste_trade *trade, enum ste_field_id field,
                                        const struct ste_said *said, size_t count)
{
    uint16_t currency = said[0].held->values[field];
    for (size_t i = 1; i < count; i++)
        if (said[i].held->values[field] != currency)
            currency = 0;
    return trade->values[currency];
}

static bool numbers_agree(const struct ste_trade *trade, const struct ste_ref *ref,
                          const struct ste_tolerance *tolerance, enum ste_field_id currency_field,
                          const struct ste_said *said, size_t count)
{
    if (!ste_qualifiers_agree(said, count))
        return false;
    if (texts_agree(said, count))
        return true;
    struct ste_wide smallest = ste_number_of(said[0].value), largest = smallest;
    for (size_t i = 1; i < count; i++) {
        struct ste_wide number = ste_number_of(said[i].value);
        if (ste_wide_compare(number, smallest) < 0)
            smallest = number;
        if (ste_wide_compare(number, largest) > 0)
            largest = number;
    }
    return ste_within(ref, tolerance, common_currency(trade, currency_field, said, count), smallest,
                      largest);
}

bool ste_said_agree(const struct ste_trade *trade, const struct ste_ref *ref,
                    const struct ste_tolerance *tolerance, const struct ste_condition *condition,
                    const struct ste_said *said, size_t count, size_t might_say)
{
    if (tolerance->compare == STE_COMPARE_NOT_USED || count == 0)
        return true;
    if (tolerance->compare == STE_COMPARE_IF_PRESENT && count != might_say)
        return false;
    const struct ste_way *way = &ways[condition->id];
    switch (way->kind) {
    case WAY_BIC8:
        return bics_agree(said, count);
    case WAY_NUMBER:
        return numbers_agree(trade, ref, tolerance, way->currency, said, count);
    case WAY_TEXT:
    case WAY_CURRENCY:
        break;
    }
    return texts_agree(said, count);
}
