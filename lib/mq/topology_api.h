/* SPDX-License-Identifier: Apache-2.0
 * RabbitMQ's management API, and the run that compares the broker with the plan. Inside the library
 * target ste_topology. */
#ifndef STE_MQ_TOPOLOGY_API_H
#define STE_MQ_TOPOLOGY_API_H

#include "http/http.h"
#include "json/json.h"
#include "mq/topology_plan.h"

struct ste_api {
    struct ste_http *http;
    const char *user; /* for messages */
    struct ste_buf answer;
};

/* Logs in as the map's admin. Closed by ste_api_close, also after a failure. */
STE_MUST_CHECK enum ste_code ste_api_open(const struct ste_cluster *cluster, struct ste_api *api,
                                          struct ste_error *err);
void ste_api_close(struct ste_api *api);

/* A path is its segments, not escaped, ended by NULL; one that begins with '?' is a query. */
#define STE_API_PATH(...) ((const char *const[]){__VA_ARGS__, NULL})

/* *ret: the answer, ste_json_free(); NULL when there is no such thing. Errors: STE_E_MQ_REFUSED (no
 * right to ask), STE_E_HTTP, STE_E_PARSE, STE_E_LIMIT, STE_E_NOMEM. */
STE_MUST_CHECK enum ste_code ste_api_get(struct ste_api *api, const char *const *path,
                                         struct ste_json **ret, struct ste_error *err);
/* Changes something. Errors as above; STE_E_MQ_REFUSED with the broker's reason. */
STE_MUST_CHECK enum ste_code ste_api_send(struct ste_api *api, enum ste_http_method method,
                                          const char *const *path, struct ste_bytes body,
                                          struct ste_error *err);

/* One run over the plan, which either only tells or also corrects. */
struct ste_reconcile {
    struct ste_api api;
    const struct ste_cluster *cluster;
    struct ste_plan plan;
    bool apply;
    bool stuck;            /* apply: something cannot be corrected */
    struct ste_buf report; /* lines */
};

/* A difference that can be corrected; the caller does so if r->apply. */
void ste_reconcile_line(struct ste_reconcile *r, const char *format, ...) STE_PRINTF(2, 3);
/* One that a person must see to. */
void ste_reconcile_stuck(struct ste_reconcile *r, const char *format, ...) STE_PRINTF(2, 3);
/* The item of a list whose member `key` is `text`, or NULL. */
const struct ste_json *ste_reconcile_find(const struct ste_json *list, const char *key,
                                          const char *text);
bool ste_json_is(const struct ste_json *object, const char *key, const char *text);

/* topology_users.c: users, rights, topic rights, passwords. */
STE_MUST_CHECK enum ste_code ste_reconcile_users(struct ste_reconcile *r, struct ste_error *err);

#endif
