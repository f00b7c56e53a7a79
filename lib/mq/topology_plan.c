/* SPDX-License-Identifier: Apache-2.0
 * The tables of DESIGN sections 5 and 6 and of FAULTS section 4. */
#include "mq/topology_plan.h"

#include <string.h>

#include "mq/names.h"

enum {
    QUEUE_TYPES = 5,
    WORK_DELIVERY_LIMIT = 20,
    SUSPECT_DELIVERY_LIMIT = 3,
    NO_DELIVERY_LIMIT = -1
};

#define POLICY_IN "ste-in"
#define POLICY_WORK "ste-work"
#define POLICY_SUSPECT "ste-suspect"
#define POLICY_CLS "ste-cls"
#define POLICY_REPLY "ste-reply"
#define POLICY_EXCEPTION "ste-exception"
#define POLICY_DEAD "ste-dead"

struct build {
    struct ste_plan *plan;
    struct ste_arena *arena;
    const struct ste_topology_sizes *sizes;
    unsigned broker_major;
    bool failed; /* no memory */
};

static const char *keep(struct build *b, const char *text)
{
    struct ste_bytes copy = ste_arena_dup(b->arena, ste_bytes_of(text));
    b->failed |= copy.at == NULL;
    return copy.at;
}

/* ---- exchanges, queues, bindings ---- */

static void add_exchanges(struct ste_plan *plan)
{
    const struct ste_plan_exchange exchanges[STE_PLAN_EXCHANGES] = {
        {STE_EXCHANGE_IN, "fanout"}, {STE_EXCHANGE_DLX, "fanout"},    {STE_EXCHANGE_WORK, "direct"},
        {STE_EXCHANGE_OUT, "topic"}, {STE_EXCHANGE_CONTROL, "topic"},
    };
    memcpy(plan->exchanges, exchanges, sizeof exchanges);
}

static void add_queue(struct build *b, const char *name, const char *policy, const char *exchange,
                      const char *key)
{
    struct ste_plan *plan = b->plan;
    const char *queue = keep(b, name);
    plan->queues[plan->queue_count++] = (struct ste_plan_queue){
        .name = queue, .policy = policy, .single_consumer = strcmp(policy, POLICY_SUSPECT) == 0};
    plan->bindings[plan->binding_count++] =
        (struct ste_plan_binding){.exchange = exchange, .queue = queue, .key = keep(b, key)};
}

static void add_queues(struct build *b, unsigned shard_count,
                       const struct ste_topology_participant *participants,
                       size_t participant_count)
{
    char name[STE_MQ_NAME_BYTES], key[STE_MQ_NAME_BYTES];

    add_queue(b, STE_QUEUE_IN, POLICY_IN, STE_EXCHANGE_IN, "");
    add_queue(b, STE_QUEUE_DEAD, POLICY_DEAD, STE_EXCHANGE_DLX, "");
    add_queue(b, STE_QUEUE_CLS, POLICY_CLS, STE_EXCHANGE_OUT, "cls.*");
    add_queue(b, STE_QUEUE_EXCEPTION, POLICY_EXCEPTION, STE_EXCHANGE_OUT, "exc.*");
    for (unsigned shard = 0; shard < shard_count; shard++) {
        for (unsigned type = 0; type < QUEUE_TYPES; type++) {
            ste_mq_work_queue(type, shard, name);
            ste_mq_work_key(type, shard, key);
            add_queue(b, name, POLICY_WORK, STE_EXCHANGE_WORK, key);
        }
        ste_mq_suspect_queue(shard, name);
        ste_mq_suspect_key(shard, key);
        add_queue(b, name, POLICY_SUSPECT, STE_EXCHANGE_WORK, key);
    }
    for (size_t i = 0; i < participant_count; i++) {
        ste_mq_reply_queue(participants[i].bic8, name);
        ste_mq_reply_key(participants[i].bic8, key);
        add_queue(b, name, POLICY_REPLY, STE_EXCHANGE_OUT, key);
    }
}

/* ---- policies: one applies per queue, so each is complete in itself ---- */

static void number(struct ste_plan_policy *policy, const char *key, int64_t value)
{
    policy->fields[policy->field_count++] = (struct ste_plan_field){.key = key, .number = value};
}

static void text(struct ste_plan_policy *policy, const char *key, const char *value)
{
    policy->fields[policy->field_count++] = (struct ste_plan_field){.key = key, .text = value};
}

/* limit 0: no delivery limit. RabbitMQ before 4.0 has none unless told, and does not know -1; from
 * 4.0 it has one of 20 unless told. */
static struct ste_plan_policy policy_of(const struct build *b, const char *name,
                                        const char *pattern, uint64_t bytes, const char *overflow,
                                        unsigned delivery_limit)
{
    struct ste_plan_policy policy = {.name = name, .pattern = pattern};
    number(&policy, "max-length-bytes", (int64_t)bytes);
    text(&policy, "overflow", overflow);
    if (delivery_limit > 0) {
        number(&policy, "delivery-limit", delivery_limit);
        text(&policy, "dead-letter-exchange", STE_EXCHANGE_DLX);
        text(&policy, "dead-letter-strategy", "at-least-once");
    } else if (b->broker_major >= 4) {
        number(&policy, "delivery-limit", NO_DELIVERY_LIMIT);
    }
    return policy;
}

static void add_policies(const struct build *b)
{
    const struct ste_topology_sizes *s = b->sizes;
    const struct ste_plan_policy policies[STE_PLAN_POLICIES] = {
        policy_of(b, POLICY_IN, "^ste\\.in$", s->in, "reject-publish", 0),
        policy_of(b, POLICY_WORK, "^ste\\.(noe|alb|npr|set|exc)\\.[0-9]{2}$", s->work,
                  "reject-publish", WORK_DELIVERY_LIMIT),
        policy_of(b, POLICY_SUSPECT, "^ste\\.suspect\\.[0-9]{2}$", s->suspect, "reject-publish",
                  SUSPECT_DELIVERY_LIMIT),
        policy_of(b, POLICY_CLS, "^ste\\.cls$", s->cls, "reject-publish", 0),
        policy_of(b, POLICY_REPLY, "^ste\\.reply\\.[A-Z0-9]{8}$", s->reply, "drop-head", 0),
        policy_of(b, POLICY_EXCEPTION, "^ste\\.exception$", s->exception, "drop-head", 0),
        policy_of(b, POLICY_DEAD, "^ste\\.dead$", s->dead, "reject-publish", 0),
    };
    memcpy(b->plan->policies, policies, sizeof policies);
}

/* ---- users ---- */

static bool has_user(const struct ste_plan *plan, const char *user)
{
    for (size_t i = 0; i < plan->user_count; i++)
        if (strcmp(plan->users[i].login.user, user) == 0)
            return true;
    return false;
}

/* Rights of the daemons. Each has a control queue of its own: ste.control.<role>.<name>. */
static const struct {
    enum ste_role role;
    bool administrator;
    const char *configure, *write, *read;
    struct ste_plan_topic topic;
} role_rights[] = {
    {STE_ROLE_ADMIN, true, ".*", ".*", ".*", {0}},
    {STE_ROLE_ROUTER,
     false,
     "^ste\\.control\\.router(\\..+)?$",
     "^ste\\.(work|control|control\\.router(\\..+)?)$",
     "^ste\\.(in|dead|control|control\\.router(\\..+)?)$",
     {0}},
    {STE_ROLE_NODE,
     false,
     "^ste\\.control\\.node(\\..+)?$",
     "^ste\\.(out|work|control|control\\.node(\\..+)?)$",
     "^ste\\.((noe|alb|npr|set|exc|suspect)\\.[0-9]{2}|control|control\\.node(\\..+)?)$",
     {STE_EXCHANGE_OUT, "^(cls\\.[0-9]{2}|exc\\.[0-9]{2}|reply\\.[A-Z0-9]{8})$", "^$"}},
    {STE_ROLE_CLEARING, false, "^$", "^$", "^ste\\.cls$", {0}},
    {STE_ROLE_OPERATOR, false, "^$", "^$", "^ste\\.exception$", {0}},
};

static void add_roles(struct build *b, const struct ste_cluster *cluster)
{
    for (size_t i = 0; i < sizeof role_rights / sizeof *role_rights; i++) {
        const struct ste_login *login = &cluster->broker.users[role_rights[i].role];
        if (!login->user)
            continue;
        b->plan->users[b->plan->user_count++] =
            (struct ste_plan_user){.login = *login,
                                   .administrator = role_rights[i].administrator,
                                   .configure = role_rights[i].configure,
                                   .write = role_rights[i].write,
                                   .read = role_rights[i].read,
                                   .topic = role_rights[i].topic};
    }
}

/* A participant writes ste.in and owns its reply queues; binding one to ste.out takes the right to
 * read that exchange, which the topic permission narrows to its own key. */
static void add_participant(struct build *b, const char *bic8, const char *password_file, bool hub)
{
    const char *own = ste_arena_printf(b->arena, "^ste\\.reply\\.%s(\\..+)?$", bic8);
    const char *write = ste_arena_printf(b->arena, "^ste\\.(in|reply\\.%s(\\..+)?)$", bic8);
    const char *read = ste_arena_printf(b->arena, "^ste\\.(out|reply\\.%s(\\..+)?)$", bic8);
    const char *key =
        hub ? "^reply\\.[A-Z0-9]{8}$" : ste_arena_printf(b->arena, "^reply\\.%s$", bic8);
    b->failed |= !own || !write || !read || !key;
    b->plan->users[b->plan->user_count++] =
        (struct ste_plan_user){.login = {keep(b, bic8), password_file},
                               .configure = own,
                               .write = write,
                               .read = read,
                               .topic = {STE_EXCHANGE_OUT, "^$", key}};
}

static bool is_bic8(const char *text)
{
    return strlen(text) == 8 && strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789") == 8;
}

/* The submitter is a participant: the hub that the lab signs as, or one named in the list. */
static enum ste_code add_users(struct build *b, const struct ste_cluster *cluster,
                               const struct ste_topology_participant *participants,
                               size_t participant_count, struct ste_error *err)
{
    const struct ste_login *submitter = &cluster->broker.users[STE_ROLE_SUBMITTER];
    bool hub = true;

    add_roles(b, cluster);
    for (size_t i = 0; i < participant_count; i++) {
        if (!is_bic8(participants[i].bic8)) /* it becomes part of patterns */
            return ste_error_set(err, STE_E_CONFIG, "participant %s has no BIC of 8 characters",
                                 participants[i].bic8);
        if (submitter->user && strcmp(submitter->user, participants[i].bic8) == 0)
            hub = participants[i].hub;
        else if (participants[i].password_file && !has_user(b->plan, participants[i].bic8))
            add_participant(b, participants[i].bic8, participants[i].password_file,
                            participants[i].hub);
    }
    if (submitter->user && !is_bic8(submitter->user))
        return ste_error_set(
            err, STE_E_CONFIG,
            "broker.users.submitter: user %s is no participant's BIC of 8 characters",
            submitter->user);
    if (submitter->user)
        add_participant(b, submitter->user, submitter->password_file, hub);
    return STE_OK;
}

enum ste_code ste_plan_build(const struct ste_cluster *cluster,
                             const struct ste_topology_participant *participants,
                             size_t participant_count, const struct ste_topology_sizes *sizes,
                             unsigned broker_major, struct ste_arena *arena, struct ste_plan *plan,
                             struct ste_error *err)
{
    struct build b = {.plan = plan, .arena = arena, .sizes = sizes, .broker_major = broker_major};
    size_t queues_max = 4 + (QUEUE_TYPES + 1) * (size_t)cluster->shard_count + participant_count;

    *plan = (struct ste_plan){0};
    plan->queues = STE_ARENA_ARRAY(arena, struct ste_plan_queue, queues_max);
    plan->bindings = STE_ARENA_ARRAY(arena, struct ste_plan_binding, queues_max);
    plan->users = STE_ARENA_ARRAY(arena, struct ste_plan_user, STE_ROLE_COUNT + participant_count);
    if (!plan->queues || !plan->bindings || !plan->users)
        return ste_error_set(err, STE_E_NOMEM, "no memory for the topology");
    add_exchanges(plan);
    add_queues(&b, cluster->shard_count, participants, participant_count);
    add_policies(&b);
    enum ste_code rc = add_users(&b, cluster, participants, participant_count, err);
    if (rc == STE_OK && b.failed)
        rc = ste_error_set(err, STE_E_NOMEM, "no memory for the topology");
    return rc;
}
