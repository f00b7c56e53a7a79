/* SPDX-License-Identifier: Apache-2.0
 * Shares of generated trades: that what a plan says of itself is what comes out, and what a flawed
 * message looks like. What the engine makes of them is tests/integration/test_bench_shares.py. */
#include <stdlib.h>
#include <string.h>

#include "bench/gen.h"
#include "bench/gen_testing.h"
#include "ref/conditions.h"

enum { TRADES = 2000, MESSAGES = 7 * TRADES };

static struct ste_gen_plan plan_of(const struct ste_gen_data *data, uint64_t window)
{
    return (struct ste_gen_plan){
        .gen = {.data = data,
                .seed = 5,
                .accounts_min = 2,
                .accounts_max = 2,
                .shares = {.mismatch = 500, .invalid = 200, .duplicate = 300, .late = 400}},
        .trades = TRADES,
        .shuffle_window = window};
}

/* What passes by: what each entry says, and where each message came first. */
struct seen {
    const struct ste_gen_plan *plan;
    struct ste_set_header header;
    uint64_t first[MESSAGES], sha[MESSAGES]; /* first: 1 + place; 0: not yet */
    uint64_t smallest, largest, at;
    bool no_cls[TRADES];
};

static enum ste_code see(void *context, const struct ste_gen_item *item, struct ste_error *err)
{
    (void)err;
    struct seen *seen = context;
    struct ste_set_entry entry;
    ste_gen_entry(seen->plan, item, &entry);
    ste_set_count(&seen->header, entry.flags);
    uint64_t sha = 0, number = 7 * item->trade->number + item->index;
    memcpy(&sha, entry.sha256_start, sizeof sha);
    seen->at++;
    if (entry.flags & STE_SET_REPEAT) {
        assert_true(seen->first[number] > 0);
        assert_int_equal(seen->sha[number], sha);
    } else {
        assert_int_equal(seen->first[number], 0);
        seen->first[number] = seen->at;
        seen->sha[number] = sha;
    }
    if (entry.flags & STE_SET_NO_CLS)
        seen->no_cls[item->trade->number] = true;
    size_t len = item->message.len;
    seen->smallest = len < seen->smallest ? len : seen->smallest;
    seen->largest = len > seen->largest ? len : seen->largest;
    return STE_OK;
}

static void check_plan(uint64_t window)
{
    struct ste_gen_data data = ste_gen_test_world();
    struct ste_gen_plan plan = plan_of(&data, window);
    static struct seen seen;
    struct ste_set_header header;
    struct ste_error err = {0};
    seen = (struct seen){.plan = &plan, .smallest = SIZE_MAX};
    assert_int_equal(ste_gen_header(&plan, &header, NULL, NULL, &err), STE_OK);
    assert_int_equal(ste_gen_run(&plan, see, &seen, NULL, &err), STE_OK);
    assert_int_equal(seen.header.messages, header.messages);
    assert_int_equal(seen.header.stored, header.stored);
    assert_int_equal(seen.header.refused, header.refused);
    assert_int_equal(seen.header.repeats, header.repeats);
    assert_int_equal(seen.header.late, header.late);
    assert_int_equal(seen.header.alone, header.alone);
    assert_int_equal(header.stored + header.refused, MESSAGES);
    uint64_t no_cls = 0;
    for (size_t i = 0; i < TRADES; i++)
        no_cls += seen.no_cls[i];
    assert_int_equal(no_cls, TRADES - header.cls);
    assert_in_range(header.mismatched, TRADES * 3 / 100, TRADES * 7 / 100);
    assert_in_range(header.refused, MESSAGES * 15 / 1000, MESSAGES * 23 / 1000);
    assert_in_range(header.repeats, MESSAGES * 2 / 100, MESSAGES * 4 / 100);
    assert_in_range(header.late, TRADES * 2 / 100, TRADES * 6 / 100);
    assert_in_range(seen.smallest, 1490, 1510);
    assert_in_range(seen.largest, 1490, 1510);
}

static void test_a_plan_comes_out_as_it_says(void **state)
{
    (void)state;
    check_plan(0);
    check_plan(512);
    check_plan(1500);
    check_plan(STE_GEN_SHUFFLE_ALL);
}

/* A late message comes when everything else of its trade has long been there. */
static void test_late_messages_are_late(void **state)
{
    (void)state;
    struct ste_gen_data data = ste_gen_test_world();
    struct ste_gen_plan plan = plan_of(&data, 512);
    static struct seen seen;
    static struct ste_gen_trade trade;
    struct ste_error err = {0};
    seen = (struct seen){.plan = &plan};
    assert_int_equal(ste_gen_run(&plan, see, &seen, NULL, &err), STE_OK);
    uint64_t late = 0;
    for (uint64_t number = 0; number < TRADES - 200; number++) {
        ste_gen_trade_draw(&plan.gen, number, &trade);
        for (unsigned i = 0; trade.flaw.late_at != STE_GEN_NO_MESSAGE && i < 7; i++) {
            uint64_t came = seen.first[7 * number + trade.flaw.late_at];
            if (i != trade.flaw.late_at)
                assert_true(came > seen.first[7 * number + i] + 512 - 7);
            late++;
        }
    }
    assert_true(late > 7 * 40);
}

static size_t lines_that_differ(struct ste_bytes a, struct ste_bytes b)
{
    size_t count = 0;
    char left[2048], right[2048], *left_next = left, *right_next = right;
    (void)snprintf(left, sizeof left, "%.*s", (int)a.len, a.at);
    (void)snprintf(right, sizeof right, "%.*s", (int)b.len, b.at);
    for (;;) {
        char *one = strsep(&left_next, "\n"), *other = strsep(&right_next, "\n");
        if (!one || !other)
            return count + (one != other);
        if (strncmp(one, "  <Narrative>", 13) == 0)
            return count; /* its length makes up for the others */
        count += strcmp(one, other) != 0;
    }
}

/* Against the same message without flaws: one line is another for every condition but the
 * currency, which stands beside each amount. */
static void test_one_condition_differs_in_one_message(void **state)
{
    (void)state;
    struct ste_gen_data data = ste_gen_test_world();
    struct ste_gen_plan flawed = plan_of(&data, 512), plain = flawed;
    flawed.gen.shares = (struct ste_gen_shares){.mismatch = STE_GEN_SHARE_ALL};
    plain.gen.shares = (struct ste_gen_shares){0};
    static struct ste_gen_trade trade, original;
    unsigned seen[STE_CONDITION_COUNT] = {0};
    for (uint64_t number = 0; number < TRADES; number++) {
        ste_gen_trade_draw(&flawed.gen, number, &trade);
        ste_gen_trade_draw(&plain.gen, number, &original);
        assert_false(ste_gen_clears(&trade));
        assert_true(ste_gen_clears(&original));
        seen[trade.flaw.condition]++;
        for (unsigned index = 0; index < 7; index++) {
            struct ste_buf a = {0}, b = {0};
            ste_gen_message_write(&flawed.gen, &trade, index, &a);
            ste_gen_message_write(&plain.gen, &original, index, &b);
            size_t lines = lines_that_differ(ste_buf_bytes(&a), ste_buf_bytes(&b));
            if (index != trade.flaw.differs_at)
                assert_int_equal(lines, 0);
            else if (trade.flaw.condition == STE_COND_SETTLEMENT_CURRENCY)
                assert_true(lines >= 4);
            else
                assert_int_equal(lines, 1);
            ste_buf_deinit(&a);
            ste_buf_deinit(&b);
        }
    }
    static const unsigned never[] = {0, STE_COND_TRADE_DATE, STE_COND_BROKER, STE_COND_MANAGER,
                                     STE_COND_ACCOUNT};
    for (size_t i = 0; i < COUNT_OF(never); i++)
        assert_int_equal(seen[never[i]], 0);
    unsigned drawn = 0;
    for (unsigned i = 0; i < STE_CONDITION_COUNT; i++)
        drawn += seen[i] > 0;
    assert_int_equal(drawn, 13);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_plan_comes_out_as_it_says),
        cmocka_unit_test(test_late_messages_are_late),
        cmocka_unit_test(test_one_condition_differs_in_one_message),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
