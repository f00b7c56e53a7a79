/* SPDX-License-Identifier: Apache-2.0 */
#include "oa/testing.h"
#include "oa/mva.h"

static const struct ste_oa_station three[] = {{.demand = .605}, {.demand = 2.1}, {.demand = 1.35}};

/* The worked answers for one to three jobs. */
static void test_worked_answers(void **state)
{
    (void)state;
    static const double responses[] = {4.0550, 4.4013, 4.7998};
    static const double throughputs[] = {.05248, .10309, .15152};
    for (size_t n = 1; n <= 3; n++) {
        struct ste_oa_closed closed;
        struct ste_oa_load loads[3];
        assert_ok(ste_oa_mva(three, 3, 15, n, &closed, loads, &err));
        assert_near(closed.response, responses[n - 1], 5e-5);
        assert_near(closed.throughput, throughputs[n - 1], 5e-6);
        /* Little for the whole, and the interactive response time law. */
        const double present = loads[0].present + loads[1].present + loads[2].present;
        assert_near(present, closed.throughput * closed.response, 1e-12);
        assert_near(closed.response, (double)n / closed.throughput - 15, 1e-12);
        assert_near(loads[1].utilisation, closed.throughput * 2.1, 1e-12);
    }
}

/* One station of m servers with think time is the machine repairman model, whose answer is known by
 * birth and death: p(j) = n!/(n-j)! · (D/Z)^j / (j! or m!·m^(j-m)). */
static void test_several_servers_by_birth_and_death(void **state)
{
    (void)state;
    const double demand = 2, think = 5;
    for (unsigned servers = 1; servers <= 4; servers++) {
        for (size_t n = 1; n <= 30; n++) {
            double weight = 1, sum = 1, present = 0;
            for (size_t j = 1; j <= n; j++) {
                weight *= (double)(n - j + 1) * demand / think / fmin((double)j, servers);
                sum += weight;
                present += (double)j * weight;
            }
            present /= sum;
            const struct ste_oa_station station = {.servers = servers, .demand = demand};
            struct ste_oa_closed closed;
            struct ste_oa_load load;
            assert_ok(ste_oa_mva(&station, 1, think, n, &closed, &load, &err));
            assert_near(load.present, present, 1e-7);
            assert_near(closed.throughput, ((double)n - present) / think, 1e-7);
        }
    }
}

static void test_delay_station_is_think_time(void **state)
{
    (void)state;
    const struct ste_oa_station four[] = {
        three[0], three[1], three[2], {.kind = STE_OA_DELAY, .demand = 15}};
    struct ste_oa_closed a, b;
    assert_ok(ste_oa_mva(three, 3, 15, 20, &a, NULL, &err));
    assert_ok(ste_oa_mva(four, 4, 0, 20, &b, NULL, &err));
    assert_near(a.throughput, b.throughput, 1e-12);
    assert_near(a.response + 15, b.response, 1e-9);
}

static void test_saturates_at_the_bottleneck(void **state)
{
    (void)state;
    struct ste_oa_closed closed;
    assert_ok(ste_oa_mva(three, 3, 15, 1000, &closed, NULL, &err));
    assert_near(closed.throughput, 1 / 2.1, 1e-9);
    /* Near saturation of several servers the recursion must not run away. */
    const struct ste_oa_station many[] = {{.servers = 16, .demand = 4}, {.demand = .1}};
    assert_ok(ste_oa_mva(many, 2, 1, 5000, &closed, NULL, &err));
    assert_near(closed.throughput, 4, 1e-3);
}

static void test_nonsense_is_refused(void **state)
{
    (void)state;
    struct ste_error why = {0};
    struct ste_oa_closed closed;
    const struct ste_oa_station bad = {.demand = -1}, none = {.demand = 0};
    assert_int_equal(ste_oa_mva(&bad, 1, 0, 1, &closed, NULL, &why), STE_E_ARGUMENT);
    assert_int_equal(ste_oa_mva(&none, 1, 0, 1, &closed, NULL, &why), STE_E_ARGUMENT);
    assert_int_equal(ste_oa_mva(three, 3, NAN, 1, &closed, NULL, &why), STE_E_ARGUMENT);
    assert_int_equal(ste_oa_mva(three, 3, 0, STE_OA_JOBS_MAX + 1, &closed, NULL, &why),
                     STE_E_ARGUMENT);
    const struct ste_oa_station crowd = {.demand = 1, .servers = STE_OA_SERVERS_MAX + 1};
    assert_int_equal(ste_oa_mva(&crowd, 1, 0, 1, &closed, NULL, &why), STE_E_ARGUMENT);
    assert_ok(ste_oa_mva(three, 3, 0, 0, &closed, NULL, &err));
    assert_near(closed.throughput, 0, 0);
}

/* ---- several classes ---- */

static const enum ste_oa_kind queues[] = {STE_OA_QUEUE, STE_OA_QUEUE, STE_OA_QUEUE};

/* One job is exact; many jobs within the few percent that the approximation is known for. */
static void test_schweitzer_near_exact_for_one_class(void **state)
{
    (void)state;
    const double demands[] = {.605, 2.1, 1.35}, think = 15;
    double worst = 0;
    for (size_t n = 1; n <= 40; n++) {
        const double jobs = (double)n;
        double throughput;
        struct ste_oa_closed exact;
        const struct ste_oa_classes classes = {1, 3, &jobs, &think, queues, demands};
        assert_ok(ste_oa_schweitzer(&classes, &throughput, NULL, &err));
        assert_ok(ste_oa_mva(three, 3, think, n, &exact, NULL, &err));
        const double error = fabs(throughput / exact.throughput - 1);
        worst = fmax(worst, error);
        if (n == 1)
            assert_true(error < 1e-6);
    }
    assert_true(worst < .05);
}

/* Two equal classes are one class of twice the jobs; Little holds for each class. */
static void test_schweitzer_two_classes(void **state)
{
    (void)state;
    const double demands[] = {.605, 2.1, 1.35, .605, 2.1, 1.35};
    const double jobs[] = {5, 5}, think[] = {15, 15}, both = 10;
    double throughput[2], together, present[6];
    const struct ste_oa_classes two = {2, 3, jobs, think, queues, demands};
    const struct ste_oa_classes one = {1, 3, &both, think, queues, demands};
    assert_ok(ste_oa_schweitzer(&two, throughput, present, &err));
    assert_ok(ste_oa_schweitzer(&one, &together, NULL, &err));
    assert_near(throughput[0], throughput[1], 1e-6);
    assert_near(throughput[0] + throughput[1], together, .02 * together);
    for (size_t c = 0; c < 2; c++) {
        const double here = present[3 * c] + present[3 * c + 1] + present[3 * c + 2];
        assert_near(here + throughput[c] * 15, 5, 1e-6);
    }
    struct ste_error why = {0};
    const double bad[] = {-1, 5};
    const struct ste_oa_classes wrong = {2, 3, bad, think, queues, demands};
    assert_int_equal(ste_oa_schweitzer(&wrong, throughput, NULL, &why), STE_E_ARGUMENT);
}

/* A delay station is think time, and a class without jobs is not there. */
static void test_schweitzer_delay_and_empty_class(void **state)
{
    (void)state;
    static const enum ste_oa_kind kinds[] = {STE_OA_QUEUE, STE_OA_QUEUE, STE_OA_QUEUE,
                                             STE_OA_DELAY};
    const double plain[] = {.605, 2.1, 1.35, 3, 2, 1}, jobs[] = {6, 0}, think[] = {15, 1};
    const double delayed[] = {.605, 2.1, 1.35, 15, 3, 2, 1, 1}, none[] = {0, 0};
    double alone, a[2], b[2], present[8];
    assert_ok(ste_oa_schweitzer(&(struct ste_oa_classes){1, 3, jobs, think, queues, plain}, &alone,
                                NULL, &err));
    assert_ok(ste_oa_schweitzer(&(struct ste_oa_classes){2, 3, jobs, think, queues, plain}, a, NULL,
                                &err));
    assert_ok(ste_oa_schweitzer(&(struct ste_oa_classes){2, 4, jobs, none, kinds, delayed}, b,
                                present, &err));
    assert_near(a[0], alone, 1e-9);
    assert_near(a[1], 0, 0);
    assert_near(b[0], a[0], 1e-8);
    assert_near(present[3], b[0] * 15, 1e-8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_worked_answers),
        cmocka_unit_test(test_several_servers_by_birth_and_death),
        cmocka_unit_test(test_delay_station_is_think_time),
        cmocka_unit_test(test_saturates_at_the_bottleneck),
        cmocka_unit_test(test_nonsense_is_refused),
        cmocka_unit_test(test_schweitzer_near_exact_for_one_class),
        cmocka_unit_test(test_schweitzer_two_classes),
        cmocka_unit_test(test_schweitzer_delay_and_empty_class),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
