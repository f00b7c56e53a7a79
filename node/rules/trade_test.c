/* SPDX-License-Identifier: Apache-2.0 */
#include "node/rules/fixture.h"

#include <stdio.h>
#include <string.h>

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

static void test_empty(void **state)
{
    struct ste_fixture *fixture = *state;
    struct ste_record *record = ste_fixture_record(fixture, "NOE", NULL);
    assert_true(ste_trade_identify(&record->message, &fixture->rules.match_key, fixture->arena,
                                   &fixture->id));
    struct ste_trade *trade = ste_trade_new(fixture->arena, &fixture->id);
    struct ste_trade_columns columns;
    ste_trade_columns_of(trade, &columns);
    assert_true(ste_trade_is_empty(trade));
    assert_false(ste_trade_changed(trade));
    assert_int_equal(ste_trade_status_of(trade), STE_TRADE_EMPTY);
    assert_int_equal(ste_trade_version(trade), 0);
    assert_int_equal(columns.settlement_date, STE_DATE_NONE);
    assert_int_equal(columns.cls_version, 0);
    ste_assert_text(columns.trade_reference, "SGX20261130000123");
    assert_int_equal(trade->trade_date, fixture->rules.business_date);
}

static void test_identity_must_have_four_parts(void **state)
{
    struct ste_fixture *fixture = *state;
    static const char *const wrong[] = {"", "A|B|C", "A|B|C|2026-11-31", "A||C|2026-11-30",
                                        "A|B|C|2026-11-30|D"};
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        struct ste_trade_id id = {.identity = ste_bytes_of(wrong[i])};
        assert_null(ste_trade_new(fixture->arena, &id));
    }
}

static void test_values_are_kept_once(void **state)
{
    struct ste_fixture *fixture = *state;
    ste_fixture_send(fixture, ste_fixture_record(fixture, "NOE", NULL));
    assert_true(ste_trade_changed(fixture->trade));
    size_t count = fixture->trade->value_count;
    ste_fixture_send(fixture, ste_fixture_record(fixture, "ALB-1", NULL));
    /* New are reference, account and quantity; the sender is the manager. */
    assert_int_equal(fixture->trade->value_count, count + 3);
    const struct ste_held *held = fixture->trade->held;
    assert_int_equal(held[0].values[STE_F_PRICE], held[1].values[STE_F_PRICE]);
    assert_int_equal(held[1].values[STE_F_SENDER], held[1].values[STE_F_MANAGER]);
}

static void test_many_values_are_found_again(void **state)
{
    struct ste_fixture *fixture = *state;
    for (int i = 0; i < STE_ACCOUNTS_MAX; i++) {
        char account[32];
        snprintf(account, sizeof(account), "A-%03d", i);
        ste_fixture_send(fixture, ste_fixture_leg_record(fixture, STE_TYPE_ALB, account, "1", "1"));
    }
    const struct ste_trade *trade = fixture->trade;
    assert_int_equal(trade->leg_count, STE_ACCOUNTS_MAX);
    for (size_t i = 1; i < trade->value_count; i++)
        for (size_t j = 1; j < i; j++)
            assert_false(ste_bytes_equal(trade->values[i], trade->values[j]));
    assert_int_equal(ste_trade_leg_of(trade, STE_BYTES("A-150")), 150);
    assert_int_equal(ste_trade_leg_of(trade, STE_BYTES("A-200")), STE_NO_LEG);
    assert_int_equal(ste_wide_compare(trade->allocated, (struct ste_wide){STE_ACCOUNTS_MAX, 0}), 0);
}

static void test_what_is_not_needed_is_not_kept(void **state)
{
    struct ste_fixture *fixture = *state;
    ste_fixture_send(fixture, ste_fixture_record(fixture, "NOE", "Narrative=long text",
                                                 "CreatedAt=2026-11-30T10:00:00Z", NULL));
    assert_int_equal(fixture->trade->held[0].values[STE_F_NARRATIVE], 0);
    assert_int_equal(fixture->trade->held[0].values[STE_F_CREATED_AT], 0);
    assert_int_equal(fixture->trade->held[0].values[STE_F_TRADE_REFERENCE], 0);
    assert_int_not_equal(fixture->trade->held[0].values[STE_F_BROKER], 0);
}

static void test_rows_are_noted_in_order(void **state)
{
    struct ste_fixture *fixture = *state;
    ste_fixture_send(fixture, ste_fixture_record(fixture, "NOE", NULL));
    ste_fixture_send(fixture, ste_fixture_record(fixture, "ALB-1", NULL));
    ste_trade_message_stored(fixture->trade, 41);
    ste_trade_message_stored(fixture->trade, 42);
    ste_trade_message_stored(fixture->trade, 43); /* one too many: no harm */
    assert_int_equal(fixture->trade->seen[0].row_id, 41);
    assert_int_equal(fixture->trade->seen[1].row_id, 42);
    fixture->coded = true;
    ste_fixture_send(fixture, ste_fixture_record(fixture, "ALB-2", NULL));
    ste_trade_message_stored(fixture->trade, 44); /* of the new one, not of those before */
    fixture->coded = false;
    assert_int_equal(fixture->trade->seen[0].row_id, 41);
    assert_int_equal(fixture->trade->seen[2].row_id, 44);
}

static void test_columns_are_the_notice_s(void **state)
{
    struct ste_fixture *fixture = *state;
    struct ste_trade_columns columns;
    ste_date second = 0, third = 0;
    assert_true(ste_date_parse(STE_BYTES("2026-12-02"), &second));
    assert_true(ste_date_parse(STE_BYTES("2026-12-03"), &third));
    ste_fixture_send(fixture, ste_fixture_record(fixture, "SET-1", "SettlementDate=2026-12-03",
                                                 "Instrument=SG1S04926220", NULL));
    ste_trade_columns_of(fixture->trade, &columns);
    assert_int_equal(columns.settlement_date, third);
    ste_assert_text(columns.instrument, "SG1S04926220");
    ste_fixture_send(fixture, ste_fixture_record(fixture, "NOE", NULL));
    ste_trade_columns_of(fixture->trade, &columns);
    assert_int_equal(columns.settlement_date, second);
    ste_assert_text(columns.instrument, "SG1L01001701");
    assert_int_equal(columns.message_count, 2);
    assert_int_equal(columns.account_count, 1);
}

static void test_out_of_memory_is_told(void **state)
{
    struct ste_fixture *fixture = *state;
    const struct ste_checked good = {0};
    struct ste_record *record = ste_fixture_record(fixture, "NOE", NULL);
    ste_fixture_send(fixture, ste_fixture_record(fixture, "ALB-1", NULL));
    struct ste_error err;
    for (size_t limit = 64; limit < 3000; limit += 64) {
        struct ste_arena *small = ste_arena_new(limit);
        struct ste_trade *trade = ste_trade_new(small, &fixture->id);
        fixture->effects = (struct ste_effects){.arena = small};
        enum ste_code rc = trade ? ste_decide(&fixture->rules, trade, NULL, 0, record, &fixture->id,
                                              &good, &fixture->effects, &err)
                                 : STE_E_NOMEM;
        assert_true(rc == STE_E_NOMEM || fixture->effects.reply_count == 1);
        ste_arena_free(small);
    }
    fixture->effects = (struct ste_effects){.arena = fixture->arena};
}

#define TEST(name) cmocka_unit_test_setup(name, ste_fixture_begin)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_empty),
        TEST(test_identity_must_have_four_parts),
        TEST(test_values_are_kept_once),
        TEST(test_many_values_are_found_again),
        TEST(test_what_is_not_needed_is_not_kept),
        TEST(test_rows_are_noted_in_order),
        TEST(test_columns_are_the_notice_s),
        TEST(test_out_of_memory_is_told),
    };
    return cmocka_run_group_tests(tests, ste_fixture_open, ste_fixture_close);
}
