/* SPDX-License-Identifier: Apache-2.0
 * Against a real broker: STE_TEST_BROKER=host:port:user:password-file, a user with all rights in
 * vhost /. Every queue it makes is its own and deleted at the end. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/clock.h"
#include "mq/internal.h"

enum { SKIPPED = 77, COOKIES_MAX = 4096 };

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { ROUND_TRIP_LIMIT_MS = 2000 }; /* slow builds on loaded machines: only a hang shows */
#else
enum { ROUND_TRIP_LIMIT_MS = 200 };
#endif

static struct ste_cluster cluster = {
    .broker = {.vhost = "/", .heartbeat_s = 5, .window = 512},
};
static char queue_name[64]; /* of the test in hand */
static struct ste_error err;

struct outcomes {
    unsigned count[COOKIES_MAX], total;
    enum ste_mq_outcome last[COOKIES_MAX];
};

static void note(void *context, uint64_t cookie, enum ste_mq_outcome outcome)
{
    struct outcomes *outcomes = context;
    assert_true(cookie < COOKIES_MAX);
    outcomes->count[cookie]++;
    outcomes->last[cookie] = outcome;
    outcomes->total++;
}

#define ok(call)                                                                                   \
    do {                                                                                           \
        if ((call) != STE_OK)                                                                      \
            fail_msg("%s: %s", #call, err.text);                                                   \
    } while (0)

static struct ste_mq *open_mq(enum ste_mq_purpose purpose)
{
    struct ste_mq *mq = NULL;
    ok(ste_mq_open(&cluster, STE_ROLE_ADMIN, purpose, "mq_live_test", &mq, &err));
    return mq;
}

/* A durable queue with up to two integer arguments and one text argument; NULL names end. */
static void declare_queue(const char *type, const char *text_name, const char *text,
                          const char *number_name, int number)
{
    struct ste_mq *mq = open_mq(STE_MQ_CONSUME);
    amqp_table_entry_t entries[3] = {
        {ste_mq_amqp_bytes("x-queue-type"),
         {.kind = AMQP_FIELD_KIND_UTF8, .value.bytes = ste_mq_amqp_bytes(type)}}};
    int count = 1;
    if (text_name)
        entries[count++] = (amqp_table_entry_t){
            ste_mq_amqp_bytes(text_name),
            {.kind = AMQP_FIELD_KIND_UTF8, .value.bytes = ste_mq_amqp_bytes(text)}};
    if (number_name)
        entries[count++] = (amqp_table_entry_t){ste_mq_amqp_bytes(number_name),
                                                {.kind = AMQP_FIELD_KIND_I32, .value.i32 = number}};
    amqp_queue_declare_t declare = {
        .queue = ste_mq_amqp_bytes(queue_name), .durable = 1, .arguments = {count, entries}};
    ok(ste_mq_call(mq, STE_MQ_CHANNEL, AMQP_QUEUE_DECLARE_METHOD, &declare,
                   AMQP_QUEUE_DECLARE_OK_METHOD, ste_mq_deadline(5000), &err));
    ok(ste_mq_bind(mq, queue_name, "amq.direct", queue_name, &err));
    ste_mq_close(mq);
}

static void delete_queue(void)
{
    struct ste_mq *mq = open_mq(STE_MQ_CONSUME);
    amqp_queue_delete_t delete = {.queue = ste_mq_amqp_bytes(queue_name)};
    ok(ste_mq_call(mq, STE_MQ_CHANNEL, AMQP_QUEUE_DELETE_METHOD, &delete,
                   AMQP_QUEUE_DELETE_OK_METHOD, ste_mq_deadline(5000), &err));
    ste_mq_close(mq);
}

static void publish(struct ste_mq *mq, const char *key, struct ste_bytes body, uint64_t cookie)
{
    struct ste_mq_message message = {
        .exchange = "amq.direct", .routing_key = ste_bytes_of(key), .body = body};
    ok(ste_mq_publish(mq, &message, cookie, &err));
}

static void settle_all(struct ste_mq *mq)
{
    uint64_t deadline_ns = ste_mq_deadline(10000);
    while (ste_mq_unconfirmed(mq) > 0 && ste_clock_mono_ns() < deadline_ns)
        ok(ste_mq_pump(mq, 1000, &err));
    assert_int_equal(ste_mq_unconfirmed(mq), 0);
}

/* ---- logins ---- */

static void test_refused_and_unreachable(void **state)
{
    (void)state;
    struct ste_mq *mq = NULL;
    struct ste_cluster wrong = cluster;
    char secret[] = "/tmp/ste-live-XXXXXX";
    int fd = mkstemp(secret);
    assert_int_equal(write(fd, "canary-secret\n", 14), 14);
    close(fd);
    struct ste_login login = {.user = cluster.broker.users[STE_ROLE_ADMIN].user,
                              .password_file = secret};
    assert_int_equal(ste_mq_open_as(&cluster, &login, STE_MQ_PUBLISH, "x", &mq, &err),
                     STE_E_MQ_REFUSED);
    assert_non_null(strstr(err.text, "ACCESS_REFUSED"));
    assert_null(strstr(err.text, "canary"));
    unlink(secret);
    assert_int_equal(ste_mq_open_as(&cluster, &login, STE_MQ_PUBLISH, "x", &mq, &err), STE_E_FILE);

    wrong.broker.vhost = "no-such-vhost";
    assert_int_equal(ste_mq_open(&wrong, STE_ROLE_ADMIN, STE_MQ_PUBLISH, "x", &mq, &err),
                     STE_E_MQ_REFUSED);
    wrong = cluster;
    wrong.broker.port = 1;
    assert_int_equal(ste_mq_open(&wrong, STE_ROLE_ADMIN, STE_MQ_PUBLISH, "x", &mq, &err),
                     STE_E_MQ_DOWN);
    assert_non_null(strstr(err.text, "refused"));
    assert_null(mq);
}

/* After the login no copy of the password is left in what we sent. */
static void test_the_password_is_wiped(void **state)
{
    (void)state;
    char password[256];
    ok(ste_secret_read(cluster.broker.users[STE_ROLE_ADMIN].password_file, password,
                       sizeof password, &err));
    struct ste_mq *mq = open_mq(STE_MQ_PUBLISH);
    assert_non_null(mq->out.at);
    assert_null(memmem(mq->out.at, mq->out.capacity, password, strlen(password)));
    ste_mq_close(mq);
}

static void test_missing_queue_and_forged_user(void **state)
{
    (void)state;
    uint32_t ready;
    struct ste_mq *mq = open_mq(STE_MQ_CONSUME);
    assert_int_equal(ste_mq_consume(mq, "no-such-queue", 10, "c", false, &err), STE_E_MQ_REFUSED);
    assert_int_equal(ste_mq_consume(mq, "no-such-queue", 10, "c", false, &err), STE_E_MQ_DOWN);
    ste_mq_close(mq);
    mq = open_mq(STE_MQ_CONSUME);
    assert_int_equal(ste_mq_queue_length(mq, "no-such-queue", &ready, &err), STE_E_MQ_REFUSED);
    ste_mq_close(mq);

    mq = open_mq(STE_MQ_PUBLISH);
    struct ste_mq_message message = {.exchange = "amq.direct",
                                     .routing_key = STE_BYTES("x"),
                                     .user_id = STE_BYTES("somebody-else")};
    ok(ste_mq_publish(mq, &message, 1, &err));
    assert_int_equal(ste_mq_pump(mq, 5000, &err), STE_E_MQ_REFUSED);
    assert_non_null(strstr(err.text, "user_id"));
    ste_mq_close(mq);
}

/* ---- messages ---- */

static void assert_round_trip(struct ste_mq *out, struct ste_mq *in, struct ste_bytes body)
{
    struct ste_mq_delivery delivery;
    bool got = false;
    char key[64];
    struct ste_mq_message message = {
        .exchange = "amq.direct",
        .routing_key = ste_bytes_of(queue_name),
        .message_id = STE_BYTES("m-1"),
        .user_id = ste_bytes_of(cluster.broker.users[STE_ROLE_ADMIN].user),
        .key_id = STE_BYTES("STEHSGSG/hub"),
        .signature = STE_BYTES("c2lnbmF0dXJl"),
        .record_count = 64,
        .body = body,
    };
    uint64_t before_ns = ste_clock_mono_ns();
    ok(ste_mq_publish(out, &message, 1, &err));
    settle_all(out);
    ok(ste_mq_receive(in, 5000, &delivery, &got, &err));
    uint64_t took_ms = (ste_clock_mono_ns() - before_ns) / 1000000;
    assert_true(got);
    if (took_ms >= ROUND_TRIP_LIMIT_MS) /* a delayed-ack stall would show here */
        fail_msg("a body of %zu bytes took %u ms", body.len, (unsigned)took_ms);
    assert_true(ste_bytes_equal(delivery.body, body));
    assert_true(ste_bytes_equal(delivery.consumer_tag, STE_BYTES("the-tag")));
    assert_true(ste_bytes_equal(delivery.exchange, STE_BYTES("amq.direct")));
    snprintf(key, sizeof key, "%.*s", (int)delivery.routing_key.len, delivery.routing_key.at);
    assert_string_equal(key, queue_name);
    assert_true(ste_bytes_equal(delivery.message_id, message.message_id));
    assert_true(ste_bytes_equal(delivery.user_id, message.user_id));
    assert_true(ste_bytes_equal(delivery.key_id, message.key_id));
    assert_true(ste_bytes_equal(delivery.signature, message.signature));
    assert_int_equal(delivery.record_count, 64);
    assert_int_equal(delivery.delivery_count, 0);
    assert_false(delivery.redelivered);
    assert_true(delivery.generation == ste_mq_generation(in));
    ok(ste_mq_ack(in, delivery.tag, false, &err));
    ste_mq_delivery_free(&delivery);
}

/* Whatever fits a frame exactly was suspected of stalling. */
static void test_bodies_around_the_frame_size(void **state)
{
    (void)state;
    declare_queue("quorum", NULL, NULL, NULL, 0);
    struct ste_mq *out = open_mq(STE_MQ_PUBLISH), *in = open_mq(STE_MQ_CONSUME);
    size_t full = out->frame_max - STE_MQ_FRAME_OVERHEAD;
    const size_t sizes[] = {0, 1, 1500, full - 1, full, full + 1, 2 * full, 32 * full, 4 << 20};
    char *body = malloc(33 * full);
    for (size_t i = 0; i < 33 * full; i++)
        body[i] = (char)(i * 2654435761u >> 24);
    ok(ste_mq_consume(in, queue_name, 10, "the-tag", false, &err));
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        assert_round_trip(out, in, (struct ste_bytes){body, sizes[i]});
    free(body);
    ste_mq_close(out);
    ste_mq_close(in);
    delete_queue();
}

/* Routable and unroutable ones mixed in one window: each cookie has its own outcome, once. */
static void test_returned_ones_are_told_apart(void **state)
{
    (void)state;
    enum { COUNT = 400 };
    static struct outcomes outcomes;
    declare_queue("quorum", NULL, NULL, NULL, 0);
    struct ste_mq *out = open_mq(STE_MQ_PUBLISH);
    memset(&outcomes, 0, sizeof outcomes);
    ste_mq_on_settled(out, note, &outcomes);
    ste_mq_gather(out, true);
    for (unsigned i = 0; i < COUNT; i++)
        publish(out, i % 3 == 1 ? "nobody" : queue_name, STE_BYTES("body"), i);
    settle_all(out);
    for (unsigned i = 0; i < COUNT; i++) {
        assert_int_equal(outcomes.count[i], 1);
        assert_int_equal(outcomes.last[i], i % 3 == 1 ? STE_MQ_RETURNED : STE_MQ_CONFIRMED);
    }
    ste_mq_close(out);
    delete_queue();
}

static void test_a_full_queue_nacks(void **state)
{
    (void)state;
    enum { COUNT = 20 };
    static struct outcomes outcomes;
    unsigned nacked = 0;
    declare_queue("classic", "x-overflow", "reject-publish", "x-max-length", 3);
    struct ste_mq *out = open_mq(STE_MQ_PUBLISH);
    ste_mq_on_settled(out, note, &outcomes);
    for (unsigned i = 0; i < COUNT; i++)
        publish(out, queue_name, STE_BYTES("body"), i);
    settle_all(out);
    for (unsigned i = 0; i < COUNT; i++)
        nacked += outcomes.last[i] == STE_MQ_NACKED;
    assert_int_equal(outcomes.total, COUNT);
    assert_int_equal(nacked, COUNT - 3);
    ste_mq_close(out);
    delete_queue();
}

static void test_bcc_reaches_the_other_key(void **state)
{
    (void)state;
    struct ste_mq *out = open_mq(STE_MQ_PUBLISH), *in = open_mq(STE_MQ_CONSUME);
    struct ste_mq_delivery delivery;
    char copy[80];
    bool got = false;
    declare_queue("quorum", NULL, NULL, NULL, 0);
    snprintf(copy, sizeof copy, "%s.copy", queue_name);
    ok(ste_mq_declare_reply_queue(in, copy, &err));
    ok(ste_mq_bind(in, copy, "amq.direct", copy, &err));
    ok(ste_mq_consume(in, copy, 10, "copies", true, &err));
    struct ste_bytes bcc = ste_bytes_of(copy);
    struct ste_mq_message message = {.exchange = "amq.direct",
                                     .routing_key = ste_bytes_of(queue_name),
                                     .bcc = &bcc,
                                     .bcc_count = 1,
                                     .transient = true,
                                     .body = STE_BYTES("for two")};
    ok(ste_mq_publish(out, &message, 1, &err));
    settle_all(out);
    ok(ste_mq_receive(in, 5000, &delivery, &got, &err));
    assert_true(got);
    assert_true(ste_bytes_equal(delivery.body, message.body));
    ste_mq_delivery_free(&delivery);
    ok(ste_mq_get(in, queue_name, &delivery, &got, &err));
    assert_true(got);
    assert_true(ste_bytes_equal(delivery.body, message.body));
    ok(ste_mq_reject(in, delivery.tag, true, &err));
    ste_mq_delivery_free(&delivery);
    uint32_t ready = 0;
    for (int tries = 0; tries < 500 && ready == 0; tries++) { /* a requeue is counted later */
        ok(ste_mq_queue_length(in, queue_name, &ready, &err));
        ste_clock_sleep_ms(10);
    }
    assert_int_equal(ready, 1);
    ok(ste_mq_get(in, queue_name, &delivery, &got, &err));
    assert_true(got);
    ok(ste_mq_ack(in, delivery.tag, false, &err));
    ste_mq_delivery_free(&delivery);
    ok(ste_mq_get(in, queue_name, &delivery, &got, &err));
    assert_false(got);
    ste_mq_close(out);
    ste_mq_close(in);
    delete_queue();
}

/* What a dead connection had unacked comes again on another, counted; acked ones do not. */
static void test_unacked_come_again(void **state)
{
    (void)state;
    enum { COUNT = 100, ACKED = 40 };
    struct ste_mq_delivery delivery;
    bool got = false;
    declare_queue("quorum", NULL, NULL, NULL, 0);
    struct ste_mq *out = open_mq(STE_MQ_PUBLISH), *in = open_mq(STE_MQ_CONSUME);
    for (unsigned i = 0; i < COUNT; i++)
        publish(out, queue_name, (struct ste_bytes){(char *)&i, sizeof i}, i);
    settle_all(out);
    uint64_t first_generation = ste_mq_generation(in);
    for (int round = 0; round < 2; round++) {
        ok(ste_mq_consume(in, queue_name, COUNT, "c", false, &err));
        for (unsigned i = round == 0 ? 0 : ACKED; i < COUNT; i++) {
            unsigned number;
            ok(ste_mq_receive(in, 5000, &delivery, &got, &err));
            assert_true(got);
            memcpy(&number, delivery.body.at, sizeof number);
            assert_int_equal(number, i);
            assert_int_equal(delivery.redelivered, round);
            assert_int_equal(delivery.delivery_count, round);
            if (i + 1 == ACKED || i + 1 == COUNT * (unsigned)round)
                ok(ste_mq_ack(in, delivery.tag, true, &err));
            ste_mq_delivery_free(&delivery);
        }
        ok(ste_mq_receive(in, 0, &delivery, &got, &err));
        assert_false(got);
        ste_mq_close(in);
        in = open_mq(STE_MQ_CONSUME);
        assert_true(ste_mq_generation(in) != first_generation);
    }
    ok(ste_mq_get(in, queue_name, &delivery, &got, &err));
    assert_false(got);
    ste_mq_close(out);
    ste_mq_close(in);
    delete_queue();
}

static void test_a_deleted_queue_breaks_its_consumer(void **state)
{
    (void)state;
    struct ste_mq_delivery delivery;
    bool got = false;
    declare_queue("quorum", NULL, NULL, NULL, 0);
    struct ste_mq *in = open_mq(STE_MQ_CONSUME);
    ok(ste_mq_consume(in, queue_name, 10, "orphan", false, &err));
    delete_queue();
    assert_int_equal(ste_mq_receive(in, 5000, &delivery, &got, &err), STE_E_MQ_DOWN);
    assert_non_null(strstr(err.text, "orphan"));
    ste_mq_close(in);
}

static void test_cancel_keeps_what_came_before(void **state)
{
    (void)state;
    struct ste_mq_delivery delivery;
    bool got = false;
    declare_queue("quorum", NULL, NULL, NULL, 0);
    struct ste_mq *out = open_mq(STE_MQ_PUBLISH), *in = open_mq(STE_MQ_CONSUME);
    publish(out, queue_name, STE_BYTES("first"), 1);
    settle_all(out);
    ok(ste_mq_consume(in, queue_name, 10, "c", false, &err));
    struct ste_mq *mqs[] = {in};
    ok(ste_mq_wait(mqs, 1, -1, 5000, &err));
    ok(ste_mq_cancel(in, "c", &err));
    publish(out, queue_name, STE_BYTES("second"), 2);
    settle_all(out);
    ok(ste_mq_receive(in, 0, &delivery, &got, &err));
    assert_true(got);
    assert_true(ste_bytes_equal(delivery.body, STE_BYTES("first")));
    ste_mq_delivery_free(&delivery);
    ok(ste_mq_receive(in, 100, &delivery, &got, &err));
    assert_false(got);
    ste_mq_close(out);
    ste_mq_close(in);
    delete_queue();
}

/* With a heartbeat of one second: alive as long as it is pumped, dead after long neglect, and the
 * neglect is found out. */
static void test_heartbeats(void **state)
{
    (void)state;
    struct ste_cluster quick = cluster;
    struct ste_mq *watched = NULL, *neglected = NULL;
    struct ste_mq_delivery delivery;
    bool got;
    quick.broker.heartbeat_s = 1;
    ok(ste_mq_open(&quick, STE_ROLE_ADMIN, STE_MQ_CONSUME, "watched", &watched, &err));
    ok(ste_mq_open(&quick, STE_ROLE_ADMIN, STE_MQ_CONSUME, "neglected", &neglected, &err));
    assert_true(watched->heartbeat_ns == 1000000000u);
    ok(ste_mq_receive(watched, 5000, &delivery, &got, &err));
    assert_false(got);
    /* The broker's own heartbeats may be read first, its hanging up after them. */
    const uint64_t limit_ns = ste_clock_mono_ns() + 5000000000u;
    enum ste_code rc = STE_OK;
    while (rc == STE_OK && ste_clock_mono_ns() < limit_ns)
        rc = ste_mq_pump(neglected, 10, &err);
    assert_int_equal(rc, STE_E_MQ_DOWN);
    ste_mq_close(watched);
    ste_mq_close(neglected);
}

static int name_queue(void **state)
{
    static unsigned number;
    (void)state;
    snprintf(queue_name, sizeof queue_name, "ste-live-%d-%u", (int)getpid(), number++);
    return 0;
}

/* host:port:user:password-file */
static bool read_environment(void)
{
    static char text[512];
    const char *broker = getenv("STE_TEST_BROKER");
    if (!broker)
        return false;
    snprintf(text, sizeof text, "%s", broker);
    char *rest = text;
    const char *parts[4];
    for (int i = 0; i < 4; i++)
        parts[i] = strsep(&rest, i < 3 ? ":" : "");
    if (!parts[3])
        return false;
    cluster.broker.host = parts[0];
    cluster.broker.port = (unsigned)atoi(parts[1]);
    cluster.broker.users[STE_ROLE_ADMIN] = (struct ste_login){parts[2], parts[3]};
    return true;
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup(name, name_queue)
    const struct CMUnitTest tests[] = {
        TEST(test_refused_and_unreachable),
        TEST(test_the_password_is_wiped),
        TEST(test_missing_queue_and_forged_user),
        TEST(test_bodies_around_the_frame_size),
        TEST(test_returned_ones_are_told_apart),
        TEST(test_a_full_queue_nacks),
        TEST(test_bcc_reaches_the_other_key),
        TEST(test_unacked_come_again),
        TEST(test_a_deleted_queue_breaks_its_consumer),
        TEST(test_cancel_keeps_what_came_before),
        TEST(test_heartbeats),
    };
    if (!read_environment()) {
        puts("skipped: STE_TEST_BROKER=host:port:user:password-file is not set");
        return SKIPPED;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
