/* SPDX-License-Identifier: Apache-2.0
 * What the broker should hold, as data: built without a broker, compared by topology.c. */
#ifndef STE_MQ_TOPOLOGY_PLAN_H
#define STE_MQ_TOPOLOGY_PLAN_H

#include "base/arena.h"
#include "mq/topology.h"
#include "mq/topology_sizes.h"

struct ste_plan_exchange {
    const char *name, *type;
};
struct ste_plan_queue {
    const char *name;
    const char *policy;
    bool single_consumer; /* x-single-active-consumer */
};
struct ste_plan_binding {
    const char *exchange, *queue, *key;
};
struct ste_plan_field { /* of a policy's definition */
    const char *key;
    const char *text; /* NULL: a number */
    int64_t number;
};
enum {
    STE_PLAN_FIELDS_MAX = 6,
    STE_PLAN_EXCHANGES = 5,
    STE_PLAN_POLICIES = 7,
    STE_PLAN_TOPICS_MAX = 1
};
struct ste_plan_policy {
    const char *name, *pattern;
    struct ste_plan_field fields[STE_PLAN_FIELDS_MAX];
    size_t field_count;
};
struct ste_plan_topic { /* name NULL: none */
    const char *exchange, *write, *read;
};
struct ste_plan_user {
    struct ste_login login;
    bool administrator; /* made beforehand: only its rights are ours */
    const char *configure, *write, *read;
    struct ste_plan_topic topic;
};

struct ste_plan {
    struct ste_plan_exchange exchanges[STE_PLAN_EXCHANGES];
    struct ste_plan_policy policies[STE_PLAN_POLICIES];
    struct ste_plan_queue *queues;
    struct ste_plan_binding *bindings;
    struct ste_plan_user *users;
    size_t queue_count, binding_count, user_count;
};

/* All of it lives in `arena`. broker_major: of RabbitMQ's version. Errors: STE_E_NOMEM,
 * STE_E_CONFIG (a role's user that is no fit name). */
STE_MUST_CHECK enum ste_code ste_plan_build(const struct ste_cluster *cluster,
                                            const struct ste_topology_participant *participants,
                                            size_t participant_count,
                                            const struct ste_topology_sizes *sizes,
                                            unsigned broker_major, struct ste_arena *arena,
                                            struct ste_plan *plan, struct ste_error *err);

#endif
