/* SPDX-License-Identifier: Apache-2.0
 * A connection on one end of a socket pair, the test as broker on the other. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/clock.h"
#include "mq/internal.h"
#include "mq/wire.h"

enum { SCRIPT_BYTES = 1 << 20, TEST_FRAME_MAX = 4096 };

struct fixture {
    struct ste_mq *mq;
    int broker;
    char *script, *at; /* what the broker says next */
    size_t settled_count;
    enum ste_mq_outcome settled[16];
    uint64_t cookies[16];
};

static void note(void *context, uint64_t cookie, enum ste_mq_outcome outcome)
{
    struct fixture *f = context;
    assert_true(f->settled_count < 16);
    f->cookies[f->settled_count] = cookie;
    f->settled[f->settled_count++] = outcome;
}

static int set_up(void **state)
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

static int tear_down(void **state)
{
    struct fixture *f = *state;
    ste_mq_close(f->mq);
    close(f->broker);
    free(f->script);
    free(f);
    return 0;
}

/* ---- the broker's side ---- */

static void frame(struct fixture *f, unsigned type, unsigned channel, struct ste_bytes payload)
{
    ste_wire_put_uint(&f->at, type, 1);
    ste_wire_put_uint(&f->at, channel, 2);
    ste_wire_put_long(&f->at, payload);
    ste_wire_put_uint(&f->at, 0xce, 1);
}

static void method(struct fixture *f, unsigned channel, amqp_method_number_t id, void *fields)
{
    char payload[2048], *at = payload;
    ste_wire_put_uint(&at, id, 4);
    int len = amqp_encode_method(id, fields, (amqp_bytes_t){sizeof payload - 4, at});
    assert_true(len >= 0);
    frame(f, STE_FRAME_METHOD, channel, (struct ste_bytes){payload, 4 + (size_t)len});
}

static void confirm(struct fixture *f, amqp_method_number_t id, uint64_t tag, bool multiple)
{
    if (id == AMQP_BASIC_ACK_METHOD) {
        amqp_basic_ack_t ack = {.delivery_tag = tag, .multiple = multiple};
        method(f, 1, id, &ack);
    } else {
        amqp_basic_nack_t nack = {.delivery_tag = tag, .multiple = multiple};
        method(f, 1, id, &nack);
    }
}

/* Header frame with ste-seq, then the body in frames of at most `chunk` bytes. */
static void content(struct fixture *f, uint64_t seq, struct ste_bytes body, size_t chunk)
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

static void deliver(struct fixture *f, uint64_t tag, struct ste_bytes body, size_t chunk)
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

static void returned(struct fixture *f, uint64_t seq, struct ste_bytes body)
{
    amqp_basic_return_t fields = {.reply_code = 312, .reply_text = ste_mq_amqp_bytes("NO_ROUTE")};
    method(f, 1, AMQP_BASIC_RETURN_METHOD, &fields);
    content(f, seq, body, TEST_FRAME_MAX - 8);
}

static void say(struct fixture *f)
{
    size_t len = (size_t)(f->at - f->script);
    assert_int_equal(write(f->broker, f->script, len), len);
    f->at = f->script;
}

static void publish(struct fixture *f, unsigned count)
{
    struct ste_mq_message message = {.exchange = "ste.work", .body = STE_BYTES("x")};
    for (unsigned i = 0; i < count; i++)
        assert_int_equal(ste_mq_publish(f->mq, &message, 100 + i, NULL), STE_OK);
}

/* ---- tests ---- */

static void assert_delivery(struct ste_mq_delivery *delivery, uint64_t tag, struct ste_bytes body)
{
    assert_true(delivery->tag == tag);
    assert_true(delivery->redelivered);
    assert_true(ste_bytes_equal(delivery->consumer_tag, STE_BYTES("c-1")));
    assert_true(ste_bytes_equal(delivery->exchange, STE_BYTES("ste.work")));
    assert_true(ste_bytes_equal(delivery->routing_key, STE_BYTES("noe.03")));
    assert_true(ste_bytes_equal(delivery->message_id, STE_BYTES("m-1")));
    assert_true(ste_bytes_equal(delivery->body, body));
    ste_mq_delivery_free(delivery);
}

/* Two deliveries, a heartbeat between, arriving one byte at a time. */
static void test_deliveries_cut_at_every_byte(void **state)
{
    struct fixture *f = *state;
    struct ste_bytes body = STE_BYTES("0123456789");
    struct ste_mq_delivery delivery;
    unsigned seen = 0;

    deliver(f, 7, body, 3);
    frame(f, STE_FRAME_HEARTBEAT, 0, (struct ste_bytes){0});
    deliver(f, 8, (struct ste_bytes){0}, 3);
    for (const char *at = f->script; at < f->at; at++) {
        bool got = false;
        assert_int_equal(write(f->broker, at, 1), 1);
        assert_int_equal(ste_mq_receive(f->mq, 0, &delivery, &got, NULL), STE_OK);
        if (!got)
            continue;
        assert_delivery(&delivery, 7 + seen, seen == 0 ? body : (struct ste_bytes){0});
        seen++;
    }
    assert_int_equal(seen, 2);
}

/* All deliveries of one read come out one by one, in order, without another read. */
static void test_many_deliveries_in_one_read(void **state)
{
    struct fixture *f = *state;
    struct ste_mq_delivery delivery;
    bool got;
    for (uint64_t tag = 1; tag <= 50; tag++)
        deliver(f, tag, STE_BYTES("body"), 100);
    say(f);
    struct ste_mq *mqs[] = {NULL, f->mq};
    for (uint64_t tag = 1; tag <= 50; tag++) {
        assert_int_equal(ste_mq_wait(mqs, 2, -1, 1000, NULL), STE_OK);
        assert_int_equal(ste_mq_receive(f->mq, 0, &delivery, &got, NULL), STE_OK);
        assert_true(got);
        assert_delivery(&delivery, tag, STE_BYTES("body"));
    }
    assert_int_equal(ste_mq_receive(f->mq, 0, &delivery, &got, NULL), STE_OK);
    assert_false(got);
}

static void test_ack_multiple_and_nack(void **state)
{
    struct fixture *f = *state;
    publish(f, 5);
    confirm(f, AMQP_BASIC_NACK_METHOD, 2, false);
    confirm(f, AMQP_BASIC_ACK_METHOD, 4, true);
    say(f);
    assert_int_equal(ste_mq_pump(f->mq, 1000, NULL), STE_OK);
    assert_int_equal(f->settled_count, 4);
    assert_int_equal(f->cookies[0], 101);
    assert_int_equal(f->settled[0], STE_MQ_NACKED);
    assert_int_equal(f->cookies[1], 100);
    assert_int_equal(f->settled[1], STE_MQ_CONFIRMED);
    assert_int_equal(ste_mq_unconfirmed(f->mq), 1);
}

static void test_return_then_ack(void **state)
{
    struct fixture *f = *state;
    char large[9000];
    memset(large, 'r', sizeof large);
    publish(f, 3);
    returned(f, 2, (struct ste_bytes){large, sizeof large});
    returned(f, 3, (struct ste_bytes){0});
    confirm(f, AMQP_BASIC_ACK_METHOD, 3, true);
    say(f);
    assert_int_equal(ste_mq_pump(f->mq, 1000, NULL), STE_OK);
    assert_int_equal(f->settled_count, 3);
    assert_int_equal(f->settled[0], STE_MQ_CONFIRMED);
    assert_int_equal(f->settled[1], STE_MQ_RETURNED);
    assert_int_equal(f->settled[2], STE_MQ_RETURNED);
    assert_int_equal(f->cookies[1], 101);
}

static void test_the_window_closes_and_opens(void **state)
{
    struct fixture *f = *state;
    struct ste_mq_message message = {.exchange = "ste.work", .body = STE_BYTES("x")};
    publish(f, 8);
    assert_int_equal(ste_mq_publish(f->mq, &message, 1, NULL), STE_E_MQ_WINDOW);
    confirm(f, AMQP_BASIC_ACK_METHOD, 0, true);
    say(f);
    assert_int_equal(ste_mq_pump(f->mq, 1000, NULL), STE_OK);
    assert_int_equal(ste_mq_publish(f->mq, &message, 1, NULL), STE_OK);
}

static void test_blocked_and_unblocked(void **state)
{
    struct fixture *f = *state;
    struct ste_mq_message message = {.exchange = "ste.work", .body = STE_BYTES("x")};
    amqp_connection_blocked_t blocked = {.reason = ste_mq_amqp_bytes("low on disk")};
    amqp_connection_unblocked_t unblocked = {0};
    method(f, 0, AMQP_CONNECTION_BLOCKED_METHOD, &blocked);
    say(f);
    assert_int_equal(ste_mq_pump(f->mq, 1000, NULL), STE_OK);
    assert_true(ste_mq_blocked(f->mq));
    assert_int_equal(ste_mq_publish(f->mq, &message, 1, NULL), STE_E_MQ_BLOCKED);
    assert_int_equal(ste_mq_unconfirmed(f->mq), 0);
    method(f, 0, AMQP_CONNECTION_UNBLOCKED_METHOD, &unblocked);
    say(f);
    assert_int_equal(ste_mq_pump(f->mq, 1000, NULL), STE_OK);
    assert_int_equal(ste_mq_publish(f->mq, &message, 1, NULL), STE_OK);
}

static void close_channel(struct fixture *f, unsigned code, const char *text)
{
    amqp_channel_close_t fields = {.reply_code = (uint16_t)code,
                                   .reply_text = ste_mq_amqp_bytes(text)};
    method(f, 1, AMQP_CHANNEL_CLOSE_METHOD, &fields);
    say(f);
}

/* The first call tells what it was, every later one only that it is over. */
static void test_a_closed_channel_is_for_good(void **state)
{
    struct fixture *f = *state;
    struct ste_error err;
    close_channel(f, 403, "ACCESS_REFUSED - no right");
    assert_int_equal(ste_mq_pump(f->mq, 1000, &err), STE_E_MQ_REFUSED);
    assert_non_null(strstr(err.text, "403 ACCESS_REFUSED - no right"));
    assert_int_equal(ste_mq_pump(f->mq, 0, &err), STE_E_MQ_DOWN);
    assert_non_null(strstr(err.text, "403 ACCESS_REFUSED - no right"));
    struct ste_mq_message message = {.exchange = "ste.work", .body = STE_BYTES("x")};
    assert_int_equal(ste_mq_publish(f->mq, &message, 1, &err), STE_E_MQ_DOWN);
    assert_int_equal(ste_mq_ack(f->mq, 1, false, &err), STE_E_MQ_DOWN);
    struct ste_mq *mqs[] = {f->mq};
    uint64_t before_ns = ste_clock_mono_ns();
    assert_int_equal(ste_mq_wait(mqs, 1, -1, 5000, &err), STE_OK);
    assert_true(ste_clock_mono_ns() - before_ns < 1000000000u);
}

static void test_which_closes_may_be_retried(void **state)
{
    const struct {
        unsigned code;
        const char *text;
        enum ste_code expected;
    } cases[] = {
        {404, "NOT_FOUND - no queue 'ste.noe.00'", STE_E_MQ_REFUSED},
        {404, "NOT_FOUND - queue 'ste.noe.00' is down or inaccessible", STE_E_MQ_DOWN},
        {406, "PRECONDITION_FAILED - unknown delivery tag 7", STE_E_MQ_REFUSED},
        {406, "PRECONDITION_FAILED - delivery acknowledgement on channel 1 timed out",
         STE_E_MQ_DOWN},
        {541, "INTERNAL_ERROR", STE_E_MQ_DOWN},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(set_up(state), 0);
        struct fixture *f = *state;
        close_channel(f, cases[i].code, cases[i].text);
        assert_int_equal(ste_mq_pump(f->mq, 1000, NULL), cases[i].expected);
        tear_down(state);
    }
}

static void test_broker_gone(void **state)
{
    struct fixture *f = *state;
    struct ste_error err;
    shutdown(f->broker, SHUT_RDWR);
    assert_int_equal(ste_mq_pump(f->mq, 1000, &err), STE_E_MQ_DOWN);
    assert_string_equal(err.text, "broker connection lost: closed by the broker");
}

/* Each of these is a broker that cannot be trusted any more; none may crash or hang us. */
static void test_damaged_streams_break_the_connection(void **state)
{
    const struct ste_bytes streams[] = {
        STE_BYTES("HTTP/1.1 400 Bad Request\r\n"),
        STE_BYTES("AMQP\0\0\x09\x01"),
        STE_BYTES("\x01\0\x01\x00\x01\x00\x00"),                  /* over the agreed size */
        STE_BYTES("\x01\0\x01\0\0\0\x04\0\x3c\0\x50\x00"),        /* no frame end */
        STE_BYTES("\x01\0\x01\0\0\0\x04\0\x3c\0\x50\xce"),        /* ack without its tag */
        STE_BYTES("\x01\0\x01\0\0\0\x0d\0\x3c\0\x50\0\0\0\0\0\0\0\x09\0\xce"), /* ack of nothing */
        STE_BYTES("\x02\0\x01\0\0\0\x0e\0\x3c\0\0\0\0\0\0\0\0\0\x01\0\0\xce"), /* header alone */
        STE_BYTES("\x03\0\x01\0\0\0\x01x\xce"),                   /* body alone */
        STE_BYTES("\x01\0\x01\0\0\0\x04\0\x3c\0\x3c\xce\x02\0\x01\0\0\0\x0c\0\x3c\0\0\0\0\0\0\0\0\0\x01\xce"),
        STE_BYTES("\x01\0\x01\0\0\0\x04\0\x32\0\x0b\xce"),        /* an answer nobody asked for */
        STE_BYTES("\x01\0\0\0\0\0\x04\0\x0a\0\x32\xce"),          /* close without a reason */
    };
    for (size_t i = 0; i < sizeof streams / sizeof *streams; i++) {
        assert_int_equal(set_up(state), 0);
        struct fixture *f = *state;
        assert_int_equal(write(f->broker, streams[i].at, streams[i].len), streams[i].len);
        assert_int_equal(ste_mq_pump(f->mq, 1000, NULL), STE_E_MQ_DOWN);
        tear_down(state);
    }
}

static size_t drain(int fd, char *buffer, size_t room)
{
    ssize_t received = recv(fd, buffer, room, MSG_DONTWAIT);
    return received > 0 ? (size_t)received : 0;
}

/* A body that fills its frames exactly has no empty frame behind it. */
static void test_body_frames(void **state)
{
    struct fixture *f = *state;
    enum { FULL = TEST_FRAME_MAX - 8 };
    const size_t sizes[] = {0, 1, FULL - 1, FULL, FULL + 1, 2 * FULL, 2 * FULL + 1};
    const unsigned frames[] = {0, 1, 1, 1, 2, 2, 3};
    char *body = calloc(1, 3 * FULL), *sent = malloc(4 * FULL);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct ste_mq_message message = {.exchange = "e", .body = {body, sizes[i]}};
        assert_int_equal(ste_mq_publish(f->mq, &message, 1, NULL), STE_OK);
        size_t len = drain(f->broker, sent, 4 * FULL), at = 0, body_len = 0;
        unsigned bodies = 0;
        while (at < len) {
            struct ste_wire wire = ste_wire_of((struct ste_bytes){sent + at, len - at});
            unsigned type = (unsigned)ste_wire_uint(&wire, 1);
            ste_wire_uint(&wire, 2);
            struct ste_bytes payload = ste_wire_long(&wire);
            assert_int_equal(ste_wire_uint(&wire, 1), 0xce);
            assert_false(wire.failed);
            assert_true(payload.len <= FULL);
            bodies += type == STE_FRAME_BODY;
            body_len += type == STE_FRAME_BODY ? payload.len : 0;
            at += payload.len + 8;
        }
        assert_int_equal(bodies, frames[i]);
        assert_int_equal(body_len, sizes[i]);
    }
    free(body);
    free(sent);
}

static void test_gathered_publishes_leave_together(void **state)
{
    struct fixture *f = *state;
    char sent[4096];
    ste_mq_gather(f->mq, true);
    publish(f, 3);
    assert_int_equal(drain(f->broker, sent, sizeof sent), 0);
    assert_int_equal(ste_mq_pump(f->mq, 0, NULL), STE_OK);
    assert_true(drain(f->broker, sent, sizeof sent) > 0);
    publish(f, 1);
    struct ste_mq *mqs[] = {f->mq};
    assert_int_equal(ste_mq_wait(mqs, 1, -1, 0, NULL), STE_OK);
    assert_true(drain(f->broker, sent, sizeof sent) > 0);
}

/* A broker that stops reading: publishes are kept up to a bound, then refused, never blocking; and
 * everything arrives in order when it reads again. */
static void test_a_broker_that_stops_reading(void **state)
{
    struct fixture *f = *state;
    enum { BODY_BYTES = 100000, PUBLISHES = 8 };
    char *body = calloc(1, BODY_BYTES), *sink = malloc(BODY_BYTES);
    struct ste_mq_message message = {.exchange = "e", .body = {body, BODY_BYTES}};
    unsigned taken = 0;
    size_t arrived = 0, len;
    while (taken < PUBLISHES && ste_mq_publish(f->mq, &message, taken, NULL) == STE_OK)
        taken++;
    assert_in_range(taken, 3, PUBLISHES - 1);
    assert_int_equal(ste_mq_publish(f->mq, &message, taken, NULL), STE_E_MQ_WINDOW);
    do {
        assert_int_equal(ste_mq_pump(f->mq, 0, NULL), STE_OK);
        len = drain(f->broker, sink, BODY_BYTES);
        arrived += len;
    } while (len > 0);
    assert_true(arrived > (size_t)taken * BODY_BYTES);
    assert_true(arrived < (size_t)taken * (BODY_BYTES + 1000));
    assert_int_equal(ste_mq_publish(f->mq, &message, taken, NULL), STE_OK);
    free(body);
    free(sink);
}

static void test_heartbeats_out_and_silence_in(void **state)
{
    struct fixture *f = *state;
    char sent[64];
    struct ste_error err;
    f->mq->heartbeat_ns = 40000000;
    f->mq->received_ns = ste_clock_mono_ns();
    f->mq->next_heartbeat_ns = f->mq->received_ns + f->mq->heartbeat_ns / 2;
    struct ste_mq *mqs[] = {f->mq};
    assert_int_equal(ste_mq_wait(mqs, 1, -1, 30, NULL), STE_OK);
    assert_int_equal(drain(f->broker, sent, sizeof sent), 8);
    assert_int_equal(sent[0], STE_FRAME_HEARTBEAT);
    while (ste_mq_pump(f->mq, 10, &err) == STE_OK)
        ;
    assert_int_equal(err.code, STE_E_MQ_DOWN);
    assert_non_null(strstr(err.text, "silent"));
}

/* After a pause of ours longer than the heartbeat, what the broker sent meanwhile still counts. */
static void test_a_pause_of_ours_is_not_the_brokers(void **state)
{
    struct fixture *f = *state;
    f->mq->heartbeat_ns = 10000000;
    f->mq->received_ns = ste_clock_mono_ns() - 1000000000u;
    f->mq->next_heartbeat_ns = f->mq->received_ns;
    frame(f, STE_FRAME_HEARTBEAT, 0, (struct ste_bytes){0});
    say(f);
    assert_int_equal(ste_mq_pump(f->mq, 0, NULL), STE_OK);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(test_deliveries_cut_at_every_byte),
        TEST(test_many_deliveries_in_one_read),
        TEST(test_ack_multiple_and_nack),
        TEST(test_return_then_ack),
        TEST(test_the_window_closes_and_opens),
        TEST(test_blocked_and_unblocked),
        TEST(test_a_closed_channel_is_for_good),
        cmocka_unit_test(test_which_closes_may_be_retried),
        TEST(test_broker_gone),
        cmocka_unit_test(test_damaged_streams_break_the_connection),
        TEST(test_body_frames),
        TEST(test_gathered_publishes_leave_together),
        TEST(test_a_broker_that_stops_reading),
        TEST(test_heartbeats_out_and_silence_in),
        TEST(test_a_pause_of_ours_is_not_the_brokers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
