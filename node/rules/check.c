/* SPDX-License-Identifier: Apache-2.0
 * The part of stop 6 that needs no trade: what MESSAGES section 6 finds in a message by itself.
 * Each element alone is check_value.c, days are check_day.c, sums are check_sum.c. */
#include "node/rules/check_finding.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { TEXT_BYTES = 200 };

/* ---- findings ---- */

static struct ste_bytes kept_text(struct ste_check *check, const char *format, va_list args)
    __attribute__((format(printf, 2, 0)));

static struct ste_bytes kept_text(struct ste_check *check, const char *format, va_list args)
{
    char text[TEXT_BYTES];
    int len = vsnprintf(text, sizeof(text), format, args);
    struct ste_bytes whole = {text, len < 0 ? 0 : (size_t)len};
    if (whole.len >= sizeof(text))
        whole.len = sizeof(text) - 1;
    struct ste_bytes kept = ste_arena_dup(check->arena, whole);
    if (!kept.at)
        check->nomem = true;
    return kept;
}

static struct ste_bytes kept_place(struct ste_check *check, uint32_t line, uint32_t column)
{
    char *place = ste_arena_printf(check->arena, "%u:%u", line, column);
    if (!place)
        check->nomem = true;
    return ste_bytes_of(place);
}

static void add(struct ste_check *check, const struct ste_finding *finding, uint32_t line,
                uint32_t column)
{
    if (check->found_count < STE_FINDINGS_MAX)
        check->found[check->found_count++] = (struct ste_found){*finding, line, column};
}

void ste_check_find(struct ste_check *check, enum ste_level level, enum ste_msg_code code,
                    enum ste_field_id id, const char *format, ...)
{
    const struct ste_field *field = &check->message->fields[id];
    va_list args;
    if (level == STE_LEVEL_OFF)
        return;
    va_start(args, format);
    struct ste_finding finding = {
        .code = code,
        .level = level,
        .element = ste_bytes_of(ste_field_element(id)),
        .place = kept_place(check, field->line, field->column),
        .text = kept_text(check, format, args),
    };
    va_end(args);
    add(check, &finding, field->line, field->column);
}

void ste_check_find_missing(struct ste_check *check, enum ste_field_id id)
{
    struct ste_bytes element = ste_bytes_of(ste_field_element(id));
    struct ste_finding finding = {
        .code = STE_C_XMIS,
        .level = STE_LEVEL_REJECT,
        .element = element,
        .place = element,
        .text = STE_BYTES("element is missing"),
    };
    add(check, &finding, UINT32_MAX, 0);
}

bool ste_check_is_refused(const struct ste_check *check, enum ste_field_id id)
{
    const struct ste_message *message = check->message;
    struct ste_bytes element = {NULL, 0};
    for (size_t i = 0; i < message->finding_count; i++) {
        const struct ste_finding *finding = &message->findings[i];
        if (element.len == 0)
            element = ste_bytes_of(ste_field_element(id));
        if (finding->level == STE_LEVEL_REJECT && finding->code != STE_C_XREP &&
            ste_bytes_equal(finding->element, element))
            return true;
    }
    return false;
}

/* ---- the message as a whole ---- */

/* Functions and types of a later issue: one finding, at the message's own start tag. */
static bool is_unsupported(const struct ste_message *message)
{
    bool is_trade_type = message->type == STE_TYPE_NOE || message->type == STE_TYPE_ALB ||
                         message->type == STE_TYPE_NPR || message->type == STE_TYPE_SET;
    return !is_trade_type || message->function != STE_FUNCTION_NEWM;
}

static bool refuse_unsupported(struct ste_check *check, struct ste_checked *ret)
{
    const struct ste_message *message = check->message;
    struct ste_finding *finding = STE_ARENA_NEW(check->arena, struct ste_finding);
    if (!finding)
        return false;
    *finding = (struct ste_finding){
        .code = STE_C_XFUN,
        .level = STE_LEVEL_REJECT,
        .place = kept_place(check, message->line, message->column),
        .text = STE_BYTES("this type or function is not supported yet"),
    };
    *ret = (struct ste_checked){
        .findings = finding, .finding_count = 1, .rejected = true, .unsupported = true};
    return !check->nomem;
}

/* Condition 8 is never an element of its own that must be there: SettlementAmount carries it. Where
 * the payment is FREE, 9 to 11 are not needed either. */
static void check_required(struct ste_check *check)
{
    const struct ste_message *message = check->message;
    bool free = ste_bytes_equal(ste_value(message, STE_F_PAYMENT), STE_BYTES("FREE"));
    bool famt = ste_bytes_equal(ste_value(message, STE_F_QUANTITY_UNIT), STE_BYTES("FAMT"));
    for (int id = 1; id < STE_CONDITION_COUNT; id++) {
        const struct ste_condition *condition = &ste_conditions[id];
        enum ste_presence presence = ste_condition_presence(condition, message->type);
        bool needed = presence == STE_MANDATORY || (presence == STE_MANDATORY_FAMT && famt);
        if (id == STE_COND_SETTLEMENT_CURRENCY || (free && ste_condition_is_money(condition->id)))
            needed = false;
        if (needed && !ste_has(message, condition->field) &&
            !ste_check_is_refused(check, condition->field))
            ste_check_find_missing(check, condition->field);
    }
}

static bool same_bic8(const struct ste_message *message, enum ste_field_id a, enum ste_field_id b)
{
    return ste_bytes_equal(ste_bic8(ste_value(message, a)), ste_bic8(ste_value(message, b)));
}

static void check_role(struct ste_check *check)
{
    const struct ste_message *message = check->message;
    enum ste_level level = check->profile->checks[STE_CHECK_ROLE];
    const char *role = "Manager";
    bool has_role = same_bic8(message, STE_F_SENDER, STE_F_MANAGER);
    if (message->type == STE_TYPE_NOE || message->type == STE_TYPE_NPR) {
        role = "Broker";
        has_role = same_bic8(message, STE_F_SENDER, STE_F_BROKER);
    } else if (message->type == STE_TYPE_SET && !has_role) {
        const struct ste_ref *ref = check->rules->ref;
        const struct ste_participant *sender =
            ref ? ste_ref_participant(ref, ste_value(message, STE_F_SENDER)) : NULL;
        role = "Manager, nor has it the role custodian";
        has_role = !ref || (sender && (sender->roles & STE_PARTICIPANT_CUSTODIAN));
    }
    if (!has_role)
        ste_check_find(check, level, STE_C_XROL, STE_F_SENDER, "sender of %s is not the %s",
                       ste_type_name(message->type), role);
}

/* Instrument, agents and place that our lists do not hold. */
static void check_lists(struct ste_check *check)
{
    static const enum ste_field_id parties[] = {STE_F_DELIVERING_AGENT, STE_F_RECEIVING_AGENT,
                                                STE_F_PLACE_OF_SETTLEMENT};
    const struct ste_ref *ref = check->rules->ref;
    const struct ste_message *message = check->message;
    if (!ref)
        return;
    if (ste_check_is_good(check, STE_F_INSTRUMENT) && ste_ref_has_instruments(ref) &&
        !ste_ref_instrument(ref, ste_value(message, STE_F_INSTRUMENT)))
        ste_check_find(check, check->profile->checks[STE_CHECK_INSTRUMENT], STE_C_DSEC,
                       STE_F_INSTRUMENT, "instrument is not in the list");
    for (size_t i = 0; i < sizeof(parties) / sizeof(parties[0]); i++) {
        enum ste_field_id id = parties[i];
        if (ste_check_is_good(check, id) && !ste_ref_participant(ref, ste_value(message, id)))
            ste_check_find(check, check->profile->checks[STE_CHECK_PARTY], ste_field_code(id), id,
                           "not among the participants");
    }
}

/* One warning, at the first element whose currency is not that of the first one. */
static void check_two_currencies(struct ste_check *check)
{
    static const enum ste_field_id currencies[] = {
        STE_F_PRICE_CURRENCY,      STE_F_GROSS_AMOUNT_CURRENCY,  STE_F_ACCRUED_INTEREST_CURRENCY,
        STE_F_COMMISSION_CURRENCY, STE_F_OTHER_CHARGES_CURRENCY, STE_F_SETTLEMENT_AMOUNT_CURRENCY,
        STE_F_SETTLEMENT_CURRENCY,
    };
    struct ste_bytes first = {NULL, 0};
    for (size_t i = 0; i < sizeof(currencies) / sizeof(currencies[0]); i++) {
        enum ste_field_id id = currencies[i];
        struct ste_bytes value = ste_value(check->message, id);
        if (!ste_check_is_good(check, id))
            continue;
        if (first.len == 0)
            first = value;
        if (!ste_bytes_equal(first, value)) {
            ste_check_find(check, check->profile->checks[STE_CHECK_TWO_CURRENCIES], STE_C_NCRR, id,
                           "two currencies in one message");
            return;
        }
    }
}

/* ---- the list that comes out ---- */

/* Where a finding of decoding belongs: its place when that is line:column, else its element's. */
static struct ste_found placed(const struct ste_message *message, const struct ste_finding *finding)
{
    struct ste_found found = {*finding, UINT32_MAX, 0};
    enum ste_field_id id = ste_field_of(finding->element);
    if (ste_place_parse(finding->place, &found.line, &found.column))
        return found;
    if (id != STE_F_NONE && message->fields[id].line > 0) {
        found.line = message->fields[id].line;
        found.column = message->fields[id].column;
    }
    return found;
}

static bool is_before(const struct ste_found *a, const struct ste_found *b)
{
    return a->line != b->line ? a->line < b->line : a->column < b->column;
}

/* Insertion, stable: the lists are short, and nearly in order. */
static void sort(struct ste_found *found, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        struct ste_found moving = found[i];
        size_t at = i;
        for (; at > 0 && is_before(&moving, &found[at - 1]); at--)
            found[at] = found[at - 1];
        found[at] = moving;
    }
}

/* Drops warnings from the end until no more than STE_FINDINGS_MAX are left; what refuses stays. */
static size_t cut(struct ste_found *found, size_t count)
{
    for (size_t i = count; i-- > 0 && count > STE_FINDINGS_MAX;) {
        if (found[i].finding.level == STE_LEVEL_REJECT)
            continue;
        memmove(&found[i], &found[i + 1], (count - i - 1) * sizeof(*found));
        count--;
    }
    return count < STE_FINDINGS_MAX ? count : STE_FINDINGS_MAX;
}

/* Decoding's findings and ours in the order of the document, what is missing at the end. */
static bool list_findings(struct ste_check *check, struct ste_checked *ret)
{
    const struct ste_message *message = check->message;
    size_t count = message->finding_count + check->found_count;
    if (count == 0)
        return true;
    struct ste_found *all = STE_ARENA_ARRAY(check->arena, struct ste_found, count);
    if (!all)
        return false;
    for (size_t i = 0; i < message->finding_count; i++)
        all[i] = placed(message, &message->findings[i]);
    memcpy(all + message->finding_count, check->found, check->found_count * sizeof(*all));
    sort(all, count);
    for (size_t i = 0; i < count; i++)
        ret->rejected = ret->rejected || all[i].finding.level == STE_LEVEL_REJECT;
    count = cut(all, count);
    ret->findings = STE_ARENA_ARRAY(check->arena, struct ste_finding, count);
    if (!ret->findings)
        return false;
    for (size_t i = 0; i < count; i++)
        ret->findings[i] = all[i].finding;
    ret->finding_count = count;
    return true;
}

bool ste_check_message(const struct ste_rules *rules, const struct ste_message *message,
                       struct ste_arena *arena, struct ste_checked *ret)
{
    struct ste_check check; /* 14 kB: filled as needed, never cleared whole */
    struct ste_profile built_in;
    struct ste_checked checked = {0};
    check.rules = rules;
    check.message = message;
    check.arena = arena;
    check.nomem = false;
    check.found_count = 0;
    check.good = 0;
    check.trade_date = check.settlement_date = STE_DATE_NONE;
    if (is_unsupported(message))
        return refuse_unsupported(&check, ret);
    if (rules->ref) {
        check.profile = ste_ref_profile(rules->ref, ste_value(message, STE_F_BROKER),
                                        ste_value(message, STE_F_MANAGER),
                                        ste_value(message, STE_F_PLACE_OF_SETTLEMENT));
    } else {
        ste_profile_init(&built_in);
        check.profile = &built_in;
    }
    ste_check_values(&check);
    check_required(&check);
    check_role(&check);
    ste_check_settlement_date(&check);
    check_lists(&check);
    check_two_currencies(&check);
    ste_check_arithmetic(&check);
    checked.day_refused = ste_check_trade_day(&check);
    if (check.nomem || !list_findings(&check, &checked))
        return false;
    *ret = checked;
    return true;
}
