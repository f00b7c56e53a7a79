/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/source_internal.h"

#include <stdlib.h>

enum ste_code ste_source_open_set(const struct ste_set *set, unsigned batch, const uint8_t *done,
                                  struct ste_source **ret, struct ste_error *err)
{
    struct ste_source *source = calloc(1, sizeof *source);
    if (!source)
        return ste_error_set(err, STE_E_NOMEM, "out of memory");
    source->batch = batch;
    source->done = done;
    source->set = set;
    (void)pthread_mutex_init(&source->mutex, NULL);
    *ret = source;
    return STE_OK;
}

void ste_source_close(struct ste_source *source)
{
    if (!source)
        return;
    if (!source->set)
        ste_source_end_making(source);
    (void)pthread_mutex_destroy(&source->mutex);
    free(source);
}

bool ste_source_is_done(const struct ste_source *source, uint64_t number)
{
    return source->done && (source->done[number / 8] >> (number % 8) & 1);
}

/* How many messages the next delivery of a set holds. */
static uint32_t next_count(const struct ste_source *source)
{
    const struct ste_set *set = source->set;
    uint64_t left = set->header->messages - source->next_message;
    const struct ste_set_entry *entries = set->entries + source->next_message;
    uint32_t count = 0;
    if (left > 0 && entries[0].flags & STE_SET_ALONE)
        return 1;
    while (count < source->batch && count < left && !(entries[count].flags & STE_SET_ALONE))
        count++;
    return count;
}

static bool next_of_set(struct ste_source *source, struct ste_delivery *ret)
{
    const struct ste_set *set = source->set;
    uint32_t count = next_count(source);
    *ret = (struct ste_delivery){.number = source->next_number,
                                 .count = count,
                                 .entries = set->entries + source->next_message,
                                 .offset = source->next_offset};
    source->next_number += count > 0;
    source->next_message += count;
    for (uint32_t i = 0; i < count; i++)
        (void)ste_set_next(set, &source->next_offset);
    return count > 0;
}

static bool next_of_plan(struct ste_source *source, struct ste_delivery *ret)
{
    struct ste_source_unit *unit = ste_source_ready(source);
    if (!unit)
        return false;
    *ret = (struct ste_delivery){
        .number = unit->number, .count = unit->count, .entries = unit->entries, .unit = unit};
    return true;
}

/* Mutex held. */
static enum ste_source_answer take(struct ste_source *source, struct ste_delivery *ret,
                                   struct ste_error *err)
{
    while (source->set ? next_of_set(source, ret) : next_of_plan(source, ret)) {
        if (!ste_source_is_done(source, ret->number)) {
            ret->ahead = source->taken;
            source->taken += ret->count;
            return STE_SOURCE_TAKEN;
        }
        source->skipped += ret->count;
        if (ret->unit)
            ste_source_free_unit(source, ret->unit);
    }
    if (source->set)
        return STE_SOURCE_END;
    if (source->failure.code != STE_OK) {
        *err = source->failure;
        return STE_SOURCE_FAILED;
    }
    return source->ended ? STE_SOURCE_END : STE_SOURCE_WAIT;
}

enum ste_source_answer ste_source_take(struct ste_source *source, struct ste_delivery *ret,
                                       struct ste_error *err)
{
    (void)pthread_mutex_lock(&source->mutex);
    enum ste_source_answer answer = take(source, ret, err);
    (void)pthread_mutex_unlock(&source->mutex);
    uint64_t clearing = 0;
    for (uint32_t i = 0; answer == STE_SOURCE_TAKEN && i < ret->count; i++)
        clearing += !(ret->entries[i].flags & (STE_SET_NO_CLS | STE_SET_REPEAT));
    atomic_fetch_add_explicit(&source->clearing, clearing, memory_order_relaxed);
    return answer;
}

static enum ste_code body_of_unit(const struct ste_source *source,
                                  const struct ste_source_unit *unit, struct ste_bytes *ret)
{
    *ret = ste_buf_bytes(&unit->body);
    if (source->batch > 1 && unit->count == 1) { /* without the root */
        ret->at += sizeof STE_SOURCE_BATCH_OPEN - 1;
        ret->len -= sizeof STE_SOURCE_BATCH_OPEN + sizeof STE_SOURCE_BATCH_CLOSE - 1;
    }
    return STE_OK;
}

enum ste_code ste_source_body(const struct ste_source *source, const struct ste_delivery *delivery,
                              struct ste_buf *buf, struct ste_bytes *ret, struct ste_error *err)
{
    if (delivery->unit)
        return body_of_unit(source, delivery->unit, ret);
    size_t offset = delivery->offset;
    if (delivery->count == 1) {
        *ret = ste_set_next(source->set, &offset);
        return STE_OK;
    }
    ste_buf_clear(buf);
    ste_buf_append_cstr(buf, STE_SOURCE_BATCH_OPEN);
    for (uint32_t i = 0; i < delivery->count; i++) {
        ste_buf_append_bytes(buf, ste_set_next(source->set, &offset));
        ste_buf_append_cstr(buf, "\n");
    }
    ste_buf_append_cstr(buf, STE_SOURCE_BATCH_CLOSE);
    if (buf->failed)
        return ste_error_set(err, STE_E_NOMEM, "out of memory");
    *ret = ste_buf_bytes(buf);
    return STE_OK;
}

void ste_source_give_back(struct ste_source *source, const struct ste_delivery *delivery)
{
    if (!delivery->unit)
        return;
    (void)pthread_mutex_lock(&source->mutex);
    ste_source_free_unit(source, delivery->unit);
    (void)pthread_mutex_unlock(&source->mutex);
}

uint64_t ste_source_skipped(struct ste_source *source)
{
    (void)pthread_mutex_lock(&source->mutex);
    uint64_t skipped = source->skipped;
    (void)pthread_mutex_unlock(&source->mutex);
    return skipped;
}

uint64_t ste_source_clearing(const struct ste_source *source)
{
    return atomic_load_explicit(&source->clearing, memory_order_relaxed);
}
