/* SPDX-License-Identifier: Apache-2.0
 * What the pool makes of one arrival: pure bookkeeping. */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "bench/pool.h"

enum {
    POOL_VERSION_MAX = 64,
    POOL_LINGER_MS = 300, /* after the last expected one: repeats still count */
};

/* "<32 hex digits>.<version>" */
static bool parse_id(struct ste_bytes id, struct ste_hash *ret_key, unsigned *ret_version)
{
    size_t hex = 2 * sizeof ret_key->bytes;
    unsigned version = 0;
    if (id.len <= hex + 1 || id.len > hex + 3 || id.at[hex] != '.' ||
        !ste_keymap_parse(id, ret_key))
        return false;
    for (size_t i = hex + 1; i < id.len; i++) {
        if (id.at[i] < '0' || id.at[i] > '9')
            return false;
        version = version * 10 + (unsigned)(id.at[i] - '0');
    }
    *ret_version = version;
    return version >= 1 && version <= POOL_VERSION_MAX;
}

/* The trade's number, with room for it; STE_KEYMAP_NONE when the set does not know it. */
static bool number_of(struct ste_pool *pool, struct ste_hash key, uint32_t *ret)
{
    size_t wanted = 0;
    if (pool->flow) {
        *ret = ste_keymap_find(&pool->flow->keys, key);
        wanted = pool->flow->trade_count;
    } else {
        *ret = ste_keymap_put(&pool->own_trades, key);
        if (*ret == STE_KEYMAP_NONE)
            return false;
        wanted = pool->own_trades.key_capacity;
    }
    if (wanted <= pool->trade_capacity)
        return true;
    struct ste_pool_trade *more = realloc(pool->trades, wanted * sizeof *more);
    if (!more)
        return false;
    memset(more + pool->trade_capacity, 0, (wanted - pool->trade_capacity) * sizeof *more);
    pool->trades = more;
    pool->trade_capacity = wanted;
    return true;
}

static void count_new(struct ste_pool *pool, uint32_t number, struct ste_pool_trade *trade,
                      uint64_t now_ns)
{
    pool->cls++;
    if (trade->first_us != 0)
        return;
    trade->first_us = now_ns / 1000;
    if (pool->first_ns == 0)
        pool->first_ns = now_ns;
    pool->last_ns = now_ns;
    if (pool->flow && pool->flow->trades[number].no_cls)
        pool->unexpected++;
    atomic_fetch_add_explicit(&pool->seen_trades, 1, memory_order_relaxed);
    if (pool->flow)
        ste_flow_cleared(pool->flow, number, now_ns / 1000);
}

/* hash 0: the body is not known. */
static bool take(struct ste_pool *pool, struct ste_bytes message_id, uint64_t hash,
                 bool redelivered, uint64_t now_ns)
{
    struct ste_hash key = {{0}};
    unsigned version = 0;
    uint32_t number = STE_KEYMAP_NONE;
    pool->arrivals++;
    if (!parse_id(message_id, &key, &version)) {
        pool->malformed++;
        return true;
    }
    if (!number_of(pool, key, &number))
        return false;
    if (number == STE_KEYMAP_NONE) {
        pool->unknown++;
        return true;
    }
    struct ste_pool_trade *trade = &pool->trades[number];
    uint64_t bit = UINT64_C(1) << (version - 1);
    if (!(trade->versions & bit)) {
        trade->versions |= bit;
        trade->body_hash = hash;
        count_new(pool, number, trade, now_ns);
    } else if (trade->versions >> (version - 1) == 1 && hash != 0 && trade->body_hash != 0 &&
               trade->body_hash != hash) {
        pool->conflicts++; /* told for the latest version only: of older ones no hash is kept */
    } else {
        pool->repeats++;
        pool->redelivered += redelivered;
    }
    return true;
}

bool ste_pool_take(struct ste_pool *pool, struct ste_bytes message_id, struct ste_bytes body,
                   bool redelivered, uint64_t now_ns)
{
    return take(pool, message_id, ste_hash64_of(body), redelivered, now_ns);
}

bool ste_pool_resume(struct ste_pool *pool, struct ste_bytes message_id, uint64_t arrived_us)
{
    return take(pool, message_id, 0, false, arrived_us * 1000);
}

bool ste_pool_is_over(struct ste_pool *pool, bool connected, uint64_t now_ns, uint64_t *heard_ns)
{
    bool sent =
        !pool->flow || atomic_load(&pool->flow->confirmed_messages) >= pool->flow->to_confirm;
    if (pool->expect > 0 && sent && ste_pool_missing(pool) == 0)
        return now_ns - *heard_ns > STE_NS_PER_MS * POOL_LINGER_MS;
    if (!sent && !connected) /* nobody can be heard: the drivers' patience decides */
        *heard_ns = now_ns;
    uint64_t last_ns = *heard_ns;
    if (pool->flow) {
        uint64_t confirm_ns =
            atomic_load_explicit(&pool->flow->last_confirm_ns, memory_order_relaxed);
        last_ns = confirm_ns > last_ns ? confirm_ns : last_ns;
    }
    if (pool->idle_s == 0 || now_ns < last_ns || now_ns - last_ns < STE_NS_PER_S * pool->idle_s)
        return false;
    pool->timed_out = pool->expect > 0;
    return true;
}

void ste_pool_deinit(struct ste_pool *pool)
{
    ste_keymap_deinit(&pool->own_trades);
    free(pool->trades);
    pool->trades = NULL;
    pool->trade_capacity = 0;
}

uint64_t ste_pool_missing(const struct ste_pool *pool)
{
    uint64_t seen = atomic_load(&pool->seen_trades) - pool->unexpected;
    return pool->expect > seen ? pool->expect - seen : 0;
}

void ste_pool_put(const struct ste_pool *pool, struct ste_facts *facts)
{
    ste_facts_uint(facts, "cls", pool->cls);
    ste_facts_uint(facts, "cls_trades", atomic_load(&pool->seen_trades));
    ste_facts_uint(facts, "cls_expected", pool->expect);
    ste_facts_uint(facts, "cls_missing", ste_pool_missing(pool));
    ste_facts_uint(facts, "cls_unexpected", pool->unexpected);
    ste_facts_uint(facts, "repeats", pool->repeats);
    ste_facts_uint(facts, "redelivered", pool->redelivered);
    ste_facts_uint(facts, "conflicts", pool->conflicts);
    ste_facts_uint(facts, "unknown", pool->unknown);
    ste_facts_uint(facts, "malformed", pool->malformed);
    ste_facts_uint(facts, "pool_reconnects", pool->reconnects);
}
