/* SPDX-License-Identifier: Apache-2.0
 * Stop 4, the gathering: records of one type and shard travel together. A publication is open
 * while records are added, then sent, then confirmed; a nacked or returned one waits and is sent
 * again itself. It knows the deliveries its records came from. What is worth it is packed: the
 * broker writes every byte to its disk, perhaps twice. */
#ifndef STE_ROUTER_GATHER_H
#define STE_ROUTER_GATHER_H

#include "base/bytes.h"
#include "conf/cluster.h"
#include "pack/pack.h"
#include "router/route.h"

enum {
    STE_GATHER_RECORDS_MAX = 64,
    STE_GATHER_BYTES_MAX = 64 << 10,
    STE_GATHER_PACK_BYTES_MIN = 4 << 10, /* smaller ones are not packed */
};

struct ste_publication {
    enum { STE_PUB_FREE, STE_PUB_OPEN, STE_PUB_READY, STE_PUB_SENT, STE_PUB_WAITING } state;
    struct ste_route route;
    struct ste_buf body; /* records; once ready perhaps packed */
    uint32_t record_count;
    uint64_t opened_ns, resend_ns;
    struct { /* runs of records of one delivery */
        uint64_t sequence;
        uint32_t records;
    } sources[STE_GATHER_RECORDS_MAX];
    uint32_t source_count;
    struct ste_publication *next; /* in the free list or the list of those to send */
};

struct ste_gather {
    struct ste_publication *open[STE_QUEUE_TYPE_COUNT][STE_SHARD_COUNT_MAX];
    struct ste_publication *free;
    struct ste_publication *ready_first, *ready_last; /* to be sent, in order */
    struct ste_publication **all;                     /* for freeing, and for those that wait */
    size_t all_count, all_capacity;
    struct ste_packer packer;
    struct ste_buf scratch; /* room for packing */
    size_t waiting_count;
    unsigned open_count;
    unsigned sent_count[STE_QUEUE_TYPE_COUNT][STE_SHARD_COUNT_MAX]; /* not confirmed yet */
};

void ste_gather_deinit(struct ste_gather *gather);
/* Adds a record of delivery `sequence`; a full publication becomes ready. False: out of memory. */
bool ste_gather_add(struct ste_gather *gather, struct ste_route route,
                    const struct ste_record *record, uint64_t sequence, uint64_t now_ns);
/* Open publications that were opened at or before `opened_ns` become ready, unless their queue has
 * one that is not confirmed yet: a broker that has much to do confirms late, and so gets fewer and
 * wider publications, while one that is idle gets them at once. (As J. Nagle's rule for TCP, RFC
 * 896.) Those opened at or before `patience_ns` become ready in any case. */
void ste_gather_close(struct ste_gather *gather, uint64_t opened_ns, uint64_t patience_ns);
/* Those that waited long enough become ready again. */
void ste_gather_wake(struct ste_gather *gather, uint64_t now_ns);
/* The next to send, or NULL. It stays first in line until ste_gather_sent. */
struct ste_publication *ste_gather_next(struct ste_gather *gather);
void ste_gather_sent(struct ste_gather *gather, struct ste_publication *publication);
/* A sent one that was refused: ready again at resend_ns. */
void ste_gather_wait(struct ste_gather *gather, struct ste_publication *publication,
                     uint64_t resend_ns);
/* A sent one that was confirmed. */
void ste_gather_done(struct ste_gather *gather, struct ste_publication *publication);
void ste_gather_forget(struct ste_gather *gather); /* everything is free again */

#endif
