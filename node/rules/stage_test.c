/* SPDX-License-Identifier: Apache-2.0
 * What BLOCK, LEG, ACCOUNT and KEY compare, whom they tell, and when they say it again. */
#include "node/rules/fixture.h"

#include <string.h>

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

static const char *const names[] = {"NOE", "ALB-1", "ALB-2", "NPR-1", "NPR-2", "SET-1", "SET-2"};

static void send(struct ste_fixture *fixture, const char *name, const char *change)
{
    ste_fixture_send(fixture, ste_fixture_record(fixture, name, change, NULL));
}

static void send_but(struct ste_fixture *fixture, const char *left_out)
{
    for (size_t i = 0; i < 7; i++)
        if (strcmp(names[i], left_out) != 0)
            send(fixture, names[i], NULL);
}

static void assert_value(const struct ste_reply_value *value, const char *text, const char *sender,
                         const char *reference)
{
    ste_assert_text(value->value, text);
    ste_assert_text(value->sender, sender);
    ste_assert_text(value->reference, reference);
}

/* ---- BLOCK ---- */

static void test_block_waits_for_the_allocations(void **state)
{
    struct ste_fixture *fixture = *state;
    send(fixture, "NOE", "Price=40");
    send(fixture, "ALB-1", NULL);
    assert_int_equal(ste_fixture_count(fixture, STE_REPLY_NMA), 0);
    send(fixture, "ALB-2", NULL);
    assert_int_equal(ste_fixture_count(fixture, STE_REPLY_NMA), 2);
    const struct ste_reply *nma = ste_fixture_nma(fixture, "BLOCK", "", "INVMSGSG");
    assert_non_null(nma);
    assert_int_equal(nma->reason_count, 1);
    assert_int_equal(nma->reasons[0].code, STE_C_DDEA);
    ste_assert_text(nma->reasons[0].element, "Price");
    ste_assert_text(nma->reasons[0].level, "differs");
    ste_assert_text(nma->reasons[0].text, "price differs");
    assert_int_equal(nma->reasons[0].value_count, 3);
    assert_value(&nma->reasons[0].values[0], "37.52", "INVMSGSG", "M-A1");
    assert_value(&nma->reasons[0].values[1], "37.52", "INVMSGSG", "M-A2");
    assert_value(&nma->reasons[0].values[2], "40", "BROKSGSG", "B-N");
    assert_int_equal(nma->reference_count, 2);
    ste_assert_text(nma->references[0], "M-A1");
    nma = ste_fixture_nma(fixture, "BLOCK", "", "BROKSGSG");
    assert_int_equal(nma->reference_count, 1);
    ste_assert_text(nma->references[0], "B-N");
}

static void test_too_much_allocated(void **state)
{
    struct ste_fixture *fixture = *state;
    send(fixture, "NOE", NULL);
    send(fixture, "ALB-1", NULL);
    send(fixture, "ALB-2", "Quantity=400.5");
    const struct ste_reply *nma = ste_fixture_nma(fixture, "BLOCK", "", "BROKSGSG");
    assert_int_equal(nma->reasons[0].code, STE_C_DQUA);
    ste_assert_text(nma->reasons[0].text, "allocations sum to 1000.5 of 1000");
    assert_int_equal(nma->reasons[0].value_count, 3);
    assert_value(&nma->reasons[0].values[0], "1000", "BROKSGSG", "B-N");
    assert_value(&nma->reasons[0].values[1], "400.5", "INVMSGSG", "M-A2");
    assert_value(&nma->reasons[0].values[2], "600", "INVMSGSG", "M-A1");
    /* One more allocation: another NMA, for the values are others. */
    ste_fixture_send(fixture, ste_fixture_record(fixture, "ALB-1", "Reference=M-A3",
                                                 "Account=SAFE-0003", "Quantity=1", NULL));
    assert_int_equal(ste_fixture_count(fixture, STE_REPLY_NMA), 4);
}

static void test_units_are_shown_where_they_differ(void **state)
{
    struct ste_fixture *fixture = *state;
    send(fixture, "NOE", NULL);
    send(fixture, "ALB-1", "Quantity@unit=FAMT");
    send(fixture, "ALB-2", NULL);
    const struct ste_reply *nma = ste_fixture_nma(fixture, "BLOCK", "", "BROKSGSG");
    assert_int_equal(nma->reason_count, 1);
    assert_int_equal(nma->reasons[0].code, STE_C_DQUA);
    ste_assert_text(nma->reasons[0].text, "units of the quantities differ");
    assert_value(&nma->reasons[0].values[0], "1000 UNIT", "BROKSGSG", "B-N");
    assert_value(&nma->reasons[0].values[1], "400 UNIT", "INVMSGSG", "M-A2");
    assert_value(&nma->reasons[0].values[2], "600 FAMT", "INVMSGSG", "M-A1");
}

/* ---- LEG ---- */

static void test_leg_needs_the_notice(void **state)
{
    struct ste_fixture *fixture = *state;
    for (size_t i = 1; i < 7; i++)
        send(fixture, names[i], i == 6 ? "Direction=SELL" : NULL);
    assert_int_equal(ste_fixture_count(fixture, STE_REPLY_NMA), 0);
    send(fixture, "NOE", NULL);
    const struct ste_reply *nma = ste_fixture_nma(fixture, "LEG", "SAFE-0002", "CUSBSGSG");
    assert_non_null(nma);
    assert_int_equal(nma->reasons[0].code, STE_C_DELN);
    ste_assert_text(nma->reasons[0].account, "SAFE-0002");
    assert_null(ste_fixture_nma(fixture, "LEG", "SAFE-0001", "CUSTSGSG"));
    assert_int_equal(ste_fixture_count(fixture, STE_REPLY_NMA), 3);
}

static void test_leg_is_judged_before_the_block_is_whole(void **state)
{
    struct ste_fixture *fixture = *state;
    send(fixture, "NOE", NULL);
    send(fixture, "ALB-1", NULL);
    send(fixture, "NPR-1", NULL);
    send(fixture, "SET-1", "ReceivingAgent=CUSBSGSG");
    assert_int_equal(ste_fixture_count(fixture, STE_REPLY_NMA), 0); /* only the SET names it */
    send(fixture, "ALB-2", "ReceivingAgent=CUSTSGSG");
    send(fixture, "NPR-2", NULL);
    send(fixture, "SET-2", NULL);
    assert_int_equal(ste_fixture_nma(fixture, "LEG", "SAFE-0002", "INVMSGSG")->reasons[0].code,
                     STE_C_REAG);
}

static void test_currency_differs_then_amounts_are_not_compared(void **state)
{
    struct ste_fixture *fixture = *state;
    send_but(fixture, "SET-2");
    ste_fixture_send(fixture, ste_fixture_record(fixture, "SET-2", "SettlementAmount=1",
                                                 "SettlementAmount@currency=USD", NULL));
    const struct ste_reply *nma = ste_fixture_nma(fixture, "LEG", "SAFE-0002", "BROKSGSG");
    assert_int_equal(nma->reason_count, 1);
    assert_int_equal(nma->reasons[0].code, STE_C_NCRR);
    ste_assert_text(nma->reasons[0].element, "SettlementCurrency");
    assert_int_equal(nma->reasons[0].value_count, 4); /* the NOE's too */
    assert_value(&nma->reasons[0].values[0], "SGD", "BROKSGSG", "B-N");
    assert_value(&nma->reasons[0].values[3], "USD", "CUSBSGSG", "C-S2");
    assert_int_equal(nma->reference_count, 2);
    ste_assert_text(nma->references[0], "B-N");
    ste_assert_text(nma->references[1], "B-P2");
}

static void test_free_leaves_money_out(void **state)
{
    struct ste_fixture *fixture = *state;
    send_but(fixture, "SET-2");
    ste_fixture_send(fixture,
                     ste_fixture_record(fixture, "SET-2", "SettlementAmount=1",
                                        "SettlementAmount@currency=USD", "Payment=FREE", NULL));
    const struct ste_reply *nma = ste_fixture_nma(fixture, "LEG", "SAFE-0002", "BROKSGSG");
    assert_int_equal(nma->reason_count, 1);
    assert_int_equal(nma->reasons[0].code, STE_C_FRAP);
}

static void test_free_of_the_notice_does_not_count_in_the_leg(void **state)
{
    struct ste_fixture *fixture = *state;
    send(fixture, "NOE", "Payment=FREE");
    send_but(fixture, "NOE");
    assert_null(ste_fixture_nma(fixture, "LEG", "SAFE-0001", "CUSTSGSG"));
    assert_int_equal(ste_fixture_nma(fixture, "BLOCK", "", "INVMSGSG")->reasons[0].code,
                     STE_C_FRAP);
    ste_fixture_clear(fixture);
    send(fixture, "NOE", "Payment=FREE");
    send(fixture, "ALB-1", NULL);
    send(fixture, "NPR-1", NULL);
    send(fixture, "SET-1", "SettlementAmount=1");
    assert_int_equal(ste_fixture_nma(fixture, "LEG", "SAFE-0001", "CUSTSGSG")->reasons[0].code,
                     STE_C_DMON);
}

static void test_several_differences_in_the_order_of_the_table(void **state)
{
    struct ste_fixture *fixture = *state;
    send_but(fixture, "SET-1");
    ste_fixture_send(fixture, ste_fixture_record(fixture, "SET-1", "SettlementAmount=1",
                                                 "Quantity=599", "Instrument=SG1S04926220",
                                                 "Direction=SELL", "SettlementDate=2026-12-04",
                                                 "Price=37.53", "Price@type=ACTU", NULL));
    const struct ste_reply *nma = ste_fixture_nma(fixture, "LEG", "SAFE-0001", "CUSTSGSG");
    static const enum ste_msg_code codes[] = {STE_C_DELN, STE_C_DSEC, STE_C_DDAT,
                                              STE_C_DQUA, STE_C_DDEA, STE_C_DMON};
    assert_int_equal(nma->reason_count, 6);
    for (size_t i = 0; i < 6; i++)
        assert_int_equal(nma->reasons[i].code, codes[i]);
}

/* ---- ACCOUNT ---- */

static void test_stray_messages_are_told_to_sender_and_manager(void **state)
{
    struct ste_fixture *fixture = *state;
    send(fixture, "SET-2", "Account=SAFE-0009");
    send(fixture, "NPR-2", "Account=SAFE-0009");
    send(fixture, "NOE", NULL);
    send(fixture, "ALB-1", NULL);
    assert_int_equal(ste_fixture_count(fixture, STE_REPLY_NMA), 0);
    send(fixture, "ALB-2", NULL);
    assert_int_equal(ste_fixture_count(fixture, STE_REPLY_NMA), 4);
    const struct ste_reply *nma = ste_fixture_nma(fixture, "ACCOUNT", "SAFE-0009", "CUSBSGSG");
    assert_int_equal(nma->reasons[0].code, STE_C_SAFE);
    ste_assert_text(nma->reasons[0].element, "Account");
    assert_int_equal(nma->reasons[0].value_count, 1);
    assert_value(&nma->reasons[0].values[0], "SAFE-0009", "CUSBSGSG", "C-S2");
    ste_assert_text(nma->references[0], "C-S2");
    assert_non_null(ste_fixture_nma(fixture, "ACCOUNT", "SAFE-0009", "BROKSGSG"));
    assert_int_equal(ste_fixture_nma(fixture, "ACCOUNT", "SAFE-0009", "INVMSGSG")->reference_count,
                     0);
}

static void test_stray_of_the_manager_is_told_once(void **state)
{
    struct ste_fixture *fixture = *state;
    send(fixture, "NOE", NULL);
    send(fixture, "ALB-1", NULL);
    send(fixture, "ALB-2", NULL);
    ste_fixture_send(fixture, ste_fixture_record(fixture, "SET-1", "Account=SAFE-0009",
                                                 "Sender=INVMSGSG", NULL));
    assert_int_equal(ste_fixture_count(fixture, STE_REPLY_NMA), 1);
    ste_assert_text(ste_fixture_reply(fixture, STE_REPLY_NMA, 0)->references[0], "C-S1");
}

static void test_strays_block_nothing(void **state)
{
    struct ste_fixture *fixture = *state;
    ste_fixture_send(fixture, ste_fixture_record(fixture, "SET-1", "Account=SAFE-0009",
                                                 "Reference=C-S9", "Sender=CUSTGB2L", NULL));
    send_but(fixture, "");
    assert_int_equal(fixture->effects.clearing_count, 1);
    assert_int_equal(ste_fixture_count(fixture, STE_REPLY_MAC), 5); /* the stray's sender too */
    assert_int_equal(fixture->effects.clearings[0].leg_count, 2);
    assert_int_equal(fixture->effects.clearings[0].reference_count, 7);
}

/* ---- KEY ---- */

static struct ste_trade *other_trade(struct ste_fixture *fixture, const char *name,
                                     const char *change)
{
    send(fixture, name, change);
    struct ste_trade *other = fixture->trade;
    fixture->trade = NULL;
    fixture->sibling = other;
    fixture->effects.reply_count = 0;
    return other;
}

static void test_key_names_the_date(void **state)
{
    struct ste_fixture *fixture = *state;
    other_trade(fixture, "NOE", NULL);
    send(fixture, "SET-1", "TradeDate=2026-11-27");
    assert_int_equal(ste_fixture_count(fixture, STE_REPLY_NMA), 3); /* broker, manager, custodian */
    const struct ste_reply *nma = ste_fixture_nma(fixture, "KEY", "", "CUSTSGSG");
    assert_int_equal(nma->reason_count, 1);
    assert_int_equal(nma->reasons[0].code, STE_C_DTRD);
    assert_int_equal(nma->reasons[0].value_count, 2);
    assert_value(&nma->reasons[0].values[0], "2026-11-27", "CUSTSGSG", "C-S1");
    assert_value(&nma->reasons[0].values[1], "2026-11-30", "BROKSGSG", "B-N");
    ste_assert_text(nma->references[0], "C-S1");
    ste_assert_text(ste_fixture_reply(fixture, STE_REPLY_ACK, 0)->then, "NMA");
    assert_int_equal(ste_trade_status_of(fixture->trade), STE_TRADE_OPEN); /* it changes nothing */
    /* Only the first message of a trade meets its siblings. */
    send(fixture, "SET-2", "TradeDate=2026-11-27");
    assert_int_equal(ste_fixture_count(fixture, STE_REPLY_NMA), 3);
}

static void test_key_tells_only_those_they_share(void **state)
{
    struct ste_fixture *fixture = *state;
    other_trade(fixture, "NOE", NULL);
    ste_fixture_send(
        fixture, ste_fixture_record(fixture, "NOE", "Broker=BROKGB2LXXX", "Sender=BROKGB2L", NULL));
    assert_int_equal(ste_fixture_count(fixture, STE_REPLY_NMA), 1);
    const struct ste_reply *nma = ste_fixture_nma(fixture, "KEY", "", "INVMSGSG");
    assert_int_equal(nma->reasons[0].code, STE_C_IEXE);
    ste_assert_text(nma->reasons[0].element, "Broker");
    assert_value(&nma->reasons[0].values[0], "BROKGB2LXXX", "BROKGB2L", "B-N");
    assert_value(&nma->reasons[0].values[1], "BROKSGSG", "BROKSGSG", "B-N");
}

static void test_key_of_two_strangers_tells_nobody(void **state)
{
    struct ste_fixture *fixture = *state;
    other_trade(fixture, "NOE", NULL);
    ste_fixture_send(fixture, ste_fixture_record(fixture, "NOE", "Broker=BROKGB2L",
                                                 "Sender=BROKGB2L", "Manager=INVMGB2L", NULL));
    assert_int_equal(ste_fixture_count(fixture, STE_REPLY_NMA), 0);
}

static void test_key_reference_text_and_manager(void **state)
{
    struct ste_fixture *fixture = *state;
    other_trade(fixture, "NOE", NULL);
    ste_fixture_send(fixture,
                     ste_fixture_record(fixture, "NOE", "TradeReference=sgx 20261130000123",
                                        "Manager=INVMGB2L", NULL));
    const struct ste_reply *nma = ste_fixture_nma(fixture, "KEY", "", "BROKSGSG");
    assert_int_equal(ste_fixture_count(fixture, STE_REPLY_NMA), 1);
    assert_int_equal(nma->reason_count, 2);
    assert_int_equal(nma->reasons[0].code, STE_C_IIND);
    assert_value(&nma->reasons[0].values[1], "sgx 20261130000123", "BROKSGSG", "B-N");
    assert_int_equal(nma->reasons[1].code, STE_C_INVE);
}

static void test_key_not_beyond_seven_days_nor_beside_a_live_cls(void **state)
{
    struct ste_fixture *fixture = *state;
    struct ste_trade *other = other_trade(fixture, "NOE", NULL);
    send(fixture, "SET-1", "TradeDate=2026-11-22"); /* eight days */
    assert_int_equal(ste_fixture_count(fixture, STE_REPLY_NMA), 0);
    struct ste_trade *early = fixture->trade;
    fixture->trade = NULL;
    fixture->sibling = early;
    send(fixture, "SET-2", NULL); /* eight days the other way round */
    assert_int_equal(ste_fixture_count(fixture, STE_REPLY_NMA), 0);
    fixture->trade = NULL;
    fixture->sibling = other;
    send(fixture, "SET-1", "TradeDate=2026-11-23"); /* seven */
    assert_int_equal(ste_fixture_count(fixture, STE_REPLY_NMA), 3);
    fixture->trade = NULL;
    fixture->effects.reply_count = 0;
    struct ste_clearing live = {.version = 1, .action = STE_CLEARING_NEWM};
    other->clearings = &live;
    other->clearing_count = 1;
    send(fixture, "SET-1", "TradeDate=2026-11-27");
    assert_int_equal(ste_fixture_count(fixture, STE_REPLY_NMA), 0);
    live.action = STE_CLEARING_CANC;
    fixture->trade = NULL;
    send(fixture, "SET-1", "TradeDate=2026-11-27");
    assert_int_equal(ste_fixture_count(fixture, STE_REPLY_NMA), 3);
}

/* ---- not said twice ---- */

static void test_the_same_nma_is_not_said_again(void **state)
{
    struct ste_fixture *fixture = *state;
    send_but(fixture, "SET-2");
    send(fixture, "SET-2", "SettlementDate=2026-12-03");
    assert_int_equal(ste_fixture_count(fixture, STE_REPLY_NMA), 3);
    const struct ste_checked none = {0};
    struct ste_record *record = ste_fixture_record(fixture, "SET-2", NULL);
    struct ste_decision decision = {.rules = &fixture->rules,
                                    .trade = fixture->trade,
                                    .record = record,
                                    .id = &fixture->id,
                                    .checked = &none,
                                    .effects = &fixture->effects};
    ste_stage_leg(&decision, &fixture->trade->legs[1]);
    assert_int_equal(ste_fixture_count(fixture, STE_REPLY_NMA), 3);
    fixture->trade->told[0].content64++; /* as if it had said something else */
    ste_stage_leg(&decision, &fixture->trade->legs[1]);
    ste_stage_leg(&decision, &fixture->trade->legs[1]); /* and that is what was said last */
    assert_int_equal(ste_fixture_count(fixture, STE_REPLY_NMA), 6);
}

static void test_each_leg_has_its_own_memory(void **state)
{
    struct ste_fixture *fixture = *state;
    const struct ste_checked none = {0};
    for (size_t i = 0; i < 7; i++)
        send(fixture, names[i], i >= 5 ? "SettlementDate=2026-12-03" : NULL);
    assert_int_equal(ste_fixture_count(fixture, STE_REPLY_NMA), 6);
    struct ste_decision decision = {.rules = &fixture->rules,
                                    .trade = fixture->trade,
                                    .record = ste_fixture_record(fixture, "SET-2", NULL),
                                    .id = &fixture->id,
                                    .checked = &none,
                                    .effects = &fixture->effects};
    ste_stage_leg(&decision, &fixture->trade->legs[0]);
    ste_stage_leg(&decision, &fixture->trade->legs[1]);
    assert_int_equal(ste_fixture_count(fixture, STE_REPLY_NMA), 6);
}

#define TEST(name) cmocka_unit_test_setup(name, ste_fixture_begin)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_block_waits_for_the_allocations),
        TEST(test_too_much_allocated),
        TEST(test_units_are_shown_where_they_differ),
        TEST(test_leg_needs_the_notice),
        TEST(test_leg_is_judged_before_the_block_is_whole),
        TEST(test_currency_differs_then_amounts_are_not_compared),
        TEST(test_free_leaves_money_out),
        TEST(test_free_of_the_notice_does_not_count_in_the_leg),
        TEST(test_several_differences_in_the_order_of_the_table),
        TEST(test_stray_messages_are_told_to_sender_and_manager),
        TEST(test_stray_of_the_manager_is_told_once),
        TEST(test_strays_block_nothing),
        TEST(test_key_names_the_date),
        TEST(test_key_tells_only_those_they_share),
        TEST(test_key_of_two_strangers_tells_nobody),
        TEST(test_key_reference_text_and_manager),
        TEST(test_key_not_beyond_seven_days_nor_beside_a_live_cls),
        TEST(test_the_same_nma_is_not_said_again),
        TEST(test_each_leg_has_its_own_memory),
    };
    return cmocka_run_group_tests(tests, ste_fixture_open, ste_fixture_close);
}
