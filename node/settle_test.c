/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "node/settle.h"
#include "ref/ref_fixture.h"

static int open_settle(void **state)
{
    *state = calloc(1, sizeof(struct ste_settle));
    return *state == NULL;
}

static int close_settle(void **state)
{
    free(*state);
    return 0;
}

static void test_confirmed_rows_are_to_be_deleted(void **state)
{
    struct ste_settle *const settle = *state;
    ste_settle_note(settle, ste_settle_row(17, false), STE_MQ_CONFIRMED, 100);
    ste_settle_note(settle, ste_settle_row(4, true), STE_MQ_CONFIRMED, 200);
    assert_int_equal(settle->confirmed_count, 2);
    assert_int_equal(settle->confirmed[0], 17);
    assert_int_equal(settle->confirmed[1], 4);
    assert_int_equal(settle->confirmed_since_ns, 100); /* of the oldest */
    assert_int_equal(settle->awaited, 0);
    assert_int_equal(settle->refused, 0);
}

static void test_refused_rows_stay(void **state)
{
    struct ste_settle *const settle = *state;
    ste_settle_note(settle, ste_settle_row(1, false), STE_MQ_NACKED, 1);
    ste_settle_note(settle, ste_settle_row(2, false), STE_MQ_RETURNED, 1);
    ste_settle_note(settle, ste_settle_row(3, true), STE_MQ_NACKED, 1); /* its queue is full */
    assert_int_equal(settle->confirmed_count, 0);
}

static void test_a_reply_that_nobody_reads_is_done_when_it_comes_back(void **state)
{
    struct ste_settle *const settle = *state;
    ste_settle_note(settle, ste_settle_row(8, true), STE_MQ_RETURNED, 1);
    assert_int_equal(settle->confirmed_count, 1);
    assert_int_equal(settle->confirmed[0], 8);
}

static void test_no_more_than_there_is_room_for(void **state)
{
    struct ste_settle *const settle = *state;
    for (uint64_t id = 1; id <= STE_SETTLE_CONFIRMED_MAX + 10; id++)
        ste_settle_note(settle, ste_settle_row(id, false), STE_MQ_CONFIRMED, 1);
    assert_int_equal(settle->confirmed_count, STE_SETTLE_CONFIRMED_MAX);
    assert_int_equal(settle->confirmed[STE_SETTLE_CONFIRMED_MAX - 1], STE_SETTLE_CONFIRMED_MAX);
}

static void test_forwarded_ones_are_awaited(void **state)
{
    struct ste_settle *const settle = *state;
    assert_true(ste_settle_is_awaited(ste_settle_forwarded()));
    assert_false(ste_settle_is_awaited(ste_settle_row(UINT32_MAX, true)));
    settle->awaited = 3;
    ste_settle_note(settle, ste_settle_forwarded(), STE_MQ_CONFIRMED, 1);
    assert_int_equal(settle->awaited, 2);
    assert_int_equal(settle->refused, 0);
    ste_settle_note(settle, ste_settle_forwarded(), STE_MQ_NACKED, 1);
    ste_settle_note(settle, ste_settle_forwarded(), STE_MQ_RETURNED, 1);
    assert_int_equal(settle->awaited, 0);
    assert_int_equal(settle->refused, 2);
    assert_int_equal(settle->confirmed_count, 0); /* they are no outbox rows */
}

static void test_swept_rows_are_marked(void **state)
{
    struct ste_settle *const settle = *state;
    bool done[5] = {false};
    settle->swept_done = done;
    settle->swept_count = 4;
    settle->awaited = 5;
    assert_true(ste_settle_is_awaited(ste_settle_swept(0, false)));
    ste_settle_note(settle, ste_settle_swept(2, false), STE_MQ_CONFIRMED, 1);
    ste_settle_note(settle, ste_settle_swept(0, false), STE_MQ_RETURNED, 1);
    ste_settle_note(settle, ste_settle_swept(3, true), STE_MQ_RETURNED, 1);
    ste_settle_note(settle, ste_settle_swept(1, true), STE_MQ_NACKED, 1);
    const bool expected[5] = {false, false, true, true, false};
    assert_memory_equal(done, expected, sizeof(done));
    assert_int_equal(settle->awaited, 1);
    assert_int_equal(settle->refused, 2);
    /* An index that this sweep does not have marks nothing. */
    ste_settle_note(settle, ste_settle_swept(4, false), STE_MQ_CONFIRMED, 1);
    assert_memory_equal(done, expected, sizeof(done));
    assert_int_equal(settle->awaited, 0);
    assert_int_equal(settle->confirmed_count, 0);
}

static void test_a_late_confirm_finds_no_sweep(void **state)
{
    struct ste_settle *const settle = *state;
    settle->awaited = 1;
    ste_settle_note(settle, ste_settle_swept(0, false), STE_MQ_CONFIRMED, 1);
    assert_int_equal(settle->awaited, 0);
}

static void test_who_reads(void **state)
{
    static const struct {
        const char *key, *bcc;
        bool nobody;
    } rows[] = {
        {"reply.NOONSGSG", NULL, true},
        {"reply.BROKSGSG", NULL, false},
        {"reply.NOONSGSG", "reply.BROKSGSG", false},
        {"reply.NOONSGSG", "reply.ELSESGSG", true},
        {"reply.", NULL, false},
        {"cls.00", NULL, false},
        {"cls.00", "reply.NOONSGSG", false},
        {"exc.00", NULL, false},
        {"", NULL, false},
    };
    (void)state;
    struct ste_ref *const ref = ste_fixture_ref("", "2026-11-30");
    assert_non_null(ref);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const struct ste_bytes bcc = ste_bytes_of(rows[i].bcc);
        const struct ste_outbox_row row = {.routing_key = ste_bytes_of(rows[i].key),
                                           .bcc = &bcc,
                                           .bcc_count = rows[i].bcc != NULL};
        if (ste_row_nobody_reads(ref, &row) != rows[i].nobody)
            fail_msg("row %zu: %s", i, rows[i].key);
    }
    ste_ref_free(ref);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, open_settle, close_settle)
    const struct CMUnitTest tests[] = {
        TEST(test_confirmed_rows_are_to_be_deleted),
        TEST(test_refused_rows_stay),
        TEST(test_a_reply_that_nobody_reads_is_done_when_it_comes_back),
        TEST(test_no_more_than_there_is_room_for),
        TEST(test_forwarded_ones_are_awaited),
        TEST(test_swept_rows_are_marked),
        TEST(test_a_late_confirm_finds_no_sweep),
        TEST(test_who_reads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
