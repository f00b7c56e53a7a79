/* SPDX-License-Identifier: Apache-2.0
 * What the whole case left: NMA, MAC, CLS, stored messages, exceptions. */
#include "harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool ste_case_text_is(struct ste_bytes text, const char *wanted)
{
    return ste_bytes_equal(text, ste_bytes_of(wanted));
}

/* The scalar, with $T put in; NULL when the key is not there. The caller frees it. */
static char *wanted_text(const struct ste_yaml *node, const char *trade_reference)
{
    struct ste_buf buf = {0};
    if (!node || !node->scalar)
        return NULL;
    ste_case_render_body(&buf, node->scalar, trade_reference);
    ste_buf_u8(&buf, 0);
    return buf.at;
}

static bool is_text(const struct ste_yaml *node, struct ste_bytes got, const char *trade_reference)
{
    char *wanted = wanted_text(node, trade_reference);
    bool same = wanted && ste_case_text_is(got, wanted);
    free(wanted);
    return same;
}

/* ---- NMA ---- */

static bool values_fit(const struct ste_yaml *values, const struct ste_reply_reason *reason,
                       const char *trade_reference)
{
    size_t i = 0;
    if (!values)
        return true;
    if (values->child_count != reason->value_count)
        return false;
    for (const struct ste_yaml *one = values->child; one; one = one->next, i++) {
        const struct ste_reply_value *got = &reason->values[i];
        const struct ste_yaml *value = one->child, *sender = value ? value->next : NULL;
        const struct ste_yaml *reference = sender ? sender->next : NULL;
        if (!reference || !is_text(value, got->value, trade_reference) ||
            !is_text(sender, got->sender, trade_reference) ||
            !is_text(reference, got->reference, trade_reference))
            return false;
    }
    return true;
}

static bool conditions_fit(const struct ste_yaml *conditions, const struct ste_reply *nma,
                           const char *trade_reference)
{
    size_t i = 0;
    if (!conditions)
        return true;
    if (conditions->child_count != nma->reason_count)
        return false;
    for (const struct ste_yaml *one = conditions->child; one; one = one->next, i++) {
        const struct ste_reply_reason *reason = &nma->reasons[i];
        const char *code = ste_yaml_scalar(one, "code"), *element = ste_yaml_scalar(one, "element");
        const char *text = ste_yaml_scalar(one, "text");
        if ((code && strcmp(code, ste_msg_code_name(reason->code)) != 0) ||
            (element && !ste_case_text_is(reason->element, element)) ||
            (text && !ste_case_text_is(reason->text, text)) ||
            !ste_case_text_is(reason->level, "differs") ||
            !ste_bytes_equal(reason->account, nma->account) ||
            !values_fit(ste_yaml_get(one, "values"), reason, trade_reference))
            return false;
    }
    return true;
}

static bool references_fit(const struct ste_yaml *list, const struct ste_bytes *references,
                           size_t count, const char *trade_reference)
{
    size_t i = 0;
    if (!list)
        return true;
    if (list->child_count != count)
        return false;
    for (const struct ste_yaml *one = list->child; one; one = one->next, i++)
        if (!is_text(one, references[i], trade_reference))
            return false;
    return true;
}

static bool nma_fits(const struct ste_yaml *wanted, const char *to, const struct ste_reply *nma,
                     const char *trade_reference)
{
    const char *stage = ste_yaml_scalar(wanted, "stage"),
               *account = ste_yaml_scalar(wanted, "account");
    const struct ste_yaml *references = ste_yaml_get(wanted, "references");
    return ste_case_text_is(nma->to, to) && (!stage || ste_case_text_is(nma->stage, stage)) &&
           ste_case_text_is(nma->account, account ? account : "") &&
           conditions_fit(ste_yaml_get(wanted, "conditions"), nma, trade_reference) &&
           references_fit(references ? ste_yaml_get(references, to) : NULL, nma->references,
                          nma->reference_count, trade_reference);
}

static void print_nma(const struct ste_reply *nma)
{
    fprintf(stderr, "    said: NMA %.*s %.*s to %.*s:", (int)nma->stage.len, nma->stage.at,
            (int)nma->account.len, nma->account.at, (int)nma->to.len, nma->to.at);
    for (size_t i = 0; i < nma->reason_count; i++) {
        fprintf(stderr, " %s", ste_msg_code_name(nma->reasons[i].code));
        for (size_t j = 0; j < nma->reasons[i].value_count; j++) {
            const struct ste_reply_value *value = &nma->reasons[i].values[j];
            fprintf(stderr, " [%.*s, %.*s, %.*s]", (int)value->value.len, value->value.at,
                    (int)value->sender.len, value->sender.at, (int)value->reference.len,
                    value->reference.at);
        }
    }
    fprintf(stderr, " references");
    for (size_t i = 0; i < nma->reference_count; i++)
        fprintf(stderr, " %.*s", (int)nma->references[i].len, nma->references[i].at);
    fputc('\n', stderr);
}

static void expect_nmas(struct ste_case_report *report, const struct ste_case_engine *engine,
                        const struct ste_yaml *list, const char *trade_reference,
                        const struct ste_yaml *where)
{
    size_t count = engine->effects.reply_count;
    bool *used = calloc(count + 1, sizeof(*used));
    unsigned failures = report->failures;
    for (const struct ste_yaml *one = list ? list->child : NULL; one && used; one = one->next) {
        const struct ste_yaml *to = ste_yaml_get(one, "to");
        if (!to)
            ste_case_fail(report, one, "an NMA without receivers is wanted");
        for (const struct ste_yaml *bic = to ? to->child : NULL; bic; bic = bic->next) {
            size_t i = 0;
            while (i < count &&
                   (used[i] || engine->effects.replies[i].kind != STE_REPLY_NMA ||
                    !nma_fits(one, bic->scalar, &engine->effects.replies[i], trade_reference)))
                i++;
            if (i == count)
                ste_case_fail(report, one, "this NMA was not said to %s", bic->scalar);
            else
                used[i] = true;
        }
    }
    for (size_t i = 0; used && i < count; i++)
        if (!used[i] && engine->effects.replies[i].kind == STE_REPLY_NMA) {
            ste_case_fail(report, where, "an NMA was said that is not wanted");
            if (!report->quiet)
                print_nma(&engine->effects.replies[i]);
        }
    if (failures != report->failures && !report->quiet)
        for (size_t i = 0; used && i < count; i++)
            if (used[i])
                print_nma(&engine->effects.replies[i]);
    free(used);
}

/* ---- CLS and MAC ---- */

static bool leg_fits(struct ste_case_report *report, const struct ste_yaml *wanted,
                     const struct ste_reply_leg *leg, const char *trade_reference)
{
    const struct {
        const char *key;
        struct ste_bytes got;
    } texts[] = {
        {"account", leg->account},
        {"quantity", leg->quantity},
        {"quantity_unit", leg->quantity_unit},
        {"settlement_amount", leg->settlement_amount},
        {"currency", leg->currency},
        {"commission", leg->commission},
        {"commission_currency", leg->commission_currency},
        {"accrued_interest", leg->accrued_interest},
        {"place_of_settlement", leg->place_of_settlement},
        {"delivering_agent", leg->delivering_agent},
        {"receiving_agent", leg->receiving_agent},
    };
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        const struct ste_yaml *node = ste_yaml_get(wanted, texts[i].key);
        if (!node || is_text(node, texts[i].got, trade_reference))
            continue;
        ste_case_fail(report, node, "%s is %.*s", texts[i].key, (int)texts[i].got.len,
                      texts[i].got.at);
        return false;
    }
    return references_fit(ste_yaml_get(wanted, "references"), leg->references, leg->reference_count,
                          trade_reference);
}

static void expect_clearing(struct ste_case_report *report, const struct ste_reply *cls,
                            const struct ste_yaml *wanted, const char *trade_reference)
{
    char version[16];
    snprintf(version, sizeof(version), "%u", cls->version);
    const struct {
        const char *key;
        struct ste_bytes got;
    } texts[] = {
        {"version", ste_bytes_of(version)},
        {"action", cls->action},
        {"trade_reference", cls->trade_reference},
        {"trade_date", cls->trade_date},
        {"settlement_date", cls->settlement_date},
        {"direction", cls->direction},
        {"payment", cls->payment},
        {"instrument", cls->instrument},
        {"broker", cls->broker},
        {"manager", cls->manager},
        {"price", cls->price},
        {"price_type", cls->price_type},
        {"price_currency", cls->price_currency},
        {"quantity", cls->quantity},
        {"quantity_unit", cls->quantity_unit},
        {"place_of_settlement", cls->place_of_settlement},
    };
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        const struct ste_yaml *node = ste_yaml_get(wanted, texts[i].key);
        if (node && !is_text(node, texts[i].got, trade_reference))
            ste_case_fail(report, node, "%s is %.*s", texts[i].key, (int)texts[i].got.len,
                          texts[i].got.at);
    }
    if (!references_fit(ste_yaml_get(wanted, "references"), cls->references, cls->reference_count,
                        trade_reference))
        ste_case_fail(report, wanted, "the CLS rests on other references");
    const struct ste_yaml *legs = ste_yaml_get(wanted, "legs");
    if (legs && legs->child_count != cls->leg_count) {
        ste_case_fail(report, legs, "the CLS has %zu legs", cls->leg_count);
        return;
    }
    size_t i = 0;
    for (const struct ste_yaml *leg = legs ? legs->child : NULL; leg; leg = leg->next, i++)
        if (!leg_fits(report, leg, &cls->legs[i], trade_reference))
            ste_case_fail(report, leg, "leg %zu differs", i + 1);
}

/* Everybody in the list, each once, got a reply of this kind; nobody else did. */
static void expect_receivers(struct ste_case_report *report, const struct ste_case_engine *engine,
                             enum ste_reply_kind kind, const struct ste_yaml *list)
{
    size_t said = 0;
    for (size_t i = 0; i < engine->effects.reply_count; i++)
        said += engine->effects.replies[i].kind == kind;
    if (said != list->child_count)
        ste_case_fail(report, list, "%s was said %zu times", ste_reply_kind_name(kind), said);
    for (const struct ste_yaml *bic = list->child; bic; bic = bic->next) {
        size_t times = 0;
        for (size_t i = 0; i < engine->effects.reply_count; i++)
            times += engine->effects.replies[i].kind == kind &&
                     ste_case_text_is(engine->effects.replies[i].to, bic->scalar);
        if (times != 1)
            ste_case_fail(report, bic, "%s was told %s %zu times", bic->scalar,
                          ste_reply_kind_name(kind), times);
    }
}

static void expect_cls(struct ste_case_report *report, const struct ste_case_engine *engine,
                       const struct ste_yaml *cls, const char *trade_reference,
                       const struct ste_yaml *where)
{
    size_t count = engine->effects.clearing_count;
    bool none = !cls || (cls->scalar && strcmp(cls->scalar, "none") == 0);
    if (count != (none ? 0 : 1))
        ste_case_fail(report, cls ? cls : where, "there are %zu CLS", count);
    else if (!none && cls->kind == STE_NODE_MAP)
        expect_clearing(report, &engine->effects.clearings[0], cls, trade_reference);
}

/* ---- counts ---- */

static void expect_exceptions(struct ste_case_report *report, const struct ste_case_engine *engine,
                              const struct ste_yaml *list)
{
    const struct ste_effects *effects = &engine->effects;
    size_t i = 0;
    if (list->child_count != effects->exception_count)
        ste_case_fail(report, list, "there are %zu exceptions", effects->exception_count);
    for (const struct ste_yaml *code = list->child; code && i < effects->exception_count;
         code = code->next, i++)
        if (strcmp(code->scalar, ste_msg_code_name(effects->exceptions[i].code)) != 0)
            ste_case_fail(report, code, "exception %zu is %s", i + 1,
                          ste_msg_code_name(effects->exceptions[i].code));
}

void ste_case_expect_outcome(struct ste_case_report *report, const struct ste_case_engine *engine,
                             const struct ste_yaml *then, const char *trade_reference,
                             const struct ste_yaml *where, bool in_order)
{
    const struct ste_yaml *mac = then ? ste_yaml_get(then, "mac") : NULL;
    const struct ste_yaml *exceptions = then ? ste_yaml_get(then, "exceptions") : NULL;
    const char *stored = then ? ste_yaml_scalar(then, "stored") : NULL;
    expect_nmas(report, engine, then ? ste_yaml_get(then, "nma") : NULL, trade_reference, where);
    expect_cls(report, engine, then ? ste_yaml_get(then, "cls") : NULL, trade_reference, where);
    if (mac) {
        expect_receivers(report, engine, STE_REPLY_MAC, mac);
        expect_receivers(report, engine, STE_REPLY_CLS, mac);
    }
    if (stored && strtoul(stored, NULL, 10) != engine->effects.message_count)
        ste_case_fail(report, then, "%zu messages were stored", engine->effects.message_count);
    if (exceptions && in_order)
        expect_exceptions(report, engine, exceptions);
}
