/* SPDX-License-Identifier: Apache-2.0
 * What the pool counts as new, as a repeat, as a conflict; and the latency it shares with the
 * driver. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/clock.h"
#include "bench/pool.h"

static void take(struct ste_pool *pool, const char *id, const char *body, bool redelivered)
{
    assert_true(ste_pool_take(pool, ste_bytes_of(id), ste_bytes_of(body), redelivered, 5000000));
}

static void test_new_repeat_conflict(void **state)
{
    (void)state;
    static const char a1[] = "69be3502f79f1528f9ffb5adbdf2f779.1",
                      a2[] = "69be3502f79f1528f9ffb5adbdf2f779.2";
    static const char b1[] = "667d61eeb0b7aaf59d16ddb9165fc2ea.1";
    struct ste_pool pool = {0};
    take(&pool, a1, "one", false);
    take(&pool, b1, "other", false);
    take(&pool, a1, "one", true);
    take(&pool, a1, "one", false);
    assert_int_equal(pool.cls, 2);
    assert_int_equal(atomic_load(&pool.seen_trades), 2);
    assert_int_equal(pool.repeats, 2);
    assert_int_equal(pool.redelivered, 1);
    take(&pool, a1, "changed", false);
    assert_int_equal(pool.conflicts, 1);
    take(&pool, a2, "two", false);
    assert_int_equal(pool.cls, 3);
    assert_int_equal(atomic_load(&pool.seen_trades), 2);
    take(&pool, a1, "one", false);
    assert_int_equal(pool.repeats, 3);
    assert_int_equal(pool.arrivals, 7);
    ste_pool_deinit(&pool);
}

static void test_resumed_from_a_ledger(void **state)
{
    (void)state;
    static const char a1[] = "69be3502f79f1528f9ffb5adbdf2f779.1";
    struct ste_pool pool = {0};
    assert_true(ste_pool_resume(&pool, ste_bytes_of(a1), 4000));
    assert_int_equal(atomic_load(&pool.seen_trades), 1);
    assert_int_equal(pool.trades[0].first_us, 4000);
    take(&pool, a1, "one", true);
    assert_int_equal(pool.repeats, 1);
    assert_int_equal(pool.conflicts, 0);
    ste_pool_deinit(&pool);
}

static void test_ids_that_are_none(void **state)
{
    (void)state;
    static const char *const ids[] = {"",
                                      "69be3502f79f1528f9ffb5adbdf2f779",
                                      "69be3502f79f1528f9ffb5adbdf2f779.",
                                      "69be3502f79f1528f9ffb5adbdf2f779.0",
                                      "69be3502f79f1528f9ffb5adbdf2f779.65",
                                      "69be3502f79f1528f9ffb5adbdf2f779.1x",
                                      "69BE3502f79f1528f9ffb5adbdf2f779.1",
                                      "69be3502f79f1528f9ffb5adbdf2f77.11"};
    struct ste_pool pool = {0};
    for (size_t i = 0; i < sizeof ids / sizeof ids[0]; i++)
        take(&pool, ids[i], "", false);
    assert_int_equal(pool.malformed, sizeof ids / sizeof ids[0]);
    assert_int_equal(pool.cls, 0);
    ste_pool_deinit(&pool);
}

static void test_many_trades(void **state)
{
    (void)state;
    struct ste_pool pool = {0};
    for (int round = 0; round < 2; round++) {
        for (unsigned i = 0; i < 5000; i++) {
            char id[64];
            (void)snprintf(id, sizeof id, "%08x000000000000000000000000.1", i * 2654435761u);
            take(&pool, id, "x", round == 1);
        }
    }
    assert_int_equal(pool.cls, 5000);
    assert_int_equal(pool.redelivered, 5000);
    ste_pool_deinit(&pool);
}

/* Two trades of two messages; the CLS of one arrives 3 ms after the confirm of its last message. */
static void test_latency_from_last_confirm(void **state)
{
    (void)state;
    struct ste_set_header header = {.trades = 3, .messages = 5};
    struct ste_set_entry entries[5] = {{.trade_key = {{1}}, .trade = 0},
                                       {.trade_key = {{2}}, .trade = 1},
                                       {.trade_key = {{1}}, .trade = 0},
                                       {.trade_key = {{2}}, .trade = 1},
                                       {.trade_key = {{3}}, .trade = 2}};
    struct ste_set set = {.header = &header, .entries = entries};
    struct ste_flow flow;
    struct ste_error err = {0};
    assert_int_equal(ste_flow_init(&flow, &set, &err), STE_OK);
    struct ste_pool pool = {.flow = &flow};
    ste_flow_confirmed(&flow, &entries[0], 2, 1000, 0);
    ste_flow_confirmed(&flow, &entries[2], 2, 2000, 0);
    take(&pool, "01000000000000000000000000000000.1", "x", false); /* at 5,000 us */
    assert_int_equal(atomic_load(&flow.cleared_messages), 2);
    take(&pool, "02000000000000000000000000000000.1", "x", false);
    take(&pool, "02000000000000000000000000000000.1", "x", true);
    take(&pool, "09000000000000000000000000000000.1", "x", false);
    assert_int_equal(atomic_load(&flow.cleared_messages), 4);
    assert_int_equal(pool.unknown, 1);
    static struct ste_histogram histogram;
    ste_histogram_init(&histogram);
    assert_int_equal(ste_flow_latency(&flow, &histogram, NULL), 1);
    assert_int_equal(histogram.count, 2);
    assert_int_equal(ste_histogram_percentile_us(&histogram, 50), 3000);
    ste_pool_deinit(&pool);
    ste_flow_deinit(&flow);
}

static void test_two_trades_with_one_key_are_no_set(void **state)
{
    (void)state;
    struct ste_set_header header = {.trades = 2, .messages = 2};
    struct ste_set_entry entries[2] = {{.trade_key = {{1}}, .trade = 0},
                                       {.trade_key = {{1}}, .trade = 1}};
    struct ste_set set = {.header = &header, .entries = entries};
    struct ste_flow flow;
    struct ste_error err = {0};
    assert_int_equal(ste_flow_init(&flow, &set, &err), STE_E_PARSE);
}

static void test_a_broker_away_is_not_idle(void **state)
{
    (void)state;
    enum { IDLE_S = 30 };
    struct ste_flow flow = {.to_confirm = 7};
    struct ste_pool pool = {.flow = &flow, .expect = 1, .idle_s = IDLE_S};
    const uint64_t later_ns = 100 * STE_NS_PER_S, idle_ns = IDLE_S * STE_NS_PER_S;
    uint64_t heard_ns = STE_NS_PER_S;
    atomic_store(&flow.last_confirm_ns, STE_NS_PER_S);
    assert_false(ste_pool_is_over(&pool, false, later_ns, &heard_ns));
    assert_false(ste_pool_is_over(&pool, true, later_ns + idle_ns - 1, &heard_ns));
    assert_true(ste_pool_is_over(&pool, true, later_ns + idle_ns, &heard_ns));
    assert_true(pool.timed_out);
    /* All is confirmed: nobody else waits for the broker. */
    pool.timed_out = false;
    atomic_store(&flow.confirmed_messages, 7);
    assert_true(ste_pool_is_over(&pool, false, later_ns + idle_ns, &heard_ns));
    assert_true(pool.timed_out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_new_repeat_conflict),
        cmocka_unit_test(test_resumed_from_a_ledger),
        cmocka_unit_test(test_ids_that_are_none),
        cmocka_unit_test(test_many_trades),
        cmocka_unit_test(test_latency_from_last_confirm),
        cmocka_unit_test(test_two_trades_with_one_key_are_no_set),
        cmocka_unit_test(test_a_broker_away_is_not_idle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
