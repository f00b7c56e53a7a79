/* SPDX-License-Identifier: Apache-2.0
 * Opening, login, breaking and closing of a connection. */
#include "mq/internal.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"

uint64_t ste_mq_deadline(int timeout_ms)
{
    return ste_clock_mono_ns() + (uint64_t)(timeout_ms > 0 ? timeout_ms : 0) * STE_NS_PER_MS;
}

enum ste_code ste_mq_fail(struct ste_mq *mq, struct ste_error *err, enum ste_code code,
                          const char *format, ...)
{
    char text[STE_ERROR_TEXT_BYTES];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (!mq->broken)
        snprintf(mq->broken_text, sizeof mq->broken_text, "%s", text);
    mq->broken = true;
    return ste_error_set(err, code, "%s", text);
}

enum ste_code ste_mq_usable(const struct ste_mq *mq, struct ste_error *err)
{
    if (!mq->broken)
        return STE_OK;
    return ste_error_set(err, STE_E_MQ_DOWN, "%s", mq->broken_text);
}

/* The one counter of the process: tags of two connections must never be mistaken for each other,
 * whichever threads opened them. */
static uint64_t next_generation(void)
{
    static _Atomic uint64_t last;
    return atomic_fetch_add_explicit(&last, 1, memory_order_relaxed) + 1;
}

static void free_node(struct ste_mq_node *node)
{
    while (node) {
        struct ste_mq_node *next = node->next;
        free(node);
        node = next;
    }
}

static void release(struct ste_mq *mq)
{
    if (mq->fd >= 0)
        close(mq->fd);
    if (mq->out.at)
        explicit_bzero(mq->out.at, mq->out.capacity); /* a login that failed half-way */
    ste_buf_deinit(&mq->out);
    free(mq->in);
    free_node(mq->ready_first);
    free(mq->assembly.node);
    free(mq->got);
    ste_mq_confirms_deinit(&mq->confirms);
    empty_amqp_pool(&mq->pool);
    free(mq);
}

struct ste_mq *ste_mq_new(enum ste_mq_purpose purpose, size_t window)
{
    struct ste_mq *mq = calloc(1, sizeof *mq);
    if (!mq)
        return NULL;
    init_amqp_pool(&mq->pool, 4096);
    mq->fd = -1;
    mq->generation = next_generation();
    mq->purpose = purpose;
    mq->frame_max = STE_MQ_FRAME_MAX;
    mq->in = malloc(STE_MQ_IN_BYTES);
    if (!mq->in || (purpose == STE_MQ_PUBLISH && !ste_mq_confirms_init(&mq->confirms, window))) {
        release(mq);
        return NULL;
    }
    return mq;
}

/* ---- login ---- */

static amqp_table_entry_t text_entry(const char *name, const char *text)
{
    return (amqp_table_entry_t){
        .key = ste_mq_amqp_bytes(name),
        .value = {.kind = AMQP_FIELD_KIND_UTF8, .value.bytes = ste_mq_amqp_bytes(text)}};
}

static amqp_table_entry_t true_entry(const char *name)
{
    return (amqp_table_entry_t){.key = ste_mq_amqp_bytes(name),
                                .value = {.kind = AMQP_FIELD_KIND_BOOLEAN, .value.boolean = 1}};
}

/* SASL PLAIN: NUL user NUL password. */
static enum ste_code start_ok(struct ste_mq *mq, const char *user, const char *password,
                              const char *name, struct ste_error *err)
{
    char response[1024];
    size_t user_len = strlen(user), password_len = strlen(password);
    amqp_table_entry_t capabilities[] = {
        true_entry("publisher_confirms"),           true_entry("basic.nack"),
        true_entry("consumer_cancel_notify"),       true_entry("connection.blocked"),
        true_entry("authentication_failure_close"),
    };
    amqp_table_entry_t properties[] = {
        text_entry("product", "ste"),
        text_entry("version", STE_VERSION),
        text_entry("connection_name", name),
        {.key = ste_mq_amqp_bytes("capabilities"),
         .value = {.kind = AMQP_FIELD_KIND_TABLE,
                   .value.table = {.num_entries = sizeof capabilities / sizeof *capabilities,
                                   .entries = capabilities}}},
    };
    if (user_len + password_len + 2 > sizeof response)
        return ste_mq_fail(mq, err, STE_E_ARGUMENT, "broker user or password is too long");
    response[0] = '\0';
    memcpy(response + 1, user, user_len + 1);
    memcpy(response + 2 + user_len, password, password_len);
    amqp_connection_start_ok_t method = {
        .client_properties = {.num_entries = sizeof properties / sizeof *properties,
                              .entries = properties},
        .mechanism = ste_mq_amqp_bytes("PLAIN"),
        .response = {.len = user_len + password_len + 2, .bytes = response},
        .locale = ste_mq_amqp_bytes("en_US"),
    };
    enum ste_code rc = ste_mq_put_method(mq, 0, AMQP_CONNECTION_START_OK_METHOD, &method, err);
    explicit_bzero(response, sizeof response);
    return rc;
}

static uint32_t smaller_nonzero(uint32_t ours, uint32_t theirs)
{
    return theirs != 0 && theirs < ours ? theirs : ours;
}

/* Takes the smaller of both wishes; 0 is the broker's "no limit". */
static enum ste_code tune(struct ste_mq *mq, unsigned heartbeat_s, struct ste_error *err)
{
    amqp_connection_tune_ok_t method = {
        .channel_max = STE_MQ_CHANNEL,
        .frame_max = smaller_nonzero(STE_MQ_FRAME_MAX, mq->reply.frame_max),
        .heartbeat = (uint16_t)smaller_nonzero(heartbeat_s, mq->reply.heartbeat_s),
    };
    mq->frame_max = method.frame_max;
    mq->heartbeat_ns = method.heartbeat * STE_NS_PER_S;
    mq->received_ns = ste_clock_mono_ns();
    mq->next_heartbeat_ns = mq->received_ns + mq->heartbeat_ns / 2;
    return ste_mq_put_method(mq, 0, AMQP_CONNECTION_TUNE_OK_METHOD, &method, err);
}

static enum ste_code open_channel(struct ste_mq *mq, uint64_t deadline_ns, struct ste_error *err)
{
    amqp_channel_open_t open = {0};
    amqp_confirm_select_t select = {0};
    enum ste_code rc = ste_mq_call(mq, STE_MQ_CHANNEL, AMQP_CHANNEL_OPEN_METHOD, &open,
                                   AMQP_CHANNEL_OPEN_OK_METHOD, deadline_ns, err);
    if (rc == STE_OK && mq->purpose == STE_MQ_PUBLISH)
        rc = ste_mq_call(mq, STE_MQ_CHANNEL, AMQP_CONFIRM_SELECT_METHOD, &select,
                         AMQP_CONFIRM_SELECT_OK_METHOD, deadline_ns, err);
    return rc;
}

static enum ste_code log_in(struct ste_mq *mq, const struct ste_cluster *cluster, const char *user,
                            const char *password, const char *name, uint64_t deadline_ns,
                            struct ste_error *err)
{
    amqp_connection_open_t open = {.virtual_host = ste_mq_amqp_bytes(cluster->broker.vhost)};
    ste_buf_append(&mq->out, "AMQP\0\0\x09\x01", 8);
    if (mq->out.failed)
        return ste_mq_fail(mq, err, STE_E_NOMEM, "no memory for a connection");
    enum ste_code rc = ste_mq_await(mq, AMQP_CONNECTION_START_METHOD, deadline_ns, err);
    if (rc == STE_OK)
        rc = start_ok(mq, user, password, name, err);
    if (rc == STE_OK)
        rc = ste_mq_await(mq, AMQP_CONNECTION_TUNE_METHOD, deadline_ns, err);
    if (rc != STE_OK)
        return rc;
    if (mq->out.at) /* the password went out and the buffer is empty */
        explicit_bzero(mq->out.at, mq->out.capacity);
    rc = tune(mq, cluster->broker.heartbeat_s, err);
    if (rc == STE_OK)
        rc = ste_mq_call(mq, 0, AMQP_CONNECTION_OPEN_METHOD, &open, AMQP_CONNECTION_OPEN_OK_METHOD,
                         deadline_ns, err);
    mq->in_step = rc == STE_OK;
    return rc == STE_OK ? open_channel(mq, deadline_ns, err) : rc;
}

enum ste_code ste_mq_open_as(const struct ste_cluster *cluster, const struct ste_login *login,
                             enum ste_mq_purpose purpose, const char *name, struct ste_mq **ret,
                             struct ste_error *err)
{
    char password[512];
    uint64_t deadline_ns = ste_mq_deadline(STE_MQ_OPEN_MS);
    enum ste_code rc = ste_secret_read(login->password_file, password, sizeof password, err);
    if (rc != STE_OK)
        return rc;

    struct ste_mq *mq = ste_mq_new(purpose, cluster->broker.window);
    if (!mq)
        rc = ste_error_set(err, STE_E_NOMEM, "no memory for a broker connection");
    else
        rc = ste_mq_connect(mq, cluster->broker.host, cluster->broker.port, deadline_ns, err);
    if (rc == STE_OK)
        rc = log_in(mq, cluster, login->user, password, name, deadline_ns, err);
    explicit_bzero(password, sizeof password);
    if (rc == STE_OK)
        *ret = mq;
    else
        ste_mq_close(mq);
    return rc;
}

enum ste_code ste_mq_open(const struct ste_cluster *cluster, enum ste_role role,
                          enum ste_mq_purpose purpose, const char *name, struct ste_mq **ret,
                          struct ste_error *err)
{
    return ste_mq_open_as(cluster, &cluster->broker.users[role], purpose, name, ret, err);
}

/* ---- close ---- */

/* Sends what waits, then connection.close, and waits for its answer: the broker has then taken all
 * our acks. Whatever else comes in is dropped; any failure ends it. */
static void part(struct ste_mq *mq)
{
    uint64_t deadline_ns = ste_mq_deadline(STE_MQ_CLOSE_MS);
    amqp_connection_close_t close = {.reply_code = AMQP_REPLY_SUCCESS,
                                     .reply_text = ste_mq_amqp_bytes("bye")};
    mq->settled = NULL;
    mq->broken = false; /* a closed channel: the connection itself still answers */
    (void)ste_mq_call(mq, 0, AMQP_CONNECTION_CLOSE_METHOD, &close, AMQP_CONNECTION_CLOSE_OK_METHOD,
                      deadline_ns, NULL);
}

void ste_mq_close(struct ste_mq *mq)
{
    if (!mq)
        return;
    if (mq->in_step)
        part(mq);
    release(mq);
}

/* ---- small ones ---- */

uint64_t ste_mq_generation(const struct ste_mq *mq)
{
    return mq->generation;
}

bool ste_mq_blocked(const struct ste_mq *mq)
{
    return mq->blocked;
}
