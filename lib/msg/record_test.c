/* SPDX-License-Identifier: Apache-2.0 */
#include "msg/testing.h"

#include "msg/record.h"

static struct ste_record sample(struct decoder *decoder, const char *body)
{
    decode(decoder, body);
    struct ste_record record = {
        .version = STE_RECORD_VERSION,
        .map_epoch = 7,
        .slot = 12345,
        .message = decoder->messages[0],
        .delivery_id = STE_BYTES("d-1"),
        .key_id = STE_BYTES("hub"),
        .signer = STE_BYTES("STEHSGSG"),
        .received_us = UINT64_C(1796000000123456),
    };
    for (size_t i = 0; i < sizeof(record.signed_sha256); i++)
        record.signed_sha256[i] = (uint8_t)(i + 200);
    return record;
}

static void assert_same_bytes(struct ste_bytes a, struct ste_bytes b)
{
    assert_true(ste_bytes_equal(a, b));
}

static void assert_same_finding(const struct ste_finding *a, const struct ste_finding *b)
{
    assert_int_equal(a->code, b->code);
    assert_int_equal(a->level, b->level);
    assert_same_bytes(a->element, b->element);
    assert_same_bytes(a->place, b->place);
    assert_same_bytes(a->text, b->text);
}

static void assert_same(const struct ste_record *a, const struct ste_record *b)
{
    assert_int_equal(a->version, b->version);
    assert_int_equal(a->map_epoch, b->map_epoch);
    assert_int_equal(a->slot, b->slot);
    assert_true(a->received_us == b->received_us);
    assert_memory_equal(a->signed_sha256, b->signed_sha256, 32);
    assert_same_bytes(a->delivery_id, b->delivery_id);
    assert_same_bytes(a->key_id, b->key_id);
    assert_same_bytes(a->signer, b->signer);
    const struct ste_message *left = &a->message, *right = &b->message;
    assert_int_equal(left->type, right->type);
    assert_int_equal(left->function, right->function);
    assert_int_equal(left->line, right->line);
    assert_int_equal(left->column, right->column);
    assert_int_equal(left->index, right->index);
    assert_same_bytes(left->original, right->original);
    for (int id = STE_F_NONE + 1; id < STE_FIELD_COUNT; id++) {
        assert_same_bytes(left->fields[id].value, right->fields[id].value);
        if (left->fields[id].value.len) {
            assert_int_equal(left->fields[id].line, right->fields[id].line);
            assert_int_equal(left->fields[id].column, right->fields[id].column);
        }
    }
    assert_int_equal(left->finding_count, right->finding_count);
    for (size_t i = 0; i < left->finding_count; i++)
        assert_same_finding(&left->findings[i], &right->findings[i]);
    assert_same_finding(&left->exc, &right->exc);
}

/* Reads one record out of `bytes` and nothing behind it. */
static void round_trip(struct decoder *decoder, const struct ste_record *record)
{
    struct ste_buf buf = {0}, again = {0};
    struct ste_record read;
    bool done = true;
    assert_true(ste_record_encode(&buf, record));
    struct ste_reader reader = ste_reader_of(ste_buf_bytes(&buf));
    assert_int_equal(ste_record_decode(&reader, decoder->arena, &read, &done, NULL), STE_OK);
    assert_false(done);
    assert_same(record, &read);
    assert_true(ste_record_encode(&again, &read)); /* one record has one encoding */
    assert_same_bytes(ste_buf_bytes(&buf), ste_buf_bytes(&again));
    assert_int_equal(ste_record_decode(&reader, decoder->arena, &read, &done, NULL), STE_OK);
    assert_true(done);
    ste_buf_deinit(&buf);
    ste_buf_deinit(&again);
}

static void messages(void **state)
{
    struct decoder *decoder = *state;
    static const char *const bodies[] = {
        NOE(""),
        "\n\n    " NOE(
            "\n<Price type='ACTU' currency='SGD'>3</Price><Narrative>a&amp;b</Narrative>"),
        NOE("<Foo/><Price>1</Price><Price>2</Price><Account>A</Account>"),
        "<TradeMessage type='STQ'>" NEEDED "</TradeMessage>",
        "<TradeMessage type='SET' function='CANC'>" NEEDED "</TradeMessage>",
    };
    for (size_t i = 0; i < COUNT_OF(bodies); i++) {
        struct ste_record record = sample(decoder, bodies[i]);
        round_trip(decoder, &record);
    }
}

static void refusals(void **state)
{
    struct decoder *decoder = *state;
    static const char *const bodies[] = {"", "<html/>",
                                         "<TradeMessage type='NOE'>" NEEDED "</TradeMessage>",
                                         BATCH(NOE("") "<Foo>&")};
    for (size_t i = 0; i < COUNT_OF(bodies); i++) {
        struct ste_record record = sample(decoder, bodies[i]);
        record.message = decoder->messages[decoder->count - 1];
        record.signer = (struct ste_bytes){NULL, 0};
        round_trip(decoder, &record);
    }
}

/* The router refuses a message that decoding let pass (XSND): its record says so. */
static void refused_after_decoding(void **state)
{
    struct decoder *decoder = *state;
    struct ste_record record = sample(decoder, NOE("")), read;
    struct ste_buf buf = {0};
    bool done = false;
    record.message.exc = (struct ste_finding){.code = STE_C_XSND, .level = STE_LEVEL_REJECT};
    assert_true(ste_record_encode(&buf, &record));
    struct ste_reader reader = ste_reader_of(ste_buf_bytes(&buf));
    assert_int_equal(ste_record_decode(&reader, decoder->arena, &read, &done, NULL), STE_OK);
    assert_int_equal(read.message.type, STE_TYPE_EXC);
    assert_int_equal(read.message.exc.code, STE_C_XSND);
    ste_buf_deinit(&buf);
}

static void large_values(void **state)
{
    struct decoder *decoder = *state;
    struct ste_record record = sample(decoder, NOE(""));
    static char text[300000];
    memset(text, 'x', sizeof(text));
    record.message.original = (struct ste_bytes){text, sizeof(text)};
    record.message.fields[STE_F_NARRATIVE].value = (struct ste_bytes){text + 200000, 100000};
    record.message.fields[STE_F_NARRATIVE].line = UINT32_MAX;
    record.message.fields[STE_F_NARRATIVE].column = UINT32_MAX;
    record.message.fields[STE_F_BROKER].line = 0; /* before the message: wraps and comes back */
    record.message.line = 100;
    record.message.index = UINT32_MAX;
    record.delivery_id.len = 0;
    round_trip(decoder, &record);
}

static void many_in_one_delivery(void **state)
{
    struct decoder *decoder = *state;
    struct ste_record record = sample(decoder, NOE("<Foo/>")), read;
    struct ste_buf buf = {0};
    for (uint32_t i = 0; i < 64; i++) {
        record.message.index = i;
        assert_true(ste_record_encode(&buf, &record));
    }
    struct ste_reader reader = ste_reader_of(ste_buf_bytes(&buf));
    for (uint32_t i = 0; i < 64; i++) {
        bool done = true;
        assert_int_equal(ste_record_decode(&reader, decoder->arena, &read, &done, NULL), STE_OK);
        assert_false(done);
        assert_int_equal(read.message.index, i);
        assert_same_finding(&read.message.findings[0], &record.message.findings[0]);
    }
    ste_buf_deinit(&buf);
}

static enum ste_code decode_one(struct decoder *decoder, struct ste_bytes bytes, bool *ret_done)
{
    struct ste_reader reader = ste_reader_of(bytes);
    struct ste_record read;
    return ste_record_decode(&reader, decoder->arena, &read, ret_done, NULL);
}

static void cut_short(void **state)
{
    struct decoder *decoder = *state;
    struct ste_record record = sample(decoder, NOE("<Foo/><Price>3</Price>"));
    struct ste_buf buf = {0};
    bool done = false;
    assert_true(ste_record_encode(&buf, &record));
    for (size_t len = 1; len < buf.len; len++) {
        struct ste_bytes cut = {buf.at, len};
        assert_int_equal(decode_one(decoder, cut, &done), STE_E_RECORD_BAD);
        if (len < 4)
            continue;
        uint32_t inner = (uint32_t)(len - 4); /* a length that fits, and too little in it */
        char head[4];
        memcpy(head, buf.at, 4);
        memcpy(buf.at, &inner, 4);
        assert_int_equal(decode_one(decoder, cut, &done), STE_E_RECORD_BAD);
        memcpy(buf.at, head, 4);
    }
    assert_int_equal(decode_one(decoder, (struct ste_bytes){NULL, 0}, &done), STE_OK);
    assert_true(done);
    ste_buf_deinit(&buf);
}

/* Any damage is refused or read as some record; it never reaches outside. */
static void every_byte_damaged(void **state)
{
    struct decoder *decoder = *state;
    struct ste_record record = sample(decoder, NOE("<Foo/><Price>3</Price><Price>4</Price>"));
    struct ste_buf buf = {0};
    bool done = false;
    size_t refused = 0;
    assert_true(ste_record_encode(&buf, &record));
    for (size_t at = 0; at < buf.len; at++) {
        for (int bit = 0; bit < 8; bit++) {
            buf.at[at] = (char)(buf.at[at] ^ (1 << bit));
            refused += decode_one(decoder, ste_buf_bytes(&buf), &done) != STE_OK;
            buf.at[at] = (char)(buf.at[at] ^ (1 << bit));
        }
        ste_arena_reset(decoder->arena);
    }
    assert_true(refused > 100);
    ste_buf_deinit(&buf);
}

static void versions(void **state)
{
    struct decoder *decoder = *state;
    struct ste_record record = sample(decoder, NOE(""));
    struct ste_buf buf = {0};
    bool done = false;
    assert_true(ste_record_encode(&buf, &record));
    assert_int_equal(buf.at[4], STE_RECORD_VERSION);
    buf.at[4] = STE_RECORD_VERSION + 1;
    assert_int_equal(decode_one(decoder, ste_buf_bytes(&buf), &done), STE_E_RECORD_VERSION);
    buf.at[4] = 0;
    assert_int_equal(decode_one(decoder, ste_buf_bytes(&buf), &done), STE_E_RECORD_BAD);
    ste_buf_deinit(&buf);
}

static void refuses_what_no_writer_writes(void **state)
{
    struct decoder *decoder = *state;
    struct ste_record record = sample(decoder, NOE(""));
    struct ste_buf buf = {0};
    bool done = false;
    record.slot = STE_SLOT_COUNT;
    assert_true(ste_record_encode(&buf, &record));
    assert_int_equal(decode_one(decoder, ste_buf_bytes(&buf), &done), STE_E_RECORD_BAD);
    record.slot = 0;
    record.message.type = STE_TYPE_EXC; /* without a reason */
    ste_buf_clear(&buf);
    assert_true(ste_record_encode(&buf, &record));
    assert_int_equal(decode_one(decoder, ste_buf_bytes(&buf), &done), STE_E_RECORD_BAD);
    record.message.type = STE_TYPE_NOE;
    record.message.findings = &record.message.exc; /* code NONE */
    record.message.finding_count = 1;
    ste_buf_clear(&buf);
    assert_true(ste_record_encode(&buf, &record));
    assert_int_equal(decode_one(decoder, ste_buf_bytes(&buf), &done), STE_E_RECORD_BAD);
    ste_buf_deinit(&buf);
}

/* The bytes themselves, as docs/WIRE.md has them. */
static void encode_known(struct ste_buf *buf)
{
    struct ste_record record = {.map_epoch = 1,
                                .slot = 0x0102,
                                .received_us = 3,
                                .signed_bytes = 5,
                                .delivery_id = STE_BYTES("id"),
                                .key_id = STE_BYTES("k"),
                                .signer = STE_BYTES("STEHSGSG")};
    struct ste_message *message = &record.message;
    message->type = STE_TYPE_NOE;
    message->function = STE_FUNCTION_NEWM;
    message->line = 2;
    message->column = 1;
    message->original = STE_BYTES("<R>A</R>");
    message->fields[STE_F_REFERENCE] = (struct ste_field){{message->original.at + 3, 1}, 3, 5};
    message->fields[STE_F_SENDER] = (struct ste_field){STE_BYTES("B"), 2, 9};
    struct ste_finding finding = {
        STE_C_XUNK, STE_LEVEL_WARN, STE_BYTES("E"), STE_BYTES("2:1"), {NULL, 0}};
    message->findings = &finding;
    message->finding_count = 1;
    assert_true(ste_record_encode(buf, &record));
}

static void known_bytes(void **state)
{
    (void)state;
    struct ste_buf buf = {0};
    encode_known(&buf);
    static const char expected[] =
        "\x64\x00\x00\x00"
        "\x01"
        "\x01"
        "\x01"
        "\x01\x00\x00\x00"
        "\x02\x01\x00\x00"
        "\x03\x00\x00\x00\x00\x00\x00\x00"
        "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
        "\x05"
        "\x02id"
        "\x00"
        "\x01k"
        "\x08STEHSGSG"
        "\x02"
        "\x01"
        "\x08<R>A</R>"
        "\x02"
        "\x81\x01\x05\x03\x01"
        "\x03\x00\x09\x01"
        "B"
        "\x01"
        "\x2D\x01\x01"
        "E"
        "\x03"
        "2:1"
        "\x00"
        "\x00";
    assert_int_equal(buf.len, sizeof(expected) - 1);
    assert_memory_equal(buf.at, expected, buf.len);
    ste_buf_deinit(&buf);
}

/* Offsets of the known bytes above. */
enum {
    KNOWN_INDEX = 4 + 3 + 4 + 4 + 8 + 32 + 1 + 3,
    KNOWN_FIELD_COUNT = KNOWN_INDEX + 1 + 2 + 9 + 2 + 9,
    KNOWN_FIRST_FIELD = KNOWN_FIELD_COUNT + 1,
    KNOWN_SECOND_FIELD = KNOWN_FIRST_FIELD + 5,
    KNOWN_FINDING_COUNT = KNOWN_SECOND_FIELD + 5,
};

/* The known record with `len` bytes at `at` replaced by others, its length made to fit. */
static enum ste_code decode_changed(struct decoder *decoder, size_t at, size_t len,
                                    struct ste_bytes other)
{
    struct ste_buf known = {0}, changed = {0};
    bool done = false;
    encode_known(&known);
    ste_buf_append(&changed, known.at, at);
    ste_buf_append_bytes(&changed, other);
    ste_buf_append(&changed, known.at + at + len, known.len - at - len);
    assert_false(changed.failed);
    uint32_t inner = (uint32_t)changed.len - 4;
    memcpy(changed.at, &inner, 4);
    enum ste_code rc = decode_one(decoder, ste_buf_bytes(&changed), &done);
    ste_buf_deinit(&known);
    ste_buf_deinit(&changed);
    return rc;
}

static void refuses_other_encodings(void **state)
{
    struct decoder *decoder = *state;
    static const struct {
        size_t at, len;
        struct ste_bytes other;
        enum ste_code rc;
    } rows[] = {
        {KNOWN_INDEX, 1, {"\x07", 1}, STE_OK},
        {KNOWN_INDEX, 1, {"\xFF\xFF\xFF\xFF\x0F", 5}, STE_OK},
        {KNOWN_INDEX, 1, {"\x80\x80\x80\x80\x10", 5}, STE_E_RECORD_BAD}, /* over 32 bits */
        {KNOWN_SECOND_FIELD, 1, {"\x01", 1}, STE_E_RECORD_BAD},          /* a field twice */
        {KNOWN_SECOND_FIELD, 1, {"\x00", 1}, STE_E_RECORD_BAD},
        {KNOWN_SECOND_FIELD, 1, {"\x24", 1}, STE_OK},
        {KNOWN_SECOND_FIELD, 1, {"\x25", 1}, STE_E_RECORD_BAD},        /* no such field */
        {KNOWN_FIRST_FIELD + 3, 2, {"\x07\x01", 2}, STE_OK},           /* in the original */
        {KNOWN_FIRST_FIELD + 3, 2, {"\x07\x02", 2}, STE_E_RECORD_BAD}, /* past its end */
        {KNOWN_FIRST_FIELD + 3, 2, {"\x09\x01", 2}, STE_E_RECORD_BAD},
        {KNOWN_FIRST_FIELD + 3, 2, {"\x03\x00", 2}, STE_E_RECORD_BAD}, /* empty */
        {KNOWN_FINDING_COUNT + 1, 1, {"\x00", 1}, STE_E_RECORD_BAD},   /* code none */
        {KNOWN_FINDING_COUNT + 2, 1, {"\x03", 1}, STE_E_RECORD_BAD},   /* no such level */
        {KNOWN_FINDING_COUNT + 10, 0, {"\x00", 1}, STE_E_RECORD_BAD},  /* a byte too many */
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        enum ste_code rc = decode_changed(decoder, rows[i].at, rows[i].len, rows[i].other);
        if (rc != rows[i].rc)
            fail_msg("row %zu gave %s", i, ste_code_name(rc));
    }
}

static void findings_limit(void **state)
{
    struct decoder *decoder = *state;
    char findings[1 + 5 * (STE_FINDINGS_MAX + 1)] = {0};
    for (size_t i = 1; i < sizeof(findings); i += 5)
        findings[i] = STE_C_XUNK;
    for (size_t more = 0; more <= 1; more++) {
        findings[0] = (char)(STE_FINDINGS_MAX + more);
        struct ste_bytes other = {findings, 1 + 5 * (STE_FINDINGS_MAX + more)};
        assert_int_equal(decode_changed(decoder, KNOWN_FINDING_COUNT, 10, other),
                         more ? STE_E_RECORD_BAD : STE_OK);
    }
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, decoder_setup, decoder_teardown)
    const struct CMUnitTest tests[] = {
        TEST(messages),
        TEST(refusals),
        TEST(refused_after_decoding),
        TEST(large_values),
        TEST(many_in_one_delivery),
        TEST(cut_short),
        TEST(every_byte_damaged),
        TEST(versions),
        TEST(refuses_what_no_writer_writes),
        TEST(known_bytes),
        TEST(refuses_other_encodings),
        TEST(findings_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
