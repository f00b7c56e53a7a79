/* SPDX-License-Identifier: Apache-2.0
 * The order of the checks: refusals, identity, what the state refuses, and what an ACK says. */
#include "node/rules/fixture.h"

#include <stdio.h>
#include <string.h>

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

static const char *const names[] = {"NOE", "ALB-1", "ALB-2", "NPR-1", "NPR-2", "SET-1", "SET-2"};

static void send_all(struct ste_fixture *fixture)
{
    for (size_t i = 0; i < 7; i++)
        ste_fixture_send(fixture, ste_fixture_record(fixture, names[i], NULL));
}

static const struct ste_finding missing = {
    .code = STE_C_XMIS,
    .level = STE_LEVEL_REJECT,
    .element = {"Price", 5},
    .place = {"Price", 5},
    .text = {"element is missing", 18},
};
static const struct ste_finding warning = {
    .code = STE_C_XUNK, .level = STE_LEVEL_WARN, .element = {"Colour", 6}, .place = {"3:5", 3}};

static void decide_alone(struct ste_fixture *fixture, const struct ste_record *record,
                         const struct ste_checked *checked)
{
    assert_int_equal(
        ste_decide(&fixture->rules, NULL, NULL, 0, record, NULL, checked, &fixture->effects, NULL),
        STE_OK);
}

static void test_ack(void **state)
{
    struct ste_fixture *fixture = *state;
    struct ste_finding findings[] = {warning};
    const struct ste_checked checked = {.findings = findings, .finding_count = 1};
    struct ste_record *record = ste_fixture_record(fixture, "NOE", NULL);
    record->message.index = 17;
    ste_fixture_send_checked(fixture, record, &checked);
    const struct ste_reply *ack = ste_fixture_reply(fixture, STE_REPLY_ACK, 0);
    assert_int_equal(fixture->effects.reply_count, 1);
    ste_assert_text(ack->to, "BROKSGSG");
    ste_assert_text(ack->delivery, "delivery-1");
    ste_assert_text(ack->trade_reference, "SGX20261130000123");
    ste_assert_text(ack->trade_key, "69be3502f79f1528f9ffb5adbdf2f779");
    ste_assert_text(ack->references[0], "B-N");
    ste_assert_text(ack->then, "");
    assert_true(ack->has_index);
    assert_int_equal(ack->index, 17);
    assert_int_equal(ack->code, STE_C_NONE);
    assert_int_equal(ack->trade_version, 1);
    assert_int_equal(ack->reason_count, 1);
    ste_assert_text(ack->reasons[0].level, "warn");
    assert_int_equal(fixture->effects.message_count, 1);
    assert_ptr_equal(fixture->effects.messages[0].record, record);
    assert_int_equal(fixture->effects.exception_count, 0);
}

static void test_exc_goes_to_the_signer(void **state)
{
    struct ste_fixture *fixture = *state;
    const struct ste_checked none = {0};
    struct ste_record *record = ste_fixture_record(fixture, "NOE", NULL);
    record->message.exc = missing;
    record->message.type = STE_TYPE_EXC;
    decide_alone(fixture, record, &none);
    const struct ste_reply *exc = ste_fixture_reply(fixture, STE_REPLY_EXC, 0);
    ste_assert_text(exc->to, "STEHSGSG");
    ste_assert_text(exc->reasons[0].place, "Price");
    assert_int_equal(exc->reasons[0].code, STE_C_XMIS);
    assert_int_equal(fixture->effects.exception_count, 1);
    assert_false(fixture->effects.exceptions[0].is_rej);
    assert_int_equal(fixture->effects.exceptions[0].code, STE_C_XMIS);
    record->signer = (struct ste_bytes){NULL, 0};
    decide_alone(fixture, record, &none);
    assert_int_equal(fixture->effects.exception_count, 2);
    assert_int_equal(fixture->effects.reply_count, 1); /* nobody is told */
}

static void test_unsupported_is_told_alone(void **state)
{
    struct ste_fixture *fixture = *state;
    struct ste_finding unsupported = {
        .code = STE_C_XFUN, .level = STE_LEVEL_REJECT, .place = STE_BYTES("1:1")};
    const struct ste_checked checked = {
        .findings = &unsupported, .finding_count = 1, .rejected = true, .unsupported = true};
    decide_alone(fixture, ste_fixture_record(fixture, "NOE", NULL), &checked);
    const struct ste_reply *rej = ste_fixture_reply(fixture, STE_REPLY_REJ, 0);
    assert_int_equal(rej->reason_count, 1);
    assert_int_equal(rej->reasons[0].code, STE_C_XFUN);
    ste_assert_text(rej->reasons[0].place, "1:1");
    assert_int_equal(fixture->effects.exceptions[0].code, STE_C_XFUN);
    assert_true(fixture->effects.exceptions[0].is_rej);
}

static void test_rej_lists_all_findings(void **state)
{
    struct ste_fixture *fixture = *state;
    struct ste_finding findings[] = {warning, missing, missing};
    const struct ste_checked checked = {.findings = findings, .finding_count = 3, .rejected = true};
    ste_fixture_send_checked(fixture, ste_fixture_record(fixture, "SET-1", NULL), &checked);
    const struct ste_reply *rej = ste_fixture_reply(fixture, STE_REPLY_REJ, 0);
    ste_assert_text(rej->to, "CUSTSGSG");
    assert_int_equal(rej->reason_count, 3);
    ste_assert_text(rej->reasons[0].level, "reject"); /* what refuses comes first */
    ste_assert_text(rej->reasons[1].level, "reject");
    ste_assert_text(rej->reasons[2].level, "warn");
    assert_int_equal(fixture->effects.exceptions[0].code, STE_C_XMIS);
    assert_int_equal(fixture->effects.exceptions[0].finding_count, 3);
    assert_true(ste_trade_is_empty(fixture->trade));
    assert_false(ste_trade_changed(fixture->trade));
    /* A refused message does not use up its reference. */
    ste_fixture_send(fixture, ste_fixture_record(fixture, "SET-1", NULL));
    assert_int_equal(ste_fixture_count(fixture, STE_REPLY_ACK), 1);
}

static void test_duplicate(void **state)
{
    struct ste_fixture *fixture = *state;
    struct ste_finding findings[] = {warning, missing};
    const struct ste_checked checked = {.findings = findings, .finding_count = 2, .rejected = true};
    send_all(fixture);
    size_t before = fixture->effects.reply_count;
    /* Content first: what the checks say today does not count. */
    ste_fixture_send_checked(
        fixture, ste_fixture_record(fixture, "SET-2", "CreatedAt=2026-11-30T10:00:00Z", NULL),
        &checked);
    assert_int_equal(fixture->effects.reply_count, before + 1);
    const struct ste_reply *dupl = &fixture->effects.replies[before];
    assert_int_equal(dupl->kind, STE_REPLY_ACK);
    assert_int_equal(dupl->code, STE_C_DUPL);
    ste_assert_text(dupl->then, "");
    assert_int_equal(dupl->reason_count, 1);
    assert_int_equal(fixture->effects.duplicate_count, 1);
    assert_int_equal(fixture->effects.message_count, 7);
    assert_int_equal(fixture->effects.exception_count, 0);
    assert_int_equal(fixture->effects.clearing_count, 1);
}

static void test_repetition_inside_the_engine(void **state)
{
    struct ste_fixture *fixture = *state;
    struct ste_record *record = ste_fixture_record(fixture, "NOE", NULL);
    ste_fixture_send(fixture, record);
    ste_fixture_send(fixture, record);
    assert_int_equal(fixture->effects.reply_count, 1);
    assert_int_equal(fixture->effects.duplicate_count, 1);
    assert_int_equal(ste_trade_version(fixture->trade), 1);
    record->message.index = 1; /* another message of that delivery */
    ste_fixture_send(fixture, record);
    assert_int_equal(ste_fixture_reply(fixture, STE_REPLY_ACK, 1)->code, STE_C_DUPL);
}

static void test_reference_with_other_content(void **state)
{
    struct ste_fixture *fixture = *state;
    ste_fixture_send(fixture, ste_fixture_record(fixture, "NOE", NULL));
    ste_fixture_send(fixture, ste_fixture_record(fixture, "NOE", "Price=37.53", NULL));
    const struct ste_reply *exc = ste_fixture_reply(fixture, STE_REPLY_EXC, 0);
    ste_assert_text(exc->to, "STEHSGSG");
    assert_int_equal(exc->reasons[0].code, STE_C_REFE);
    ste_assert_text(exc->reasons[0].element, "Reference");
    ste_assert_text(exc->references[0], "B-N");
    assert_int_equal(fixture->effects.exceptions[0].code, STE_C_REFE);
    assert_int_equal(fixture->effects.message_count, 1);
    /* The first stands, and the same reference of another sender is another message. */
    ste_fixture_send(fixture, ste_fixture_record(fixture, "SET-1", "Reference=B-N", NULL));
    assert_int_equal(fixture->effects.message_count, 2);
}

static void test_place_taken_names_the_holder(void **state)
{
    struct ste_fixture *fixture = *state;
    send_all(fixture);
    ste_fixture_send(fixture, ste_fixture_record(fixture, "SET-1", "Reference=C-OTHER",
                                                 "Sender=CUSBSGSG", NULL));
    ste_fixture_send(fixture, ste_fixture_record(fixture, "NOE", "Reference=B-OTHER", NULL));
    const struct ste_reply *set = ste_fixture_reply(fixture, STE_REPLY_REJ, 0);
    const struct ste_reply *noe = ste_fixture_reply(fixture, STE_REPLY_REJ, 1);
    assert_int_equal(set->reasons[0].code, STE_C_PODU);
    ste_assert_text(set->to, "CUSBSGSG");
    ste_assert_text(set->reasons[0].text, "the place is held by CUSTSGSG with reference C-S1");
    ste_assert_text(set->reasons[0].element, "Account");
    ste_assert_text(noe->reasons[0].element, "TradeReference");
    ste_assert_text(noe->reasons[0].text, "the place is held by BROKSGSG with reference B-N");
    assert_int_equal(fixture->effects.clearing_count, 1);
    assert_int_equal(ste_fixture_count(fixture, STE_REPLY_NMA), 0);
}

static void test_allocation_after_clearing_is_late(void **state)
{
    struct ste_fixture *fixture = *state;
    send_all(fixture);
    ste_fixture_send(
        fixture, ste_fixture_record(fixture, "ALB-1", "Reference=M-A3", "Account=SAFE-0003", NULL));
    const struct ste_reply *rej = ste_fixture_reply(fixture, STE_REPLY_REJ, 0);
    assert_int_equal(rej->reasons[0].code, STE_C_LATE);
    ste_assert_text(rej->reasons[0].element, "Account");
    /* A taken place is a taken place, even then. */
    ste_fixture_send(fixture, ste_fixture_record(fixture, "ALB-1", "Reference=M-A4", NULL));
    assert_int_equal(ste_fixture_reply(fixture, STE_REPLY_REJ, 1)->reasons[0].code, STE_C_PODU);
}

static void test_the_201st_account(void **state)
{
    struct ste_fixture *fixture = *state;
    static const enum ste_type types[] = {STE_TYPE_ALB, STE_TYPE_NPR, STE_TYPE_SET};
    for (int i = 1; i <= STE_ACCOUNTS_MAX + 1; i++) {
        char account[32];
        snprintf(account, sizeof(account), "A-%03d", i);
        ste_fixture_send(fixture, ste_fixture_leg_record(fixture, types[i % 3], account, "1", "1"));
    }
    assert_int_equal(ste_fixture_count(fixture, STE_REPLY_ACK), STE_ACCOUNTS_MAX);
    const struct ste_reply *rej = ste_fixture_reply(fixture, STE_REPLY_REJ, 0);
    assert_int_equal(rej->reasons[0].code, STE_C_XLIM);
    ste_assert_text(rej->reasons[0].element, "Account");
    /* Accounts that are there take more messages. */
    ste_fixture_send(fixture, ste_fixture_leg_record(fixture, STE_TYPE_ALB, "A-001", "1", "1"));
    assert_int_equal(ste_fixture_count(fixture, STE_REPLY_ACK), STE_ACCOUNTS_MAX + 1);
}

static void test_the_state_has_a_limit(void **state)
{
    struct ste_fixture *fixture = *state;
    ste_fixture_send(fixture, ste_fixture_record(fixture, "NOE", NULL));
    struct ste_record *record = ste_fixture_record(fixture, "ALB-1", NULL);
    fixture->trade->limit_bytes =
        fixture->trade->size_bytes + ste_trade_cost_bytes(&record->message) - 1;
    ste_fixture_send(fixture, record);
    assert_int_equal(ste_fixture_reply(fixture, STE_REPLY_REJ, 0)->reasons[0].code, STE_C_XLIM);
    fixture->trade->limit_bytes++;
    ste_fixture_send(fixture, record);
    assert_int_equal(ste_fixture_count(fixture, STE_REPLY_ACK), 2);
}

static void test_colliding_keys_are_no_merge(void **state)
{
    struct ste_fixture *fixture = *state;
    ste_fixture_send(fixture, ste_fixture_record(fixture, "NOE", NULL));
    fixture->trade->identity = STE_BYTES("OTHER|BROKSGSG|INVMSGSG|2026-11-30");
    ste_fixture_send(fixture, ste_fixture_record(fixture, "ALB-1", NULL));
    const struct ste_reply *exc = ste_fixture_reply(fixture, STE_REPLY_EXC, 0);
    assert_int_equal(exc->reasons[0].code, STE_C_XCOL);
    ste_assert_text(exc->to, "STEHSGSG");
    assert_int_equal(fixture->effects.message_count, 1);
    assert_int_equal(fixture->effects.exceptions[0].code, STE_C_XCOL);
}

static void test_replies_are_filtered(void **state)
{
    struct ste_fixture *fixture = *state;
    const struct ste_bytes some = STE_BYTES("MGQESGSG"), none = STE_BYTES("CUNOSGSG"),
                           all = STE_BYTES("BROKSGSG"), stranger = STE_BYTES("NOBODY22");
    static const enum ste_reply_kind kinds[] = {STE_REPLY_ACK, STE_REPLY_MAC, STE_REPLY_CLS,
                                                STE_REPLY_REJ, STE_REPLY_EXC, STE_REPLY_NMA};
    for (size_t i = 0; i < 6; i++) {
        assert_true(ste_reply_wanted(&fixture->rules, all, kinds[i]));
        assert_true(ste_reply_wanted(&fixture->rules, stranger, kinds[i]));
        assert_int_equal(ste_reply_wanted(&fixture->rules, some, kinds[i]), i >= 3);
        assert_false(ste_reply_wanted(&fixture->rules, none, kinds[i]));
    }
}

static void test_then_says_what_follows(void **state)
{
    struct ste_fixture *fixture = *state;
    for (size_t i = 0; i < 6; i++)
        ste_fixture_send(fixture, ste_fixture_record(fixture, names[i], NULL));
    ste_fixture_send(fixture, ste_fixture_record(fixture, "SET-2", "Account=SAFE-0003", NULL));
    ste_assert_text(ste_fixture_reply(fixture, STE_REPLY_ACK, 6)->then, "NMA");
    ste_fixture_send(fixture, ste_fixture_record(fixture, "SET-2", "Reference=C-S9", NULL));
    ste_assert_text(ste_fixture_reply(fixture, STE_REPLY_ACK, 7)->then, "MAC");
    for (size_t i = 0; i < 6; i++)
        ste_assert_text(ste_fixture_reply(fixture, STE_REPLY_ACK, i)->then, "");
    assert_int_equal(ste_trade_status_of(fixture->trade), STE_TRADE_CLEARED);
}

static void test_status(void **state)
{
    struct ste_fixture *fixture = *state;
    ste_fixture_send(fixture, ste_fixture_record(fixture, "NOE", NULL));
    assert_int_equal(ste_trade_status_of(fixture->trade), STE_TRADE_OPEN);
    ste_fixture_send(fixture, ste_fixture_record(fixture, "ALB-1", "Quantity=1001", NULL));
    assert_int_equal(ste_trade_status_of(fixture->trade), STE_TRADE_UNMATCHED);
}

#define TEST(name) cmocka_unit_test_setup(name, ste_fixture_begin)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_ack),
        TEST(test_exc_goes_to_the_signer),
        TEST(test_unsupported_is_told_alone),
        TEST(test_rej_lists_all_findings),
        TEST(test_duplicate),
        TEST(test_repetition_inside_the_engine),
        TEST(test_reference_with_other_content),
        TEST(test_place_taken_names_the_holder),
        TEST(test_allocation_after_clearing_is_late),
        TEST(test_the_201st_account),
        TEST(test_the_state_has_a_limit),
        TEST(test_colliding_keys_are_no_merge),
        TEST(test_replies_are_filtered),
        TEST(test_then_says_what_follows),
        TEST(test_status),
    };
    return cmocka_run_group_tests(tests, ste_fixture_open, ste_fixture_close);
}
