/* SPDX-License-Identifier: Apache-2.0
 * What BLOCK, LEG and ACCOUNT share: the loop over the conditions, and telling the NMA. */
#include "node/rules/stage.h"

#include <stdlib.h>
#include <string.h>

bool ste_stage_init(struct ste_stage *stage, struct ste_decision *decision, enum ste_stage_bit bit,
                    struct ste_bytes name, size_t message_count_max, struct ste_bytes place)
{
    *stage = (struct ste_stage){.bit = bit, .name = name, .leg = STE_NO_LEG};
    stage->profile = ste_ref_profile(decision->rules->ref, decision->trade->broker8,
                                     decision->trade->manager8, place);
    stage->messages = STE_DECISION_ARRAY(decision, const struct ste_held *, message_count_max);
    stage->said = STE_DECISION_ARRAY(decision, struct ste_said, message_count_max + 1);
    return stage->messages && stage->said;
}

/* ---- comparing ---- */

static bool is_lent(enum ste_condition_id id)
{
    return id == STE_COND_SETTLEMENT_CURRENCY || id == STE_COND_PLACE_OF_SETTLEMENT;
}

/* FREE of payment said by any message of the stage; the lender's does not count. */
static bool says_free(const struct ste_stage *stage, const struct ste_trade *trade)
{
    for (size_t i = 0; i < stage->message_count; i++)
        if (ste_bytes_equal(ste_held_value(trade, stage->messages[i], STE_F_PAYMENT),
                            STE_BYTES("FREE")))
            return true;
    return false;
}

static size_t gather(struct ste_stage *stage, const struct ste_trade *trade,
                     const struct ste_condition *condition, size_t *ret_might_say)
{
    size_t count = 0;
    *ret_might_say = 0;
    for (size_t i = 0; i < stage->message_count; i++) {
        *ret_might_say += ste_may_say(stage->messages[i], condition);
        count += ste_say(trade, stage->messages[i], condition, &stage->said[count]);
    }
    /* The NOE need not have it, whatever the profile asks of the others. */
    if (stage->lender && is_lent(condition->id) &&
        ste_say(trade, stage->lender, condition, &stage->said[count])) {
        ++*ret_might_say;
        count++;
    }
    return count;
}

/* True: agreed, or not compared. */
static bool judge_one(struct ste_stage *stage, struct ste_decision *decision,
                      const struct ste_condition *condition)
{
    const struct ste_tolerance *tolerance = &stage->profile->conditions[condition->id];
    size_t might_say;
    if (tolerance->compare == STE_COMPARE_NOT_USED)
        return true;
    size_t count = gather(stage, decision->trade, condition, &might_say);
    bool is_sum = stage->bit == STE_STAGE_BLOCK && condition->id == STE_COND_QUANTITY;
    if (is_sum ? ste_block_quantity_agrees(stage, decision, count)
               : ste_said_agree(decision->trade, decision->rules->ref, tolerance, condition,
                                stage->said, count, might_say))
        return true;
    ste_stage_add_reason(stage, decision, condition, count,
                         is_sum ? ste_block_quantity_text(decision) : (struct ste_bytes){NULL, 0});
    return false;
}

bool ste_stage_judge(struct ste_stage *stage, struct ste_decision *decision)
{
    bool is_free = says_free(stage, decision->trade), currency_differs = false, passed = true;
    for (unsigned id = 1; id < STE_CONDITION_COUNT; id++) {
        const struct ste_condition *condition = &ste_conditions[id];
        bool is_currency = condition->id == STE_COND_SETTLEMENT_CURRENCY;
        bool is_money = ste_condition_is_money(condition->id);
        if (!(condition->stages & stage->bit) || (is_free && (is_currency || is_money)) ||
            (currency_differs && is_money))
            continue;
        if (judge_one(stage, decision, condition))
            continue;
        passed = false;
        if (is_currency)
            currency_differs = true;
    }
    return passed;
}

/* ---- saying what differs ---- */

struct ste_bytes ste_difference_text(enum ste_msg_code code)
{
    static const char refused[] = " or is wrong";
    const char *text = ste_msg_code_text(code);
    const char *end = strstr(text, refused);
    return (struct ste_bytes){text, end ? (size_t)(end - text) : strlen(text)};
}

static int compare_values(const void *a, const void *b)
{
    const struct ste_reply_value *left = a, *right = b;
    int order = ste_bytes_compare(left->value, right->value);
    if (order == 0)
        order = ste_bytes_compare(left->reference, right->reference);
    return order ? order : ste_bytes_compare(left->sender, right->sender);
}

void ste_sort_values(struct ste_reply_value *values, size_t count)
{
    if (count > 1)
        qsort(values, count, sizeof(*values), compare_values);
}

/* As sent; with its unit, type or currency where these differ. */
static struct ste_bytes shown(struct ste_decision *decision, const struct ste_said *said,
                              bool with_qualifier)
{
    if (!with_qualifier || said->qualifier.len == 0)
        return said->value;
    return ste_decision_text(decision, "%.*s %.*s", (int)said->value.len, said->value.at,
                             (int)said->qualifier.len, said->qualifier.at);
}

void ste_stage_add_reason(struct ste_stage *stage, struct ste_decision *decision,
                          const struct ste_condition *condition, size_t count,
                          struct ste_bytes text)
{
    const struct ste_trade *trade = decision->trade;
    bool with_qualifier = !ste_qualifiers_agree(stage->said, count);
    if (!stage->reasons)
        stage->reasons = STE_DECISION_ARRAY(decision, struct ste_reply_reason, STE_CONDITION_COUNT);
    struct ste_reply_value *values = STE_DECISION_ARRAY(decision, struct ste_reply_value, count);
    if (!stage->reasons || !values)
        return;
    for (size_t i = 0; i < count; i++)
        values[i] = (struct ste_reply_value){
            .value = shown(decision, &stage->said[i], with_qualifier),
            .sender = ste_held_sender8(trade, stage->said[i].held),
            .reference = ste_held_value(trade, stage->said[i].held, STE_F_REFERENCE),
        };
    ste_sort_values(values, count);
    stage->reasons[stage->reason_count++] = (struct ste_reply_reason){
        .code = condition->code,
        .element = ste_bytes_of(condition->element),
        .account = stage->account,
        .level = STE_BYTES("differs"),
        .text = text.len ? text : ste_difference_text(condition->code),
        .values = values,
        .value_count = count,
    };
}

/* ---- the NMA ---- */

static size_t text_bytes(struct ste_bytes text)
{
    return text.len + 1;
}

static char *put_text(char *at, struct ste_bytes text)
{
    if (text.len)
        memcpy(at, text.at, text.len);
    at[text.len] = '\0';
    return at + text.len + 1;
}

/* Conditions, values and references of an NMA as one number. */
static uint64_t content_of(struct ste_stage *stage, struct ste_decision *decision)
{
    size_t bytes = 0;
    for (size_t i = 0; i < stage->reason_count; i++) {
        bytes += 8;
        for (size_t j = 0; j < stage->reasons[i].value_count; j++) {
            const struct ste_reply_value *value = &stage->reasons[i].values[j];
            bytes +=
                text_bytes(value->value) + text_bytes(value->sender) + text_bytes(value->reference);
        }
    }
    for (size_t i = 0; i < stage->message_count; i++)
        bytes += text_bytes(ste_held_value(decision->trade, stage->messages[i], STE_F_REFERENCE));
    char *text = STE_DECISION_ARRAY(decision, char, bytes), *at = text;
    if (!text)
        return 0;
    for (size_t i = 0; i < stage->reason_count; i++) {
        at = put_text(at, ste_bytes_of(ste_msg_code_name(stage->reasons[i].code)));
        for (size_t j = 0; j < stage->reasons[i].value_count; j++) {
            at = put_text(at, stage->reasons[i].values[j].value);
            at = put_text(at, stage->reasons[i].values[j].sender);
            at = put_text(at, stage->reasons[i].values[j].reference);
        }
    }
    for (size_t i = 0; i < stage->message_count; i++)
        at = put_text(at, ste_held_value(decision->trade, stage->messages[i], STE_F_REFERENCE));
    return ste_hash64_of((struct ste_bytes){text, (size_t)(at - text)});
}

/* True: the last NMA of this stage said just this. Else remembers it. */
static bool was_told(struct ste_stage *stage, struct ste_decision *decision)
{
    struct ste_trade *trade = decision->trade;
    uint64_t content = content_of(stage, decision);
    for (size_t i = 0; i < trade->told_count; i++) {
        struct ste_told *told = &trade->told[i];
        if (told->stage != stage->bit || told->leg != stage->leg || told->type != stage->type)
            continue;
        bool same = told->content64 == content;
        told->content64 = content;
        return same;
    }
    if (!STE_GROW(trade->arena, trade->told, trade->told_count, trade->told_capacity)) {
        decision->out_of_memory = true;
        return false;
    }
    trade->told[trade->told_count++] = (struct ste_told){
        .stage = (uint8_t)stage->bit,
        .type = stage->type,
        .leg = stage->leg,
        .content64 = content,
    };
    return false;
}

/* Is the NOE's word part of what differs? Then its reference is concerned too. */
static bool lender_concerned(const struct ste_stage *stage, const struct ste_trade *trade)
{
    if (!stage->lender)
        return false;
    struct ste_bytes reference = ste_held_value(trade, stage->lender, STE_F_REFERENCE);
    struct ste_bytes sender8 = ste_held_sender8(trade, stage->lender);
    for (size_t i = 0; i < stage->reason_count; i++)
        for (size_t j = 0; j < stage->reasons[i].value_count; j++)
            if (ste_bytes_equal(stage->reasons[i].values[j].reference, reference) &&
                ste_bytes_equal(stage->reasons[i].values[j].sender, sender8))
                return true;
    return false;
}

static void tell_one(struct ste_stage *stage, struct ste_decision *decision, struct ste_bytes to)
{
    const struct ste_trade *trade = decision->trade;
    struct ste_reply *reply = ste_effect_reply(decision, STE_REPLY_NMA, to);
    if (!reply)
        return;
    if (ste_bytes_equal(to, decision->sender8))
        decision->told_nma = true;
    reply->stage = stage->name;
    reply->account = stage->account;
    reply->reasons = stage->reasons;
    reply->reason_count = stage->reason_count;
    reply->references = STE_DECISION_ARRAY(decision, struct ste_bytes, stage->message_count + 1);
    if (!reply->references)
        return;
    for (size_t i = 0; i < stage->message_count; i++)
        if (ste_bytes_equal(ste_held_sender8(trade, stage->messages[i]), to))
            reply->references[reply->reference_count++] =
                ste_held_value(trade, stage->messages[i], STE_F_REFERENCE);
    if (lender_concerned(stage, trade) &&
        ste_bytes_equal(ste_held_sender8(trade, stage->lender), to))
        reply->references[reply->reference_count++] =
            ste_held_value(trade, stage->lender, STE_F_REFERENCE);
    ste_sort_bytes(reply->references, reply->reference_count);
}

void ste_stage_tell(struct ste_stage *stage, struct ste_decision *decision, struct ste_bytes also)
{
    struct ste_receivers receivers;
    if (stage->reason_count == 0 || was_told(stage, decision) ||
        !ste_receivers_init(&receivers, decision, stage->message_count + 1))
        return;
    for (size_t i = 0; i < stage->message_count; i++)
        ste_receivers_add(&receivers, ste_held_sender8(decision->trade, stage->messages[i]));
    if (also.len)
        ste_receivers_add(&receivers, also);
    for (size_t i = 0; i < receivers.count; i++)
        tell_one(stage, decision, receivers.list[i]);
}
