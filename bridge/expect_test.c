/* SPDX-License-Identifier: Apache-2.0 */
#include "bridge/expect.h"
#include "bridge/testing.h"

#define KEY "00112233445566778899aabbccddeeff"

#define OTHER_KEY "ff112233445566778899aabbccddeeff"
#define FOREIGN_KEY "00ffffffffffffffffffffffffffffff"

static struct ste_hash hash_of_hex(const char *hex)
{
    struct ste_hash hash;
    for (size_t i = 0; i < sizeof(hash.bytes); i++) {
        const char two[] = {hex[2 * i], hex[2 * i + 1], '\0'};
        hash.bytes[i] = (uint8_t)strtoul(two, NULL, 16);
    }
    return hash;
}

static int open_expect(void **state)
{
    struct ste_error trouble = {0};
    *state = ste_expect_new();
    return *state == NULL || ste_expect_trade(*state, hash_of_hex(KEY), &trouble) != STE_OK ||
           ste_expect_trade(*state, hash_of_hex(OTHER_KEY), &trouble) != STE_OK;
}

static int close_expect(void **state)
{
    ste_expect_free(*state);
    return 0;
}

/* A delivery of messages "R-0", "R-1" … */
static void send_messages(struct ste_expect *expect, const char *id, size_t count)
{
    struct ste_message *const messages = calloc(count + 1, sizeof(*messages));
    char references[16][24];
    assert_true(messages != NULL && count <= 16);
    for (size_t i = 0; i < count; i++) {
        snprintf(references[i], sizeof(references[i]), "R-%zu", i);
        messages[i].fields[STE_F_REFERENCE].value = ste_bytes_of(references[i]);
    }
    assert_ok(ste_expect_delivery(expect, ste_bytes_of(id), messages, count, &err));
    free(messages); /* what is remembered is a copy */
    memset(references, 'x', sizeof(references));
}

static struct ste_reply answer(enum ste_reply_kind kind, const char *delivery, uint32_t index)
{
    return (struct ste_reply){.kind = kind,
                              .to = STE_BYTES("BROKSGSG"),
                              .trade_key = STE_BYTES(KEY),
                              .trade_version = 1,
                              .delivery = ste_bytes_of(delivery),
                              .index = index,
                              .has_index = true};
}

static struct ste_reply outcome(enum ste_reply_kind kind, const char *to, uint64_t trade_version)
{
    return (struct ste_reply){.kind = kind,
                              .to = ste_bytes_of(to),
                              .trade_key = STE_BYTES(KEY),
                              .trade_version = trade_version,
                              .version = kind == STE_REPLY_CLS};
}

/* True: it is shown. `reference`: what it is said to answer, or NULL for nothing. */
static bool take(struct ste_expect *expect, struct ste_reply reply, const char *reference)
{
    struct ste_bytes known = {0};
    bool show = false;
    assert_ok(ste_expect_take(expect, &reply, &show, &known, &err));
    assert_text(known, reference != NULL ? reference : "");
    return show;
}

static void test_nothing_sent_is_complete(void **state)
{
    assert_true(ste_expect_complete(*state));
}

static void test_every_message_needs_its_answer(void **state)
{
    struct ste_expect *const expect = *state;
    send_messages(expect, "d.0", 3);
    assert_true(take(expect, answer(STE_REPLY_ACK, "d.0", 1), "R-1"));
    assert_true(take(expect, answer(STE_REPLY_REJ, "d.0", 0), "R-0"));
    assert_false(ste_expect_complete(expect));
    assert_true(take(expect, answer(STE_REPLY_EXC, "d.0", 2), "R-2"));
    assert_true(ste_expect_complete(expect));
    const struct ste_summary *const summary = ste_expect_summary(expect);
    assert_int_equal(summary->ack, 1);
    assert_int_equal(summary->rej, 1);
    assert_int_equal(summary->exc, 1);
}

static void test_two_deliveries(void **state)
{
    struct ste_expect *const expect = *state;
    send_messages(expect, "d.0", 1);
    send_messages(expect, "d.1", 1);
    assert_true(take(expect, answer(STE_REPLY_ACK, "d.1", 0), "R-0"));
    assert_false(ste_expect_complete(expect));
    assert_true(take(expect, answer(STE_REPLY_ACK, "d.0", 0), "R-0"));
    assert_true(ste_expect_complete(expect));
}

/* Of others, for an index that was not sent, or a second time: neither shown nor counted. */
static void test_answers_that_are_not_ours(void **state)
{
    struct ste_expect *const expect = *state;
    send_messages(expect, "d.0", 2);
    assert_false(take(expect, answer(STE_REPLY_ACK, "e.0", 0), NULL));
    assert_false(take(expect, answer(STE_REPLY_ACK, "", 0), NULL));
    assert_false(take(expect, answer(STE_REPLY_ACK, "d.0", 2), NULL));
    assert_false(take(expect, answer(STE_REPLY_ACK, "d.0", UINT32_MAX), NULL));
    assert_true(take(expect, answer(STE_REPLY_ACK, "d.0", 0), "R-0"));
    assert_false(take(expect, answer(STE_REPLY_ACK, "d.0", 0), NULL));
    assert_true(take(expect, answer(STE_REPLY_ACK, "d.0", 1), "R-1"));
    assert_false(take(expect, answer(STE_REPLY_ACK, "d.0", 1), NULL));
    assert_int_equal(ste_expect_summary(expect)->ack, 2);
    assert_true(ste_expect_complete(expect));
}

static void test_a_repetition_is_counted_apart(void **state)
{
    struct ste_expect *const expect = *state;
    struct ste_reply dupl = answer(STE_REPLY_ACK, "d.0", 0);
    dupl.code = STE_C_DUPL;
    send_messages(expect, "d.0", 1);
    assert_true(take(expect, dupl, "R-0"));
    assert_int_equal(ste_expect_summary(expect)->dupl, 1);
    assert_int_equal(ste_expect_summary(expect)->ack, 0);
    assert_true(ste_expect_complete(expect));
}

static void test_a_refused_delivery_answers_the_rest(void **state)
{
    struct ste_expect *const expect = *state;
    struct ste_reply_reason reason = {.code = STE_C_XSIG};
    struct ste_reply exc = answer(STE_REPLY_EXC, "d.0", 0);
    exc.reasons = &reason;
    exc.reason_count = 1;
    send_messages(expect, "d.0", 5);
    send_messages(expect, "d.1", 1);
    assert_true(take(expect, exc, "R-0"));
    assert_int_equal(ste_expect_summary(expect)->exc, 1); /* lines are counted, not messages */
    assert_false(take(expect, answer(STE_REPLY_ACK, "d.0", 4), NULL));
    assert_false(ste_expect_complete(expect));
    assert_true(take(expect, answer(STE_REPLY_ACK, "d.1", 0), "R-0"));
    assert_true(ste_expect_complete(expect));
}

static void test_one_message_refused_is_not_the_rest(void **state)
{
    struct ste_expect *const expect = *state;
    struct ste_reply_reason reason = {.code = STE_C_XSND};
    struct ste_reply exc = answer(STE_REPLY_EXC, "d.0", 0);
    exc.reasons = &reason;
    exc.reason_count = 1;
    send_messages(expect, "d.0", 2);
    assert_true(take(expect, exc, "R-0"));
    assert_false(ste_expect_complete(expect));
}

/* ---- outcomes ---- */

static struct ste_reply ack_then(uint32_t index, uint64_t trade_version, const char *then)
{
    struct ste_reply ack = answer(STE_REPLY_ACK, "d.0", index);
    ack.trade_version = trade_version;
    ack.then = ste_bytes_of(then);
    return ack;
}

static void test_what_an_ack_announces_is_waited_for(void **state)
{
    struct ste_expect *const expect = *state;
    send_messages(expect, "d.0", 1);
    assert_true(take(expect, ack_then(0, 4, "NMA"), "R-0"));
    assert_false(ste_expect_complete(expect));
    assert_true(take(expect, outcome(STE_REPLY_NMA, "INVMSGSG", 4), NULL)); /* to another */
    assert_false(ste_expect_complete(expect));
    assert_true(take(expect, outcome(STE_REPLY_NMA, "BROKSGSG", 3), NULL)); /* an older one */
    assert_false(ste_expect_complete(expect));
    assert_true(take(expect, outcome(STE_REPLY_NMA, "BROKSGSG", 4), NULL));
    assert_true(ste_expect_complete(expect));
    assert_int_equal(ste_expect_summary(expect)->nma, 3);
}

static void test_an_outcome_may_come_first(void **state)
{
    struct ste_expect *const expect = *state;
    send_messages(expect, "d.0", 1);
    assert_true(take(expect, outcome(STE_REPLY_NMA, "BROKSGSG", 4), NULL));
    assert_false(ste_expect_complete(expect));
    assert_true(take(expect, ack_then(0, 4, "NMA"), "R-0"));
    assert_true(ste_expect_complete(expect));
}

/* Said because of what another sender did: that is no answer to what comes next. */
static void test_an_older_outcome_does_not_count(void **state)
{
    struct ste_expect *const expect = *state;
    send_messages(expect, "d.0", 2);
    assert_true(take(expect, ack_then(0, 2, ""), "R-0"));
    assert_true(take(expect, outcome(STE_REPLY_NMA, "BROKSGSG", 3), NULL));
    assert_true(take(expect, ack_then(1, 4, "NMA"), "R-1"));
    assert_false(ste_expect_complete(expect));
    assert_true(take(expect, outcome(STE_REPLY_NMA, "BROKSGSG", 4), NULL));
    assert_true(ste_expect_complete(expect));
}

static void test_a_mac_brings_the_clearing_message(void **state)
{
    struct ste_expect *const expect = *state;
    send_messages(expect, "d.0", 1);
    assert_true(take(expect, ack_then(0, 7, "NMA MAC"), "R-0"));
    assert_true(take(expect, outcome(STE_REPLY_NMA, "BROKSGSG", 7), NULL));
    assert_true(take(expect, outcome(STE_REPLY_MAC, "INVMSGSG", 7), NULL));
    assert_true(take(expect, outcome(STE_REPLY_MAC, "CUSTSGSG", 7), NULL));
    assert_false(ste_expect_complete(expect));
    assert_true(take(expect, outcome(STE_REPLY_MAC, "BROKSGSG", 7), NULL));
    assert_false(ste_expect_complete(expect));
    assert_true(take(expect, outcome(STE_REPLY_CLS, "", 0), NULL));
    assert_true(ste_expect_complete(expect));
    assert_int_equal(ste_expect_summary(expect)->mac, 3);
    assert_int_equal(ste_expect_summary(expect)->cls, 1);
}

static void test_one_clearing_line_a_version(void **state)
{
    struct ste_expect *const expect = *state;
    struct ste_reply next = outcome(STE_REPLY_CLS, "", 0), other = outcome(STE_REPLY_CLS, "", 0);
    next.version = 2;
    other.trade_key = STE_BYTES(OTHER_KEY);
    assert_true(take(expect, outcome(STE_REPLY_CLS, "", 0), NULL));
    assert_false(take(expect, outcome(STE_REPLY_CLS, "", 0), NULL)); /* another party's copy */
    assert_true(take(expect, next, NULL));
    assert_true(take(expect, other, NULL));
    assert_int_equal(ste_expect_summary(expect)->cls, 3);
    assert_true(ste_expect_complete(expect));
}

/* Two deliveries of one trade each announce the MAC to their receiver; the CLS comes once. */
static void test_one_clearing_message_for_two_that_wait(void **state)
{
    struct ste_expect *const expect = *state;
    struct ste_reply second = ack_then(1, 7, "MAC");
    second.to = STE_BYTES("INVMSGSG");
    send_messages(expect, "d.0", 2);
    assert_true(take(expect, ack_then(0, 7, "MAC"), "R-0"));
    assert_true(take(expect, second, "R-1"));
    assert_true(take(expect, outcome(STE_REPLY_CLS, "", 0), NULL));
    assert_true(take(expect, outcome(STE_REPLY_MAC, "INVMSGSG", 7), NULL));
    assert_false(ste_expect_complete(expect));
    assert_true(take(expect, outcome(STE_REPLY_MAC, "BROKSGSG", 7), NULL));
    assert_true(ste_expect_complete(expect));
}

/* ---- the rest ---- */

static void test_words_are_noted_once(void **state)
{
    bool new = false;
    assert_ok(ste_expect_note(*state, "reply.BROKSGSG", &new, &err));
    assert_true(new);
    assert_ok(ste_expect_note(*state, "reply.BROKSGSG", &new, &err));
    assert_false(new);
    assert_ok(ste_expect_note(*state, "reply.BROKSGS", &new, &err));
    assert_true(new);
}

static void test_messages_without_reference(void **state)
{
    struct ste_expect *const expect = *state;
    struct ste_message refused = {.type = STE_TYPE_EXC};
    assert_ok(ste_expect_delivery(expect, STE_BYTES("d.0"), &refused, 1, &err));
    assert_false(ste_expect_complete(expect));
    assert_true(take(expect, answer(STE_REPLY_EXC, "d.0", 0), NULL));
    assert_true(ste_expect_complete(expect));
}

static void test_an_endless_reference(void **state)
{
    static char text[1000];
    struct ste_expect *const expect = *state;
    struct ste_message message = {.type = STE_TYPE_EXC};
    struct ste_bytes known = {0};
    const struct ste_reply exc = answer(STE_REPLY_EXC, "d.0", 0);
    bool show = false;
    memset(text, 'r', sizeof(text));
    message.fields[STE_F_REFERENCE].value = (struct ste_bytes){text, sizeof(text)};
    assert_ok(ste_expect_delivery(expect, STE_BYTES("d.0"), &message, 1, &err));
    assert_ok(ste_expect_take(expect, &exc, &show, &known, &err));
    assert_true(show);
    assert_int_equal(known.len, 255);
}

static void test_many(void **state)
{
    struct ste_expect *const expect = *state;
    char id[16];
    for (int i = 0; i < 5000; i++) {
        snprintf(id, sizeof(id), "d.%d", i);
        send_messages(expect, id, 2);
    }
    for (int i = 4999; i >= 0; i--) {
        snprintf(id, sizeof(id), "d.%d", i);
        assert_false(ste_expect_complete(expect));
        assert_true(take(expect, answer(STE_REPLY_ACK, id, 1), "R-1"));
        assert_true(take(expect, answer(STE_REPLY_ACK, id, 0), "R-0"));
    }
    assert_true(ste_expect_complete(expect));
    assert_int_equal(ste_expect_summary(expect)->ack, 10000);
}

static void test_outcomes_of_other_trades_are_not_ours(void **state)
{
    struct ste_expect *const expect = *state;
    const enum ste_reply_kind kinds[] = {STE_REPLY_MAC, STE_REPLY_NMA, STE_REPLY_CLS};
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        struct ste_reply foreign = outcome(kinds[i], "BROKSGSG", 1);
        foreign.trade_key = STE_BYTES(FOREIGN_KEY);
        assert_false(take(expect, foreign, NULL));
        assert_true(take(expect, outcome(kinds[i], "BROKSGSG", 1), NULL));
    }
    assert_int_equal(ste_expect_summary(expect)->mac, 1);
    assert_int_equal(ste_expect_summary(expect)->nma, 1);
    assert_int_equal(ste_expect_summary(expect)->cls, 1);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, open_expect, close_expect)
    const struct CMUnitTest tests[] = {
        TEST(test_outcomes_of_other_trades_are_not_ours),
        TEST(test_nothing_sent_is_complete),
        TEST(test_every_message_needs_its_answer),
        TEST(test_two_deliveries),
        TEST(test_answers_that_are_not_ours),
        TEST(test_a_repetition_is_counted_apart),
        TEST(test_a_refused_delivery_answers_the_rest),
        TEST(test_one_message_refused_is_not_the_rest),
        TEST(test_what_an_ack_announces_is_waited_for),
        TEST(test_an_outcome_may_come_first),
        TEST(test_an_older_outcome_does_not_count),
        TEST(test_a_mac_brings_the_clearing_message),
        TEST(test_one_clearing_line_a_version),
        TEST(test_one_clearing_message_for_two_that_wait),
        TEST(test_words_are_noted_once),
        TEST(test_messages_without_reference),
        TEST(test_an_endless_reference),
        TEST(test_many),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
