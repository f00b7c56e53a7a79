/* SPDX-License-Identifier: Apache-2.0
 * Every element by itself (MESSAGES section 1): its shape, its numbers, its attributes, and the
 * codes that must be in a list. What a type does not carry is not looked at. */
#include "node/rules/check_finding.h"

enum { QUANTITY_DECIMALS_MAX = 5, PRICE_DECIMALS_MAX = 10, VALUE_BYTES_MAX = 64 };

enum kind { REF, BIC, DATE, TIME, CODE, ISIN, QTY, PRICE, MONEY, SMONEY, FACTOR, CCY, CTRY, TEXT };

static const struct {
    uint8_t kind;
    const char *attribute; /* NULL: the element's own text */
} fields[STE_FIELD_COUNT] = {
#define X(id, value, element, attribute, kind) [id] = {kind, attribute},
#include "msg/fields.def"
#undef X
};

static bool is_word(struct ste_bytes value, const char *one, const char *other)
{
    return ste_bytes_equal(value, ste_bytes_of(one)) || ste_bytes_equal(value, ste_bytes_of(other));
}

static void refuse(struct ste_check *check, enum ste_field_id id, const char *text)
{
    ste_check_find(check, STE_LEVEL_REJECT, ste_field_code(id), id, "%s", text);
}

/* A check whose level the profile sets. Whatever it is set to, a value that is longer than any
 * right one is refused: nothing behind the checks has to store it. */
static void refuse_by_level(struct ste_check *check, enum ste_check_id check_id,
                            enum ste_field_id id, const char *text)
{
    enum ste_level level = check->profile->checks[check_id];
    if (ste_value(check->message, id).len > VALUE_BYTES_MAX)
        level = STE_LEVEL_REJECT;
    ste_check_find(check, level, ste_field_code(id), id, "%s", text);
    if (level == STE_LEVEL_OFF)
        ste_check_set_good(check, id);
}

static void keep_if(struct ste_check *check, enum ste_field_id id, bool right, const char *text)
{
    if (right)
        ste_check_set_good(check, id);
    else
        refuse(check, id, text);
}

/* Kosovo's BICs carry XK, which ISO 3166-1 leaves to its users. */
static bool is_bic_country(const struct ste_ref *ref, struct ste_bytes bic)
{
    struct ste_bytes country = {bic.at + 4, 2};
    return !ref || ste_ref_country(ref, country) || ste_bytes_equal(country, STE_BYTES("XK"));
}

static void check_bic(struct ste_check *check, enum ste_field_id id, struct ste_bytes value)
{
    if (!ste_is_bic(value))
        refuse_by_level(check, STE_CHECK_BIC, id, "not a BIC of 8 or 11 characters");
    else if (!is_bic_country(check->rules->ref, value))
        refuse_by_level(check, STE_CHECK_BIC, id, "the BIC's country is not in ISO 3166-1");
    else
        ste_check_set_good(check, id);
}

static void check_isin(struct ste_check *check, enum ste_field_id id, struct ste_bytes value)
{
    if (!ste_is_isin(value))
        refuse_by_level(check, STE_CHECK_ISIN, id, "not an ISIN, or its check digit is wrong");
    else
        ste_check_set_good(check, id);
}

static void check_date(struct ste_check *check, enum ste_field_id id, struct ste_bytes value)
{
    ste_date date = STE_DATE_NONE;
    keep_if(check, id, ste_date_parse(value, &date), "not a date that exists, as YYYY-MM-DD");
    if (id == STE_F_TRADE_DATE)
        check->trade_date = date;
    else
        check->settlement_date = date;
}

static void check_code(struct ste_check *check, enum ste_field_id id, struct ste_bytes value)
{
    if (id == STE_F_DIRECTION)
        keep_if(check, id, is_word(value, "BUYI", "SELL"), "neither BUYI nor SELL");
    else
        keep_if(check, id, is_word(value, "APMT", "FREE"), "neither APMT nor FREE");
}

static bool is_capitals(struct ste_bytes value, size_t len)
{
    for (size_t i = 0; i < value.len; i++)
        if (value.at[i] < 'A' || value.at[i] > 'Z')
            return false;
    return value.len == len;
}

/* A currency that is an attribute or a value of its own. True when its minor units are known. */
static bool check_currency(struct ste_check *check, enum ste_field_id id, uint8_t *ret_minor_units)
{
    const struct ste_ref *ref = check->rules->ref;
    struct ste_bytes value = ste_value(check->message, id);
    if (!ref) {
        keep_if(check, id, is_capitals(value, 3), "the currency is not three capital letters");
        return false;
    }
    const struct ste_currency *currency = ste_ref_currency(ref, value);
    if (!currency) {
        refuse_by_level(check, STE_CHECK_CURRENCY, id, "the currency is not in ISO 4217");
        return false;
    }
    ste_check_set_good(check, id);
    *ret_minor_units = currency->minor_units;
    return true;
}

static void check_country(struct ste_check *check, enum ste_field_id id, struct ste_bytes value)
{
    const struct ste_ref *ref = check->rules->ref;
    if (!ref)
        keep_if(check, id, is_capitals(value, 2), "the country is not two capital letters");
    else if (ste_ref_country(ref, value))
        ste_check_set_good(check, id);
    else
        refuse_by_level(check, STE_CHECK_COUNTRY, id, "the country is not in ISO 3166-1");
}

static bool check_number(struct ste_check *check, enum ste_field_id id, bool allow_negative)
{
    bool right =
        ste_decimal_parse(ste_value(check->message, id), allow_negative, &check->numbers[id]);
    if (!right)
        refuse(check, id,
               allow_negative ? "not a number of at most 18 digits"
                              : "not a number of at most 18 digits without sign");
    return right;
}

/* Good when it has no more decimals than allowed. */
static void check_decimals(struct ste_check *check, enum ste_field_id id, uint8_t decimals_max)
{
    enum ste_level level = check->profile->checks[STE_CHECK_DECIMALS];
    if (check->numbers[id].decimals > decimals_max)
        ste_check_find(check, level, ste_field_code(id), id, "more than %u decimals", decimals_max);
    if (check->numbers[id].decimals <= decimals_max || level != STE_LEVEL_REJECT)
        ste_check_set_good(check, id);
}

static void check_quantity(struct ste_check *check)
{
    struct ste_bytes unit = ste_value(check->message, STE_F_QUANTITY_UNIT);
    if (check_number(check, STE_F_QUANTITY, false)) {
        if (check->numbers[STE_F_QUANTITY].coefficient == 0)
            refuse(check, STE_F_QUANTITY, "the quantity must be above 0");
        else
            check_decimals(check, STE_F_QUANTITY, QUANTITY_DECIMALS_MAX);
    }
    if (is_word(unit, "UNIT", "FAMT"))
        ste_check_set_good(check, STE_F_QUANTITY_UNIT);
    else
        refuse(check, STE_F_QUANTITY, "the attribute unit is neither UNIT nor FAMT");
}

static void check_price(struct ste_check *check)
{
    struct ste_bytes type = ste_value(check->message, STE_F_PRICE_TYPE);
    uint8_t minor_units = 0;
    if (check_number(check, STE_F_PRICE, false))
        check_decimals(check, STE_F_PRICE, PRICE_DECIMALS_MAX);
    if (is_word(type, "ACTU", "PRCT"))
        ste_check_set_good(check, STE_F_PRICE_TYPE);
    else
        refuse(check, STE_F_PRICE, "the attribute type is neither ACTU nor PRCT");
    if (!ste_has(check->message, STE_F_PRICE_CURRENCY))
        return;
    if (ste_bytes_equal(type, STE_BYTES("PRCT")))
        refuse(check, STE_F_PRICE, "a price in percent has no currency");
    else
        (void)check_currency(check, STE_F_PRICE_CURRENCY, &minor_units);
}

static enum ste_field_id currency_of(enum ste_field_id amount)
{
    switch (amount) {
    case STE_F_GROSS_AMOUNT:
        return STE_F_GROSS_AMOUNT_CURRENCY;
    case STE_F_COMMISSION:
        return STE_F_COMMISSION_CURRENCY;
    case STE_F_SETTLEMENT_AMOUNT:
        return STE_F_SETTLEMENT_AMOUNT_CURRENCY;
    case STE_F_ACCRUED_INTEREST:
        return STE_F_ACCRUED_INTEREST_CURRENCY;
    default:
        return STE_F_OTHER_CHARGES_CURRENCY;
    }
}

static void check_money(struct ste_check *check, enum ste_field_id id, bool allow_negative)
{
    enum ste_field_id currency_id = currency_of(id);
    uint8_t decimals_max = STE_DECIMAL_DIGITS_MAX; /* where the currency is not known */
    bool is_number = check_number(check, id, allow_negative);
    if (!ste_has(check->message, currency_id))
        refuse(check, id, "the attribute currency is missing");
    else
        (void)check_currency(check, currency_id, &decimals_max);
    if (!is_number)
        return;
    if (id == STE_F_SETTLEMENT_AMOUNT && check->numbers[id].coefficient == 0)
        refuse(check, id, "the settlement amount must be above 0");
    else
        check_decimals(check, id, decimals_max);
}

static void check_factor(struct ste_check *check, enum ste_field_id id)
{
    if (check_number(check, id, false))
        keep_if(check, id, check->numbers[id].coefficient > 0, "the factor must be above 0");
}

static void check_field(struct ste_check *check, enum ste_field_id id, struct ste_bytes value)
{
    uint8_t minor_units = 0;
    switch ((enum kind)fields[id].kind) {
    case REF:
        keep_if(check, id, ste_is_reference(value),
                "not 1 to 35 letters, digits, blanks or /-?:().,'+");
        break;
    case BIC:
        check_bic(check, id, value);
        break;
    case DATE:
        check_date(check, id, value);
        break;
    case TIME:
        keep_if(check, id, ste_is_rfc3339(value), "not a time as RFC 3339 has it");
        break;
    case CODE:
        check_code(check, id, value);
        break;
    case ISIN:
        check_isin(check, id, value);
        break;
    case QTY:
        check_quantity(check);
        break;
    case PRICE:
        check_price(check);
        break;
    case MONEY:
    case SMONEY:
        check_money(check, id, fields[id].kind == SMONEY);
        break;
    case FACTOR:
        check_factor(check, id);
        break;
    case CCY:
        (void)check_currency(check, id, &minor_units);
        break;
    case CTRY:
        check_country(check, id, value);
        break;
    case TEXT:
        break; /* its length is decoding's */
    }
}

void ste_check_values(struct ste_check *check)
{
    const struct ste_message *message = check->message;
    for (int i = STE_F_NONE + 1; i < STE_FIELD_COUNT; i++) {
        enum ste_field_id id = (enum ste_field_id)i;
        if (fields[id].attribute || !ste_has(message, id) ||
            id == STE_F_PREVIOUS_REFERENCE || /* no NEWM carries it */
            !ste_type_carries(message->type, id) || ste_check_is_refused(check, id))
            continue;
        check_field(check, id, ste_value(message, id));
    }
}
