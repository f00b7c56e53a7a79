/* SPDX-License-Identifier: Apache-2.0 */
#ifndef STE_BENCH_SOURCE_INTERNAL_H
#define STE_BENCH_SOURCE_INTERNAL_H

#include <pthread.h>
#include <stdatomic.h>

#include "bench/source.h"

#define STE_SOURCE_BATCH_OPEN "<TradeMessages xmlns=\"urn:ste:trade:1\">\n"
#define STE_SOURCE_BATCH_CLOSE "</TradeMessages>\n"

struct ste_source_unit {
    struct ste_buf body; /* of a batch: with its root, whatever the count */
    struct ste_set_entry *entries;
    uint64_t number;
    uint32_t count;
    struct ste_source_unit *next; /* in the list it stands in */
};
struct ste_source {
    unsigned batch;
    const uint8_t *done;
    const struct ste_set *set; /* NULL: the messages are made */
    pthread_mutex_t mutex;
    /* Under the mutex. */
    uint64_t next_message, next_number, skipped, taken;
    size_t next_offset;
    _Atomic uint64_t clearing; /* read without it */
    /* Making; under the mutex too, but for `making`, which is the thread's. */
    struct ste_gen_plan plan;
    struct ste_source_unit *units, *making;
    size_t unit_count;
    struct ste_source_unit *free_list, *ready_first, *ready_last;
    pthread_cond_t freed;
    pthread_t thread;
    bool started, stopping, ended;
    struct ste_error failure;
};

bool ste_source_is_done(const struct ste_source *source, uint64_t number);
/* The next unit that is ready, out of the list; NULL: none. Mutex held. */
struct ste_source_unit *ste_source_ready(struct ste_source *source);
void ste_source_free_unit(struct ste_source *source, struct ste_source_unit *unit);
void ste_source_end_making(struct ste_source *source);

#endif
