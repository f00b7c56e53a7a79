/* SPDX-License-Identifier: Apache-2.0 */
#include "oa/testing.h"
#include "oa/laws.h"
#include "oa/open.h"

/* The worked answer: 15 jobs an hour over four stations. */
static void test_worked_answer(void **state)
{
    (void)state;
    const struct ste_oa_station stations[] = {
        {.demand = 20}, {.demand = 11100.0 / 49}, {.demand = 11400.0 / 49}, {.demand = 60}};
    static const double utilisations[] = {.0833, .9439, .9694, .2500};
    static const double responses[] = {21.82, 4036.36, 7600.00, 80.00};
    struct ste_oa_open open;
    struct ste_oa_load loads[4];
    assert_ok(ste_oa_open(stations, 4, 15.0 / 3600, &open, loads, &err));
    for (size_t k = 0; k < 4; k++) {
        assert_near(loads[k].utilisation, utilisations[k], 5e-5);
        assert_near(loads[k].response, responses[k], 5e-3);
        assert_near(loads[k].present, loads[k].response * 15 / 3600, 1e-9);
        assert_near(loads[k].present, ste_oa_mm1_present(loads[k].utilisation), 1e-9);
    }
    assert_near(open.response, 11738.18, 5e-3);
    assert_near(open.present, 48.909, 5e-4);
    assert_int_equal(open.unstable, 0);
    assert_int_equal(open.bottleneck, 2);
    assert_near(open.saturation, 49.0 / 11400, 1e-12);
}

/* Erlang C by hand: two servers, offered 1: P(wait) = 1/3, R = D·(1 + 1/3). Three, offered 2: 4/9,
 * R = D·(1 + 4/9). */
static void test_several_servers(void **state)
{
    (void)state;
    struct ste_oa_open open;
    struct ste_oa_load load;
    const struct ste_oa_station two = {.servers = 2, .demand = 1};
    assert_ok(ste_oa_open(&two, 1, 1, &open, &load, &err));
    assert_near(load.utilisation, .5, 1e-12);
    assert_near(load.response, 4.0 / 3, 1e-12);
    const struct ste_oa_station three = {.servers = 3, .demand = 2};
    assert_ok(ste_oa_open(&three, 1, 1, &open, &load, &err));
    assert_near(load.response, 2 * (1 + 4.0 / 9), 1e-12);
    assert_near(open.saturation, 1.5, 1e-12);
}

static void test_unstable_and_delay(void **state)
{
    (void)state;
    const struct ste_oa_station stations[] = {
        {.demand = .5}, {.kind = STE_OA_DELAY, .demand = 30}, {.demand = 1.25}};
    struct ste_oa_open open;
    struct ste_oa_load loads[3];
    assert_ok(ste_oa_open(stations, 3, 1, &open, loads, &err));
    assert_int_equal(open.unstable, 1);
    assert_int_equal(open.bottleneck, 2);
    assert_true(isinf(open.response) && isinf(open.present));
    assert_true(isinf(loads[2].response));
    assert_near(loads[2].utilisation, 1.25, 0);
    assert_near(loads[0].response, 1, 0);
    assert_near(loads[1].response, 30, 0);
    struct ste_error why = {0};
    assert_int_equal(ste_oa_open(stations, 3, -1, &open, NULL, &why), STE_E_ARGUMENT);
    assert_int_equal(ste_oa_open(&(struct ste_oa_station){.demand = NAN}, 1, 1, &open, NULL, &why),
                     STE_E_ARGUMENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_worked_answer),
        cmocka_unit_test(test_several_servers),
        cmocka_unit_test(test_unstable_and_delay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
