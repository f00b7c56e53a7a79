/* SPDX-License-Identifier: Apache-2.0
 * A plan from the words of a command line; what is wrong complains on stderr. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "bench/plan.h"

static bool plan_of(const struct ste_plan_options *options, struct ste_gen_plan *ret)
{
    return ste_plan_of("test", options, ret);
}

static void test_defaults(void **state)
{
    (void)state;
    struct ste_plan_options o = STE_PLAN_DEFAULTS;
    struct ste_gen_plan plan;
    assert_false(ste_plan_is_wanted(&o));
    assert_false(plan_of(&o, &plan));
    o.trades = 7;
    assert_true(ste_plan_is_wanted(&o));
    assert_true(plan_of(&o, &plan));
    assert_int_equal(plan.trades, 7);
    assert_int_equal(plan.gen.seed, 1);
    assert_int_equal(plan.gen.accounts_min, 2);
    assert_int_equal(plan.gen.accounts_max, 2);
    assert_int_equal(plan.shuffle_window, STE_GEN_SHUFFLE_DEFAULT);
    assert_int_equal(plan.gen.shares.mismatch + plan.gen.shares.late, 0);
}

static void test_standard_sets(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        uint64_t trades; /* 0: refused */
    } rows[] = {{"small", 10000}, {"250k", 250000}, {"1m", 1000000}, {"2m", 0}, {"", 0}};
    struct ste_gen_plan plan;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct ste_plan_options o = {.standard = rows[i].name};
        assert_true(ste_plan_is_wanted(&o));
        assert_int_equal(plan_of(&o, &plan), rows[i].trades > 0);
        if (rows[i].trades > 0)
            assert_int_equal(plan.trades, rows[i].trades);
    }
    struct ste_plan_options both = {.standard = "small", .trades = 5};
    assert_false(plan_of(&both, &plan));
}

static void test_shares_have_two_decimals(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        unsigned share; /* UINT32_MAX: refused */
    } rows[] = {{"0", 0},
                {"1", 100},
                {"0.5", 50},
                {"0.05", 5},
                {"12.25", 1225},
                {"100", STE_GEN_SHARE_ALL},
                {"100.00", STE_GEN_SHARE_ALL},
                {"100.01", UINT32_MAX},
                {"101", UINT32_MAX},
                {"1.234", UINT32_MAX},
                {"1.", UINT32_MAX},
                {".5", UINT32_MAX},
                {"", UINT32_MAX},
                {"-1", UINT32_MAX},
                {"1%", UINT32_MAX}};
    struct ste_gen_plan plan;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct ste_plan_options o = {.trades = 1, .share_late = rows[i].text};
        assert_int_equal(plan_of(&o, &plan), rows[i].share != UINT32_MAX);
        if (rows[i].share != UINT32_MAX)
            assert_int_equal(plan.gen.shares.late, rows[i].share);
    }
    struct ste_plan_options each = {.trades = 1,
                                    .share_mismatch = "1",
                                    .share_invalid = "2",
                                    .share_duplicate = "3",
                                    .share_late = "4"};
    assert_true(plan_of(&each, &plan));
    assert_int_equal(plan.gen.shares.mismatch, 100);
    assert_int_equal(plan.gen.shares.invalid, 200);
    assert_int_equal(plan.gen.shares.duplicate, 300);
    assert_int_equal(plan.gen.shares.late, 400);
}

static void test_windows_and_accounts(void **state)
{
    (void)state;
    struct ste_gen_plan plan;
    struct ste_plan_options o = {.trades = 1, .window = "all", .accounts = "1-5"};
    assert_true(plan_of(&o, &plan));
    assert_true(plan.shuffle_window == STE_GEN_SHUFFLE_ALL);
    assert_int_equal(plan.gen.accounts_min, 1);
    assert_int_equal(plan.gen.accounts_max, 5);
    o.window = "0";
    o.accounts = "200";
    assert_true(plan_of(&o, &plan));
    assert_int_equal(plan.shuffle_window, 0);
    assert_int_equal(plan.gen.accounts_min, 200);
    static const char *const wrong[] = {"0", "201", "5-1", "1-201", "2x", ""};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        o.accounts = wrong[i];
        assert_false(plan_of(&o, &plan));
    }
    o.accounts = NULL;
    o.window = "many";
    assert_false(plan_of(&o, &plan));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_defaults),
        cmocka_unit_test(test_standard_sets),
        cmocka_unit_test(test_shares_have_two_decimals),
        cmocka_unit_test(test_windows_and_accounts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
