/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "bench/qos_plan.h"

static struct ste_qos_list list_of(const char *text)
{
    struct ste_qos_list list = {0};
    assert_int_equal(ste_qos_list_parse(text, 1, 1000000, true, &list, NULL), STE_OK);
    return list;
}

static struct ste_qos_sweep sweep_of(const char *bytes, const char *demands, const char *senders,
                                     const char *receivers, const char *keys)
{
    struct ste_qos_sweep sweep = {.bytes = list_of(bytes),
                                  .demands = list_of(demands),
                                  .senders = list_of(senders),
                                  .receivers = list_of(receivers),
                                  .keys = list_of(keys)};
    assert_int_equal(ste_qos_kinds_parse("durable,volatile", &sweep.kinds, NULL), STE_OK);
    return sweep;
}

static void test_lists(void **state)
{
    (void)state;
    struct ste_qos_list list = list_of("10,2000,full,10");
    assert_int_equal(list.count, 3); /* the second 10 adds nothing */
    assert_int_equal(list.values[0], 10);
    assert_int_equal(list.values[1], 2000);
    assert_int_equal(list.values[2], STE_QOS_FULL);

    static const char *const wrong[] = {"",     ",",   "1,",  "0",    "-1", "x",
                                        "full", "1 2", "101", "1,,2", "1.5"};
    struct ste_error err;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_int_equal(ste_qos_list_parse(wrong[i], 1, 100, false, &list, &err), STE_E_ARGUMENT);
    assert_int_equal(list.count, 3); /* untouched */
    assert_int_equal(
        ste_qos_list_parse("1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17", 1, 100, false, &list, &err),
        STE_E_ARGUMENT);
    assert_int_equal(ste_qos_kinds_parse("durable,eternal", &list, &err), STE_E_ARGUMENT);
    assert_non_null(strstr(err.text, "eternal"));
    assert_int_equal(ste_qos_kinds_parse("volatile", &list, NULL), STE_OK);
    assert_int_equal(list.count, 1);
    assert_int_equal(list.values[0], STE_QOS_VOLATILE);
}

static void test_one_at_a_time_round_the_base_of_the_post(void **state)
{
    struct ste_qos_plan *plan = *state;
    struct ste_qos_sweep sweep = sweep_of("512,4096", "10,full", "1,2", "1,100", "1");
    assert_int_equal(ste_qos_plan_build(&sweep, false, plan, NULL), STE_OK);
    /* 512; the base; demand 10; two senders; 100 receivers: twice each, for the kinds */
    assert_int_equal(plan->count, 10);
    for (size_t i = 0; i < plan->count; i++) {
        const struct ste_qos_point *p = &plan->points[i];
        assert_int_equal(p->kind, i % 2 == 0 ? STE_QOS_DURABLE : STE_QOS_VOLATILE);
        int off_base = (p->bytes != 4096) + (p->demand != STE_QOS_FULL) + (p->senders != 1) +
                       (p->receivers != 1) + (p->keys != 1);
        assert_int_equal(off_base, i / 2 == 1 ? 0 : 1);
    }
}

static void test_without_the_base_the_first_of_each_list(void **state)
{
    struct ste_qos_plan *plan = *state;
    struct ste_qos_sweep sweep = sweep_of("1500,16384", "100,1000", "2", "5,10", "3");
    assert_int_equal(ste_qos_plan_build(&sweep, false, plan, NULL), STE_OK);
    assert_int_equal(plan->count, 8);
    assert_int_equal(plan->points[0].bytes, 1500);
    assert_int_equal(plan->points[0].demand, 100);
    assert_int_equal(plan->points[0].senders, 2);
    assert_int_equal(plan->points[0].receivers, 5);
    assert_int_equal(plan->points[0].keys, 3);
}

static void test_all_with_all(void **state)
{
    struct ste_qos_plan *plan = *state;
    struct ste_qos_sweep sweep = sweep_of("512,4096", "10,100,full", "1,2", "1,2,3,4", "1");
    assert_int_equal(ste_qos_plan_build(&sweep, true, plan, NULL), STE_OK);
    assert_int_equal(plan->count, 2 * 2 * 3 * 2 * 4);

    struct ste_error err;
    sweep = sweep_of("1,2,3,4,5,6,7,8", "1,2,3,4,5,6,7,8", "1,2,3,4,5,6,7,8", "1", "1");
    assert_int_equal(ste_qos_plan_build(&sweep, true, plan, &err), STE_E_LIMIT);
}

/* Whatever the counts: every key has a receiver, every receiver a key. */
static void test_nobody_is_left_out(void **state)
{
    (void)state;
    for (uint64_t receivers = 1; receivers <= 12; receivers++) {
        for (uint64_t keys = 1; keys <= 12; keys++) {
            struct ste_qos_point point = {.receivers = receivers, .keys = keys};
            uint64_t pairs = 0, fan_out = 0;
            for (uint64_t r = 0; r < receivers; r++) {
                uint64_t mine = 0;
                for (uint64_t k = 0; k < keys; k++)
                    mine += ste_qos_subscribes(&point, r, k);
                assert_true(mine > 0);
                pairs += mine;
            }
            for (uint64_t k = 0; k < keys; k++) {
                assert_true(ste_qos_fan_out(&point, k) > 0);
                fan_out += ste_qos_fan_out(&point, k);
            }
            assert_int_equal(pairs, fan_out);
        }
    }
    struct ste_qos_point all = {.receivers = 100, .keys = 1};
    assert_int_equal(ste_qos_fan_out(&all, 0), 100);
    struct ste_qos_point shares = {.receivers = 10, .keys = 10};
    assert_int_equal(ste_qos_fan_out(&shares, 3), 1);
}

static int set_up(void **state)
{
    *state = malloc(sizeof(struct ste_qos_plan));
    return *state ? 0 : -1;
}

static int tear_down(void **state)
{
    free(*state);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lists),
        cmocka_unit_test(test_one_at_a_time_round_the_base_of_the_post),
        cmocka_unit_test(test_without_the_base_the_first_of_each_list),
        cmocka_unit_test(test_all_with_all),
        cmocka_unit_test(test_nobody_is_left_out),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
