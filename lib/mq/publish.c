/* SPDX-License-Identifier: Apache-2.0
 * Publishing with confirms. A publish is written behind what waits already and sent as far as the
 * socket takes it: nothing here waits for the broker. */
#include "mq/internal.h"

#include "base/clock.h"
#include "mq/headers.h"
#include "mq/wire.h"

enum { FRAME_END = 0xce, SHORT_BYTES_MAX = 255, MANDATORY = 1 };

void ste_mq_on_settled(struct ste_mq *mq, ste_mq_settled *settled, void *context)
{
    mq->settled = settled;
    mq->settled_context = context;
}

void ste_mq_gather(struct ste_mq *mq, bool gather)
{
    mq->gather = gather;
}

size_t ste_mq_unconfirmed(const struct ste_mq *mq)
{
    return mq->confirms.unsettled;
}

static char *begin_frame(char *at, enum ste_mq_frame_type type)
{
    ste_wire_put_uint(&at, type, 1);
    ste_wire_put_uint(&at, STE_MQ_CHANNEL, 2);
    return at + 4;
}

/* Fills in the size of the frame that began at `start`. */
static char *end_frame(char *start, char *at)
{
    char *size = start + 3;
    ste_wire_put_uint(&size, (uint64_t)(at - start) - 7, 4);
    ste_wire_put_uint(&at, FRAME_END, 1);
    return at;
}

static char *write_method(char *start, const struct ste_mq_message *message)
{
    char *at = begin_frame(start, STE_FRAME_METHOD);
    ste_wire_put_uint(&at, AMQP_BASIC_PUBLISH_METHOD, 4);
    ste_wire_put_uint(&at, 0, 2); /* reserved */
    ste_wire_put_short(&at, ste_bytes_of(message->exchange));
    ste_wire_put_short(&at, message->routing_key);
    ste_wire_put_uint(&at, MANDATORY, 1);
    return end_frame(start, at);
}

/* As many full frames as fit, then the rest; a body that fills its frames has no empty one behind.
 */
static char *write_body(char *at, struct ste_bytes body, size_t frame_max)
{
    while (body.len > 0) {
        size_t len = frame_max - STE_MQ_FRAME_OVERHEAD;
        if (len > body.len)
            len = body.len;
        char *start = at;
        at = begin_frame(start, STE_FRAME_BODY);
        ste_wire_put_bytes(&at, (struct ste_bytes){body.at, len});
        at = end_frame(start, at);
        body.at += len;
        body.len -= len;
    }
    return at;
}

static bool fits(const struct ste_mq *mq, const struct ste_mq_message *message)
{
    return ste_bytes_of(message->exchange).len <= SHORT_BYTES_MAX &&
           message->routing_key.len <= SHORT_BYTES_MAX &&
           message->message_id.len <= SHORT_BYTES_MAX && message->user_id.len <= SHORT_BYTES_MAX &&
           message->body.len <= STE_MQ_BODY_BYTES_MAX &&
           ste_mq_headers_bound(message) <= mq->frame_max - STE_MQ_FRAME_OVERHEAD;
}

/* STE_OK, or why nothing can be sent now. */
static enum ste_code may_publish(struct ste_mq *mq, const struct ste_mq_message *message,
                                 struct ste_error *err)
{
    enum ste_code rc = ste_mq_usable(mq, err);
    if (rc != STE_OK)
        return rc;
    if (mq->purpose != STE_MQ_PUBLISH)
        return ste_error_set(err, STE_E_ARGUMENT, "this connection is for consuming");
    if (!fits(mq, message))
        return ste_error_set(err, STE_E_ARGUMENT, "a name, header or body is too long for AMQP");
    if (mq->blocked)
        return ste_error_set(err, STE_E_MQ_BLOCKED, "broker blocks publishers");
    if (mq->out.len - mq->out_begin > STE_MQ_OUT_HIGH_BYTES)
        rc = ste_mq_flush(mq, err);
    if (rc == STE_OK && (ste_mq_confirms_full(&mq->confirms) ||
                         mq->out.len - mq->out_begin > STE_MQ_OUT_HIGH_BYTES))
        rc = ste_error_set(err, STE_E_MQ_WINDOW, "%zu publishes without their confirm",
                           mq->confirms.unsettled);
    return rc;
}

enum ste_code ste_mq_publish(struct ste_mq *mq, const struct ste_mq_message *message,
                             uint64_t cookie, struct ste_error *err)
{
    enum ste_code rc = may_publish(mq, message, err);
    if (rc != STE_OK)
        return rc;
    size_t frames = message->body.len / (mq->frame_max - STE_MQ_FRAME_OVERHEAD) + 1;
    size_t bound =
        1024 + ste_mq_headers_bound(message) + message->body.len + frames * STE_MQ_FRAME_OVERHEAD;
    if (!ste_buf_reserve(&mq->out, bound))
        return ste_mq_fail(mq, err, STE_E_NOMEM, "no memory for a publish of %zu bytes",
                           message->body.len);
    uint64_t tag = ste_mq_confirms_add(&mq->confirms, cookie);
    char *at = write_method(mq->out.at + mq->out.len, message);
    char *header = at;
    at = end_frame(header,
                   ste_mq_headers_write(begin_frame(header, STE_FRAME_HEADER), message, tag));
    at = write_body(at, message->body, mq->frame_max);
    mq->out.len = (size_t)(at - mq->out.at);
    if (mq->gather && mq->out.len - mq->out_begin < STE_MQ_GATHER_BYTES)
        return STE_OK;
    return ste_mq_flush(mq, err);
}

enum ste_code ste_mq_pump(struct ste_mq *mq, int timeout_ms, struct ste_error *err)
{
    enum { FILLS_MAX = 16 }; /* a broker that never stops talking does not keep us here */
    uint64_t deadline_ns = timeout_ms > 0 ? ste_mq_deadline(timeout_ms) : 0;
    enum ste_code rc = ste_mq_usable(mq, err);
    bool any = false;

    if (rc == STE_OK && mq->out.len > mq->out_begin)
        rc = ste_mq_flush(mq, err);
    for (int fills = 0; rc == STE_OK && fills < FILLS_MAX;) {
        bool handled = false, got = false;
        rc = ste_mq_handle_frame(mq, &handled, err);
        any |= handled;
        if (rc != STE_OK || handled)
            continue;
        if (any && mq->drained) /* the last recv() took all there was: spare the one that says so */
            break;
        rc = ste_mq_fill(mq, &got, err);
        fills++;
        if (rc != STE_OK || got)
            continue;
        if (any || deadline_ns == 0 || ste_clock_mono_ns() >= deadline_ns)
            break;
        fills = 0;
        rc = ste_mq_block(mq, deadline_ns, err);
    }
    return rc;
}
