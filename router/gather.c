/* SPDX-License-Identifier: Apache-2.0 */
#include "router/gather.h"

#include <stdlib.h>

/* Bodies are kept for the next publication, but not those that a large exception has grown. */
enum { KEPT_BODY_BYTES_MAX = 4 * STE_GATHER_BYTES_MAX };

static void release(struct ste_gather *gather, struct ste_publication *publication)
{
    if (publication->body.capacity > KEPT_BODY_BYTES_MAX)
        ste_buf_deinit(&publication->body);
    ste_buf_clear(&publication->body);
    publication->state = STE_PUB_FREE;
    publication->record_count = 0;
    publication->source_count = 0;
    publication->next = gather->free;
    gather->free = publication;
}

static struct ste_publication *take_free(struct ste_gather *gather)
{
    struct ste_publication *publication = gather->free;
    if (publication != NULL) {
        gather->free = publication->next;
        publication->next = NULL;
        return publication;
    }
    if (gather->all_count == gather->all_capacity) {
        const size_t capacity = gather->all_capacity == 0 ? 64 : gather->all_capacity * 2;
        void *const all = realloc(gather->all, capacity * sizeof(*gather->all));
        if (all == NULL)
            return NULL;
        gather->all = all;
        gather->all_capacity = capacity;
    }
    publication = calloc(1, sizeof(*publication));
    if (publication != NULL)
        gather->all[gather->all_count++] = publication;
    return publication;
}

static void make_ready(struct ste_gather *gather, struct ste_publication *publication)
{
    publication->state = STE_PUB_READY;
    publication->next = NULL;
    if (gather->ready_last != NULL)
        gather->ready_last->next = publication;
    else
        gather->ready_first = publication;
    gather->ready_last = publication;
}

/* Bodies of records alike are a fifth after it. */
static void pack(struct ste_gather *gather, struct ste_publication *publication)
{
    ste_buf_clear(&gather->scratch);
    if (publication->body.len < STE_GATHER_PACK_BYTES_MIN ||
        !ste_pack(&gather->packer, STE_PACK_FAST, ste_buf_bytes(&publication->body),
                  &gather->scratch))
        return;
    const struct ste_buf plain = publication->body;
    publication->body = gather->scratch;
    gather->scratch = plain;
}

static void close_open(struct ste_gather *gather, struct ste_publication **open)
{
    pack(gather, *open);
    make_ready(gather, *open);
    *open = NULL;
    gather->open_count--;
}

void ste_gather_deinit(struct ste_gather *gather)
{
    for (size_t i = 0; i < gather->all_count; i++) {
        ste_buf_deinit(&gather->all[i]->body);
        free(gather->all[i]);
    }
    free(gather->all);
    ste_packer_deinit(&gather->packer);
    ste_buf_deinit(&gather->scratch);
    *gather = (struct ste_gather){0};
}

bool ste_gather_add(struct ste_gather *gather, struct ste_route route,
                    const struct ste_record *record, uint64_t sequence, uint64_t now_ns)
{
    struct ste_publication **const open = &gather->open[route.type][route.shard];
    if (*open == NULL) {
        *open = take_free(gather);
        if (*open == NULL)
            return false;
        (*open)->state = STE_PUB_OPEN;
        (*open)->route = route;
        (*open)->opened_ns = now_ns;
        gather->open_count++;
    }
    struct ste_publication *const publication = *open;
    if (!ste_record_encode(&publication->body, record))
        return false;
    publication->record_count++;
    const uint32_t last = publication->source_count;
    if (last > 0 && publication->sources[last - 1].sequence == sequence) {
        publication->sources[last - 1].records++;
    } else {
        publication->sources[last].sequence = sequence;
        publication->sources[last].records = 1;
        publication->source_count++;
    }
    if (publication->record_count == STE_GATHER_RECORDS_MAX ||
        publication->body.len >= STE_GATHER_BYTES_MAX)
        close_open(gather, open);
    return true;
}

void ste_gather_close(struct ste_gather *gather, uint64_t opened_ns, uint64_t patience_ns)
{
    if (gather->open_count == 0)
        return;
    for (unsigned type = 0; type < STE_QUEUE_TYPE_COUNT; type++) {
        for (unsigned shard = 0; shard < STE_SHARD_COUNT_MAX; shard++) {
            struct ste_publication **const open = &gather->open[type][shard];
            if (*open == NULL || (*open)->opened_ns > opened_ns)
                continue;
            if (gather->sent_count[type][shard] == 0 || (*open)->opened_ns <= patience_ns)
                close_open(gather, open);
        }
    }
}

void ste_gather_wake(struct ste_gather *gather, uint64_t now_ns)
{
    for (size_t i = 0; gather->waiting_count > 0 && i < gather->all_count; i++) {
        struct ste_publication *const publication = gather->all[i];
        if (publication->state != STE_PUB_WAITING || publication->resend_ns > now_ns)
            continue;
        gather->waiting_count--;
        make_ready(gather, publication);
    }
}

struct ste_publication *ste_gather_next(struct ste_gather *gather)
{
    return gather->ready_first;
}

static void take_first(struct ste_gather *gather)
{
    gather->ready_first = gather->ready_first->next;
    if (gather->ready_first == NULL)
        gather->ready_last = NULL;
}

void ste_gather_sent(struct ste_gather *gather, struct ste_publication *publication)
{
    take_first(gather);
    gather->sent_count[publication->route.type][publication->route.shard]++;
    publication->state = STE_PUB_SENT;
    publication->next = NULL;
}

void ste_gather_wait(struct ste_gather *gather, struct ste_publication *publication,
                     uint64_t resend_ns)
{
    gather->sent_count[publication->route.type][publication->route.shard]--;
    publication->state = STE_PUB_WAITING;
    publication->resend_ns = resend_ns;
    gather->waiting_count++;
}

void ste_gather_done(struct ste_gather *gather, struct ste_publication *publication)
{
    gather->sent_count[publication->route.type][publication->route.shard]--;
    release(gather, publication);
}

void ste_gather_forget(struct ste_gather *gather)
{
    gather->free = NULL;
    for (size_t i = 0; i < gather->all_count; i++)
        release(gather, gather->all[i]);
    for (unsigned type = 0; type < STE_QUEUE_TYPE_COUNT; type++)
        for (unsigned shard = 0; shard < STE_SHARD_COUNT_MAX; shard++) {
            gather->open[type][shard] = NULL;
            gather->sent_count[type][shard] = 0;
        }
    gather->ready_first = gather->ready_last = NULL;
    gather->waiting_count = 0;
    gather->open_count = 0;
}
