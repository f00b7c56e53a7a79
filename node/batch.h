/* SPDX-License-Identifier: Apache-2.0
 * A batch: records for one shard, of any types, and the deliveries they came in. Lives from path
 * stop 5 to the ack of stop 8. */
#ifndef STE_NODE_BATCH_H
#define STE_NODE_BATCH_H

#include "mq/mq.h"
#include "node/rules/rules.h"
#include "pack/pack.h"

enum {
    /* A batch closes once it holds records_max, or that many times 2 kB. It begins with the fewest;
     * transactions that are quick though full let it double, slow ones halve it. */
    STE_BATCH_RECORDS_FEWEST = 256,
    STE_BATCH_RECORDS_MOST = 1024,
    STE_BATCH_RECORD_BYTES = 2 << 10,
    STE_BATCH_QUICK_MS = 200,
    STE_BATCH_SLOW_MS = 400,          /* so long are trades locked */
    STE_BATCH_LINGER_MS = 1,          /* after its first delivery, at least */
    STE_BATCH_LINGER_MS_A_RECORD = 2, /* see ste_batch_linger_ns */
    STE_BATCH_LINGER_MS_MOST = 30,
    STE_BATCH_DELIVERIES_MAX = STE_BATCH_RECORDS_MOST,
};

/* One record on its way through stops 5 to 8. */
struct ste_work {
    struct ste_record record;
    struct ste_checked checked;
    struct ste_trade_id id; /* unless the record is an exception already */
    bool needs_trade;       /* false: refused without SQL */
    size_t trade_index;     /* in struct ste_loaded, when needs_trade */
};

struct ste_batch {
    struct ste_arena *arena; /* records and works; reset with the batch */
    struct ste_mq_delivery deliveries[STE_BATCH_DELIVERIES_MAX];
    size_t delivery_count;
    struct ste_work **works; /* in queue order */
    size_t work_count, work_capacity;
    size_t body_bytes;  /* unpacked */
    size_t records_max; /* kept when it is cleared */
    struct ste_packer packer;
    bool newer_version; /* met a record that only a newer node can read */
};

STE_MUST_CHECK enum ste_code ste_batch_init(struct ste_batch *batch, struct ste_error *err);
void ste_batch_deinit(struct ste_batch *batch);
void ste_batch_clear(struct ste_batch *batch); /* frees the deliveries, keeps the memory */
bool ste_batch_full(const struct ste_batch *batch);
/* What the batch in hand took from its first statement to its commit decides how many records the
 * next may hold. */
void ste_batch_adapt(struct ste_batch *batch, uint64_t took_ns);
/* How long after the worker is free the next batch is open, in nanoseconds: 2 ms for each record
 * that a delivery of this batch held on average, 30 ms at most. The router gathers more into each
 * while the broker is loaded, and then wider transactions are worth their wait. */
uint64_t ste_batch_linger_ns(const struct ste_batch *batch);
/* Takes over the delivery, unpacks it if need be and reads its records. A damaged rest, or a
 * delivery without any, becomes one exception record. STE_E_NOMEM, STE_E_RECORD_VERSION
 * (newer_version is set too). */
STE_MUST_CHECK enum ste_code ste_batch_add(struct ste_batch *batch,
                                           struct ste_mq_delivery *delivery, struct ste_error *err);
/* Adds to counts[] how many there are of the types of each queue. */
void ste_works_count(struct ste_work *const *works, size_t count,
                     uint32_t counts[static STE_QUEUE_TYPE_COUNT]);
/* Turns a record into the exception XCRS: the last resort for what cannot be stored. */
void ste_work_give_up(struct ste_work *work, struct ste_arena *arena, const char *why);

#endif
