/* SPDX-License-Identifier: Apache-2.0
 * Latency and residence from times told, not taken: a clock that stalls shows what coordinated
 * omission hides. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "bench/flow.h"
#include "bench/schedule.h"

enum { TRADES = 1000, RATE = 1000, STALL_AT = 100, STALL_MS = 500 };

/* Trades of one message each, 1,000 a second; the engine takes 1 ms a trade, but once the whole
 * world stands still for 500 ms: the driver sends what was due meanwhile as soon as it can. */
static void test_a_stalled_clock_counts_only_against_the_schedule(void **state)
{
    (void)state;
    static struct ste_set_entry entries[TRADES];
    struct ste_set_header header = {.trades = TRADES, .messages = TRADES, .cls = TRADES};
    struct ste_set set = {.header = &header, .entries = entries};
    struct ste_schedule schedule = {.rate = RATE};
    struct ste_flow flow;
    struct ste_error err = {0};
    for (uint32_t i = 0; i < TRADES; i++) {
        entries[i].trade = i;
        entries[i].trade_key.bytes[0] = (uint8_t)i;
        entries[i].trade_key.bytes[1] = (uint8_t)(1 + i / 256);
    }
    assert_int_equal(ste_flow_init(&flow, &set, &err), STE_OK);
    uint64_t now_us = 1000000;
    ste_schedule_start(&schedule, now_us * 1000);
    ste_schedule_start(&schedule, now_us * 2000); /* runs already */
    for (uint32_t i = 0; i < TRADES; i++) {
        uint64_t due_us = ste_schedule_due_ns(&schedule, i) / 1000;
        assert_int_equal(due_us, 1000000 + i * 1000);
        if (now_us < due_us)
            now_us = due_us;
        if (i == STALL_AT)
            now_us += STALL_MS * 1000;
        ste_flow_confirmed(&flow, &entries[i], 1, now_us, due_us);
        ste_flow_cleared(&flow, i, now_us + 1000);
    }
    static struct ste_histogram plain, scheduled;
    ste_histogram_init(&plain);
    ste_histogram_init(&scheduled);
    assert_int_equal(ste_flow_latency(&flow, &plain, &scheduled), 0);
    assert_int_equal(plain.largest_us, 1000); /* the stall does not show at all */
    assert_int_equal(scheduled.count, TRADES);
    assert_int_equal(scheduled.largest_us, 1000 + STALL_MS * 1000);
    /* Half of all trades were held up, by 500 ms down to 1 ms: a quarter by more than 250. */
    assert_in_range(ste_histogram_percentile_us(&scheduled, 75), 245000, 256000);
    assert_in_range(ste_histogram_percentile_us(&scheduled, 50), 1000, 1008);
    ste_flow_deinit(&flow);
}

/* Two trades, three messages that clear and one that does not; a repeat counts for nothing. */
static void test_mean_residence(void **state)
{
    (void)state;
    struct ste_set_header header = {.trades = 2, .messages = 5, .cls = 1};
    struct ste_set_entry entries[5] = {{.trade_key = {{1}}, .trade = 0},
                                       {.trade_key = {{1}}, .trade = 0},
                                       {.trade_key = {{2}}, .trade = 1, .flags = STE_SET_NO_CLS},
                                       {.trade_key = {{1}}, .trade = 0},
                                       {.trade_key = {{1}}, .trade = 0, .flags = STE_SET_REPEAT}};
    struct ste_set set = {.header = &header, .entries = entries};
    struct ste_flow flow;
    struct ste_error err = {0};
    uint64_t messages = 0;
    assert_int_equal(ste_flow_init(&flow, &set, &err), STE_OK);
    ste_flow_confirmed(&flow, &entries[0], 3, 1000, 0);
    ste_flow_cleared(&flow, 0, 9000); /* its last confirm is read later */
    assert_int_equal(atomic_load(&flow.cleared_messages), 3);
    (void)ste_flow_residence_ms(&flow, &messages);
    assert_int_equal(messages, 0);
    ste_flow_confirmed(&flow, &entries[3], 1, 10000, 0);
    ste_flow_confirmed(&flow, &entries[4], 1, 90000, 0);
    double mean_ms = ste_flow_residence_ms(&flow, &messages);
    assert_int_equal(messages, 3);
    assert_true(mean_ms == (8.0 + 8.0 - 1.0) / 3);
    static struct ste_histogram plain, scheduled;
    ste_histogram_init(&plain);
    ste_histogram_init(&scheduled);
    assert_int_equal(ste_flow_latency(&flow, &plain, &scheduled), 0); /* trade 1 is not missing */
    assert_int_equal(scheduled.count, 0);
    ste_flow_cleared(&flow, 1, 95000); /* and not on its way: */
    assert_int_equal(atomic_load(&flow.cleared_messages), 3);
    assert_int_equal(atomic_load(&flow.confirmed_messages), 5);
    ste_flow_deinit(&flow);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_stalled_clock_counts_only_against_the_schedule),
        cmocka_unit_test(test_mean_residence),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
