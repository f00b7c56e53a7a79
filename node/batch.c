/* SPDX-License-Identifier: Apache-2.0 */
#include "node/batch.h"

#include <assert.h>
#include <stdlib.h>

#include "base/clock.h"

enum ste_code ste_batch_init(struct ste_batch *batch, struct ste_error *err)
{
    *batch = (struct ste_batch){.arena = ste_arena_new(0), .records_max = STE_BATCH_RECORDS_FEWEST};
    return batch->arena != NULL ? STE_OK
                                : ste_error_set(err, STE_E_NOMEM, "could not make a batch");
}

void ste_batch_clear(struct ste_batch *batch)
{
    for (size_t i = 0; i < batch->delivery_count; i++)
        ste_mq_delivery_free(&batch->deliveries[i]);
    batch->delivery_count = 0;
    batch->work_count = 0;
    batch->body_bytes = 0;
    ste_arena_reset(batch->arena);
}

void ste_batch_deinit(struct ste_batch *batch)
{
    if (batch->arena == NULL)
        return;
    ste_batch_clear(batch);
    free(batch->works);
    ste_arena_free(batch->arena);
    ste_packer_deinit(&batch->packer);
    *batch = (struct ste_batch){0};
}

bool ste_batch_full(const struct ste_batch *batch)
{
    return batch->work_count >= batch->records_max ||
           batch->body_bytes >= batch->records_max * STE_BATCH_RECORD_BYTES ||
           batch->delivery_count == STE_BATCH_DELIVERIES_MAX;
}

void ste_batch_adapt(struct ste_batch *batch, uint64_t took_ns)
{
    if (took_ns > STE_BATCH_SLOW_MS * STE_NS_PER_MS)
        batch->records_max /= 2;
    else if (took_ns < STE_BATCH_QUICK_MS * STE_NS_PER_MS && ste_batch_full(batch))
        batch->records_max *= 2;
    if (batch->records_max < STE_BATCH_RECORDS_FEWEST)
        batch->records_max = STE_BATCH_RECORDS_FEWEST;
    if (batch->records_max > STE_BATCH_RECORDS_MOST)
        batch->records_max = STE_BATCH_RECORDS_MOST;
}

uint64_t ste_batch_linger_ns(const struct ste_batch *batch)
{
    if (batch->delivery_count == 0)
        return 0;
    const uint64_t linger_ns =
        STE_BATCH_LINGER_MS_A_RECORD * STE_NS_PER_MS * batch->work_count / batch->delivery_count;
    const uint64_t most_ns = STE_BATCH_LINGER_MS_MOST * STE_NS_PER_MS;
    return linger_ns < most_ns ? linger_ns : most_ns;
}

static struct ste_work *add_work(struct ste_batch *batch)
{
    if (batch->work_count == batch->work_capacity) {
        const size_t capacity =
            batch->work_capacity == 0 ? STE_BATCH_RECORDS_FEWEST * 2 : batch->work_capacity * 2;
        void *const works = realloc(batch->works, capacity * sizeof(struct ste_work *));
        if (works == NULL)
            return NULL;
        batch->works = works;
        batch->work_capacity = capacity;
    }
    struct ste_work *const work = STE_ARENA_NEW(batch->arena, struct ste_work);
    if (work != NULL)
        batch->works[batch->work_count++] = work;
    return work;
}

/* Nobody gave it an id: the same bytes have the same one. */
static struct ste_bytes id_of_damaged(struct ste_batch *batch, struct ste_bytes rest)
{
    char hex[33];
    ste_hex(ste_hash_of(rest).bytes, 16, hex);
    return ste_bytes_of(ste_arena_printf(batch->arena, "damaged.%s", hex));
}

static enum ste_code keep_damaged(struct ste_batch *batch, struct ste_work *work,
                                  struct ste_bytes message_id, struct ste_bytes rest,
                                  struct ste_error *err)
{
    work->record = (struct ste_record){.version = STE_RECORD_VERSION, .delivery_id = message_id};
    if (message_id.len == 0)
        work->record.delivery_id = id_of_damaged(batch, rest);
    work->record.message.original = rest;
    ste_work_give_up(work, batch->arena, "record damaged in its queue");
    return work->record.delivery_id.len > 0
               ? STE_OK
               : ste_error_set(err, STE_E_NOMEM, "could not keep a damaged record");
}

/* Nothing in it, but it was sent: kept as one damaged record. */
static enum ste_code keep_empty(struct ste_batch *batch, struct ste_bytes message_id,
                                struct ste_error *err)
{
    struct ste_work *const work = add_work(batch);
    return work != NULL ? keep_damaged(batch, work, message_id, (struct ste_bytes){"", 0}, err)
                        : ste_error_set(err, STE_E_NOMEM, "could not keep a record");
}

void ste_works_count(struct ste_work *const *works, size_t count,
                     uint32_t counts[static STE_QUEUE_TYPE_COUNT])
{
    for (size_t i = 0; i < count; i++)
        counts[ste_type_queue(works[i]->record.message.type)]++;
}

/* No row holds more than a delivery may have: its start stays, and how long it was. */
static void cut(struct ste_record *record)
{
    struct ste_bytes *const original = &record->message.original;
    if (original->len <= STE_DELIVERY_BYTES_MAX)
        return;
    record->signed_bytes = original->len < UINT32_MAX ? (uint32_t)original->len : UINT32_MAX;
    original->len = STE_EXC_RAW_BYTES_MAX;
}

void ste_work_give_up(struct ste_work *work, struct ste_arena *arena, const char *why)
{
    work->record.message.type = STE_TYPE_EXC;
    work->record.message.exc = (struct ste_finding){
        .code = STE_C_XCRS,
        .level = STE_LEVEL_REJECT,
        .text = ste_arena_dup(arena, ste_bytes_of(why)),
    };
    cut(&work->record);
    work->needs_trade = false;
}

enum ste_code ste_batch_add(struct ste_batch *batch, struct ste_mq_delivery *delivery,
                            struct ste_error *err)
{
    assert(batch->delivery_count < STE_BATCH_DELIVERIES_MAX);
    struct ste_mq_delivery *const mine = &batch->deliveries[batch->delivery_count++];
    *mine = *delivery;
    struct ste_bytes body = mine->body;
    const size_t used_bytes = ste_arena_used(batch->arena);
    const enum ste_code unpacked =
        ste_unpack_if_packed(&batch->packer, mine->body, batch->arena, &body, err);
    if (unpacked != STE_OK && unpacked != STE_E_PARSE)
        return unpacked;
    batch->body_bytes += body.len;
    if (unpacked == STE_E_PARSE) /* a damaged record below; the room it was given counts as well */
        batch->body_bytes += ste_arena_used(batch->arena) - used_bytes;
    if (body.len == 0)
        return keep_empty(batch, mine->message_id, err);
    struct ste_reader reader = ste_reader_of(body);
    for (;;) {
        const char *const from = reader.at;
        bool done = false;
        struct ste_work *const work = add_work(batch);
        if (work == NULL)
            return ste_error_set(err, STE_E_NOMEM, "could not keep a record");
        const enum ste_code rc =
            ste_record_decode(&reader, batch->arena, &work->record, &done, err);
        if (rc == STE_OK && !done) {
            if (work->record.message.type == STE_TYPE_EXC)
                cut(&work->record);
            continue;
        }
        if (rc == STE_E_RECORD_BAD)
            return keep_damaged(batch, work, mine->message_id,
                                (struct ste_bytes){from, (size_t)(reader.end - from)}, err);
        batch->work_count--;
        batch->newer_version |= rc == STE_E_RECORD_VERSION;
        return rc;
    }
}
