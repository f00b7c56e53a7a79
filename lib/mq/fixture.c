/* SPDX-License-Identifier: Apache-2.0 */
#include "mq/fixture.h"

static void note(void *context, uint64_t cookie, enum ste_mq_outcome outcome)
{
    struct fixture *f = context;
    assert_true(f->settled_count < 16);
    f->cookies[f->settled_count] = cookie;
    f->settled[f->settled_count++] = outcome;
}

int set_up(void **state)
{
    int pair[2];
    struct fixture *f = calloc(1, sizeof *f);
    if (!f || socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0)
        return -1;
    f->script = malloc(SCRIPT_BYTES);
    f->at = f->script;
    f->broker = pair[1];
    f->mq = ste_mq_new(STE_MQ_PUBLISH, 8);
    if (!f->script || !f->mq)
        return -1;
    f->mq->fd = pair[0];
    f->mq->frame_max = TEST_FRAME_MAX;
    ste_mq_on_settled(f->mq, note, f);
    *state = f;
    return 0;
}

int tear_down(void **state)
{
    struct fixture *f = *state;
    ste_mq_close(f->mq);
    close(f->broker);
    free(f->script);
    free(f);
    return 0;
}

/* ---- the broker's side ---- */

void frame(struct fixture *f, unsigned type, unsigned channel, struct ste_bytes payload)
{
    ste_wire_put_uint(&f->at, type, 1);
    ste_wire_put_uint(&f->at, channel, 2);
    ste_wire_put_long(&f->at, payload);
    ste_wire_put_uint(&f->at, 0xce, 1);
}

void method(struct fixture *f, unsigned channel, amqp_method_number_t id, void *fields)
{
    char payload[2048], *at = payload;
    ste_wire_put_uint(&at, id, 4);
    int len = amqp_encode_method(id, fields, (amqp_bytes_t){sizeof payload - 4, at});
    assert_true(len >= 0);
    frame(f, STE_FRAME_METHOD, channel, (struct ste_bytes){payload, 4 + (size_t)len});
}

void confirm(struct fixture *f, amqp_method_number_t id, uint64_t tag, bool multiple)
{
    if (id == AMQP_BASIC_ACK_METHOD) {
        amqp_basic_ack_t ack = {.delivery_tag = tag, .multiple = multiple};
        method(f, 1, id, &ack);
    } else {
        amqp_basic_nack_t nack = {.delivery_tag = tag, .multiple = multiple};
        method(f, 1, id, &nack);
    }
}

void content(struct fixture *f, uint64_t seq, struct ste_bytes body, size_t chunk)
{
    char payload[256], *at = payload;
    ste_wire_put_uint(&at, 60, 2);
    ste_wire_put_uint(&at, 0, 2);
    ste_wire_put_uint(&at, body.len, 8);
    ste_wire_put_uint(&at, 0x2080, 2); /* headers, message-id */
    ste_wire_put_uint(&at, 17, 4);
    ste_wire_put_short(&at, STE_BYTES("ste-seq"));
    *at++ = 'l';
    ste_wire_put_uint(&at, seq, 8);
    ste_wire_put_short(&at, STE_BYTES("m-1"));
    frame(f, STE_FRAME_HEADER, 1, (struct ste_bytes){payload, (size_t)(at - payload)});
    while (body.len > 0) {
        size_t len = body.len < chunk ? body.len : chunk;
        frame(f, STE_FRAME_BODY, 1, (struct ste_bytes){body.at, len});
        body.at += len;
        body.len -= len;
    }
}

void deliver(struct fixture *f, uint64_t tag, struct ste_bytes body, size_t chunk)
{
    amqp_basic_deliver_t fields = {
        .consumer_tag = ste_mq_amqp_bytes("c-1"),
        .delivery_tag = tag,
        .redelivered = 1,
        .exchange = ste_mq_amqp_bytes("ste.work"),
        .routing_key = ste_mq_amqp_bytes("noe.03"),
    };
    method(f, 1, AMQP_BASIC_DELIVER_METHOD, &fields);
    content(f, 0, body, chunk);
}

void returned(struct fixture *f, uint64_t seq, struct ste_bytes body)
{
    amqp_basic_return_t fields = {.reply_code = 312, .reply_text = ste_mq_amqp_bytes("NO_ROUTE")};
    method(f, 1, AMQP_BASIC_RETURN_METHOD, &fields);
    content(f, seq, body, TEST_FRAME_MAX - 8);
}

void say(struct fixture *f)
{
    size_t len = (size_t)(f->at - f->script);
    assert_int_equal(write(f->broker, f->script, len), len);
    f->at = f->script;
}

void publish(struct fixture *f, unsigned count)
{
    struct ste_mq_message message = {.exchange = "ste.work", .body = STE_BYTES("x")};
    for (unsigned i = 0; i < count; i++)
        assert_int_equal(ste_mq_publish(f->mq, &message, 100 + i, NULL), STE_OK);
}
