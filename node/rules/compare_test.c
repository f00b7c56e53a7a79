/* SPDX-License-Identifier: Apache-2.0 */
#include "node/rules/compare.h"
#include "node/rules/fixture.h"

#include <stdlib.h>
#include <string.h>

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

/* Do these values, as the SettlementAmount of NPR and SET, agree? */
static bool agree(struct ste_fixture *fixture, const struct ste_tolerance *tolerance,
                  enum ste_condition_id id, const char *npr_pair, const char *set_pair)
{
    struct ste_said said[2];
    ste_fixture_clear(fixture);
    ste_fixture_send(fixture, ste_fixture_record(fixture, "NPR-1", npr_pair, NULL));
    ste_fixture_send(fixture, ste_fixture_record(fixture, "SET-1", set_pair, NULL));
    size_t count = 0;
    for (size_t i = 0; i < 2; i++)
        count +=
            ste_say(fixture->trade, &fixture->trade->held[i], &ste_conditions[id], &said[count]);
    return ste_said_agree(fixture->trade, fixture->ref, tolerance, &ste_conditions[id], said, count,
                          2);
}

static bool amounts_agree(struct ste_fixture *fixture, const struct ste_tolerance *tolerance,
                          const char *currency, const char *npr, const char *set)
{
    struct ste_said said[2];
    const char *pairs[2][2];
    ste_fixture_clear(fixture);
    pairs[0][0] = ste_arena_printf(fixture->arena, "SettlementAmount=%s", npr);
    pairs[1][0] = ste_arena_printf(fixture->arena, "SettlementAmount=%s", set);
    pairs[0][1] = pairs[1][1] =
        ste_arena_printf(fixture->arena, "SettlementAmount@currency=%s", currency);
    ste_fixture_send(fixture, ste_fixture_record(fixture, "NPR-1", pairs[0][0], pairs[0][1], NULL));
    ste_fixture_send(fixture, ste_fixture_record(fixture, "SET-1", pairs[1][0], pairs[1][1], NULL));
    for (size_t i = 0; i < 2; i++)
        assert_true(ste_say(fixture->trade, &fixture->trade->held[i],
                            &ste_conditions[STE_COND_SETTLEMENT_AMOUNT], &said[i]));
    return ste_said_agree(fixture->trade, fixture->ref, tolerance,
                          &ste_conditions[STE_COND_SETTLEMENT_AMOUNT], said, 2, 2);
}

static const struct ste_tolerance *default_band(struct ste_fixture *fixture)
{
    const struct ste_bytes none = {NULL, 0};
    const struct ste_profile *profile = ste_ref_profile(fixture->ref, none, none, none);
    return &profile->conditions[STE_COND_SETTLEMENT_AMOUNT];
}

/* The worked values of MESSAGES section 3. */
static void test_band_in_euro(void **state)
{
    const struct ste_tolerance *band = default_band(*state);
    assert_true(amounts_agree(*state, band, "EUR", "100000.00", "100002.00"));
    assert_false(amounts_agree(*state, band, "EUR", "100000.00", "100002.01"));
    assert_true(amounts_agree(*state, band, "EUR", "100000.01", "100025.01"));
    assert_false(amounts_agree(*state, band, "EUR", "100000.01", "100025.02"));
    assert_false(amounts_agree(*state, band, "EUR", "99999.00", "100020.00"));
    assert_false(amounts_agree(*state, band, "EUR", "100020.00", "99999.00"));
}

/* 0.85 pounds a euro: edge 85,000.00, tolerance 1.70 and 21.25. */
static void test_band_by_rate(void **state)
{
    const struct ste_tolerance *band = default_band(*state);
    assert_true(amounts_agree(*state, band, "GBP", "2023575.66", "2023575.65"));
    assert_true(amounts_agree(*state, band, "GBP", "85000.00", "85001.70"));
    assert_false(amounts_agree(*state, band, "GBP", "85000.00", "85001.71"));
    assert_true(amounts_agree(*state, band, "GBP", "85000.01", "85021.26"));
    assert_false(amounts_agree(*state, band, "GBP", "85000.01", "85021.27"));
    assert_true(amounts_agree(*state, band, "JPY", "16000000", "16000320"));
    assert_false(amounts_agree(*state, band, "JPY", "16000000", "16000321"));
}

static void test_band_without_rate_is_exact(void **state)
{
    const struct ste_tolerance *band = default_band(*state);
    assert_true(amounts_agree(*state, band, "NOK", "100000.00", "100000.0"));
    assert_false(amounts_agree(*state, band, "NOK", "100000.00", "100000.01"));
}

static void test_exact_is_by_value(void **state)
{
    const struct ste_tolerance exact = {.compare = STE_COMPARE_EXACT};
    assert_true(amounts_agree(*state, &exact, "GBP", "2023575.60", "2023575.6"));
    assert_true(amounts_agree(*state, &exact, "GBP", "0012.00", "12"));
    assert_false(amounts_agree(*state, &exact, "GBP", "2023575.66", "2023575.65"));
}

static void test_absolute_and_percent(void **state)
{
    const struct ste_tolerance absolute = {.compare = STE_COMPARE_ABSOLUTE, .amount = {1050, 2}};
    const struct ste_tolerance percent = {.compare = STE_COMPARE_PERCENT, .percent = {1, 1}};
    const struct ste_tolerance capped = {
        .compare = STE_COMPARE_PERCENT_CAPPED, .percent = {1, 1}, .cap = {5, 0}};
    assert_true(amounts_agree(*state, &absolute, "SGD", "100.00", "110.50"));
    assert_false(amounts_agree(*state, &absolute, "SGD", "100.00", "110.51"));
    assert_true(amounts_agree(*state, &percent, "SGD", "9000.00", "9009.00"));
    assert_false(amounts_agree(*state, &percent, "SGD", "9000.00", "9009.01"));
    assert_true(amounts_agree(*state, &capped, "SGD", "9000.00", "9005.00"));
    assert_false(amounts_agree(*state, &capped, "SGD", "9000.00", "9005.01"));
    assert_true(amounts_agree(*state, &capped, "SGD", "1000.00", "1001.00"));
    assert_false(amounts_agree(*state, &capped, "SGD", "1000.00", "1001.01"));
}

static void test_not_used_and_if_present(void **state)
{
    const struct ste_tolerance not_used = {.compare = STE_COMPARE_NOT_USED};
    const struct ste_tolerance if_present = {.compare = STE_COMPARE_IF_PRESENT};
    const struct ste_tolerance exact = {.compare = STE_COMPARE_EXACT};
    assert_true(amounts_agree(*state, &not_used, "SGD", "1.00", "2.00"));
    /* The SET has no commission: left out it agrees, unless all must have it. */
    assert_true(agree(*state, &exact, STE_COND_COMMISSION, "Commission=1", "Commission="));
    assert_false(agree(*state, &if_present, STE_COND_COMMISSION, "Commission=1", "Commission="));
    assert_true(agree(*state, &if_present, STE_COND_COMMISSION, "Commission=", "Commission="));
}

static void test_qualifiers_count(void **state)
{
    const struct ste_tolerance exact = {.compare = STE_COMPARE_EXACT};
    assert_false(
        agree(*state, &exact, STE_COND_QUANTITY, "Quantity@unit=UNIT", "Quantity@unit=FAMT"));
    assert_true(agree(*state, &exact, STE_COND_QUANTITY, "Quantity=600.0", "Quantity=600"));
    /* The currency of a price is no part of condition 7, its type is. */
    assert_true(agree(*state, &exact, STE_COND_PRICE, "Price@currency=SGD", "Price@currency=USD"));
    assert_false(agree(*state, &exact, STE_COND_SETTLEMENT_AMOUNT, "SettlementAmount@currency=USD",
                       "SettlementAmount@currency=SGD"));
}

static void test_bics_by_eight(void **state)
{
    const struct ste_tolerance exact = {.compare = STE_COMPARE_EXACT};
    assert_true(agree(*state, &exact, STE_COND_DELIVERING_AGENT, "DeliveringAgent=BROKSGSGXXX",
                      "DeliveringAgent=BROKSGSG"));
    assert_false(agree(*state, &exact, STE_COND_DELIVERING_AGENT, "DeliveringAgent=BROKSGS1",
                       "DeliveringAgent=BROKSGSG"));
}

/* SettlementAmount's, else SettlementCurrency, else the currency of an ACTU price. */
static void test_settlement_currency_is_derived(void **state)
{
    struct ste_fixture *fixture = *state;
    const struct {
        const char *name, *first, *second;
        const char *wanted;
    } rows[] = {
        {"NPR-1", "SettlementCurrency=USD", "Price@currency=EUR", "SGD"},
        {"ALB-1", "SettlementCurrency=USD", "Price@currency=EUR", "USD"},
        {"ALB-1", "SettlementCurrency=", "Price@currency=EUR", "EUR"},
        {"ALB-1", "Price@type=PRCT", "Price@currency=EUR", ""},
        {"NOE", "SettlementAmount@currency=USD", "SettlementAmount=1", "SGD"},
        {"ALB-1", "SettlementAmount@currency=USD", "SettlementAmount=1", "USD"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct ste_said said = {0};
        ste_fixture_clear(fixture);
        ste_fixture_send(fixture, ste_fixture_record(fixture, rows[i].name, rows[i].first,
                                                     rows[i].second, NULL));
        bool says = ste_say(fixture->trade, &fixture->trade->held[0],
                            &ste_conditions[STE_COND_SETTLEMENT_CURRENCY], &said);
        assert_int_equal(says, rows[i].wanted[0] != '\0');
        ste_assert_text(said.value, rows[i].wanted);
    }
}

static void test_what_a_type_does_not_carry_is_ignored(void **state)
{
    struct ste_fixture *fixture = *state;
    struct ste_said said;
    ste_fixture_send(fixture, ste_fixture_record(fixture, "NOE", "Commission=5",
                                                 "DeliveringAgent=BROKSGSG", NULL));
    const struct ste_held *noe = &fixture->trade->held[0];
    assert_false(ste_say(fixture->trade, noe, &ste_conditions[STE_COND_COMMISSION], &said));
    assert_false(ste_say(fixture->trade, noe, &ste_conditions[STE_COND_DELIVERING_AGENT], &said));
    assert_true(ste_say(fixture->trade, noe, &ste_conditions[STE_COND_DIRECTION], &said));
}

static int clear(void **state)
{
    ste_fixture_clear(*state);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_band_in_euro, clear),
        cmocka_unit_test_setup(test_band_by_rate, clear),
        cmocka_unit_test_setup(test_band_without_rate_is_exact, clear),
        cmocka_unit_test_setup(test_exact_is_by_value, clear),
        cmocka_unit_test_setup(test_absolute_and_percent, clear),
        cmocka_unit_test_setup(test_not_used_and_if_present, clear),
        cmocka_unit_test_setup(test_qualifiers_count, clear),
        cmocka_unit_test_setup(test_bics_by_eight, clear),
        cmocka_unit_test_setup(test_settlement_currency_is_derived, clear),
        cmocka_unit_test_setup(test_what_a_type_does_not_carry_is_ignored, clear),
    };
    return cmocka_run_group_tests(tests, ste_fixture_open, ste_fixture_close);
}
