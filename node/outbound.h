/* SPDX-License-Identifier: Apache-2.0
 * Effects as outbox rows: one row is one delivery. A clearing message goes to ste.cls, its copy for
 * the senders is a second row, the replies of one commit to one receiver travel together, and every
 * EXC has a copy for the operators. Pure. */
#ifndef STE_NODE_OUTBOUND_H
#define STE_NODE_OUTBOUND_H

#include "dbshard/shard.h"
#include "node/rules/rules.h"

enum { STE_OUTBOUND_BODY_BYTES_MAX = 256 << 10 }; /* replies to one receiver are split above it */

struct ste_outbound {
    struct ste_arena *arena;
    unsigned shard;
    struct ste_outbox_row *rows;
    size_t count, capacity;
    struct ste_buf body, words; /* of the row being written */
};

/* False: out of memory. Rows live in outbound->arena. */
bool ste_outbound_build(struct ste_outbound *outbound, const struct ste_effects *effects);

#endif
