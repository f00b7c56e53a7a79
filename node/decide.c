/* SPDX-License-Identifier: Apache-2.0
 * Stop 7: the rules see records in queue order, each with its trade as it is by then. */
#include <stdlib.h>

#include "base/fault.h"
#include "node/worker.h"

static bool is_sibling(const struct ste_work *work, struct ste_hash match_hash, ste_date trade_date,
                       struct ste_hash trade_key)
{
    return ste_hash_equal(match_hash, work->id.match_hash) &&
           abs(trade_date - work->id.trade_date) <= STE_SIBLING_DAYS &&
           !(trade_date == work->id.trade_date && ste_hash_equal(trade_key, work->id.trade_key));
}

/* Other trades with this match key: of this batch as they are now, and of the database. */
static enum ste_code siblings_of(struct ste_node_worker *worker, const struct ste_work *work,
                                 const struct ste_loaded *loaded, struct ste_trade ***ret,
                                 size_t *ret_count, struct ste_error *err)
{
    *ret = STE_ARENA_ARRAY(worker->attempt, struct ste_trade *,
                           loaded->count + loaded->sibling_count + 1);
    if (*ret == NULL)
        return ste_error_set(err, STE_E_NOMEM, "could not gather siblings");
    for (size_t i = 0; i < loaded->count; i++) {
        const struct ste_trade_key_row *const key = &loaded->keys[i];
        if (is_sibling(work, key->match_hash, key->trade_date, key->trade_key) &&
            !ste_trade_is_empty(loaded->trades[i]))
            (*ret)[(*ret_count)++] = loaded->trades[i];
    }
    for (size_t i = 0; i < loaded->sibling_count; i++) {
        const struct ste_trade_row *const row = &loaded->sibling_rows[i];
        if (is_sibling(work, row->match_hash, row->trade_date, row->trade_key))
            (*ret)[(*ret_count)++] = loaded->siblings[i];
    }
    return STE_OK;
}

/* Stop 7, for a range: each record meets its trade as it is by then. */
enum ste_code ste_node_decide(struct ste_node_worker *worker, struct ste_range range,
                              const struct ste_loaded *loaded, struct ste_effects *effects,
                              struct ste_error *err)
{
    *effects = (struct ste_effects){.arena = worker->attempt};
    for (size_t i = 0; i < range.count; i++) {
        struct ste_work *const work = range.works[i];
        struct ste_trade *const trade =
            work->needs_trade ? loaded->trades[work->trade_index] : NULL;
        struct ste_trade **siblings = NULL;
        size_t sibling_count = 0;
        enum ste_code rc = STE_OK;
        /* What was refused before names no trade; and a poisoned message kills only as itself. */
        const bool refused = work->record.message.exc.code != STE_C_NONE;
        if (!refused)
            STE_FAULT_POISON(ste_value(&work->record.message, STE_F_REFERENCE));
        if (trade != NULL && ste_trade_is_empty(trade))
            rc = siblings_of(worker, work, loaded, &siblings, &sibling_count, err);
        if (rc == STE_OK)
            rc = ste_decide(&worker->rules, trade, siblings, sibling_count, &work->record,
                            refused ? NULL : &work->id, &work->checked, effects, err);
        if (rc != STE_OK)
            return rc;
    }
    return STE_OK;
}
