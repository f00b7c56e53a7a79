/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "router/intake.h"

static int open_intake(void **state)
{
    *state = calloc(1, sizeof(struct ste_intake));
    return *state == NULL;
}

static int close_intake(void **state)
{
    free(*state);
    return 0;
}

/* A delivery of `records` records that is decoded already. */
static uint64_t take(struct ste_intake *intake, uint64_t tag, uint32_t records)
{
    const uint64_t sequence = ste_intake_take(intake, tag, 100);
    for (uint32_t i = 0; i < records; i++)
        ste_intake_add(intake, sequence);
    ste_intake_decoded(intake, sequence);
    return sequence;
}

static void assert_ackable(struct ste_intake *intake, uint64_t expected)
{
    uint64_t tag = 0;
    assert_true(ste_intake_ackable(intake, &tag));
    assert_int_equal(tag, expected);
    assert_false(ste_intake_ackable(intake, &tag)); /* once only */
}

static void assert_nothing(struct ste_intake *intake)
{
    uint64_t tag = 4711;
    assert_false(ste_intake_ackable(intake, &tag));
    assert_int_equal(tag, 4711);
}

static void test_nothing_to_ack(void **state)
{
    assert_nothing(*state);
}

static void test_a_delivery_waits_for_its_last_record(void **state)
{
    struct ste_intake *const intake = *state;
    const uint64_t sequence = take(intake, 7, 3);
    assert_int_equal(intake->held_bytes, 100);
    ste_intake_confirm(intake, sequence, 2);
    assert_nothing(intake);
    ste_intake_confirm(intake, sequence, 1);
    assert_ackable(intake, 7);
    assert_int_equal(intake->held_bytes, 0);
}

/* Its first records may be confirmed before the last one is even gathered. */
static void test_not_before_it_is_decoded(void **state)
{
    struct ste_intake *const intake = *state;
    const uint64_t sequence = ste_intake_take(intake, 1, 10);
    ste_intake_add(intake, sequence);
    ste_intake_confirm(intake, sequence, 1);
    assert_nothing(intake);
    ste_intake_add(intake, sequence);
    ste_intake_decoded(intake, sequence);
    assert_nothing(intake);
    ste_intake_confirm(intake, sequence, 1);
    assert_ackable(intake, 1);
}

static void test_only_the_contiguous_prefix(void **state)
{
    struct ste_intake *const intake = *state;
    const uint64_t first = take(intake, 11, 1), second = take(intake, 12, 1);
    const uint64_t third = take(intake, 13, 1), fourth = take(intake, 14, 1);
    ste_intake_confirm(intake, third, 1);
    ste_intake_confirm(intake, second, 1);
    assert_nothing(intake); /* the first is open: acking 13 with `multiple` would ack it too */
    assert_int_equal(intake->held_bytes, 400);
    ste_intake_confirm(intake, first, 1);
    assert_ackable(intake, 13);
    assert_int_equal(intake->held_bytes, 100);
    ste_intake_confirm(intake, fourth, 1);
    assert_ackable(intake, 14);
}

static void test_interleaved_confirms(void **state)
{
    struct ste_intake *const intake = *state;
    const uint64_t a = take(intake, 1, 4), b = take(intake, 2, 4);
    for (int i = 0; i < 3; i++) {
        ste_intake_confirm(intake, b, 1);
        ste_intake_confirm(intake, a, 1);
        assert_nothing(intake);
    }
    ste_intake_confirm(intake, a, 1);
    assert_ackable(intake, 1);
    ste_intake_confirm(intake, b, 1);
    assert_ackable(intake, 2);
}

static void test_a_delivery_without_records_is_done_at_once(void **state)
{
    struct ste_intake *const intake = *state;
    (void)take(intake, 5, 0);
    assert_ackable(intake, 5);
}

static void test_full_and_round_the_ring(void **state)
{
    struct ste_intake *const intake = *state;
    for (uint64_t round = 0; round < 3; round++) {
        uint64_t first = 0;
        for (uint64_t i = 0; i < STE_INTAKE_DELIVERIES_MAX; i++) {
            assert_false(ste_intake_full(intake));
            const uint64_t sequence = take(intake, round * 100000 + i, 1);
            if (i == 0)
                first = sequence;
        }
        assert_true(ste_intake_full(intake));
        for (uint64_t i = STE_INTAKE_DELIVERIES_MAX; i > 0; i--)
            ste_intake_confirm(intake, first + i - 1, 1);
        assert_ackable(intake, round * 100000 + STE_INTAKE_DELIVERIES_MAX - 1);
        assert_false(ste_intake_full(intake));
        assert_int_equal(intake->held_bytes, 0);
    }
}

/* A new connection: old deliveries come again, and nothing of theirs may be acked. */
static void test_forget(void **state)
{
    struct ste_intake *const intake = *state;
    const uint64_t open = take(intake, 21, 1), done = take(intake, 22, 1);
    ste_intake_confirm(intake, done, 1);
    ste_intake_forget(intake);
    assert_nothing(intake);
    assert_int_equal(intake->held_bytes, 0);
    const uint64_t again = take(intake, 1, 1);
    assert_true(again > open && again > done); /* sequence numbers are never used twice */
    ste_intake_confirm(intake, again, 1);
    assert_ackable(intake, 1);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, open_intake, close_intake)
    const struct CMUnitTest tests[] = {
        TEST(test_nothing_to_ack),           TEST(test_a_delivery_waits_for_its_last_record),
        TEST(test_not_before_it_is_decoded), TEST(test_only_the_contiguous_prefix),
        TEST(test_interleaved_confirms),     TEST(test_a_delivery_without_records_is_done_at_once),
        TEST(test_full_and_round_the_ring),  TEST(test_forget),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
