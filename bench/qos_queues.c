/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/qos_queues.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"

enum { REMOVE_MS = 10000, REMOVE_MAX_MS = 120000, LOOK_EVERY_MS = 20, BODY_BYTES = 160 };

void ste_qos_queue_name(enum ste_qos_mode mode, uint64_t receiver, char out[STE_QOS_NAME_BYTES])
{
    if (mode == STE_QOS_WORK)
        (void)snprintf(out, STE_QOS_NAME_BYTES, STE_QOS_EXCHANGE ".work");
    else
        (void)snprintf(out, STE_QOS_NAME_BYTES, STE_QOS_EXCHANGE ".%03llu",
                       (unsigned long long)receiver);
}

void ste_qos_key_name(uint64_t key, char out[STE_QOS_NAME_BYTES])
{
    (void)snprintf(out, STE_QOS_NAME_BYTES, "key.%03llu", (unsigned long long)key);
}

bool ste_qos_queues_are_exclusive(const struct ste_qos_point *point, enum ste_qos_mode mode)
{
    return point->kind == STE_QOS_VOLATILE && mode == STE_QOS_TOPIC;
}

static enum ste_code bind(struct ste_api *api, const char *vhost, const char *queue, uint64_t key,
                          struct ste_error *err)
{
    char name[STE_QOS_NAME_BYTES], body[BODY_BYTES];
    ste_qos_key_name(key, name);
    (void)snprintf(body, sizeof body, "{\"routing_key\":\"%s\"}", name);
    return ste_api_send(api, STE_HTTP_POST,
                        STE_API_PATH("bindings", vhost, "e", STE_QOS_EXCHANGE, "q", queue),
                        ste_bytes_of(body), err);
}

static enum ste_code make_queue(struct ste_api *api, const char *vhost,
                                const struct ste_qos_point *point, enum ste_qos_mode mode,
                                uint64_t receiver, struct ste_error *err)
{
    const char *body = point->kind == STE_QOS_DURABLE
                           ? "{\"durable\":true,\"arguments\":{\"x-queue-type\":\"quorum\"}}"
                           : "{\"durable\":false,\"arguments\":{\"x-queue-type\":\"classic\"}}";
    char queue[STE_QOS_NAME_BYTES];
    ste_qos_queue_name(mode, receiver, queue);
    enum ste_code rc = ste_api_send(api, STE_HTTP_PUT, STE_API_PATH("queues", vhost, queue),
                                    ste_bytes_of(body), err);
    for (uint64_t key = 0; rc == STE_OK && key < point->keys; key++) {
        if (mode == STE_QOS_WORK || ste_qos_subscribes(point, receiver, key))
            rc = bind(api, vhost, queue, key, err);
    }
    return rc;
}

enum ste_code ste_qos_queues_make(struct ste_api *api, const char *vhost,
                                  const struct ste_qos_point *point, enum ste_qos_mode mode,
                                  struct ste_error *err)
{
    char body[BODY_BYTES];
    (void)snprintf(body, sizeof body, "{\"type\":\"direct\",\"durable\":%s}",
                   point->kind == STE_QOS_DURABLE ? "true" : "false");
    enum ste_code rc =
        ste_api_send(api, STE_HTTP_PUT, STE_API_PATH("exchanges", vhost, STE_QOS_EXCHANGE),
                     ste_bytes_of(body), err);
    uint64_t queues = mode == STE_QOS_WORK ? 1 : point->receivers;
    if (ste_qos_queues_are_exclusive(point, mode))
        queues = 0;
    for (uint64_t receiver = 0; rc == STE_OK && receiver < queues; receiver++)
        rc = make_queue(api, vhost, point, mode, receiver, err);
    return rc;
}

/* Refused may mean that it went by itself meanwhile. */
static enum ste_code delete_one(struct ste_api *api, const char *const *path, struct ste_error *err)
{
    struct ste_json *found = NULL;
    struct ste_error second = {0};
    enum ste_code rc = ste_api_send(api, STE_HTTP_DELETE, path, (struct ste_bytes){0}, err);
    if (rc != STE_E_MQ_REFUSED)
        return rc;
    if (ste_api_get(api, path, &found, &second) == STE_OK && !found)
        return STE_OK;
    ste_json_free(found);
    return rc;
}

struct found {
    size_t all, removed; /* all: those just removed included */
};

/* `kind`: "queues" or "exchanges". Adds to *found. */
static enum ste_code remove_kind(struct ste_api *api, const char *vhost, const char *kind,
                                 struct found *found, struct ste_error *err)
{
    struct ste_json *list = NULL;
    enum ste_code rc =
        ste_api_get(api, STE_API_PATH(kind, vhost, "?columns=name,exclusive"), &list, err);
    if (rc != STE_OK)
        return rc;
    for (const struct ste_json *at = ste_json_first(list); at && rc == STE_OK;
         at = ste_json_next(at)) {
        const char *name = ste_json_text(ste_json_get(at, "name"));
        bool exclusive = false;
        if (!name || strncmp(name, STE_QOS_EXCHANGE, sizeof STE_QOS_EXCHANGE - 1) != 0)
            continue;
        found->all++;
        (void)ste_json_bool(ste_json_get(at, "exclusive"), &exclusive);
        if (exclusive)
            continue;
        found->removed++;
        rc = delete_one(api, STE_API_PATH(kind, vhost, name), err);
    }
    ste_json_free(list);
    return rc;
}

enum ste_code ste_qos_queues_remove(struct ste_api *api, const char *vhost, struct ste_error *err)
{
    uint64_t last_ns = ste_clock_mono_ns(), begun_ns = last_ns;
    for (size_t last_all = SIZE_MAX;;) {
        struct found found = {0};
        enum ste_code rc = remove_kind(api, vhost, "queues", &found, err);
        if (rc == STE_OK)
            rc = remove_kind(api, vhost, "exchanges", &found, err);
        if (rc != STE_OK || found.all == 0)
            return rc;
        uint64_t now_ns = ste_clock_mono_ns();
        if (found.all != last_all || found.removed > 0)
            last_ns = now_ns;
        last_all = found.all;
        if (now_ns - last_ns > STE_NS_PER_MS * REMOVE_MS ||
            now_ns - begun_ns > STE_NS_PER_MS * REMOVE_MAX_MS)
            return ste_error_set(err, STE_E_TIMEOUT,
                                 "%zu queues and exchanges " STE_QOS_EXCHANGE "… are still there",
                                 found.all);
        ste_clock_sleep_ms(LOOK_EVERY_MS);
    }
}
