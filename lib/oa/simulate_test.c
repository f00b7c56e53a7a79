/* SPDX-License-Identifier: Apache-2.0
 * The simulation against the formulas, and what only the simulation knows. Fixed seeds: each result
 * is always the same. */
#include "oa/testing.h"
#include "oa/laws.h"
#include "oa/mva.h"
#include "oa/open.h"
#include "oa/simulate.h"

#define SERVE(station, mean, varies)                                                               \
    {                                                                                              \
        .kind = STE_OA_SERVE, .where = station, .mean_s = mean, .variation = varies                \
    }

static struct ste_oa_simulated run_one(const struct ste_oa_sim_station *stations, size_t count,
                                       const struct ste_oa_sim_class *class, size_t locks,
                                       double seconds, struct ste_oa_sim_load *loads)
{
    struct ste_oa_simulated result = {0};
    const struct ste_oa_simulation input = {.stations = stations,
                                            .station_count = count,
                                            .lock_count = locks,
                                            .classes = class,
                                            .class_count = 1,
                                            .seed = 42,
                                            .warm_up_s = seconds / 20,
                                            .seconds = seconds};
    assert_ok(ste_oa_simulate(&input, &result, loads, &err));
    return result;
}

static void assert_within(double value, double expected, double share)
{
    if (fabs(value - expected) > share * expected)
        fail_msg("%g is not within %g of %g", value, share, expected);
}

static void assert_confident(struct ste_oa_estimate estimate, double expected)
{
    /* 1.5 half widths: one estimate in 190 would still miss; with a fixed seed none changes. */
    if (fabs(estimate.mean - expected) > 1.5 * estimate.half_width)
        fail_msg("%g ± %g does not hold %g", estimate.mean, estimate.half_width, expected);
}

static void test_mm1(void **state)
{
    (void)state;
    const struct ste_oa_sim_station station = {.discipline = STE_OA_FCFS};
    const struct ste_oa_step serve = SERVE(0, .7, 1);
    const struct ste_oa_sim_class class = {.arrival_rate = 1, .steps = &serve, .step_count = 1};
    struct ste_oa_sim_load load;
    const struct ste_oa_simulated result = run_one(&station, 1, &class, 0, 300000, &load);
    assert_within(result.response.mean, ste_oa_mm1_response(.7, .7), .02);
    assert_within(load.present, ste_oa_mm1_present(.7), .02);
    assert_within(load.utilisation, .7, .02);
    assert_within(result.throughput.mean, 1, .02);
    assert_confident(result.response, ste_oa_mm1_response(.7, .7));
}

/* Pollaczek and Khinchine: fixed service waits half as long. Processor sharing: as M/M/1 whatever
 * the service. Regular arrivals of fixed service: nobody waits. */
static void test_md1_and_sharing(void **state)
{
    (void)state;
    const struct ste_oa_sim_station fcfs = {.discipline = STE_OA_FCFS};
    const struct ste_oa_sim_station shared = {.discipline = STE_OA_SHARED};
    const struct ste_oa_step serve = SERVE(0, .7, 0), erlang = SERVE(0, .7, .5);
    struct ste_oa_sim_class class = {.arrival_rate = 1, .steps = &serve, .step_count = 1};
    assert_within(run_one(&fcfs, 1, &class, 0, 200000, NULL).response.mean, .7 * (1 + .7 / .3 / 2),
                  .02);
    assert_within(run_one(&shared, 1, &class, 0, 200000, NULL).response.mean, .7 / .3, .03);
    class.regular = true;
    assert_within(run_one(&fcfs, 1, &class, 0, 1000, NULL).response.mean, .7, 1e-9);
    class = (struct ste_oa_sim_class){.arrival_rate = 1, .steps = &erlang, .step_count = 1};
    assert_within(run_one(&fcfs, 1, &class, 0, 200000, NULL).response.mean,
                  .7 * (1 + .7 / .3 / 2 * 1.25), .02);
}

static void test_two_servers(void **state)
{
    (void)state;
    const struct ste_oa_sim_station station = {.discipline = STE_OA_FCFS, .servers = 2};
    const struct ste_oa_step serve = SERVE(0, 1.4, 1);
    const struct ste_oa_sim_class class = {.arrival_rate = 1, .steps = &serve, .step_count = 1};
    const struct ste_oa_station two = {.servers = 2, .demand = 1.4};
    struct ste_oa_open open;
    struct ste_oa_sim_load load;
    assert_ok(ste_oa_open(&two, 1, 1, &open, NULL, &err));
    assert_within(run_one(&station, 1, &class, 0, 200000, &load).response.mean, open.response, .02);
    assert_within(load.utilisation, .7, .02);
}

/* The closed network of the worked answers, from one job to many. */
static void test_closed_network_is_mva(void **state)
{
    (void)state;
    static const double demands[] = {.605, 2.1, 1.35};
    const struct ste_oa_sim_station stations[] = {{.discipline = STE_OA_FCFS},
                                                  {.discipline = STE_OA_FCFS, .servers = 2},
                                                  {.discipline = STE_OA_SHARED},
                                                  {.discipline = STE_OA_WAIT}};
    struct ste_oa_step steps[4] = {{0}};
    struct ste_oa_station formula[3] = {{0}};
    for (unsigned k = 0; k < 3; k++) {
        steps[k] = (struct ste_oa_step)SERVE(k, demands[k], 1);
        formula[k] = (struct ste_oa_station){.servers = k == 1 ? 2 : 1, .demand = demands[k]};
    }
    steps[3] = (struct ste_oa_step)SERVE(3, 15, 1);
    static const unsigned jobs[] = {1, 3, 9, 20};
    for (size_t i = 0; i < COUNT_OF(jobs); i++) {
        const struct ste_oa_sim_class class = {.jobs = jobs[i], .steps = steps, .step_count = 4};
        struct ste_oa_closed exact;
        struct ste_oa_load loads[3];
        struct ste_oa_sim_load seen[4];
        assert_ok(ste_oa_mva(formula, 3, 15, jobs[i], &exact, loads, &err));
        const struct ste_oa_simulated result = run_one(stations, 4, &class, 0, 1e6 / jobs[i], seen);
        assert_confident(result.throughput, exact.throughput);
        assert_confident(result.response, exact.response + 15);
        assert_within(result.throughput.mean, exact.throughput, .02);
        for (size_t k = 0; k < 3; k++) {
            assert_within(seen[k].utilisation, loads[k].utilisation, .03);
            assert_within(seen[k].present, loads[k].present, .06);
        }
    }
}

/* 10 ms in every 100: one job of 4 ms runs at full speed until the quota is gone. */
static void test_quota(void **state)
{
    (void)state;
    const struct ste_oa_sim_station station = {
        .discipline = STE_OA_SHARED, .servers = 2, .quota_s = .010, .period_s = .100};
    const struct ste_oa_step serve = SERVE(0, .004, 0);
    struct ste_oa_sim_class class = {.jobs = 3, .steps = &serve, .step_count = 1};
    struct ste_oa_sim_load load;
    struct ste_oa_simulated result = run_one(&station, 1, &class, 0, 100, &load);
    assert_within(result.throughput.mean, 25, .001); /* .010/.004 a period */
    assert_within(load.utilisation, .05, .001);      /* of two servers */
    /* Half the quota asked for, at regular moments: never throttled. */
    class = (struct ste_oa_sim_class){
        .arrival_rate = 12.5, .regular = true, .steps = &serve, .step_count = 1};
    result = run_one(&station, 1, &class, 0, 100, NULL);
    assert_within(result.response.mean, .004, 1e-6);
    /* An idle period saves nothing for later: 10 ms, wait, 10 ms, wait, 5 ms. */
    const struct ste_oa_step longer = SERVE(0, .025, 0);
    class = (struct ste_oa_sim_class){
        .arrival_rate = 1, .regular = true, .steps = &longer, .step_count = 1};
    result = run_one(&station, 1, &class, 0, 100, NULL);
    assert_within(result.response.mean, .205, 1e-6);
}

/* After some hours a double no longer tells the end of a quota to the picosecond: the rest that
 * rounding leaves of it must not hold the clock. */
static void test_quota_of_a_long_run(void **state)
{
    (void)state;
    const struct ste_oa_sim_station station = {
        .discipline = STE_OA_SHARED, .servers = 2, .quota_s = .0103, .period_s = .1};
    const struct ste_oa_step serve = SERVE(0, .004, 0);
    const struct ste_oa_sim_class class = {.jobs = 3, .steps = &serve, .step_count = 1};
    const struct ste_oa_simulation input = {.stations = &station,
                                            .station_count = 1,
                                            .classes = &class,
                                            .class_count = 1,
                                            .warm_up_s = 30000,
                                            .seconds = 5000,
                                            .events_max = 2000000};
    struct ste_oa_simulated result;
    assert_ok(ste_oa_simulate(&input, &result, NULL, &err));
    assert_within(result.throughput.mean, .0103 / .1 / .004, .001);
}

/* A lock over a wait of 1 s: all who need it go one by one, the others do not wait. */
static void test_lock(void **state)
{
    (void)state;
    const struct ste_oa_sim_station stations[] = {{.discipline = STE_OA_WAIT}};
    struct ste_oa_step steps[] = {{.kind = STE_OA_LOCK, .where = 0, .probability = 1},
                                  SERVE(0, 1, 0),
                                  {.kind = STE_OA_UNLOCK, .where = 0},
                                  SERVE(0, 3, 0)};
    const struct ste_oa_sim_class class = {.jobs = 8, .steps = steps, .step_count = 4};
    assert_within(run_one(stations, 1, &class, 1, 2000, NULL).throughput.mean, 1, .002);
    steps[0].probability = 0;
    assert_within(run_one(stations, 1, &class, 1, 2000, NULL).throughput.mean, 2, .002);
    steps[0].probability = .5;
    const double between = run_one(stations, 1, &class, 1, 2000, NULL).throughput.mean;
    assert_true(between > 1.2 && between < 1.95);
}

static void test_seed_decides_alone(void **state)
{
    (void)state;
    const struct ste_oa_sim_station station = {.discipline = STE_OA_FCFS};
    const struct ste_oa_step serve = SERVE(0, .5, 1);
    const struct ste_oa_sim_class class = {.arrival_rate = 1, .steps = &serve, .step_count = 1};
    struct ste_oa_simulation input = {.stations = &station,
                                      .station_count = 1,
                                      .classes = &class,
                                      .class_count = 1,
                                      .seed = 1,
                                      .seconds = 1000};
    struct ste_oa_simulated a, b, c;
    assert_ok(ste_oa_simulate(&input, &a, NULL, &err));
    assert_ok(ste_oa_simulate(&input, &b, NULL, &err));
    input.seed = 2;
    assert_ok(ste_oa_simulate(&input, &c, NULL, &err));
    assert_near(a.response.mean, b.response.mean, 0);
    assert_int_equal(a.events, b.events);
    assert_true(a.response.mean != c.response.mean);
}

static void test_nonsense_and_limits(void **state)
{
    (void)state;
    const struct ste_oa_sim_station station = {.discipline = STE_OA_FCFS};
    struct ste_oa_step steps[] = {{.kind = STE_OA_LOCK, .probability = 1}, SERVE(0, 2, 1)};
    struct ste_oa_sim_class class = {.arrival_rate = 1, .steps = steps, .step_count = 2};
    struct ste_oa_simulation input = {.stations = &station,
                                      .station_count = 1,
                                      .lock_count = 1,
                                      .classes = &class,
                                      .class_count = 1,
                                      .seconds = 1000};
    struct ste_oa_simulated result;
    struct ste_error why = {0};
    /* A lock that is never given back. */
    assert_int_equal(ste_oa_simulate(&input, &result, NULL, &why), STE_E_ARGUMENT);
    class.steps = steps + 1;
    class.step_count = 1;
    assert_ok(ste_oa_simulate(&input, &result, NULL, &err)); /* unstable, but short */
    input.events_max = 100;
    assert_int_equal(ste_oa_simulate(&input, &result, NULL, &why), STE_E_LIMIT);
    steps[1].where = 1;
    assert_int_equal(ste_oa_simulate(&input, &result, NULL, &why), STE_E_ARGUMENT);
    steps[1].where = 0;
    steps[1].mean_s = NAN;
    assert_int_equal(ste_oa_simulate(&input, &result, NULL, &why), STE_E_ARGUMENT);
}

/* Each of these alone makes a valid network invalid. */
static void test_invalid_networks(void **state)
{
    (void)state;
    static const struct ste_oa_step lock = {.kind = STE_OA_LOCK, .where = 0, .probability = 1};
    static const struct ste_oa_step other = {.kind = STE_OA_LOCK, .where = 1, .probability = 1};
    static const struct ste_oa_step unlock = {.kind = STE_OA_UNLOCK, .where = 0};
    static const struct ste_oa_step serve = SERVE(0, 1, 1);
    static const struct {
        struct ste_oa_step steps[3];
        struct ste_oa_sim_station station;
        unsigned jobs;
        bool good;
    } rows[] = {
        {.steps = {lock, serve, unlock}, .jobs = 1, .good = true},
        {.steps = {lock, unlock, serve}, .jobs = 0},             /* open, without a rate */
        {.steps = {lock, other, serve}, .jobs = 1},              /* one lock inside another */
        {.steps = {other, serve, unlock}, .jobs = 1},            /* gives back another */
        {.steps = {unlock, serve, serve}, .jobs = 1},            /* has none to give back */
        {.steps = {serve, serve, lock}, .jobs = 1},              /* begins again with it */
        {.steps = {lock, unlock, SERVE(0, 0, 1)}, .jobs = 1},    /* takes no time */
        {.steps = {serve, serve, SERVE(0, 1, 1.5)}, .jobs = 1},  /* beyond exponential */
        {.steps = {serve, serve, SERVE(0, 1, 1e-5)}, .jobs = 1}, /* 10^10 phases */
        {.steps = {serve, serve, serve}, .jobs = 1, .station = {.quota_s = 1}}, /* no period */
        {.steps = {serve, serve, serve},
         .jobs = 1,
         .station = {.quota_s = 1, .period_s = 2, .phase_s = 3}}, /* ends after itself */
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const struct ste_oa_sim_class class = {
            .jobs = rows[i].jobs, .steps = rows[i].steps, .step_count = 3};
        const struct ste_oa_simulation input = {.stations = &rows[i].station,
                                                .station_count = 1,
                                                .lock_count = 2,
                                                .classes = &class,
                                                .class_count = 1,
                                                .seconds = 10};
        struct ste_oa_simulated result;
        struct ste_error why = {0};
        const enum ste_code rc = ste_oa_simulate(&input, &result, NULL, &why);
        if (rc != (rows[i].good ? STE_OK : STE_E_ARGUMENT))
            fail_msg("row %zu: %s", i, ste_code_name(rc));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mm1),
        cmocka_unit_test(test_md1_and_sharing),
        cmocka_unit_test(test_two_servers),
        cmocka_unit_test(test_closed_network_is_mva),
        cmocka_unit_test(test_quota),
        cmocka_unit_test(test_quota_of_a_long_run),
        cmocka_unit_test(test_lock),
        cmocka_unit_test(test_seed_decides_alone),
        cmocka_unit_test(test_nonsense_and_limits),
        cmocka_unit_test(test_invalid_networks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
