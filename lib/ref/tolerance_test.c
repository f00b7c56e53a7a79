/* SPDX-License-Identifier: Apache-2.0 */
#include "ref/tolerance.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "ref/ref_fixture.h"

static struct ste_decimal number(const char *text)
{
    struct ste_decimal value = {0, 0};
    assert_true(ste_decimal_parse(ste_bytes_of(text), true, &value));
    return value;
}

static bool passes(const struct ste_tolerance *tolerance, const struct ste_rate *rate,
                   const char *smallest, const char *largest)
{
    return ste_tolerance_passes(tolerance, rate, ste_wide_of(number(smallest)),
                                ste_wide_of(number(largest)));
}

/* The worked values of MESSAGES section 3. */
static void default_band_in_euros(void **state)
{
    struct ste_ref *ref = ste_fixture_ref("", "2026-11-30");
    (void)state;
    assert_non_null(ref);
    struct ste_bytes none = {NULL, 0};
    const struct ste_tolerance *band =
        &ste_ref_profile(ref, none, none, none)->conditions[STE_COND_SETTLEMENT_AMOUNT];
    const struct ste_rate *euro = ste_ref_rate(ref, STE_BYTES("EUR"));
    assert_non_null(euro);
    assert_true(passes(band, euro, "100000.00", "100002.00"));
    assert_false(passes(band, euro, "100000.00", "100002.01"));
    assert_true(passes(band, euro, "100000.01", "100025.01"));
    assert_false(passes(band, euro, "100000.01", "100025.02"));
    assert_false(passes(band, euro, "99999.00", "100020.00"));
    const struct ste_rate *pound = ste_ref_rate(ref, STE_BYTES("GBP"));
    assert_true(passes(band, pound, "2023575.65", "2023575.66"));
    assert_true(passes(band, pound, "85000.00", "85001.70"));
    assert_false(passes(band, pound, "85000.00", "85001.71"));
    assert_true(passes(band, pound, "85000.01", "85021.26"));
    assert_false(passes(band, pound, "85000.01", "85021.27"));
    assert_null(ste_ref_rate(ref, STE_BYTES("SEK")));
    assert_true(passes(band, NULL, "10.00", "10"));
    assert_false(passes(band, NULL, "10.00", "10.01"));
    ste_ref_free(ref);
}

static void other_rules(void **state)
{
    struct ste_tolerance exact = {.compare = STE_COMPARE_EXACT};
    struct ste_tolerance absolute = {.compare = STE_COMPARE_ABSOLUTE, .amount = number("0.05")};
    struct ste_tolerance percent = {.compare = STE_COMPARE_PERCENT, .percent = number("0.5")};
    struct ste_tolerance capped = {
        .compare = STE_COMPARE_PERCENT_CAPPED, .percent = number("0.5"), .cap = number("3")};
    (void)state;
    assert_true(passes(&exact, NULL, "4.50", "4.5"));
    assert_false(passes(&exact, NULL, "4.50", "4.51"));
    assert_true(passes(&absolute, NULL, "-0.02", "0.03"));
    assert_false(passes(&absolute, NULL, "-0.02", "0.031"));
    assert_true(passes(&percent, NULL, "1000", "1005"));
    assert_false(passes(&percent, NULL, "1000", "1005.01"));
    assert_true(passes(&percent, NULL, "-1000", "-995"));
    assert_true(passes(&capped, NULL, "1000", "1003"));
    assert_false(passes(&capped, NULL, "1000", "1003.01"));
    assert_true(passes(&capped, NULL, "100", "100.5"));
    assert_false(passes(&capped, NULL, "100", "100.51"));
}

/* 18 digits each, and nothing wraps. */
static void largest_numbers(void **state)
{
    struct ste_tolerance percent = {.compare = STE_COMPARE_PERCENT,
                                    .percent = number("999999999999999999")};
    struct ste_tolerance band = {.compare = STE_COMPARE_BAND,
                                 .amount = number("999999999999999999"),
                                 .edge = number("999999999999999999"),
                                 .high = number("0")};
    struct ste_rate rate = {.per_eur = number("9999999999.99999999")};
    (void)state;
    assert_true(passes(&percent, NULL, "1", "10000000000000000"));
    assert_false(passes(&percent, NULL, "1", "10000000000000001"));
    assert_true(passes(&band, &rate, "0.00000000000000001", "999999999999999999"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(default_band_in_euros),
        cmocka_unit_test(other_rules),
        cmocka_unit_test(largest_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
