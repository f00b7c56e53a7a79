/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/flow.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

static enum ste_code begin(struct ste_flow *flow, size_t trade_count, struct ste_error *err)
{
    *flow = (struct ste_flow){.trade_count = trade_count,
                              .trades = calloc(trade_count + 1, sizeof *flow->trades),
                              .cleared_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
    ste_keymap_init(&flow->keys);
    if (!flow->trades)
        return ste_error_set(err, STE_E_NOMEM, "out of memory");
    if (flow->cleared_fd < 0)
        return ste_error_set(err, STE_E_FILE, "could not make an event: %s", strerror(errno));
    return STE_OK;
}

static enum ste_code put_key(struct ste_flow *flow, uint32_t trade, struct ste_hash key,
                             struct ste_error *err)
{
    uint32_t number = ste_keymap_put(&flow->keys, key);
    if (number == STE_KEYMAP_NONE)
        return ste_error_set(err, STE_E_NOMEM, "out of memory");
    if (number != trade)
        return ste_error_set(err, STE_E_PARSE, "trades %u and %u of the set have one key", number,
                             trade);
    return STE_OK;
}

/* One pass over the index: message counts, and one key a trade. */
static enum ste_code read_index(struct ste_flow *flow, const struct ste_set *set,
                                struct ste_hash *keys, struct ste_error *err)
{
    for (uint64_t i = 0; i < set->header->messages; i++) {
        const struct ste_set_entry *entry = &set->entries[i];
        if (entry->trade >= flow->trade_count)
            return ste_error_set(err, STE_E_PARSE, "the set's index names trade %u of %zu",
                                 entry->trade, flow->trade_count);
        struct ste_flow_trade *trade = &flow->trades[entry->trade];
        keys[entry->trade] = entry->trade_key;
        if (!(entry->flags & STE_SET_REPEAT))
            trade->messages++;
        trade->no_cls = entry->flags & STE_SET_NO_CLS;
    }
    enum ste_code rc = STE_OK;
    for (uint32_t trade = 0; trade < flow->trade_count && rc == STE_OK; trade++)
        rc = put_key(flow, trade, keys[trade], err);
    return rc;
}

enum ste_code ste_flow_init(struct ste_flow *flow, const struct ste_set *set, struct ste_error *err)
{
    enum ste_code rc = begin(flow, set->header->trades, err);
    struct ste_hash *keys = calloc(flow->trade_count + 1, sizeof *keys);
    if (rc == STE_OK && !keys)
        rc = ste_error_set(err, STE_E_NOMEM, "out of memory");
    if (rc == STE_OK)
        rc = read_index(flow, set, keys, err);
    free(keys);
    if (rc != STE_OK)
        ste_flow_deinit(flow);
    return rc;
}

struct planning {
    struct ste_flow *flow;
    const struct ste_gen_plan *plan;
    enum ste_code rc;
    struct ste_error *err;
};

static void plan_trade(void *context, uint32_t offset, const struct ste_gen_trade *trade)
{
    struct planning *planning = context;
    struct ste_flow_trade *ours = &planning->flow->trades[offset];
    ours->messages = (uint16_t)ste_gen_message_count(trade);
    ours->no_cls = !ste_gen_clears(trade);
    if (planning->rc == STE_OK)
        planning->rc = put_key(planning->flow, offset,
                               ste_gen_trade_key(&planning->plan->gen, trade), planning->err);
}

enum ste_code ste_flow_init_plan(struct ste_flow *flow, const struct ste_gen_plan *plan,
                                 struct ste_set_header *ret_header, struct ste_error *err)
{
    struct planning planning = {.flow = flow, .plan = plan, .err = err};
    enum ste_code rc = begin(flow, plan->trades, err);
    if (rc == STE_OK)
        rc = ste_gen_header(plan, ret_header, plan_trade, &planning, err);
    if (rc == STE_OK)
        rc = planning.rc;
    if (rc != STE_OK)
        ste_flow_deinit(flow);
    return rc;
}

void ste_flow_deinit(struct ste_flow *flow)
{
    ste_keymap_deinit(&flow->keys);
    free(flow->trades);
    flow->trades = NULL;
    if (flow->cleared_fd >= 0)
        (void)close(flow->cleared_fd);
    flow->cleared_fd = -1;
}

static void raise_to(_Atomic uint64_t *at, uint64_t value)
{
    uint64_t seen = atomic_load_explicit(at, memory_order_relaxed);
    while (seen < value && !atomic_compare_exchange_weak_explicit(
                               at, &seen, value, memory_order_relaxed, memory_order_relaxed))
        ;
}

void ste_flow_confirmed(struct ste_flow *flow, const struct ste_set_entry *entries, size_t count,
                        uint64_t now_us, uint64_t due_us)
{
    for (size_t i = 0; i < count; i++) {
        struct ste_flow_trade *trade = &flow->trades[entries[i].trade];
        if (entries[i].flags & STE_SET_REPEAT)
            continue;
        raise_to(&trade->confirmed_us, now_us);
        raise_to(&trade->due_us, due_us);
        atomic_fetch_add_explicit(&trade->confirm_sum_us, now_us, memory_order_relaxed);
        atomic_fetch_add_explicit(&trade->confirmed, 1, memory_order_relaxed);
    }
    atomic_store_explicit(&flow->last_confirm_ns, now_us * 1000, memory_order_relaxed);
    atomic_fetch_add_explicit(&flow->confirmed_messages, count, memory_order_relaxed);
}

void ste_flow_cleared(struct ste_flow *flow, uint32_t number, uint64_t now_us)
{
    uint64_t one = 1;
    struct ste_flow_trade *trade = &flow->trades[number];
    trade->arrived_us = now_us;
    if (trade->no_cls)
        return; /* its messages were not counted as on their way */
    atomic_fetch_add_explicit(&flow->cleared_messages, trade->messages, memory_order_release);
    if (write(flow->cleared_fd, &one, sizeof one) < 0)
        return; /* the counter is full: readable already */
}

uint64_t ste_flow_latency(const struct ste_flow *flow, struct ste_histogram *latency,
                          struct ste_histogram *scheduled)
{
    uint64_t missing = 0;
    for (size_t i = 0; i < flow->trade_count; i++) {
        const struct ste_flow_trade *trade = &flow->trades[i];
        uint64_t arrived = trade->arrived_us, confirmed = atomic_load(&trade->confirmed_us);
        uint64_t due = atomic_load(&trade->due_us);
        if (arrived == 0)
            missing += !trade->no_cls;
        else if (confirmed != 0)
            ste_histogram_add(latency, arrived > confirmed ? arrived - confirmed : 0);
        if (arrived != 0 && due != 0 && scheduled)
            ste_histogram_add(scheduled, arrived > due ? arrived - due : 0);
    }
    return missing;
}

double ste_flow_residence_ms(const struct ste_flow *flow, uint64_t *ret_messages)
{
    uint64_t messages = 0;
    __int128 sum_us = 0; /* a CLS may be here before a confirm: terms below 0 count as they are */
    for (size_t i = 0; i < flow->trade_count; i++) {
        const struct ste_flow_trade *trade = &flow->trades[i];
        if (trade->arrived_us == 0 || atomic_load(&trade->confirmed) != trade->messages)
            continue;
        sum_us += (__int128)trade->arrived_us * trade->messages;
        sum_us -= atomic_load(&trade->confirm_sum_us);
        messages += trade->messages;
    }
    *ret_messages = messages;
    return messages ? (double)sum_us / (double)messages / 1000.0 : 0;
}
