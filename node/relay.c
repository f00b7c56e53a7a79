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
/* Cookies: an outbox id, or one of these marks. Auto-increment ids never get there. */
static const uint64_t cookie_forwarded = UINT64_C(1) << 63, cookie_swept = UINT64_C(1) << 62;

static void on_settled(void *context, uint64_t cookie, enum ste_mq_outcome outcome)
{
    struct ste_relay *const relay = context;
    const bool confirmed = outcome == STE_MQ_CONFIRMED;
    if ((cookie & (cookie_forwarded | cookie_swept)) != 0) {
        relay->awaited--;
        relay->refused += !confirmed;
        if ((cookie & cookie_swept) != 0 && relay->swept_confirmed != NULL)
            relay->swept_confirmed[cookie & ~cookie_swept] = confirmed;
        return;
    }
    if (!confirmed || relay->confirmed_count == STE_RELAY_CONFIRMED_MAX)
        return; /* the row stays: the sweeper sends it again */
    if (relay->confirmed_count == 0)
        relay->confirmed_since_ns = ste_clock_mono_ns();
    relay->confirmed[relay->confirmed_count++] = cookie;
}

enum ste_code ste_relay_open(struct ste_relay *relay, const struct ste_cluster *cluster,
                             const char *name, struct ste_obs_worker *counters,
                             struct ste_error *err)
{
    *relay = (struct ste_relay){.counters = counters};
    const enum ste_code rc =
        ste_mq_open(cluster, STE_ROLE_NODE, STE_MQ_PUBLISH, name, &relay->publish, err);
    if (rc == STE_OK)
        ste_mq_on_settled(relay->publish, on_settled, relay);
    return rc;
}

void ste_relay_close(struct ste_relay *relay)
{
    ste_mq_close(relay->publish);
    *relay = (struct ste_relay){0};
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
    enum ste_code rc = ste_mq_publish(relay->publish, &message, cookie, err);
    if (rc != STE_E_MQ_WINDOW)
        return rc;
    const uint64_t limit_ns = ste_clock_mono_ns() + (uint64_t)WINDOW_LIMIT_MS * 1000000;
    while (rc == STE_E_MQ_WINDOW && ste_clock_mono_ns() < limit_ns) {
        rc = ste_mq_pump(relay->publish, WINDOW_WAIT_MS, err);
        if (rc == STE_OK)
            rc = ste_mq_publish(relay->publish, &message, cookie, err);
    }
    return rc;
}

/* Path stop 9. */
enum ste_code ste_relay_send(struct ste_relay *relay, const struct ste_outbox_row *rows,
                             const uint64_t *ids, size_t count, struct ste_error *err)
{
    for (size_t i = 0; i < count; i++) {
        const enum ste_code rc = publish_row(relay, &rows[i], ids[i], err);
        if (rc == STE_E_MQ_WINDOW || rc == STE_E_MQ_BLOCKED)
            return STE_OK;
        if (rc != STE_OK)
            return rc;
    }
    STE_FAULT_POINT("node-before-delete");
    return ste_mq_pump(relay->publish, 0, err);
}

enum ste_code ste_relay_forward(struct ste_relay *relay, const char *routing_key,
                                struct ste_bytes body, struct ste_error *err)
{
    const struct ste_mq_message message = {.exchange = STE_EXCHANGE_WORK,
                                           .routing_key = ste_bytes_of(routing_key),
                                           .record_count = 1,
                                           .body = body};
    enum ste_code rc;
    while ((rc = ste_mq_publish(relay->publish, &message, cookie_forwarded, err)) ==
           STE_E_MQ_WINDOW) {
        rc = ste_mq_pump(relay->publish, WINDOW_WAIT_MS, err);
        if (rc != STE_OK)
            return rc;
    }
    if (rc == STE_OK)
        relay->awaited++;
    return rc;
}

enum ste_code ste_relay_await(struct ste_relay *relay, struct ste_error *err)
{
    const uint64_t limit_ns = ste_clock_mono_ns() + (uint64_t)AWAIT_MS * 1000000;
    while (relay->awaited > 0) {
        if (ste_clock_mono_ns() > limit_ns)
            return ste_error_set(err, STE_E_TIMEOUT, "%zu publishes not confirmed after %d ms",
                                 relay->awaited, AWAIT_MS);
        const enum ste_code rc = ste_mq_pump(relay->publish, WINDOW_WAIT_MS, err);
        if (rc != STE_OK)
            return rc;
    }
    const size_t refused = relay->refused;
    relay->refused = 0;
    return refused == 0 ? STE_OK
                        : ste_error_set(err, STE_E_MQ_DOWN, "%zu publishes refused", refused);
}

/* Publishes the swept rows and marks those confirmed. Refused ones stay for the next sweep. */
static enum ste_code send_swept(struct ste_relay *relay, struct ste_outbox_swept *rows, size_t count,
                                struct ste_error *err)
{
    enum ste_code rc = STE_OK;
    for (size_t i = 0; i < count && rc == STE_OK; i++) {
        rc = publish_row(relay, &rows[i].row, cookie_swept | i, err);
        if (rc == STE_OK)
            relay->awaited++;
    }
    if (rc == STE_OK || rc == STE_E_MQ_WINDOW || rc == STE_E_MQ_BLOCKED) {
        rc = ste_relay_await(relay, err);
        if (rc == STE_E_MQ_DOWN && relay->awaited == 0)
            rc = STE_OK; /* refused, not lost: counted by its missing confirm */
    }
    return rc;
}

enum ste_code ste_relay_sweep(struct ste_relay *relay, struct ste_shard *shard,
                              struct ste_arena *arena, struct ste_error *err)
{
    struct ste_outbox_swept *rows = NULL;
    size_t count = 0, done = 0;
    ste_arena_reset(arena);
    enum ste_code rc =
        ste_shard_sweep_outbox(shard, SWEEP_AGE_MS, SWEEP_ROWS, arena, &rows, &count, err);
    if (rc != STE_OK)
        return rc;
    uint64_t *const ids = STE_ARENA_ARRAY(arena, uint64_t, count + 1);
    relay->swept_confirmed = STE_ARENA_ARRAY(arena, bool, count + 1);
    if (ids == NULL || relay->swept_confirmed == NULL) {
        rc = ste_error_set(err, STE_E_NOMEM, "could not sweep %zu rows", count);
        goto out;
    }
    rc = send_swept(relay, rows, count, err);
    if (rc != STE_OK)
        goto out;
    for (size_t i = 0; i < count; i++)
        if (relay->swept_confirmed[i])
            ids[done++] = rows[i].id;
    if (done > 0)
        rc = ste_shard_delete_outbox(shard, ids, done, err);
    if (rc == STE_OK)
        rc = ste_shard_commit(shard, err);
    if (rc == STE_OK)
        ste_obs_add(relay->counters, STE_M_SWEPT, done);
out:
    relay->swept_confirmed = NULL;
    if (rc != STE_OK)
        ste_shard_rollback(shard);
    return rc;
}
