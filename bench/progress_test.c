/* SPDX-License-Identifier: Apache-2.0
 * The rate that a bar shows. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/clock.h"
#include "bench/progress.h"

static void test_the_rate_stands_once_all_is_done(void **state)
{
    (void)state;
    struct ste_progress progress;
    ste_progress_start(&progress, "cleared", "msg", 1000, true);
    progress.start_ns -= 10 * STE_NS_PER_S;
    progress.drawn_ns -= STE_NS_PER_S;
    ste_progress_update(&progress, 1000);
    assert_float_equal(progress.rate, 100, 2);
    const double rate = progress.rate;
    progress.start_ns -= 10 * STE_NS_PER_S;
    progress.drawn_ns -= STE_NS_PER_S;
    ste_progress_update(&progress, 1000);
    ste_progress_end(&progress, 1000);
    assert_float_equal(progress.rate, rate, 0);
}

static void test_the_rate_at_an_early_end_is_the_mean(void **state)
{
    (void)state;
    struct ste_progress progress;
    ste_progress_start(&progress, "cleared", "msg", 1000, true);
    progress.start_ns -= 10 * STE_NS_PER_S;
    ste_progress_end(&progress, 500);
    assert_float_equal(progress.rate, 50, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_rate_stands_once_all_is_done),
        cmocka_unit_test(test_the_rate_at_an_early_end_is_the_mean),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
