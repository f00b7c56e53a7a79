/* SPDX-License-Identifier: Apache-2.0 */
#include "node/relay.h"

#include "base/clock.h"
#include "base/fault.h"
#include "mq/names.h"

enum {
    WINDOW_WAIT_MS = 20,
    WINDOW_LIMIT_MS = 1000, /* a full window is waited for; then the sweeper takes over */
    AWAIT_MS = 5000,
    SWEEP_AGE_MS = 5000,
    SWEEP_ROWS = 256,
};

static void on_settled(void *context, uint64_t cookie, enum ste_mq_outcome outcome)
{
    struct ste_relay *const relay = context;
    ste_settle_note(&relay->settle, cookie, outcome, ste_clock_mono_ns());
}

enum ste_code ste_relay_open(struct ste_relay *relay, const struct ste_cluster *cluster,
                             const struct ste_ref *ref, const char *name,
                             struct ste_obs_worker *counters, struct ste_error *err)
{
    *relay = (struct ste_relay){.ref = ref, .counters = counters};
    const enum ste_code rc =
        ste_mq_open(cluster, STE_ROLE_NODE, STE_MQ_PUBLISH, name, &relay->publish, err);
    if (rc == STE_OK) {
        ste_mq_on_settled(relay->publish, on_settled, relay);
        ste_mq_gather(relay->publish, true); /* everyone who publishes here pumps afterwards */
    }
    return rc;
}

void ste_relay_close(struct ste_relay *relay)
{
    ste_mq_close(relay->publish);
    *relay = (struct ste_relay){0};
}

/* Waits for room in the window, but not longer than that. An awaited one is counted. */
static enum ste_code publish(struct ste_relay *relay, const struct ste_mq_message *message,
                             uint64_t cookie, uint64_t wait_ms, struct ste_error *err)
{
    enum ste_code rc = ste_mq_publish(relay->publish, message, cookie, err);
    const uint64_t limit_ns =
        rc == STE_E_MQ_WINDOW ? ste_clock_mono_ns() + wait_ms * STE_NS_PER_MS : 0;
    while (rc == STE_E_MQ_WINDOW && ste_clock_mono_ns() < limit_ns) {
        rc = ste_mq_pump(relay->publish, WINDOW_WAIT_MS, err);
        if (rc == STE_OK)
            rc = ste_mq_publish(relay->publish, message, cookie, err);
    }
    if (rc == STE_OK && ste_settle_is_awaited(cookie))
        relay->settle.awaited++;
    return rc;
}

static enum ste_code publish_row(struct ste_relay *relay, const struct ste_outbox_row *row,
                                 uint64_t cookie, struct ste_error *err)
{
    const struct ste_mq_message message = {.exchange = STE_EXCHANGE_OUT,
                                           .routing_key = row->routing_key,
                                           .message_id = row->message_id,
                                           .bcc = row->bcc,
                                           .bcc_count = row->bcc_count,
                                           .record_count = row->record_count,
                                           .body = row->body};
    return publish(relay, &message, cookie, WINDOW_LIMIT_MS, err);
}

/* Path stop 9. */
enum ste_code ste_relay_send(struct ste_relay *relay, const struct ste_outbox_row *rows,
                             const uint64_t *ids, size_t count, struct ste_error *err)
{
    for (size_t i = 0; i < count; i++) {
        const bool nobody_reads = ste_row_nobody_reads(relay->ref, &rows[i]);
        const enum ste_code rc =
            publish_row(relay, &rows[i], ste_settle_row(ids[i], nobody_reads), err);
        if (rc == STE_E_MQ_WINDOW || rc == STE_E_MQ_BLOCKED)
            return STE_OK;
        if (rc != STE_OK)
            return rc;
    }
    const enum ste_code rc = ste_mq_pump(relay->publish, 0, err);
    STE_FAULT_POINT("node-before-delete");
    return rc;
}

enum ste_code ste_relay_forward(struct ste_relay *relay, const char *routing_key,
                                struct ste_bytes body, struct ste_error *err)
{
    const struct ste_mq_message message = {.exchange = STE_EXCHANGE_WORK,
                                           .routing_key = ste_bytes_of(routing_key),
                                           .record_count = 1,
                                           .body = body};
    return publish(relay, &message, ste_settle_forwarded(), AWAIT_MS, err);
}

enum ste_code ste_relay_await(struct ste_relay *relay, struct ste_error *err)
{
    const uint64_t limit_ns = ste_clock_mono_ns() + AWAIT_MS * STE_NS_PER_MS;
    while (relay->settle.awaited > 0) {
        if (ste_clock_mono_ns() > limit_ns)
            return ste_error_set(err, STE_E_TIMEOUT, "%zu publishes not confirmed after %d ms",
                                 relay->settle.awaited, AWAIT_MS);
        const enum ste_code rc = ste_mq_pump(relay->publish, WINDOW_WAIT_MS, err);
        if (rc != STE_OK)
            return rc;
    }
    const size_t refused = relay->settle.refused;
    relay->settle.refused = 0;
    return refused == 0 ? STE_OK
                        : ste_error_set(err, STE_E_MQ_DOWN, "%zu publishes refused", refused);
}

/* Publishes the swept rows and waits. Refused ones stay for the next sweep. */
static enum ste_code send_swept(struct ste_relay *relay, const struct ste_outbox_swept *rows,
                                size_t count, struct ste_error *err)
{
    enum ste_code rc = STE_OK;
    for (size_t i = 0; i < count && rc == STE_OK; i++) {
        const bool nobody_reads = ste_row_nobody_reads(relay->ref, &rows[i].row);
        rc = publish_row(relay, &rows[i].row, ste_settle_swept(i, nobody_reads), err);
    }
    if (rc == STE_OK || rc == STE_E_MQ_WINDOW || rc == STE_E_MQ_BLOCKED) {
        rc = ste_relay_await(relay, err);
        if (rc == STE_E_MQ_DOWN && relay->settle.awaited == 0)
            rc = STE_OK; /* refused, not lost: counted by its missing confirm */
    }
    return rc;
}

static enum ste_code delete_swept(struct ste_relay *relay, struct ste_shard *shard,
                                  const struct ste_outbox_swept *rows, size_t count,
                                  struct ste_arena *arena, size_t *ret_done, struct ste_error *err)
{
    uint64_t *const ids = STE_ARENA_ARRAY(arena, uint64_t, count + 1);
    if (ids == NULL)
        return ste_error_set(err, STE_E_NOMEM, "could not sweep %zu rows", count);
    size_t done = 0;
    for (size_t i = 0; i < count; i++)
        if (relay->settle.swept_done[i])
            ids[done++] = rows[i].id;
    enum ste_code rc = STE_OK;
    if (done > 0)
        rc = ste_shard_delete_outbox(shard, ids, done, err);
    if (rc == STE_OK)
        rc = ste_shard_commit(shard, err);
    if (rc == STE_OK)
        *ret_done = done;
    return rc;
}

enum ste_code ste_relay_sweep(struct ste_relay *relay, struct ste_shard *shard,
                              struct ste_arena *arena, bool *ret_more, struct ste_error *err)
{
    struct ste_outbox_swept *rows = NULL;
    size_t count = 0, done = 0;
    ste_arena_reset(arena);
    enum ste_code rc =
        ste_shard_sweep_outbox(shard, SWEEP_AGE_MS, SWEEP_ROWS, arena, &rows, &count, err);
    if (rc != STE_OK)
        return rc;
    relay->settle.swept_done = STE_ARENA_ARRAY(arena, bool, count + 1);
    relay->settle.swept_count = count;
    rc = relay->settle.swept_done != NULL
             ? send_swept(relay, rows, count, err)
             : ste_error_set(err, STE_E_NOMEM, "could not sweep %zu rows", count);
    if (rc == STE_OK)
        rc = delete_swept(relay, shard, rows, count, arena, &done, err);
    relay->settle.swept_done = NULL;
    relay->settle.swept_count = 0;
    if (rc != STE_OK) {
        ste_shard_rollback(shard);
        return rc;
    }
    ste_obs_add(relay->counters, STE_M_SWEPT, done);
    *ret_more = done == SWEEP_ROWS;
    return STE_OK;
}
