/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "mq/confirms.h"

enum { SEEN_MAX = 64 };
struct seen {
    size_t count;
    uint64_t cookies[SEEN_MAX];
    enum ste_mq_outcome outcomes[SEEN_MAX];
    struct ste_mq_confirms *again; /* set: each settle publishes once more */
};

static void note(void *context, uint64_t cookie, enum ste_mq_outcome outcome)
{
    struct seen *seen = context;
    assert_true(seen->count < SEEN_MAX);
    seen->cookies[seen->count] = cookie;
    seen->outcomes[seen->count++] = outcome;
    if (seen->again && !ste_mq_confirms_full(seen->again))
        ste_mq_confirms_add(seen->again, cookie + 1000);
}

static void assert_seen(const struct seen *seen, size_t at, uint64_t cookie,
                        enum ste_mq_outcome outcome)
{
    assert_true(at < seen->count);
    assert_int_equal(seen->cookies[at], cookie);
    assert_int_equal(seen->outcomes[at], outcome);
}

static void publish(struct ste_mq_confirms *confirms, uint64_t first_cookie, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        assert_false(ste_mq_confirms_full(confirms));
        ste_mq_confirms_add(confirms, first_cookie + i);
    }
}

static void test_tags_begin_with_one(void **state)
{
    (void)state;
    struct ste_mq_confirms confirms;
    assert_true(ste_mq_confirms_init(&confirms, 4));
    assert_int_equal(ste_mq_confirms_add(&confirms, 70), 1);
    assert_int_equal(ste_mq_confirms_add(&confirms, 71), 2);
    ste_mq_confirms_deinit(&confirms);
}

static void test_one_by_one_and_out_of_order(void **state)
{
    (void)state;
    struct ste_mq_confirms confirms;
    struct seen seen = {0};
    assert_true(ste_mq_confirms_init(&confirms, 8));
    publish(&confirms, 10, 3);
    assert_true(ste_mq_confirms_settle(&confirms, 2, false, true, note, &seen));
    assert_true(ste_mq_confirms_settle(&confirms, 1, false, false, note, &seen));
    assert_int_equal(confirms.unsettled, 1);
    assert_int_equal(seen.count, 2);
    assert_seen(&seen, 0, 11, STE_MQ_CONFIRMED);
    assert_seen(&seen, 1, 10, STE_MQ_NACKED);
    ste_mq_confirms_deinit(&confirms);
}

static void test_multiple_skips_what_is_settled(void **state)
{
    (void)state;
    struct ste_mq_confirms confirms;
    struct seen seen = {0};
    assert_true(ste_mq_confirms_init(&confirms, 8));
    publish(&confirms, 10, 6);
    assert_true(ste_mq_confirms_settle(&confirms, 2, false, false, note, &seen));
    assert_true(ste_mq_confirms_settle(&confirms, 4, true, true, note, &seen));
    assert_int_equal(seen.count, 4);
    assert_seen(&seen, 0, 11, STE_MQ_NACKED);
    assert_seen(&seen, 1, 10, STE_MQ_CONFIRMED);
    assert_seen(&seen, 2, 12, STE_MQ_CONFIRMED);
    assert_seen(&seen, 3, 13, STE_MQ_CONFIRMED);
    assert_int_equal(confirms.unsettled, 2);
    ste_mq_confirms_deinit(&confirms);
}

static void test_tag_zero_multiple_is_everything(void **state)
{
    (void)state;
    struct ste_mq_confirms confirms;
    struct seen seen = {0};
    assert_true(ste_mq_confirms_init(&confirms, 8));
    publish(&confirms, 10, 5);
    assert_true(ste_mq_confirms_settle(&confirms, 0, true, true, note, &seen));
    assert_int_equal(seen.count, 5);
    assert_int_equal(confirms.unsettled, 0);
    ste_mq_confirms_deinit(&confirms);
}

static void test_a_return_turns_the_later_ack_into_returned(void **state)
{
    (void)state;
    struct ste_mq_confirms confirms;
    struct seen seen = {0};
    assert_true(ste_mq_confirms_init(&confirms, 8));
    publish(&confirms, 10, 3);
    assert_true(ste_mq_confirms_return(&confirms, 2));
    assert_int_equal(seen.count, 0); /* not settled before its confirm */
    assert_true(ste_mq_confirms_settle(&confirms, 3, true, true, note, &seen));
    assert_seen(&seen, 0, 10, STE_MQ_CONFIRMED);
    assert_seen(&seen, 1, 11, STE_MQ_RETURNED);
    assert_seen(&seen, 2, 12, STE_MQ_CONFIRMED);
    ste_mq_confirms_deinit(&confirms);
}

static void test_what_we_never_published_is_refused(void **state)
{
    (void)state;
    struct ste_mq_confirms confirms;
    struct seen seen = {0};
    assert_true(ste_mq_confirms_init(&confirms, 8));
    publish(&confirms, 10, 2);
    assert_false(ste_mq_confirms_settle(&confirms, 3, false, true, note, &seen));
    assert_false(ste_mq_confirms_settle(&confirms, 3, true, true, note, &seen));
    assert_false(ste_mq_confirms_settle(&confirms, 0, false, true, note, &seen));
    assert_false(ste_mq_confirms_return(&confirms, 0));
    assert_false(ste_mq_confirms_return(&confirms, 3));
    assert_true(ste_mq_confirms_settle(&confirms, 1, false, true, note, &seen));
    assert_false(ste_mq_confirms_settle(&confirms, 1, false, true, note, &seen)); /* twice */
    assert_false(ste_mq_confirms_return(&confirms, 1));                           /* too late */
    assert_true(ste_mq_confirms_return(&confirms, 2));
    assert_false(ste_mq_confirms_return(&confirms, 2));
    publish(&confirms, 12, 1);
    assert_true(ste_mq_confirms_settle(&confirms, 3, false, true, note, &seen));
    assert_false(ste_mq_confirms_settle(&confirms, 3, false, true, note, &seen)); /* 2 is open */
    assert_false(ste_mq_confirms_return(&confirms, 3));
    assert_int_equal(seen.count, 2);
    ste_mq_confirms_deinit(&confirms);
}

static void test_the_window_counts_open_publishes(void **state)
{
    (void)state;
    struct ste_mq_confirms confirms;
    struct seen seen = {0};
    assert_true(ste_mq_confirms_init(&confirms, 3));
    publish(&confirms, 10, 3);
    assert_true(ste_mq_confirms_full(&confirms));
    assert_true(ste_mq_confirms_settle(&confirms, 2, false, true, note, &seen));
    assert_false(ste_mq_confirms_full(&confirms));
    ste_mq_confirms_deinit(&confirms);
}

/* One stuck publish: younger ones go on until the ring is used up, then the window closes; no slot
 * is taken twice. */
static void test_one_stuck_publish_stops_the_rest_at_the_ring_size(void **state)
{
    (void)state;
    struct ste_mq_confirms confirms;
    assert_true(ste_mq_confirms_init(&confirms, 4));
    ste_mq_confirms_add(&confirms, 99);
    unsigned passed = 0;
    while (!ste_mq_confirms_full(&confirms)) {
        uint64_t tag = ste_mq_confirms_add(&confirms, passed++);
        assert_true(ste_mq_confirms_settle(&confirms, tag, false, true, NULL, NULL));
    }
    assert_int_equal(passed, confirms.mask);
    assert_int_equal(confirms.unsettled, 1);
    struct seen seen = {0};
    assert_true(ste_mq_confirms_settle(&confirms, 1, false, true, note, &seen));
    assert_seen(&seen, 0, 99, STE_MQ_CONFIRMED);
    assert_false(ste_mq_confirms_full(&confirms));
    assert_int_equal(confirms.oldest, confirms.next);
    ste_mq_confirms_deinit(&confirms);
}

/* A nacked publish is often sent again from within the callback. */
static void test_the_callback_may_publish(void **state)
{
    (void)state;
    struct ste_mq_confirms confirms;
    assert_true(ste_mq_confirms_init(&confirms, 4));
    struct seen seen = {.again = &confirms};
    publish(&confirms, 1, 4);
    assert_true(ste_mq_confirms_settle(&confirms, 4, true, false, note, &seen));
    assert_int_equal(seen.count, 4);
    assert_int_equal(confirms.unsettled, 4);
    seen.again = NULL;
    assert_true(ste_mq_confirms_settle(&confirms, 8, true, true, note, &seen));
    for (size_t i = 0; i < 4; i++)
        assert_seen(&seen, 4 + i, 1001 + i, STE_MQ_CONFIRMED);
    assert_int_equal(confirms.unsettled, 0);
    ste_mq_confirms_deinit(&confirms);
}

static void count_up(void *context, uint64_t cookie, enum ste_mq_outcome outcome)
{
    (void)outcome;
    (*(uint64_t *)context) += cookie;
}

/* Many times around the ring, in random order and grouping: each cookie comes out exactly once. */
static void test_each_cookie_once_over_a_long_run(void **state)
{
    (void)state;
    enum { ROUNDS = 100000 };
    struct ste_mq_confirms confirms;
    uint64_t sum = 0, expected = 0, random = 12345;
    assert_true(ste_mq_confirms_init(&confirms, 16));
    for (uint64_t i = 1; i <= ROUNDS; i++) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        while (ste_mq_confirms_full(&confirms))
            assert_true(
                ste_mq_confirms_settle(&confirms, confirms.oldest, true, true, count_up, &sum));
        uint64_t tag = ste_mq_confirms_add(&confirms, i);
        expected += i;
        if (random >> 60 == 0)
            assert_true(ste_mq_confirms_settle(&confirms, tag, true, true, count_up, &sum));
        else if (random >> 62 == 1)
            assert_true(ste_mq_confirms_settle(&confirms, tag, false, true, count_up, &sum));
    }
    if (confirms.unsettled > 0)
        assert_true(ste_mq_confirms_settle(&confirms, 0, true, true, count_up, &sum));
    assert_true(sum == expected);
    ste_mq_confirms_deinit(&confirms);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tags_begin_with_one),
        cmocka_unit_test(test_one_by_one_and_out_of_order),
        cmocka_unit_test(test_multiple_skips_what_is_settled),
        cmocka_unit_test(test_tag_zero_multiple_is_everything),
        cmocka_unit_test(test_a_return_turns_the_later_ack_into_returned),
        cmocka_unit_test(test_what_we_never_published_is_refused),
        cmocka_unit_test(test_the_window_counts_open_publishes),
        cmocka_unit_test(test_one_stuck_publish_stops_the_rest_at_the_ring_size),
        cmocka_unit_test(test_the_callback_may_publish),
        cmocka_unit_test(test_each_cookie_once_over_a_long_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
