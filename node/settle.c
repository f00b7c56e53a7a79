/* SPDX-License-Identifier: Apache-2.0 */
#include "node/settle.h"

#include <assert.h>
#include <string.h>

/* An outbox id or an index, and these marks. Auto-increment ids never get there. */
static const uint64_t mark_forwarded = UINT64_C(1) << 63, mark_swept = UINT64_C(1) << 62,
                      mark_nobody_reads = UINT64_C(1) << 61;

uint64_t ste_settle_row(uint64_t outbox_id, bool nobody_reads)
{
    assert(outbox_id < mark_nobody_reads);
    return outbox_id | (nobody_reads ? mark_nobody_reads : 0);
}

uint64_t ste_settle_swept(size_t index, bool nobody_reads)
{
    return mark_swept | index | (nobody_reads ? mark_nobody_reads : 0);
}

uint64_t ste_settle_forwarded(void)
{
    return mark_forwarded;
}

bool ste_settle_is_awaited(uint64_t cookie)
{
    return (cookie & (mark_forwarded | mark_swept)) != 0;
}

/* Everything promised is kept: a queue has it, or there is nobody to have it. */
static bool is_done(uint64_t cookie, enum ste_mq_outcome outcome)
{
    return outcome == STE_MQ_CONFIRMED ||
           (outcome == STE_MQ_RETURNED && (cookie & mark_nobody_reads) != 0);
}

static void note_awaited(struct ste_settle *settle, uint64_t cookie, bool done)
{
    settle->awaited--;
    settle->refused += !done;
    const uint64_t index = cookie & ~(mark_swept | mark_nobody_reads);
    if ((cookie & mark_swept) != 0 && index < settle->swept_count)
        settle->swept_done[index] = done;
}

void ste_settle_note(struct ste_settle *settle, uint64_t cookie, enum ste_mq_outcome outcome,
                     uint64_t now_ns)
{
    const bool done = is_done(cookie, outcome);
    if (ste_settle_is_awaited(cookie)) {
        note_awaited(settle, cookie, done);
        return;
    }
    if (!done || settle->confirmed_count == STE_SETTLE_CONFIRMED_MAX)
        return;
    if (settle->confirmed_count == 0)
        settle->confirmed_since_ns = now_ns;
    settle->confirmed[settle->confirmed_count++] = cookie & ~mark_nobody_reads;
}

static bool is_unknown_receiver(const struct ste_ref *ref, struct ste_bytes routing_key)
{
    static const struct ste_bytes prefix = STE_BYTES("reply.");
    if (routing_key.len <= prefix.len || memcmp(routing_key.at, prefix.at, prefix.len) != 0)
        return false;
    const struct ste_bytes bic = {routing_key.at + prefix.len, routing_key.len - prefix.len};
    return ste_ref_participant(ref, bic) == NULL;
}

bool ste_row_nobody_reads(const struct ste_ref *ref, const struct ste_outbox_row *row)
{
    bool unknown = is_unknown_receiver(ref, row->routing_key);
    for (size_t i = 0; unknown && i < row->bcc_count; i++)
        unknown = is_unknown_receiver(ref, row->bcc[i]);
    return unknown;
}
