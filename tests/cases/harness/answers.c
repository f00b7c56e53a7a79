/* SPDX-License-Identifier: Apache-2.0
 * What one delivery was answered: ACK, REJ or EXC of each of its messages. */
#include "harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORD_BYTES = 16 };

/* What is wanted of one message: kind and the map that says more, if there is one. */
struct wanted {
    char kind[WORD_BYTES], code[WORD_BYTES];
    const struct ste_yaml *map;
};

static bool read_wanted(const struct ste_yaml *answer, struct wanted *ret)
{
    *ret = (struct wanted){.kind = "ACK"};
    if (!answer)
        return true;
    if (answer->kind == STE_NODE_MAP) {
        const char *kind = ste_yaml_scalar(answer, "kind");
        ret->map = answer;
        if (kind)
            snprintf(ret->kind, sizeof(ret->kind), "%s", kind);
        return true;
    }
    return answer->scalar && sscanf(answer->scalar, "%15s %15s", ret->kind, ret->code) >= 1;
}

/* ---- places ---- */

/* Where the text of message `index` begins in a body. */
static const char *message_at(struct ste_bytes body, size_t index)
{
    const char *at = body.at, *end = body.at + body.len;
    for (size_t i = 0; at; i++) {
        at = memmem(at, (size_t)(end - at), "<TradeMessage ", 14);
        if (i == index || !at)
            return at;
        at++;
    }
    return NULL;
}

/* line:column of `at` in a body, in characters from 1. */
static void place_of(struct ste_bytes body, const char *at, char *out, size_t out_bytes)
{
    unsigned line = 1, column = 1;
    for (const char *c = body.at; c < at; c++) {
        if (*c == '\n') {
            line++;
            column = 1;
        } else if (((unsigned char)*c & 0xC0) != 0x80) {
            column++;
        }
    }
    snprintf(out, out_bytes, "%u:%u", line, column);
}

static bool place_is_at(struct ste_bytes body, size_t index, const char *element,
                        struct ste_bytes place)
{
    char tag[64], wanted[32];
    const char *at = message_at(body, index), *end = body.at + body.len;
    if (at && strcmp(element, "message") != 0) {
        int len = snprintf(tag, sizeof(tag), "<%s", element);
        at = memmem(at, (size_t)(end - at), tag, (size_t)len);
    }
    if (!at)
        return false;
    place_of(body, at, wanted, sizeof(wanted));
    return ste_case_text_is(place, wanted);
}

/* ---- reasons ---- */

static void print_reasons(const struct ste_reply *reply)
{
    for (size_t i = 0; i < reply->reason_count; i++) {
        const struct ste_reply_reason *reason = &reply->reasons[i];
        fprintf(stderr, "    said: %s %.*s level %.*s place %.*s: %.*s\n",
                ste_msg_code_name(reason->code), (int)reason->element.len, reason->element.at,
                (int)reason->level.len, reason->level.at, (int)reason->place.len, reason->place.at,
                (int)reason->text.len, reason->text.at);
    }
}

static bool reason_fits(const struct ste_yaml *wanted, const struct ste_reply_reason *reason,
                        const struct ste_case_sent *sent, size_t index)
{
    const char *code = ste_yaml_scalar(wanted, "code"), *at = ste_yaml_scalar(wanted, "at");
    const struct {
        const char *key;
        struct ste_bytes got;
    } texts[] = {{"element", reason->element},
                 {"level", reason->level},
                 {"place", reason->place},
                 {"text", reason->text}};
    if (code && strcmp(code, ste_msg_code_name(reason->code)) != 0)
        return false;
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        const char *text = ste_yaml_scalar(wanted, texts[i].key);
        if (text && !ste_case_text_is(texts[i].got, text))
            return false;
    }
    return !at || place_is_at(sent->body, index, at, reason->place);
}

static void expect_reasons(struct ste_case_report *report, const struct wanted *wanted,
                           const struct ste_reply *reply, const struct ste_case_sent *sent,
                           size_t index)
{
    const struct ste_yaml *list = wanted->map ? ste_yaml_get(wanted->map, "reasons") : NULL;
    unsigned failures = report->failures;
    if (wanted->code[0] && (reply->reason_count != 1 ||
                            strcmp(wanted->code, ste_msg_code_name(reply->reasons[0].code)) != 0))
        ste_case_fail(report, sent->step, "message %zu: %s alone is wanted", index, wanted->code);
    if (!list && wanted->map && ste_yaml_get(wanted->map, "code") &&
        (reply->reason_count != 1 || !reason_fits(wanted->map, &reply->reasons[0], sent, index)))
        ste_case_fail(report, wanted->map, "message %zu: another reason", index);
    const struct ste_yaml *first = wanted->map ? ste_yaml_get(wanted->map, "first") : NULL;
    if (first && (reply->reason_count == 0 || !reason_fits(first, &reply->reasons[0], sent, index)))
        ste_case_fail(report, first, "message %zu: the first reason is another", index);
    if (list && list->child_count != reply->reason_count)
        ste_case_fail(report, list, "message %zu: %zu reasons", index, reply->reason_count);
    size_t i = 0;
    for (const struct ste_yaml *one = list ? list->child : NULL; one && i < reply->reason_count;
         one = one->next, i++)
        if (!reason_fits(one, &reply->reasons[i], sent, index))
            ste_case_fail(report, one, "message %zu: reason %zu is another", index, i + 1);
    if (failures != report->failures)
        print_reasons(reply);
}

static void expect_then(struct ste_case_report *report, const struct ste_yaml *then,
                        const struct ste_reply *reply)
{
    char wanted[64] = "";
    for (const struct ste_yaml *one = then->child; one; one = one->next) {
        size_t len = strlen(wanted);
        snprintf(wanted + len, sizeof(wanted) - len, "%s%s", len ? " " : "", one->scalar);
    }
    if (!ste_case_text_is(reply->then, wanted))
        ste_case_fail(report, then, "then is \"%.*s\"", (int)reply->then.len, reply->then.at);
}

/* ---- one message ---- */

static const struct ste_reply *find_answer(const struct ste_case_engine *engine,
                                           const struct ste_case_sent *sent, size_t index,
                                           size_t *ret_count)
{
    const struct ste_reply *found = NULL;
    *ret_count = 0;
    for (size_t i = sent->replies_before; i < engine->effects.reply_count; i++) {
        const struct ste_reply *reply = &engine->effects.replies[i];
        if (!reply->has_index || reply->index != index ||
            !ste_bytes_equal(reply->delivery, sent->delivery_id))
            continue;
        found = reply;
        ++*ret_count;
    }
    return found;
}

static void expect_answer(struct ste_case_report *report, const struct ste_case_engine *engine,
                          const struct ste_case_sent *sent, const struct ste_yaml *answer,
                          size_t index)
{
    struct wanted wanted;
    size_t count;
    const struct ste_reply *reply = find_answer(engine, sent, index, &count);
    if (!read_wanted(answer, &wanted)) {
        ste_case_fail(report, answer, "this answer cannot be read");
        return;
    }
    bool none = strcmp(wanted.kind, "none") == 0, dupl = strcmp(wanted.kind, "DUPL") == 0;
    if (count != (none ? 0 : 1)) {
        ste_case_fail(report, sent->step, "message %zu: answered %zu times", index, count);
        return;
    }
    if (none)
        return;
    if (strcmp(ste_reply_kind_name(reply->kind), dupl ? "ACK" : wanted.kind) != 0 ||
        (reply->code == STE_C_DUPL) != dupl) {
        ste_case_fail(report, sent->step, "message %zu: the answer is %s %s", index,
                      ste_reply_kind_name(reply->kind), ste_msg_code_name(reply->code));
        print_reasons(reply);
        return;
    }
    const char *to = wanted.map ? ste_yaml_scalar(wanted.map, "to") : NULL;
    if (!to && reply->kind == STE_REPLY_EXC)
        to = "STEHSGSG";
    if (to && !ste_case_text_is(reply->to, to))
        ste_case_fail(report, sent->step, "message %zu: told to %.*s", index, (int)reply->to.len,
                      reply->to.at);
    expect_reasons(report, &wanted, reply, sent, index);
    const struct ste_yaml *then = wanted.map ? ste_yaml_get(wanted.map, "then") : NULL;
    if (then)
        expect_then(report, then, reply);
}

static size_t batch_count(const struct ste_yaml *batch)
{
    size_t count = 0;
    for (const struct ste_yaml *one = batch->child; one; one = one->next) {
        const char *times = ste_yaml_scalar(one, "times");
        count += times ? strtoul(times, NULL, 10) : 1;
    }
    return count;
}

void ste_case_expect_answers(struct ste_case_report *report, const struct ste_case_engine *engine,
                             const struct ste_case_sent *sent)
{
    const struct ste_yaml *answers = ste_yaml_get(sent->step, "answers");
    const struct ste_yaml *batch = ste_yaml_get(sent->step, "batch");
    size_t count = batch ? batch_count(batch) : 1, said = 0;
    if (answers) {
        count = 0;
        for (const struct ste_yaml *answer = answers->child; answer; answer = answer->next)
            expect_answer(report, engine, sent, answer, count++);
    } else {
        for (size_t i = 0; i < count; i++)
            expect_answer(report, engine, sent, ste_yaml_get(sent->step, "answer"), i);
    }
    for (size_t i = sent->replies_before; i < engine->effects.reply_count; i++)
        said += engine->effects.replies[i].has_index && engine->effects.replies[i].index >= count;
    if (said)
        ste_case_fail(report, sent->step, "%zu answers more than messages", said);
}

void ste_case_expect_acks(struct ste_case_report *report, const struct ste_case_engine *engine,
                          const struct ste_yaml *where)
{
    for (size_t i = 0; i < engine->effects.reply_count; i++) {
        const struct ste_reply *reply = &engine->effects.replies[i];
        if (reply->has_index && reply->kind != STE_REPLY_ACK)
            ste_case_fail(report, where, "in another order a message is answered %s",
                          ste_reply_kind_name(reply->kind));
    }
}
