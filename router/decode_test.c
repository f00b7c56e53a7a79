/* SPDX-License-Identifier: Apache-2.0 */
#include "router/decode.h"
#include "router/fixture.h"

#define NEEDED(reference, sender)                                                                  \
    "<Reference>" reference "</Reference><Sender>" sender "</Sender>"                              \
    "<TradeReference>T-1</TradeReference><TradeDate>2026-11-30</TradeDate>"                        \
    "<Broker>BROKSGSG</Broker><Manager>INVMSGSG</Manager>"
#define NOE(reference, sender)                                                                     \
    "<TradeMessage type=\"NOE\" function=\"NEWM\">" NEEDED(reference, sender) "</TradeMessage>"
#define BATCH(inside) "<TradeMessages>" inside "</TradeMessages>"

struct setting {
    struct fixture *fixture;
    struct ste_cluster cluster;
    struct ste_daemon daemon;
    struct ste_decoder decoder;
    struct ste_record *records; /* of the last delivery */
    size_t count;
};

static int open_setting(void **state)
{
    struct setting *const setting = calloc(1, sizeof(*setting));
    struct ste_error err = {0};
    *state = setting;
    if (setting == NULL || fixture_open((void **)&setting->fixture) != 0)
        return -1;
    setting->cluster.map_epoch = 7;
    setting->cluster.business_date = setting->fixture->business_date;
    setting->daemon.cluster = &setting->cluster;
    setting->daemon.ref = setting->fixture->ref;
    setting->daemon.name = "router-9";
    return ste_decoder_init(&setting->decoder, &setting->daemon, 3, &err) == STE_OK ? 0 : -1;
}

static int close_setting(void **state)
{
    struct setting *const setting = *state;
    ste_decoder_deinit(&setting->decoder);
    fixture_close((void **)&setting->fixture);
    free(setting);
    return 0;
}

static void decode_delivery(struct setting *setting, const struct ste_mq_delivery *delivery)
{
    struct ste_error err = {0};
    ste_arena_reset(setting->fixture->arena);
    if (ste_decode_delivery(&setting->decoder, delivery, setting->fixture->arena, &setting->records,
                            &setting->count, &err) != STE_OK)
        fail_msg("%s", err.text);
    for (size_t i = 0; i < setting->count; i++) {
        const struct ste_message *const message = &setting->records[i].message;
        assert_int_equal(message->index, i);
        assert_int_equal(message->type == STE_TYPE_EXC, message->exc.code != STE_C_NONE);
    }
}

/* Signed with a key; `good` false: over other bytes. */
static void decode(struct setting *setting, const char *key_id, struct ste_bytes body, bool good)
{
    char signature[STE_SIGNATURE_TEXT_BYTES];
    struct ste_mq_delivery delivery =
        fixture_sign(setting->fixture->hmac, key_id, good ? body : STE_BYTES("other"), signature);
    delivery.body = body;
    decode_delivery(setting, &delivery);
}

static void test_records_of_a_batch(void **state)
{
    struct setting *const setting = *state;
    const struct ste_bytes body = STE_BYTES(BATCH(NOE("R-1", "BROKSGSG") NOE("R-2", "BROKSGSG")));
    uint8_t sha256[32];
    decode(setting, "BROKSGSG/mac", body, true);
    assert_int_equal(setting->count, 2);
    ste_sha256(body, sha256);
    for (size_t i = 0; i < 2; i++) {
        const struct ste_record *const record = &setting->records[i];
        assert_code(record->message.exc, "");
        assert_int_equal(record->message.type, STE_TYPE_NOE);
        assert_text(ste_value(&record->message, STE_F_REFERENCE), i == 0 ? "R-1" : "R-2");
        assert_int_equal(record->version, STE_RECORD_VERSION);
        assert_int_equal(record->map_epoch, 7);
        assert_text(record->delivery_id, "sub.1.0");
        assert_text(record->key_id, "BROKSGSG/mac");
        assert_text(record->signer, "BROKSGSG");
        assert_memory_equal(record->signed_sha256, sha256, 32);
        assert_true(record->received_us > 0);
    }
}

static void test_ids_that_the_router_gives(void **state)
{
    struct setting *const setting = *state;
    char signature[STE_SIGNATURE_TEXT_BYTES], first[128];
    struct ste_mq_delivery delivery = fixture_sign(setting->fixture->hmac, "BROKSGSG/mac",
                                                   STE_BYTES(NOE("R", "BROKSGSG")), signature);
    delivery.message_id = (struct ste_bytes){0};
    decode_delivery(setting, &delivery);
    const struct ste_bytes id = setting->records[0].delivery_id;
    assert_memory_equal(id.at, "router-9.", 9);
    snprintf(first, sizeof(first), "%.*s", (int)id.len, id.at);
    decode_delivery(setting, &delivery);
    assert_false(ste_bytes_equal(setting->records[0].delivery_id, ste_bytes_of(first)));
}

/* A wrong signature refuses the delivery, whatever it holds, and nobody is told. */
static void test_wrong_signature_refuses_the_whole(void **state)
{
    struct setting *const setting = *state;
    const struct ste_bytes bodies[] = {
        STE_BYTES(BATCH(NOE("R-1", "BROKSGSG") NOE("R-2", "INVMSGSG"))),
        STE_BYTES("<TradeMessages><Trade"), STE_BYTES(""), STE_BYTES("<x/>")};
    for (size_t i = 0; i < 4; i++) {
        decode(setting, "BROKSGSG/mac", bodies[i], false);
        assert_int_equal(setting->count, 1);
        const struct ste_record *const record = &setting->records[0];
        assert_code(record->message.exc, "XSIG");
        assert_true(ste_bytes_equal(record->message.original, bodies[i]));
        assert_int_equal(record->signer.len, 0);
        assert_text(record->key_id, "BROKSGSG/mac");
    }
    decode(setting, "BROKSGSG/old", bodies[0], true);
    assert_int_equal(setting->count, 1);
    assert_code(setting->records[0].message.exc, "XKEY");
    assert_int_equal(setting->records[0].signer.len, 0);
}

static void repeat(struct ste_buf *buf, const char *text, size_t times)
{
    for (size_t i = 0; i < times; i++)
        ste_buf_append_cstr(buf, text);
    assert_false(buf->failed);
}

/* Limits are reported before the signature (MESSAGES section 11). */
static void test_limits_come_before_the_signature(void **state)
{
    struct setting *const setting = *state;
    for (int good = 0; good < 2; good++) {
        struct ste_buf body = {0};
        repeat(&body, "<TradeMessages>", 1);
        repeat(&body, NOE("R", "BROKSGSG"), STE_DELIVERY_MESSAGES_MAX + 1);
        repeat(&body, "</TradeMessages>", 1);
        decode(setting, "BROKSGSG/mac", ste_buf_bytes(&body), good);
        assert_int_equal(setting->count, 1);
        assert_code(setting->records[0].message.exc, "XLIM");
        assert_int_equal(setting->records[0].message.original.len, body.len);
        assert_text(setting->records[0].signer, good ? "BROKSGSG" : "");
        ste_buf_deinit(&body);
    }
}

static void test_of_a_huge_delivery_the_start_is_kept(void **state)
{
    struct setting *const setting = *state;
    for (int good = 0; good < 2; good++) {
        struct ste_buf body = {0};
        repeat(&body, "0123456789abcdef", STE_DELIVERY_BYTES_MAX / 16);
        decode(setting, "BROKSGSG/mac", ste_buf_bytes(&body), good); /* exactly the limit */
        assert_code(setting->records[0].message.exc, good ? "XWEL" : "XSIG");
        assert_int_equal(setting->records[0].message.original.len, STE_DELIVERY_BYTES_MAX);
        repeat(&body, "!", 1);
        decode(setting, "BROKSGSG/mac", ste_buf_bytes(&body), good);
        assert_int_equal(setting->count, 1);
        assert_code(setting->records[0].message.exc, "XLIM");
        assert_int_equal(setting->records[0].message.original.len, STE_EXC_RAW_BYTES_MAX);
        ste_buf_deinit(&body);
    }
}

/* A limit of one message of many is that message's; the wrong signature refuses them all. */
static void test_one_messages_limit_is_not_the_deliverys(void **state)
{
    struct setting *const setting = *state;
    struct ste_buf body = {0};
    repeat(&body, "<TradeMessages><TradeMessage>", 1);
    repeat(&body, "<!-- long -->", STE_MESSAGE_BYTES_MAX / 13 + 1);
    repeat(&body, "</TradeMessage>" NOE("R-2", "BROKSGSG") "</TradeMessages>", 1);
    decode(setting, "BROKSGSG/mac", ste_buf_bytes(&body), false);
    assert_int_equal(setting->count, 1);
    assert_code(setting->records[0].message.exc, "XSIG");
    decode(setting, "BROKSGSG/mac", ste_buf_bytes(&body), true);
    assert_int_equal(setting->count, 2);
    assert_code(setting->records[0].message.exc, "XLIM");
    assert_code(setting->records[1].message.exc, "");
    ste_buf_deinit(&body);
}

static void test_neighbours_of_a_wrong_sender_stand(void **state)
{
    struct setting *const setting = *state;
    decode(setting, "AGENSGSG/mac",
           STE_BYTES(BATCH(NOE("R-0", "INVMSGSG") NOE("R-1", "BROKSGSG") "<x/>" /* no message */
                           NOE("R-3", "AGENSGSG") "<TradeMessage><Br")),
           true);
    static const char *const codes[] = {"", "XSND", "XNSP", "", "XWEL"};
    assert_int_equal(setting->count, 5);
    for (size_t i = 0; i < 5; i++) {
        assert_code(setting->records[i].message.exc, codes[i]);
        assert_text(setting->records[i].signer, "AGENSGSG");
    }
    assert_text(setting->records[4].message.original, "<TradeMessage><Br</TradeMessages>");
}

/* ---- dead letters ---- */

static void put_record(struct ste_buf *body, const char *reference, const char *original,
                       uint32_t index)
{
    struct ste_record record = {.version = STE_RECORD_VERSION,
                                .map_epoch = 1,
                                .delivery_id = STE_BYTES("sub.1.4"),
                                .key_id = STE_BYTES("BROKSGSG/mac"),
                                .signer = STE_BYTES("BROKSGSG")};
    record.message = (struct ste_message){.type = STE_TYPE_NPR,
                                          .function = STE_FUNCTION_NEWM,
                                          .original = ste_bytes_of(original),
                                          .index = index};
    record.message.fields[STE_F_REFERENCE].value = ste_bytes_of(reference);
    assert_true(ste_record_encode(body, &record));
}

static void decode_dead(struct setting *setting, struct ste_bytes body)
{
    const struct ste_mq_delivery delivery = {.body = body,
                                             .death_queue = STE_BYTES("ste.suspect.02")};
    struct ste_error err = {0};
    ste_arena_reset(setting->fixture->arena);
    if (ste_decode_dead(&setting->decoder, &delivery, setting->fixture->arena, &setting->records,
                        &setting->count, &err) != STE_OK)
        fail_msg("%s", err.text);
    for (size_t i = 0; i < setting->count; i++) {
        const struct ste_record *const record = &setting->records[i];
        assert_code(record->message.exc, "XCRS");
        assert_int_equal(record->message.type, STE_TYPE_EXC);
        assert_text(record->message.exc.text,
                    "given up in queue ste.suspect.02 after its delivery limit");
        assert_true(record->delivery_id.len > 0);
    }
}

static void test_dead_records_keep_what_they_were(void **state)
{
    struct setting *const setting = *state;
    struct ste_buf body = {0};
    put_record(&body, "R-1", "<first/>", 8);
    put_record(&body, "R-2", "<second/>", 9);
    decode_dead(setting, ste_buf_bytes(&body));
    assert_int_equal(setting->count, 2);
    for (size_t i = 0; i < 2; i++) {
        const struct ste_record *const record = &setting->records[i];
        assert_text(record->message.original, i == 0 ? "<first/>" : "<second/>");
        assert_text(ste_value(&record->message, STE_F_REFERENCE), i == 0 ? "R-1" : "R-2");
        assert_text(record->delivery_id, "sub.1.4");
        assert_text(record->signer, "BROKSGSG");
        assert_int_equal(record->message.index, 8 + i);
    }
    /* The same, as a router packs it: two texts alike, or it would not. */
    struct ste_packer packer = {0};
    struct ste_buf packed = {0};
    for (unsigned i = 0; i < 20; i++)
        put_record(&body, "R-2", "<second/>", 9);
    assert_true(ste_pack(&packer, STE_PACK_FAST, ste_buf_bytes(&body), &packed));
    decode_dead(setting, ste_buf_bytes(&packed));
    assert_int_equal(setting->count, 22);
    assert_text(setting->records[0].message.original, "<first/>");
    assert_text(setting->records[21].message.original, "<second/>");
    ste_packer_deinit(&packer);
    ste_buf_deinit(&packed);
    ste_buf_deinit(&body);
}

/* Every byte of a damaged dead letter is in one of its exceptions. */
static void test_damaged_dead_letters(void **state)
{
    struct setting *const setting = *state;
    struct ste_buf body = {0};
    put_record(&body, "R-1", "<first/>", 0);
    const size_t first = body.len;
    put_record(&body, "R-2", "<second/>", 1);
    const size_t second = body.len;
    put_record(&body, "R-3", "<third/>", 2);
    body.at[first + 4 + 1] = 77; /* type of the second record */
    decode_dead(setting, ste_buf_bytes(&body));
    assert_int_equal(setting->count, 2);
    assert_text(setting->records[0].message.original, "<first/>");
    assert_ptr_equal(setting->records[1].message.original.at, body.at + first);
    assert_int_equal(setting->records[1].message.original.len, body.len - first);
    /* The last one is damaged: it alone is kept. */
    decode_dead(setting, (struct ste_bytes){body.at, second});
    assert_int_equal(setting->count, 2);
    assert_int_equal(setting->records[1].message.original.len, second - first);
    /* Cut short. */
    decode_dead(setting, (struct ste_bytes){body.at, first + 2});
    assert_int_equal(setting->count, 2);
    assert_int_equal(setting->records[1].message.original.len, 2);
    ste_buf_deinit(&body);
}

static void test_a_newer_version_is_kept_as_it_is(void **state)
{
    struct setting *const setting = *state;
    struct ste_buf body = {0};
    put_record(&body, "R-1", "<first/>", 0);
    body.at[4] = STE_RECORD_VERSION + 1;
    decode_dead(setting, ste_buf_bytes(&body));
    assert_int_equal(setting->count, 1);
    assert_true(ste_bytes_equal(setting->records[0].message.original, ste_buf_bytes(&body)));
    ste_buf_deinit(&body);
}

static void test_garbage_and_nothing_are_exceptions_too(void **state)
{
    struct setting *const setting = *state;
    const struct ste_bytes bodies[] = {
        STE_BYTES("x"), STE_BYTES("no record at all, just text"), {NULL, 0}};
    for (size_t i = 0; i < 3; i++) {
        decode_dead(setting, bodies[i]);
        assert_int_equal(setting->count, 1);
        assert_true(ste_bytes_equal(setting->records[0].message.original, bodies[i]));
    }
}

static void test_more_records_than_one_letter_may_have(void **state)
{
    struct setting *const setting = *state;
    struct ste_buf body = {0};
    size_t bytes = 0;
    for (unsigned i = 0; i < 5000; i++) {
        put_record(&body, "R", "<x/>", 0);
        bytes = i == 0 ? body.len : bytes;
    }
    decode_dead(setting, ste_buf_bytes(&body));
    assert_int_equal(setting->count, 4096);
    assert_int_equal(setting->records[4095].message.original.len, body.len - 4095 * bytes);
    ste_buf_deinit(&body);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_records_of_a_batch),
        cmocka_unit_test(test_ids_that_the_router_gives),
        cmocka_unit_test(test_wrong_signature_refuses_the_whole),
        cmocka_unit_test(test_limits_come_before_the_signature),
        cmocka_unit_test(test_of_a_huge_delivery_the_start_is_kept),
        cmocka_unit_test(test_one_messages_limit_is_not_the_deliverys),
        cmocka_unit_test(test_neighbours_of_a_wrong_sender_stand),
        cmocka_unit_test(test_dead_records_keep_what_they_were),
        cmocka_unit_test(test_damaged_dead_letters),
        cmocka_unit_test(test_a_newer_version_is_kept_as_it_is),
        cmocka_unit_test(test_garbage_and_nothing_are_exceptions_too),
        cmocka_unit_test(test_more_records_than_one_letter_may_have),
    };
    return cmocka_run_group_tests(tests, open_setting, close_setting);
}
