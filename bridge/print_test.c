/* SPDX-License-Identifier: Apache-2.0 */
#include "bridge/submit.h"
#include "bridge/testing.h"
#include "json/json.h"

static struct ste_reply_value values[] = {
    {STE_BYTES("2026-12-02"), STE_BYTES("BROKSGSG"), STE_BYTES("B-P1")},
    {STE_BYTES("2026-12-03"), STE_BYTES("CUSTSGSG"), STE_BYTES("C \"S\" 1")},
};
static struct ste_reply_reason warning = {.code = STE_C_XUNK,
                                          .level = STE_BYTES("warn"),
                                          .element = STE_BYTES("Colour"),
                                          .place = STE_BYTES("3:5"),
                                          .text = STE_BYTES("element is unknown")};
static struct ste_reply_reason refusals[] = {
    {.code = STE_C_XUNK, .level = STE_BYTES("warn"), .place = STE_BYTES("3:5")},
    {.code = STE_C_DSEC,
     .level = STE_BYTES("reject"),
     .element = STE_BYTES("Instrument"),
     .place = STE_BYTES("9:3"),
     .text = STE_BYTES("not an ISIN")},
    {.code = STE_C_XMIS,
     .level = STE_BYTES("reject"),
     .element = STE_BYTES("Price"),
     .place = STE_BYTES("Price"),
     .text = STE_BYTES("element is missing")},
};
static struct ste_reply_reason difference = {.code = STE_C_DDAT,
                                             .level = STE_BYTES("differs"),
                                             .element = STE_BYTES("SettlementDate"),
                                             .account = STE_BYTES("SAFE-0001"),
                                             .text = STE_BYTES("settlement date differs"),
                                             .values = values,
                                             .value_count = 2};
static struct ste_reply_leg legs[] = {
    {.account = STE_BYTES("SAFE-0001"),
     .quantity = STE_BYTES("600"),
     .settlement_amount = STE_BYTES("22534.51"),
     .currency = STE_BYTES("SGD")},
    {.account = STE_BYTES("SAFE-0002"), .quantity = STE_BYTES("400")}, /* free of payment */
};
static struct ste_bytes references[] = {STE_BYTES("B-N"), STE_BYTES("B-P1")};

static struct ste_reply reply_of(enum ste_reply_kind kind)
{
    struct ste_reply reply = {.kind = kind,
                              .to = STE_BYTES("BROKSGSG"),
                              .trade_reference = STE_BYTES("T-1"),
                              .trade_key = STE_BYTES("00112233445566778899aabbccddeeff")};
    switch (kind) {
    case STE_REPLY_ACK:
    case STE_REPLY_REJ:
    case STE_REPLY_EXC:
        reply.delivery = STE_BYTES("sub.1.0");
        reply.index = 12;
        reply.has_index = true;
        break;
    case STE_REPLY_MAC:
    case STE_REPLY_CLS:
        reply.version = 1;
        reply.action = STE_BYTES("NEWM");
        reply.legs = legs;
        reply.leg_count = 2;
        break;
    default:
        reply.stage = STE_BYTES("LEG");
        reply.account = STE_BYTES("SAFE-0001");
        break;
    }
    if (!reply.has_index) {
        reply.references = references;
        reply.reference_count = 2;
    }
    return reply;
}

/* The one line that is printed, read again; the caller frees it. */
static struct ste_json *line_of(const struct ste_reply *reply, const char *reference)
{
    struct sink sink = {0};
    struct ste_json *line = NULL;
    sink_open(&sink);
    assert_ok(ste_print_reply(reply, ste_bytes_of(reference), true, sink.file, &err));
    assert_true(sink.bytes > 0 && sink.text[sink.bytes - 1] == '\n');
    assert_ptr_equal(strchr(sink.text, '\n'), sink.text + sink.bytes - 1);
    assert_ok(ste_json_parse((struct ste_bytes){sink.text, sink.bytes}, 0, &line, &err));
    sink_close(&sink);
    return line;
}

/* Exactly these keys, in this order. */
static void assert_keys(const struct ste_json *object, const char *const *keys)
{
    const struct ste_json *member = ste_json_first(object);
    for (; *keys != NULL; keys++, member = ste_json_next(member)) {
        assert_non_null(member);
        assert_string_equal(ste_json_key(member), *keys);
    }
    assert_null(member);
}

static void assert_member(const struct ste_json *object, const char *key, const char *expected)
{
    const struct ste_json *const member = ste_json_get(object, key);
    assert_non_null(member);
    if (expected == NULL)
        assert_int_equal(ste_json_kind(member), STE_JSON_NULL);
    else
        assert_string_equal(ste_json_text(member), expected);
}

static void assert_number(const struct ste_json *object, const char *key, uint64_t expected)
{
    uint64_t number = 0;
    assert_true(ste_json_uint(ste_json_get(object, key), &number));
    assert_int_equal(number, expected);
}

#define HEAD "to", "kind", "trade_reference"
#define ONE "delivery", "index", "reference"
#define TAIL "stage", "account", "code", "place", "text", "then"

static void test_ack(void **state)
{
    static const char *const keys[] = {HEAD, ONE, TAIL, "reasons", NULL};
    static const char *const reason_keys[] = {"code", "element", "place", "level", "text", NULL};
    (void)state;
    struct ste_reply ack = reply_of(STE_REPLY_ACK);
    ack.then = STE_BYTES("NMA MAC");
    ack.reasons = &warning;
    ack.reason_count = 1;
    struct ste_json *const line = line_of(&ack, "B-P1");
    assert_keys(line, keys);
    assert_member(line, "to", "BROKSGSG");
    assert_member(line, "kind", "ACK");
    assert_member(line, "trade_reference", "T-1");
    assert_member(line, "delivery", "sub.1.0");
    assert_number(line, "index", 12);
    assert_member(line, "reference", "B-P1");
    assert_member(line, "stage", NULL);
    assert_member(line, "code", NULL); /* a warning is not the answer's code */
    const struct ste_json *const then = ste_json_get(line, "then");
    assert_int_equal(ste_json_count(then), 2);
    assert_string_equal(ste_json_text(ste_json_first(then)), "NMA");
    assert_string_equal(ste_json_text(ste_json_next(ste_json_first(then))), "MAC");
    const struct ste_json *const reason = ste_json_first(ste_json_get(line, "reasons"));
    assert_keys(reason, reason_keys);
    assert_member(reason, "code", "XUNK");
    assert_member(reason, "level", "warn");
    ste_json_free(line);
}

static void test_dupl_and_its_own_reference(void **state)
{
    (void)state;
    struct ste_reply ack = reply_of(STE_REPLY_ACK);
    ack.code = STE_C_DUPL;
    ack.references = references;
    ack.reference_count = 1;
    struct ste_json *const line = line_of(&ack, "what was sent");
    assert_member(line, "code", "DUPL");
    assert_member(line, "reference", "B-N"); /* the answer says */
    assert_int_equal(ste_json_kind(ste_json_get(line, "then")), STE_JSON_LIST);
    assert_int_equal(ste_json_count(ste_json_get(line, "then")), 0);
    ste_json_free(line);
}

static void test_rej_and_exc(void **state)
{
    static const enum ste_reply_kind kinds[] = {STE_REPLY_REJ, STE_REPLY_EXC};
    static const char *const keys[] = {HEAD, ONE, TAIL, "reasons", NULL};
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct ste_reply reply = reply_of(kinds[i]);
        reply.reasons = refusals;
        reply.reason_count = 3;
        struct ste_json *const line = line_of(&reply, "");
        assert_keys(line, keys);
        assert_member(line, "kind", i == 0 ? "REJ" : "EXC");
        /* The headline is the first that refuses, warnings before it or not. */
        assert_member(line, "code", "DSEC");
        assert_member(line, "place", "9:3");
        assert_member(line, "text", "not an ISIN");
        assert_member(line, "reference", NULL);
        assert_int_equal(ste_json_count(ste_json_get(line, "reasons")), 3);
        ste_json_free(line);
    }
}

static void test_nma(void **state)
{
    static const char *const keys[] = {HEAD, "references", TAIL, "conditions", NULL};
    static const char *const condition_keys[] = {"code", "element", "account",
                                                 "text", "values",  NULL};
    static const char *const value_keys[] = {"value", "sender", "reference", NULL};
    (void)state;
    struct ste_reply nma = reply_of(STE_REPLY_NMA);
    nma.reasons = &difference;
    nma.reason_count = 1;
    struct ste_json *const line = line_of(&nma, "");
    assert_keys(line, keys);
    assert_member(line, "stage", "LEG");
    assert_member(line, "account", "SAFE-0001");
    assert_member(line, "code", NULL); /* that is for the conditions to say */
    assert_member(line, "text", NULL);
    assert_int_equal(ste_json_count(ste_json_get(line, "references")), 2);
    const struct ste_json *const condition = ste_json_first(ste_json_get(line, "conditions"));
    assert_keys(condition, condition_keys);
    assert_member(condition, "code", "DDAT");
    assert_member(condition, "element", "SettlementDate");
    assert_member(condition, "account", "SAFE-0001");
    const struct ste_json *const first = ste_json_first(ste_json_get(condition, "values"));
    assert_keys(first, value_keys);
    assert_member(first, "value", "2026-12-02");
    assert_member(first, "sender", "BROKSGSG");
    assert_member(ste_json_next(first), "reference", "C \"S\" 1");
    ste_json_free(line);
}

static void test_mac_and_cls(void **state)
{
    static const enum ste_reply_kind kinds[] = {STE_REPLY_MAC, STE_REPLY_CLS};
    static const char *const keys[] = {HEAD, "references", TAIL, "action", "version", "legs", NULL};
    static const char *const leg_keys[] = {"account", "quantity", "settlement_amount", "currency",
                                           NULL};
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        const struct ste_reply reply = reply_of(kinds[i]);
        struct ste_json *const line = line_of(&reply, "");
        assert_keys(line, keys);
        assert_member(line, "kind", i == 0 ? "MAC" : "CLS");
        assert_member(line, "action", "NEWM");
        assert_number(line, "version", 1);
        assert_int_equal(ste_json_count(ste_json_get(line, "legs")), 2);
        const struct ste_json *const leg = ste_json_first(ste_json_get(line, "legs"));
        assert_keys(leg, leg_keys);
        assert_member(leg, "account", "SAFE-0001");
        assert_member(leg, "quantity", "600");
        assert_member(leg, "settlement_amount", "22534.51");
        assert_member(leg, "currency", "SGD");
        assert_member(ste_json_next(leg), "settlement_amount", NULL);
        ste_json_free(line);
    }
}

/* Whatever others put into their messages, a line is one line and parses. */
static void test_strange_texts(void **state)
{
    (void)state;
    struct ste_reply exc = reply_of(STE_REPLY_EXC);
    exc.trade_reference = STE_BYTES("a\n\"b\"\\\x01\xE4\xB8\xAD\xFF");
    struct ste_json *const line = line_of(&exc, "\t\r\n");
    assert_member(line, "trade_reference", "a\n\"b\"\\\x01\xE4\xB8\xAD\xEF\xBF\xBD");
    assert_member(line, "reference", "\t\r\n");
    ste_json_free(line);
}

static void assert_words(const struct ste_reply *reply, const char *reference, const char *expected)
{
    struct sink sink = {0};
    sink_open(&sink);
    assert_ok(ste_print_reply(reply, ste_bytes_of(reference), false, sink.file, &err));
    assert_string_equal(sink.text, expected);
    sink_close(&sink);
}

static void test_words_for_people(void **state)
{
    (void)state;
    struct ste_reply rej = reply_of(STE_REPLY_REJ), nma = reply_of(STE_REPLY_NMA);
    rej.reasons = &refusals[1];
    rej.reason_count = 2;
    nma.reasons = &difference;
    nma.reason_count = 1;
    assert_words(&rej, "B-P1\x1b[31m",
                 "REJ to BROKSGSG trade T-1 message B-P1?[31m\n"
                 "  DSEC 9:3 Instrument not an ISIN\n"
                 "  XMIS Price Price element is missing\n");
    assert_words(&nma, "",
                 "NMA to BROKSGSG trade T-1 stage LEG account SAFE-0001\n"
                 "  DDAT SettlementDate settlement date differs: 2026-12-02 (BROKSGSG B-P1) / "
                 "2026-12-03 (CUSTSGSG C \"S\" 1)\n");
    const struct ste_reply cls = reply_of(STE_REPLY_CLS);
    assert_words(&cls, "",
                 "CLS to BROKSGSG trade T-1 version 1, 2 legs\n"
                 "  leg SAFE-0001 quantity 600 amount 22534.51 SGD\n"
                 "  leg SAFE-0002 quantity 400\n");
}

static void test_summary(void **state)
{
    static const char *const keys[] = {"submitted", "ack", "rej", "exc", "dupl",
                                       "nma",       "mac", "cls", NULL};
    const struct ste_summary summary = {1, 2, 3, 4, 5, 6, 7, 8};
    (void)state;
    struct sink sink = {0};
    struct ste_json *line = NULL;
    sink_open(&sink);
    assert_ok(ste_print_summary(&summary, true, true, sink.file, &err));
    assert_ok(ste_json_parse((struct ste_bytes){sink.text, sink.bytes}, 0, &line, &err));
    const struct ste_json *const counts = ste_json_get(line, "summary");
    assert_keys(counts, keys);
    for (uint64_t i = 0; keys[i] != NULL; i++)
        assert_number(counts, keys[i], i + 1);
    ste_json_free(line);
    sink_close(&sink);

    sink_open(&sink);
    assert_ok(ste_print_summary(&summary, true, false, sink.file, &err));
    assert_string_equal(sink.text, "{\"summary\": {\"submitted\": 1}}\n");
    sink_close(&sink);
    sink_open(&sink);
    assert_ok(ste_print_summary(&summary, false, true, sink.file, &err));
    assert_string_equal(sink.text,
                        "summary: submitted 1 ack 2 rej 3 exc 4 dupl 5 nma 6 mac 7 cls 8\n");
    sink_close(&sink);
}

static void test_a_full_disk_is_told(void **state)
{
    (void)state;
    FILE *const full = fopen("/dev/full", "w");
    const struct ste_reply ack = reply_of(STE_REPLY_ACK);
    struct ste_error err = {0};
    assert_non_null(full);
    assert_int_equal(ste_print_reply(&ack, STE_BYTES(""), true, full, &err), STE_E_FILE);
    fclose(full);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ack),
        cmocka_unit_test(test_dupl_and_its_own_reference),
        cmocka_unit_test(test_rej_and_exc),
        cmocka_unit_test(test_nma),
        cmocka_unit_test(test_mac_and_cls),
        cmocka_unit_test(test_strange_texts),
        cmocka_unit_test(test_words_for_people),
        cmocka_unit_test(test_summary),
        cmocka_unit_test(test_a_full_disk_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
