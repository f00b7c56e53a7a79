/* SPDX-License-Identifier: Apache-2.0
 * Stop 4, the choice: which typed queue of which shard takes a message. Pure. A dead shard parks
 * its keys: nothing here knows whether a shard lives. */
#ifndef STE_ROUTER_ROUTE_H
#define STE_ROUTER_ROUTE_H

#include "msg/record.h"

struct ste_route {
    unsigned type;  /* index in ste_queue_types */
    unsigned shard; /* slot mod shard count */
};

/* Fills in record->slot and picks the queue. A refused message is placed by the hash of its bytes.
 * False: out of memory. */
bool ste_route_pick(struct ste_record *record, const struct ste_match_key *match_key,
                    unsigned shard_count, struct ste_arena *arena, struct ste_route *ret);

#endif
