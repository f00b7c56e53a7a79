/* SPDX-License-Identifier: Apache-2.0
 * One frame in: confirms, returns, deliveries, answers, closes. One method out. rabbitmq-c codes
 * and decodes the methods; the frequent ones (deliver, ack, nack) are read in place. */
#include "mq/internal.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "mq/headers.h"
#include "mq/wire.h"

struct frame {
    unsigned type, channel;
    struct ste_bytes payload;
};

enum { FRAME_PREFIX_BYTES = 7, FRAME_END = 0xce };

/* Size of the frame at the front of `in` with its overhead; 0 when not even that is known yet. */
static size_t frame_bytes(const struct ste_mq *mq)
{
    if (mq->in_end - mq->in_begin < FRAME_PREFIX_BYTES)
        return 0;
    struct ste_wire wire = ste_wire_of((struct ste_bytes){mq->in + mq->in_begin + 3, 4});
    return (size_t)ste_wire_uint(&wire, 4) + STE_MQ_FRAME_OVERHEAD;
}

bool ste_mq_frame_ready(const struct ste_mq *mq)
{
    size_t bytes = frame_bytes(mq);
    return bytes > 0 && (bytes > mq->frame_max || mq->in_end - mq->in_begin >= bytes);
}

static bool type_known(unsigned type)
{
    return (type >= STE_FRAME_METHOD && type <= STE_FRAME_BODY) || type == STE_FRAME_HEARTBEAT;
}

static enum ste_code protocol_fault(struct ste_mq *mq, struct ste_error *err, const char *what)
{
    mq->in_step = false;
    return ste_mq_fail(mq, err, STE_E_MQ_DOWN, "broker broke the protocol: %s", what);
}

static void *decode(struct ste_mq *mq, amqp_method_number_t id, struct ste_bytes arguments)
{
    void *method = NULL;
    amqp_bytes_t encoded = {.len = arguments.len, .bytes = (void *)(uintptr_t)arguments.at};
    return amqp_decode_method(id, &mq->pool, encoded, &method) == AMQP_STATUS_OK ? method : NULL;
}

/* ---- closes ---- */

static bool has(amqp_bytes_t text, const char *word)
{
    return memmem(text.bytes, text.len, word, strlen(word)) != NULL;
}

/* What a reply code means for the caller: a person must act, or the same again later. */
static enum ste_code close_code(unsigned reply_code, amqp_bytes_t text)
{
    switch (reply_code) {
    case AMQP_ACCESS_REFUSED:
    case AMQP_RESOURCE_LOCKED:
    case AMQP_NOT_ALLOWED:
    case AMQP_NOT_IMPLEMENTED:
    case AMQP_FRAME_ERROR:
    case AMQP_SYNTAX_ERROR:
    case AMQP_COMMAND_INVALID:
        return STE_E_MQ_REFUSED;
    case AMQP_NOT_FOUND: /* a durable queue whose process is not up yet */
        return has(text, "down or inaccessible") ? STE_E_MQ_DOWN : STE_E_MQ_REFUSED;
    case AMQP_PRECONDITION_FAILED: /* consumer_timeout: acked too late */
        return has(text, "timed out") ? STE_E_MQ_DOWN : STE_E_MQ_REFUSED;
    default:
        return STE_E_MQ_DOWN;
    }
}

static enum ste_code closed_by_broker(struct ste_mq *mq, amqp_method_number_t id,
                                      struct ste_bytes arguments, struct ste_error *err)
{
    /* channel.close has the same fields in the same order. */
    const amqp_connection_close_t *close = decode(mq, AMQP_CONNECTION_CLOSE_METHOD, arguments);
    amqp_connection_close_ok_t connection_ok = {0};
    amqp_channel_close_ok_t channel_ok = {0};
    bool whole = id == AMQP_CONNECTION_CLOSE_METHOD;

    if (!close)
        return protocol_fault(mq, err, "close without a reason");
    enum ste_code rc = ste_mq_fail(
        mq, err, close_code(close->reply_code, close->reply_text), "broker closed the %s: %u %.*s",
        whole ? "connection" : "channel", close->reply_code, (int)close->reply_text.len,
        (const char *)close->reply_text.bytes);
    /* The answer is a courtesy: whether it arrives changes nothing for us. */
    enum ste_code answered =
        whole ? ste_mq_put_method(mq, 0, AMQP_CONNECTION_CLOSE_OK_METHOD, &connection_ok, NULL)
              : ste_mq_put_method(mq, STE_MQ_CHANNEL, AMQP_CHANNEL_CLOSE_OK_METHOD, &channel_ok,
                                  NULL);
    if (answered == STE_OK)
        answered = ste_mq_flush(mq, NULL);
    if (whole || answered != STE_OK)
        mq->in_step = false;
    return rc;
}

/* ---- messages in ---- */

static enum ste_code begin_content(struct ste_mq *mq, enum ste_mq_content content,
                                   struct ste_bytes arguments, struct ste_error *err)
{
    struct ste_mq_assembly *assembly = &mq->assembly;
    if (assembly->content != STE_CONTENT_NONE)
        return protocol_fault(mq, err, "a message begins within another");
    if (arguments.len > sizeof assembly->method)
        return protocol_fault(mq, err, "a method is too long");
    assembly->content = content;
    assembly->header_seen = false;
    assembly->method_len = arguments.len;
    memcpy(assembly->method, arguments.at, arguments.len);
    return STE_OK;
}

static bool read_method(enum ste_mq_content content, struct ste_bytes arguments,
                        struct ste_mq_delivery *delivery)
{
    struct ste_wire wire = ste_wire_of(arguments);
    if (content == STE_CONTENT_DELIVER)
        delivery->consumer_tag = ste_wire_short(&wire);
    delivery->tag = ste_wire_uint(&wire, 8);
    delivery->redelivered = ste_wire_uint(&wire, 1) & 1;
    delivery->exchange = ste_wire_short(&wire);
    delivery->routing_key = ste_wire_short(&wire);
    return !wire.failed;
}

/* Everything of a delivery lies in one piece of memory: method, header, body. */
static enum ste_code new_node(struct ste_mq *mq, struct ste_bytes header, struct ste_error *err)
{
    struct ste_mq_assembly *assembly = &mq->assembly;
    struct ste_wire wire = ste_wire_of(header);
    uint64_t body_bytes, seq;

    ste_wire_uint(&wire, 4);
    body_bytes = ste_wire_uint(&wire, 8);
    if (wire.failed || body_bytes > STE_MQ_BODY_BYTES_MAX)
        return protocol_fault(mq, err, "a message has no size, or one over the limit");
    size_t fixed = assembly->method_len + header.len;
    struct ste_mq_node *node = malloc(sizeof *node + fixed + (size_t)body_bytes);
    if (!node)
        return ste_mq_fail(mq, err, STE_E_NOMEM, "no memory for a message of %zu bytes",
                           (size_t)body_bytes);
    memset(node, 0, sizeof *node);
    assembly->node = node;
    memcpy(node->bytes, assembly->method, assembly->method_len);
    memcpy(node->bytes + assembly->method_len, header.at, header.len);
    struct ste_bytes method_copy = {node->bytes, assembly->method_len};
    struct ste_bytes header_copy = {node->bytes + assembly->method_len, header.len};
    if (!read_method(assembly->content, method_copy, &node->delivery) ||
        !ste_mq_headers_parse(header_copy, &node->delivery, &body_bytes, &seq))
        return protocol_fault(mq, err, "a delivery is damaged");
    node->delivery.generation = mq->generation;
    node->delivery.owner = node;
    node->delivery.body = (struct ste_bytes){node->bytes + fixed, (size_t)body_bytes};
    assembly->body_at = node->bytes + fixed;
    assembly->missing_bytes = body_bytes;
    return STE_OK;
}

/* A returned message is paired with its publish by our own header; its body is dropped. */
static enum ste_code take_return(struct ste_mq *mq, struct ste_bytes header, struct ste_error *err)
{
    struct ste_mq_delivery returned = {0};
    uint64_t seq = 0;
    if (!ste_mq_headers_parse(header, &returned, &mq->assembly.missing_bytes, &seq) ||
        !ste_mq_confirms_return(&mq->confirms, seq))
        return protocol_fault(mq, err, "a returned message is none of ours");
    return STE_OK;
}

static void end_content(struct ste_mq *mq)
{
    struct ste_mq_assembly *assembly = &mq->assembly;
    struct ste_mq_node *node = assembly->node;
    if (assembly->content == STE_CONTENT_DELIVER) {
        if (mq->ready_last)
            mq->ready_last->next = node;
        else
            mq->ready_first = node;
        mq->ready_last = node;
    } else if (assembly->content == STE_CONTENT_GET) {
        mq->got = node;
        mq->reply.got = AMQP_BASIC_GET_OK_METHOD;
    }
    assembly->node = NULL;
    assembly->content = STE_CONTENT_NONE;
}

static enum ste_code handle_header(struct ste_mq *mq, struct ste_bytes payload,
                                   struct ste_error *err)
{
    struct ste_mq_assembly *assembly = &mq->assembly;
    if (assembly->content == STE_CONTENT_NONE || assembly->header_seen)
        return protocol_fault(mq, err, "a header without its message");
    enum ste_code rc = assembly->content == STE_CONTENT_RETURN ? take_return(mq, payload, err)
                                                               : new_node(mq, payload, err);
    if (rc != STE_OK)
        return rc;
    assembly->header_seen = true;
    if (assembly->missing_bytes == 0)
        end_content(mq);
    return STE_OK;
}

static enum ste_code handle_body(struct ste_mq *mq, struct ste_bytes payload, struct ste_error *err)
{
    struct ste_mq_assembly *assembly = &mq->assembly;
    if (assembly->content == STE_CONTENT_NONE || !assembly->header_seen ||
        payload.len > assembly->missing_bytes)
        return protocol_fault(mq, err, "a body without its message");
    if (assembly->node) {
        memcpy(assembly->body_at, payload.at, payload.len);
        assembly->body_at += payload.len;
    }
    assembly->missing_bytes -= payload.len;
    if (assembly->missing_bytes == 0)
        end_content(mq);
    return STE_OK;
}

/* ---- methods in ---- */

static enum ste_code handle_confirm(struct ste_mq *mq, bool ack, struct ste_bytes arguments,
                                    struct ste_error *err)
{
    struct ste_wire wire = ste_wire_of(arguments);
    uint64_t tag = ste_wire_uint(&wire, 8);
    bool multiple = ste_wire_uint(&wire, 1) & 1;
    if (wire.failed || !ste_mq_confirms_settle(&mq->confirms, tag, multiple, ack, mq->settled,
                                               mq->settled_context))
        return protocol_fault(mq, err, "a confirm for no publish of ours");
    return STE_OK;
}

static enum ste_code cancelled_by_broker(struct ste_mq *mq, struct ste_bytes arguments,
                                         struct ste_error *err)
{
    struct ste_wire wire = ste_wire_of(arguments);
    struct ste_bytes consumer_tag = ste_wire_short(&wire);
    return ste_mq_fail(mq, err, STE_E_MQ_DOWN, "broker cancelled consumer %.*s: its queue is gone",
                       (int)consumer_tag.len, consumer_tag.at);
}

/* The answer to the call in hand. */
static enum ste_code handle_reply(struct ste_mq *mq, amqp_method_number_t id,
                                  struct ste_bytes arguments, struct ste_error *err)
{
    struct ste_mq_reply *reply = &mq->reply;
    bool empty = id == AMQP_BASIC_GET_EMPTY_METHOD && reply->wanted == AMQP_BASIC_GET_OK_METHOD;
    if (id != reply->wanted && !empty) {
        const char *name = amqp_method_name(id);
        return protocol_fault(mq, err, name ? name : "an unknown method");
    }
    if (id == AMQP_BASIC_GET_OK_METHOD) /* the answer is there when its body is */
        return begin_content(mq, STE_CONTENT_GET, arguments, err);
    if (id == AMQP_CONNECTION_TUNE_METHOD) {
        const amqp_connection_tune_t *tune = decode(mq, id, arguments);
        if (!tune)
            return protocol_fault(mq, err, "connection.tune is damaged");
        reply->channel_max = tune->channel_max;
        reply->frame_max = tune->frame_max;
        reply->heartbeat_s = tune->heartbeat;
    } else if (id == AMQP_QUEUE_DECLARE_OK_METHOD) {
        const amqp_queue_declare_ok_t *declared = decode(mq, id, arguments);
        if (!declared)
            return protocol_fault(mq, err, "queue.declare-ok is damaged");
        reply->message_count = declared->message_count;
    }
    reply->got = id;
    return STE_OK;
}

static enum ste_code handle_method(struct ste_mq *mq, struct ste_bytes payload,
                                   struct ste_error *err)
{
    struct ste_wire wire = ste_wire_of(payload);
    amqp_method_number_t id = (amqp_method_number_t)ste_wire_uint(&wire, 4);
    struct ste_bytes arguments = ste_wire_bytes(&wire, (size_t)(wire.end - wire.at));

    switch (id) {
    case AMQP_BASIC_DELIVER_METHOD:
        return begin_content(mq, STE_CONTENT_DELIVER, arguments, err);
    case AMQP_BASIC_ACK_METHOD:
        return handle_confirm(mq, true, arguments, err);
    case AMQP_BASIC_NACK_METHOD:
        return handle_confirm(mq, false, arguments, err);
    case AMQP_BASIC_RETURN_METHOD:
        return begin_content(mq, STE_CONTENT_RETURN, arguments, err);
    case AMQP_BASIC_CANCEL_METHOD:
        return cancelled_by_broker(mq, arguments, err);
    case AMQP_CONNECTION_BLOCKED_METHOD:
        mq->blocked = true;
        return STE_OK;
    case AMQP_CONNECTION_UNBLOCKED_METHOD:
        mq->blocked = false;
        return STE_OK;
    case AMQP_CONNECTION_CLOSE_METHOD:
    case AMQP_CHANNEL_CLOSE_METHOD:
        return closed_by_broker(mq, id, arguments, err);
    default:
        return handle_reply(mq, id, arguments, err);
    }
}

enum ste_code ste_mq_handle_frame(struct ste_mq *mq, bool *ret_handled, struct ste_error *err)
{
    enum ste_code rc = STE_OK;
    size_t bytes = frame_bytes(mq);
    const char *at = mq->in + mq->in_begin;

    *ret_handled = false;
    if (bytes == 0)
        return STE_OK;
    unsigned type = (unsigned char)at[0];
    if (!type_known(type) || bytes > mq->frame_max)
        return protocol_fault(mq, err, "this is not AMQP 0-9-1, or a frame over the agreed size");
    if (mq->in_end - mq->in_begin < bytes)
        return STE_OK;
    struct ste_bytes payload = {at + FRAME_PREFIX_BYTES, bytes - STE_MQ_FRAME_OVERHEAD};
    if ((unsigned char)at[bytes - 1] != FRAME_END)
        return protocol_fault(mq, err, "a frame without its end");
    if (type == STE_FRAME_METHOD)
        rc = handle_method(mq, payload, err);
    else if (type == STE_FRAME_HEADER)
        rc = handle_header(mq, payload, err);
    else if (type == STE_FRAME_BODY)
        rc = handle_body(mq, payload, err);
    mq->in_begin += bytes; /* only now: payload lay there */
    recycle_amqp_pool(&mq->pool);
    *ret_handled = true;
    return rc;
}

/* ---- methods out ---- */

amqp_bytes_t ste_mq_amqp_bytes(const char *text)
{
    return (amqp_bytes_t){.len = strlen(text), .bytes = (void *)(uintptr_t)text};
}

enum ste_code ste_mq_put_method(struct ste_mq *mq, uint16_t channel, amqp_method_number_t id,
                                void *method, struct ste_error *err)
{
    enum { METHOD_ROOM_BYTES = 8192 };
    if (!ste_buf_reserve(&mq->out, METHOD_ROOM_BYTES + STE_MQ_FRAME_OVERHEAD + 4))
        return ste_mq_fail(mq, err, STE_E_NOMEM, "no memory for a method");
    char *at = mq->out.at + mq->out.len;
    amqp_bytes_t room = {.len = METHOD_ROOM_BYTES, .bytes = at + FRAME_PREFIX_BYTES + 4};
    int bytes = amqp_encode_method(id, method, room); /* its length, whatever its comment says */
    if (bytes < 0)
        return ste_mq_fail(mq, err, STE_E_ARGUMENT, "could not encode %s: %s", amqp_method_name(id),
                           amqp_error_string2(bytes));
    ste_wire_put_uint(&at, STE_FRAME_METHOD, 1);
    ste_wire_put_uint(&at, channel, 2);
    ste_wire_put_uint(&at, (uint64_t)bytes + 4, 4);
    ste_wire_put_uint(&at, id, 4);
    at += bytes;
    ste_wire_put_uint(&at, FRAME_END, 1);
    mq->out.len = (size_t)(at - mq->out.at);
    return STE_OK;
}

enum ste_code ste_mq_await(struct ste_mq *mq, amqp_method_number_t wanted, uint64_t deadline_ns,
                           struct ste_error *err)
{
    enum ste_code rc = STE_OK;
    mq->reply.wanted = wanted;
    mq->reply.got = 0;
    while (rc == STE_OK && mq->reply.got == 0) {
        bool progress = false;
        rc = ste_mq_handle_frame(mq, &progress, err);
        if (rc == STE_OK && !progress)
            rc = ste_mq_fill(mq, &progress, err);
        if (rc != STE_OK || progress)
            continue;
        if (ste_clock_mono_ns() >= deadline_ns)
            rc = ste_mq_fail(mq, err, STE_E_MQ_DOWN, "broker did not answer in time");
        else
            rc = ste_mq_block(mq, deadline_ns, err);
    }
    mq->reply.wanted = 0;
    return rc;
}

enum ste_code ste_mq_call(struct ste_mq *mq, uint16_t channel, amqp_method_number_t id,
                          void *method, amqp_method_number_t wanted, uint64_t deadline_ns,
                          struct ste_error *err)
{
    enum ste_code rc = ste_mq_put_method(mq, channel, id, method, err);
    return rc == STE_OK ? ste_mq_await(mq, wanted, deadline_ns, err) : rc;
}
