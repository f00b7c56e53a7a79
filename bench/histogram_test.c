/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "bench/histogram.h"
#include "bench/random.h"

static int by_value(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Every percentile lies within a bucket's width above the exact one of the sorted values. */
static void test_percentiles_near_exact(void **state)
{
    (void)state;
    enum { COUNT = 20000 };
    static uint64_t values[COUNT];
    static struct ste_histogram histogram;
    ste_histogram_init(&histogram);
    struct ste_random random = ste_random_of(7, 0, 0);
    for (size_t i = 0; i < COUNT; i++) {
        values[i] = ste_random_below(&random, UINT64_C(1) << (1 + i % 35));
        ste_histogram_add(&histogram, values[i]);
    }
    qsort(values, COUNT, sizeof values[0], by_value);
    static const double percents[] = {0.01, 1, 10, 50, 90, 95, 99, 99.9, 99.99};
    for (size_t i = 0; i < sizeof percents / sizeof percents[0]; i++) {
        uint64_t exact = values[(size_t)((double)COUNT * percents[i] / 100.0 + 0.5) - 1];
        uint64_t found = ste_histogram_percentile_us(&histogram, percents[i]);
        assert_true(found >= exact);
        assert_true(found <= exact + exact / 128 + 1);
    }
    assert_int_equal(ste_histogram_percentile_us(&histogram, 0), values[0]);
    assert_int_equal(ste_histogram_percentile_us(&histogram, 100), values[COUNT - 1]);
}

static void test_every_value_below_128_is_exact(void **state)
{
    (void)state;
    for (uint64_t value = 0; value < 128; value++) {
        static struct ste_histogram histogram;
        ste_histogram_init(&histogram);
        ste_histogram_add(&histogram, value);
        ste_histogram_add(&histogram, 5000);
        assert_int_equal(ste_histogram_percentile_us(&histogram, 50), value);
    }
}

static void test_edges(void **state)
{
    (void)state;
    static struct ste_histogram histogram;
    ste_histogram_init(&histogram);
    assert_int_equal(ste_histogram_percentile_us(&histogram, 50), 0);
    ste_histogram_add(&histogram, UINT64_MAX);
    assert_true(ste_histogram_percentile_us(&histogram, 100) == UINT64_MAX);
    assert_true(ste_histogram_percentile_us(&histogram, 0) == UINT64_MAX);
}

static void test_two_merged_are_one(void **state)
{
    (void)state;
    static struct ste_histogram all, even, odd;
    ste_histogram_init(&all);
    ste_histogram_init(&even);
    ste_histogram_init(&odd);
    for (uint64_t value = 1; value <= 100000; value += 3) {
        ste_histogram_add(&all, value);
        ste_histogram_add(value % 2 ? &odd : &even, value);
    }
    ste_histogram_merge(&even, &odd);
    assert_memory_equal(&even, &all, sizeof all);
    ste_histogram_init(&odd);
    ste_histogram_merge(&even, &odd); /* of nothing */
    assert_memory_equal(&even, &all, sizeof all);
}

static void test_json_names_every_percentile(void **state)
{
    (void)state;
    static struct ste_histogram histogram;
    ste_histogram_init(&histogram);
    ste_histogram_add(&histogram, 1500);
    struct ste_facts facts;
    ste_facts_init(&facts);
    ste_histogram_put(&histogram, "latency_ms", &facts);
    ste_buf_append(&facts.json, "", 1);
    ste_buf_append(&facts.heading, "", 1);
    assert_non_null(strstr(facts.json.at,
                           "\"p0\":1.5,\"p50\":1.5,\"p90\":1.5,\"p95\":1.5,\"p99\":1.5,"
                           "\"p99.9\":1.5,\"p99.99\":1.5,\"p100\":1.5,\"mean\":1.5,\"count\":1}"));
    assert_string_equal(facts.heading.at,
                        "latency_ms_p0,latency_ms_p50,latency_ms_p90,latency_ms_p95,"
                        "latency_ms_p99,latency_ms_p99.9,latency_ms_p99.99,latency_ms_p100,"
                        "latency_ms_mean,latency_ms_count");
    ste_facts_deinit(&facts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_percentiles_near_exact),
        cmocka_unit_test(test_every_value_below_128_is_exact),
        cmocka_unit_test(test_edges),
        cmocka_unit_test(test_two_merged_are_one),
        cmocka_unit_test(test_json_names_every_percentile),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
