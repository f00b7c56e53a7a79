/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/drive.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/retry.h"
#include "bench/reach.h"
#include "bench/window.h"
#include "mq/mq.h"
#include "msg/signature.h"

enum {
    DRIVE_PUMP_EVERY = 16, /* publishes between looks at what the broker sent */
    DRIVE_WAIT_MS = 50,
    DRIVE_MADE_WAIT_US = 200, /* for the next delivery to be made */
    DRIVE_DRAIN_MS = 5000,
    DRIVE_RETRY_BASE_MS = 50,
    DRIVE_RETRY_LIMIT_MS = 2000,
    DRIVE_MESSAGE_ID_BYTES = 64,
};

struct ste_drive_state {
    struct ste_window window;
    struct ste_signer *signer;
    struct ste_mq *mq;
    struct ste_buf body;
    struct ste_retry connect_retry, refused_retry;
    struct ste_reach reach;
    struct ste_delivery next; /* taken, and not sent before it may be */
    bool has_next, source_ended;
    uint64_t paused_until_ns, heard_ns; /* heard: connected, or something confirmed */
    unsigned since_pump;
    enum ste_code failed; /* inside a callback */
    struct ste_error failure;
};

static void message_id(const struct ste_drive *drive, const struct ste_window_place *place,
                       char *out)
{
    (void)snprintf(out, DRIVE_MESSAGE_ID_BYTES, "%s-%llu", drive->run_id,
                   (unsigned long long)place->delivery.number);
}

static void confirmed(struct ste_drive *drive, uint32_t at, uint64_t now_ns)
{
    struct ste_drive_state *state = drive->state;
    const struct ste_window_place *place = &state->window.places[at];
    const struct ste_delivery *delivery = &place->delivery;
    char id[DRIVE_MESSAGE_ID_BYTES];
    message_id(drive, place, id);
    if (drive->ledger) {
        struct ste_error err = {0};
        enum ste_code rc = ste_ledger_delivery(drive->ledger, id, delivery->entries,
                                               delivery->count, now_ns / 1000, &err);
        if (rc != STE_OK && state->failed == STE_OK) {
            state->failed = rc;
            state->failure = err;
        }
    }
    if (drive->flow)
        ste_flow_confirmed(drive->flow, delivery->entries, delivery->count, now_ns / 1000,
                           place->due_ns / 1000);
    atomic_fetch_add_explicit(&drive->confirmed_messages, delivery->count, memory_order_relaxed);
    ste_source_give_back(drive->source, delivery);
    drive->deliveries++;
    drive->last_confirm_ns = state->heard_ns = now_ns;
    ste_retry_reset(&state->refused_retry);
    ste_window_confirmed(&state->window, at);
}

/* A full ste.in refuses: that is back-pressure, so the driver waits a little before it goes on. */
static void settled(void *context, uint64_t cookie, enum ste_mq_outcome outcome)
{
    struct ste_drive *drive = context;
    struct ste_drive_state *state = drive->state;
    uint32_t at = (uint32_t)cookie;
    uint64_t now_ns = ste_clock_mono_ns();
    if (state->window.places[at].state != STE_PLACE_SENT)
        return;
    if (outcome == STE_MQ_CONFIRMED) {
        confirmed(drive, at, now_ns);
        return;
    }
    if (outcome == STE_MQ_NACKED)
        drive->nacked++;
    else
        drive->returned++;
    if (now_ns >= state->paused_until_ns)
        state->paused_until_ns = now_ns + STE_NS_PER_MS * ste_retry_next_ms(&state->refused_retry);
    ste_window_refused(&state->window, at);
}

static void disconnect(struct ste_drive *drive)
{
    struct ste_drive_state *state = drive->state;
    ste_mq_close(state->mq);
    state->mq = NULL;
    drive->lost += state->window.sent_count;
    ste_window_connection_lost(&state->window);
}

/* Waits before it tries, except the first time. */
static enum ste_code connect_broker(struct ste_drive *drive, struct ste_bench_jobs *jobs,
                                    struct ste_error *err)
{
    struct ste_drive_state *state = drive->state;
    if (state->connect_retry.attempt > 0)
        ste_clock_sleep_ms(ste_retry_next_ms(&state->connect_retry));
    enum ste_code rc = ste_mq_open(drive->cluster, drive->role, STE_MQ_PUBLISH, "ste-bench drive",
                                   &state->mq, err);
    if (rc == STE_OK) {
        ste_mq_on_settled(state->mq, settled, drive);
        ste_mq_gather(state->mq,
                      drive->schedule->rate == 0); /* at a set rate each goes when it is due */
        if (state->reach.ever_connected)
            drive->reconnects++;
        else
            state->heard_ns = ste_clock_mono_ns(); /* patience begins */
        ste_reach_connected(&state->reach, jobs);
        ste_retry_reset(&state->connect_retry);
        return STE_OK;
    }
    if (state->connect_retry.attempt == 0)
        (void)ste_retry_next_ms(&state->connect_retry);
    return ste_reach_failed(&state->reach, jobs, ste_clock_mono_ns(), err);
}

static enum ste_code publish(struct ste_drive *drive, uint32_t at, struct ste_error *err)
{
    struct ste_drive_state *state = drive->state;
    const struct ste_window_place *place = &state->window.places[at];
    char id[DRIVE_MESSAGE_ID_BYTES], signature[STE_SIGNATURE_TEXT_BYTES];
    struct ste_bytes body = {0};
    enum ste_code rc = ste_source_body(drive->source, &place->delivery, &state->body, &body, err);
    if (rc == STE_OK && state->signer)
        rc = ste_sign(state->signer, body, signature, err);
    if (rc != STE_OK)
        return rc;
    message_id(drive, place, id);
    if (drive->first_publish_ns == 0)
        drive->first_publish_ns = ste_clock_mono_ns();
    const struct ste_mq_message message = {.exchange = drive->exchange,
                                           .routing_key = ste_bytes_of(drive->routing_key),
                                           .message_id = ste_bytes_of(id),
                                           .key_id = ste_bytes_of(drive->key_id),
                                           .signature =
                                               ste_bytes_of(state->signer ? signature : NULL),
                                           .record_count = place->delivery.count,
                                           .transient = drive->transient,
                                           .body = body};
    rc = ste_mq_publish(state->mq, &message, at, err);
    if (rc == STE_E_MQ_WINDOW || rc == STE_E_MQ_BLOCKED) {
        ste_window_refused(&state->window, at); /* not sent: it stays the next one */
        rc = ste_mq_pump(state->mq, DRIVE_WAIT_MS, err);
    } else if (rc == STE_OK) {
        drive->bytes += body.len;
        atomic_fetch_add(&drive->published_messages, place->delivery.count);
        if (++state->since_pump >= DRIVE_PUMP_EVERY) {
            state->since_pump = 0;
            rc = ste_mq_pump(state->mq, 0, err);
        }
    }
    return rc;
}

/* Nanoseconds until the next new delivery may go; 0: now. */
static uint64_t until_due_ns(const struct ste_drive *drive, uint64_t now_ns)
{
    uint64_t due_ns = ste_schedule_due_ns(drive->schedule, drive->state->next.ahead);
    return due_ns > now_ns ? due_ns - now_ns : 0;
}

/* What is taken counts as sent. */
static bool too_many_outstanding(const struct ste_drive *drive)
{
    if (!drive->flow || drive->outstanding_max == 0)
        return false;
    uint64_t taken = ste_source_clearing(drive->source);
    uint64_t cleared = atomic_load_explicit(&drive->flow->cleared_messages, memory_order_acquire);
    return taken > cleared && taken - cleared > drive->outstanding_max;
}

static enum ste_code take_next(struct ste_drive *drive, struct ste_error *err)
{
    struct ste_drive_state *state = drive->state;
    switch (ste_source_take(drive->source, &state->next, err)) {
    case STE_SOURCE_TAKEN:
        state->has_next = true;
        return STE_OK;
    case STE_SOURCE_WAIT:
        return STE_OK;
    case STE_SOURCE_END:
        state->source_ended = true;
        return STE_OK;
    default:
        return err->code;
    }
}

static void drop_next(struct ste_drive *drive)
{
    if (drive->state->has_next)
        ste_source_give_back(drive->source, &drive->state->next);
    drive->state->has_next = false;
}

/* The next delivery moves into the window, which has a free place. */
static uint32_t place_next(struct ste_drive *drive)
{
    struct ste_drive_state *state = drive->state;
    uint32_t at = ste_window_take(&state->window);
    struct ste_window_place *place = &state->window.places[at];
    place->delivery = state->next;
    place->due_ns = ste_schedule_due_ns(drive->schedule, state->next.ahead);
    state->has_next = false;
    return at;
}

/* Reads what the broker says for a while: until something came, the pool has cleared trades (only
 * looked for when that is what is waited for), or wait_ns have passed. */
static enum ste_code wait_for(struct ste_drive *drive, uint64_t wait_ns, bool for_pool,
                              struct ste_error *err)
{
    struct ste_drive_state *state = drive->state;
    uint64_t wait_ms = wait_ns / 1000000;
    if (wait_ms == 0) {
        const struct timespec pause = {0, (long)wait_ns};
        (void)nanosleep(&pause, NULL);
        return ste_mq_pump(state->mq, 0, err);
    }
    int timeout_ms = wait_ms < DRIVE_WAIT_MS ? (int)wait_ms : DRIVE_WAIT_MS;
    if (!for_pool)
        return ste_mq_pump(state->mq, timeout_ms, err);
    uint64_t count = 0;
    if (read(drive->flow->cleared_fd, &count, sizeof count) > 0)
        return ste_mq_pump(state->mq, 0, err); /* cleared since we looked: look again */
    enum ste_code rc = ste_mq_wait(&state->mq, 1, drive->flow->cleared_fd, timeout_ms, err);
    return rc == STE_OK ? ste_mq_pump(state->mq, 0, err) : rc;
}

/* Sends the next delivery, or waits for the reason why it may not. */
static enum ste_code send_next(struct ste_drive *drive, uint64_t now_ns, struct ste_error *err)
{
    struct ste_drive_state *state = drive->state;
    if (state->window.free_count == 0)
        return wait_for(drive, STE_NS_PER_MS * DRIVE_WAIT_MS, false, err);
    if (!state->has_next)
        return wait_for(drive, UINT64_C(1000) * DRIVE_MADE_WAIT_US, false, err);
    if (too_many_outstanding(drive))
        return wait_for(drive, STE_NS_PER_MS * DRIVE_WAIT_MS, true, err);
    ste_schedule_start(drive->schedule, now_ns);
    uint64_t due_ns = until_due_ns(drive, now_ns);
    if (due_ns > 0)
        return wait_for(drive, due_ns, false, err);
    return publish(drive, place_next(drive), err);
}

static bool in_hand(const struct ste_drive_state *state)
{
    return state->window.sent_count > 0 || state->window.again_count > 0;
}

/* One step of a connected driver. */
static enum ste_code step(struct ste_drive *drive, bool take_more, struct ste_error *err)
{
    struct ste_drive_state *state = drive->state;
    uint64_t now_ns = ste_clock_mono_ns();
    if (now_ns < state->paused_until_ns)
        return wait_for(drive, state->paused_until_ns - now_ns, false, err);
    uint32_t at = ste_window_take_again(&state->window);
    if (at != STE_WINDOW_NONE)
        return publish(drive, at, err);
    enum ste_code rc = STE_OK;
    if (!take_more)
        return wait_for(drive, STE_NS_PER_MS * DRIVE_WAIT_MS, false, err);
    if (!state->has_next && !state->source_ended)
        rc = take_next(drive, err);
    if (rc != STE_OK)
        return rc;
    if (state->has_next || !state->source_ended)
        return send_next(drive, now_ns, err);
    return in_hand(state) ? wait_for(drive, STE_NS_PER_MS * DRIVE_WAIT_MS, false, err) : STE_OK;
}

static enum ste_code loop(struct ste_drive *drive, struct ste_bench_jobs *jobs,
                          struct ste_error *err)
{
    struct ste_drive_state *state = drive->state;
    uint64_t stop_ns = 0;
    state->heard_ns = ste_clock_mono_ns();
    while (in_hand(state) || state->has_next || !state->source_ended) {
        uint64_t now_ns = ste_clock_mono_ns();
        bool stopping = ste_bench_stopping(jobs);
        if (stopping && stop_ns == 0)
            stop_ns = now_ns + STE_NS_PER_MS * DRIVE_DRAIN_MS;
        if (stopping && (!in_hand(state) || now_ns > stop_ns))
            break;
        /* Waiting for the pool is no silence of the broker's. */
        if (!in_hand(state) && state->mq)
            state->heard_ns = now_ns;
        if (now_ns - state->heard_ns > STE_NS_PER_S * drive->patience_s)
            return ste_error_set(err, STE_E_TIMEOUT, "the broker confirmed nothing for %u s",
                                 drive->patience_s);
        enum ste_code rc =
            state->mq ? step(drive, !stopping, err) : connect_broker(drive, jobs, err);
        if (rc == STE_E_MQ_DOWN || (rc == STE_E_MQ_REFUSED && state->mq)) {
            ste_reach_lost(jobs, err);
            disconnect(drive);
            rc = STE_OK;
        }
        if (rc != STE_OK)
            return rc;
        if (state->failed != STE_OK) {
            *err = state->failure;
            return state->failed;
        }
    }
    return STE_OK;
}

static enum ste_code load_key(struct ste_drive *drive, struct ste_error *err)
{
    const struct ste_key *key = ste_ref_key(drive->ref, ste_bytes_of(drive->key_id));
    char path[4096];
    if (!key)
        return ste_error_set(err, STE_E_CONFIG, "the participants file has no key %s",
                             drive->key_id);
    if (!drive->cluster->submit_keys_dir)
        return ste_error_set(err, STE_E_CONFIG, "the map names no submit.keys");
    (void)snprintf(path, sizeof path, "%s/%s", drive->cluster->submit_keys_dir, drive->key_id);
    return ste_signer_load(key->algorithm, path, &drive->state->signer, err);
}

enum ste_code ste_drive_run(void *context, struct ste_bench_jobs *jobs, struct ste_error *err)
{
    struct ste_drive *drive = context;
    struct ste_drive_state *state = drive->state = calloc(1, sizeof *state);
    if (!state || !ste_window_init(&state->window, drive->in_flight)) {
        free(state);
        drive->state = NULL;
        return ste_error_set(err, STE_E_NOMEM, "out of memory");
    }
    uint64_t seed = ste_clock_mono_ns() ^ (uint64_t)getpid();
    ste_retry_init(&state->connect_retry, DRIVE_RETRY_BASE_MS, DRIVE_RETRY_LIMIT_MS, seed);
    ste_retry_init(&state->refused_retry, DRIVE_RETRY_BASE_MS, DRIVE_RETRY_LIMIT_MS, ~seed);
    enum ste_code rc = drive->key_id ? load_key(drive, err) : STE_OK;
    if (rc == STE_OK)
        rc = loop(drive, jobs, err);
    drive->cpu_ns = ste_clock_thread_cpu_ns();
    drop_next(drive);
    ste_mq_close(state->mq);
    ste_signer_free(state->signer);
    ste_window_deinit(&state->window);
    ste_buf_deinit(&state->body);
    free(state);
    drive->state = NULL;
    return rc;
}
