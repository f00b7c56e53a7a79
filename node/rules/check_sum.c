/* SPDX-License-Identifier: Apache-2.0
 * Derived arithmetic of an NPR (MESSAGES sections 6 and 11): gross from quantity, price and factor;
 * net from that gross and the charges. Exact, and never across currencies. */
#include "node/rules/check_finding.h"

#include "ref/tolerance.h"

/* quantity x price (UNIT, ACTU) or x price / 100 (FAMT, PRCT), x Factor. False: not to be derived.
 */
static bool derive_gross(const struct ste_check *check, struct ste_wide *ret, bool *ret_overflow)
{
    static const struct ste_wide hundredth = {1, 2};
    const struct ste_message *message = check->message;
    bool units = ste_bytes_equal(ste_value(message, STE_F_QUANTITY_UNIT), STE_BYTES("UNIT"));
    bool percent = ste_bytes_equal(ste_value(message, STE_F_PRICE_TYPE), STE_BYTES("PRCT"));
    struct ste_wide gross;
    if (!ste_check_is_good(check, STE_F_QUANTITY) || !ste_check_is_good(check, STE_F_PRICE) ||
        !ste_check_is_good(check, STE_F_QUANTITY_UNIT) ||
        !ste_check_is_good(check, STE_F_PRICE_TYPE) || units == percent)
        return false;
    if (ste_has(message, STE_F_FACTOR) && !ste_check_is_good(check, STE_F_FACTOR))
        return false;
    bool fits = ste_wide_mul(ste_wide_of(check->numbers[STE_F_QUANTITY]),
                             ste_wide_of(check->numbers[STE_F_PRICE]), &gross);
    if (fits && percent)
        fits = ste_wide_mul(gross, hundredth, &gross);
    if (fits && ste_has(message, STE_F_FACTOR))
        fits = ste_wide_mul(gross, ste_wide_of(check->numbers[STE_F_FACTOR]), &gross);
    *ret = gross;
    *ret_overflow = !fits;
    return true;
}

/* True when a currency is not said, or the same as `wanted`. */
static bool is_currency(const struct ste_check *check, enum ste_field_id id,
                        struct ste_bytes wanted)
{
    return !ste_has(check->message, id) || !ste_type_carries(check->message->type, id) ||
           ste_bytes_equal(ste_value(check->message, id), wanted);
}

/* The larger of one minor unit and the tolerance of condition 9. */
static bool is_near(const struct ste_check *check, struct ste_bytes currency,
                    struct ste_wide derived, struct ste_wide stated)
{
    const struct ste_currency *money = ste_ref_currency(check->rules->ref, currency);
    const struct ste_tolerance *tolerance = &check->profile->conditions[STE_COND_SETTLEMENT_AMOUNT];
    bool up = ste_wide_compare(derived, stated) < 0;
    struct ste_wide smallest = up ? derived : stated, largest = up ? stated : derived;
    struct ste_wide minor_unit = {1, money ? money->minor_units : 0}, apart;
    if (!ste_wide_sub(largest, smallest, &apart))
        return false;
    return ste_wide_compare(apart, minor_unit) <= 0 ||
           ste_tolerance_passes(tolerance, ste_ref_rate(check->rules->ref, currency), smallest,
                                largest);
}

static void compare(struct ste_check *check, enum ste_field_id amount,
                    enum ste_field_id currency_id, const char *what, struct ste_wide derived)
{
    char text[STE_DECIMAL_TEXT_BYTES];
    struct ste_bytes currency = ste_value(check->message, currency_id);
    if (is_near(check, currency, derived, ste_wide_of(check->numbers[amount])))
        return;
    ste_wide_format(derived, 0, text);
    ste_check_find(check, check->profile->checks[STE_CHECK_ARITHMETIC], STE_C_DMON, amount,
                   "%s would be %s", what, text);
}

/* Adds, or subtracts, an amount that may be absent. False: there, but of no use. */
static bool include(const struct ste_check *check, enum ste_field_id id, bool add,
                    struct ste_wide *sum, bool *overflow)
{
    struct ste_wide amount;
    if (!ste_has(check->message, id))
        return true;
    if (!ste_check_is_good(check, id))
        return false;
    amount = ste_wide_of(check->numbers[id]);
    if (!(add ? ste_wide_add(*sum, amount, sum) : ste_wide_sub(*sum, amount, sum)))
        *overflow = true;
    return true;
}

/* All five in the currency of the settlement amount. */
static bool is_one_currency(const struct ste_check *check, struct ste_bytes currency)
{
    return is_currency(check, STE_F_PRICE_CURRENCY, currency) &&
           is_currency(check, STE_F_GROSS_AMOUNT_CURRENCY, currency) &&
           is_currency(check, STE_F_ACCRUED_INTEREST_CURRENCY, currency) &&
           is_currency(check, STE_F_COMMISSION_CURRENCY, currency) &&
           is_currency(check, STE_F_OTHER_CHARGES_CURRENCY, currency);
}

/* BUYI: gross + accrued + commission + other; SELL: gross + accrued - commission - other. A FREE
 * one has no net, and one that lacks what it needs is refused for that. */
static bool derive_net(const struct ste_check *check, struct ste_wide gross, struct ste_wide *ret,
                       bool *overflow)
{
    const struct ste_message *message = check->message;
    bool buys = ste_bytes_equal(ste_value(message, STE_F_DIRECTION), STE_BYTES("BUYI"));
    bool famt = ste_bytes_equal(ste_value(message, STE_F_QUANTITY_UNIT), STE_BYTES("FAMT"));
    *ret = gross;
    return ste_check_is_good(check, STE_F_DIRECTION) &&
           ste_bytes_equal(ste_value(message, STE_F_PAYMENT), STE_BYTES("APMT")) &&
           ste_check_is_good(check, STE_F_SETTLEMENT_AMOUNT) &&
           ste_check_is_good(check, STE_F_SETTLEMENT_AMOUNT_CURRENCY) &&
           ste_check_is_good(check, STE_F_COMMISSION) &&
           (!famt || ste_check_is_good(check, STE_F_ACCRUED_INTEREST)) &&
           is_one_currency(check, ste_value(message, STE_F_SETTLEMENT_AMOUNT_CURRENCY)) &&
           include(check, STE_F_ACCRUED_INTEREST, true, ret, overflow) &&
           include(check, STE_F_COMMISSION, buys, ret, overflow) &&
           include(check, STE_F_OTHER_CHARGES, buys, ret, overflow);
}

void ste_check_arithmetic(struct ste_check *check)
{
    const struct ste_message *message = check->message;
    struct ste_wide gross, net;
    bool overflow = false;
    if (message->type != STE_TYPE_NPR || !check->rules->ref ||
        check->profile->checks[STE_CHECK_ARITHMETIC] == STE_LEVEL_OFF)
        return;
    if (!derive_gross(check, &gross, &overflow))
        return;
    if (!overflow && ste_check_is_good(check, STE_F_GROSS_AMOUNT) &&
        ste_check_is_good(check, STE_F_GROSS_AMOUNT_CURRENCY) &&
        is_currency(check, STE_F_PRICE_CURRENCY, ste_value(message, STE_F_GROSS_AMOUNT_CURRENCY)))
        compare(check, STE_F_GROSS_AMOUNT, STE_F_GROSS_AMOUNT_CURRENCY, "gross amount", gross);
    if (!overflow && derive_net(check, gross, &net, &overflow) && !overflow)
        compare(check, STE_F_SETTLEMENT_AMOUNT, STE_F_SETTLEMENT_AMOUNT_CURRENCY,
                "settlement amount", net);
    if (overflow)
        ste_check_find(check, check->profile->checks[STE_CHECK_ARITHMETIC], STE_C_DMON,
                       STE_F_QUANTITY,
                       "quantity, price and charges have too many digits to add up");
}
