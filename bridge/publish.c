/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>
#include <stdio.h>

#include "base/clock.h"
#include "bridge/submit.h"
#include "mq/names.h"

enum {
    UNCONFIRMED_MAX = 128,
    UNCONFIRMED_BYTES_MAX = 16 << 20,
    REFUSED_PAUSE_MS = 200,
};

struct ste_outgoing {
    struct ste_outgoing *next;
    struct ste_buf body;
    char message_id[64], signature[STE_SIGNATURE_TEXT_BYTES];
    const char *key_id, *user_id;
    unsigned message_count;
    enum { OUT_TO_SEND, OUT_SENT } state;
};

static void on_settled(void *context, uint64_t cookie, enum ste_mq_outcome outcome)
{
    struct ste_publisher *const publisher = context;
    struct ste_outgoing *const settled = (struct ste_outgoing *)(uintptr_t)cookie;
    if (outcome != STE_MQ_CONFIRMED) {
        settled->state = OUT_TO_SEND; /* ste.in is full: again, the same, after a pause */
        publisher->refused = true;
        return;
    }
    struct ste_outgoing **link = &publisher->unconfirmed;
    while (*link != settled)
        link = &(*link)->next;
    *link = settled->next;
    publisher->unconfirmed_count--;
    publisher->unconfirmed_bytes -= settled->body.len;
    publisher->confirmed_count += settled->message_count;
    ste_buf_deinit(&settled->body);
    free(settled);
}

enum ste_code ste_publisher_open(struct ste_publisher *publisher, const struct ste_cluster *cluster,
                                 struct ste_error *err)
{
    publisher->cluster = cluster;
    const enum ste_code rc =
        ste_mq_open(cluster, STE_ROLE_SUBMITTER, STE_MQ_PUBLISH, "ste-submit", &publisher->mq, err);
    if (rc == STE_OK)
        ste_mq_on_settled(publisher->mq, on_settled, publisher);
    return rc;
}

void ste_publisher_close(struct ste_publisher *publisher)
{
    ste_mq_close(publisher->mq);
    for (struct ste_outgoing *one = publisher->unconfirmed, *next; one != NULL; one = next) {
        next = one->next;
        ste_buf_deinit(&one->body);
        free(one);
    }
    *publisher = (struct ste_publisher){0};
}

static enum ste_code send_one(struct ste_publisher *publisher, struct ste_outgoing *one,
                              struct ste_error *err)
{
    const struct ste_mq_message message = {.exchange = STE_EXCHANGE_IN,
                                           .routing_key = STE_BYTES("in"),
                                           .message_id = ste_bytes_of(one->message_id),
                                           .user_id = ste_bytes_of(one->user_id),
                                           .key_id = ste_bytes_of(one->key_id),
                                           .signature = ste_bytes_of(one->signature),
                                           .record_count = one->message_count,
                                           .body = ste_buf_bytes(&one->body)};
    const enum ste_code rc = ste_mq_publish(publisher->mq, &message, (uint64_t)(uintptr_t)one, err);
    if (rc == STE_OK)
        one->state = OUT_SENT;
    return rc;
}

static enum ste_code send_waiting(struct ste_publisher *publisher, struct ste_error *err)
{
    for (struct ste_outgoing *one = publisher->unconfirmed; one != NULL; one = one->next) {
        if (one->state != OUT_TO_SEND)
            continue;
        const enum ste_code rc = send_one(publisher, one, err);
        if (rc == STE_E_MQ_WINDOW || rc == STE_E_MQ_BLOCKED)
            return STE_OK;
        if (rc != STE_OK)
            return rc;
    }
    return STE_OK;
}

/* The broker went away: everything unconfirmed is sent again under its old id. */
static enum ste_code reconnect(struct ste_publisher *publisher, struct ste_error *err)
{
    struct ste_retry retry;
    ste_retry_init(&retry, 100, 3000, ste_clock_mono_ns());
    ste_mq_close(publisher->mq);
    publisher->mq = NULL;
    for (struct ste_outgoing *one = publisher->unconfirmed; one != NULL; one = one->next)
        one->state = OUT_TO_SEND;
    enum ste_code rc;
    while ((rc = ste_publisher_open(publisher, publisher->cluster, err)) == STE_E_MQ_DOWN)
        ste_clock_sleep_ms(ste_retry_next_ms(&retry));
    return rc;
}

enum ste_code ste_publisher_pump(struct ste_publisher *publisher, int timeout_ms,
                                 struct ste_error *err)
{
    enum ste_code rc = ste_mq_pump(publisher->mq, timeout_ms, err);
    if (publisher->refused)
        ste_clock_sleep_ms(REFUSED_PAUSE_MS);
    publisher->refused = false;
    if (rc == STE_OK)
        rc = send_waiting(publisher, err);
    if (rc == STE_E_MQ_DOWN)
        rc = reconnect(publisher, err);
    return rc;
}

bool ste_publisher_full(const struct ste_publisher *publisher)
{
    return publisher->unconfirmed_count >= UNCONFIRMED_MAX ||
           publisher->unconfirmed_bytes >= UNCONFIRMED_BYTES_MAX;
}

/* Path stop 1: not confirmed means sent again, under the same message-id. */
enum ste_code ste_submit_publish(struct ste_publisher *publisher, const struct ste_signing_key *key,
                                 struct ste_bytes body, struct ste_bytes message_id,
                                 size_t message_count, struct ste_error *err)
{
    struct ste_outgoing *const one = calloc(1, sizeof(*one));
    if (one == NULL)
        return ste_error_set(err, STE_E_NOMEM, "could not send a delivery");
    ste_buf_append_bytes(&one->body, body);
    snprintf(one->message_id, sizeof(one->message_id), "%.*s", (int)message_id.len, message_id.at);
    one->key_id = key->key->id;
    const char *const login = publisher->cluster->broker.users[STE_ROLE_SUBMITTER].user;
    /* The broker checks user-id against the login: only the hub's own user can name itself. */
    one->user_id = strcmp(login, key->key->participant->bic8) == 0 ? login : NULL;
    one->message_count = (unsigned)message_count;
    enum ste_code rc = one->body.failed
                           ? ste_error_set(err, STE_E_NOMEM, "could not send a delivery")
                           : ste_sign(key->signer, body, one->signature, err);
    if (rc != STE_OK) {
        ste_buf_deinit(&one->body);
        free(one);
        return rc;
    }
    struct ste_outgoing **end = &publisher->unconfirmed;
    while (*end != NULL)
        end = &(*end)->next;
    *end = one;
    publisher->unconfirmed_count++;
    publisher->unconfirmed_bytes += body.len;
    return ste_publisher_pump(publisher, 0, err);
}
