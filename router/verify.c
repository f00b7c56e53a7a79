/* SPDX-License-Identifier: Apache-2.0 */
#include "router/verify.h"

#include <stdio.h>

#include "msg/xml.h"

static struct ste_finding refusal(enum ste_msg_code code, struct ste_bytes place, const char *text)
{
    return (struct ste_finding){
        .code = code, .level = STE_LEVEL_REJECT, .place = place, .text = ste_bytes_of(text)};
}

const struct ste_key *ste_verify_delivery(const struct ste_ref *ref, ste_date business_date,
                                          struct ste_verify_context *context,
                                          const struct ste_mq_delivery *delivery,
                                          struct ste_arena *arena, struct ste_finding *ret_refusal)
{
    const struct ste_key *const key = ste_ref_key(ref, delivery->key_id);
    const char *problem = NULL;
    if (delivery->key_id.len == 0)
        problem = "no ste-key-id";
    else if (key == NULL)
        problem = "unknown key";
    else if (!key->participant->active)
        problem = "participant is not active";
    else if (key->valid_from != STE_DATE_NONE && business_date < key->valid_from)
        problem = "key is not valid yet";
    else if (key->valid_to != STE_DATE_NONE && business_date > key->valid_to)
        problem = "key has expired";
    else if (delivery->user_id.len > 0 &&
             !ste_bytes_equal(delivery->user_id, ste_bytes_of(key->participant->bic8)))
        problem = "the broker user is not the key's participant";
    if (problem != NULL) {
        *ret_refusal = refusal(STE_C_XKEY, STE_BYTES("0"), problem);
        return NULL;
    }

    size_t bad_offset = 0;
    if (ste_verify(context, key->verifier, delivery->body, delivery->signature, &bad_offset))
        return key;
    const char *const offset = ste_arena_printf(arena, "%zu", bad_offset); /* NULL: no place told */
    *ret_refusal = refusal(STE_C_XSIG, ste_bytes_of(offset),
                           delivery->signature.len == 0 ? "no ste-signature"
                                                        : "signature does not fit the body");
    return NULL;
}

bool ste_verify_sender(const struct ste_participant *signer, struct ste_message *message,
                       struct ste_arena *arena)
{
    static const int sender_rank = 2; /* limit 0, signature 1, Sender 2, type 3 … */
    const struct ste_field *const sender = &message->fields[STE_F_SENDER];
    if (sender->value.len == 0 || ste_participant_may_send_for(signer, sender->value))
        return true;
    if (message->exc.code != STE_C_NONE && ste_exc_rank(&message->exc) <= sender_rank)
        return true;
    const char *const place = ste_arena_printf(arena, "%u:%u", sender->line, sender->column);
    const char *const text = ste_arena_printf(arena, "%s may not send for %.*s", signer->bic8,
                                              (int)sender->value.len, sender->value.at);
    message->exc = refusal(STE_C_XSND, ste_bytes_of(place), text);
    message->exc.element = STE_BYTES("Sender");
    message->type = STE_TYPE_EXC;
    message->function = STE_FUNCTION_NONE;
    return place != NULL && text != NULL;
}
