/* SPDX-License-Identifier: Apache-2.0
 * What the broker says, and what becomes of it. */
#include "mq/fixture.h"

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

/* Reads that end within a frame, with whole frames before it. */
static void test_deliveries_cut_anywhere(void **state)
{
    struct fixture *f = *state;
    struct ste_mq_delivery delivery;
    uint64_t seen = 0;
    for (uint64_t tag = 1; tag <= 40; tag++)
        deliver(f, tag, STE_BYTES("0123456789abcdefghijklmnopqrstuvwxyz"), 10);
    for (const char *at = f->script; at < f->at; at += 501) {
        size_t len = (size_t)(f->at - at) < 501 ? (size_t)(f->at - at) : 501;
        bool got = true;
        assert_int_equal(write(f->broker, at, len), len);
        while (got) {
            assert_int_equal(ste_mq_receive(f->mq, 0, &delivery, &got, NULL), STE_OK);
            if (got)
                assert_delivery(&delivery, ++seen,
                                STE_BYTES("0123456789abcdefghijklmnopqrstuvwxyz"));
        }
    }
    assert_int_equal(seen, 40);
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

/* What comes in while we wait for something else is kept, in order. */
static void test_deliveries_that_a_pump_found(void **state)
{
    struct fixture *f = *state;
    struct ste_mq_delivery delivery;
    bool got;
    for (uint64_t tag = 1; tag <= 5; tag++)
        deliver(f, tag, STE_BYTES("body"), 100);
    say(f);
    assert_int_equal(ste_mq_pump(f->mq, 1000, NULL), STE_OK);
    for (uint64_t tag = 1; tag <= 5; tag++) {
        assert_int_equal(ste_mq_receive(f->mq, 0, &delivery, &got, NULL), STE_OK);
        assert_true(got);
        assert_delivery(&delivery, tag, STE_BYTES("body"));
    }
    for (uint64_t tag = 6; tag <= 7; tag++) /* these go with the connection */
        deliver(f, tag, STE_BYTES("body"), 100);
    say(f);
    assert_int_equal(ste_mq_pump(f->mq, 1000, NULL), STE_OK);
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
        STE_BYTES("\x01\0\x01\x00\x01\x00\x00"),           /* over the agreed size */
        STE_BYTES("\x01\0\x01\0\0\0\x04\0\x3c\0\x50\x00"), /* no frame end */
        STE_BYTES("\x01\0\x01\0\0\0\x04\0\x3c\0\x50\xce"), /* ack without its tag */
        STE_BYTES("\x01\0\x01\0\0\0\x0d\0\x3c\0\x50\0\0\0\0\0\0\0\x09\0\xce"), /* ack of nothing */
        STE_BYTES("\x02\0\x01\0\0\0\x0e\0\x3c\0\0\0\0\0\0\0\0\0\x01\0\0\xce"), /* header alone */
        STE_BYTES("\x08\0\0\0\0\0\0\x01"),      /* a wrong frame end */
        STE_BYTES("\x03\0\x01\0\0\0\x01x\xce"), /* body alone */
        STE_BYTES("\x01\0\x01\0\0\0\x04\0\x3c\0\x3c\xce\x02\0\x01\0\0\0\x0c\0\x3c\0\0\0\0\0\0\0\0\0"
                  "\x01\xce"),
        STE_BYTES("\x01\0\x01\0\0\0\x04\0\x32\0\x0b\xce"), /* an answer nobody asked for */
        STE_BYTES("\x01\0\0\0\0\0\x04\0\x0a\0\x32\xce"),   /* close without a reason */
    };
    for (size_t i = 0; i < sizeof streams / sizeof *streams; i++) {
        assert_int_equal(set_up(state), 0);
        struct fixture *f = *state;
        assert_int_equal(write(f->broker, streams[i].at, streams[i].len), streams[i].len);
        assert_int_equal(ste_mq_pump(f->mq, 1000, NULL), STE_E_MQ_DOWN);
        tear_down(state);
    }
}

/* These need a sound delivery to begin with. */
static void test_damaged_deliveries_break_the_connection(void **state)
{
    const char *const texts[] = {"a message begins within another", "a header without its message",
                                 "a body without its message"};
    amqp_basic_deliver_t fields = {.consumer_tag = ste_mq_amqp_bytes("c-1"), .delivery_tag = 1};
    for (int damage = 0; damage < 3; damage++) {
        assert_int_equal(set_up(state), 0);
        struct fixture *f = *state;
        if (damage == 0) { /* a delivery begins within another */
            method(f, 1, AMQP_BASIC_DELIVER_METHOD, &fields);
        } else if (damage == 1) { /* two headers */
            method(f, 1, AMQP_BASIC_DELIVER_METHOD, &fields);
            content(f, 0, STE_BYTES("0123456789"), 4);
            f->at -= 8 + 2; /* the last body frame is missing */
            content(f, 0, STE_BYTES("0123456789"), 4);
        } else { /* more body than announced */
            deliver(f, 2, STE_BYTES("0123456789"), 4);
            f->at -= 8 + 2;
            frame(f, STE_FRAME_BODY, 1, STE_BYTES("890"));
        }
        deliver(f, 3, STE_BYTES("sound"), 4);
        say(f);
        struct ste_error err;
        assert_int_equal(ste_mq_pump(f->mq, 1000, &err), STE_E_MQ_DOWN);
        assert_non_null(strstr(err.text, texts[damage]));
        tear_down(state);
    }
}

/* The broker says why it closes and is gone before our answer: its reason is what counts. */
static void test_a_closed_connection_keeps_its_reason(void **state)
{
    struct fixture *f = *state;
    struct ste_error err;
    amqp_connection_close_t fields = {.reply_code = 530,
                                      .reply_text = ste_mq_amqp_bytes("NOT_ALLOWED - no")};
    method(f, 0, AMQP_CONNECTION_CLOSE_METHOD, &fields);
    say(f);
    shutdown(f->broker, SHUT_RDWR);
    assert_int_equal(ste_mq_pump(f->mq, 1000, &err), STE_E_MQ_REFUSED);
    assert_string_equal(err.text, "broker closed the connection: 530 NOT_ALLOWED - no");
    assert_int_equal(ste_mq_pump(f->mq, 0, &err), STE_E_MQ_DOWN);
    assert_string_equal(err.text, "broker closed the connection: 530 NOT_ALLOWED - no");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(test_deliveries_cut_at_every_byte),
        TEST(test_deliveries_cut_anywhere),
        TEST(test_many_deliveries_in_one_read),
        TEST(test_deliveries_that_a_pump_found),
        TEST(test_ack_multiple_and_nack),
        TEST(test_return_then_ack),
        TEST(test_the_window_closes_and_opens),
        TEST(test_blocked_and_unblocked),
        TEST(test_a_closed_channel_is_for_good),
        cmocka_unit_test(test_which_closes_may_be_retried),
        TEST(test_broker_gone),
        cmocka_unit_test(test_damaged_streams_break_the_connection),
        cmocka_unit_test(test_damaged_deliveries_break_the_connection),
        TEST(test_a_closed_connection_keeps_its_reason),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
