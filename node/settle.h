/* SPDX-License-Identifier: Apache-2.0
 * What became of what the relay published: outbox rows to be deleted, and publishes that somebody
 * waits for. Pure bookkeeping: no connection in it. */
#ifndef STE_NODE_SETTLE_H
#define STE_NODE_SETTLE_H

#include "dbshard/shard.h"
#include "mq/mq.h"
#include "ref/ref.h"

enum { STE_SETTLE_CONFIRMED_MAX = 8192 };

struct ste_settle {
    uint64_t confirmed[STE_SETTLE_CONFIRMED_MAX]; /* ids of outbox rows to be deleted */
    size_t confirmed_count;
    uint64_t confirmed_since_ns;
    /* Publishes somebody waits for: strangers, suspects, swept rows. */
    size_t awaited, refused;
    bool *swept_done; /* per swept row, while a sweep runs */
    size_t swept_count;
};

/* Cookies of publishes. `nobody_reads`: see ste_row_nobody_reads. */
uint64_t ste_settle_row(uint64_t outbox_id, bool nobody_reads);
uint64_t ste_settle_swept(size_t index, bool nobody_reads); /* of the sweep under way */
uint64_t ste_settle_forwarded(void);
/* True for the cookies of publishes that somebody waits for. */
bool ste_settle_is_awaited(uint64_t cookie);
/* The outcome of one publish. A row that is not done stays in the table: the sweeper sends it
 * again. */
void ste_settle_note(struct ste_settle *settle, uint64_t cookie, enum ste_mq_outcome outcome,
                     uint64_t now_ns);

/* All receivers are unknown to the participants file: where no queue takes such replies nobody ever
 * will, and keeping them would fill the outbox for good. */
bool ste_row_nobody_reads(const struct ste_ref *ref, const struct ste_outbox_row *row);

#endif
