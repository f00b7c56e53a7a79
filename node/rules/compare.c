/* SPDX-License-Identifier: Apache-2.0
 * One function per comparison rule; `ways` says which one a condition takes. */
#include "node/rules/compare.h"

enum ste_way_kind { WAY_TEXT, WAY_BIC8, WAY_NUMBER, WAY_CURRENCY };

/* Anything not listed is compared as text. */
static const struct ste_way {
    enum ste_way_kind kind;
    enum ste_field_id qualifier;
    bool is_money; /* the qualifier is a currency: tolerances go by its rate */
} ways[STE_CONDITION_COUNT] = {
    [STE_COND_QUANTITY] = {WAY_NUMBER, STE_F_QUANTITY_UNIT, false},
    [STE_COND_PRICE] = {WAY_NUMBER, STE_F_PRICE_TYPE, false},
    [STE_COND_SETTLEMENT_CURRENCY] = {WAY_CURRENCY, STE_F_NONE, false},
    [STE_COND_SETTLEMENT_AMOUNT] = {WAY_NUMBER, STE_F_SETTLEMENT_AMOUNT_CURRENCY, true},
    [STE_COND_COMMISSION] = {WAY_NUMBER, STE_F_COMMISSION_CURRENCY, true},
    [STE_COND_ACCRUED_INTEREST] = {WAY_NUMBER, STE_F_ACCRUED_INTEREST_CURRENCY, true},
    [STE_COND_BROKER] = {WAY_BIC8, STE_F_NONE, false},
    [STE_COND_MANAGER] = {WAY_BIC8, STE_F_NONE, false},
    [STE_COND_DELIVERING_AGENT] = {WAY_BIC8, STE_F_NONE, false},
    [STE_COND_RECEIVING_AGENT] = {WAY_BIC8, STE_F_NONE, false},
    [STE_COND_PLACE_OF_SETTLEMENT] = {WAY_BIC8, STE_F_NONE, false},
};

/* ---- what a message says ---- */

bool ste_may_say(const struct ste_held *held, const struct ste_condition *condition)
{
    switch (held->type) {
    case STE_TYPE_NOE:
        return condition->noe != STE_NOT_CARRIED;
    case STE_TYPE_ALB:
        return condition->alb != STE_NOT_CARRIED;
    case STE_TYPE_NPR:
        return condition->npr != STE_NOT_CARRIED;
    case STE_TYPE_SET:
        return condition->set != STE_NOT_CARRIED;
    default:
        return false;
    }
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

/* A figure of the profile in the currency at hand. False: it does not fit. */
static bool figure(struct ste_decimal eur, const struct ste_rate *rate, struct ste_wide *ret)
{
    *ret = ste_wide_of(eur);
    return !rate || ste_wide_mul(*ret, ste_wide_of(rate->per_eur), ret);
}

static bool within_band(const struct ste_ref *ref, const struct ste_tolerance *tolerance,
                        struct ste_bytes currency, struct ste_wide smallest,
                        struct ste_wide difference)
{
    bool is_plain = currency.len == 0 || ste_bytes_equal(currency, STE_BYTES("EUR"));
    const struct ste_rate *rate = is_plain ? NULL : ste_ref_rate(ref, currency);
    struct ste_wide edge, limit;
    if (!is_plain && !rate)
        return difference.coefficient == 0; /* no rate: exact */
    if (!figure(tolerance->edge, rate, &edge))
        return false;
    bool is_high = ste_wide_compare(smallest, edge) > 0;
    return figure(is_high ? tolerance->high : tolerance->amount, rate, &limit) &&
           ste_wide_compare(difference, limit) <= 0;
}

/* difference ≤ percent of the smallest: difference × 100 ≤ percent × |smallest|. */
static bool within_percent(struct ste_decimal percent, struct ste_wide smallest,
                           struct ste_wide difference)
{
    struct ste_wide hundredfold, limit;
    return ste_wide_mul(difference, (struct ste_wide){100, 0}, &hundredfold) &&
           ste_wide_mul(ste_wide_of(percent), ste_wide_abs(smallest), &limit) &&
           ste_wide_compare(hundredfold, limit) <= 0;
}

bool ste_within(const struct ste_ref *ref, const struct ste_tolerance *tolerance,
                struct ste_bytes currency, struct ste_wide smallest, struct ste_wide largest)
{
    struct ste_wide difference;
    if (!ste_wide_sub(largest, smallest, &difference))
        return false;
    switch (tolerance->compare) {
    case STE_COMPARE_ABSOLUTE:
        return ste_wide_compare(difference, ste_wide_of(tolerance->amount)) <= 0;
    case STE_COMPARE_PERCENT:
        return within_percent(tolerance->percent, smallest, difference);
    case STE_COMPARE_PERCENT_CAPPED:
        return within_percent(tolerance->percent, smallest, difference) &&
               ste_wide_compare(difference, ste_wide_of(tolerance->cap)) <= 0;
    case STE_COMPARE_BAND:
        return within_band(ref, tolerance, currency, smallest, difference);
    case STE_COMPARE_NOT_USED:
        return true;
    case STE_COMPARE_EXACT:
    case STE_COMPARE_IF_PRESENT:
        break;
    }
    return difference.coefficient == 0;
}

static bool numbers_agree(const struct ste_ref *ref, const struct ste_tolerance *tolerance,
                          bool is_money, const struct ste_said *said, size_t count)
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
    struct ste_bytes currency = is_money ? said[0].qualifier : (struct ste_bytes){NULL, 0};
    return ste_within(ref, tolerance, currency, smallest, largest);
}

bool ste_said_agree(const struct ste_ref *ref, const struct ste_tolerance *tolerance,
                    const struct ste_condition *condition, const struct ste_said *said,
                    size_t count, size_t might_say)
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
        return numbers_agree(ref, tolerance, way->is_money, said, count);
    case WAY_TEXT:
    case WAY_CURRENCY:
        break;
    }
    return texts_agree(said, count);
}
