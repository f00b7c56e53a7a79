/* SPDX-License-Identifier: Apache-2.0 */
#include "router/route.h"

bool ste_route_pick(struct ste_record *record, const struct ste_match_key *match_key,
                    unsigned shard_count, struct ste_arena *arena, struct ste_route *ret)
{
    const struct ste_message *const message = &record->message;
    if (message->exc.code != STE_C_NONE) {
        record->slot = ste_slot_of_hash(ste_hash_of(message->original));
    } else {
        struct ste_trade_id id;
        if (!ste_trade_identify(message, match_key, arena, &id))
            return false;
        record->slot = id.slot;
    }
    ret->type = ste_type_queue(message->type);
    ret->shard = ste_shard_of_slot(record->slot, shard_count);
    return true;
}
