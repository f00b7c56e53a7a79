/* SPDX-License-Identifier: Apache-2.0
 * What goes out, and time. */
#include "mq/fixture.h"

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
            if (type == STE_FRAME_METHOD) /* mandatory, alone */
                assert_int_equal(payload.at[payload.len - 1], 1);
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

/* Bodies that tell which they are and where one is in them. */
static void fill(char *body, size_t len, unsigned number)
{
    for (size_t i = 0; i < len; i++)
        body[i] = (char)(number * 31 + i / 251);
}

/* The body bytes of a stream of whole frames, put together in `bodies`; their count. */
static size_t collect_bodies(const char *stream, size_t len, char *bodies)
{
    struct ste_wire wire = ste_wire_of((struct ste_bytes){stream, len});
    char *end = bodies;
    while (wire.at < wire.end) {
        unsigned type = (unsigned)ste_wire_uint(&wire, 1);
        ste_wire_uint(&wire, 2);
        struct ste_bytes payload = ste_wire_long(&wire);
        assert_int_equal(ste_wire_uint(&wire, 1), 0xce);
        if (type == STE_FRAME_BODY)
            ste_wire_put_bytes(&end, payload);
    }
    assert_false(wire.failed);
    return (size_t)(end - bodies);
}

enum { LARGE_BYTES = 100000, LARGE_COUNT = 8 };

/* Publishes large bodies until no more are taken; how many were. */
static unsigned fill_up(struct fixture *f, char *body)
{
    struct ste_mq_message message = {.exchange = "e", .body = {body, LARGE_BYTES}};
    enum ste_code rc = STE_OK;
    unsigned taken = 0;
    while (taken < LARGE_COUNT && rc == STE_OK) {
        fill(body, LARGE_BYTES, taken);
        rc = ste_mq_publish(f->mq, &message, taken, NULL);
        taken += rc == STE_OK;
    }
    assert_int_equal(rc, STE_E_MQ_WINDOW);
    assert_true(ste_mq_unconfirmed(f->mq) == taken);
    return taken;
}

/* A broker that stops reading: publishes are kept up to a bound, then refused, never blocking; and
 * everything arrives as it was when it reads again. */
static void test_a_broker_that_stops_reading(void **state)
{
    struct fixture *f = *state;
    size_t room = LARGE_COUNT * (LARGE_BYTES + 2000), arrived = 0, len;
    char *body = malloc(LARGE_BYTES), *stream = malloc(room), *bodies = malloc(room);
    unsigned taken = fill_up(f, body);
    assert_in_range(taken, 3, LARGE_COUNT - 1);
    do {
        assert_int_equal(ste_mq_pump(f->mq, 0, NULL), STE_OK);
        len = drain(f->broker, stream + arrived, room - arrived < 7001 ? room - arrived : 7001);
        arrived += len;
    } while (len > 0);
    assert_int_equal(collect_bodies(stream, arrived, bodies), (size_t)taken * LARGE_BYTES);
    for (unsigned i = 0; i < taken; i++) {
        fill(body, LARGE_BYTES, i);
        assert_memory_equal(bodies + (size_t)i * LARGE_BYTES, body, LARGE_BYTES);
    }
    struct ste_mq_message message = {.exchange = "e", .body = {body, LARGE_BYTES}};
    assert_int_equal(ste_mq_publish(f->mq, &message, taken, NULL), STE_OK);
    free(body);
    free(stream);
    free(bodies);
}

static void beat_for(struct fixture *f, uint64_t heartbeat_ns)
{
    f->mq->heartbeat_ns = heartbeat_ns;
    f->mq->received_ns = ste_clock_mono_ns();
    f->mq->next_heartbeat_ns = f->mq->received_ns + heartbeat_ns / 2;
}

/* It lives, but takes nothing: gone, unless it has said that it blocks us. */
static void test_a_broker_that_never_reads_again(void **state)
{
    struct fixture *f = *state;
    struct ste_error err = {0};
    enum ste_code rc = STE_OK;
    char *body = malloc(LARGE_BYTES);
    fill_up(f, body);
    free(body);
    beat_for(f, 20000000);
    f->mq->blocked = true;
    for (int turn = 0; turn < 20; turn++) {
        frame(f, STE_FRAME_HEARTBEAT, 0, (struct ste_bytes){0});
        say(f);
        assert_int_equal(ste_mq_pump(f->mq, 0, NULL), STE_OK);
        ste_clock_sleep_ms(10);
    }
    f->mq->blocked = false;
    for (int turn = 0; turn < 500 && rc == STE_OK; turn++) {
        frame(f, STE_FRAME_HEARTBEAT, 0, (struct ste_bytes){0});
        say(f);
        rc = ste_mq_pump(f->mq, 0, &err);
        ste_clock_sleep_ms(10);
    }
    assert_int_equal(rc, STE_E_MQ_DOWN);
    assert_string_equal(err.text, "broker reads nothing any more");
}

static void test_heartbeats_out_and_silence_in(void **state)
{
    struct fixture *f = *state;
    char sent[64];
    struct ste_error err;
    beat_for(f, 40000000);
    struct ste_mq *mqs[] = {f->mq};
    size_t sent_bytes = 0;
    for (int turn = 0; turn < 20 && sent_bytes < 8; turn++) { /* a busy machine wakes us late */
        assert_int_equal(ste_mq_wait(mqs, 1, -1, 30, NULL), STE_OK);
        sent_bytes = drain(f->broker, sent, sizeof sent);
    }
    assert_true(sent_bytes >= 8);
    assert_int_equal(sent[0], STE_FRAME_HEARTBEAT);
    assert_true(f->mq->next_heartbeat_ns <= ste_clock_mono_ns() + f->mq->heartbeat_ns / 2);
    while (ste_mq_pump(f->mq, 10, &err) == STE_OK)
        ;
    assert_int_equal(err.code, STE_E_MQ_DOWN);
    assert_non_null(strstr(err.text, "silent"));
}

static void test_a_broker_that_beats_lives(void **state)
{
    struct fixture *f = *state;
    beat_for(f, 200000000);
    uint64_t begun_ns = ste_clock_mono_ns();
    while (ste_clock_mono_ns() - begun_ns < 600000000) {
        frame(f, STE_FRAME_HEARTBEAT, 0, (struct ste_bytes){0});
        say(f);
        assert_int_equal(ste_mq_pump(f->mq, 20, NULL), STE_OK);
        assert_int_equal(ste_mq_pump(f->mq, 0, NULL), STE_OK); /* finds nothing, and judges */
        ste_clock_sleep_ms(10);
    }
}

/* After a pause of ours longer than the heartbeat, what the broker sent meanwhile still counts. */
static void test_a_pause_of_ours_is_not_the_brokers(void **state)
{
    struct fixture *f = *state;
    beat_for(f, 10000000);
    f->mq->received_ns -= 1000000000u;
    frame(f, STE_FRAME_HEARTBEAT, 0, (struct ste_bytes){0});
    say(f);
    assert_int_equal(ste_mq_pump(f->mq, 0, NULL), STE_OK);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(test_body_frames),
        TEST(test_gathered_publishes_leave_together),
        TEST(test_a_broker_that_stops_reading),
        TEST(test_a_broker_that_never_reads_again),
        TEST(test_heartbeats_out_and_silence_in),
        TEST(test_a_broker_that_beats_lives),
        TEST(test_a_pause_of_ours_is_not_the_brokers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
