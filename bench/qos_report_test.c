/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "bench/qos_report.h"

static struct ste_qos_result result_of(enum ste_qos_kind kind, uint64_t bytes, uint64_t demand,
                                       uint64_t receivers, double rate)
{
    return (struct ste_qos_result){.round = 1,
                                   .point = {.kind = kind,
                                             .bytes = bytes,
                                             .demand = demand,
                                             .senders = 1,
                                             .receivers = receivers,
                                             .keys = 1},
                                   .time_s = 5,
                                   .sent = 50,
                                   .balance = {.expected = 50, .received = 50},
                                   .sent_per_s = 10,
                                   .received_per_s = rate,
                                   .p50_ms = 1.5,
                                   .p99_ms = 2.25};
}

static char *text_of(const struct ste_qos_report *report,
                     void (*print)(const struct ste_qos_report *report, FILE *out))
{
    char *text = NULL;
    size_t len = 0;
    FILE *out = open_memstream(&text, &len);
    assert_non_null(out);
    print(report, out);
    assert_int_equal(fclose(out), 0);
    return text;
}

static void test_only_pairs_of_the_base_make_ratios(void **state)
{
    (void)state;
    const struct ste_qos_options options = {.seconds = 5};
    struct ste_qos_result results[] = {
        result_of(STE_QOS_DURABLE, 512, STE_QOS_FULL, 1, 6000),
        result_of(STE_QOS_VOLATILE, 512, STE_QOS_FULL, 1, 10000),
        result_of(STE_QOS_DURABLE, 4096, STE_QOS_FULL, 1, 2500),
        result_of(STE_QOS_VOLATILE, 4096, STE_QOS_FULL, 1, 10000),
        result_of(STE_QOS_DURABLE, 1500, STE_QOS_FULL, 1, 1),
        result_of(STE_QOS_DURABLE, 16384, 100, 1, 1),
        result_of(STE_QOS_VOLATILE, 16384, STE_QOS_FULL, 5, 1),
    };
    struct ste_qos_report report = {.options = &options, .results = results, .count = 7};
    char *text = text_of(&report, ste_qos_report_closing);
    assert_string_equal(text, "durable / volatile at full speed, 1 sender, 1 receiver: 512 B 0.60, "
                              "4096 B 0.25\n");
    free(text);
    report.count = 1;
    text = text_of(&report, ste_qos_report_closing);
    assert_non_null(strstr(text, ": not measured\n"));
    free(text);
}

static void test_rounds(void **state)
{
    (void)state;
    const struct ste_qos_options options = {.seconds = 5};
    struct ste_qos_result results[6];
    for (unsigned round = 0; round < 3; round++) {
        results[2 * round] = result_of(STE_QOS_DURABLE, 512, STE_QOS_FULL, 1, 50 + round);
        results[2 * round + 1] = result_of(STE_QOS_VOLATILE, 512, STE_QOS_FULL, 1, 100);
        results[2 * round].round = results[2 * round + 1].round = round + 1;
    }
    struct ste_qos_report report = {.options = &options, .results = results, .count = 6};
    char *text = text_of(&report, ste_qos_report_closing);
    assert_string_equal(text, "durable / volatile at full speed, 1 sender, 1 receiver: 512 B 0.51 "
                              "(0.50-0.52)\n");
    free(text);
    struct ste_table *table = NULL;
    struct ste_buf out = {0};
    struct ste_json *root = NULL;
    assert_int_equal(ste_qos_report_table(&report, &table, NULL), STE_OK);
    assert_true(ste_qos_report_json(&report, table, &out));
    assert_int_equal(ste_json_parse(ste_buf_bytes(&out), 0, &root, NULL), STE_OK);
    assert_int_equal(ste_json_count(ste_json_get(root, "runs")), 3);
    assert_int_equal(ste_json_count(ste_json_get(root, "ratios")), 3);
    const struct ste_json *second = ste_json_next(ste_json_first(ste_json_get(root, "ratios")));
    double value = 0;
    assert_true(ste_json_double(ste_json_get(second, "durable / volatile, 512 B"), &value));
    assert_true(value == 0.51);
    ste_json_free(root);
    ste_buf_deinit(&out);
    ste_table_free(table);
}

static void test_json_is_what_compare_reads(void **state)
{
    (void)state;
    const struct ste_qos_options options = {.seconds = 5, .mode = STE_QOS_WORK};
    struct ste_qos_result results[] = {
        result_of(STE_QOS_DURABLE, 4096, STE_QOS_FULL, 1, 2500),
        result_of(STE_QOS_VOLATILE, 4096, STE_QOS_FULL, 1, 10000),
        result_of(STE_QOS_DURABLE, 4096, 1000, 1, 1000),
    };
    struct ste_qos_report report = {
        .options = &options, .results = results, .count = 3, .complete = true};
    struct ste_table *table = NULL;
    struct ste_buf out = {0};
    struct ste_json *root = NULL;
    assert_int_equal(ste_qos_report_table(&report, &table, NULL), STE_OK);
    assert_int_equal(ste_table_rows(table), 3);
    assert_true(ste_qos_report_json(&report, table, &out));
    assert_int_equal(ste_json_parse(ste_buf_bytes(&out), 0, &root, NULL), STE_OK);

    const struct ste_json *run = ste_json_first(ste_json_get(root, "runs"));
    double value = 0;
    assert_true(ste_json_double(ste_json_get(run, "durable, 4096 B, 1000, 1 to 1: received_per_s"),
                                &value));
    assert_true(value == 1000);
    const struct ste_json *ratio = ste_json_first(ste_json_get(root, "ratios"));
    assert_true(ste_json_double(ste_json_get(ratio, "durable / volatile, 4096 B"), &value));
    assert_true(value == 0.25);
    const struct ste_json *first = ste_json_first(ste_json_get(root, "points"));
    assert_string_equal(ste_json_text(ste_json_get(first, "demand_per_s")), "full");
    ste_json_free(root);
    ste_buf_deinit(&out);
    ste_table_free(table);
}

static void test_durable_loses_nothing(void **state)
{
    (void)state;
    struct ste_qos_result results[] = {
        result_of(STE_QOS_DURABLE, 4096, STE_QOS_FULL, 1, 2500),
        result_of(STE_QOS_VOLATILE, 4096, STE_QOS_FULL, 1, 10000),
    };
    struct ste_qos_report report = {.results = results, .count = 2};
    FILE *out = fopen("/dev/null", "w");
    assert_non_null(out);
    assert_true(ste_qos_report_losses(&report, out));
    results[1].balance.lost = 1;
    assert_true(ste_qos_report_losses(&report, out));
    results[0].balance.surplus = 1;
    assert_false(ste_qos_report_losses(&report, out));
    assert_int_equal(fclose(out), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_only_pairs_of_the_base_make_ratios),
        cmocka_unit_test(test_rounds),
        cmocka_unit_test(test_json_is_what_compare_reads),
        cmocka_unit_test(test_durable_loses_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
