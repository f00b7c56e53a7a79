/* SPDX-License-Identifier: Apache-2.0
 * What a CLS says, who gets MAC and copies, and when there is none. */
#include "node/rules/fixture.h"

#include <string.h>

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

static const char *const names[] = {"NOE", "ALB-1", "ALB-2", "NPR-1", "NPR-2", "SET-1", "SET-2"};

/* The whole trade; every message changed by `change` where it is not NULL. */
static const struct ste_reply *clear_trade(struct ste_fixture *fixture, const char *change)
{
    for (size_t i = 0; i < 7; i++)
        ste_fixture_send(fixture, ste_fixture_record(fixture, names[i], change, NULL));
    assert_int_equal(fixture->effects.clearing_count, 1);
    return &fixture->effects.clearings[0];
}

static void test_cls_says_what_was_agreed(void **state)
{
    const struct ste_reply *cls = clear_trade(*state, NULL);
    assert_int_equal(cls->kind, STE_REPLY_CLS);
    assert_int_equal(cls->version, 1);
    ste_assert_text(cls->action, "NEWM");
    ste_assert_text(cls->to, "");
    ste_assert_text(cls->trade_key, "69be3502f79f1528f9ffb5adbdf2f779");
    ste_assert_text(cls->trade_reference, "SGX20261130000123");
    ste_assert_text(cls->trade_date, "2026-11-30");
    ste_assert_text(cls->settlement_date, "2026-12-02");
    ste_assert_text(cls->direction, "BUYI");
    ste_assert_text(cls->payment, "APMT");
    ste_assert_text(cls->instrument, "SG1L01001701");
    ste_assert_text(cls->price, "37.52");
    ste_assert_text(cls->quantity, "1000");
    ste_assert_text(cls->place_of_settlement, "CDPLSGSG");
    assert_int_equal(cls->leg_count, 2);
    ste_assert_text(cls->legs[0].account, "SAFE-0001");
    ste_assert_text(cls->legs[0].settlement_amount, "22534.51");
    ste_assert_text(cls->legs[0].currency, "SGD");
    ste_assert_text(cls->legs[1].receiving_agent, "CUSBSGSG");
    assert_int_equal(cls->legs[1].reference_count, 3);
    ste_assert_text(cls->legs[1].references[0], "B-P2");
    assert_int_equal(cls->reference_count, 7);
    ste_assert_text(cls->references[0], "B-N");
    ste_assert_text(cls->references[6], "M-A2");
}

static void test_each_sender_is_told_once(void **state)
{
    struct ste_fixture *fixture = *state;
    clear_trade(fixture, NULL);
    static const char *const senders[] = {"BROKSGSG", "INVMSGSG", "CUSTSGSG", "CUSBSGSG"};
    assert_int_equal(ste_fixture_count(fixture, STE_REPLY_MAC), 4);
    assert_int_equal(ste_fixture_count(fixture, STE_REPLY_CLS), 4);
    for (size_t i = 0; i < 4; i++) {
        const struct ste_reply *mac = ste_fixture_reply(fixture, STE_REPLY_MAC, i);
        ste_assert_text(mac->to, senders[i]);
        ste_assert_text(ste_fixture_reply(fixture, STE_REPLY_CLS, i)->to, senders[i]);
        assert_int_equal(mac->version, 1);
        assert_int_equal(mac->leg_count, 2);
    }
    /* MAC: the receiver's own references; the copy: all of them. */
    const struct ste_reply *mac = ste_fixture_reply(fixture, STE_REPLY_MAC, 0);
    assert_int_equal(mac->reference_count, 3);
    ste_assert_text(mac->references[0], "B-N");
    assert_int_equal(ste_fixture_reply(fixture, STE_REPLY_CLS, 0)->reference_count, 7);
}

/* Within the tolerance the deliverer's amount counts: the broker's when the client receives. */
static void test_whose_amount_counts(void **state)
{
    struct ste_fixture *fixture = *state;
    static const char *const directions[] = {"Direction=BUYI", "Direction=SELL"};
    static const char *const wanted[] = {"22534.51", "22533.00"};
    for (size_t i = 0; i < 2; i++) {
        ste_fixture_clear(fixture);
        for (size_t j = 0; j < 7; j++)
            ste_fixture_send(fixture,
                             ste_fixture_record(fixture, names[j], directions[i],
                                                j == 5 ? "SettlementAmount=22533.00" : NULL, NULL));
        assert_int_equal(fixture->effects.clearing_count, 1);
        ste_assert_text(fixture->effects.clearings[0].legs[0].settlement_amount, wanted[i]);
    }
}

static void test_free_leg_has_no_amount(void **state)
{
    const struct ste_reply *cls = clear_trade(*state, "Payment=FREE");
    ste_assert_text(cls->payment, "FREE");
    ste_assert_text(cls->legs[0].settlement_amount, "");
    ste_assert_text(cls->legs[0].currency, "");
    ste_assert_text(cls->legs[0].commission, "");
    ste_assert_text(cls->legs[0].quantity, "600");
}

static void test_money_has_its_minor_units(void **state)
{
    struct ste_fixture *fixture = *state;
    for (size_t i = 0; i < 7; i++) {
        struct ste_record *record = ste_fixture_record(fixture, names[i], NULL);
        if (i >= 3)
            ste_fixture_set(fixture, record, "SettlementAmount=0100.5");
        ste_fixture_send(fixture, record);
    }
    assert_int_equal(fixture->effects.clearing_count, 1);
    const struct ste_reply *cls = &fixture->effects.clearings[0];
    ste_assert_text(cls->legs[0].settlement_amount, "100.50");
    ste_fixture_clear(fixture);
    for (size_t i = 0; i < 7; i++) {
        struct ste_record *record = ste_fixture_record(fixture, names[i], "Price=0040.00", NULL);
        ste_fixture_set(fixture, record, "Price@type=ACTU");
        ste_fixture_set(fixture, record, "Price@currency=JPY");
        if (i >= 3) {
            ste_fixture_set(fixture, record, "SettlementAmount=5000");
            ste_fixture_set(fixture, record, "SettlementAmount@currency=JPY");
        }
        ste_fixture_send(fixture, record);
    }
    assert_int_equal(fixture->effects.clearing_count, 1);
    cls = &fixture->effects.clearings[0];
    ste_assert_text(cls->legs[0].settlement_amount, "5000");
    ste_assert_text(cls->price, "40");
}

/* Commission in another currency than the settlement, and a leg that settles elsewhere. */
static void test_what_differs_by_leg_is_said_in_the_leg(void **state)
{
    struct ste_fixture *fixture = *state;
    for (size_t i = 0; i < 7; i++) {
        struct ste_record *record = ste_fixture_record(fixture, names[i], NULL);
        if (i == 3)
            ste_fixture_set(fixture, record, "Commission@currency=USD");
        if (i == 6)
            ste_fixture_set(fixture, record, "PlaceOfSettlement=CRSTGB22");
        ste_fixture_send(fixture, record);
    }
    assert_int_equal(fixture->effects.clearing_count, 1);
    const struct ste_reply *cls = &fixture->effects.clearings[0];
    ste_assert_text(cls->place_of_settlement, "CDPLSGSG");
    ste_assert_text(cls->legs[0].place_of_settlement, "");
    ste_assert_text(cls->legs[1].place_of_settlement, "CRSTGB22");
    ste_assert_text(cls->legs[0].currency, "SGD");
    ste_assert_text(cls->legs[0].commission_currency, "USD");
    ste_assert_text(cls->legs[1].commission_currency, "SGD");
}

/* Each message to the clearing queue takes the next number: after a cancel comes number 3. */
static void test_version_after_a_cancel(void **state)
{
    struct ste_fixture *fixture = *state;
    struct ste_clearing *before = STE_ARENA_ARRAY(fixture->arena, struct ste_clearing, 2);
    before[0] = (struct ste_clearing){.version = 1, .action = STE_CLEARING_NEWM};
    before[1] = (struct ste_clearing){.version = 2, .action = STE_CLEARING_CANC};
    ste_fixture_send(fixture, ste_fixture_record(fixture, "NOE", NULL));
    fixture->trade->clearings = before;
    fixture->trade->clearing_count = fixture->trade->clearing_capacity = 2;
    assert_int_equal(ste_trade_status_of(fixture->trade), STE_TRADE_CANCELLED);
    for (size_t i = 1; i < 7; i++)
        ste_fixture_send(fixture, ste_fixture_record(fixture, names[i], NULL));
    assert_int_equal(fixture->effects.clearing_count, 1);
    assert_int_equal(fixture->effects.clearings[0].version, 3);
}

#define TEST(name) cmocka_unit_test_setup(name, ste_fixture_begin)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_cls_says_what_was_agreed),
        TEST(test_each_sender_is_told_once),
        TEST(test_whose_amount_counts),
        TEST(test_free_leg_has_no_amount),
        TEST(test_money_has_its_minor_units),
        TEST(test_version_after_a_cancel),
        TEST(test_what_differs_by_leg_is_said_in_the_leg),
    };
    return cmocka_run_group_tests(tests, ste_fixture_open, ste_fixture_close);
}
