/* SPDX-License-Identifier: Apache-2.0 */
#include "oa/testing.h"
#include "oa/bounds.h"
#include "oa/mva.h"

static const double demands[] = {.605, 2.1, 1.35};
static const struct ste_oa_system three = {.demands = demands, .count = 3, .think = 15};

/* The worked answers for three jobs. */
static void test_worked_answers(void **state)
{
    (void)state;
    const struct ste_oa_bounds asymptotic = ste_oa_asymptotic(&three, 3);
    assert_near(asymptotic.lower, .1104, 5e-5);
    assert_near(asymptotic.upper, .1574, 5e-5);
    const struct ste_oa_bounds balanced = ste_oa_balanced(&three, 3);
    assert_near(balanced.lower, .1433, 5e-5);
    assert_near(balanced.upper, .1528, 5e-5);
    assert_near(ste_oa_knee(&three), 9.07, 5e-3);
    assert_near(ste_oa_demand_sum(&three), 4.055, 1e-12);
    assert_near(ste_oa_demand_max(&three), 2.1, 0);
    assert_int_equal(ste_oa_bottleneck(&three), 1);
}

static void test_first_of_equals_is_the_bottleneck(void **state)
{
    (void)state;
    static const double equal[] = {1, 2, 2};
    assert_int_equal(
        ste_oa_bottleneck(&(struct ste_oa_system){.demands = equal, .count = 3, .think = 0}), 1);
}

/* Exact MVA lies between the balanced bounds, they within the asymptotic ones, at every load. */
static void test_bounds_hold_mva(void **state)
{
    (void)state;
    const double thinks[] = {0, 1, 15};
    struct ste_oa_station stations[3] = {{0}};
    for (size_t k = 0; k < 3; k++)
        stations[k].demand = demands[k];
    for (size_t z = 0; z < COUNT_OF(thinks); z++) {
        const struct ste_oa_system system = {.demands = demands, .count = 3, .think = thinks[z]};
        for (size_t n = 1; n <= 60; n++) {
            struct ste_oa_closed exact;
            assert_ok(ste_oa_mva(stations, 3, system.think, n, &exact, NULL, &err));
            const struct ste_oa_bounds wide = ste_oa_asymptotic(&system, (double)n);
            const struct ste_oa_bounds narrow = ste_oa_balanced(&system, (double)n);
            const double hair = 1e-12;
            assert_true(wide.lower <= narrow.lower + hair);
            assert_true(narrow.lower <= exact.throughput + hair);
            assert_true(exact.throughput <= narrow.upper + hair);
            assert_true(narrow.upper <= wide.upper + hair);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_worked_answers),
        cmocka_unit_test(test_first_of_equals_is_the_bottleneck),
        cmocka_unit_test(test_bounds_hold_mva),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
