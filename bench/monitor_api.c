/* SPDX-License-Identifier: Apache-2.0
 * An answer may take long while the broker is busy: the samples do not wait for it. */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/signals.h"
#include "bench/monitor_parts.h"
#include "mq/topology_api.h"

enum { PERIOD_S = 5 };

struct ste_monitor_api {
    struct ste_api api;
    const char *vhost;
    const struct ste_monitor_queue *queues; /* only their names are read here */
    size_t queue_count;
    struct ste_outage outage;
    pthread_t thread;
    pthread_mutex_t lock; /* of what follows */
    pthread_cond_t wake;
    bool stopping, fresh;
    struct ste_monitor_api_values values[STE_MONITOR_QUEUES_MAX];
    uint64_t cpu_ns;
};

static void keep(struct ste_monitor_api *api, const struct ste_json *list)
{
    struct ste_monitor_api_values values[STE_MONITOR_QUEUES_MAX] = {0};
    for (const struct ste_json *item = ste_json_first(list); item; item = ste_json_next(item)) {
        const char *name = ste_json_text(ste_json_get(item, "name"));
        for (size_t i = 0; name && i < api->queue_count; i++) {
            struct ste_monitor_api_values found = {.known = true};
            if (strcmp(api->queues[i].name, name) != 0)
                continue;
            /* A queue without statistics yet has only its name. */
            if (ste_json_double(ste_json_get(item, "messages_unacknowledged"), &found.unacked) &&
                ste_json_double(ste_json_get(item, "message_bytes"), &found.bytes))
                values[i] = found;
            break;
        }
    }
    (void)pthread_mutex_lock(&api->lock);
    memcpy(api->values, values, sizeof values);
    api->fresh = true;
    (void)pthread_mutex_unlock(&api->lock);
}

static void ask(struct ste_monitor_api *api)
{
    struct ste_json *list = NULL;
    struct ste_error err = {0};
    enum ste_code rc = ste_api_get(
        &api->api,
        STE_API_PATH("queues", api->vhost, "?columns=name,messages_unacknowledged,message_bytes"),
        &list, &err);
    if (rc == STE_OK) {
        api->outage.told = false;
        keep(api, list);
    } else {
        ste_outage_tell(&api->outage, "management", &err);
    }
    ste_json_free(list);
}

static void *run(void *context)
{
    struct ste_monitor_api *api = context;
    struct timespec until;
    (void)clock_gettime(CLOCK_MONOTONIC, &until);
    (void)pthread_mutex_lock(&api->lock);
    while (!api->stopping) {
        (void)pthread_mutex_unlock(&api->lock);
        ask(api);
        (void)pthread_mutex_lock(&api->lock);
        until.tv_sec += PERIOD_S;
        while (!api->stopping &&
               pthread_cond_clockwait(&api->wake, &api->lock, CLOCK_MONOTONIC, &until) != ETIMEDOUT)
            continue;
    }
    api->cpu_ns = ste_clock_thread_cpu_ns();
    (void)pthread_mutex_unlock(&api->lock);
    return NULL;
}

enum ste_code ste_monitor_api_start(const struct ste_cluster *cluster,
                                    const struct ste_monitor_queue *queues, size_t queue_count,
                                    struct ste_monitor_api **ret, struct ste_error *err)
{
    struct ste_monitor_api *api = calloc(1, sizeof *api);
    if (!api)
        return ste_error_set(err, STE_E_NOMEM, "no memory for the monitor");
    api->vhost = cluster->broker.vhost;
    api->queues = queues;
    api->queue_count = queue_count;
    enum ste_code rc = ste_api_open(cluster, &api->api, err);
    if (rc == STE_OK &&
        (pthread_mutex_init(&api->lock, NULL) != 0 || pthread_cond_init(&api->wake, NULL) != 0 ||
         !ste_signals_start_thread(&api->thread, run, api)))
        rc = ste_error_set(err, STE_E_NOMEM, "could not start a thread");
    if (rc == STE_OK) {
        *ret = api;
        return STE_OK;
    }
    ste_api_close(&api->api);
    free(api);
    return rc;
}

bool ste_monitor_api_take(struct ste_monitor_api *api, struct ste_monitor_api_values *values)
{
    (void)pthread_mutex_lock(&api->lock);
    const bool fresh = api->fresh;
    if (fresh)
        memcpy(values, api->values, sizeof api->values);
    api->fresh = false;
    (void)pthread_mutex_unlock(&api->lock);
    return fresh;
}

uint64_t ste_monitor_api_stop(struct ste_monitor_api *api)
{
    if (!api)
        return 0;
    (void)pthread_mutex_lock(&api->lock);
    api->stopping = true;
    (void)pthread_cond_signal(&api->wake);
    (void)pthread_mutex_unlock(&api->lock);
    (void)pthread_join(api->thread, NULL);
    const uint64_t cpu_ns = api->cpu_ns;
    (void)pthread_cond_destroy(&api->wake);
    (void)pthread_mutex_destroy(&api->lock);
    ste_api_close(&api->api);
    free(api);
    return cpu_ns;
}
