/* SPDX-License-Identifier: Apache-2.0
 * A set on disk and its plan made on the fly give the same deliveries, byte for byte. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/clock.h"
#include "bench/source.h"

static struct ste_gen_party brokers[] = {{"LBAASG2L"}};
static struct ste_gen_party managers[] = {{"LMAASG2L"}};
static struct ste_gen_party custodians[] = {{"LCAASG2L"}, {"LCABGB2L"}};
static char isins[][STE_GEN_ISIN_BYTES + 1] = {"US0378331005", "GB0002634946"};
static char folder[] = "/tmp/ste-source-XXXXXX";
static struct ste_gen_data data;
static struct ste_gen_plan plan;
static struct ste_set set;

static int make_set(void **state)
{
    (void)state;
    struct ste_error err = {0};
    data = (struct ste_gen_data){.currencies = {{"SGD", 2}, {"JPY", 0}, {"EUR", 2}},
                                 .currency_count = 3,
                                 .countries = {"SG", "GB"},
                                 .country_count = 2,
                                 .shares = {isins, 2},
                                 .brokers = {brokers, 1},
                                 .managers = {managers, 1},
                                 .custodians = {custodians, 2},
                                 .place_count = 1};
    assert_true(ste_date_parse(STE_BYTES("2026-11-30"), &data.trade_date));
    data.places[0] = (struct ste_gen_place){"CDPLSGSG", data.trade_date + 2, data.trade_date + 3};
    plan = (struct ste_gen_plan){
        .gen = {.data = &data,
                .seed = 9,
                .accounts_min = 1,
                .accounts_max = 3,
                .shares = {.mismatch = 300, .invalid = 500, .duplicate = 300, .late = 300}},
        .first_trade = 100,
        .trades = 700,
        .shuffle_window = 256};
    assert_non_null(mkdtemp(folder));
    assert_int_equal(ste_gen_set(&plan, folder, NULL, &err), STE_OK);
    return ste_set_open(&set, folder, &err) == STE_OK ? 0 : -1;
}

static int remove_set(void **state)
{
    (void)state;
    static const char *const names[] = {"set.ste", "set.idx", "set.json"};
    char path[64];
    ste_set_close(&set);
    for (size_t i = 0; i < 3; i++) {
        (void)snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        (void)unlink(path);
    }
    return rmdir(folder);
}

/* Waits for what is being made; false: the end. */
static bool take(struct ste_source *source, struct ste_delivery *ret)
{
    struct ste_error err = {0};
    for (;;) {
        switch (ste_source_take(source, ret, &err)) {
        case STE_SOURCE_TAKEN:
            return true;
        case STE_SOURCE_END:
            return false;
        case STE_SOURCE_WAIT:
            ste_clock_sleep_ms(1);
            break;
        default:
            fail_msg("%s", err.text);
        }
    }
}

static void check_same(unsigned batch, const uint8_t *done)
{
    struct ste_source *from_set = NULL, *from_plan = NULL;
    struct ste_delivery left, right;
    struct ste_buf left_buf = {0}, right_buf = {0};
    struct ste_bytes left_body, right_body;
    struct ste_error err = {0};
    uint64_t messages = 0, alone = 0;
    assert_int_equal(ste_source_open_set(&set, batch, done, &from_set, &err), STE_OK);
    assert_int_equal(ste_source_open_plan(&plan, batch, done, 8, &from_plan, &err), STE_OK);
    while (take(from_set, &left)) {
        assert_true(take(from_plan, &right));
        assert_int_equal(left.number, right.number);
        assert_int_equal(left.ahead, messages);
        assert_int_equal(right.ahead, messages);
        assert_int_equal(left.count, right.count);
        assert_memory_equal(left.entries, right.entries, left.count * sizeof *left.entries);
        assert_int_equal(ste_source_body(from_set, &left, &left_buf, &left_body, &err), STE_OK);
        assert_int_equal(ste_source_body(from_plan, &right, &right_buf, &right_body, &err), STE_OK);
        assert_true(ste_bytes_equal(left_body, right_body));
        assert_in_range(left.count, 1, batch);
        for (uint32_t i = 0; i < left.count; i++) {
            alone += (left.entries[i].flags & STE_SET_ALONE) != 0;
            assert_true(left.count == 1 || !(left.entries[i].flags & STE_SET_ALONE));
        }
        messages += left.count;
        ste_source_give_back(from_set, &left);
        ste_source_give_back(from_plan, &right);
    }
    assert_false(take(from_plan, &right));
    assert_int_equal(ste_source_skipped(from_set), ste_source_skipped(from_plan));
    assert_int_equal(messages + ste_source_skipped(from_set), set.header->messages);
    assert_int_equal(ste_source_clearing(from_set), ste_source_clearing(from_plan));
    if (!done)
        assert_int_equal(alone, set.header->alone);
    assert_true(set.header->alone > 5);
    ste_buf_deinit(&left_buf);
    ste_buf_deinit(&right_buf);
    ste_source_close(from_set);
    ste_source_close(from_plan);
}

static void test_set_and_plan_give_the_same_deliveries(void **state)
{
    (void)state;
    check_same(1, NULL);
    check_same(64, NULL);
}

static void test_what_is_done_is_skipped(void **state)
{
    (void)state;
    uint8_t done[1024] = {0x0f, 0xff, 0x80};
    check_same(16, done);
}

/* The thread waits for deliveries to come back, and ends although none does. */
static void test_closed_while_it_is_full(void **state)
{
    (void)state;
    struct ste_source *source = NULL;
    struct ste_delivery deliveries[16];
    struct ste_error err = {0};
    assert_int_equal(ste_source_open_plan(&plan, 4, NULL, 8, &source, &err), STE_OK);
    for (int i = 0; i < 8; i++)
        assert_true(take(source, &deliveries[i]));
    assert_int_equal(ste_source_take(source, &deliveries[8], &err), STE_SOURCE_WAIT);
    ste_source_give_back(source, &deliveries[3]);
    assert_true(take(source, &deliveries[8]));
    assert_int_equal(deliveries[8].number, 8);
    ste_source_close(source);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_set_and_plan_give_the_same_deliveries),
        cmocka_unit_test(test_what_is_done_is_skipped),
        cmocka_unit_test(test_closed_while_it_is_full),
    };
    return cmocka_run_group_tests(tests, make_set, remove_set);
}
