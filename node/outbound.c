/* SPDX-License-Identifier: Apache-2.0 */
#include "node/outbound.h"

#include <stdlib.h>
#include <string.h>

#include "mq/names.h"

static struct ste_outbox_row *add_row(struct ste_outbound *outbound)
{
    if (outbound->count == outbound->capacity) {
        const size_t capacity = outbound->capacity == 0 ? 64 : outbound->capacity * 2;
        struct ste_outbox_row *const rows =
            STE_ARENA_ARRAY(outbound->arena, struct ste_outbox_row, capacity);
        if (rows == NULL)
            return NULL;
        if (outbound->count > 0)
            memcpy(rows, outbound->rows, outbound->count * sizeof(*rows));
        outbound->rows = rows;
        outbound->capacity = capacity;
    }
    return &outbound->rows[outbound->count++];
}

static struct ste_bytes reply_key(struct ste_arena *arena, struct ste_bytes bic8)
{
    char key[STE_MQ_NAME_BYTES];
    ste_mq_reply_key(bic8.at, key);
    return ste_arena_dup(arena, ste_bytes_of(key));
}

static struct ste_bytes cls_id(struct ste_arena *arena, const struct ste_reply *cls)
{
    return ste_bytes_of(ste_arena_printf(arena, "%.*s.%u", (int)cls->trade_key.len,
                                         cls->trade_key.at, cls->version));
}

/* What tells a reply apart from every other; the same reply made again has the same words. */
static void identify(struct ste_buf *words, const struct ste_reply *reply)
{
    ste_buf_printf(words, "%s|%.*s|", ste_reply_kind_name(reply->kind), (int)reply->to.len,
                   reply->to.at);
    if (reply->has_index)
        ste_buf_printf(words, "%.*s|%u;", (int)reply->delivery.len, reply->delivery.at,
                       reply->index);
    else
        ste_buf_printf(words, "%.*s|%llu|%.*s|%.*s|%u;", (int)reply->trade_key.len,
                       reply->trade_key.at, (unsigned long long)reply->trade_version,
                       (int)reply->stage.len, reply->stage.at, (int)reply->account.len,
                       reply->account.at, reply->version);
}

/* One row from replies[0..count), which all go to `key`. */
static bool add_bundle(struct ste_outbound *outbound, struct ste_bytes key,
                       const struct ste_reply *const *replies, size_t count)
{
    struct ste_buf *const body = &outbound->body, *const words = &outbound->words;
    struct ste_outbox_row *const row = add_row(outbound);
    ste_buf_clear(body);
    ste_buf_clear(words);
    bool good = row != NULL && key.at != NULL && (count == 1 || ste_replies_open(body));
    for (size_t i = 0; good && i < count; i++) {
        identify(words, replies[i]);
        good = ste_reply_write(body, replies[i], count == 1);
    }
    if (!good || (count > 1 && !ste_replies_close(body)) || words->failed)
        return false;
    const struct ste_hash hash = ste_hash_of(ste_buf_bytes(words));
    char hex[2 * sizeof(hash.bytes) + 1];
    ste_hex(hash.bytes, sizeof(hash.bytes), hex);
    *row = (struct ste_outbox_row){.routing_key = key,
                                   .message_id = ste_arena_dup(outbound->arena, ste_bytes_of(hex)),
                                   .record_count = (uint32_t)count,
                                   .body = ste_arena_dup(outbound->arena, ste_buf_bytes(body))};
    return row->body.at != NULL && row->message_id.at != NULL;
}

static bool add_clearing(struct ste_outbound *outbound, const struct ste_reply *cls)
{
    char key[STE_MQ_NAME_BYTES];
    ste_mq_cls_key(outbound->shard, key);
    const struct ste_reply *const one[] = {cls};
    const struct ste_bytes routing_key = ste_arena_dup(outbound->arena, ste_bytes_of(key));
    if (!add_bundle(outbound, routing_key, one, 1))
        return false;
    outbound->rows[outbound->count - 1].message_id = cls_id(outbound->arena, cls);
    return true;
}

static bool same_clearing(const struct ste_reply *a, const struct ste_reply *b)
{
    return b->kind == STE_REPLY_CLS && a->version == b->version &&
           ste_bytes_equal(a->trade_key, b->trade_key);
}

/* replies[0..count) are the copies of one CLS: the first receiver's key, the others as BCC. */
static bool add_copies(struct ste_outbound *outbound, const struct ste_reply *replies, size_t count)
{
    struct ste_bytes *const bcc = STE_ARENA_ARRAY(outbound->arena, struct ste_bytes, count);
    const struct ste_reply *const one[] = {&replies[0]};
    if (bcc == NULL || !add_bundle(outbound, reply_key(outbound->arena, replies[0].to), one, 1))
        return false;
    for (size_t i = 1; i < count; i++)
        bcc[i - 1] = reply_key(outbound->arena, replies[i].to);
    struct ste_outbox_row *const row = &outbound->rows[outbound->count - 1];
    row->bcc = bcc;
    row->bcc_count = count - 1;
    row->message_id = cls_id(outbound->arena, &replies[0]);
    return true;
}

static int compare_receivers(const void *a, const void *b)
{
    const struct ste_reply *const left = *(const struct ste_reply *const *)a;
    const struct ste_reply *const right = *(const struct ste_reply *const *)b;
    const int order = ste_bytes_compare(left->to, right->to);
    if (order != 0)
        return order;
    return left < right ? -1 : left > right; /* in the order they were said */
}

/* A rough size, so that a bundle is closed before it grows too large. */
static size_t size_of(const struct ste_reply *reply)
{
    enum { REPLY_BYTES = 400, REASON_BYTES = 200, VALUE_BYTES = 140, LEG_BYTES = 400 };
    size_t bytes = REPLY_BYTES + reply->leg_count * LEG_BYTES;
    for (size_t i = 0; i < reply->reason_count; i++)
        bytes +=
            REASON_BYTES + reply->reasons[i].text.len + reply->reasons[i].value_count * VALUE_BYTES;
    return bytes;
}

static bool add_replies(struct ste_outbound *outbound, const struct ste_reply **sorted,
                        size_t count)
{
    for (size_t first = 0, next; first < count; first = next) {
        size_t bytes = 0;
        for (next = first; next < count && ste_bytes_equal(sorted[next]->to, sorted[first]->to) &&
                           bytes < STE_OUTBOUND_BODY_BYTES_MAX;
             next++)
            bytes += size_of(sorted[next]);
        if (!add_bundle(outbound, reply_key(outbound->arena, sorted[first]->to), &sorted[first],
                        next - first))
            return false;
    }
    return true;
}

/* The operators' copy of an EXC, told or not. */
static bool copy_exception(struct ste_outbound *outbound, const struct ste_effect_exception *from,
                           struct ste_reply *ret)
{
    struct ste_reply_reason *const reason = STE_ARENA_NEW(outbound->arena, struct ste_reply_reason);
    const struct ste_bytes trade_reference =
        ste_value(&from->record->message, STE_F_TRADE_REFERENCE);
    if (reason == NULL)
        return false;
    *reason = (struct ste_reply_reason){
        .code = from->code,
        .level = STE_BYTES("reject"),
        .element = from->finding_count > 0 ? from->findings[0].element : (struct ste_bytes){0},
        .place = from->place,
        .text = from->text};
    *ret = (struct ste_reply){.kind = STE_REPLY_EXC,
                              .to = from->record->signer,
                              .trade_reference = ste_is_reference(trade_reference)
                                                     ? trade_reference
                                                     : (struct ste_bytes){0},
                              .delivery = from->record->delivery_id,
                              .index = from->record->message.index,
                              .has_index = true,
                              .reasons = reason,
                              .reason_count = 1};
    return true;
}

static bool add_exception_copies(struct ste_outbound *outbound, const struct ste_effects *effects)
{
    struct ste_reply *const copies =
        STE_ARENA_ARRAY(outbound->arena, struct ste_reply, effects->exception_count + 1);
    const struct ste_reply **const pointers =
        STE_ARENA_ARRAY(outbound->arena, const struct ste_reply *, effects->exception_count + 1);
    if (copies == NULL || pointers == NULL)
        return false;
    size_t count = 0;
    for (size_t i = 0; i < effects->exception_count; i++) {
        if (effects->exceptions[i].is_rej)
            continue;
        if (!copy_exception(outbound, &effects->exceptions[i], &copies[count]))
            return false;
        pointers[count] = &copies[count];
        count++;
    }
    if (count == 0)
        return true;
    char key[STE_MQ_NAME_BYTES];
    ste_mq_exc_key(outbound->shard, key);
    return add_bundle(outbound, ste_arena_dup(outbound->arena, ste_bytes_of(key)), pointers, count);
}

static bool build(struct ste_outbound *outbound, const struct ste_effects *effects)
{
    const struct ste_reply **const sorted =
        STE_ARENA_ARRAY(outbound->arena, const struct ste_reply *, effects->reply_count + 1);
    if (sorted == NULL)
        return false;
    for (size_t i = 0; i < effects->clearing_count; i++)
        if (!add_clearing(outbound, &effects->clearings[i]))
            return false;
    size_t count = 0;
    for (size_t i = 0, next; i < effects->reply_count; i = next) {
        next = i + 1;
        if (effects->replies[i].kind != STE_REPLY_CLS) {
            sorted[count++] = &effects->replies[i];
            continue;
        }
        while (next < effects->reply_count &&
               same_clearing(&effects->replies[i], &effects->replies[next]))
            next++;
        if (!add_copies(outbound, &effects->replies[i], next - i))
            return false;
    }
    qsort(sorted, count, sizeof(*sorted), compare_receivers);
    return add_replies(outbound, sorted, count) && add_exception_copies(outbound, effects);
}

bool ste_outbound_build(struct ste_outbound *outbound, const struct ste_effects *effects)
{
    const bool good = build(outbound, effects);
    ste_buf_deinit(&outbound->body);
    ste_buf_deinit(&outbound->words);
    return good;
}
