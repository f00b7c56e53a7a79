/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "bench/compare.h"

static void read_text(struct ste_comparison *compare, enum ste_compare_side side, const char *text)
{
    struct ste_json *root = NULL;
    struct ste_error err = {0};
    assert_int_equal(ste_json_parse(ste_bytes_of(text), 0, &root, &err), STE_OK);
    assert_int_equal(ste_compare_read(compare, side, root, &err), STE_OK);
    ste_json_free(root);
}

static const struct ste_compare_figure *figure(const struct ste_comparison *compare,
                                               const char *name)
{
    for (size_t i = 0; i < compare->count; i++) {
        if (strcmp(compare->figures[i].name, name) == 0)
            return &compare->figures[i];
    }
    fail_msg("no figure %s", name);
    return NULL;
}

static void test_direction_by_name(void **state)
{
    (void)state;
    static const char *const higher[] = {
        "singles",
        "msg_per_s",
        "bytes_per_s",
        "received/s",
        "singles / broker alone",
        "x per s",
        "p0lish",
        "durable, 4096 B, full: received_per_s",
        "bytesize",
        "batches of 64",
        "fit of the prediction, 2 x 4",
    };
    static const char *const lower[] = {
        "latency_ms.p50",
        "p99_ms",
        "time_s",
        "cpu us per message",
        "bytes per message",
        "lost",
        "rss_bytes",
        "90%: p99 ms",
        "p99 at 90% / at 25%",
        "commit_us",
        "conflicts",
        "malformed",
        "unknown",
        "cls_unexpected",
        "nacked",
        "returned",
        "resent",
        "pool_reconnects",
        "redelivered",
        "cls_missing",
        "bytes a message",
        "errors",
    };
    static const char *const neither[] = {"buffer pool / data", "cls_expected",
                                          "duplicates_expected"};
    for (size_t i = 0; i < sizeof higher / sizeof *higher; i++)
        if (ste_compare_better(higher[i]) != STE_COMPARE_HIGHER)
            fail_msg("%s", higher[i]);
    for (size_t i = 0; i < sizeof lower / sizeof *lower; i++)
        if (ste_compare_better(lower[i]) != STE_COMPARE_LOWER)
            fail_msg("%s", lower[i]);
    for (size_t i = 0; i < sizeof neither / sizeof *neither; i++)
        if (ste_compare_better(neither[i]) != STE_COMPARE_NEITHER)
            fail_msg("%s", neither[i]);
}

static struct ste_compare_row judge(bool lower, double tolerance, const double a[3],
                                    const double b[3])
{
    struct ste_compare_figure f = {.better = lower ? STE_COMPARE_LOWER : STE_COMPARE_HIGHER};
    for (int i = 0; i < 3; i++) {
        f.sides[STE_COMPARE_A].values[i] = a[i];
        f.sides[STE_COMPARE_B].values[i] = b[i];
    }
    f.sides[STE_COMPARE_A].count = f.sides[STE_COMPARE_B].count = 3;
    return ste_compare_judge(&f, tolerance);
}

static void test_worse_only_beyond_tolerance_and_spread(void **state)
{
    (void)state;
    const double a[3] = {103, 97, 100}, near[3] = {95, 94, 96}, far[3] = {78, 80, 82},
                 wide[3] = {70, 75, 98}, more[3] = {130, 120, 125};
    struct ste_compare_row row = judge(false, 0.1, a, far);
    assert_int_equal(row.verdict, STE_COMPARE_WORSE);
    assert_true(fabs(row.ratio - 0.8) < 1e-9);
    assert_true(fabs(row.ratio_min - 78.0 / 103) < 1e-9);
    assert_true(fabs(row.ratio_max - 82.0 / 97) < 1e-9);
    assert_true(row.a.median == 100 && row.a.min == 97 && row.a.max == 103 && row.a.count == 3);
    assert_int_equal(judge(true, 0.1, a, far).verdict, STE_COMPARE_BETTER);
    assert_int_equal(judge(false, 0.1, a, near).verdict, STE_COMPARE_SAME); /* within 10 % */
    assert_int_equal(judge(false, 0.01, a, near).verdict, STE_COMPARE_WORSE);
    assert_int_equal(judge(false, 0.1, a, wide).verdict, STE_COMPARE_SAME); /* spreads touch */
    assert_int_equal(judge(false, 0.1, a, more).verdict, STE_COMPARE_BETTER);
    assert_int_equal(judge(true, 0.1, a, more).verdict, STE_COMPARE_WORSE);
}

static void test_from_nothing_to_something(void **state)
{
    (void)state;
    const double zero[3] = {0, 0, 0}, some[3] = {2, 2, 2};
    struct ste_compare_row row = judge(true, 0.1, zero, some);
    assert_int_equal(row.verdict, STE_COMPARE_WORSE);
    assert_true(isnan(row.ratio) && isnan(row.ratio_max));
    assert_int_equal(judge(true, 0.1, zero, zero).verdict, STE_COMPARE_SAME);
}

static void test_runs_and_ratios(void **state)
{
    (void)state;
    struct ste_comparison c = {0};
    read_text(
        &c, STE_COMPARE_A,
        "{\"machine\":{\"cores\":2},\"goals\":[{\"name\":\"g\",\"value\":1}],"
        "\"runs\":[{\"singles\":10,\"broker alone\":20},{\"singles\":12,\"broker alone\":21}],"
        "\"ratios\":[{\"singles / broker alone\":0.5},{\"singles / broker alone\":0.57}]}");
    read_text(&c, STE_COMPARE_B, "{\"runs\":[{\"singles\":11}]}");
    read_text(&c, STE_COMPARE_B, "{\"runs\":[{\"singles\":13,\"batch\":64}]}"); /* adds up */
    assert_int_equal(c.count, 3);
    assert_int_equal(figure(&c, "singles")->sides[STE_COMPARE_A].count, 2);
    assert_int_equal(figure(&c, "singles")->sides[STE_COMPARE_B].count, 2);
    assert_false(ste_compare_counts(figure(&c, "singles"), false));
    assert_true(ste_compare_counts(figure(&c, "singles"), true));
    const struct ste_compare_figure *ratio = figure(&c, "singles / broker alone");
    assert_true(ratio->is_ratio && ste_compare_counts(ratio, false));
    assert_int_equal(ste_compare_judge(ratio, 0.1).verdict, STE_COMPARE_ALONE);
    ste_comparison_deinit(&c);
}

static void test_ratios_are_made_within_each_run(void **state)
{
    (void)state;
    struct ste_comparison c = {0};
    read_text(&c, STE_COMPARE_A,
              "{\"runs\":[{\"singles\":10,\"p99 ms\":3,\"broker alone\":20},"
              "{\"singles\":12,\"p99 ms\":3,\"broker alone\":48},{\"singles\":7}]}");
    const struct ste_compare_figure *ratio = figure(&c, "singles / broker alone");
    assert_int_equal(ratio->sides[STE_COMPARE_A].count, 2);
    assert_true(ratio->sides[STE_COMPARE_A].values[0] == 0.5);
    assert_true(ratio->sides[STE_COMPARE_A].values[1] == 0.25);
    assert_int_equal(c.count, 4); /* no latency over a rate */
    ste_comparison_deinit(&c);
}

static void test_no_ratio_without_end(void **state)
{
    (void)state;
    struct ste_comparison c = {0};
    read_text(&c, STE_COMPARE_A, "{\"runs\":[{\"x\":1e308,\"y\":1,\"x alone\":1e-300}]}");
    (void)figure(&c, "y / x alone");
    for (size_t i = 0; i < c.count; i++)
        assert_true(isfinite(c.figures[i].sides[STE_COMPARE_A].values[0]));
    ste_comparison_deinit(&c);
}

static void test_reports_and_lists(void **state)
{
    (void)state;
    struct ste_comparison c = {0};
    read_text(&c, STE_COMPARE_A,
              "{\"trades\":100,\"singles\":[1,2,3],\"latency_ms\":{\"p50\":1.5,\"count\":9},"
              "\"passed\":true,\"run_id\":\"x\",\"ceilings\":["
              "{\"what\":\"broker\",\"batch\":1,\"msg_per_s\":5},"
              "{\"what\":\"broker\",\"batch\":64,\"msg_per_s\":50}]}");
    assert_int_equal(c.count, 4);
    assert_int_equal(figure(&c, "singles")->sides[STE_COMPARE_A].count, 3);
    assert_int_equal(figure(&c, "latency_ms.p50")->better, STE_COMPARE_LOWER);
    assert_true(figure(&c, "ceilings[broker,64].msg_per_s")->sides[STE_COMPARE_A].values[0] == 50);
    ste_comparison_deinit(&c);
}

static void test_files_that_are_no_results(void **state)
{
    (void)state;
    static const char *const wrong[] = {
        "[]", "7", "{}", "{\"runs\":[]}", "{\"runs\":[[1],2]}", "{\"a\":\"b\"}"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct ste_comparison c = {0};
        struct ste_json *root = NULL;
        assert_int_equal(ste_json_parse(ste_bytes_of(wrong[i]), 0, &root, NULL), STE_OK);
        assert_int_equal(ste_compare_read(&c, STE_COMPARE_A, root, NULL), STE_E_PARSE);
        ste_json_free(root);
        ste_comparison_deinit(&c);
    }
}

static void test_without_direction_there_is_no_verdict(void **state)
{
    (void)state;
    struct ste_comparison c = {0};
    assert_int_equal(ste_compare_add(&c, STE_COMPARE_A, true, "buffer pool / data", .3, NULL), 0);
    assert_int_equal(ste_compare_add(&c, STE_COMPARE_B, true, "buffer pool / data", .1, NULL), 0);
    const struct ste_compare_figure *pool = figure(&c, "buffer pool / data");
    assert_int_equal(ste_compare_judge(pool, 0.1).verdict, STE_COMPARE_UNJUDGED);
    assert_false(ste_compare_counts(pool, false) || ste_compare_counts(pool, true));
    ste_comparison_deinit(&c);
}

/* Cut, the labels of two rows could be one, and so would be their figures. */
static void test_a_long_label_is_an_error(void **state)
{
    (void)state;
    struct ste_comparison c = {0};
    struct ste_json *root = NULL;
    struct ste_error err = {0};
    char text[300];
    (void)snprintf(text, sizeof text, "{\"rows\":[{\"what\":\"%0160d\",\"x\":1}]}", 0);
    assert_int_equal(ste_json_parse(ste_bytes_of(text), 0, &root, &err), STE_OK);
    assert_int_equal(ste_compare_read(&c, STE_COMPARE_A, root, &err), STE_E_LIMIT);
    ste_json_free(root);
    ste_comparison_deinit(&c);
}

static void test_limits(void **state)
{
    (void)state;
    struct ste_comparison c = {0};
    for (int i = 0; i < STE_COMPARE_VALUES_MAX; i++)
        assert_int_equal(ste_compare_add(&c, STE_COMPARE_B, false, "x", i, NULL), STE_OK);
    assert_int_equal(ste_compare_add(&c, STE_COMPARE_B, false, "x", 0, NULL), STE_E_LIMIT);
    ste_comparison_deinit(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_direction_by_name),
        cmocka_unit_test(test_worse_only_beyond_tolerance_and_spread),
        cmocka_unit_test(test_from_nothing_to_something),
        cmocka_unit_test(test_runs_and_ratios),
        cmocka_unit_test(test_ratios_are_made_within_each_run),
        cmocka_unit_test(test_no_ratio_without_end),
        cmocka_unit_test(test_reports_and_lists),
        cmocka_unit_test(test_files_that_are_no_results),
        cmocka_unit_test(test_without_direction_there_is_no_verdict),
        cmocka_unit_test(test_a_long_label_is_an_error),
        cmocka_unit_test(test_limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
