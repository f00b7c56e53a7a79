/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/model.h"

#include <unistd.h>

#include "bench/model_words.h"
#include "oa/testing.h"

/* Costs as docs/BENCHMARKS.md has them; nodes and shards held. */
static struct ste_model held_model(void)
{
    struct ste_model model = {.nodes = 2,
                              .shards = 4,
                              .workers = 1,
                              .router_threads = 1,
                              .mesh = true,
                              .node_cpu = .08,
                              .shard_cpu = .15,
                              .cores = 8,
                              .batch = 250,
                              .publication = 12,
                              .throughput = 8000,
                              .backlogged = true,
                              .speed = 1,
                              .lock = 1};
    model.cost[STE_PART_NODE] = (struct ste_model_cost){133e-6, 8.3e-6, 13e-6, 0, .0005};
    model.cost[STE_PART_SHARD] = (struct ste_model_cost){1.1e-3, 27e-6, 0, .001, .0006};
    model.cost[STE_PART_ROUTER] = (struct ste_model_cost){0, 10e-6, 40e-6, 0, 0};
    model.cost[STE_PART_BROKER] = (struct ste_model_cost){0, 16e-6, 170e-6, .02, 0};
    model.cost[STE_PART_DRIVER].record_s = 2e-6;
    model.cost[STE_PART_POOL].record_s = 1e-6;
    return model;
}

static struct ste_model_answer predict(const struct ste_model *model,
                                       const struct ste_model_case *asked)
{
    struct ste_model_answer answer;
    assert_ok(ste_model_predict(model, asked, &answer, &err));
    return answer;
}

static struct ste_model_answer predict_at(const struct ste_model *model, unsigned nodes,
                                          unsigned shards)
{
    struct ste_model_case asked = ste_model_case_of(model);
    asked.nodes = nodes;
    asked.shards = shards;
    return predict(model, &asked);
}

/* ---- predictions ---- */

/* Far from the knee, throughput is what the narrow side's share allows, to be computed by hand. */
static void test_narrow_side_decides(void **state)
{
    (void)state;
    const struct ste_model model = held_model();
    const struct ste_model_answer node = predict_at(&model, 1, 8);
    assert_string_equal(node.limit, "node");
    const double node_demand = 8.3e-6 + 133e-6 / 250 + 13e-6 / node.publication;
    assert_near(node.upper, (.08 - 8 * .0005) / node_demand, 1e-6);
    assert_near(node.throughput, node.upper, .02 * node.upper);
    const struct ste_model_answer shard = predict_at(&model, 4, 1);
    assert_string_equal(shard.limit, "shard");
    const double shard_demand = 27e-6 + 1.1e-3 / 250;
    assert_near(shard.upper, (.15 - .001 - 4 * .0006) / shard_demand, 1e-6);
    assert_near(shard.throughput, shard.upper, .05 * shard.upper);
    assert_near(node.use[STE_PART_NODE], node.throughput / node.upper, 1e-9);
}

/* Four shards and 8,000 a second made 12 records a publication: what comes for a shard counts. */
static void test_publications_follow_what_comes(void **state)
{
    (void)state;
    struct ste_model model = held_model();
    const struct ste_model_answer few = predict_at(&model, 2, 4), many = predict_at(&model, 2, 8);
    assert_near(few.publication, 12 * few.throughput / 8000, .01);
    assert_near(many.publication, 12 * many.throughput / 8000 / 2, .01);
    struct ste_model_case asked = ste_model_case_of(&model);
    asked.rate = 800;
    assert_near(predict(&model, &asked).publication, 1.2, .01);
    asked.publication = 30;
    assert_near(predict(&model, &asked).publication, 30, 0);
}

/* With databases to spare twice the nodes do nearly twice as much; on one they do not, and less in
 * the end; twice the databases move the knee. */
static void test_scale_out(void **state)
{
    (void)state;
    struct ste_model model = held_model();
    model.cost[STE_PART_NODE].delivery_s = 0; /* else wider publications help, too */
    const double one = predict_at(&model, 1, 8).throughput;
    assert_near(predict_at(&model, 2, 8).throughput / one, 2, .1);
    const double few = predict_at(&model, 2, 1).throughput;
    const double many = predict_at(&model, 8, 1).throughput;
    assert_true(many <= few);
    assert_true(predict_at(&model, 8, 2).throughput > 1.9 * many);
    /* A database that waits for a slow node's commit is not at its own limit. */
    struct ste_model slow = model;
    slow.node_cpu = .03;
    const struct ste_model_answer locked = predict_at(&slow, 6, 4);
    assert_true(locked.lock_wait_s > 0);
    slow.lock = 0;
    assert_true(predict_at(&slow, 6, 4).throughput > locked.throughput);
    assert_near(predict_at(&slow, 6, 4).lock_wait_s, 0, 1e-12);
}

/* As deploy/lab spreads workers: one for each shard, while there are no more nodes than shards. It
 * does one thing after the other, so the shard is idle while its node works: by hand at full speed.
 */
static void test_spread_layout(void **state)
{
    (void)state;
    struct ste_model model = held_model();
    model.mesh = false;
    model.node_cpu = model.shard_cpu = 0;
    model.cores = 1000;
    model.router_threads = 100;
    const double batch = 250, node = 8.3e-6 * batch + 133e-6 + 13e-6 * batch / 12;
    const double shard = 27e-6 * batch + 1.1e-3, alone = node + shard + .0003;
    const struct ste_model_answer few = predict_at(&model, 2, 4);
    assert_near(few.throughput, 4 * batch / alone, .02 * few.throughput);
    assert_near(few.cycle_s, alone, .02 * alone);
    assert_near(few.lock_wait_s, 0, 1e-9);
    assert_near(predict_at(&model, 1, 4).throughput, few.throughput, .02 * few.throughput);
    /* Two workers of a shard take turns, and no more than one of them holds the rows. */
    const struct ste_model_answer pairs = predict_at(&model, 8, 4);
    const double held = shard + .6 * node + .0003;
    assert_near(pairs.throughput, 4 * batch / held, .03 * pairs.throughput);
    /* Of five nodes the fifth doubles shard 0 alone; of three one has two shards. */
    assert_near(predict_at(&model, 5, 4).throughput, few.throughput, .02 * few.throughput);
    model.node_cpu = .05;
    assert_near(predict_at(&model, 3, 4).upper, predict_at(&model, 2, 4).upper, 1e-6);
    struct ste_model_case asked = ste_model_case_of(&model);
    struct ste_model_simulated simulated;
    asked.nodes = 3;
    assert_ok(ste_model_simulate(&model, &asked, 30, 1, &simulated, &err));
    const double formula = predict(&model, &asked).throughput;
    assert_near(simulated.throughput, formula, .1 * formula);
}

/* A shard with many workers is dearer. */
static void test_crowd(void **state)
{
    (void)state;
    struct ste_model model = held_model();
    model.mesh = false;
    const double before = predict_at(&model, 16, 4).throughput;
    model.crowd = .4;
    assert_near(predict_at(&model, 16, 4).throughput * 1.225, before, .03 * before);
    const double one = predict_at(&model, 4, 4).throughput;
    model.crowd = 0;
    assert_near(predict_at(&model, 4, 4).throughput, one, 1e-6);
}

/* A node that pauses with rows in its hands keeps the others waiting, in the simulation too. */
static void test_locks_cost_in_the_simulation(void **state)
{
    (void)state;
    struct ste_model model = held_model();
    struct ste_model_case asked = ste_model_case_of(&model);
    struct ste_model_simulated locked, open;
    asked.nodes = 8;
    asked.node_cpu = .02;
    assert_ok(ste_model_simulate(&model, &asked, 30, 1, &locked, &err));
    model.lock = 0;
    assert_ok(ste_model_simulate(&model, &asked, 30, 1, &open, &err));
    assert_true(locked.throughput < .9 * open.throughput);
}

static void test_what_if(void **state)
{
    (void)state;
    const struct ste_model model = held_model();
    struct ste_model_case asked = ste_model_case_of(&model);
    asked.nodes = 1;
    asked.shards = 8;
    asked.publication = 12;
    const double before = predict(&model, &asked).throughput;
    asked.scale[STE_PART_NODE] = .5;
    assert_near(predict(&model, &asked).throughput / before, 2, .1);
    asked.scale[STE_PART_NODE] = 1;
    asked.scale[STE_PART_DRIVER] = 1000;
    assert_near(predict(&model, &asked).throughput, 1 / 2e-3, 1e-6);
    assert_string_equal(predict(&model, &asked).limit, "driver");
    asked.scale[STE_PART_DRIVER] = 1;
    /* Smaller batches are dearer. */
    asked.batch_max = 10;
    assert_true(predict(&model, &asked).throughput < .7 * before);
    /* Few cores for all. */
    asked = ste_model_case_of(&model);
    asked.cores = .3;
    const struct ste_model_answer tight = predict(&model, &asked);
    assert_string_equal(tight.limit, "cores");
    assert_near(tight.use_cores, 1, .02);
    /* Hundreds of nodes. */
    asked.cores = 1000;
    asked.nodes = 300;
    asked.shard_cpu = 1;
    asked.shards = 16;
    assert_true(predict(&model, &asked).throughput > 0);
}

/* Nothing is held: all share the cores. */
static void test_whole_machine(void **state)
{
    (void)state;
    struct ste_model model = held_model();
    model.node_cpu = model.shard_cpu = 0;
    model.cores = 2;
    const struct ste_model_answer answer = predict_at(&model, 2, 4);
    assert_string_equal(answer.limit, "cores");
    assert_near(answer.throughput, answer.upper, .1 * answer.upper);
    assert_near(predict_at(&model, 4, 4).throughput, answer.throughput, .1 * answer.throughput);
}

/* An offered rate that is half of what it could do: it goes through in small batches, soon. */
static void test_offered_rate(void **state)
{
    (void)state;
    const struct ste_model model = held_model();
    struct ste_model_case asked = ste_model_case_of(&model);
    const double most = predict(&model, &asked).throughput;
    asked.rate = .4 * most;
    const struct ste_model_answer half = predict(&model, &asked);
    assert_near(half.throughput, .4 * most, 1e-6);
    assert_string_equal(half.limit, "rate");
    assert_true(half.batch < 200);
    assert_true(half.response_s > 0 && half.response_s < 1);
    asked.rate = 2 * most;
    assert_true(isnan(predict(&model, &asked).response_s));
    asked.rate = 0;
    asked.outstanding = 5000; /* Little */
    const struct ste_model_answer bound = predict(&model, &asked);
    assert_near(bound.response_s, 5000 / bound.throughput, 1e-9);
}

static void test_idle_work_may_use_up_a_share(void **state)
{
    (void)state;
    struct ste_model model = held_model();
    struct ste_model_case asked = ste_model_case_of(&model);
    struct ste_model_answer answer;
    struct ste_error why = {0};
    model.cost[STE_PART_NODE].idle_worker = .05;
    assert_int_equal(ste_model_predict(&model, &asked, &answer, &why), STE_E_LIMIT);
    asked.nodes = 0;
    assert_int_equal(ste_model_predict(&model, &asked, &answer, &why), STE_E_ARGUMENT);
}

/* Two ways to compute the same: apart by less than what is to be predicted. */
static void test_formulas_and_simulation_agree(void **state)
{
    (void)state;
    static const unsigned nodes[] = {1, 2, 4, 8}, shards[] = {1, 2, 4, 8, 16};
    struct ste_model model = held_model();
    double sum = 0;
    for (size_t i = 0; i < COUNT_OF(nodes); i++) {
        for (size_t j = 0; j < COUNT_OF(shards); j++) {
            struct ste_model_case asked = ste_model_case_of(&model);
            struct ste_model_simulated simulated;
            asked.nodes = nodes[i];
            asked.shards = shards[j];
            assert_ok(ste_model_simulate(&model, &asked, 30, 1, &simulated, &err));
            const double formula = predict(&model, &asked).throughput;
            const double error = fabs(formula / simulated.throughput - 1);
            if (error > .12)
                fail_msg("%u x %u: formula %.0f, simulation %.0f", nodes[i], shards[j], formula,
                         simulated.throughput);
            sum += error;
        }
    }
    assert_true(sum / 20 < .04);
}

/* ---- calibration ---- */

struct rig {
    double shard_txn, shard_record, node_record, idle_node;
    bool alike;   /* all batches of one size */
    bool no_rest; /* the samples begin and end with the work */
};

/* Two nodes and four shards: 5 s at rest, 20 s of 4,000 messages a second in batches of 100 to 240
 * records, and 2 s more. */
static void write_samples(const char *path, const struct rig *rig)
{
    FILE *const out = fopen(path, "w");
    assert_non_null(out);
    fputs("at_us,kind,name,type,quantity,value\n", out);
    fputs("0,meta,,,nodes,2\n0,meta,,,shards,4\n0,meta,,,node_cpu_share,0.1\n"
          "0,meta,,,shard_cpu_share,0.1\n0,meta,,,cores,2\n",
          out);
    double messages = 0, batches = 0, published = 0;
    for (int t = 0; t <= 27; t++) {
        const unsigned at = (unsigned)(t + 1) * 1000000;
        if (rig->no_rest && (t < 5 || t > 25))
            continue;
        if (t > 5 && t <= 25) {
            const double size = rig->alike ? 200 : 100 + 20 * (t % 8);
            messages += 4000;
            batches += 4000 / size;
            published += 200;
        }
        fprintf(out, "%u,worker,router-1/0,,completions,%g\n", at, messages);
        fprintf(out, "%u,worker,router-1/0,,batches,%g\n", at, published);
        fprintf(out, "%u,process,router-1,,cpu_seconds,%.9g\n", at, 12e-6 * messages);
        fprintf(out, "%u,process,broker,,cpu_seconds,%.9g\n", at, 30e-6 * messages);
        fprintf(out, "%u,driver,driver,,confirmed,%g\n", at, messages);
        fprintf(out, "%u,driver,driver,,cpu_seconds,%.9g\n", at, 2e-6 * messages);
        for (int i = 1; i <= 2; i++) {
            fprintf(out, "%u,process,node-%d,,cpu_seconds,%.9g\n", at, i,
                    rig->node_record * messages / 2 + rig->idle_node * t);
            for (int j = 0; j < 4; j++) {
                fprintf(out, "%u,worker,node-%d/%d,,completions,%.9g\n", at, i, j, messages / 8);
                fprintf(out, "%u,worker,node-%d/%d,,batches,%.9g\n", at, i, j, batches / 8);
            }
        }
        for (int j = 0; j < 4; j++)
            fprintf(out, "%u,process,shard-%d,,cpu_seconds,%.9g\n", at, j,
                    (rig->shard_txn * batches + rig->shard_record * messages) / 4);
    }
    assert_int_equal(fclose(out), 0);
}

static struct ste_model_run read_run(const struct rig *rig)
{
    char path[] = "/tmp/ste-model-XXXXXX";
    const int fd = mkstemp(path);
    struct ste_samples samples;
    struct ste_model_run run;
    assert_true(fd >= 0);
    assert_int_equal(close(fd), 0);
    write_samples(path, rig);
    assert_ok(ste_samples_read(path, &samples, &err));
    assert_int_equal(unlink(path), 0);
    assert_ok(ste_model_run_of(&samples, true, &run, &err));
    ste_samples_deinit(&samples);
    return run;
}

static struct ste_model learn(const struct rig *rig)
{
    struct ste_model_run run = read_run(rig);
    struct ste_model model;
    assert_ok(ste_model_calibrate(&run, 1, 1, 0, &model, &err));
    ste_model_run_deinit(&run);
    return model;
}

static void test_costs_come_out_of_samples(void **state)
{
    (void)state;
    const struct rig rig = {1.2e-3, 25e-6, 48e-6, .002, false, false};
    const struct ste_model model = learn(&rig);
    assert_int_equal(model.nodes, 2);
    assert_int_equal(model.shards, 4);
    assert_int_equal(model.workers, 1);
    assert_int_equal(model.router_threads, 1);
    assert_near(model.node_cpu, .1, 0);
    assert_near(model.throughput, 4000, 1);
    assert_near(model.publication, 20, 1e-9);
    assert_near(model.cost[STE_PART_SHARD].txn_s, 1.2e-3, 1e-5);
    assert_near(model.cost[STE_PART_SHARD].record_s, 25e-6, 1e-7);
    assert_near(model.cost[STE_PART_NODE].idle_worker, .25 * .002 / 4, 1e-6);
    assert_near(model.cost[STE_PART_DRIVER].record_s, 2e-6, 1e-9);
    const struct ste_model_cost *const broker = &model.cost[STE_PART_BROKER];
    assert_near(broker->record_s + broker->delivery_s / 20, 30e-6, 1e-9);
    /* The run itself comes out as it was. */
    assert_near(predict_at(&model, 2, 4).throughput, 4000, 1);
}

static bool is_noted(const struct ste_model *model, const char *text)
{
    bool said = false;
    for (unsigned i = 0; i < model->note_count; i++)
        said = said || strstr(model->notes[i], text) != NULL;
    return said;
}

/* One size of batch: the split is assumed, and said; the sum is what was seen. */
static void test_alike_batches_are_split_by_assumption(void **state)
{
    (void)state;
    const struct rig rig = {1.2e-3, 25e-6, 40e-6, 0, true, false};
    const struct ste_model model = learn(&rig);
    const struct ste_model_cost *const shard = &model.cost[STE_PART_SHARD];
    assert_near(shard->record_s + shard->txn_s / 200, 25e-6 + 1.2e-3 / 200, 1e-8);
    assert_true(is_noted(&model, "assumed: a transaction costs a shard"));
}

static struct ste_model_run run_like(const struct rig *rig, unsigned nodes)
{
    struct ste_model_run run = read_run(rig);
    run.nodes = nodes;
    return run;
}

/* A second run in which 4 workers instead of 2 use a shard, which costs it half as much again. */
static void test_crowd_comes_out_of_two_runs(void **state)
{
    (void)state;
    const struct rig few = {1.2e-3, 25e-6, 48e-6, .002, true, false};
    const struct rig many = {1.8e-3, 37.5e-6, 48e-6, .002, true, false};
    struct ste_model_run runs[] = {run_like(&few, 2), run_like(&many, 4), run_like(&few, 2)};
    struct ste_model model;
    assert_ok(ste_model_calibrate(runs, 2, 1, NAN, &model, &err));
    assert_near((1 + model.crowd * .5625) / (1 + model.crowd * .25), 1.5, .01);
    assert_true(is_noted(&model, "seen: w workers"));
    /* Far dearer than any crowd makes it: the most, not nothing. */
    const struct rig far = {6e-3, 125e-6, 48e-6, .002, true, false};
    struct ste_model_run apart[] = {runs[0], run_like(&far, 4)};
    assert_ok(ste_model_calibrate(apart, 2, 1, NAN, &model, &err));
    assert_near(model.crowd, 10, 1e-9);
    ste_model_run_deinit(&apart[1]);
    /* Of as many workers nothing is learnt; what is given counts. */
    assert_ok(ste_model_calibrate(&runs[2], 1, 1, NAN, &model, &err));
    assert_near(model.crowd, 1.3, 1e-9);
    assert_true(is_noted(&model, "assumed: w workers"));
    assert_ok(ste_model_calibrate(runs, 2, 1, .7, &model, &err));
    assert_near(model.crowd, .7, 1e-9);
    assert_true(is_noted(&model, "given: w workers"));
    for (size_t i = 0; i < COUNT_OF(runs); i++)
        ste_model_run_deinit(&runs[i]);
}

static void test_unseen_idle_work_is_assumed(void **state)
{
    (void)state;
    struct rig rig = {1.2e-3, 25e-6, 48e-6, .002, false, false};
    const struct ste_model seen = learn(&rig);
    rig.no_rest = true;
    const struct ste_model unseen = learn(&rig);
    assert_true(is_noted(&seen, "seen: idle work"));
    assert_true(is_noted(&unseen, "assumed: idle work"));
    assert_true(unseen.cost[STE_PART_NODE].idle_worker > 0);
    assert_true(unseen.cost[STE_PART_SHARD].idle > 0);
    assert_near(predict_at(&unseen, 2, 4).throughput, unseen.throughput, 1);
}

static void test_samples_without_work_are_refused(void **state)
{
    (void)state;
    const struct ste_samples samples = {0};
    struct ste_model_run run;
    struct ste_error why = {0};
    assert_int_equal(ste_model_run_of(&samples, true, &run, &why), STE_E_ARGUMENT);
}

/* ---- words ---- */

static void test_lists_and_numbers(void **state)
{
    (void)state;
    unsigned list[8];
    size_t count = 0;
    assert_true(ste_model_list("1-3,8", 10, list, 8, &count));
    assert_int_equal(count, 4);
    assert_int_equal(list[2], 3);
    assert_int_equal(list[3], 8);
    static const char *const bad[] = {"", "0", "3-1", "1,", ",1", "1-", "11", "x", "1 2", "1-9"};
    for (size_t i = 0; i < COUNT_OF(bad); i++)
        assert_false(ste_model_list(bad[i], 10, list, 8, &count));
    double number = 0, scale[STE_PART_COUNT] = {1, 1, 1, 1, 1, 1};
    assert_true(ste_model_number("0.25", 0, 1, &number));
    assert_near(number, .25, 0);
    assert_false(ste_model_number("1e3", 0, 1e6, &number));
    assert_false(ste_model_number("2", 0, 1, &number));
    assert_false(ste_model_number(".", 0, 1, &number));
    assert_true(ste_model_scales("node=0.8,shard=2", scale));
    assert_near(scale[STE_PART_NODE], .8, 0);
    assert_near(scale[STE_PART_SHARD], 2, 0);
    assert_near(scale[STE_PART_BROKER], 1, 0);
    assert_false(ste_model_scales("nodes=1", scale));
    assert_false(ste_model_scales("node", scale));
    assert_false(ste_model_scales("node=1,", scale));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_narrow_side_decides),
        cmocka_unit_test(test_publications_follow_what_comes),
        cmocka_unit_test(test_scale_out),
        cmocka_unit_test(test_spread_layout),
        cmocka_unit_test(test_crowd),
        cmocka_unit_test(test_locks_cost_in_the_simulation),
        cmocka_unit_test(test_what_if),
        cmocka_unit_test(test_whole_machine),
        cmocka_unit_test(test_offered_rate),
        cmocka_unit_test(test_idle_work_may_use_up_a_share),
        cmocka_unit_test(test_formulas_and_simulation_agree),
        cmocka_unit_test(test_costs_come_out_of_samples),
        cmocka_unit_test(test_alike_batches_are_split_by_assumption),
        cmocka_unit_test(test_crowd_comes_out_of_two_runs),
        cmocka_unit_test(test_unseen_idle_work_is_assumed),
        cmocka_unit_test(test_samples_without_work_are_refused),
        cmocka_unit_test(test_lists_and_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
