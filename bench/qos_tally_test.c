/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "bench/qos_tally.h"

static void test_who_is_to_get_what(void **state)
{
    (void)state;
    struct ste_qos_tally by_key[3] = {{10, 100}, {20, 200}, {30, 300}};
    struct ste_qos_point point = {.receivers = 2, .keys = 3};
    struct ste_qos_tally even = ste_qos_tally_topic(&point, 0, by_key);
    struct ste_qos_tally odd = ste_qos_tally_topic(&point, 1, by_key);
    struct ste_qos_tally all = ste_qos_tally_work(&point, by_key);
    assert_int_equal(even.count, 40);
    assert_int_equal(even.sum, 400);
    assert_int_equal(odd.count, 20);
    assert_int_equal(odd.sum, 200);
    assert_int_equal(all.count, 60);
    assert_int_equal(all.sum, 600);
}

static struct ste_qos_tally of(uint64_t first, uint64_t last)
{
    struct ste_qos_tally tally = {0};
    for (uint64_t number = first; number <= last; number++)
        ste_qos_tally_add(&tally, number);
    return tally;
}

static void test_balance(void **state)
{
    (void)state;
    struct ste_qos_balance balance = {0};
    ste_qos_balance_add(&balance, of(1, 100), of(1, 100));
    assert_int_equal(balance.expected, 100);
    assert_int_equal(balance.received, 100);
    assert_int_equal(balance.lost, 0);
    assert_int_equal(balance.surplus, 0);
    ste_qos_balance_add(&balance, of(1, 100), of(3, 100));
    assert_int_equal(balance.lost, 2);
    ste_qos_balance_add(&balance, of(1, 100), of(1, 103));
    assert_int_equal(balance.surplus, 3);
    assert_int_equal(balance.lost, 2);

    struct ste_qos_tally twice = of(1, 99);
    ste_qos_tally_add(&twice, 7); /* the hundredth is missing, the seventh came again */
    ste_qos_balance_add(&balance, of(1, 100), twice);
    assert_int_equal(balance.lost, 3);
    assert_int_equal(balance.surplus, 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_who_is_to_get_what),
        cmocka_unit_test(test_balance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
