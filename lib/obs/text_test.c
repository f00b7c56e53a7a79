/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "obs/internal.h"

static size_t count(const char *text, const char *word)
{
    size_t found = 0;
    for (const char *at = text; (at = strstr(at, word)); at += strlen(word))
        found++;
    return found;
}

static void test_one_head_and_a_line_per_worker(void **state)
{
    (void)state;
    struct ste_obs_worker a = {.labels = "worker=\"0\",shard=\"3\""}, b = {.labels = ""};
    struct ste_obs_worker *workers[] = {&a, &b};
    struct ste_buf out = {0};
    ste_obs_add(&a, STE_M_ARRIVALS, 7);
    ste_obs_add(&a, STE_M_ARRIVALS, 1);
    ste_obs_set(&b, STE_M_BUSY_NS, 12123456789u);
    a.types[0][4] = 6;
    ste_obs_set(&b, STE_M_UNCONFIRMED, UINT64_MAX);
    ste_obs_write_text(&out, "node", "node-1", workers, 2);
    ste_buf_append(&out, "", 1);
    assert_false(out.failed);

    assert_int_equal(count(out.at, "# HELP ste_stage_arrivals_total deliveries received\n"), 1);
    assert_int_equal(count(out.at, "# TYPE ste_stage_arrivals_total counter\n"), 1);
    assert_int_equal(count(out.at, "# TYPE ste_unconfirmed gauge\n"), 1);
    assert_int_equal(count(out.at, "# TYPE "), STE_METRIC_COUNT);
    assert_non_null(strstr(
        out.at,
        "ste_stage_arrivals_total{proc=\"node\",name=\"node-1\",worker=\"0\",shard=\"3\"} 8\n"));
    assert_non_null(strstr(
        out.at, "ste_stage_busy_seconds_total{proc=\"node\",name=\"node-1\"} 12.123456789\n"));
    assert_non_null(
        strstr(out.at, "ste_unconfirmed{proc=\"node\",name=\"node-1\"} 18446744073709551615\n"));
    const size_t typed = STE_METRIC_COUNT - STE_M_TYPE_FIRST;
    assert_int_equal(count(out.at, "\n"), STE_M_TYPE_FIRST * 4 + typed * (2 + 2 * 5));
    assert_non_null(strstr(out.at, "ste_type_arrivals_total{proc=\"node\",name=\"node-1\",worker="
                                   "\"0\",shard=\"3\",type=\"EXC\"} 6\n"));
    assert_non_null(strstr(
        out.at, "ste_type_busy_seconds_total{proc=\"node\",name=\"node-1\",type=\"NOE\"} 0.0"));
    ste_buf_deinit(&out);
}

static void test_labels_are_escaped(void **state)
{
    (void)state;
    struct ste_obs_worker a = {.labels = ""};
    struct ste_obs_worker *workers[] = {&a};
    struct ste_buf out = {0};
    ste_obs_write_text(&out, "node", "a\"b\\c\nd", workers, 1);
    ste_buf_append(&out, "", 1);
    assert_non_null(strstr(out.at, "name=\"a\\\"b\\\\c\\nd\"} 0\n"));
    ste_buf_deinit(&out);
}

/* The rules of the format that a table row could break. */
static void test_the_table_is_well_named(void **state)
{
    (void)state;
    for (size_t i = 0; i < STE_METRIC_COUNT; i++) {
        const struct ste_metric *metric = &ste_metrics[i];
        size_t len = strlen(metric->name);
        assert_true(strncmp(metric->name, "ste_", 4) == 0);
        assert_int_equal(strspn(metric->name, "abcdefghijklmnopqrstuvwxyz_"), len);
        assert_string_equal(metric->labels, i < STE_M_TYPE_FIRST ? "" : "type");
        assert_true(metric->kind == STE_METRIC_gauge ||
                    strcmp(metric->name + len - 6, "_total") == 0);
        if (metric->kind == STE_METRIC_seconds)
            assert_non_null(strstr(metric->name, "_seconds_total"));
        assert_null(strpbrk(metric->help, "\n\\"));
        for (size_t j = 0; j < i; j++)
            assert_string_not_equal(metric->name, ste_metrics[j].name);
    }
}

static void test_reasons(void **state)
{
    (void)state;
    struct ste_obs_worker a = {.labels = "worker=\"0\""}, b = {.labels = "worker=\"1\""};
    struct ste_obs_worker *workers[] = {&a, &b};
    struct ste_buf out = {0};
    assert_true(ste_obs_write_reasons(&out, workers, 2));
    assert_int_equal(out.len, 0);
    ste_obs_not_ready(&b, "broker blocks publishers");
    ste_obs_not_ready(&a, "");
    assert_false(ste_obs_write_reasons(&out, workers, 2));
    ste_buf_append(&out, "", 1);
    assert_string_equal(out.at, "worker=\"1\": broker blocks publishers\n");
    ste_obs_not_ready(&b, NULL);
    ste_buf_clear(&out);
    assert_true(ste_obs_write_reasons(&out, workers, 2));
    ste_buf_deinit(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_head_and_a_line_per_worker),
        cmocka_unit_test(test_labels_are_escaped),
        cmocka_unit_test(test_the_table_is_well_named),
        cmocka_unit_test(test_reasons),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
