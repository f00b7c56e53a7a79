/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/flow.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

/* One pass over the index: message counts, and one key a trade. */
static enum ste_code read_index(struct ste_flow *flow, const struct ste_set *set,
                                struct ste_hash *keys, struct ste_error *err)
{
    for (uint64_t i = 0; i < set->header->messages; i++) {
        const struct ste_set_entry *entry = &set->entries[i];
        if (entry->trade >= flow->trade_count)
            return ste_error_set(err, STE_E_PARSE, "the set's index names trade %u of %zu",
                                 entry->trade, flow->trade_count);
        if (flow->message_counts[entry->trade]++ == 0)
            keys[entry->trade] = entry->trade_key;
    }
    for (uint32_t trade = 0; trade < flow->trade_count; trade++) {
        uint32_t number = ste_keymap_put(&flow->trades, keys[trade]);
        if (number == STE_KEYMAP_NONE)
            return ste_error_set(err, STE_E_NOMEM, "out of memory");
        if (number != trade)
            return ste_error_set(err, STE_E_PARSE, "trades %u and %u of the set have one key",
                                 number, trade);
    }
    return STE_OK;
}

enum ste_code ste_flow_init(struct ste_flow *flow, const struct ste_set *set, struct ste_error *err)
{
    *flow = (struct ste_flow){.trade_count = set->header->trades,
                              .cleared_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
    ste_keymap_init(&flow->trades);
    struct ste_hash *keys = calloc(flow->trade_count + 1, sizeof *keys);
    flow->message_counts = calloc(flow->trade_count + 1, sizeof *flow->message_counts);
    flow->confirmed_us = calloc(flow->trade_count + 1, sizeof *flow->confirmed_us);
    flow->arrived_us = calloc(flow->trade_count + 1, sizeof *flow->arrived_us);
    enum ste_code rc = STE_OK;
    if (!keys || !flow->message_counts || !flow->confirmed_us || !flow->arrived_us)
        rc = ste_error_set(err, STE_E_NOMEM, "out of memory");
    else if (flow->cleared_fd < 0)
        rc = ste_error_set(err, STE_E_FILE, "could not make an event: %s", strerror(errno));
    else
        rc = read_index(flow, set, keys, err);
    free(keys);
    if (rc != STE_OK)
        ste_flow_deinit(flow);
    return rc;
}

void ste_flow_deinit(struct ste_flow *flow)
{
    ste_keymap_deinit(&flow->trades);
    free(flow->message_counts);
    free(flow->confirmed_us);
    free(flow->arrived_us);
    flow->message_counts = NULL;
    flow->confirmed_us = flow->arrived_us = NULL;
    if (flow->cleared_fd >= 0)
        (void)close(flow->cleared_fd);
    flow->cleared_fd = -1;
}

void ste_flow_confirmed(struct ste_flow *flow, const struct ste_set_entry *entries, size_t count,
                        uint64_t now_us)
{
    for (size_t i = 0; i < count; i++)
        flow->confirmed_us[entries[i].trade] = now_us;
    atomic_store_explicit(&flow->last_confirm_ns, now_us * 1000, memory_order_relaxed);
}

void ste_flow_cleared(struct ste_flow *flow, uint32_t trade, uint64_t now_us)
{
    uint64_t one = 1;
    flow->arrived_us[trade] = now_us;
    atomic_fetch_add_explicit(&flow->cleared_messages, flow->message_counts[trade],
                              memory_order_release);
    if (write(flow->cleared_fd, &one, sizeof one) < 0)
        return; /* the counter is full: readable already */
}

uint64_t ste_flow_latency(const struct ste_flow *flow, struct ste_histogram *histogram)
{
    uint64_t missing = 0;
    for (size_t i = 0; i < flow->trade_count; i++) {
        uint64_t arrived = flow->arrived_us[i], confirmed = flow->confirmed_us[i];
        if (arrived == 0)
            missing++;
        else if (confirmed != 0)
            ste_histogram_add(histogram, arrived > confirmed ? arrived - confirmed : 0);
    }
    return missing;
}
