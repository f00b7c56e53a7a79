/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/retry.h"

static void waits_grow_to_the_limit_and_never_spin(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 200; seed++) {
        struct ste_retry retry;
        ste_retry_init(&retry, 10, 1000, seed);
        for (unsigned attempt = 0; attempt < 100; attempt++) {
            uint32_t ceiling = attempt < 7 ? 10u << attempt : 1000;
            uint32_t wait = ste_retry_next_ms(&retry);
            assert_in_range(wait, 1, ceiling);
            assert_int_equal(retry.attempt, attempt + 1);
        }
    }
}

static void jitter_spreads_over_the_whole_range(void **state)
{
    (void)state;
    unsigned low = 0, high = 0;
    for (uint64_t seed = 0; seed < 1000; seed++) {
        struct ste_retry retry;
        ste_retry_init(&retry, 1000, 1000, seed);
        uint32_t wait = ste_retry_next_ms(&retry);
        low += wait <= 250;
        high += wait > 750;
    }
    assert_in_range(low, 180, 320);
    assert_in_range(high, 180, 320);
}

static void a_seed_gives_the_same_waits_and_reset_starts_over(void **state)
{
    (void)state;
    struct ste_retry a, b;
    ste_retry_init(&a, 50, 5000, 42);
    ste_retry_init(&b, 50, 5000, 42);
    for (int i = 0; i < 20; i++)
        assert_int_equal(ste_retry_next_ms(&a), ste_retry_next_ms(&b));
    ste_retry_reset(&a);
    assert_int_equal(a.attempt, 0);
    assert_in_range(ste_retry_next_ms(&a), 1, 50);
}

static void extreme_settings_stay_bounded(void **state)
{
    (void)state;
    struct ste_retry retry;
    ste_retry_init(&retry, 0, 0, 1);
    assert_int_equal(ste_retry_next_ms(&retry), 1);
    ste_retry_init(&retry, UINT32_MAX, UINT32_MAX, 1);
    retry.attempt = UINT32_MAX;
    assert_in_range(ste_retry_next_ms(&retry), 1, UINT32_MAX);
    assert_int_equal(retry.attempt, UINT32_MAX);
    uint32_t longest = 0;
    for (uint64_t seed = 0; seed < 100; seed++) {
        ste_retry_init(&retry, 10, 1000, seed);
        retry.attempt = 64; /* no doubling is lost to the width of a word */
        uint32_t wait = ste_retry_next_ms(&retry);
        longest = wait > longest ? wait : longest;
    }
    assert_in_range(longest, 500, 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(waits_grow_to_the_limit_and_never_spin),
        cmocka_unit_test(jitter_spreads_over_the_whole_range),
        cmocka_unit_test(a_seed_gives_the_same_waits_and_reset_starts_over),
        cmocka_unit_test(extreme_settings_stay_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
