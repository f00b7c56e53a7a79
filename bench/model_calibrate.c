/* SPDX-License-Identifier: Apache-2.0
 * From what runs showed to the model's costs. What a run cannot show is assumed, and said. */
#include <math.h>
#include <string.h>

#include "bench/model_internal.h"

/* Costs of a transaction, in records that cost as much, when the runs do not tell. Shard: CPU of
 * batches of 247 and 67 records, 31.7 and 44.7 us a message (docs/BENCHMARKS.md), gives 1.19 ms and
 * 26.9 us. Node: 0.6 ms for one record, 10.6 ms for 256, measured when this was designed. */
static const double shard_txn_records = 44, node_txn_records = 14.3;
/* CPU of one delivery through the typed queues, likewise: from publications of 36 and 12 records.
 */
static const double broker_delivery_s = 170e-6, router_delivery_s = 40e-6, node_delivery_s = 13e-6;
/* No cost of a delivery takes more than this of what was seen. */
static const double delivery_part_max = .5;
/* Where the machine was less busy than this, its speed was not put to the test. */
static const double busy_enough = .85;
/* Between the 0.9 and 1.8 that runs on three machines and days gave. */
static const double crowd_assumed = 1.3, crowd_most = 10;
enum { HALVINGS = 40 };

struct sums {
    double bb, bm, mm, nb, nm, sb, sm; /* of batches, messages, CPU of nodes, of shards */
    double shards;                     /* CPU */
    double batches, messages, square, count;
};

static struct ste_model_layout layout_of(const struct ste_model_run *run)
{
    return ste_model_layout_of(run->nodes, run->shards, run->workers, run->mesh);
}

/* CPU a second of one process without work. Where the samples do not show it: what a lab's did, on
 * a machine of 2026. */
static double rest_of(const struct ste_model_run *run, enum ste_model_part part)
{
    static const double broker = .015, router = .001, node_worker = .001, shard = .0007;
    const struct ste_model_layout layout = layout_of(run);
    if (isfinite(run->idle[part]))
        return run->idle[part];
    switch (part) {
    case STE_PART_BROKER:
        return broker;
    case STE_PART_ROUTER:
        return router;
    case STE_PART_NODE:
        return node_worker * layout.per_node;
    case STE_PART_SHARD:
        return shard + STE_MODEL_SHARD_IDLE_WORKER * layout.per_shard;
    default:
        return 0;
    }
}

/* CPU a second of all processes of a part that is not for messages, while they have work. Rounds of
 * more than a second have fewer chores. */
static double idle_of(const struct ste_model_run *run, enum ste_model_part part)
{
    const struct ste_model_layout layout = layout_of(run);
    const double rest = rest_of(run, part);
    const double chores = fmin(1, run->batches / run->seconds / layout.all);
    if (part == STE_PART_NODE)
        return run->nodes * rest * STE_MODEL_NODE_CHORES * chores;
    if (part != STE_PART_SHARD)
        return rest;
    const double workers = fmin(rest, layout.per_shard * STE_MODEL_SHARD_IDLE_WORKER);
    return run->shards * (rest - workers * (1 - chores));
}

static void add_run(const struct ste_model_run *run, struct sums *sums)
{
    for (size_t i = 0; i < run->interval_count; i++) {
        const struct ste_model_interval *const at = &run->intervals[i];
        if (!(at->batches > 0))
            continue;
        const double nodes = at->node_cpu - idle_of(run, STE_PART_NODE) * at->seconds;
        const double shards = at->shard_cpu - idle_of(run, STE_PART_SHARD) * at->seconds;
        sums->bb += at->batches * at->batches;
        sums->bm += at->batches * at->messages;
        sums->mm += at->messages * at->messages;
        sums->nb += at->batches * nodes;
        sums->nm += at->messages * nodes;
        sums->sb += at->batches * shards;
        sums->sm += at->messages * shards;
        sums->shards += shards;
        const double size = at->messages / at->batches;
        sums->batches += at->batches;
        sums->messages += at->messages;
        sums->square += at->batches * size * size;
        sums->count++;
    }
}

/* Spread of the batch sizes, relative: without it a transaction's cost cannot be told from that of
 * its records. */
static double spread(const struct sums *sums)
{
    const double mean = sums->messages / sums->batches;
    return sqrt(fmax(0, sums->square / sums->batches - mean * mean)) / mean;
}

/* Least squares of CPU = txn·batches + record·messages, no constant: idle work is off already. */
static bool fit(const struct sums *sums, double by_batches, double by_messages, double *ret_txn,
                double *ret_record)
{
    const double spread_min = .2;
    const double det = sums->bb * sums->mm - sums->bm * sums->bm;
    if (sums->count < 4 || !(det > 0) || spread(sums) < spread_min)
        return false;
    const double txn = (by_batches * sums->mm - by_messages * sums->bm) / det;
    const double record = (by_messages * sums->bb - by_batches * sums->bm) / det;
    if (!(txn > 0) || !(record > 0))
        return false;
    *ret_txn = txn;
    *ret_record = record;
    return true;
}

/* What a message cost, split into what its transaction, its delivery and it itself cost. */
static void split(struct ste_model_cost *cost, double demand, double batch, double publication,
                  double txn_records, double delivery_s)
{
    const double delivery = fmin(delivery_s / publication, demand * delivery_part_max);
    cost->delivery_s = delivery * publication;
    if (txn_records > 0) {
        cost->record_s = (demand - delivery) / (1 + txn_records / batch);
        cost->txn_s = cost->record_s * txn_records;
    } else {
        cost->record_s = demand - delivery;
    }
}

static double demand_seen(const struct ste_model_run *run, enum ste_model_part part)
{
    const double idle = idle_of(run, part) * run->part_seconds[part];
    return run->done[part] > 0 ? fmax(0, run->cpu[part] - idle) / run->done[part] : 0;
}

static bool as_crowded(const struct ste_model_run *run, const struct ste_model_run *as)
{
    return fabs(layout_of(run).per_shard - layout_of(as).per_shard) < 1e-6;
}

/* CPU of a message at its shard in another run, over what the model has for it without a crowd;
 * where batches are full, full as the model takes them: slow shards let them shrink, which is in it
 * too. */
static double dearer(const struct ste_model_run *run, const struct ste_model *model)
{
    struct sums sums = {0};
    add_run(run, &sums);
    struct ste_model bare = *model;
    bare.crowd = 0;
    struct ste_model_case asked = ste_model_case_of(&bare);
    asked.publication = model->publication;
    const double batch =
        model->backlogged ? ste_model_batch(&bare, &asked) : sums.messages / sums.batches;
    return sums.shards / sums.messages / ste_model_demand(&bare, &asked, STE_PART_SHARD, batch);
}

/* c of ratio = (1 + c·b) / (1 + c·a), between 0 and the most; NAN: the ratio is not known. */
static double crowd_of(double ratio, double a, double b)
{
    const double up = b > a ? ratio - 1 : 1 - ratio;
    const double left = b > a ? b - ratio * a : ratio * a - b;
    if (!isfinite(ratio))
        return NAN;
    return left > 0 ? fmin(crowd_most, fmax(0, up / left)) : crowd_most;
}

/* The mean of what the runs say whose shards have other numbers of workers than the first's. NAN:
 * none does. */
static double find_crowd(const struct ste_model_run *runs, size_t count,
                         const struct ste_model *model)
{
    const double a = ste_model_crowding(layout_of(runs).per_shard);
    double sum = 0, found = 0;
    for (size_t i = 1; i < count; i++) {
        if (as_crowded(&runs[i], runs))
            continue;
        const double b = ste_model_crowding(layout_of(&runs[i]).per_shard);
        const double crowd = crowd_of(dearer(&runs[i], model), a, b);
        if (isnan(crowd))
            continue;
        sum += crowd;
        found++;
    }
    return sum / found;
}

/* What was seen holds the crowd of that run: costs are those of one worker. */
static void take_crowd(const struct ste_model_run *runs, size_t count, double crowd,
                       struct ste_model *model)
{
    const double found = isnan(crowd) ? find_crowd(runs, count, model) : NAN;
    model->crowd = !isnan(crowd) ? crowd : !isnan(found) ? found : crowd_assumed;
    const double seen = 1 + model->crowd * ste_model_crowding(layout_of(runs).per_shard);
    model->cost[STE_PART_SHARD].txn_s /= seen;
    model->cost[STE_PART_SHARD].record_s /= seen;
    ste_model_note(model,
                   "%s: w workers of one shard cost it 1 + %.2f (1 - 1/w)^2 times the CPU of one%s",
                   !isnan(found)   ? "seen"
                   : !isnan(crowd) ? "given"
                                   : "assumed",
                   model->crowd,
                   !isnan(found) || !isnan(crowd)
                       ? ""
                       : " (give a second run with another number of nodes for each shard)");
}

static void split_costs(const struct ste_model_run *runs, size_t count, struct ste_model *model)
{
    struct sums sums = {0};
    for (size_t i = 0; i < count; i++)
        if (as_crowded(&runs[i], runs))
            add_run(&runs[i], &sums);
    const double batch = model->batch, publication = model->publication;
    struct ste_model_cost *const cost = model->cost;
    split(&cost[STE_PART_DRIVER], demand_seen(runs, STE_PART_DRIVER), batch, publication, 0, 0);
    split(&cost[STE_PART_POOL], demand_seen(runs, STE_PART_POOL), batch, publication, 0, 0);
    split(&cost[STE_PART_ROUTER], demand_seen(runs, STE_PART_ROUTER), batch, publication, 0,
          router_delivery_s);
    split(&cost[STE_PART_BROKER], demand_seen(runs, STE_PART_BROKER), batch, publication, 0,
          broker_delivery_s);
    split(&cost[STE_PART_NODE], demand_seen(runs, STE_PART_NODE), batch, publication,
          node_txn_records, node_delivery_s);
    split(&cost[STE_PART_SHARD], demand_seen(runs, STE_PART_SHARD), batch, publication,
          shard_txn_records, 0);
    ste_model_note(model,
                   "assumed: a delivery through a typed queue costs the broker %.0f, the router "
                   "%.0f, a node %.0f us of CPU",
                   1e6 * cost[STE_PART_BROKER].delivery_s, 1e6 * cost[STE_PART_ROUTER].delivery_s,
                   1e6 * cost[STE_PART_NODE].delivery_s);
    double txn, record;
    if (fit(&sums, sums.sb, sums.sm, &txn, &record)) {
        cost[STE_PART_SHARD].txn_s = txn;
        cost[STE_PART_SHARD].record_s = record;
    } else {
        ste_model_note(model,
                       "assumed: a transaction costs a shard as much as %.0f records (batches are "
                       "too alike in the samples to tell; give a second run of smaller ones)",
                       shard_txn_records);
    }
    if (fit(&sums, sums.nb, sums.nm, &txn, &record)) {
        cost[STE_PART_NODE].txn_s = txn;
        cost[STE_PART_NODE].record_s =
            fmax(0, record - cost[STE_PART_NODE].delivery_s / publication);
    } else {
        ste_model_note(model, "assumed: a transaction costs a node as much as %.1f records",
                       node_txn_records);
    }
}

/* A node's idle work is its workers'; of a shard's, a part is the server's own. */
static void take_idle(const struct ste_model_run *run, struct ste_model *model)
{
    struct ste_model_cost *const cost = model->cost;
    const struct ste_model_layout layout = layout_of(run);
    const double node = rest_of(run, STE_PART_NODE) / layout.per_node;
    const double shard = rest_of(run, STE_PART_SHARD);
    cost[STE_PART_BROKER].idle = rest_of(run, STE_PART_BROKER);
    cost[STE_PART_ROUTER].idle = rest_of(run, STE_PART_ROUTER);
    cost[STE_PART_NODE].idle_worker = node * STE_MODEL_NODE_CHORES;
    cost[STE_PART_SHARD].idle_worker = fmin(STE_MODEL_SHARD_IDLE_WORKER, shard / layout.per_shard);
    cost[STE_PART_SHARD].idle = shard - layout.per_shard * cost[STE_PART_SHARD].idle_worker;
    const bool seen = isfinite(run->idle[STE_PART_NODE]);
    ste_model_note(
        model,
        "%s: idle work of %.2f ms of CPU a second for each worker of a node and %.2f for "
        "each shard%s",
        seen ? "seen" : "assumed", 1e3 * node, 1e3 * shard,
        seen ? "" : " (no 2 s without messages in the samples)");
    ste_model_note(
        model,
        "assumed: of a node's idle work %.0f %% stay when it has work; of a shard's %.2f "
        "ms are for each worker",
        100 * STE_MODEL_NODE_CHORES, 1e3 * cost[STE_PART_SHARD].idle_worker);
}

/* The one free figure: how much of its share a process gets to use (the kernel's accounting, what
 * the model leaves out), so that the calibrating run comes out as it was. */
static enum ste_code fit_speed(struct ste_model *model, struct ste_error *err)
{
    const struct ste_model_case as_run = ste_model_case_of(model);
    struct ste_model_answer answer;
    double low = .5, high = 1.5;
    model->speed = 1;
    enum ste_code rc = ste_model_predict(model, &as_run, &answer, err);
    if (rc != STE_OK)
        return rc;
    const double x = model->throughput / answer.throughput;
    const double busiest =
        fmax(fmax(answer.use_cores, as_run.node_cpu > 0 ? answer.use[STE_PART_NODE] : 0),
             as_run.shard_cpu > 0 ? answer.use[STE_PART_SHARD] : 0);
    if (busiest * x < busy_enough) {
        ste_model_note(model,
                       "the run did not reach capacity (%.0f %% of what the model finds): its "
                       "throughput was not used",
                       100 * x);
        return STE_OK;
    }
    model->at_capacity = true;
    for (unsigned i = 0; i < HALVINGS; i++) {
        model->speed = (low + high) / 2;
        rc = ste_model_predict(model, &as_run, &answer, err);
        if (rc == STE_OK && answer.throughput >= model->throughput)
            high = model->speed;
        else
            low = model->speed;
    }
    ste_model_note(model,
                   "processes are taken to use %.3f of their share, which makes the "
                   "calibrating run come out",
                   model->speed);
    return STE_OK;
}

enum ste_code ste_model_calibrate(const struct ste_model_run *runs, size_t count, double lock,
                                  double crowd, struct ste_model *ret, struct ste_error *err)
{
    const double full = .8 * STE_MODEL_BATCH_RECORDS;
    if (count == 0 || !(runs->messages > 0) || !(runs->batches > 0) || !(runs->routed > 0) ||
        !(runs->publications > 0))
        return ste_error_set(err, STE_E_ARGUMENT, "the run shows no batches");
    struct ste_model model = {.nodes = runs->nodes,
                              .shards = runs->shards,
                              .workers = runs->workers,
                              .mesh = runs->mesh,
                              .router_threads = runs->router_threads,
                              .node_cpu = runs->node_cpu,
                              .shard_cpu = runs->shard_cpu,
                              .cores = runs->cores,
                              .batch = runs->messages / runs->batches,
                              .publication = runs->routed / runs->publications,
                              .throughput = runs->messages / runs->seconds,
                              .database_s = runs->database_s / runs->batches,
                              .lock = lock};
    model.backlogged = model.batch >= full || runs->waiting >= (double)runs->nodes * runs->shards;
    split_costs(runs, count, &model);
    take_crowd(runs, count, crowd, &model);
    take_idle(runs, &model);
    ste_model_note(&model,
                   "assumed: %.0f %% of the batches of a shard want rows that another one holds",
                   100 * lock);
    const enum ste_code rc = fit_speed(&model, err);
    if (rc == STE_OK)
        *ret = model;
    return rc;
}
