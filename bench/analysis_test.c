/* SPDX-License-Identifier: Apache-2.0
 * The worked answers 4 and 5 as files of samples, and runs whose figures are known. */
#include "bench/analysis.h"

#include <math.h>
#include <unistd.h>

#include "base/testing.h"

static void assert_near(double value, double expected, double within)
{
    if (!(fabs(value - expected) <= within))
        fail_msg("%.9g is not %.9g", value, expected);
}

struct trial {
    char path[32];
    struct ste_samples_writer *writer;
    struct ste_samples samples;
    struct ste_arena *arena;
    struct ste_analysis analysis;
};

static void begin(struct trial *trial)
{
    *trial = (struct trial){.path = "/tmp/ste-analysis-XXXXXX"};
    int fd = mkstemp(trial->path);
    assert_true(fd >= 0);
    assert_int_equal(close(fd), 0);
    assert_ok(ste_samples_create(trial->path, &trial->writer, &err));
}

static enum ste_code finish(struct trial *trial, double from_s, double to_s, struct ste_error *err)
{
    assert_int_equal(ste_samples_finish(trial->writer, err), STE_OK);
    assert_int_equal(ste_samples_read(trial->path, &trial->samples, err), STE_OK);
    assert_int_equal(unlink(trial->path), 0);
    trial->arena = ste_arena_new(0);
    assert_non_null(trial->arena);
    return ste_analyse(&trial->samples, from_s, to_s, trial->arena, &trial->analysis, err);
}

static void end(struct trial *trial)
{
    ste_samples_deinit(&trial->samples);
    ste_arena_free(trial->arena);
}

static void put(struct trial *trial, enum ste_quantity quantity, const char *name, const char *type,
                double value)
{
    ste_samples_put(trial->writer, quantity, name, type, value);
}

/* Answer 4: n = 0 4 7 9 6 3 1 0 every 5 s. */
static void small_execution_graph(void **state)
{
    (void)state;
    static const double arrived[] = {0, 6, 13, 21, 25, 28, 30, 31, 31, 31};
    static const double done[] = {0, 2, 6, 12, 19, 25, 29, 31, 31, 31};
    struct trial trial;
    begin(&trial);
    ste_samples_meta(trial.writer, "mean_residence_s", "5");
    for (size_t i = 0; i < COUNT_OF(done); i++) {
        ste_samples_at(trial.writer, 1000000 + 5000000 * i);
        put(&trial, STE_Q_DRIVER_CONFIRMED, "driver", "", arrived[i]);
        put(&trial, STE_Q_POOL_CLEARED, "pool", "", done[i]);
    }
    assert_ok(finish(&trial, NAN, NAN, &err));
    const struct ste_analysis *a = &trial.analysis;
    assert_near(a->from_s, 0, 1e-9);
    assert_near(a->to_s, 35, 1e-9); /* what follows the last completion is not part of it */
    const struct ste_stage *system = ste_analysis_find(a, STE_STAGE_SYSTEM, "");
    assert_non_null(system);
    assert_near(system->counts.arrivals, 31, 1e-9);
    assert_near(system->counts.completions, 31, 1e-9);
    assert_near(system->counts.waiting, 150, 1e-9);
    assert_near(system->laws.present, 4.2857, 5e-5);
    assert_near(system->laws.throughput, .8857, 5e-5);
    assert_near(system->laws.response, 4.8387, 5e-5);
    assert_near(system->laws.imbalance, 0, 1e-9);
    assert_true(isnan(system->laws.utilisation)); /* nothing was told of B */
    assert_near(a->little_present, .8857 * 5, 5e-4);
    assert_near(a->little_apart, 4.2857 / (.8857 * 5) - 1, 1e-4);
    assert_near(ste_stage_rate(a, system, 3), 6 / 5.0, 1e-9);
    end(&trial);
}

/* Answer 5: the article's sample node, 49 samples of 7 s. */
static void sample_node_of_the_article(void **state)
{
    (void)state;
    struct trial trial;
    begin(&trial);
    for (uint64_t i = 0; i <= 50; i++) {
        double done = i == 0 ? 0 : 398573.0 * (double)(i - 1) / 49;
        ste_samples_at(trial.writer, 7000000 * i);
        put(&trial, STE_Q_WORKER_COMPLETIONS, "router-1/0", "", i == 0 ? 0 : done + 17395);
        put(&trial, STE_Q_WORKER_ARRIVALS, "node-1/0", "", done);
        put(&trial, STE_Q_WORKER_COMPLETIONS, "node-1/0", "", done);
        put(&trial, STE_Q_WORKER_BUSY, "node-1/0", "", .31 * 7 * (double)i);
        put(&trial, STE_Q_WORKER_DATABASE, "node-1/0", "", .62 * 7 * (double)i);
    }
    assert_ok(finish(&trial, 7, NAN, &err));
    const struct ste_stage *node = ste_analysis_find(&trial.analysis, STE_STAGE_NODE, "");
    assert_non_null(node);
    assert_near(node->counts.seconds, 343, 1e-9);
    assert_near(node->counts.completions, 398573, 1e-6);
    assert_near(node->laws.throughput, 1162.02, 5e-3);
    assert_near(node->laws.response, 14.97, 5e-3);
    assert_near(node->laws.present, 17395, .5);
    assert_near(node->laws.utilisation, .93, 1e-9);
    assert_near(node->laws.service, .80e-3, 5e-6);
    assert_ptr_equal(trial.analysis.costliest, node);
    end(&trial);
}

/* Two types over 10 s at two workers, one of which does more. */
static void put_pipeline(struct trial *trial, double t)
{
    put(trial, STE_Q_MACHINE_CORES, "machine", "", 4);
    put(trial, STE_Q_MACHINE_BUSY, "machine", "", 3.2 * t);
    put(trial, STE_Q_DRIVER_SENT, "driver", "", 1000 * t);
    put(trial, STE_Q_DRIVER_CONFIRMED, "driver", "", 1000 * t);
    put(trial, STE_Q_DRIVER_CPU, "driver", "", .2 * t);
    put(trial, STE_Q_POOL_CLS, "pool", "", 1000 * t / 7);
    put(trial, STE_Q_POOL_CLEARED, "pool", "", 1000 * t);
    put(trial, STE_Q_POOL_CPU, "pool", "", .05 * t);
    put(trial, STE_Q_STAGE_COMPLETIONS, "router-1", "NOE", 400 * t);
    put(trial, STE_Q_STAGE_COMPLETIONS, "router-1", "SET", 600 * t);
    put(trial, STE_Q_STAGE_COMPLETIONS, "node-1", "NOE", 400 * t);
    put(trial, STE_Q_STAGE_BUSY, "node-1", "NOE", .6 * t);
    put(trial, STE_Q_STAGE_COMPLETIONS, "node-1", "SET", 600 * t);
    put(trial, STE_Q_STAGE_BUSY, "node-1", "SET", .4 * t);
    put(trial, STE_Q_WORKER_COMPLETIONS, "router-1/0", "", 1000 * t);
    put(trial, STE_Q_WORKER_BUSY, "router-1/0", "", .25 * t);
    put(trial, STE_Q_WORKER_COMPLETIONS, "node-1/0", "", 700 * t);
    put(trial, STE_Q_WORKER_COMPLETIONS, "node-1/1", "", 300 * t);
    put(trial, STE_Q_WORKER_BUSY, "node-1/0", "", .3 * t);
    put(trial, STE_Q_WORKER_BUSY, "node-1/1", "", .1 * t);
    put(trial, STE_Q_WORKER_ARRIVALS, "node-1/0", "", 1000 * t);
    put(trial, STE_Q_WORKER_BATCHES, "node-1/0", "", 10 * t);
    put(trial, STE_Q_WORKER_DATABASE, "node-1/0", "", .4 * t);
    put(trial, STE_Q_WORKER_DATABASE, "node-1/1", "", .2 * t);
    put(trial, STE_Q_PROCESS_CPU, "node-1", "", .09 * t);
    put(trial, STE_Q_PROCESS_CPU, "broker", "", .8 * t);
    put(trial, STE_Q_PROCESS_CPU, "shard-0", "", .1 * t);
    put(trial, STE_Q_SHARD_MESSAGES, "shard-0", "", 7e6 + 1000 * t);
}

static void stages_of_a_run(void **state)
{
    (void)state;
    struct trial trial;
    begin(&trial);
    ste_samples_meta(trial.writer, "node_cpu_share", "0.1");
    for (uint64_t i = 0; i <= 10; i++) {
        ste_samples_at(trial.writer, 1000000 * i);
        put_pipeline(&trial, (double)i);
    }
    assert_ok(finish(&trial, NAN, NAN, &err));
    const struct ste_analysis *a = &trial.analysis;
    const struct ste_stage *node = ste_analysis_find(a, STE_STAGE_NODE, "");
    const struct ste_stage *noe = ste_analysis_find(a, STE_STAGE_NODE, "NOE");
    const struct ste_stage *shard = ste_analysis_find(a, STE_STAGE_SHARD, "");
    assert_true(node && noe && shard);
    assert_near(node->counts.servers, 2, 0);
    assert_near(node->laws.utilisation, .5, 1e-9); /* 1.0 s a second at two workers */
    assert_near(node->demand, 1e-3, 1e-12);
    assert_near(noe->laws.service, 1.5e-3, 1e-12);
    assert_near(noe->visits, .4, 1e-9);
    assert_near(noe->demand, .6e-3, 1e-12); /* D = V·S */
    assert_near(shard->laws.throughput, 1000, 1e-6);
    /* .6 of a worker in database calls, with 100 records a transaction. */
    assert_near(shard->laws.present, 60, 1e-9);
    assert_near(shard->laws.response, .06, 1e-12);
    assert_near(shard->laws.imbalance, 0, 1e-12);
    /* The share of 0.1 processors is nearer to its end than any server. */
    assert_near(node->cpu_use, .9, 1e-9);
    assert_string_equal(a->busiest->name, "node");
    assert_ptr_equal(a->costliest, node);
    assert_near(a->ceiling, 1000 / .9, 1e-6);
    /* 3.2 busy; node .09, broker .8, shard .1, and without a process of its own driver and pool. */
    assert_near(a->foreign, 1 - (.09 + .8 + .1 + .2 + .05) / 3.2, 1e-9);
    /* Forced flow and the sum of demands: driver .2, router .25, node 1, broker .8, pool .05 ms. */
    assert_int_equal(a->station_count, 5);
    double sum = a->system.think + ste_oa_demand_sum(&a->system);
    assert_near(sum, 2.3e-3, 1e-12);
    assert_near(ste_oa_demand_max(&a->system), .5e-3, 1e-12); /* node: 1 ms at two */
    struct ste_oa_bounds bounds = ste_analysis_bounds(a, 1, false);
    assert_near(bounds.upper, 1 / 2.3e-3, 1e-6);
    bounds = ste_analysis_bounds(a, 1e6, true);
    assert_near(bounds.upper, 1000 / .9, 1e-6); /* below 1/Dmax = 2000 */
    assert_near(ste_analysis_mva(a, 1), 1 / 2.3e-3, 1e-6);
    assert_near(ste_analysis_mva(a, 1000), 1000 / .9, 1e-6);
    assert_true(isnan(ste_analysis_mva(a, 0)));
    end(&trial);
}

/* A router and a node that had worked before, and 50 messages that were there at the start. */
static void what_was_there_at_the_start(void **state)
{
    (void)state;
    struct trial trial;
    begin(&trial);
    for (uint64_t i = 0; i <= 10; i++) {
        double t = (double)i;
        ste_samples_at(trial.writer, 1000000 * i);
        put(&trial, STE_Q_WORKER_ARRIVALS, "router-1/0", "", 900 + 10 * t);
        put(&trial, STE_Q_WORKER_COMPLETIONS, "router-1/0", "", 900 + 10 * t);
        put(&trial, STE_Q_WORKER_COMPLETIONS, "node-1/0", "", 850 + 15 * t);
    }
    assert_ok(finish(&trial, NAN, NAN, &err));
    const struct ste_stage *node = ste_analysis_find(&trial.analysis, STE_STAGE_NODE, "");
    assert_non_null(node);
    assert_near(node->present[0], 50, 1e-9);
    assert_near(node->present[10], 0, 1e-9);
    assert_near(node->laws.present, 27.5, 1e-9);
    end(&trial);
}

/* Five deliveries wait in ste.in; what they hold is known by the batch or not at all. */
static void router_without_driver(void **state)
{
    (void)state;
    for (int told = 0; told < 2; told++) {
        struct trial trial;
        begin(&trial);
        if (told)
            ste_samples_meta(trial.writer, "batch", "64");
        for (uint64_t i = 0; i <= 10; i++) {
            ste_samples_at(trial.writer, 1000000 * i);
            put(&trial, STE_Q_QUEUE_READY, "ste.in", "", 5);
            put(&trial, STE_Q_WORKER_ARRIVALS, "router-1/0", "", 10 * (double)i);
            put(&trial, STE_Q_WORKER_COMPLETIONS, "router-1/0", "", 10 * (double)i);
            put(&trial, STE_Q_WORKER_COMPLETIONS, "node-1/0", "", 10 * (double)i);
        }
        assert_ok(finish(&trial, NAN, NAN, &err));
        const struct ste_stage *router = ste_analysis_find(&trial.analysis, STE_STAGE_ROUTER, "");
        assert_non_null(router);
        if (told)
            assert_near(router->laws.present, 320, 1e-9);
        else
            assert_true(isnan(router->laws.present));
        end(&trial);
    }
}

static void tells_what_is_missing(void **state)
{
    (void)state;
    struct trial trial;
    struct ste_error err = {0};
    begin(&trial);
    ste_samples_at(trial.writer, 1);
    put(&trial, STE_Q_MACHINE_CORES, "machine", "", 4);
    assert_int_equal(finish(&trial, NAN, NAN, &err), STE_E_ARGUMENT);
    assert_non_null(strstr(err.text, "fewer than two samples"));
    end(&trial);
    begin(&trial);
    for (uint64_t i = 1; i < 3; i++) {
        ste_samples_at(trial.writer, i);
        put(&trial, STE_Q_MACHINE_CORES, "machine", "", 4);
    }
    assert_int_equal(finish(&trial, NAN, NAN, &err), STE_E_ARGUMENT);
    assert_non_null(strstr(err.text, "nothing tells what arrived"));
    end(&trial);
    begin(&trial);
    for (uint64_t i = 1; i < 3; i++) {
        ste_samples_at(trial.writer, i * 1000000);
        put_pipeline(&trial, 5);
    }
    assert_int_equal(finish(&trial, NAN, NAN, &err), STE_E_ARGUMENT);
    assert_non_null(strstr(err.text, "show no messages"));
    end(&trial);
    begin(&trial);
    for (uint64_t i = 1; i < 3; i++) { /* some came, and none went */
        ste_samples_at(trial.writer, i * 1000000);
        put(&trial, STE_Q_DRIVER_CONFIRMED, "driver", "", 1000 * (double)i);
        put(&trial, STE_Q_POOL_CLEARED, "pool", "", 0);
    }
    assert_int_equal(finish(&trial, NAN, NAN, &err), STE_E_ARGUMENT);
    assert_non_null(strstr(err.text, "nothing was completed"));
    end(&trial);
    begin(&trial);
    for (uint64_t i = 1; i < 4; i++) {
        ste_samples_at(trial.writer, i * 1000000);
        put_pipeline(&trial, (double)i);
    }
    assert_int_equal(finish(&trial, 2.5, 1, &err), STE_E_ARGUMENT);
    assert_non_null(strstr(err.text, "no two samples"));
    end(&trial);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_execution_graph), cmocka_unit_test(sample_node_of_the_article),
        cmocka_unit_test(stages_of_a_run),       cmocka_unit_test(what_was_there_at_the_start),
        cmocka_unit_test(router_without_driver), cmocka_unit_test(tells_what_is_missing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
