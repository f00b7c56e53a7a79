/* SPDX-License-Identifier: Apache-2.0 */
#include "base/testing.h"
#include "obs/obs.h"

static uint64_t value(const struct ste_obs_worker *worker, enum ste_metric_id id, unsigned type)
{
    return worker->types[id - STE_M_TYPE_FIRST][type];
}

static void test_shares_add_up(void **state)
{
    (void)state;
    struct ste_obs_worker worker = {0};
    struct ste_obs_types types = {.arrivals = {3, 0, 1, 0, 0}, .completions = {2, 0, 0, 1, 0}};
    ste_obs_types_flush(&worker, &types, 1000);
    assert_int_equal(value(&worker, STE_M_TYPE_ARRIVALS, 0), 3);
    assert_int_equal(value(&worker, STE_M_TYPE_COMPLETIONS, 0), 2);
    assert_int_equal(value(&worker, STE_M_TYPE_COMPLETIONS, 3), 1);
    assert_in_range(value(&worker, STE_M_TYPE_BUSY_NS, 0), 713, 715);
    assert_int_equal(value(&worker, STE_M_TYPE_BUSY_NS, 1), 0);
    uint64_t sum = 0;
    for (unsigned type = 0; type < STE_OBS_TYPE_COUNT; type++)
        sum += value(&worker, STE_M_TYPE_BUSY_NS, type);
    assert_int_equal(sum, 1000);
    types.arrivals[4] = 1; /* the rest began at 0 again: all of the growth is EXC's */
    ste_obs_types_flush(&worker, &types, 1500);
    assert_int_equal(value(&worker, STE_M_TYPE_BUSY_NS, 4), 500);
    assert_int_equal(value(&worker, STE_M_TYPE_ARRIVALS, 0), 3);
}

static void test_idle_time_is_nobodys(void **state)
{
    (void)state;
    struct ste_obs_worker worker = {0};
    struct ste_obs_types types = {0};
    ste_obs_types_flush(&worker, &types, 700);
    types.completions[2] = 5;
    ste_obs_types_flush(&worker, &types, 800);
    assert_int_equal(value(&worker, STE_M_TYPE_BUSY_NS, 2), 100);
    types.completions[2] = 5;
    ste_obs_types_flush(&worker, &types, 300); /* went back: nothing is known */
    assert_int_equal(value(&worker, STE_M_TYPE_BUSY_NS, 2), 100);
    assert_int_equal(value(&worker, STE_M_TYPE_COMPLETIONS, 2), 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shares_add_up),
        cmocka_unit_test(test_idle_time_is_nobodys),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
