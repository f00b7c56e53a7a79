/* SPDX-License-Identifier: Apache-2.0
 * The lists of effects, and who wants which replies. */
#include "node/rules/decision.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool ste_reply_wanted(const struct ste_rules *rules, struct ste_bytes bic8,
                      enum ste_reply_kind kind)
{
    const struct ste_participant *participant = ste_ref_participant(rules->ref, bic8);
    if (!participant || participant->replies == STE_REPLIES_ALL)
        return true;
    return participant->replies == STE_REPLIES_EXCEPTIONS &&
           (kind == STE_REPLY_REJ || kind == STE_REPLY_EXC || kind == STE_REPLY_NMA);
}

static struct ste_bytes key_hex(struct ste_decision *decision)
{
    if (decision->key_hex.len || !decision->id)
        return decision->key_hex;
    char *hex = STE_DECISION_ARRAY(decision, char, 2 * sizeof(decision->id->trade_key.bytes) + 1);
    if (!hex)
        return decision->key_hex;
    ste_hex(decision->id->trade_key.bytes, sizeof(decision->id->trade_key.bytes), hex);
    decision->key_hex = ste_bytes_of(hex);
    return decision->key_hex;
}

static struct ste_bytes trade_reference(const struct ste_decision *decision)
{
    struct ste_bytes reference = ste_value(&decision->record->message, STE_F_TRADE_REFERENCE);
    return ste_is_reference(reference) ? reference : (struct ste_bytes){NULL, 0};
}

static void begin(struct ste_decision *decision, struct ste_reply *reply, enum ste_reply_kind kind)
{
    *reply = (struct ste_reply){
        .kind = kind,
        .trade_reference = trade_reference(decision),
        .trade_key = key_hex(decision),
        .trade_version = decision->trade ? ste_trade_version(decision->trade) : 0,
    };
}

struct ste_reply *ste_effect_reply(struct ste_decision *decision, enum ste_reply_kind kind,
                                   struct ste_bytes to)
{
    struct ste_effects *effects = decision->effects;
    if (to.len == 0 || !ste_reply_wanted(decision->rules, to, kind))
        return NULL;
    if (!STE_GROW(effects->arena, effects->replies, effects->reply_count,
                  effects->reply_capacity)) {
        decision->out_of_memory = true;
        return NULL;
    }
    struct ste_reply *reply = &effects->replies[effects->reply_count++];
    begin(decision, reply, kind);
    reply->to = to;
    return reply;
}

struct ste_reply *ste_effect_clearing(struct ste_decision *decision)
{
    struct ste_effects *effects = decision->effects;
    if (!STE_GROW(effects->arena, effects->clearings, effects->clearing_count,
                  effects->clearing_capacity)) {
        decision->out_of_memory = true;
        return NULL;
    }
    struct ste_reply *clearing = &effects->clearings[effects->clearing_count++];
    begin(decision, clearing, STE_REPLY_CLS);
    return clearing;
}

void ste_effect_message(struct ste_decision *decision)
{
    struct ste_effects *effects = decision->effects;
    if (!STE_GROW(effects->arena, effects->messages, effects->message_count,
                  effects->message_capacity)) {
        decision->out_of_memory = true;
        return;
    }
    effects->messages[effects->message_count++].record = decision->record;
}

/* The code of a refused message is its first refusing finding's. */
void ste_effect_exception(struct ste_decision *decision, const struct ste_finding *findings,
                          size_t finding_count, bool is_rej)
{
    struct ste_effects *effects = decision->effects;
    if (!STE_GROW(effects->arena, effects->exceptions, effects->exception_count,
                  effects->exception_capacity)) {
        decision->out_of_memory = true;
        return;
    }
    struct ste_finding *copy = STE_DECISION_ARRAY(decision, struct ste_finding, finding_count);
    if (!copy)
        return;
    memcpy(copy, findings, finding_count * sizeof(*copy));
    size_t first = 0;
    while (first + 1 < finding_count && findings[first].level != STE_LEVEL_REJECT)
        first++;
    effects->exceptions[effects->exception_count++] = (struct ste_effect_exception){
        .record = decision->record,
        .code = findings[first].code,
        .place = findings[first].place,
        .text = findings[first].text,
        .findings = copy,
        .finding_count = finding_count,
        .is_rej = is_rej,
    };
}

void *ste_decision_array(struct ste_decision *decision, size_t item_bytes, size_t count)
{
    void *items = ste_arena_alloc_array(decision->effects->arena, item_bytes, count);
    if (!items)
        decision->out_of_memory = true;
    return items;
}

struct ste_bytes ste_decision_text(struct ste_decision *decision, const char *format, ...)
{
    char text[STE_ERROR_TEXT_BYTES];
    va_list args;
    va_start(args, format);
    int len = vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    if (len < 0)
        len = 0;
    if ((size_t)len >= sizeof(text))
        len = (int)sizeof(text) - 1;
    struct ste_bytes copy =
        ste_arena_dup(decision->effects->arena, (struct ste_bytes){text, (size_t)len});
    if (!copy.at)
        decision->out_of_memory = true;
    return copy;
}

static int compare_bytes(const void *a, const void *b)
{
    return ste_bytes_compare(*(const struct ste_bytes *)a, *(const struct ste_bytes *)b);
}

void ste_sort_bytes(struct ste_bytes *items, size_t count)
{
    if (count > 1)
        qsort(items, count, sizeof(*items), compare_bytes);
}

bool ste_receivers_init(struct ste_receivers *receivers, struct ste_decision *decision,
                        size_t count_max)
{
    *receivers =
        (struct ste_receivers){STE_DECISION_ARRAY(decision, struct ste_bytes, count_max), 0};
    return receivers->list != NULL;
}

void ste_receivers_add(struct ste_receivers *receivers, struct ste_bytes bic8)
{
    for (size_t i = 0; i < receivers->count; i++)
        if (ste_bytes_equal(receivers->list[i], bic8))
            return;
    receivers->list[receivers->count++] = bic8;
}

void ste_receivers_add_senders(struct ste_receivers *receivers, const struct ste_trade *trade)
{
    for (size_t i = 0; i < trade->held_count; i++)
        ste_receivers_add(receivers, ste_held_sender8(trade, &trade->held[i]));
}
