/* SPDX-License-Identifier: Apache-2.0
 * The thread that makes a plan's deliveries: into units that are free, which stand in a list until
 * a driver takes them. It waits when none is free. */
#include "bench/source_internal.h"

#include <stdlib.h>

#include "base/signals.h"

enum { SOURCE_UNITS_BYTES_MAX = 256 << 20, SOURCE_UNITS_MIN = 4 };

struct ste_source_unit *ste_source_ready(struct ste_source *source)
{
    struct ste_source_unit *unit = source->ready_first;
    if (unit)
        source->ready_first = unit->next;
    if (!source->ready_first)
        source->ready_last = NULL;
    return unit;
}

void ste_source_free_unit(struct ste_source *source, struct ste_source_unit *unit)
{
    unit->next = source->free_list;
    source->free_list = unit;
    (void)pthread_cond_signal(&source->freed);
}

/* Waits for a free unit; NULL: stopping. */
static struct ste_source_unit *begin_unit(struct ste_source *source)
{
    (void)pthread_mutex_lock(&source->mutex);
    while (!source->free_list && !source->stopping)
        (void)pthread_cond_wait(&source->freed, &source->mutex);
    struct ste_source_unit *unit = source->stopping ? NULL : source->free_list;
    if (unit) {
        source->free_list = unit->next;
        unit->number = source->next_number++;
    }
    (void)pthread_mutex_unlock(&source->mutex);
    if (!unit)
        return NULL;
    unit->count = 0;
    unit->next = NULL;
    ste_buf_clear(&unit->body);
    if (source->batch > 1)
        ste_buf_append_cstr(&unit->body, STE_SOURCE_BATCH_OPEN);
    return unit;
}

static enum ste_code end_unit(struct ste_source *source, struct ste_error *err)
{
    struct ste_source_unit *unit = source->making;
    source->making = NULL;
    if (!unit)
        return STE_OK;
    if (source->batch > 1)
        ste_buf_append_cstr(&unit->body, STE_SOURCE_BATCH_CLOSE);
    (void)pthread_mutex_lock(&source->mutex);
    if (source->ready_last)
        source->ready_last->next = unit;
    else
        source->ready_first = unit;
    source->ready_last = unit;
    (void)pthread_mutex_unlock(&source->mutex);
    return unit->body.failed ? ste_error_set(err, STE_E_NOMEM, "out of memory for a delivery")
                             : STE_OK;
}

static enum ste_code take_item(void *context, const struct ste_gen_item *item,
                               struct ste_error *err)
{
    struct ste_source *source = context;
    struct ste_set_entry entry;
    ste_gen_entry(&source->plan, item, &entry);
    bool alone = entry.flags & STE_SET_ALONE;
    enum ste_code rc = alone ? end_unit(source, err) : STE_OK;
    if (rc != STE_OK)
        return rc;
    if (!source->making && !(source->making = begin_unit(source)))
        return ste_error_set(err, STE_E_STOPPING, "stopping");
    struct ste_source_unit *unit = source->making;
    ste_buf_append_bytes(&unit->body, item->message);
    if (source->batch > 1)
        ste_buf_append_cstr(&unit->body, "\n");
    unit->entries[unit->count++] = entry;
    return alone || unit->count == source->batch ? end_unit(source, err) : STE_OK;
}

static void *make(void *argument)
{
    struct ste_source *source = argument;
    struct ste_error err = {0};
    enum ste_code rc = ste_gen_run(&source->plan, take_item, source, NULL, &err);
    if (rc == STE_OK)
        rc = end_unit(source, &err);
    (void)pthread_mutex_lock(&source->mutex);
    source->ended = true;
    if (rc != STE_OK)
        source->failure = err;
    (void)pthread_mutex_unlock(&source->mutex);
    return NULL;
}

static bool make_units(struct ste_source *source, size_t count)
{
    size_t unit_bytes = source->batch * (STE_GEN_MESSAGE_BYTES + sizeof(struct ste_set_entry));
    size_t most = SOURCE_UNITS_BYTES_MAX / unit_bytes;
    count = count > most ? most : count;
    count = count < SOURCE_UNITS_MIN ? SOURCE_UNITS_MIN : count;
    source->units = calloc(count, sizeof *source->units);
    for (; source->units && source->unit_count < count; source->unit_count++) {
        struct ste_source_unit *unit = &source->units[source->unit_count];
        unit->entries = calloc(source->batch, sizeof *unit->entries);
        if (!unit->entries)
            return false;
        unit->next = source->free_list;
        source->free_list = unit;
    }
    return source->units != NULL;
}

enum ste_code ste_source_open_plan(const struct ste_gen_plan *plan, unsigned batch,
                                   const uint8_t *done, size_t deliveries, struct ste_source **ret,
                                   struct ste_error *err)
{
    struct ste_source *source = calloc(1, sizeof *source);
    if (!source)
        return ste_error_set(err, STE_E_NOMEM, "out of memory");
    source->batch = batch;
    source->done = done;
    source->plan = *plan;
    (void)pthread_mutex_init(&source->mutex, NULL);
    (void)pthread_cond_init(&source->freed, NULL);
    if (make_units(source, deliveries))
        source->started = ste_signals_start_thread(&source->thread, make, source);
    if (!source->started) {
        ste_source_close(source);
        return ste_error_set(err, STE_E_NOMEM, "could not start the thread that makes trades");
    }
    *ret = source;
    return STE_OK;
}

void ste_source_end_making(struct ste_source *source)
{
    (void)pthread_mutex_lock(&source->mutex);
    source->stopping = true;
    (void)pthread_cond_signal(&source->freed);
    (void)pthread_mutex_unlock(&source->mutex);
    if (source->started)
        (void)pthread_join(source->thread, NULL);
    for (size_t i = 0; i < source->unit_count; i++) {
        ste_buf_deinit(&source->units[i].body);
        free(source->units[i].entries);
    }
    free(source->units);
    (void)pthread_cond_destroy(&source->freed);
}
