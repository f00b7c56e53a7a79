/* SPDX-License-Identifier: Apache-2.0
 * Stops 6 to 9 for a batch, and the one place that turns a failure's class into action: the same
 * again, halves, one message per transaction, giving a message up, or closing everything. */
#include "base/clock.h"
#include "base/fault.h"
#include "node/worker.h"

enum {
    DEADLOCK_TRIES = 20,
    LOCK_TIMEOUT_TRIES = 20, /* of a single message; larger ranges are halved first */
    FULL_TRIES = 1200,       /* a full or read-only database is waited for, 1 s each time: the
                                deliveries stay unacked, below the broker's consumer timeout */
    FULL_PAUSE_MS = 1000,
    REOPEN_TRIES = 3, /* a range whose connection goes away again and again waits with the shard */
};

/* Stops 6 to 9 once. */
static enum ste_code attempt(struct ste_node_worker *worker, struct ste_range range,
                             struct ste_error *err)
{
    struct ste_loaded loaded;
    struct ste_effects effects;
    ste_arena_reset(worker->attempt);
    STE_FAULT_POINT("node-before-load");
    const uint64_t start_ns = ste_clock_thread_cpu_ns();
    enum ste_code rc = ste_shard_begin(worker->shard, err);
    if (rc == STE_OK)
        rc = ste_node_load(worker, range, &loaded, err);
    const uint64_t loaded_ns = ste_clock_thread_cpu_ns();
    if (rc == STE_OK)
        rc = ste_node_decide(worker, range, &loaded, &effects, err);
    ste_obs_add(worker->counters, STE_M_LOAD_NS, loaded_ns - start_ns);
    ste_obs_add(worker->counters, STE_M_DECIDE_NS, ste_clock_thread_cpu_ns() - loaded_ns);
    if (rc == STE_OK)
        rc = ste_node_commit(worker, range, &loaded, &effects, err);
    if (rc != STE_OK)
        ste_shard_rollback(worker->shard);
    return rc;
}

static enum ste_code commit_range(struct ste_node_worker *worker, struct ste_range range,
                                  struct ste_error *err);

static enum ste_code commit_parts(struct ste_node_worker *worker, struct ste_range range,
                                  size_t part, struct ste_error *err)
{
    for (size_t first = 0; first < range.count; first += part) {
        const size_t count = range.count - first < part ? range.count - first : part;
        const enum ste_code rc =
            commit_range(worker, (struct ste_range){range.works + first, count}, err);
        if (rc != STE_OK)
            return rc;
    }
    return STE_OK;
}

/* Lets the broker know that we are there: the database may take longer than a heartbeat. */
static enum ste_code beat(struct ste_node_worker *worker, struct ste_error *err)
{
    const enum ste_code rc = ste_mq_pump(worker->consume, 0, err);
    return rc == STE_OK ? ste_mq_pump(worker->relay.publish, 0, err) : rc;
}

/* Waits without letting the broker think that we are gone. */
static enum ste_code pause_for_database(struct ste_node_worker *worker, const struct ste_error *why,
                                        struct ste_error *err)
{
    ste_obs_not_ready(worker->counters, "database full or read-only");
    ste_log_error(&worker->daemon->log, STE_LOG_WARN, "shard.waiting", why);
    ste_daemon_pause(worker->daemon, FULL_PAUSE_MS);
    enum ste_code rc = beat(worker, err);
    if (rc == STE_OK && ste_daemon_stopping(worker->daemon))
        rc = ste_error_set(err, STE_E_STOPPING, "stopping while the database is full");
    return rc;
}

/* Its day may have been purged since table `day` was read: then it is late, and nobody's fault. */
static enum ste_code check_again(struct ste_node_worker *worker, struct ste_work *work,
                                 bool *ret_is_late, struct ste_error *err)
{
    const bool needed_trade = work->needs_trade;
    enum ste_code rc = needed_trade ? ste_node_read_days(worker, err) : STE_OK;
    if (rc == STE_OK && needed_trade)
        rc = ste_node_check(worker, work, err);
    *ret_is_late = needed_trade && !work->needs_trade;
    return rc;
}

/* A message that no transaction takes is kept as an exception instead. */
static enum ste_code give_up(struct ste_node_worker *worker, struct ste_range range,
                             struct ste_error *err)
{
    struct ste_work *const work = range.works[0];
    struct ste_error trouble = {0};
    bool is_late = false;
    const enum ste_code rc = check_again(worker, work, &is_late, &trouble);
    if (rc != STE_OK) {
        *err = trouble;
        return rc;
    }
    if (is_late)
        return commit_range(worker, range, err);
    ste_log_error(&worker->daemon->log, STE_LOG_ERROR, "message.given_up", err);
    if (work->record.message.exc.code == STE_C_XCRS)
        return ste_error_set(err, STE_E_SHARD_DOWN, "even the exception could not be stored");
    ste_work_give_up(work, worker->batch.arena, err->text);
    return commit_range(worker, range, err);
}

struct tries {
    unsigned deadlocks, lock_timeouts, fulls, reopens;
};

/* Gets ready for the same range again: STE_OK, or what is to be done about it otherwise. */
static enum ste_code again(struct ste_node_worker *worker, struct tries *tries, enum ste_code rc,
                           struct ste_error *err)
{
    const struct ste_error why = *err;
    if (rc == STE_E_SHARD_DEADLOCK && ++tries->deadlocks < DEADLOCK_TRIES)
        return STE_OK;
    if (rc == STE_E_SHARD_LOCK_TIMEOUT && ++tries->lock_timeouts < LOCK_TIMEOUT_TRIES)
        return beat(worker, err);
    if (rc == STE_E_SHARD_FULL && ++tries->fulls < FULL_TRIES)
        return pause_for_database(worker, &why, err);
    /* To close the channel would count against every delivery that was prefetched. */
    if (rc == STE_E_SHARD_DOWN && ++tries->reopens <= REOPEN_TRIES) {
        const enum ste_code reopened = ste_node_reopen_shard(worker, err);
        return reopened == STE_OK ? beat(worker, err) : reopened;
    }
    return rc;
}

static enum ste_code commit_range(struct ste_node_worker *worker, struct ste_range range,
                                  struct ste_error *err)
{
    struct tries tries = {0};
    for (;;) {
        enum ste_code rc = attempt(worker, range, err);
        if (rc == STE_OK) {
            if (tries.fulls > 0)
                ste_obs_not_ready(worker->counters, NULL);
            return STE_OK;
        }
        ste_obs_add(worker->counters, STE_M_REDONE, 1);
        if (rc == STE_E_SHARD_LOCK_TIMEOUT && range.count > 1) {
            rc = beat(worker, err);
            return rc == STE_OK ? commit_parts(worker, range, (range.count + 1) / 2, err) : rc;
        }
        rc = again(worker, &tries, rc, err);
        if (rc == STE_OK)
            continue;
        if (ste_code_class(rc) != STE_CLASS_REJECT)
            return rc;
        ste_obs_add(worker->counters, STE_M_SINGLED, 1);
        return range.count > 1 ? commit_parts(worker, range, 1, err) : give_up(worker, range, err);
    }
}

enum ste_code ste_node_transact(struct ste_node_worker *worker, struct ste_error *err)
{
    struct ste_batch *const batch = &worker->batch;
    for (size_t i = 0; i < batch->work_count; i++) {
        const enum ste_code rc = ste_node_check(worker, batch->works[i], err);
        if (rc != STE_OK)
            return rc;
    }
    if (batch->work_count > 0) {
        const enum ste_code rc =
            commit_range(worker, (struct ste_range){batch->works, batch->work_count}, err);
        if (rc != STE_OK)
            return rc;
    }
    STE_FAULT_POINT("node-before-ack");
    /* Deliveries of a connection come in the order of their tags: the last one stands for all. */
    return ste_mq_ack(worker->consume, batch->deliveries[batch->delivery_count - 1].tag, true, err);
}
