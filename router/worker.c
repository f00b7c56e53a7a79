/* SPDX-License-Identifier: Apache-2.0
 * Stops 2 to 4 of a message's path (docs/MESSAGE_PATH.md):
 *
 *   ste.in ──► receive ──► decode, verify ──► route, gather ──► publish ──► typed queue
 *                 ▲                                                │ confirm
 *                 └──── ack, lowest contiguous prefix first ◄──────┘
 */
#include "router/worker.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/fault.h"
#include "base/retry.h"
#include "mq/names.h"
#include "router/decode.h"
#include "router/gather.h"
#include "router/intake.h"

enum {
    PREFETCH = 2048,
    DEAD_PREFETCH = 16,        /* dead letters are rare, and each may be large */
    HELD_BYTES_MAX = 32 << 20, /* the socket is not read while more is held */
    RECEIVE_BURST = 64,        /* deliveries between two looks at confirms and clocks */
    RESEND_MS = 200,           /* a nacked or returned publication waits this long */
    DRAIN_MS = 10000,
    DRAIN_WAIT_MS = 10,
    SOON_WAIT_MS = 1, /* something gathered or owed is due soon */
    IDLE_WAIT_MS = 100,
    RETRY_FIRST_MS = 100,
    RETRY_LIMIT_MS = 5000,
};
/* A gathered publication closes after gather_ns, and waits for the confirm of the one before it in
 * its queue, but no longer than gather_patience_ns. */
static const uint64_t gather_ns = 1 * STE_NS_PER_MS, gather_patience_ns = 50 * STE_NS_PER_MS;
static const uint64_t ack_window_ns = 4 * STE_NS_PER_MS;

struct worker {
    struct ste_daemon *daemon;
    struct ste_obs_worker *counters;
    struct ste_mq *consume, *publish;
    struct ste_decoder decoder;
    struct ste_match_key match_key;
    struct ste_arena *arena;
    struct ste_intake intake;
    struct ste_gather gather;
    uint64_t ack_tag, ack_since_ns; /* the ack that is owed */
    bool ack_owed;
    struct ste_obs_types types; /* what was done since the last count_busy */
    const char *refusal; /* a typed queue nacked or returned: not ready until one confirms again */
    const char *told;    /* what /readyz says while connected */
};

static void tell_readiness(struct worker *worker)
{
    const char *const why =
        ste_mq_blocked(worker->publish) ? "the broker blocks publishers" : worker->refusal;
    if (why != worker->told)
        ste_obs_not_ready(worker->counters, why);
    worker->told = why;
}

static void on_settled(void *context, uint64_t cookie, enum ste_mq_outcome outcome)
{
    struct worker *const worker = context;
    struct ste_publication *const publication = (struct ste_publication *)(uintptr_t)cookie;
    if (outcome != STE_MQ_CONFIRMED) {
        worker->refusal = outcome == STE_MQ_NACKED ? "a typed queue refuses messages"
                                                   : "a typed queue is missing";
        ste_gather_wait(&worker->gather, publication,
                        ste_clock_mono_ns() + RESEND_MS * STE_NS_PER_MS);
        return;
    }
    worker->refusal = NULL;
    for (uint32_t i = 0; i < publication->source_count; i++)
        ste_intake_confirm(&worker->intake, publication->sources[i].sequence,
                           publication->sources[i].records);
    worker->types.completions[publication->route.type] += publication->record_count;
    ste_obs_add(worker->counters, STE_M_COMPLETIONS, publication->record_count);
    ste_obs_add(worker->counters, STE_M_BATCHES, 1);
    ste_gather_done(&worker->gather, publication);
}

/* Path stop 2: takes one delivery, if one is there. Not acked before stop 4 is done with it. */
static enum ste_code ste_router_receive(struct worker *worker, struct ste_mq_delivery *ret,
                                        uint64_t *ret_sequence, bool *ret_got,
                                        struct ste_error *err)
{
    const enum ste_code rc = ste_mq_receive(worker->consume, 0, ret, ret_got, err);
    if (rc != STE_OK || !*ret_got)
        return rc;
    *ret_sequence = ste_intake_take(&worker->intake, ret->tag, ret->body.len);
    ste_obs_add(worker->counters, STE_M_ARRIVALS, 1);
    return STE_OK;
}

/* Before stop 4: every record of the decoded delivery joins the publication of its queue. */
static enum ste_code ste_router_route(struct worker *worker, struct ste_record *records,
                                      size_t count, uint64_t sequence, struct ste_error *err)
{
    const uint64_t now_ns = ste_clock_mono_ns();
    for (size_t i = 0; i < count; i++) {
        struct ste_route route;
        if (!ste_route_pick(&records[i], &worker->match_key, worker->daemon->cluster->shard_count,
                            worker->arena, &route))
            return ste_error_set(err, STE_E_NOMEM, "could not route a record");
        worker->types.arrivals[route.type]++;
        ste_intake_add(&worker->intake, sequence);
        if (!ste_gather_add(&worker->gather, route, &records[i], sequence, now_ns))
            return ste_error_set(err, STE_E_NOMEM, "could not gather a record");
    }
    ste_obs_add(worker->counters, STE_M_RECORDS, count);
    return STE_OK;
}

/* Path stop 4: what is ready goes out as far as the window allows. */
static enum ste_code ste_router_publish(struct worker *worker, struct ste_error *err)
{
    struct ste_publication *publication;
    while ((publication = ste_gather_next(&worker->gather)) != NULL) {
        char key[STE_MQ_NAME_BYTES];
        ste_mq_work_key(publication->route.type, publication->route.shard, key);
        const struct ste_mq_message message = {.exchange = STE_EXCHANGE_WORK,
                                               .routing_key = ste_bytes_of(key),
                                               .record_count = publication->record_count,
                                               .body = ste_buf_bytes(&publication->body)};
        const enum ste_code rc =
            ste_mq_publish(worker->publish, &message, (uint64_t)(uintptr_t)publication, err);
        if (rc == STE_E_MQ_WINDOW || rc == STE_E_MQ_BLOCKED)
            return STE_OK; /* stays first in line */
        if (rc != STE_OK)
            return rc;
        ste_gather_sent(&worker->gather, publication);
    }
    return STE_OK;
}

static enum ste_code take_one(struct worker *worker, bool *ret_got, struct ste_error *err)
{
    struct ste_mq_delivery delivery = {0};
    struct ste_record *records = NULL;
    size_t count = 0;
    uint64_t sequence = 0;
    enum ste_code rc = ste_router_receive(worker, &delivery, &sequence, ret_got, err);
    if (rc != STE_OK || !*ret_got)
        return rc;
    ste_arena_reset(worker->arena);
    if (ste_bytes_equal(delivery.consumer_tag, STE_BYTES(STE_QUEUE_DEAD)))
        rc = ste_decode_dead(&worker->decoder, &delivery, worker->arena, &records, &count, err);
    else
        rc = ste_decode_delivery(&worker->decoder, &delivery, worker->arena, &records, &count, err);
    if (rc == STE_OK)
        rc = ste_router_route(worker, records, count, sequence, err);
    if (rc == STE_OK)
        ste_intake_decoded(&worker->intake, sequence);
    ste_mq_delivery_free(&delivery);
    return rc;
}

static bool is_full(const struct worker *worker)
{
    return worker->intake.held_bytes > HELD_BYTES_MAX || ste_intake_full(&worker->intake);
}

/* The clock of a thread's CPU is a system call: read once a burst. */
static enum ste_code take_burst(struct worker *worker, bool *ret_idle, struct ste_error *err)
{
    const uint64_t start_ns = ste_clock_thread_cpu_ns();
    enum ste_code rc = STE_OK;
    bool got = true;
    for (unsigned i = 0; rc == STE_OK && got && i < RECEIVE_BURST && !is_full(worker); i++)
        rc = take_one(worker, &got, err);
    *ret_idle = !got;
    ste_obs_add(worker->counters, STE_M_DECODE_NS, ste_clock_thread_cpu_ns() - start_ns);
    return rc;
}

/* Acks go out in windows: each is a command in the log of ste.in. */
static enum ste_code ack_in_windows(struct worker *worker, struct ste_error *err)
{
    const uint64_t now_ns = ste_clock_mono_ns();
    if (ste_intake_ackable(&worker->intake, &worker->ack_tag) && !worker->ack_owed) {
        worker->ack_owed = true;
        worker->ack_since_ns = now_ns;
    }
    const bool nothing_follows = worker->intake.first == worker->intake.next;
    if (!worker->ack_owed || (!nothing_follows && now_ns - worker->ack_since_ns < ack_window_ns))
        return STE_OK;
    STE_FAULT_POINT("router-before-ack");
    worker->ack_owed = false;
    return ste_mq_ack(worker->consume, worker->ack_tag, true, err);
}

/* Confirms in, acks out. */
static enum ste_code settle(struct worker *worker, struct ste_error *err)
{
    enum ste_code rc = ste_mq_pump(worker->publish, 0, err);
    if (rc == STE_OK)
        rc = ack_in_windows(worker, err);
    ste_obs_set(worker->counters, STE_M_HELD_BYTES, worker->intake.held_bytes);
    ste_obs_set(worker->counters, STE_M_UNCONFIRMED, ste_mq_unconfirmed(worker->publish));
    return rc;
}

static enum ste_code send_and_settle(struct worker *worker, bool close_all, struct ste_error *err)
{
    const uint64_t now_ns = ste_clock_mono_ns(), start_ns = ste_clock_thread_cpu_ns();
    ste_gather_wake(&worker->gather, now_ns);
    ste_gather_close(&worker->gather, now_ns - (close_all ? 0 : gather_ns),
                     now_ns - (close_all ? 0 : gather_patience_ns));
    enum ste_code rc = ste_router_publish(worker, err);
    if (rc == STE_OK)
        rc = settle(worker, err);
    tell_readiness(worker);
    ste_obs_add(worker->counters, STE_M_PUBLISH_NS, ste_clock_thread_cpu_ns() - start_ns);
    return rc;
}

/* While the consuming socket is not read, the broker still wants to hear our heartbeats on it. */
static enum ste_code beat(struct worker *worker, struct ste_error *err)
{
    return ste_mq_wait(&worker->consume, 1, -1, 0, err);
}

/* Full (may_read false): only confirms can help. */
static enum ste_code wait_for_more(struct worker *worker, bool may_read, struct ste_error *err)
{
    struct ste_mq *const both[] = {worker->publish, worker->consume};
    const int wait_ms =
        worker->gather.open_count > 0 || worker->ack_owed ? SOON_WAIT_MS : IDLE_WAIT_MS;
    enum ste_code rc = may_read ? STE_OK : beat(worker, err);
    if (rc == STE_OK)
        rc = ste_mq_wait(both, may_read ? 2 : 1, worker->daemon->wake_fd, wait_ms, err);
    return rc;
}

static void count_busy(struct worker *worker)
{
    const uint64_t busy_ns = ste_clock_thread_cpu_ns();
    ste_obs_set(worker->counters, STE_M_BUSY_NS, busy_ns);
    ste_obs_types_flush(worker->counters, &worker->types, busy_ns);
}

static enum ste_code run_connected(struct worker *worker, struct ste_error *err)
{
    while (!ste_daemon_stopping(worker->daemon)) {
        bool idle = false;
        enum ste_code rc = take_burst(worker, &idle, err);
        if (rc == STE_OK)
            rc = send_and_settle(worker, false, err);
        if (rc != STE_OK)
            return rc;
        count_busy(worker);
        if (idle || is_full(worker))
            rc = wait_for_more(worker, idle, err);
        if (rc != STE_OK)
            return rc;
    }
    return STE_OK;
}

/* Take no more, finish what is in hand, ack. While the broker blocks nothing can be finished: it
 * comes again. */
static enum ste_code drain(struct worker *worker, struct ste_error *err)
{
    const uint64_t limit_ns = ste_clock_mono_ns() + DRAIN_MS * STE_NS_PER_MS;
    while (worker->intake.first != worker->intake.next && !ste_mq_blocked(worker->publish) &&
           ste_clock_mono_ns() < limit_ns) {
        enum ste_code rc = send_and_settle(worker, true, err);
        if (rc == STE_OK)
            rc = beat(worker, err);
        if (rc == STE_OK && worker->intake.first != worker->intake.next)
            rc = ste_mq_wait(&worker->publish, 1, -1, DRAIN_WAIT_MS, err);
        if (rc != STE_OK)
            return rc; /* what is not acked comes again */
    }
    return STE_OK;
}

static enum ste_code connect_all(struct worker *worker, struct ste_error *err)
{
    const struct ste_cluster *const cluster = worker->daemon->cluster;
    const char *const name = worker->daemon->name;
    enum ste_code rc =
        ste_mq_open(cluster, STE_ROLE_ROUTER, STE_MQ_PUBLISH, name, &worker->publish, err);
    if (rc != STE_OK)
        return rc;
    ste_mq_on_settled(worker->publish, on_settled, worker);
    ste_mq_gather(worker->publish, true); /* settle pumps after every round of publishes */
    rc = ste_mq_open(cluster, STE_ROLE_ROUTER, STE_MQ_CONSUME, name, &worker->consume, err);
    if (rc == STE_OK)
        rc = ste_mq_consume(worker->consume, STE_QUEUE_DEAD, DEAD_PREFETCH, STE_QUEUE_DEAD, false,
                            err);
    if (rc == STE_OK)
        rc = ste_mq_consume(worker->consume, STE_QUEUE_IN, PREFETCH, STE_QUEUE_IN, false, err);
    return rc;
}

static void disconnect(struct worker *worker)
{
    ste_mq_close(worker->consume);
    ste_mq_close(worker->publish);
    worker->consume = worker->publish = NULL;
    ste_gather_forget(&worker->gather);
    ste_intake_forget(&worker->intake);
    worker->ack_owed = false;
    worker->refusal = worker->told = NULL;
}

static enum ste_code run_with_reconnects(struct worker *worker, struct ste_error *err)
{
    struct ste_retry retry;
    ste_retry_init(&retry, RETRY_FIRST_MS, RETRY_LIMIT_MS, ste_clock_mono_ns());
    while (!ste_daemon_stopping(worker->daemon)) {
        enum ste_code rc = connect_all(worker, err);
        if (rc == STE_OK) {
            ste_retry_reset(&retry);
            ste_obs_not_ready(worker->counters, NULL);
            ste_log_line(&worker->daemon->log, STE_LOG_INFO, "router.connected", "");
            rc = run_connected(worker, err);
            if (rc == STE_OK)
                rc = drain(worker, err);
        }
        count_busy(worker);
        disconnect(worker);
        if (rc == STE_OK || rc == STE_E_NOMEM)
            return rc;
        /* A refused login or a missing queue waits for a person, but comes back by itself too. */
        ste_obs_not_ready(worker->counters, "not connected to the broker");
        ste_obs_add(worker->counters, STE_M_RECONNECTS, 1);
        ste_log_error(&worker->daemon->log, STE_LOG_WARN, "router.disconnected", err);
        ste_daemon_pause(worker->daemon, ste_retry_next_ms(&retry));
    }
    return STE_OK;
}

enum ste_code ste_router_run(struct ste_worker_slot *slot, struct ste_error *err)
{
    struct ste_daemon *const daemon = slot->daemon;
    struct worker *const worker = calloc(1, sizeof(*worker));
    if (worker == NULL)
        return ste_error_set(err, STE_E_NOMEM, "could not make a router worker");
    worker->daemon = daemon;
    worker->counters = slot->counters;
    worker->arena = ste_arena_new(0);
    enum ste_code rc = worker->arena == NULL
                           ? ste_error_set(err, STE_E_NOMEM, "could not make an arena")
                           : ste_decoder_init(&worker->decoder, daemon, slot->number, err);
    if (rc == STE_OK && !ste_match_key_init(&worker->match_key, daemon->cluster->match_key,
                                            daemon->cluster->match_key_count))
        rc = ste_error_set(err, STE_E_CONFIG, "cluster.match_key names a field that cannot be one");
    if (rc == STE_OK)
        rc = run_with_reconnects(worker, err);
    disconnect(worker);
    ste_decoder_deinit(&worker->decoder);
    ste_gather_deinit(&worker->gather);
    ste_arena_free(worker->arena);
    free(worker);
    return rc;
}
