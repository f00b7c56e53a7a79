/* SPDX-License-Identifier: Apache-2.0 */
#include "node/worker.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/retry.h"
#include "mq/names.h"

enum {
    PREFETCH = 256, /* per queue; deliveries of up to 64 kB */
    IDLE_WAIT_MS = 50,
    DRAIN_WAIT_MS = 20,
};
static const uint64_t ping_ns = 4 * STE_NS_PER_S; /* the server drops us after 10 s */
static const uint64_t delete_idle_ns = 200 * STE_NS_PER_MS;
static const uint64_t sweep_ns = STE_NS_PER_S;
static const uint64_t drain_ns = 2 * STE_NS_PER_S;
static const uint64_t days_ns = STE_NS_PER_S; /* how long a closed day may still be taken */

enum ste_code ste_node_read_days(struct ste_node_worker *worker, struct ste_error *err)
{
    ste_date *open = NULL;
    size_t count = 0;
    ste_arena_reset(worker->days_arena);
    const enum ste_code rc = ste_shard_days(worker->shard, worker->days_arena, &open, &count, err);
    if (rc == STE_OK) {
        worker->days = (struct ste_days){.open = open, .open_count = count};
        worker->days_read_ns = ste_clock_mono_ns();
    }
    return rc;
}

/* House-keeping that meets a lock or a full database can wait: only a lost connection cannot. */
static enum ste_code may_wait(enum ste_code rc)
{
    const bool later =
        rc == STE_E_SHARD_DEADLOCK || rc == STE_E_SHARD_LOCK_TIMEOUT || rc == STE_E_SHARD_FULL;
    return later ? STE_OK : rc;
}

/* Confirmed rows go with the next transaction; without one, after a moment on their own. */
static enum ste_code delete_confirmed(struct ste_node_worker *worker, uint64_t now_ns,
                                      struct ste_error *err)
{
    struct ste_settle *const settle = &worker->relay.settle;
    if (settle->confirmed_count == 0 || now_ns - settle->confirmed_since_ns < delete_idle_ns)
        return STE_OK;
    const enum ste_code rc =
        ste_shard_delete_outbox(worker->shard, settle->confirmed, settle->confirmed_count, err);
    if (rc == STE_OK)
        settle->confirmed_count = 0;
    else
        settle->confirmed_since_ns = now_ns; /* not again at once */
    return may_wait(rc);
}

static enum ste_code sweep(struct ste_node_worker *worker, uint64_t now_ns, struct ste_error *err)
{
    bool more = false;
    if (now_ns - worker->swept_ns <= sweep_ns || ste_mq_blocked(worker->relay.publish))
        return STE_OK;
    const enum ste_code rc =
        ste_relay_sweep(&worker->relay, worker->shard, worker->attempt, &more, err);
    worker->swept_ns = more ? 0 : now_ns;
    return may_wait(rc);
}

static enum ste_code ping(struct ste_node_worker *worker, uint64_t now_ns, struct ste_error *err)
{
    if (now_ns - worker->pinged_ns <= ping_ns)
        return STE_OK;
    worker->pinged_ns = now_ns;
    return ste_shard_ping(worker->shard, err);
}

/* Records are still taken and committed: what they send waits in the outbox. */
static void tell_blocked(struct ste_node_worker *worker)
{
    const bool blocked = ste_mq_blocked(worker->relay.publish);
    if (blocked != worker->told_blocked)
        ste_obs_not_ready(worker->counters, blocked ? "the broker blocks publishers" : NULL);
    worker->told_blocked = blocked;
}

static enum ste_code keep_house(struct ste_node_worker *worker, bool idle, struct ste_error *err)
{
    enum ste_code rc = ste_mq_pump(worker->relay.publish, 0, err);
    const uint64_t now_ns = ste_clock_mono_ns();
    if (rc == STE_OK && idle)
        rc = delete_confirmed(worker, now_ns, err);
    if (rc == STE_OK && now_ns - worker->days_read_ns > days_ns)
        rc = ste_node_read_days(worker, err);
    if (rc == STE_OK)
        rc = sweep(worker, now_ns, err);
    if (rc == STE_OK && idle)
        rc = ping(worker, now_ns, err);
    tell_blocked(worker);
    ste_obs_set(worker->counters, STE_M_UNCONFIRMED, ste_mq_unconfirmed(worker->relay.publish));
    return rc;
}

enum ste_code ste_node_reopen_shard(struct ste_node_worker *worker, struct ste_error *err)
{
    const struct ste_error why = *err;
    struct ste_shard *shard = NULL;
    const enum ste_code rc = ste_shard_open(worker->daemon->cluster, worker->assignment->shard,
                                            STE_DB_NODE, &shard, err);
    if (rc != STE_OK)
        return rc;
    ste_shard_close(worker->shard);
    worker->shard = shard;
    worker->pinged_ns = ste_clock_mono_ns();
    ste_obs_add(worker->counters, STE_M_RECONNECTS, 1);
    ste_log_error(&worker->daemon->log, STE_LOG_WARN, "shard.reopened", &why);
    return STE_OK;
}

struct moment {
    uint64_t cpu_ns, mono_ns;
};

/* A turn's work: its CPU and the time in database calls. The CPU of those calls is in both, so the
 * turn's time since `received` is the most that it can have been. */
static void count_busy(struct ste_node_worker *worker, uint64_t start_cpu_ns,
                       const struct moment *received)
{
    const struct moment now = {ste_clock_thread_cpu_ns(), ste_clock_mono_ns()};
    const uint64_t db_ns = ste_shard_wait_ns(worker->shard);
    const uint64_t waited_ns = db_ns - (db_ns < worker->db_ns ? 0 : worker->db_ns); /* reopened */
    const uint64_t work_ns = now.cpu_ns - received->cpu_ns + waited_ns;
    const uint64_t passed_ns = now.mono_ns - received->mono_ns;
    worker->db_ns = db_ns;
    worker->busy_ns +=
        received->cpu_ns - start_cpu_ns + (work_ns < passed_ns ? work_ns : passed_ns);
    ste_obs_set(worker->counters, STE_M_DB_NS, db_ns);
    ste_obs_set(worker->counters, STE_M_BUSY_NS, now.cpu_ns);
    ste_obs_types_flush(worker->counters, &worker->types, worker->busy_ns);
}

static enum ste_code transact(struct ste_node_worker *worker, struct ste_error *err)
{
    const uint64_t start_ns = ste_clock_mono_ns();
    const enum ste_code rc = ste_node_transact(worker, err);
    if (rc == STE_OK)
        ste_batch_adapt(&worker->batch, ste_clock_mono_ns() - start_ns);
    return rc;
}

/* The loop of a shard worker: receive, check and load, decide, commit, ack, relay. */
static enum ste_code run_connected(struct ste_node_worker *worker, struct ste_error *err)
{
    while (!ste_daemon_stopping(worker->daemon)) {
        const uint64_t start_ns = ste_clock_thread_cpu_ns();
        enum ste_code rc = ste_node_receive(worker, IDLE_WAIT_MS, err);
        const struct moment received = {ste_clock_thread_cpu_ns(), ste_clock_mono_ns()};
        ste_obs_add(worker->counters, STE_M_RECEIVE_NS, received.cpu_ns - start_ns);
        const bool idle = worker->batch.delivery_count == 0;
        if (rc == STE_OK && !idle)
            rc = transact(worker, err);
        if (rc == STE_OK) {
            rc = keep_house(worker, idle, err);
            if (rc == STE_E_SHARD_DOWN)
                rc = ste_node_reopen_shard(worker, err);
        }
        count_busy(worker, start_ns, &received);
        if (rc != STE_OK)
            return rc;
    }
    return STE_OK;
}

/* Confirms of what was sent last, so that their rows need no sweeper. */
static enum ste_code drain(struct ste_node_worker *worker, struct ste_error *err)
{
    const uint64_t limit_ns = ste_clock_mono_ns() + drain_ns;
    enum ste_code rc = STE_OK;
    while (rc == STE_OK && ste_mq_unconfirmed(worker->relay.publish) > 0 &&
           ste_clock_mono_ns() < limit_ns)
        rc = ste_mq_pump(worker->relay.publish, DRAIN_WAIT_MS, err);
    if (rc == STE_OK && worker->relay.settle.confirmed_count > 0)
        rc = ste_shard_delete_outbox(worker->shard, worker->relay.settle.confirmed,
                                     worker->relay.settle.confirmed_count, err);
    return rc;
}

/* The suspect queue first: what rests there is done before a batch of others can kill the worker
 * and count against the innocent one in hand. */
static enum ste_code consume_queues(struct ste_node_worker *worker, struct ste_error *err)
{
    char queue[STE_MQ_NAME_BYTES];
    ste_mq_suspect_queue(worker->assignment->shard, queue);
    enum ste_code rc = ste_mq_consume(worker->consume, queue, 1, "suspect", false, err);
    for (unsigned type = 0; rc == STE_OK && type < STE_QUEUE_TYPE_COUNT; type++) {
        if ((worker->assignment->types & (1u << type)) == 0)
            continue;
        ste_mq_work_queue(type, worker->assignment->shard, queue);
        rc = ste_mq_consume(worker->consume, queue, PREFETCH, ste_queue_types[type], false, err);
    }
    return rc;
}

/* The shard first: nothing is consumed before it answers and is the one the map says. */
static enum ste_code connect_all(struct ste_node_worker *worker, struct ste_error *err)
{
    const struct ste_cluster *const cluster = worker->daemon->cluster;
    const char *const name = worker->daemon->name;
    enum ste_code rc =
        ste_shard_open(cluster, worker->assignment->shard, STE_DB_NODE, &worker->shard, err);
    if (rc == STE_OK)
        rc = ste_node_read_days(worker, err);
    if (rc == STE_OK)
        rc = ste_relay_open(&worker->relay, cluster, worker->daemon->ref, name, worker->counters,
                            err);
    if (rc == STE_OK)
        rc = ste_mq_open(cluster, STE_ROLE_NODE, STE_MQ_CONSUME, name, &worker->consume, err);
    if (rc == STE_OK)
        rc = consume_queues(worker, err);
    worker->pinged_ns = ste_clock_mono_ns();
    return rc;
}

static void disconnect(struct ste_node_worker *worker)
{
    ste_batch_clear(&worker->batch);
    if (worker->has_aside)
        ste_mq_delivery_free(&worker->aside);
    worker->has_aside = false;
    ste_mq_close(worker->consume);
    worker->consume = NULL;
    ste_relay_close(&worker->relay);
    ste_shard_close(worker->shard);
    worker->shard = NULL;
}

/* A record that only a newer node can read is left in its queue: this worker stops consuming. */
static void rest_for_newer(struct ste_node_worker *worker, const struct ste_error *err)
{
    ste_obs_not_ready(worker->counters, "records of a newer version: this node must be upgraded");
    ste_log_error(&worker->daemon->log, STE_LOG_ERROR, "node.too_old", err);
    disconnect(worker);
    while (!ste_daemon_stopping(worker->daemon))
        ste_daemon_pause(worker->daemon, 1000);
}

static const char *reason_of(enum ste_code rc)
{
    switch (rc) {
    case STE_E_SHARD_IDENTITY:
        return "shard is not the one the map says";
    case STE_E_SHARD_SCHEMA:
        return "shard has another schema version";
    case STE_E_SHARD_DOWN:
    case STE_E_SHARD_REFUSED:
        return "not connected to the shard";
    default:
        return "not connected to the broker";
    }
}

static void log_connected(const struct ste_node_worker *worker)
{
    const struct ste_log *const log = &worker->daemon->log;
    const char *const warning = ste_shard_warning(worker->shard);
    char quoted[512];
    ste_log_line(log, STE_LOG_INFO, "node.connected", "shard=%u", worker->assignment->shard);
    if (warning != NULL)
        ste_log_line(log, STE_LOG_WARN, "shard.warning", "shard=%u text=%s",
                     worker->assignment->shard, ste_log_quote(warning, quoted, sizeof(quoted)));
}

static enum ste_code run_with_reconnects(struct ste_node_worker *worker, struct ste_error *err)
{
    struct ste_retry retry;
    ste_retry_init(&retry, 100, 3000, ste_clock_mono_ns() ^ worker->worker_id);
    while (!ste_daemon_stopping(worker->daemon)) {
        enum ste_code rc = connect_all(worker, err);
        if (rc == STE_OK) {
            ste_retry_reset(&retry);
            ste_obs_not_ready(worker->counters, NULL);
            worker->told_blocked = false;
            log_connected(worker);
            rc = run_connected(worker, err);
            if (rc == STE_OK)
                rc = drain(worker, err);
        }
        disconnect(worker);
        if (rc == STE_OK || rc == STE_E_NOMEM || rc == STE_E_STOPPING)
            return rc;
        if (rc == STE_E_RECORD_VERSION) {
            rest_for_newer(worker, err);
            return STE_OK;
        }
        ste_obs_not_ready(worker->counters, reason_of(rc));
        ste_obs_add(worker->counters, STE_M_RECONNECTS, 1);
        ste_log_error(&worker->daemon->log, STE_LOG_WARN, "node.disconnected", err);
        ste_daemon_pause(worker->daemon, ste_retry_next_ms(&retry));
    }
    return STE_OK;
}

static enum ste_code init(struct ste_node_worker *worker, struct ste_worker_slot *slot,
                          struct ste_error *err)
{
    struct ste_daemon *const daemon = slot->daemon;
    worker->daemon = daemon;
    worker->counters = slot->counters;
    worker->assignment = slot->job;
    /* Unique among live workers, and over restarts. */
    worker->worker_id =
        ste_hash64_of(ste_bytes_of(daemon->name)) ^ (ste_clock_wall_us() << 8) ^ slot->number;
    worker->rules = (struct ste_rules){.ref = daemon->ref,
                                       .business_date = daemon->cluster->business_date,
                                       .days = &worker->days,
                                       .shard_count = daemon->cluster->shard_count};
    if (!ste_match_key_init(&worker->rules.match_key, daemon->cluster->match_key,
                            daemon->cluster->match_key_count))
        return ste_error_set(err, STE_E_CONFIG,
                             "cluster.match_key names a field that cannot be one");
    worker->days_arena = ste_arena_new(0);
    worker->attempt = ste_arena_new(0);
    if (worker->days_arena == NULL || worker->attempt == NULL)
        return ste_error_set(err, STE_E_NOMEM, "could not make a node worker");
    return ste_batch_init(&worker->batch, err);
}

enum ste_code ste_node_run(struct ste_worker_slot *slot, struct ste_error *err)
{
    struct ste_node_worker *const worker = calloc(1, sizeof(*worker));
    if (worker == NULL)
        return ste_error_set(err, STE_E_NOMEM, "could not make a node worker");
    enum ste_code rc = init(worker, slot, err);
    if (rc == STE_OK)
        rc = run_with_reconnects(worker, err);
    if (worker->batch.arena != NULL)
        disconnect(worker);
    ste_batch_deinit(&worker->batch);
    ste_arena_free(worker->attempt);
    ste_buf_deinit(&worker->states);
    ste_arena_free(worker->days_arena);
    free(worker);
    return rc;
}
