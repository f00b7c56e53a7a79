/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/qos.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "bench/qos_run.h"

enum {
    PREFETCH = 512,
    THREADS_MAX = STE_QOS_SENDERS_MAX + STE_QOS_RECEIVERS_MAX / STE_MQ_WAIT_MAX + 1,
};

struct session {
    struct ste_qos_run run;
    struct ste_qos_sender senders[STE_QOS_SENDERS_MAX];
    struct ste_qos_takers *takers;
    size_t taker_count; /* threads of receivers */
};

static enum ste_code no_memory(struct ste_error *err)
{
    return ste_error_set(err, STE_E_NOMEM, "no memory for a measurement");
}

static enum ste_code prepare_keys(struct session *session, struct ste_error *err)
{
    struct ste_qos_run *run = &session->run;
    uint64_t keys = run->point->keys, fan_out_max = 1;
    run->key_names = calloc(keys, sizeof *run->key_names);
    run->fan_out = calloc(keys, sizeof *run->fan_out);
    if (!run->key_names || !run->fan_out)
        return no_memory(err);
    for (uint64_t key = 0; key < keys; key++) {
        ste_qos_key_name(key, run->key_names[key]);
        run->fan_out[key] =
            run->options->mode == STE_QOS_WORK ? 1 : ste_qos_fan_out(run->point, key);
        if (run->fan_out[key] > fan_out_max)
            fan_out_max = run->fan_out[key];
    }
    run->outstanding_max =
        run->options->outstanding > 2 * fan_out_max ? run->options->outstanding : 2 * fan_out_max;
    return STE_OK;
}

/* A connection with its queue, which it makes itself if that is to be exclusive. */
static enum ste_code open_receiver(const struct ste_qos_run *run, uint64_t number,
                                   struct ste_mq **ret, struct ste_error *err)
{
    const struct ste_qos_point *point = run->point;
    bool exclusive = ste_qos_queues_are_exclusive(point, run->options->mode);
    char queue[STE_QOS_NAME_BYTES];
    ste_qos_queue_name(run->options->mode, number, queue);
    enum ste_code rc = ste_mq_open(run->options->cluster, STE_ROLE_ADMIN, STE_MQ_CONSUME,
                                   "ste-bench qos receiver", ret, err);
    if (rc == STE_OK && exclusive)
        rc = ste_mq_declare_reply_queue(*ret, queue, err);
    for (uint64_t key = 0; rc == STE_OK && exclusive && key < point->keys; key++) {
        if (ste_qos_subscribes(point, number, key))
            rc = ste_mq_bind(*ret, queue, STE_QOS_EXCHANGE, run->key_names[key], err);
    }
    if (rc == STE_OK)
        rc = ste_mq_consume(*ret, queue, PREFETCH, queue, false, err);
    return rc;
}

/* Receivers 0, threads, 2 threads … go to the first thread, so that the threads have equal work. */
static enum ste_code open_receivers(struct session *session, struct ste_error *err)
{
    uint64_t receivers = session->run.point->receivers;
    size_t threads = (receivers + STE_MQ_WAIT_MAX - 1) / STE_MQ_WAIT_MAX;
    session->takers = calloc(threads, sizeof *session->takers);
    if (!session->takers)
        return no_memory(err);
    session->taker_count = threads;
    for (size_t i = 0; i < threads; i++) {
        session->takers[i].run = &session->run;
        ste_histogram_init(&session->takers[i].latency);
    }
    enum ste_code rc = STE_OK;
    for (uint64_t number = 0; rc == STE_OK && number < receivers; number++) {
        struct ste_qos_takers *takers = &session->takers[number % threads];
        rc = open_receiver(&session->run, number, &takers->mqs[takers->count], err);
        takers->count++;
    }
    return rc;
}

static enum ste_code open_senders(struct session *session, struct ste_error *err)
{
    const struct ste_qos_point *point = session->run.point;
    enum ste_code rc = STE_OK;
    for (uint64_t number = 0; rc == STE_OK && number < point->senders; number++) {
        struct ste_qos_sender *sender = &session->senders[number];
        sender->run = &session->run;
        sender->number = number;
        sender->body = malloc(point->bytes);
        sender->by_key = calloc(point->keys, sizeof *sender->by_key);
        if (!sender->body || !sender->by_key)
            return no_memory(err);
        memset(sender->body, 'x', point->bytes);
        rc = ste_mq_open(session->run.options->cluster, STE_ROLE_ADMIN, STE_MQ_PUBLISH,
                         "ste-bench qos sender", &sender->mq, err);
    }
    return rc;
}

static void close_session(struct session *session)
{
    for (size_t i = 0; i < STE_QOS_SENDERS_MAX; i++) {
        ste_mq_close(session->senders[i].mq);
        free(session->senders[i].body);
        free(session->senders[i].by_key);
    }
    for (size_t i = 0; i < session->taker_count; i++) {
        for (size_t r = 0; r < session->takers[i].count; r++)
            ste_mq_close(session->takers[i].mqs[r]);
    }
    free(session->takers);
    free(session->run.key_names);
    free(session->run.fan_out);
}

static bool run_threads(struct session *session, void (*watch)(void *context), void *watch_context,
                        bool *ret_interrupted)
{
    struct ste_bench_job jobs[THREADS_MAX] = {0};
    size_t count = 0;
    for (size_t i = 0; i < session->taker_count; i++)
        jobs[count++] = (struct ste_bench_job){
            .run = ste_qos_take, .context = &session->takers[i], .what = "qos: receivers"};
    for (uint64_t i = 0; i < session->run.point->senders; i++)
        jobs[count++] = (struct ste_bench_job){
            .run = ste_qos_send, .context = &session->senders[i], .what = "qos: sender"};
    atomic_store(&session->run.sending, session->run.point->senders);
    session->run.start_ns = ste_clock_mono_ns();
    session->run.end_ns = session->run.start_ns + session->run.options->seconds * STE_NS_PER_S;
    return ste_bench_jobs_run(jobs, count, watch, watch_context, ret_interrupted);
}

/* Whatever was sent with each key, by all senders, into the first one's tallies. */
static const struct ste_qos_tally *sent_by_key(struct session *session)
{
    struct ste_qos_tally *total = session->senders[0].by_key;
    for (uint64_t s = 1; s < session->run.point->senders; s++) {
        for (uint64_t key = 0; key < session->run.point->keys; key++) {
            total[key].count += session->senders[s].by_key[key].count;
            total[key].sum += session->senders[s].by_key[key].sum;
        }
    }
    return total;
}

static void weigh(struct session *session, struct ste_qos_balance *balance)
{
    const struct ste_qos_point *point = session->run.point;
    const struct ste_qos_tally *sent = sent_by_key(session);
    struct ste_qos_tally together = {0};
    for (uint64_t number = 0; number < point->receivers; number++) {
        const struct ste_qos_takers *takers = &session->takers[number % session->taker_count];
        struct ste_qos_tally got = takers->receivers[number / session->taker_count].got;
        together.count += got.count;
        together.sum += got.sum;
        if (session->run.options->mode == STE_QOS_TOPIC)
            ste_qos_balance_add(balance, ste_qos_tally_topic(point, number, sent), got);
    }
    if (session->run.options->mode == STE_QOS_WORK)
        ste_qos_balance_add(balance, ste_qos_tally_work(point, sent), together);
}

static double seconds_from(uint64_t start_ns, uint64_t end_ns, uint64_t at_least_s)
{
    double seconds = end_ns > start_ns ? (double)(end_ns - start_ns) / 1e9 : 0;
    return seconds > (double)at_least_s ? seconds : (double)at_least_s;
}

static void conclude(struct session *session, struct ste_qos_result *ret)
{
    const struct ste_qos_run *run = &session->run;
    struct ste_histogram *latency = &session->takers[0].latency;
    uint64_t last_confirm_ns = 0, last_ns = 0;
    *ret = (struct ste_qos_result){.point = *run->point, .p50_ms = NAN, .p99_ms = NAN};
    for (uint64_t i = 0; i < run->point->senders; i++) {
        ret->sent += session->senders[i].confirmed;
        if (session->senders[i].last_confirm_ns > last_confirm_ns)
            last_confirm_ns = session->senders[i].last_confirm_ns;
    }
    for (size_t i = 0; i < session->taker_count; i++) {
        if (session->takers[i].last_ns > last_ns)
            last_ns = session->takers[i].last_ns;
        if (i > 0)
            ste_histogram_merge(latency, &session->takers[i].latency);
    }
    weigh(session, &ret->balance);
    ret->time_s = seconds_from(run->start_ns, last_confirm_ns, run->options->seconds);
    ret->sent_per_s = (double)ret->sent / ret->time_s;
    ret->received_per_s =
        (double)ret->balance.received / seconds_from(run->start_ns, last_ns, run->options->seconds);
    if (latency->count > 0) {
        ret->p50_ms = (double)ste_histogram_percentile_us(latency, 50) / 1e3;
        ret->p99_ms = (double)ste_histogram_percentile_us(latency, 99) / 1e3;
    }
}

static enum ste_code measure(struct session *session, void (*watch)(void *context),
                             void *watch_context, struct ste_qos_result *ret, bool *ret_interrupted,
                             struct ste_error *err)
{
    enum ste_code rc = prepare_keys(session, err);
    if (rc == STE_OK)
        rc = open_receivers(session, err);
    if (rc == STE_OK)
        rc = open_senders(session, err);
    if (rc != STE_OK)
        return rc;
    if (!run_threads(session, watch, watch_context, ret_interrupted))
        return ste_error_set(err, STE_E_STOPPING,
                             "the point was not measured to its end, when %llu of %llu deliveries "
                             "had come",
                             (unsigned long long)atomic_load(&session->run.received_deliveries),
                             (unsigned long long)atomic_load(&session->run.sent_deliveries));
    if (!*ret_interrupted)
        conclude(session, ret);
    return STE_OK;
}

enum ste_code ste_qos_measure(const struct ste_qos_options *options,
                              const struct ste_qos_point *point, struct ste_api *api,
                              void (*watch)(void *context), void *watch_context,
                              struct ste_qos_result *ret, bool *ret_interrupted,
                              struct ste_error *err)
{
    const char *vhost = options->cluster->broker.vhost;
    struct ste_error second = {0};
    *ret_interrupted = false;
    struct session *session = calloc(1, sizeof *session);
    if (!session)
        return no_memory(err);
    session->run.options = options;
    session->run.point = point;
    options->cluster->broker.window = (unsigned)options->in_flight;
    enum ste_code rc = ste_qos_queues_remove(api, vhost, err);
    const bool reached = rc == STE_OK; /* else what comes later would tell the same once more */
    if (rc == STE_OK)
        rc = ste_qos_queues_make(api, vhost, point, options->mode, err);
    if (rc == STE_OK)
        rc = measure(session, watch, watch_context, ret, ret_interrupted, err);
    close_session(session);
    free(session);
    if (!reached)
        return rc;
    enum ste_code removed = ste_qos_queues_remove(api, vhost, rc == STE_OK ? err : &second);
    if (rc != STE_OK && removed != STE_OK)
        ste_bench_complain("qos: queues", &second);
    return rc == STE_OK ? removed : rc;
}
