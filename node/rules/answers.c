/* SPDX-License-Identifier: Apache-2.0
 * ACK, REJ and EXC: what the record's sender, or its signer, is told about it. */
#include "node/rules/decision.h"

struct ste_finding ste_finding_at(struct ste_decision *decision, enum ste_msg_code code,
                                  enum ste_field_id field, struct ste_bytes text)
{
    const struct ste_field *where = &decision->record->message.fields[field];
    return (struct ste_finding){
        .code = code,
        .level = STE_LEVEL_REJECT,
        .element = ste_bytes_of(ste_field_element(field)),
        .place = ste_decision_text(decision, "%u:%u", where->line, where->column),
        .text = text,
    };
}

static struct ste_bytes level_name(enum ste_level level)
{
    return level == STE_LEVEL_WARN ? STE_BYTES("warn") : STE_BYTES("reject");
}

static void add_reasons(struct ste_decision *decision, struct ste_reply *reply,
                        const struct ste_finding *findings, size_t count, enum ste_level level)
{
    if (count == 0)
        return;
    if (!reply->reasons)
        reply->reasons = STE_DECISION_ARRAY(decision, struct ste_reply_reason, count);
    for (size_t i = 0; i < count && reply->reasons; i++) {
        const struct ste_finding *finding = &findings[i];
        if (finding->level != level)
            continue;
        reply->reasons[reply->reason_count++] = (struct ste_reply_reason){
            .code = finding->code,
            .element = finding->element,
            .level = level_name(finding->level),
            .place = finding->place,
            .text = finding->text,
        };
    }
}

/* What refuses first, so that the first reason is the one that counts; then the warnings. */
static void add_all_reasons(struct ste_decision *decision, struct ste_reply *reply,
                            const struct ste_finding *findings, size_t count)
{
    add_reasons(decision, reply, findings, count, STE_LEVEL_REJECT);
    add_reasons(decision, reply, findings, count, STE_LEVEL_WARN);
}

/* What ACK, REJ and EXC all say: which message of which delivery they answer. */
static void answer_to(struct ste_decision *decision, struct ste_reply *reply)
{
    const struct ste_message *message = &decision->record->message;
    struct ste_bytes reference = ste_value(message, STE_F_REFERENCE);
    reply->delivery = decision->record->delivery_id;
    reply->index = message->index;
    reply->has_index = true;
    if (!ste_is_reference(reference))
        return;
    reply->references = STE_DECISION_ARRAY(decision, struct ste_bytes, 1);
    if (!reply->references)
        return;
    reply->references[0] = reference;
    reply->reference_count = 1;
}

size_t ste_answer_ack_begin(struct ste_decision *decision)
{
    struct ste_reply *reply = ste_effect_reply(decision, STE_REPLY_ACK, decision->sender8);
    if (!reply)
        return SIZE_MAX;
    answer_to(decision, reply);
    add_reasons(decision, reply, decision->checked->findings, decision->checked->finding_count,
                STE_LEVEL_WARN);
    return decision->effects->reply_count - 1;
}

void ste_answer_ack_finish(struct ste_decision *decision, size_t place)
{
    if (place == SIZE_MAX)
        return;
    struct ste_reply *reply = &decision->effects->replies[place];
    if (decision->told_nma)
        reply->then = decision->told_mac ? STE_BYTES("NMA MAC") : STE_BYTES("NMA");
    else if (decision->told_mac)
        reply->then = STE_BYTES("MAC");
}

void ste_answer_dupl(struct ste_decision *decision)
{
    size_t place = ste_answer_ack_begin(decision);
    if (place != SIZE_MAX)
        decision->effects->replies[place].code = STE_C_DUPL;
}

void ste_answer_rej(struct ste_decision *decision, const struct ste_finding *findings,
                    size_t finding_count)
{
    ste_effect_exception(decision, findings, finding_count, true);
    struct ste_reply *reply = ste_effect_reply(decision, STE_REPLY_REJ, decision->sender8);
    if (!reply)
        return;
    answer_to(decision, reply);
    add_all_reasons(decision, reply, findings, finding_count);
}

void ste_answer_exc(struct ste_decision *decision, const struct ste_finding *finding)
{
    struct ste_finding only = *finding;
    only.level = STE_LEVEL_REJECT;
    ste_effect_exception(decision, &only, 1, false);
    struct ste_reply *reply =
        ste_effect_reply(decision, STE_REPLY_EXC, ste_bic8(decision->record->signer));
    if (!reply)
        return;
    answer_to(decision, reply);
    add_reasons(decision, reply, &only, 1, STE_LEVEL_REJECT);
}
