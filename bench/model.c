/* SPDX-License-Identifier: Apache-2.0
 * The formulas. All workers are alike, so one of them stands for all: what it meets at its node are
 * the others of its node, at its shard the others of its shard. */
#include "bench/model.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "bench/model_internal.h"
#include "oa/open.h"

enum { ROUNDS_MAX = 5000, HALVINGS = 60 };
static const double settled = 1e-9;

const char *ste_model_part_name(enum ste_model_part part)
{
    static const char *const names[STE_PART_COUNT] = {"driver", "pool", "router",
                                                      "broker", "node", "shard"};
    return names[part];
}

void ste_model_note(struct ste_model *model, const char *format, ...)
{
    if (model->note_count == STE_MODEL_NOTES_MAX)
        return;
    va_list args;
    va_start(args, format);
    (void)vsnprintf(model->notes[model->note_count++], STE_MODEL_NOTE_BYTES, format, args);
    va_end(args);
}

struct ste_model_case ste_model_case_of(const struct ste_model *model)
{
    struct ste_model_case of = {.nodes = model->nodes,
                                .shards = model->shards,
                                .workers = model->workers,
                                .mesh = model->mesh,
                                .router_threads = model->router_threads,
                                .cores = model->cores,
                                .node_cpu = model->node_cpu,
                                .shard_cpu = model->shard_cpu,
                                .flush_s = .0003,
                                .batch_max = fmax(STE_MODEL_BATCH_RECORDS, model->batch)};
    for (size_t part = 0; part < STE_PART_COUNT; part++)
        of.scale[part] = 1;
    return of;
}

struct ste_model_layout ste_model_layout_of(unsigned nodes, unsigned shards, unsigned workers,
                                            bool mesh)
{
    const double w = workers, n = nodes, m = shards;
    if (mesh)
        return (struct ste_model_layout){w * m, w * n, w * n * m, n};
    if (nodes <= shards)
        return (struct ste_model_layout){w * ceil(m / n), w, w * m, m / ceil(m / n)};
    const double each = floor(n / m);
    return (struct ste_model_layout){w, w * each, w * m * each, m * each};
}

static struct ste_model_layout layout_of(const struct ste_model_case *asked)
{
    return ste_model_layout_of(asked->nodes, asked->shards, asked->workers, asked->mesh);
}

/* The router gathers for each type and shard what comes until the queue's last publication is
 * confirmed: as many as in the calibrating run where as much comes for a shard, until it is full.
 */
static double publication_at(const struct ste_model *model, const struct ste_model_case *asked,
                             double throughput)
{
    enum { FULL = 43 }; /* 64 kB of records of 1,500 bytes */
    const double here = throughput / asked->shards, there = model->throughput / model->shards;
    return fmin(fmax(1, model->publication * here / there), fmax(FULL, model->publication));
}

/* As full as in the calibrating run if work was always waiting there, else as the case allows. */
double ste_model_batch(const struct ste_model *model, const struct ste_model_case *asked)
{
    const double most = model->backlogged ? fmin(model->batch, asked->batch_max) : asked->batch_max;
    /* With a bound on what is under way, half a batch is waiting for each that is in hand. */
    const double all = layout_of(asked).all;
    return asked->outstanding > 0 ? fmax(1, fmin(most, asked->outstanding / all / 1.5)) : most;
}

double ste_model_crowding(double per_shard)
{
    const double others = 1 - 1 / per_shard;
    return others * others;
}

double ste_model_demand(const struct ste_model *model, const struct ste_model_case *asked,
                        enum ste_model_part part, double batch)
{
    const struct ste_model_cost *const cost = &model->cost[part];
    const double sum = cost->record_s + cost->delivery_s / asked->publication +
                       (batch > 0 ? cost->txn_s / batch : 0);
    /* The more workers of one shard, the more its server does about their locks. */
    const double crowd =
        part == STE_PART_SHARD ? model->crowd * ste_model_crowding(layout_of(asked).per_shard) : 0;
    return sum * (1 + crowd) * asked->scale[part];
}

/* Reading table day and sweeping the outbox come once a second, but at most once a round: rounds a
 * second, 1 at most, when node or shard is full. */
static double chores(const struct ste_model *model, const struct ste_model_case *asked)
{
    const double batch = ste_model_batch(model, asked);
    const double node = ste_model_demand(model, asked, STE_PART_NODE, batch);
    const double shard = ste_model_demand(model, asked, STE_PART_SHARD, batch);
    const struct ste_model_layout layout = layout_of(asked);
    double cycle_s = 0;
    if (asked->node_cpu > 0)
        cycle_s = layout.per_node * node / asked->node_cpu;
    if (asked->shard_cpu > 0)
        cycle_s = fmax(cycle_s, layout.per_shard * shard / asked->shard_cpu);
    return fmin(1, 1 / (cycle_s * batch));
}

double ste_model_share(const struct ste_model *model, const struct ste_model_case *asked,
                       enum ste_model_part part)
{
    const bool node = part == STE_PART_NODE;
    const double held = node ? asked->node_cpu : asked->shard_cpu;
    const struct ste_model_layout layout = layout_of(asked);
    const double connected = node ? layout.per_node : layout.per_shard;
    const double idle =
        model->cost[part].idle + model->cost[part].idle_worker * connected * chores(model, asked);
    return model->speed * (held > 0 ? held : asked->cores) - idle;
}

/* A process is stopped at a clock tick, not at the end of its quota, and pays for it in later
 * periods: as if quota and period were both longer by half a tick, here of a kernel of 250 ticks a
 * second. So a burst of some milliseconds runs at full speed, and is paid for while the process
 * would wait for others anyway. */
double ste_model_period(const struct ste_model *model, const struct ste_model_case *asked,
                        enum ste_model_part part)
{
    const double overrun_s = .002, lab_period_s = .020, quota_min_s = .001;
    const double share = part == STE_PART_NODE ? asked->node_cpu : asked->shard_cpu;
    if (!(share > 0))
        return 0;
    const double period =
        asked->quota_period_s > 0 ? asked->quota_period_s : fmax(lab_period_s, quota_min_s / share);
    const double left = ste_model_share(model, asked, part);
    return period * (1 + overrun_s / (period * left));
}

/* Cores that idle processes of all kinds take. */
static double idle_cores(const struct ste_model *model, const struct ste_model_case *asked)
{
    const double pairs = layout_of(asked).all;
    const struct ste_model_cost *const cost = model->cost;
    return cost[STE_PART_BROKER].idle + cost[STE_PART_ROUTER].idle +
           asked->nodes * cost[STE_PART_NODE].idle + asked->shards * cost[STE_PART_SHARD].idle +
           pairs * (cost[STE_PART_NODE].idle_worker + cost[STE_PART_SHARD].idle_worker);
}

double ste_model_cores_left(const struct ste_model *model, const struct ste_model_case *asked,
                            double throughput, double batch)
{
    double used = idle_cores(model, asked);
    for (enum ste_model_part part = 0; part < STE_PART_COUNT; part++) {
        const bool worker = (part == STE_PART_NODE && !(asked->node_cpu > 0)) ||
                            (part == STE_PART_SHARD && !(asked->shard_cpu > 0));
        if (!worker)
            used += throughput * ste_model_demand(model, asked, part, batch);
    }
    return fmax(asked->cores * 1e-3, model->speed * asked->cores - used);
}

/* ---- one worker among equals ---- */

struct place {
    double service;  /* CPU seconds a batch */
    double share;    /* cores it may use */
    double others;   /* workers that also come here */
    double period_s; /* of a quota; 0: none */
    double visit;    /* a round comes twice: part of the service of the first visit */
    double here;     /* probability that a given worker is here */
    double time;     /* R */
};
struct round {
    struct place node, shard, cores;
    double inside_node; /* part of the node's service while rows are held */
    double inside_cores;
    double lock, lock_others, flush, linger;
    double lock_here, lock_time, cycle;
};

/* A visit to an unused share: what exceeds the quota waits for the next period, the first time half
 * a period on average. */
static double light_time(const struct place *place, double service)
{
    const double quota = place->share * place->period_s;
    const double waits = fmax(0, service / quota - .75);
    return fmin(service / place->share, service + waits * (place->period_s - quota));
}

/* How sharply a quota begins to hurt as it is used up: nearly all of it can be used by one who also
 * waits for others, since the rest of the period is long enough for both. Chosen,
 * as half a tick was, on eight points of 1 to 8 nodes and 1 to 8 shards: no proof of them. */
static const double crammed = 8;

/* Several cores: Seidmann's queue of D/m and delay of the rest. A quota that is used to ρ is given
 * out evenly when all of it is wanted; when little is, a visit meets it unused. */
static double place_time(const struct place *place, double cycle, double queue_part)
{
    if (!(place->service > 0))
        return 0;
    const double present = place->others * place->here * queue_part;
    if (place->share >= 1)
        return place->service / place->share * (1 + present) +
               place->service * (1 - 1 / place->share);
    double slow = 1, light = 0;
    if (place->period_s > 0) {
        const double used = fmin(1, (place->others + 1) * place->service / place->share / cycle);
        slow = pow(used, crammed);
        light = light_time(place, place->service * place->visit) +
                light_time(place, place->service * (1 - place->visit));
    }
    return (slow * place->service / place->share + (1 - slow) * light) * (1 + present);
}

static void settle(struct round *round)
{
    const double smooth = .3;
    round->node.time += smooth * (place_time(&round->node, round->cycle, 1) - round->node.time);
    round->cores.time += smooth * (place_time(&round->cores, round->cycle, 1) - round->cores.time);
    /* Who waits for rows is not at the shard. */
    round->shard.time +=
        smooth * (place_time(&round->shard, round->cycle, 1 - round->lock * round->lock) -
                  round->shard.time);
    const double held = round->shard.time + round->inside_node * round->node.time +
                        round->inside_cores * round->cores.time + round->flush;
    const double queue = round->lock_others * round->lock_here * round->lock;
    const double serving = fmin(1, round->lock_others * held / round->cycle) * round->lock;
    double wait = round->lock * held * fmax(0, queue - serving / 2);
    /* Rounds that need the rows go one by one: a cycle is no shorter than all of them. */
    const double all = held * (1 + round->lock_others * round->lock * round->lock);
    wait = fmax(wait, all - (round->cycle - round->lock_time));
    round->lock_time += smooth * (wait - round->lock_time);
    round->cycle = round->node.time + round->shard.time + round->cores.time + round->flush +
                   round->linger + round->lock_time;
    round->node.here = round->node.time / round->cycle;
    round->shard.here = round->shard.time / round->cycle;
    round->cores.here = round->cores.time / round->cycle;
    round->lock_here = (round->lock_time + held) / round->cycle;
}

/* As ste_batch_linger_ns, while one delivery follows soon upon the other. A worker's wait for the
 * first is part of its linger; here the linger is added whole. */
static double linger(double batch, double publication)
{
    if (batch <= publication)
        return STE_MODEL_LINGER_S;
    return fmax(STE_MODEL_LINGER_S,
                fmin(STE_MODEL_LINGER_S_MOST, STE_MODEL_LINGER_S_A_RECORD * publication));
}

static struct round round_of(const struct ste_model *model, const struct ste_model_case *asked,
                             double batch, double cores, bool lingers)
{
    const struct ste_model_layout layout = layout_of(asked);
    const double node = batch * ste_model_demand(model, asked, STE_PART_NODE, batch);
    const double shard = batch * ste_model_demand(model, asked, STE_PART_SHARD, batch);
    const bool node_held = asked->node_cpu > 0, shard_held = asked->shard_cpu > 0;
    struct round round = {.node = {.service = node_held ? node : 0,
                                   .share = ste_model_share(model, asked, STE_PART_NODE),
                                   .others = layout.per_node - 1,
                                   .period_s = ste_model_period(model, asked, STE_PART_NODE),
                                   .visit = STE_MODEL_NODE_INSIDE},
                          .shard = {.service = shard_held ? shard : 0,
                                    .share = ste_model_share(model, asked, STE_PART_SHARD),
                                    .others = layout.per_shard - 1,
                                    .period_s = ste_model_period(model, asked, STE_PART_SHARD),
                                    .visit = STE_MODEL_SHARD_LOAD},
                          .cores = {.service = (node_held ? 0 : node) + (shard_held ? 0 : shard),
                                    .share = cores,
                                    .others = layout.all - 1},
                          .inside_node = STE_MODEL_NODE_INSIDE,
                          .lock = model->lock,
                          .lock_others = layout.per_shard - 1,
                          .flush = asked->flush_s,
                          .linger = lingers ? linger(batch, asked->publication) : 0,
                          .cycle = 1e-9};
    if (round.cores.service > 0)
        round.inside_cores =
            ((node_held ? 0 : node * STE_MODEL_NODE_INSIDE) + (shard_held ? 0 : shard)) /
            round.cores.service;
    double before = 0;
    for (unsigned i = 0; i < ROUNDS_MAX && fabs(round.cycle - before) > settled * round.cycle;
         i++) {
        before = round.cycle;
        settle(&round);
    }
    return round;
}

/* ---- the whole ---- */

struct whole {
    const struct ste_model *model;
    const struct ste_model_case *asked;
};

static double demand(const struct whole *whole, enum ste_model_part part, double batch)
{
    return ste_model_demand(whole->model, whole->asked, part, batch);
}

static double all_cpu(const struct whole *whole, double batch)
{
    double sum = 0;
    for (enum ste_model_part part = 0; part < STE_PART_COUNT; part++)
        sum += demand(whole, part, batch);
    return sum;
}

/* What the workers do with batches of this size while so much goes through. */
static double workers_do(const struct whole *whole, double throughput, double batch, bool lingers,
                         struct round *ret)
{
    const double cores = ste_model_cores_left(whole->model, whole->asked, throughput, batch);
    *ret = round_of(whole->model, whole->asked, batch, cores, lingers);
    return layout_of(whole->asked).all * batch / ret->cycle;
}

static void lower(struct ste_model_answer *answer, double most, const char *limit)
{
    if (most < answer->upper) {
        answer->upper = most;
        answer->limit = limit;
    }
}

/* Simple limits, each of one resource alone. */
static void limits(const struct whole *whole, double batch, struct ste_model_answer *ret)
{
    const struct ste_model_case *const asked = whole->asked;
    ret->upper = INFINITY;
    const double node =
        layout_of(asked).nodes * ste_model_share(whole->model, asked, STE_PART_NODE);
    const double shard = asked->shards * ste_model_share(whole->model, asked, STE_PART_SHARD);
    const double cores = whole->model->speed * asked->cores - idle_cores(whole->model, asked);
    lower(ret, cores / all_cpu(whole, batch), "cores");
    if (asked->node_cpu > 0)
        lower(ret, node / demand(whole, STE_PART_NODE, batch), "node");
    if (asked->shard_cpu > 0)
        lower(ret, shard / demand(whole, STE_PART_SHARD, batch), "shard");
    lower(ret, asked->router_threads / demand(whole, STE_PART_ROUTER, batch), "router");
    lower(ret, 1 / demand(whole, STE_PART_DRIVER, batch), "driver");
    lower(ret, 1 / demand(whole, STE_PART_POOL, batch), "pool");
    if (asked->rate > 0)
        lower(ret, asked->rate, "rate");
}

/* The largest X that the workers can do beside what X costs elsewhere. */
static double settle_throughput(const struct whole *whole, double upper, double batch,
                                struct round *ret)
{
    double low = 0, high = upper;
    if (workers_do(whole, upper, batch, false, ret) >= upper)
        return upper;
    for (unsigned i = 0; i < HALVINGS; i++) {
        const double middle = (low + high) / 2;
        if (workers_do(whole, middle, batch, false, ret) >= middle)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Workers that have time to spare take what has come meanwhile: the smallest batch that keeps up.
 */
static double settle_batch(const struct whole *whole, double throughput, double most,
                           struct round *ret)
{
    double low = 1, high = most;
    if (workers_do(whole, throughput, low, true, ret) >= throughput)
        return low;
    for (unsigned i = 0; i < HALVINGS; i++) {
        const double middle = (low + high) / 2;
        if (workers_do(whole, throughput, middle, true, ret) >= throughput)
            high = middle;
        else
            low = middle;
    }
    return high;
}

/* Is the narrowest place one that workers use? Then work is always waiting for them. */
static bool workers_are_busy(const struct ste_model_case *asked, const char *limit)
{
    const bool loose = !(asked->node_cpu > 0) || !(asked->shard_cpu > 0);
    return strcmp(limit, "node") == 0 || strcmp(limit, "shard") == 0 ||
           (loose && strcmp(limit, "cores") == 0);
}

/* Held up elsewhere: smaller batches, which cost more, which may lower the limit again. */
static void settle_both(const struct whole *whole, struct ste_model_answer *answer,
                        struct round *ret)
{
    enum { TIMES = 30 };
    const double full = answer->batch;
    for (unsigned i = 0; i < TIMES; i++) {
        const double batch = settle_batch(whole, answer->upper, full, ret);
        answer->batch = (answer->batch + batch) / 2;
        limits(whole, answer->batch, answer);
    }
    answer->throughput = answer->upper;
}

/* Publish to CLS. Bounded: Little. An offered rate below capacity: each stage as an open queue, and
 * what batches wait for. Else the queues grow while it lasts. */
static double response(const struct whole *whole, const struct ste_model_answer *answer)
{
    const struct ste_model_case *const asked = whole->asked;
    if (asked->outstanding > 0)
        return asked->outstanding / answer->throughput;
    if (!(asked->rate > 0) || answer->throughput < asked->rate * (1 - 1e-9))
        return NAN;
    const struct ste_oa_station stations[] = {
        {.demand = demand(whole, STE_PART_DRIVER, answer->batch)},
        {.servers = asked->router_threads, .demand = demand(whole, STE_PART_ROUTER, answer->batch)},
        {.servers = (unsigned)ceil(asked->cores),
         .demand = demand(whole, STE_PART_BROKER, answer->batch)},
        {.demand = demand(whole, STE_PART_POOL, answer->batch)},
    };
    struct ste_oa_open open;
    struct ste_error err;
    if (ste_oa_open(stations, sizeof stations / sizeof stations[0], answer->throughput, &open, NULL,
                    &err) != STE_OK)
        return NAN;
    /* On average half a round passes before the round that takes a message, which is whole. */
    return open.response + STE_MODEL_GATHER_S + 1.5 * answer->cycle_s;
}

static void fill_use(const struct whole *whole, struct ste_model_answer *answer)
{
    const struct ste_model_case *const asked = whole->asked;
    const double x = answer->throughput;
    for (enum ste_model_part part = 0; part < STE_PART_COUNT; part++)
        answer->use[part] = x * demand(whole, part, answer->batch);
    answer->use_cores =
        (x * all_cpu(whole, answer->batch) + idle_cores(whole->model, asked)) / asked->cores;
    answer->use[STE_PART_ROUTER] /= asked->router_threads;
    answer->use[STE_PART_BROKER] /= asked->cores;
    answer->use[STE_PART_NODE] /=
        asked->nodes * ste_model_share(whole->model, asked, STE_PART_NODE);
    answer->use[STE_PART_SHARD] /=
        asked->shards * ste_model_share(whole->model, asked, STE_PART_SHARD);
}

static enum ste_code check(const struct ste_model *model, const struct ste_model_case *asked,
                           struct ste_error *err)
{
    if (asked->nodes == 0 || asked->shards == 0 || asked->workers == 0 ||
        asked->router_threads == 0 || !(asked->cores > 0) || !(asked->batch_max >= 1))
        return ste_error_set(err, STE_E_ARGUMENT,
                             "nodes, shards, workers, routers, cores and batch are above 0");
    for (enum ste_model_part part = STE_PART_NODE; part <= STE_PART_SHARD; part++) {
        if (!(ste_model_share(model, asked, part) > 0))
            return ste_error_set(
                err, STE_E_LIMIT,
                "%u nodes and %u shards: the share of a %s is used up by idle work", asked->nodes,
                asked->shards, ste_model_part_name(part));
    }
    return STE_OK;
}

/* With asked->publication given. */
static void predict(const struct ste_model *model, const struct ste_model_case *asked,
                    struct ste_model_answer *ret)
{
    const struct whole whole = {model, asked};
    struct ste_model_answer answer = {.publication = asked->publication};
    struct round round;
    const double full = ste_model_batch(model, asked);
    limits(&whole, full, &answer);
    const double capacity = settle_throughput(&whole, answer.upper, full, &round);
    answer.throughput = capacity;
    answer.batch = full;
    if (capacity >= answer.upper && !workers_are_busy(asked, answer.limit))
        settle_both(&whole, &answer, &round);
    answer.lock_wait_s = round.lock_time;
    if (answer.throughput < .85 * answer.upper)
        answer.limit = round.lock_time > .2 * round.cycle ? "locks" : "workers";
    answer.cycle_s = round.cycle;
    fill_use(&whole, &answer);
    answer.response_s = response(&whole, &answer);
    *ret = answer;
}

/* Wider publications let more through, and more makes them wider; by less each time, since a
 * delivery is at most half of what a message costs. */
enum ste_code ste_model_predict(const struct ste_model *model, const struct ste_model_case *asked,
                                struct ste_model_answer *ret, struct ste_error *err)
{
    enum { TIMES = 20 };
    const double close = 1e-3;
    struct ste_model_case with = *asked;
    const bool given = asked->publication > 0;
    if (!given)
        with.publication = model->publication;
    const enum ste_code rc = check(model, &with, err);
    if (rc != STE_OK)
        return rc;
    predict(model, &with, ret);
    for (unsigned i = 0; !given && i < TIMES; i++) {
        const double found = publication_at(model, &with, ret->throughput);
        if (fabs(found - with.publication) <= close * with.publication)
            break;
        with.publication = found;
        predict(model, &with, ret);
    }
    return STE_OK;
}
