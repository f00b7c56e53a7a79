/* SPDX-License-Identifier: Apache-2.0
 * The rules' own checks (node/rules/check*.c) need tables of currencies, countries, participants and
 * calendars. This is the rest, for a person who has nothing but a file. */
#include <string.h>

#include "base/decimal.h"
#include "bridge/check.h"
#include "ref/conditions.h"

enum { QUANTITY_DECIMALS_MAX = 5, PRICE_DECIMALS_MAX = 10 };

enum kind { REF, BIC, DATE, TIME, CODE, ISIN, QTY, PRICE, MONEY, SMONEY, FACTOR, CCY, CTRY, TEXT };

static const struct {
    uint8_t kind;
    const char *attribute; /* NULL: the element's own text */
} fields[STE_FIELD_COUNT] = {
#define X(id, value, element, attribute, kind) [id] = {kind, attribute},
#include "msg/fields.def"
#undef X
};

struct plain {
    const struct ste_message *message;
    struct ste_arena *arena;
    struct ste_finding *findings; /* room for STE_FINDINGS_MAX */
    uint32_t *lines, *columns;    /* of the findings; UINT32_MAX: at the end */
    size_t count;
    bool nomem;
};

/* ---- findings ---- */

bool ste_place_parse(struct ste_bytes place, uint32_t *ret_line, uint32_t *ret_column)
{
    uint32_t numbers[2] = {0, 0};
    size_t part = 0;
    for (size_t i = 0; i < place.len; i++) {
        if (place.at[i] == ':' && part == 0)
            part = 1;
        else if (place.at[i] >= '0' && place.at[i] <= '9')
            numbers[part] = numbers[part] * 10 + (uint32_t)(place.at[i] - '0');
        else
            return false;
    }
    if (part == 0)
        return false;
    *ret_line = numbers[0];
    *ret_column = numbers[1];
    return true;
}

/* In the order of the document; what has the same place stays as it was found. */
static void add(struct plain *plain, struct ste_finding finding, uint32_t line, uint32_t column)
{
    if (plain->count == STE_FINDINGS_MAX)
        return;
    size_t at = plain->count++;
    for (; at > 0 && (plain->lines[at - 1] > line ||
                      (plain->lines[at - 1] == line && plain->columns[at - 1] > column));
         at--) {
        plain->findings[at] = plain->findings[at - 1];
        plain->lines[at] = plain->lines[at - 1];
        plain->columns[at] = plain->columns[at - 1];
    }
    plain->findings[at] = finding;
    plain->lines[at] = line;
    plain->columns[at] = column;
}

static void refuse_at(struct plain *plain, enum ste_msg_code code, struct ste_bytes element,
                      uint32_t line, uint32_t column, const char *text)
{
    const char *const place = ste_arena_printf(plain->arena, "%u:%u", line, column);
    plain->nomem |= place == NULL;
    add(plain,
        (struct ste_finding){.code = code,
                             .level = STE_LEVEL_REJECT,
                             .element = element,
                             .place = ste_bytes_of(place),
                             .text = ste_bytes_of(text)},
        line, column);
}

static void refuse(struct plain *plain, enum ste_msg_code code, enum ste_field_id id,
                   const char *text)
{
    const struct ste_field *const field = &plain->message->fields[id];
    refuse_at(plain, code, ste_bytes_of(ste_field_element(id)), field->line, field->column, text);
}

static void refuse_missing(struct plain *plain, enum ste_field_id id)
{
    const struct ste_bytes element = ste_bytes_of(ste_field_element(id));
    add(plain,
        (struct ste_finding){.code = STE_C_XMIS,
                             .level = STE_LEVEL_REJECT,
                             .element = element,
                             .place = element,
                             .text = STE_BYTES("element is missing")},
        UINT32_MAX, 0);
}

/* Decoding refused the element already. */
static bool is_refused(const struct ste_message *message, enum ste_field_id id)
{
    const struct ste_bytes element = ste_bytes_of(ste_field_element(id));
    for (size_t i = 0; i < message->finding_count; i++)
        if (message->findings[i].level == STE_LEVEL_REJECT &&
            message->findings[i].code != STE_C_XREP &&
            ste_bytes_equal(message->findings[i].element, element))
            return true;
    return false;
}

/* Where the finding's place says, else where its element stands. */
static void add_decoded(struct plain *plain)
{
    const struct ste_message *const message = plain->message;
    for (size_t i = 0; i < message->finding_count; i++) {
        const struct ste_field *const field =
            &message->fields[ste_field_of(message->findings[i].element)];
        uint32_t line = field->line > 0 ? field->line : UINT32_MAX, column = field->column;
        (void)ste_place_parse(message->findings[i].place, &line, &column);
        add(plain, message->findings[i], line, column);
    }
}

/* ---- values ---- */

static bool is_word(struct ste_bytes value, const char *one, const char *other)
{
    return ste_bytes_equal(value, ste_bytes_of(one)) || ste_bytes_equal(value, ste_bytes_of(other));
}

static bool is_capitals(struct ste_bytes value, size_t len)
{
    for (size_t i = 0; i < value.len; i++)
        if (value.at[i] < 'A' || value.at[i] > 'Z')
            return false;
    return value.len == len;
}

/* NULL: a number with at most that many decimals. */
static const char *number_fault(struct ste_bytes value, bool negative, bool zero,
                                unsigned decimals_max)
{
    struct ste_decimal number;
    if (!ste_decimal_parse(value, negative, &number))
        return negative ? "not a number of at most 18 digits"
                        : "not a number of at most 18 digits without sign";
    if (!zero && number.coefficient == 0)
        return "must be above 0";
    return number.decimals > decimals_max ? "too many decimals" : NULL;
}

static const char *quantity_fault(const struct ste_message *message, struct ste_bytes value)
{
    if (!is_word(ste_value(message, STE_F_QUANTITY_UNIT), "UNIT", "FAMT"))
        return "the attribute unit is neither UNIT nor FAMT";
    return number_fault(value, false, false, QUANTITY_DECIMALS_MAX);
}

static const char *price_fault(const struct ste_message *message, struct ste_bytes value)
{
    const struct ste_bytes type = ste_value(message, STE_F_PRICE_TYPE);
    const struct ste_bytes currency = ste_value(message, STE_F_PRICE_CURRENCY);
    if (!is_word(type, "ACTU", "PRCT"))
        return "the attribute type is neither ACTU nor PRCT";
    if (currency.len > 0 && ste_bytes_equal(type, STE_BYTES("PRCT")))
        return "a price in percent has no currency";
    if (currency.len > 0 && !is_capitals(currency, 3))
        return "the currency is not three capital letters";
    return number_fault(value, false, true, PRICE_DECIMALS_MAX);
}

static const char *money_fault(const struct ste_message *message, enum ste_field_id id,
                               struct ste_bytes value)
{
    const enum ste_field_id currency_id = id + 1u; /* in fields.def an attribute follows its element */
    const struct ste_bytes currency = ste_value(message, currency_id);
    if (currency.len == 0)
        return "the attribute currency is missing";
    if (!is_capitals(currency, 3))
        return "the currency is not three capital letters";
    return number_fault(value, fields[id].kind == SMONEY, id != STE_F_SETTLEMENT_AMOUNT,
                        STE_DECIMAL_DIGITS_MAX);
}

static const char *code_fault(enum ste_field_id id, struct ste_bytes value)
{
    if (id == STE_F_DIRECTION)
        return is_word(value, "BUYI", "SELL") ? NULL : "neither BUYI nor SELL";
    return is_word(value, "APMT", "FREE") ? NULL : "neither APMT nor FREE";
}

/* What is wrong with the value of an element; NULL: nothing that can be told without tables. */
static const char *value_fault(const struct ste_message *message, enum ste_field_id id)
{
    const struct ste_bytes value = ste_value(message, id);
    ste_date date;
    switch ((enum kind)fields[id].kind) {
    case REF:
        return ste_is_reference(value) ? NULL : "not 1 to 35 letters, digits, blanks or /-?:().,'+";
    case BIC:
        return ste_is_bic(value) ? NULL : "not a BIC of 8 or 11 characters";
    case DATE:
        return ste_date_parse(value, &date) ? NULL : "not a date that exists, as YYYY-MM-DD";
    case TIME:
        return ste_is_rfc3339(value) ? NULL : "not a time as RFC 3339 has it";
    case CODE:
        return code_fault(id, value);
    case ISIN:
        return ste_is_isin(value) ? NULL : "not an ISIN, or its check digit is wrong";
    case QTY:
        return quantity_fault(message, value);
    case PRICE:
        return price_fault(message, value);
    case MONEY:
    case SMONEY:
        return money_fault(message, id, value);
    case FACTOR:
        return number_fault(value, false, false, STE_DECIMAL_DIGITS_MAX);
    case CCY:
        return is_capitals(value, 3) ? NULL : "the currency is not three capital letters";
    case CTRY:
        return is_capitals(value, 2) ? NULL : "the country is not two capital letters";
    case TEXT:
        break;
    }
    return NULL;
}

static void check_values(struct plain *plain)
{
    const struct ste_message *const message = plain->message;
    for (int i = STE_F_NONE + 1; i < STE_FIELD_COUNT; i++) {
        const enum ste_field_id id = (enum ste_field_id)i;
        if (fields[id].attribute != NULL || !ste_has(message, id) ||
            id == STE_F_PREVIOUS_REFERENCE || !ste_type_carries(message->type, id) ||
            is_refused(message, id))
            continue;
        const char *const fault = value_fault(message, id);
        if (fault != NULL)
            refuse(plain, ste_field_code(id), id, fault);
    }
}

/* ---- the message as a whole ---- */

static enum ste_presence presence_of(const struct ste_condition *condition, enum ste_type type)
{
    switch (type) {
    case STE_TYPE_NOE:
        return condition->noe;
    case STE_TYPE_ALB:
        return condition->alb;
    case STE_TYPE_NPR:
        return condition->npr;
    default:
        return condition->set;
    }
}

static void check_presence(struct plain *plain)
{
    const struct ste_message *const message = plain->message;
    const bool free = ste_bytes_equal(ste_value(message, STE_F_PAYMENT), STE_BYTES("FREE"));
    const bool famt = ste_bytes_equal(ste_value(message, STE_F_QUANTITY_UNIT), STE_BYTES("FAMT"));
    for (int id = 1; id < STE_CONDITION_COUNT; id++) {
        const struct ste_condition *const condition = &ste_conditions[id];
        const enum ste_presence presence = presence_of(condition, message->type);
        const bool money = id == STE_COND_SETTLEMENT_AMOUNT || id == STE_COND_COMMISSION ||
                           id == STE_COND_ACCRUED_INTEREST;
        const bool needed = presence == STE_MANDATORY || (presence == STE_MANDATORY_FAMT && famt);
        if (needed && id != STE_COND_SETTLEMENT_CURRENCY && !(free && money) &&
            !ste_has(message, condition->field) && !is_refused(message, condition->field))
            refuse_missing(plain, condition->field);
    }
}

static void check_dates(struct plain *plain)
{
    ste_date trade, settlement;
    if (ste_date_parse(ste_value(plain->message, STE_F_TRADE_DATE), &trade) &&
        ste_date_parse(ste_value(plain->message, STE_F_SETTLEMENT_DATE), &settlement) &&
        settlement < trade)
        refuse(plain, STE_C_DDAT, STE_F_SETTLEMENT_DATE,
               "the settlement date is before the trade date");
}

/* Of a SET by another than the Manager, the participants file would have to say more. */
static void check_role(struct plain *plain)
{
    const struct ste_message *const message = plain->message;
    const bool brokers = message->type == STE_TYPE_NOE || message->type == STE_TYPE_NPR;
    const struct ste_bytes party =
        ste_bic8(ste_value(message, brokers ? STE_F_BROKER : STE_F_MANAGER));
    if (message->type != STE_TYPE_SET &&
        !ste_bytes_equal(ste_bic8(ste_value(message, STE_F_SENDER)), party))
        refuse(plain, STE_C_XROL, STE_F_SENDER,
               brokers ? "sender is not the Broker" : "sender is not the Manager");
}

static bool is_supported(const struct ste_message *message)
{
    return message->type >= STE_TYPE_NOE && message->type <= STE_TYPE_SET &&
           message->function == STE_FUNCTION_NEWM;
}

static void check_all(struct plain *plain, struct ste_checked *ret)
{
    if (!is_supported(plain->message)) {
        refuse_at(plain, STE_C_XFUN, (struct ste_bytes){0}, plain->message->line,
                  plain->message->column, "this type or function is not supported yet");
        ret->unsupported = true;
        return;
    }
    add_decoded(plain);
    check_values(plain);
    check_presence(plain);
    check_dates(plain);
    check_role(plain);
}

bool ste_check_plain(const struct ste_message *message, struct ste_arena *arena,
                     struct ste_checked *ret)
{
    struct plain plain = {.message = message, .arena = arena};
    plain.findings = STE_ARENA_ARRAY(arena, struct ste_finding, STE_FINDINGS_MAX);
    plain.lines = STE_ARENA_ARRAY(arena, uint32_t, STE_FINDINGS_MAX);
    plain.columns = STE_ARENA_ARRAY(arena, uint32_t, STE_FINDINGS_MAX);
    if (plain.findings == NULL || plain.lines == NULL || plain.columns == NULL)
        return false;
    struct ste_checked checked = {.findings = plain.findings};
    check_all(&plain, &checked);
    checked.finding_count = plain.count;
    for (size_t i = 0; i < plain.count; i++)
        checked.rejected |= plain.findings[i].level == STE_LEVEL_REJECT;
    *ret = checked;
    return !plain.nomem;
}
