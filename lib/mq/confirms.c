/* SPDX-License-Identifier: Apache-2.0 */
#include "mq/confirms.h"

#include <stdlib.h>

/* Confirms of a slow queue may come long after those of others: the ring holds more tags than the
 * window allows open ones, so that one slow publish does not stop the rest at once. */
enum { RING_WINDOWS = 4 };

bool ste_mq_confirms_init(struct ste_mq_confirms *confirms, size_t window)
{
    uint64_t size = 1;
    while (size < (uint64_t)window * RING_WINDOWS)
        size *= 2;
    *confirms =
        (struct ste_mq_confirms){.mask = size - 1, .oldest = 1, .next = 1, .window = window};
    confirms->ring = calloc(size, sizeof *confirms->ring);
    return confirms->ring != NULL;
}

void ste_mq_confirms_deinit(struct ste_mq_confirms *confirms)
{
    free(confirms->ring);
    *confirms = (struct ste_mq_confirms){0};
}

bool ste_mq_confirms_full(const struct ste_mq_confirms *confirms)
{
    return confirms->unsettled >= confirms->window ||
           confirms->next - confirms->oldest > confirms->mask;
}

uint64_t ste_mq_confirms_add(struct ste_mq_confirms *confirms, uint64_t cookie)
{
    uint64_t tag = confirms->next++;
    confirms->ring[tag & confirms->mask] = (struct ste_mq_confirm){.cookie = cookie};
    confirms->unsettled++;
    return tag;
}

static struct ste_mq_confirm *find_open(struct ste_mq_confirms *confirms, uint64_t tag)
{
    if (tag < confirms->oldest || tag >= confirms->next)
        return NULL;
    struct ste_mq_confirm *confirm = &confirms->ring[tag & confirms->mask];
    return confirm->settled ? NULL : confirm;
}

bool ste_mq_confirms_return(struct ste_mq_confirms *confirms, uint64_t tag)
{
    struct ste_mq_confirm *confirm = find_open(confirms, tag);
    if (!confirm || confirm->returned)
        return false;
    confirm->returned = true;
    return true;
}

static void pass_settled(struct ste_mq_confirms *confirms)
{
    while (confirms->oldest < confirms->next &&
           confirms->ring[confirms->oldest & confirms->mask].settled)
        confirms->oldest++;
}

/* Everything is consistent again before the callback runs. */
static void settle_one(struct ste_mq_confirms *confirms, struct ste_mq_confirm *confirm, bool ack,
                       ste_mq_settled *settled, void *context)
{
    uint64_t cookie = confirm->cookie;
    enum ste_mq_outcome outcome = confirm->returned ? STE_MQ_RETURNED
                                  : ack             ? STE_MQ_CONFIRMED
                                                    : STE_MQ_NACKED;
    confirm->settled = true;
    confirms->unsettled--;
    pass_settled(confirms);
    if (settled)
        settled(context, cookie, outcome);
}

bool ste_mq_confirms_settle(struct ste_mq_confirms *confirms, uint64_t tag, bool multiple, bool ack,
                            ste_mq_settled *settled, void *context)
{
    if (tag == 0 && multiple)
        tag = confirms->next - 1;
    if (tag == 0 || tag >= confirms->next)
        return false;
    if (!multiple) {
        struct ste_mq_confirm *confirm = find_open(confirms, tag);
        if (!confirm)
            return false;
        settle_one(confirms, confirm, ack, settled, context);
        return true;
    }
    /* settle_one moves `oldest` to the next open tag. */
    while (confirms->oldest <= tag)
        settle_one(confirms, &confirms->ring[confirms->oldest & confirms->mask], ack, settled,
                   context);
    return true;
}
