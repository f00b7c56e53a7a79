/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/prometheus.h"

#include "base/testing.h"

static void test_a_page(void **state)
{
    (void)state;
    struct ste_bytes text = STE_BYTES("# HELP a_total things\n"
                                      "# TYPE a_total counter\n"
                                      "a_total{proc=\"node\",name=\"node-1\",worker=\"0\"} 8\n"
                                      "\n"
                                      "b_seconds{name=\"x\\\"}y,z=\\\\\",type=\"NOE\"} 1.5e3 1700\n"
                                      "c 0.25");
    struct ste_prometheus_line line;
    assert_true(ste_prometheus_next(&text, &line));
    assert_text(line.name, "a_total");
    assert_true(line.value == 8);
    assert_text(ste_prometheus_label(&line, "name"), "node-1");
    assert_text(ste_prometheus_label(&line, "worker"), "0");
    assert_text(ste_prometheus_label(&line, "work"), "");
    assert_text(ste_prometheus_label(&line, "type"), "");
    assert_true(ste_prometheus_next(&text, &line));
    assert_text(ste_prometheus_label(&line, "name"), "x\\\"}y,z=\\\\");
    assert_text(ste_prometheus_label(&line, "type"), "NOE");
    assert_true(line.value == 1500);
    assert_true(ste_prometheus_next(&text, &line));
    assert_text(line.name, "c");
    assert_text(line.labels, "");
    assert_true(line.value == 0.25);
    assert_false(ste_prometheus_next(&text, &line));
}

static void test_what_is_no_sample_is_passed_over(void **state)
{
    (void)state;
    struct ste_bytes text =
        STE_BYTES("a\na{\na{b=\"c\na{b=\"c\"}\na{b=\"c\"}1\na{b=\"c\"} x\na NaN\n"
                  "{b=\"c\"} 1\n 1\na{b=\"c\\\"} 1\nlast 7\n");
    struct ste_prometheus_line line;
    assert_true(ste_prometheus_next(&text, &line));
    assert_text(line.name, "last");
    assert_false(ste_prometheus_next(&text, &line));
    line.labels = STE_BYTES("a=\"b\",c=d,e=\"f\"");
    assert_text(ste_prometheus_label(&line, "e"), "");
    line.labels = STE_BYTES("a");
    assert_text(ste_prometheus_label(&line, "a"), "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_page),
        cmocka_unit_test(test_what_is_no_sample_is_passed_over),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
