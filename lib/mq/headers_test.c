/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "mq/headers.h"
#include "mq/rabbitmq.h"

#define assert_text(view, literal)                                                                 \
    do {                                                                                           \
        assert_int_equal((view).len, sizeof(literal) - 1);                                         \
        assert_memory_equal((view).at, (literal), sizeof(literal) - 1);                            \
    } while (0)

enum { BUFFER_BYTES = 200000 };

static amqp_bytes_t text(const char *cstring)
{
    return amqp_cstring_bytes(cstring);
}

static amqp_field_value_t utf8(const char *cstring)
{
    return (amqp_field_value_t){.kind = AMQP_FIELD_KIND_UTF8, .value.bytes = text(cstring)};
}

/* The payload of a header frame as rabbitmq-c encodes it. */
static struct ste_bytes encode(char *buffer, amqp_basic_properties_t *properties,
                               uint64_t body_bytes)
{
    memset(buffer, 0, 12);
    buffer[1] = 60;
    for (int i = 0; i < 8; i++)
        buffer[4 + i] = (char)(body_bytes >> (56 - 8 * i));
    amqp_bytes_t room = {.len = BUFFER_BYTES - 12, .bytes = buffer + 12};
    int len = amqp_encode_properties(AMQP_BASIC_CLASS, properties, room);
    assert_true(len > 0);
    return (struct ste_bytes){buffer, 12 + (size_t)len};
}

static void test_everything_a_delivery_can_carry(void **state)
{
    char *buffer = *state;
    amqp_table_entry_t death_entries[] = {
        {text("count"), {.kind = AMQP_FIELD_KIND_I64, .value.i64 = 1}},
        {text("reason"), utf8("delivery_limit")},
        {text("queue"), utf8("ste.noe.03")},
    };
    amqp_table_entry_t older_entries[] = {{text("queue"), utf8("ste.suspect.03")}};
    amqp_field_value_t deaths[] = {
        {.kind = AMQP_FIELD_KIND_TABLE, .value.table = {3, death_entries}},
        {.kind = AMQP_FIELD_KIND_TABLE, .value.table = {1, older_entries}},
    };
    amqp_table_entry_t entries[] = {
        {text("x-death"), {.kind = AMQP_FIELD_KIND_ARRAY, .value.array = {2, deaths}}},
        {text("x-delivery-count"), {.kind = AMQP_FIELD_KIND_I64, .value.i64 = 5}},
        {text("n"), {.kind = AMQP_FIELD_KIND_I32, .value.i32 = 64}},
        {text("ste-key-id"), utf8("STEHSGSG/hub")},
        {text("ste-signature"), utf8("c2lnbmF0dXJl")},
        {text("ste-seq"), {.kind = AMQP_FIELD_KIND_I64, .value.i64 = 1234567890123}},
        {text("other"), {.kind = AMQP_FIELD_KIND_F64, .value.f64 = 1.5}},
    };
    amqp_basic_properties_t properties = {
        ._flags = AMQP_BASIC_CONTENT_TYPE_FLAG | AMQP_BASIC_CONTENT_ENCODING_FLAG |
                  AMQP_BASIC_HEADERS_FLAG | AMQP_BASIC_DELIVERY_MODE_FLAG |
                  AMQP_BASIC_PRIORITY_FLAG | AMQP_BASIC_CORRELATION_ID_FLAG |
                  AMQP_BASIC_REPLY_TO_FLAG | AMQP_BASIC_EXPIRATION_FLAG |
                  AMQP_BASIC_MESSAGE_ID_FLAG | AMQP_BASIC_TIMESTAMP_FLAG | AMQP_BASIC_TYPE_FLAG |
                  AMQP_BASIC_USER_ID_FLAG | AMQP_BASIC_APP_ID_FLAG,
        .content_type = text("application/xml"),
        .content_encoding = text("utf-8"),
        .headers = {sizeof entries / sizeof *entries, entries},
        .delivery_mode = 2,
        .priority = 1,
        .correlation_id = text("c-1"),
        .reply_to = text("nobody"),
        .expiration = text("60000"),
        .message_id = text("m-1"),
        .timestamp = 1,
        .type = text("t"),
        .user_id = text("STEHSGSG"),
        .app_id = text("a"),
    };
    struct ste_mq_delivery delivery = {0};
    uint64_t body_bytes = 0, seq = 0;
    struct ste_bytes payload = encode(buffer, &properties, 0x1122334455u);
    assert_true(ste_mq_headers_parse(payload, &delivery, &body_bytes, &seq));
    assert_true(body_bytes == 0x1122334455u);
    assert_true(seq == 1234567890123);
    assert_text(delivery.content_type, "application/xml");
    assert_text(delivery.correlation_id, "c-1");
    assert_text(delivery.message_id, "m-1");
    assert_text(delivery.user_id, "STEHSGSG");
    assert_text(delivery.key_id, "STEHSGSG/hub");
    assert_text(delivery.signature, "c2lnbmF0dXJl");
    assert_text(delivery.death_queue, "ste.noe.03");
    assert_text(delivery.death_reason, "delivery_limit");
    assert_int_equal(delivery.delivery_count, 5);
    assert_int_equal(delivery.record_count, 64);

    /* Cut anywhere: either no header at all, or all properties absent. */
    for (size_t len = 0; len < payload.len; len++) {
        struct ste_mq_delivery cut = {0};
        char *exact = malloc(len ? len : 1); /* so that a sanitizer sees a read past the end */
        memcpy(exact, payload.at, len);
        if (ste_mq_headers_parse((struct ste_bytes){exact, len}, &cut, &body_bytes, &seq)) {
            assert_true(len >= 12);
            assert_int_equal(cut.message_id.len, 0);
            assert_int_equal(cut.record_count, 1);
            assert_int_equal(seq, 0);
        }
        free(exact);
    }
}

static void test_absent_is_one_record_and_no_redelivery(void **state)
{
    amqp_basic_properties_t properties = {._flags = AMQP_BASIC_DELIVERY_MODE_FLAG,
                                          .delivery_mode = 2};
    struct ste_mq_delivery delivery = {0};
    uint64_t body_bytes = 0, seq = 1;
    assert_true(ste_mq_headers_parse(encode(*state, &properties, 7), &delivery, &body_bytes, &seq));
    assert_int_equal(delivery.record_count, 1);
    assert_int_equal(delivery.delivery_count, 0);
    assert_int_equal(delivery.message_id.len, 0);
    assert_int_equal(delivery.key_id.len, 0);
    assert_int_equal(seq, 0);
    assert_int_equal(body_bytes, 7);
}

/* A header of the wrong type, or a negative count, is as good as none. */
static void test_wrong_types_count_as_absent(void **state)
{
    amqp_table_entry_t entries[] = {
        {text("n"), utf8("64")},
        {text("x-delivery-count"), {.kind = AMQP_FIELD_KIND_I32, .value.i32 = -4}},
        {text("ste-key-id"), {.kind = AMQP_FIELD_KIND_I32, .value.i32 = 4}},
        {text("x-death"), utf8("dead")},
        {text("ste-signature"), utf8("kept")},
        {text("n"), {.kind = AMQP_FIELD_KIND_I64, .value.i64 = -1}},
    };
    amqp_basic_properties_t properties = {._flags = AMQP_BASIC_HEADERS_FLAG,
                                          .headers = {sizeof entries / sizeof *entries, entries}};
    struct ste_mq_delivery delivery = {0};
    uint64_t body_bytes = 0, seq = 0;
    assert_true(ste_mq_headers_parse(encode(*state, &properties, 0), &delivery, &body_bytes, &seq));
    assert_int_equal(delivery.record_count, 1);
    assert_int_equal(delivery.delivery_count, 0);
    assert_int_equal(delivery.key_id.len, 0);
    assert_int_equal(delivery.death_queue.len, 0);
    assert_text(delivery.signature, "kept");
}

static void put32(char *at, size_t value)
{
    for (int i = 3; i >= 0; i--, value >>= 8)
        at[i] = (char)(value & 0xff);
}

/* Twenty thousand tables within each other, which a recursive reader would follow down its stack.
 */
static void test_deep_nesting_costs_nothing(void **state)
{
    enum { DEPTH = 20000, LEVEL_BYTES = 6 };
    char *buffer = *state;
    memset(buffer, 0, 14);
    buffer[1] = 60;
    buffer[12] = 0x20; /* headers only */
    size_t inner = DEPTH * LEVEL_BYTES;
    put32(buffer + 14, inner);
    char *at = buffer + 18;
    for (int level = 0; level < DEPTH; level++) {
        inner -= LEVEL_BYTES;
        at[0] = 0; /* empty name */
        at[1] = 'F';
        put32(at + 2, inner);
        at += LEVEL_BYTES;
    }
    struct ste_mq_delivery delivery = {0};
    uint64_t body_bytes = 1, seq = 1;
    struct ste_bytes payload = {buffer, (size_t)(at - buffer)};
    assert_true(ste_mq_headers_parse(payload, &delivery, &body_bytes, &seq));
    assert_int_equal(delivery.record_count, 1);
}

static void test_not_a_message_header(void **state)
{
    char *buffer = *state;
    struct ste_mq_delivery delivery = {0};
    uint64_t body_bytes = 0, seq = 0;
    memset(buffer, 0, 14);
    assert_false(
        ste_mq_headers_parse((struct ste_bytes){buffer, 14}, &delivery, &body_bytes, &seq));
    buffer[1] = 60;
    assert_false(
        ste_mq_headers_parse((struct ste_bytes){buffer, 11}, &delivery, &body_bytes, &seq));
    assert_true(ste_mq_headers_parse((struct ste_bytes){buffer, 14}, &delivery, &body_bytes, &seq));
}

/* What we write, rabbitmq-c reads: a second opinion on our own encoder. */
static void test_written_headers_are_read_by_the_library(void **state)
{
    char *buffer = *state;
    const struct ste_bytes bcc[] = {STE_BYTES("reply.INVMSGSG"), STE_BYTES("reply.CUSTSGSG")};
    struct ste_mq_message message = {
        .exchange = "ste.out",
        .message_id = STE_BYTES("id-7"),
        .user_id = STE_BYTES("STEHSGSG"),
        .key_id = STE_BYTES("STEHSGSG/hub"),
        .signature = STE_BYTES("c2ln"),
        .bcc = bcc,
        .bcc_count = 2,
        .record_count = 3,
        .body = STE_BYTES("12345"),
    };
    char *end = ste_mq_headers_write(buffer, &message, 42);
    assert_true((size_t)(end - buffer) <= ste_mq_headers_bound(&message));

    amqp_pool_t pool;
    void *decoded = NULL;
    init_amqp_pool(&pool, 4096);
    amqp_bytes_t encoded = {.len = (size_t)(end - buffer) - 12, .bytes = buffer + 12};
    assert_int_equal(amqp_decode_properties(AMQP_BASIC_CLASS, &pool, encoded, &decoded), 0);
    const amqp_basic_properties_t *properties = decoded;
    assert_int_equal(properties->delivery_mode, 2);
    assert_memory_equal(properties->message_id.bytes, "id-7", 4);
    assert_memory_equal(properties->user_id.bytes, "STEHSGSG", 8);
    assert_int_equal(properties->headers.num_entries, 5);
    const amqp_table_entry_t *entries = properties->headers.entries;
    assert_memory_equal(entries[0].key.bytes, "ste-seq", 7);
    assert_int_equal(entries[0].value.value.i64, 42);
    assert_memory_equal(entries[1].key.bytes, "n", 1);
    assert_int_equal(entries[1].value.value.i32, 3);
    assert_memory_equal(entries[2].value.value.bytes.bytes, "STEHSGSG/hub", 12);
    assert_memory_equal(entries[3].value.value.bytes.bytes, "c2ln", 4);
    assert_memory_equal(entries[4].key.bytes, "BCC", 3);
    assert_int_equal(entries[4].value.value.array.num_entries, 2);
    assert_memory_equal(entries[4].value.value.array.entries[1].value.bytes.bytes, "reply.CUSTSGSG",
                        14);
    empty_amqp_pool(&pool);
}

static void test_delivery_mode(void **state)
{
    char *buffer = *state;
    struct ste_mq_message message = {.exchange = "ste.out", .body = STE_BYTES("12345")};
    char *end = ste_mq_headers_write(buffer, &message, 42);
    assert_int_equal(end[-1], 2); /* persistent, unless asked otherwise */
    message.transient = true;
    end = ste_mq_headers_write(buffer, &message, 42);
    assert_int_equal(end[-1], 1);
}

static int set_up(void **state)
{
    *state = malloc(BUFFER_BYTES);
    return *state ? 0 : -1;
}

static int tear_down(void **state)
{
    free(*state);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_everything_a_delivery_can_carry),
        cmocka_unit_test(test_absent_is_one_record_and_no_redelivery),
        cmocka_unit_test(test_wrong_types_count_as_absent),
        cmocka_unit_test(test_deep_nesting_costs_nothing),
        cmocka_unit_test(test_not_a_message_header),
        cmocka_unit_test(test_written_headers_are_read_by_the_library),
        cmocka_unit_test(test_delivery_mode),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
