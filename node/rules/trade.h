/* SPDX-License-Identifier: Apache-2.0
 * The state of one trade in memory, and its versioned encoding (table trade, column state): each
 * value once with who said it, sender and reference of each message that holds a place, 24 bytes of
 * identity per accepted message, ids of its message rows. */
#ifndef STE_NODE_RULES_TRADE_H
#define STE_NODE_RULES_TRADE_H

#include "base/arena.h"
#include "msg/identity.h"
#include "msg/message.h"

enum {
    STE_STATE_VERSION = 1,
    STE_STATE_BYTES_MAX = 1 << 20,
};

/* Column trade.status: stored, never renumber. */
enum ste_trade_status {
    STE_TRADE_EMPTY = 0,
    STE_TRADE_OPEN = 1,      /* something accepted, nothing failed */
    STE_TRADE_UNMATCHED = 2, /* a stage failed */
    STE_TRADE_CLEARED = 3,   /* a live CLS */
    STE_TRADE_CANCELLED = 4,
};

struct ste_trade; /* opaque to the worker; node/rules/trade_state.h for the rules */

/* An empty trade, or the decoded state. Memory is the arena's. `identity` bytes are compared with
 * the record's: a difference is XCOL. STE_E_STATE_BAD, STE_E_NOMEM. */
struct ste_trade *ste_trade_new(struct ste_arena *arena, const struct ste_trade_id *id);
STE_MUST_CHECK enum ste_code ste_trade_decode(struct ste_arena *arena, struct ste_bytes state,
                                              const struct ste_trade_id *id, struct ste_trade **ret,
                                              struct ste_error *err);
/* Appends the state; false: out of memory. */
bool ste_trade_encode(const struct ste_trade *trade, struct ste_buf *buf);
bool ste_trade_is_empty(const struct ste_trade *trade);
bool ste_trade_changed(const struct ste_trade *trade); /* since new or decode */
enum ste_trade_status ste_trade_status_of(const struct ste_trade *trade);
uint64_t ste_trade_version(const struct ste_trade *trade); /* counts accepted messages */
/* Ids of the rows of accepted messages that were just inserted, in the order of the effects. */
void ste_trade_message_stored(struct ste_trade *trade, uint64_t message_row_id);

/* Searchable columns. */
struct ste_trade_columns {
    struct ste_bytes trade_reference, broker8, manager8, instrument;
    ste_date settlement_date; /* STE_DATE_NONE when not known: of the NOE, else the first message */
    unsigned message_count, account_count, cls_version;
};
void ste_trade_columns_of(const struct ste_trade *trade, struct ste_trade_columns *ret);

#endif
