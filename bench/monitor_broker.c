/* SPDX-License-Identifier: Apache-2.0
 * Queues: their lengths by passive declare, one after the other on one channel. Logs in as the
 * map's admin of the broker: no other role may look at all queues. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/monitor_parts.h"
#include "mq/mq.h"
#include "mq/names.h"

struct ste_monitor_broker {
    const struct ste_cluster *cluster;
    struct ste_mq *mq; /* NULL: away */
    struct ste_outage outage;
    struct ste_monitor_queue queues[STE_MONITOR_QUEUES_MAX];
    size_t queue_count;
    struct ste_monitor_api *api;
};

static void add_queue(struct ste_monitor_broker *broker, const char *name, const char *type)
{
    struct ste_monitor_queue *queue = &broker->queues[broker->queue_count++];
    snprintf(queue->name, sizeof queue->name, "%s", name);
    for (size_t i = 0; type[i] && i < sizeof queue->type - 1; i++)
        queue->type[i] = (char)(type[i] - 'a' + 'A');
}

static void add_queues(struct ste_monitor_broker *broker)
{
    char name[STE_MQ_NAME_BYTES];
    add_queue(broker, STE_QUEUE_IN, "");
    for (unsigned shard = 0; shard < broker->cluster->shard_count; shard++) {
        for (unsigned type = 0; type < STE_QUEUE_TYPE_COUNT; type++) {
            ste_mq_work_queue(type, shard, name);
            add_queue(broker, name, ste_queue_types[type]);
        }
        ste_mq_suspect_queue(shard, name);
        add_queue(broker, name, "");
    }
    add_queue(broker, STE_QUEUE_CLS, "");
    add_queue(broker, STE_QUEUE_EXCEPTION, "");
    add_queue(broker, STE_QUEUE_DEAD, "");
}

static enum ste_code connect_to(struct ste_monitor_broker *broker, struct ste_error *err)
{
    return ste_mq_open(broker->cluster, STE_ROLE_ADMIN, STE_MQ_CONSUME, "ste-bench monitor",
                       &broker->mq, err);
}

enum ste_code ste_monitor_broker_open(const struct ste_cluster *cluster,
                                      struct ste_monitor_broker **ret, struct ste_error *err)
{
    if (!cluster->broker.users[STE_ROLE_ADMIN].user)
        return ste_error_set(err, STE_E_CONFIG,
                             "the monitor needs broker.users.admin, which is not in the map");
    struct ste_monitor_broker *broker = calloc(1, sizeof *broker);
    if (!broker)
        return ste_error_set(err, STE_E_NOMEM, "no memory for the monitor");
    broker->cluster = cluster;
    add_queues(broker);
    enum ste_code rc = connect_to(broker, err);
    if (rc == STE_E_MQ_DOWN) {
        ste_outage_tell(&broker->outage, "broker", err);
        rc = STE_OK;
    }
    if (rc == STE_OK)
        rc = ste_monitor_api_start(cluster, broker->queues, broker->queue_count, &broker->api, err);
    if (rc == STE_OK) {
        *ret = broker;
        return STE_OK;
    }
    ste_mq_close(broker->mq);
    free(broker);
    return rc;
}

/* What rests in these is nobody's work. */
static bool is_store(const char *name)
{
    return strcmp(name, STE_QUEUE_EXCEPTION) == 0 || strcmp(name, STE_QUEUE_DEAD) == 0;
}

static enum ste_code sample_lengths(struct ste_monitor_broker *broker,
                                    struct ste_samples_writer *writer,
                                    struct ste_monitor_balance *balance, struct ste_error *err)
{
    enum ste_code rc = broker->mq ? STE_OK : connect_to(broker, err);
    for (size_t i = 0; rc == STE_OK && i < broker->queue_count; i++) {
        struct ste_monitor_queue *queue = &broker->queues[i];
        uint32_t ready = 0;
        if (queue->missing)
            continue;
        rc = ste_mq_queue_length(broker->mq, queue->name, &ready, err);
        queue->missing = rc == STE_E_MQ_REFUSED; /* that has closed the channel */
        if (rc == STE_OK && writer)
            ste_samples_put(writer, STE_Q_QUEUE_READY, queue->name, queue->type, ready);
        if (!is_store(queue->name))
            balance->ready += ready;
    }
    return rc;
}

static void sample_api(struct ste_monitor_broker *broker, struct ste_samples_writer *writer)
{
    struct ste_monitor_api_values values[STE_MONITOR_QUEUES_MAX];
    if (!writer || !ste_monitor_api_take(broker->api, values))
        return;
    for (size_t i = 0; i < broker->queue_count; i++)
        if (values[i].known)
            ste_samples_put(writer, STE_Q_QUEUE_UNACKED, broker->queues[i].name,
                            broker->queues[i].type, values[i].unacked);
    for (size_t i = 0; i < broker->queue_count; i++)
        if (values[i].known)
            ste_samples_put(writer, STE_Q_QUEUE_BYTES, broker->queues[i].name,
                            broker->queues[i].type, values[i].bytes);
}

void ste_monitor_broker_sample(struct ste_monitor_broker *broker, struct ste_samples_writer *writer,
                               struct ste_monitor_balance *balance)
{
    struct ste_error err = {0};
    const enum ste_code rc = sample_lengths(broker, writer, balance, &err);
    if (rc == STE_OK) {
        balance->any = true;
        broker->outage.told = false;
    } else {
        balance->complete = false;
        ste_outage_tell(&broker->outage, "broker", &err);
        ste_mq_close(broker->mq);
        broker->mq = NULL;
    }
    sample_api(broker, writer);
}

void ste_monitor_broker_idle(struct ste_monitor_broker *broker)
{
    struct ste_error err = {0};
    if (broker->mq && ste_mq_pump(broker->mq, 0, &err) != STE_OK) {
        ste_outage_tell(&broker->outage, "broker", &err);
        ste_mq_close(broker->mq);
        broker->mq = NULL;
    }
}

void ste_monitor_broker_close(struct ste_monitor_broker *broker, uint64_t *ret_api_cpu_ns)
{
    if (!broker)
        return;
    *ret_api_cpu_ns = ste_monitor_api_stop(broker->api);
    ste_mq_close(broker->mq);
    free(broker);
}
