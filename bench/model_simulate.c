/* SPDX-License-Identifier: Apache-2.0
 * The workers' rounds as a discrete-event simulation: quotas by the period and locks by the row
 * holder, as they are, instead of the formulas' approximations. */
#include <math.h>
#include <stdlib.h>

#include "bench/model_internal.h"
#include "oa/simulate.h"

enum { STEPS = 8, CORES_ROUNDS = 6 };
/* Batches differ a little: Erlang of 16 phases. */
static const double variation = .25;

/* Stations: nodes, shards, the machine's cores, the flush. */
struct plan {
    struct ste_oa_simulation input;
    struct ste_oa_sim_station *stations;
    struct ste_oa_sim_class *classes;
    struct ste_oa_step *steps;
    struct ste_oa_sim_load *loads;
    unsigned nodes, shards; /* simulated: where they do not divide, only groups that set the pace */
    double times;           /* the whole, of what is simulated */
};

static void free_plan(struct plan *plan)
{
    free(plan->stations);
    free(plan->classes);
    free(plan->steps);
    free(plan->loads);
}

/* Periods of different processes do not begin together: spread by the golden ratio. */
static struct ste_oa_sim_station held(double share, double period_s, size_t number)
{
    const double phase = fmod((double)(number + 1) * .6180339887, 1);
    return (struct ste_oa_sim_station){.discipline = STE_OA_SHARED,
                                       .servers = (unsigned)fmax(1, ceil(share)),
                                       .quota_s = share * period_s,
                                       .period_s = period_s,
                                       .phase_s = fmax(phase, 1e-3) * period_s};
}

static struct ste_oa_step serve(unsigned station, double mean_s)
{
    return (struct ste_oa_step){
        .kind = STE_OA_SERVE, .where = station, .mean_s = mean_s, .variation = variation};
}

static void fill_steps(struct ste_oa_step *steps, unsigned node_at, unsigned shard_at,
                       unsigned flush_at, unsigned shard, const double cpu[2], double flush_s,
                       double lock)
{
    const double after = 1 - STE_MODEL_NODE_BEFORE - STE_MODEL_NODE_INSIDE;
    steps[0] = serve(node_at, cpu[0] * STE_MODEL_NODE_BEFORE);
    steps[1] = (struct ste_oa_step){.kind = STE_OA_LOCK, .where = shard, .probability = lock};
    steps[2] = serve(shard_at, cpu[1] * STE_MODEL_SHARD_LOAD);
    steps[3] = serve(node_at, cpu[0] * STE_MODEL_NODE_INSIDE);
    steps[4] = serve(shard_at, cpu[1] * (1 - STE_MODEL_SHARD_LOAD));
    steps[5] = serve(flush_at, flush_s);
    steps[6] = (struct ste_oa_step){.kind = STE_OA_UNLOCK, .where = shard};
    steps[7] = serve(node_at, cpu[0] * after);
}

/* Does node i work for shard j? */
static bool works_for(const struct plan *plan, const struct ste_model_case *asked, unsigned node,
                      unsigned shard)
{
    if (asked->mesh)
        return true;
    return plan->nodes <= plan->shards ? shard % plan->nodes == node : node % plan->shards == shard;
}

static void choose_size(struct plan *plan, const struct ste_model_case *asked)
{
    plan->nodes = asked->nodes;
    plan->shards = asked->shards;
    plan->times = 1;
    if (asked->mesh)
        return;
    if (asked->nodes > asked->shards) {
        plan->nodes = asked->nodes / asked->shards * asked->shards;
    } else if (asked->shards % asked->nodes != 0) {
        const unsigned each = asked->shards / asked->nodes + 1; /* shards of the fullest node */
        plan->nodes = asked->shards / each;
        plan->shards = plan->nodes * each;
        plan->times = (double)asked->shards / plan->shards;
    }
}

static bool allocate(struct plan *plan, const struct ste_model_case *asked)
{
    choose_size(plan, asked);
    const size_t pairs = (size_t)plan->nodes * plan->shards;
    const size_t stations = (size_t)plan->nodes + plan->shards + 2;
    plan->stations = calloc(stations, sizeof *plan->stations);
    plan->loads = calloc(stations, sizeof *plan->loads);
    plan->classes = calloc(pairs, sizeof *plan->classes);
    plan->steps = calloc(pairs * STEPS, sizeof *plan->steps);
    plan->input.station_count = stations;
    plan->input.lock_count = plan->shards;
    plan->input.stations = plan->stations;
    plan->input.classes = plan->classes;
    return plan->stations && plan->loads && plan->classes && plan->steps;
}

/* `cores`: those left for workers that are not held; a fraction stretches their service. */
static void fill(struct plan *plan, const struct ste_model *model,
                 const struct ste_model_case *asked, double cores, double batch)
{
    const unsigned cores_at = plan->nodes + plan->shards, flush_at = cores_at + 1;
    const double whole = fmax(1, round(cores));
    double cpu[2];
    for (size_t i = 0; i < 2; i++) {
        const enum ste_model_part part = i == 0 ? STE_PART_NODE : STE_PART_SHARD;
        const double share = i == 0 ? asked->node_cpu : asked->shard_cpu;
        cpu[i] =
            batch * ste_model_demand(model, asked, part, batch) * (share > 0 ? 1 : whole / cores);
    }
    plan->stations[cores_at] =
        (struct ste_oa_sim_station){.discipline = STE_OA_SHARED, .servers = (unsigned)whole};
    plan->stations[flush_at].discipline = STE_OA_WAIT;
    for (unsigned i = 0; i < plan->nodes; i++)
        plan->stations[i] = held(ste_model_share(model, asked, STE_PART_NODE),
                                 ste_model_period(model, asked, STE_PART_NODE), i);
    for (unsigned j = 0; j < plan->shards; j++)
        plan->stations[plan->nodes + j] =
            held(ste_model_share(model, asked, STE_PART_SHARD),
                 ste_model_period(model, asked, STE_PART_SHARD), plan->nodes + j);
    plan->input.class_count = 0;
    for (unsigned i = 0; i < plan->nodes; i++) {
        for (unsigned j = 0; j < plan->shards; j++) {
            if (!works_for(plan, asked, i, j))
                continue;
            const size_t pair = plan->input.class_count++;
            struct ste_oa_step *const steps = plan->steps + pair * STEPS;
            fill_steps(steps, asked->node_cpu > 0 ? i : cores_at,
                       asked->shard_cpu > 0 ? plan->nodes + j : cores_at, flush_at, j, cpu,
                       asked->flush_s, model->lock);
            plan->classes[pair] = (struct ste_oa_sim_class){
                .jobs = asked->workers, .steps = steps, .step_count = STEPS};
        }
    }
}

static double mean_use(const struct plan *plan, size_t first, size_t count, double share)
{
    double sum = 0;
    for (size_t k = first; k < first + count; k++)
        sum += plan->loads[k].utilisation *
               (plan->stations[k].servers > 1 ? plan->stations[k].servers : 1);
    return count > 0 ? sum / (double)count / share : 0;
}

static void report(const struct plan *plan, const struct ste_model *model,
                   const struct ste_model_case *asked, const struct ste_oa_simulated *simulated,
                   const struct ste_model_answer *answer, struct ste_model_simulated *ret)
{
    *ret = (struct ste_model_simulated){
        .throughput = plan->times * simulated->throughput.mean * answer->batch,
        .half_width = plan->times * simulated->throughput.half_width * answer->batch,
        .use_node = asked->node_cpu > 0 ? mean_use(plan, 0, plan->nodes,
                                                   ste_model_share(model, asked, STE_PART_NODE))
                                        : NAN,
        .use_shard = asked->shard_cpu > 0 ? mean_use(plan, plan->nodes, plan->shards,
                                                     ste_model_share(model, asked, STE_PART_SHARD))
                                          : NAN};
    if (ret->throughput > answer->upper) { /* router, driver, rate: not walked by the rounds */
        ret->throughput = answer->upper;
        ret->half_width = 0;
    }
}

static enum ste_code simulate(const struct ste_model *model, const struct ste_model_case *given,
                              double seconds, uint64_t seed, struct ste_model_simulated *ret,
                              struct ste_error *err)
{
    struct ste_model_answer answer;
    struct plan plan = {.input = {.seed = seed, .warm_up_s = seconds / 10, .seconds = seconds}};
    enum ste_code rc = ste_model_predict(model, given, &answer, err);
    if (rc != STE_OK)
        return rc;
    struct ste_model_case with = *given;
    with.publication = answer.publication;
    const struct ste_model_case *const asked = &with;
    answer.batch = ste_model_batch(model, asked);
    if (!allocate(&plan, asked))
        rc = ste_error_set(err, STE_E_NOMEM, "no memory for the simulation");
    /* What flows through takes cores from workers that are not held, which lets less through. */
    const bool loose = !(asked->node_cpu > 0) || !(asked->shard_cpu > 0);
    double through = answer.throughput;
    for (unsigned i = 0; rc == STE_OK && i < (loose ? CORES_ROUNDS : 1); i++) {
        struct ste_oa_simulated simulated;
        fill(&plan, model, asked, ste_model_cores_left(model, asked, through, answer.batch),
             answer.batch);
        rc = ste_oa_simulate(&plan.input, &simulated, plan.loads, err);
        if (rc == STE_OK) {
            report(&plan, model, asked, &simulated, &answer, ret);
            through = (through + ret->throughput) / 2;
        }
    }
    free_plan(&plan);
    return rc;
}

enum ste_code ste_model_simulate(const struct ste_model *model, const struct ste_model_case *asked,
                                 double seconds, uint64_t seed, struct ste_model_simulated *ret,
                                 struct ste_error *err)
{
    struct ste_model as_simulated = *model;
    if (model->simulated_speed > 0)
        as_simulated.speed = model->simulated_speed;
    return simulate(&as_simulated, asked, seconds, seed, ret, err);
}

enum ste_code ste_model_fit_simulation(struct ste_model *model, double seconds, uint64_t seed,
                                       struct ste_error *err)
{
    enum { HALVINGS = 12 };
    const struct ste_model_case as_run = ste_model_case_of(model);
    double low = .5, high = 1.5;
    enum ste_code rc = STE_OK;
    for (unsigned i = 0; rc == STE_OK && model->at_capacity && i < HALVINGS; i++) {
        struct ste_model_simulated simulated = {0};
        model->simulated_speed = (low + high) / 2;
        rc = ste_model_simulate(model, &as_run, seconds, seed, &simulated, err);
        if (simulated.throughput >= model->throughput)
            high = model->simulated_speed;
        else
            low = model->simulated_speed;
    }
    return rc;
}
