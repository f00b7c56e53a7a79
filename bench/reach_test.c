/* SPDX-License-Identifier: Apache-2.0
 * When a broker that cannot be reached is waited for, and when not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/clock.h"
#include "bench/reach.h"

enum { FIRST_NS = 5, LONG_S = 3600 };
static const uint64_t limit_ns = FIRST_NS + STE_REACH_FIRST_S * STE_NS_PER_S;

static enum ste_code attempt(struct ste_reach *reach, struct ste_bench_jobs *jobs,
                             enum ste_code why, uint64_t now_ns)
{
    struct ste_error err = {0};
    (void)ste_error_set(&err, why, "could not connect");
    return ste_reach_failed(reach, jobs, now_ns, &err);
}

static void test_never_reached_is_given_up(void **state)
{
    (void)state;
    struct ste_bench_jobs jobs = {0};
    struct ste_reach reach = {0};
    assert_int_equal(attempt(&reach, &jobs, STE_E_MQ_DOWN, FIRST_NS), STE_OK);
    assert_true(jobs.broker_away);
    assert_int_equal(attempt(&reach, &jobs, STE_E_MQ_DOWN, limit_ns - 1), STE_OK);
    assert_int_equal(attempt(&reach, &jobs, STE_E_MQ_DOWN, limit_ns), STE_E_TIMEOUT);
}

static void test_reached_before_is_waited_for(void **state)
{
    (void)state;
    struct ste_bench_jobs jobs = {0};
    struct ste_reach reach = {0};
    assert_int_equal(attempt(&reach, &jobs, STE_E_MQ_DOWN, FIRST_NS), STE_OK);
    ste_reach_connected(&reach, &jobs);
    assert_false(jobs.broker_away);
    assert_int_equal(attempt(&reach, &jobs, STE_E_MQ_DOWN, LONG_S * STE_NS_PER_S), STE_OK);
    assert_true(jobs.broker_away);
    assert_int_equal(attempt(&reach, &jobs, STE_E_MQ_REFUSED, LONG_S * STE_NS_PER_S), STE_OK);
}

static void test_one_gives_up_for_all(void **state)
{
    (void)state;
    struct ste_bench_jobs jobs = {.stopping = true};
    struct ste_reach reach = {.first_try_ns = FIRST_NS};
    assert_int_equal(attempt(&reach, &jobs, STE_E_MQ_DOWN, limit_ns), STE_OK);
    assert_false(jobs.broker_away);
}

static void test_a_refusal_at_first_is_final(void **state)
{
    (void)state;
    struct ste_bench_jobs jobs = {0};
    struct ste_reach reach = {0};
    assert_int_equal(attempt(&reach, &jobs, STE_E_MQ_REFUSED, FIRST_NS), STE_E_MQ_REFUSED);
    assert_int_equal(attempt(&reach, &jobs, STE_E_FILE, FIRST_NS), STE_E_FILE);
    assert_false(jobs.broker_away);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_never_reached_is_given_up),
        cmocka_unit_test(test_reached_before_is_waited_for),
        cmocka_unit_test(test_one_gives_up_for_all),
        cmocka_unit_test(test_a_refusal_at_first_is_final),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
