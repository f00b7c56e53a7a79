/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/pool.h"

#include <stdio.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/retry.h"
#include "bench/reach.h"
#include "mq/mq.h"
#include "mq/names.h"

enum {
    POOL_PREFETCH = 2048,
    POOL_GROUP = 512,
    POOL_GROUP_MS = 50,
    POOL_WAIT_MS = 100,
    POOL_RETRY_BASE_MS = 50,
    POOL_RETRY_LIMIT_MS = 2000,
};

struct pooling {
    struct ste_pool *pool;
    struct ste_mq *mq;
    struct ste_retry retry;
    struct ste_reach reach;
    uint64_t group_tag, group_start_ns, heard_ns;
    unsigned group_count;
};

static enum ste_code connect_broker(struct pooling *pooling, struct ste_bench_jobs *jobs,
                                    struct ste_error *err)
{
    if (pooling->retry.attempt > 0)
        ste_clock_sleep_ms(ste_retry_next_ms(&pooling->retry));
    enum ste_code rc = ste_mq_open(pooling->pool->cluster, STE_ROLE_CLEARING, STE_MQ_CONSUME,
                                   "ste-bench pool", &pooling->mq, err);
    if (rc == STE_OK) {
        rc = ste_mq_consume(pooling->mq, STE_QUEUE_CLS, POOL_PREFETCH, "pool", false, err);
        if (rc != STE_OK) {
            ste_mq_close(pooling->mq);
            pooling->mq = NULL;
        }
    }
    if (rc == STE_OK) {
        if (pooling->reach.ever_connected)
            pooling->pool->reconnects++;
        else
            pooling->heard_ns = ste_clock_mono_ns();
        ste_reach_connected(&pooling->reach, jobs);
        ste_retry_reset(&pooling->retry);
        return STE_OK;
    }
    if (pooling->retry.attempt == 0)
        (void)ste_retry_next_ms(&pooling->retry);
    return ste_reach_failed(&pooling->reach, jobs, ste_clock_mono_ns(), err);
}

/* What was read and not acknowledged comes again on the next connection. */
static void disconnect(struct pooling *pooling)
{
    ste_mq_close(pooling->mq);
    pooling->mq = NULL;
    pooling->group_count = 0;
}

static enum ste_code end_group(struct pooling *pooling, struct ste_error *err)
{
    enum ste_code rc = STE_OK;
    if (pooling->group_count == 0)
        return STE_OK;
    if (pooling->pool->ledger)
        rc = ste_ledger_sync(pooling->pool->ledger, err);
    if (rc == STE_OK)
        rc = ste_mq_ack(pooling->mq, pooling->group_tag, true, err);
    if (rc == STE_OK)
        pooling->group_count = 0;
    return rc;
}

static enum ste_code take_delivery(struct pooling *pooling, struct ste_mq_delivery *delivery,
                                   struct ste_error *err)
{
    struct ste_pool *pool = pooling->pool;
    uint64_t now_ns = ste_clock_mono_ns();
    enum ste_code rc = STE_OK;
    if (!ste_pool_take(pool, delivery->message_id, delivery->body, delivery->redelivered, now_ns))
        rc = ste_error_set(err, STE_E_NOMEM, "out of memory");
    else if (pool->ledger)
        rc = ste_ledger_cls(pool->ledger, delivery->message_id, now_ns / 1000, err);
    if (pooling->group_count++ == 0)
        pooling->group_start_ns = now_ns;
    pooling->group_tag = delivery->tag;
    pooling->heard_ns = now_ns;
    ste_mq_delivery_free(delivery);
    return rc;
}

static enum ste_code step(struct pooling *pooling, struct ste_error *err)
{
    struct ste_mq_delivery delivery;
    bool got = false;
    int timeout_ms = pooling->group_count > 0 ? POOL_GROUP_MS / 2 : POOL_WAIT_MS;
    enum ste_code rc = ste_mq_receive(pooling->mq, timeout_ms, &delivery, &got, err);
    if (rc == STE_OK && got)
        rc = take_delivery(pooling, &delivery, err);
    if (rc != STE_OK || pooling->group_count == 0)
        return rc;
    uint64_t age_ns = ste_clock_mono_ns() - pooling->group_start_ns;
    if (pooling->group_count >= POOL_GROUP || age_ns >= STE_NS_PER_MS * POOL_GROUP_MS)
        rc = end_group(pooling, err);
    return rc;
}

void ste_pool_tell_timeout(const struct ste_pool *pool)
{
    if (!pool->timed_out)
        return;
    fprintf(stderr,
            "ste-bench: gave up after %u s without a clearing message (--idle): does every node "
            "run (deploy/lab status)?\n"
            "Trades that were sent before clear only once: another --seed or --first\n",
            pool->idle_s);
}

/* Before the first connection nothing can be over. */
static bool is_over(struct pooling *pooling)
{
    return pooling->reach.ever_connected &&
           ste_pool_is_over(pooling->pool, pooling->mq != NULL, ste_clock_mono_ns(),
                            &pooling->heard_ns);
}

enum ste_code ste_pool_run(void *context, struct ste_bench_jobs *jobs, struct ste_error *err)
{
    struct pooling pooling = {.pool = context, .heard_ns = ste_clock_mono_ns()};
    ste_retry_init(&pooling.retry, POOL_RETRY_BASE_MS, POOL_RETRY_LIMIT_MS,
                   ste_clock_mono_ns() ^ (uint64_t)getpid());
    enum ste_code rc = STE_OK;
    while (!ste_bench_stopping(jobs) && !is_over(&pooling)) {
        rc = pooling.mq ? step(&pooling, err) : connect_broker(&pooling, jobs, err);
        if (rc == STE_E_MQ_DOWN || (rc == STE_E_MQ_REFUSED && pooling.mq)) {
            ste_reach_lost(jobs, err);
            disconnect(&pooling);
            rc = STE_OK;
        }
        if (rc != STE_OK)
            break;
    }
    if (rc == STE_OK && pooling.mq) {
        rc = end_group(&pooling, err);
        if (rc == STE_E_MQ_DOWN)
            rc = STE_OK; /* the group comes again, to whoever reads next */
    }
    ste_mq_close(pooling.mq);
    return rc;
}
