/* SPDX-License-Identifier: Apache-2.0
 * Match key, trade identity, placement (MESSAGES section 2). Pure. */
#ifndef STE_MSG_IDENTITY_H
#define STE_MSG_IDENTITY_H

#include "msg/message.h"

enum { STE_SLOT_COUNT = 720720 }; /* lcm of 1..16: slot mod N = hash mod N for every N up to 16 */

struct ste_trade_id {
    struct ste_bytes identity; /* TradeReference|Broker BIC8|Manager BIC8|TradeDate, in the arena */
    struct ste_hash trade_key; /* XXH3-128 of identity */
    struct ste_hash match_hash; /* XXH3-128 of the match key */
    uint32_t slot;              /* low 64 bits of match_hash mod STE_SLOT_COUNT */
    ste_date trade_date;
};
/* The match key's fields, as configured in cluster.match_key. */
struct ste_match_key {
    enum ste_field_id fields[4];
    size_t count;
};
/* False when a name is not a field that every type carries exactly. */
bool ste_match_key_init(struct ste_match_key *key, const char *const *elements, size_t count);

/* Needs the four identity fields well-formed. False: out of memory. */
bool ste_trade_identify(const struct ste_message *message, const struct ste_match_key *match_key,
                        struct ste_arena *arena, struct ste_trade_id *ret);
/* The hash that places an exception: of its bytes. */
uint32_t ste_slot_of_hash(struct ste_hash hash);
unsigned ste_shard_of_slot(uint32_t slot, unsigned shard_count);

/* Hashes of one accepted message inside its trade (MESSAGES section 5). */
uint64_t ste_message_identity64(const struct ste_message *message); /* sender BIC8 | reference */
/* Type, function and all known elements except CreatedAt, normalised: numbers by value, BICs as
 * sent, order-free. */
uint64_t ste_message_content64(const struct ste_message *message);
uint64_t ste_delivery64(struct ste_bytes delivery_id, uint32_t index);

#endif
