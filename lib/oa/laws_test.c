/* SPDX-License-Identifier: Apache-2.0
 * Worked answers, computed without this code, to the digits that stand here. */
#include "oa/testing.h"
#include "oa/laws.h"

/* A service station seen for half an hour. */
static void test_half_an_hour(void **state)
{
    (void)state;
    struct ste_oa_laws laws;
    assert_true(ste_oa_laws(
        &(struct ste_oa_counts){
            .seconds = 30, .arrivals = 10, .completions = 10, .busy = 22.93, .servers = 1},
        &laws));
    assert_near(laws.service, 2.293, 5e-13);
    assert_near(laws.utilisation, 0.7643, 5e-5);
    assert_near(laws.arrival_rate, 1.0 / 3, 1e-12);
    assert_near(ste_oa_mm1_response(laws.service, laws.utilisation), 9.7298, 5e-5);
    assert_near(ste_oa_mm1_present(laws.utilisation), 3.2433, 5e-5);
    assert_near(ste_oa_demand(22.93, 10), 2.293, 1e-12);
    assert_near(ste_oa_visits(30, 10), 3, 0);
}

/* Samples of the length every 5 s, counters of arrivals and completions. */
static void test_area_of_samples(void **state)
{
    (void)state;
    static const double times[] = {0, 5, 10, 15, 20, 25, 30, 35};
    static const double lengths[] = {0, 4, 7, 9, 6, 3, 1, 0};
    static const double arrivals[] = {6, 7, 8, 4, 3, 2, 1}, completions[] = {2, 4, 6, 7, 6, 4, 2};
    struct ste_oa_counts counts = {
        .seconds = 35, .waiting = ste_oa_area(times, lengths, COUNT_OF(times)), .servers = 1};
    double length = 0;
    for (size_t i = 0; i < COUNT_OF(arrivals); i++) {
        counts.arrivals += arrivals[i];
        counts.completions += completions[i];
        length += arrivals[i] - completions[i];
        assert_near(length, lengths[i + 1], 0);
    }
    struct ste_oa_laws laws;
    assert_true(ste_oa_laws(&counts, &laws));
    assert_near(counts.arrivals, 31, 0);
    assert_near(counts.completions, 31, 0);
    assert_near(counts.waiting, 150, 0);
    assert_near(laws.present, 4.2857, 5e-5);
    assert_near(laws.throughput, .8857, 5e-5);
    assert_near(laws.response, 4.8387, 5e-5);
    assert_near(laws.imbalance, 0, 0);
}

/* The sample node of the article: 49 samples of 7 s; its N follows from its R by Little's law. */
static void test_article_sample(void **state)
{
    (void)state;
    const double completions = 7.0 * 56939;
    assert_near(completions, 398573, 0);
    assert_near(49 * 7, 343, 0);
    struct ste_oa_laws laws;
    assert_true(ste_oa_laws(&(struct ste_oa_counts){.seconds = 343,
                                                    .arrivals = completions,
                                                    .completions = completions,
                                                    .busy = .93 * 343,
                                                    .waiting = 14.97 * completions,
                                                    .servers = 1},
                            &laws));
    assert_near(laws.throughput, 1162.02, 5e-3);
    assert_near(laws.response, 14.97, 1e-9);
    assert_near(laws.present, 17395, .5);
    assert_near(laws.utilisation, .93, 1e-12);
    assert_near(laws.service * 1000, .80, 5e-3);
}

static void test_imbalance_and_servers(void **state)
{
    (void)state;
    struct ste_oa_laws laws;
    struct ste_oa_counts counts = {
        .seconds = 10, .arrivals = 30, .completions = 20, .busy = 10, .waiting = 100, .servers = 4};
    assert_true(ste_oa_laws(&counts, &laws));
    assert_near(laws.imbalance, .5, 0);
    assert_near(laws.utilisation, .25, 0);
    counts.completions = 0;
    assert_true(ste_oa_laws(&counts, &laws));
    assert_true(isnan(laws.service) && isnan(laws.response) && isnan(laws.imbalance));
    assert_near(laws.throughput, 0, 0);
    assert_true(isnan(ste_oa_visits(1, 0)) && isnan(ste_oa_demand(1, 0)));
}

static void test_nonsense_is_refused(void **state)
{
    (void)state;
    const struct ste_oa_counts bad[] = {
        {.seconds = 0, .servers = 1},
        {.seconds = -1, .servers = 1},
        {.seconds = NAN, .servers = 1},
        {.seconds = 1, .servers = 0},
        {.seconds = 1, .servers = 1, .arrivals = -1},
        {.seconds = 1, .servers = 1, .completions = INFINITY},
        {.seconds = 1, .servers = 1, .busy = NAN},
        {.seconds = 1, .servers = 1, .waiting = -1},
    };
    struct ste_oa_laws laws = {.present = 77};
    for (size_t i = 0; i < COUNT_OF(bad); i++)
        assert_false(ste_oa_laws(&bad[i], &laws));
    assert_near(laws.present, 77, 0);
    assert_true(isnan(ste_oa_mm1_response(1, 1)) && isnan(ste_oa_mm1_present(1.5)));
    assert_near(ste_oa_area((double[]){1}, (double[]){9}, 1), 0, 0);
    /* Each value stands until the next time. */
    assert_near(ste_oa_area((double[]){0, 2, 3}, (double[]){5, 1, 8}, 3), 11, 0);
    assert_true(isnan(ste_oa_area((double[]){2, 1}, (double[]){9, 9}, 2)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_half_an_hour),        cmocka_unit_test(test_area_of_samples),
        cmocka_unit_test(test_article_sample),      cmocka_unit_test(test_imbalance_and_servers),
        cmocka_unit_test(test_nonsense_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
