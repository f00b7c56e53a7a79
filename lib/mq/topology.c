/* SPDX-License-Identifier: Apache-2.0
 * Compares the broker with the plan, and makes it so. */
#include "mq/topology.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "mq/names.h"
#include "mq/topology_api.h"

enum { LINE_BYTES = 512, POLICY_PRIORITY = 10, FIRST_STATISTICS_MS = 15000 };

static void add_line(struct ste_reconcile *r, const char *text, const char *more)
{
    ste_buf_printf(&r->report, "%s%s\n", text, more);
}

void ste_reconcile_line(struct ste_reconcile *r, const char *format, ...)
{
    char text[LINE_BYTES];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    add_line(r, text, r->apply ? ", corrected" : "");
}

void ste_reconcile_stuck(struct ste_reconcile *r, const char *format, ...)
{
    char text[LINE_BYTES];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    add_line(r, text, ": a person must see to it");
    r->stuck = true;
}

/* ---- what the broker is: version, disk, sizes ---- */

static enum ste_code broker_version(struct ste_api *api, unsigned *ret_major, struct ste_error *err)
{
    struct ste_json *overview = NULL;
    enum ste_code rc = ste_api_get(api, STE_API_PATH("overview"), &overview, err);
    const char *version = ste_json_text(ste_json_get(overview, "rabbitmq_version"));
    if (rc == STE_OK && (!version || sscanf(version, "%u.", ret_major) != 1))
        rc = ste_error_set(err, STE_E_HTTP, "broker management does not tell its version");
    ste_json_free(overview);
    return rc;
}

/* The least free disk of the broker's nodes, above the limit at which they raise their alarm;
 * UINT64_MAX while none tells. */
static enum ste_code told_disk(struct ste_api *api, uint64_t *ret_bytes, struct ste_error *err)
{
    struct ste_json *nodes = NULL;
    uint64_t free_bytes, limit_bytes;
    const enum ste_code rc = ste_api_get(api, STE_API_PATH("nodes"), &nodes, err);
    *ret_bytes = UINT64_MAX;
    for (const struct ste_json *node = ste_json_first(nodes); node; node = ste_json_next(node)) {
        if (!ste_json_uint(ste_json_get(node, "disk_free"), &free_bytes) ||
            !ste_json_uint(ste_json_get(node, "disk_free_limit"), &limit_bytes))
            continue; /* a node that is down */
        const uint64_t usable = free_bytes > limit_bytes ? free_bytes - limit_bytes : 0;
        *ret_bytes = usable < *ret_bytes ? usable : *ret_bytes;
    }
    ste_json_free(nodes);
    return rc;
}

/* A broker that has just started tells its disk with its first statistics. */
static enum ste_code free_disk(struct ste_api *api, uint64_t *ret_bytes, struct ste_error *err)
{
    const uint64_t limit_ns = ste_clock_mono_ns() + FIRST_STATISTICS_MS * STE_NS_PER_MS;
    for (;;) {
        const enum ste_code rc = told_disk(api, ret_bytes, err);
        if (rc != STE_OK || *ret_bytes != UINT64_MAX)
            return rc;
        if (ste_clock_mono_ns() > limit_ns)
            return ste_error_set(err, STE_E_HTTP, "broker management does not tell its free disk");
        ste_clock_sleep_ms(200);
    }
}

/* As of the last statistics, some seconds old. */
static enum ste_code bytes_in_queues(struct ste_reconcile *r, uint64_t *ret, struct ste_error *err)
{
    uint64_t sum = 0, bytes;
    struct ste_json *queues = NULL;
    enum ste_code rc = ste_api_get(
        &r->api, STE_API_PATH("queues", r->cluster->broker.vhost, "?columns=name,message_bytes"),
        &queues, err);
    for (const struct ste_json *queue = ste_json_first(queues); queue;
         queue = ste_json_next(queue)) {
        const char *name = ste_json_text(ste_json_get(queue, "name"));
        if (name && strncmp(name, "ste.", 4) == 0 &&
            ste_json_uint(ste_json_get(queue, "message_bytes"), &bytes))
            sum += bytes;
    }
    ste_json_free(queues);
    if (rc == STE_OK)
        *ret = sum;
    return rc;
}

static uint64_t limit_of_in(const struct ste_json *policies)
{
    uint64_t bytes = 0;
    const struct ste_json *policy = ste_reconcile_find(policies, "name", "ste-in");
    const struct ste_json *definition = ste_json_get(policy, "definition");
    return ste_json_uint(ste_json_get(definition, "max-length-bytes"), &bytes) ? bytes : 0;
}

static enum ste_code choose_sizes(struct ste_reconcile *r, size_t participant_count,
                                  const struct ste_json *policies, struct ste_topology_sizes *ret,
                                  struct ste_error *err)
{
    const uint64_t mib = 1 << 20;
    uint64_t disk = 0, held = 0;
    enum ste_code rc = free_disk(&r->api, &disk, err);
    if (rc == STE_OK)
        rc = bytes_in_queues(r, &held, err);
    if (rc != STE_OK)
        return rc;
    disk += held;
    unsigned step = ste_topology_step(r->cluster, participant_count, disk, limit_of_in(policies));
    if (step == STE_TOPOLOGY_NO_STEP) {
        *ret = ste_topology_sizes_of(r->cluster, participant_count, STE_TOPOLOGY_STEPS - 1);
        return ste_error_set(err, STE_E_CONFIG,
                             "broker has %" PRIu64 " MiB of disk for queues, the smallest useful "
                             "queues need %" PRIu64 " MiB",
                             disk / mib * STE_TOPOLOGY_FILL_PERCENT / 100,
                             ste_topology_sizes_sum(r->cluster, participant_count, ret) / mib);
    }
    *ret = ste_topology_sizes_of(r->cluster, participant_count, step);
    if (step > 0 && r->apply)
        ste_buf_printf(&r->report,
                       "warning: the broker's free disk allows queues for %u of %u min at %u "
                       "messages/s\n",
                       ste_topology_minutes(r->cluster, step), r->cluster->outage_allowance_min,
                       r->cluster->design_rate);
    return STE_OK;
}

/* ---- vhost, feature flag ---- */

static enum ste_code compare_vhost(struct ste_reconcile *r, struct ste_error *err)
{
    const char *vhost = r->cluster->broker.vhost;
    struct ste_json *found = NULL;
    enum ste_code rc = ste_api_get(&r->api, STE_API_PATH("vhosts", vhost), &found, err);
    if (rc == STE_OK && !found) {
        ste_reconcile_line(r, "vhost %s: missing", vhost);
        if (r->apply)
            rc = ste_api_send(&r->api, STE_HTTP_PUT, STE_API_PATH("vhosts", vhost), STE_BYTES("{}"),
                              err);
    }
    ste_json_free(found);
    return rc;
}

/* Dead-lettering at least once needs streams; where the flag is not listed it is part of the
 * broker. */
static enum ste_code compare_feature(struct ste_reconcile *r, struct ste_error *err)
{
    static const char flag[] = "stream_queue";
    struct ste_json *flags = NULL;
    enum ste_code rc = ste_api_get(&r->api, STE_API_PATH("feature-flags"), &flags, err);
    const struct ste_json *found = ste_reconcile_find(flags, "name", flag);
    if (rc == STE_OK && found && !ste_json_is(found, "state", "enabled")) {
        ste_reconcile_line(r, "feature flag %s: not enabled", flag);
        if (r->apply)
            rc = ste_api_send(&r->api, STE_HTTP_PUT, STE_API_PATH("feature-flags", flag, "enable"),
                              STE_BYTES("{}"), err);
    }
    ste_json_free(flags);
    return rc;
}

/* ---- exchanges, policies, queues, bindings ---- */

static enum ste_code put_exchange(struct ste_reconcile *r, const struct ste_plan_exchange *exchange,
                                  struct ste_error *err)
{
    struct ste_buf body = {0};
    ste_buf_printf(&body, "{\"type\":\"%s\",\"durable\":true}", exchange->type);
    enum ste_code rc = STE_OK;
    if (body.failed)
        rc = ste_error_set(err, STE_E_NOMEM, "no memory for a request");
    else
        rc = ste_api_send(&r->api, STE_HTTP_PUT,
                          STE_API_PATH("exchanges", r->cluster->broker.vhost, exchange->name),
                          ste_buf_bytes(&body), err);
    ste_buf_deinit(&body);
    return rc;
}

static enum ste_code compare_exchanges(struct ste_reconcile *r, struct ste_error *err)
{
    struct ste_json *exchanges = NULL;
    enum ste_code rc =
        ste_api_get(&r->api, STE_API_PATH("exchanges", r->cluster->broker.vhost), &exchanges, err);
    for (size_t i = 0; i < STE_PLAN_EXCHANGES && rc == STE_OK; i++) {
        const struct ste_plan_exchange *wanted = &r->plan.exchanges[i];
        const struct ste_json *found = ste_reconcile_find(exchanges, "name", wanted->name);
        bool durable = false;
        if (found && (!ste_json_is(found, "type", wanted->type) ||
                      !ste_json_bool(ste_json_get(found, "durable"), &durable) || !durable)) {
            ste_reconcile_stuck(r, "exchange %s: is not a durable %s", wanted->name, wanted->type);
        } else if (!found) {
            ste_reconcile_line(r, "exchange %s: missing", wanted->name);
            if (r->apply)
                rc = put_exchange(r, wanted, err);
        }
    }
    ste_json_free(exchanges);
    return rc;
}

static bool same_definition(const struct ste_plan_policy *wanted, const struct ste_json *definition)
{
    if (ste_json_count(definition) != wanted->field_count)
        return false;
    for (size_t i = 0; i < wanted->field_count; i++) {
        const struct ste_plan_field *field = &wanted->fields[i];
        double number = 0; /* -1 among them; exact up to 2^53 */
        if (field->text ? !ste_json_is(definition, field->key, field->text)
                        : !ste_json_double(ste_json_get(definition, field->key), &number) ||
                              (int64_t)number != field->number)
            return false;
    }
    return true;
}

static enum ste_code put_policy(struct ste_reconcile *r, const struct ste_plan_policy *policy,
                                struct ste_error *err)
{
    struct ste_buf body = {0};
    struct ste_json_writer json;
    ste_json_begin(&json, &body);
    ste_json_put_object(&json, NULL);
    ste_json_put_cstr(&json, "pattern", policy->pattern);
    ste_json_put_cstr(&json, "apply-to", "queues");
    ste_json_put_uint(&json, "priority", POLICY_PRIORITY);
    ste_json_put_object(&json, "definition");
    for (size_t i = 0; i < policy->field_count; i++) {
        const struct ste_plan_field *field = &policy->fields[i];
        if (field->text)
            ste_json_put_cstr(&json, field->key, field->text);
        else
            ste_json_put_int(&json, field->key, field->number);
    }
    ste_json_put_end(&json);
    ste_json_put_end(&json);
    enum ste_code rc = STE_OK;
    if (!ste_json_complete(&json))
        rc = ste_error_set(err, STE_E_NOMEM, "no memory for a request");
    else
        rc = ste_api_send(&r->api, STE_HTTP_PUT,
                          STE_API_PATH("policies", r->cluster->broker.vhost, policy->name),
                          ste_buf_bytes(&body), err);
    ste_buf_deinit(&body);
    return rc;
}

static enum ste_code compare_policies(struct ste_reconcile *r, const struct ste_json *policies,
                                      struct ste_error *err)
{
    enum ste_code rc = STE_OK;
    for (size_t i = 0; i < STE_PLAN_POLICIES && rc == STE_OK; i++) {
        const struct ste_plan_policy *wanted = &r->plan.policies[i];
        const struct ste_json *found = ste_reconcile_find(policies, "name", wanted->name);
        uint64_t priority = 0;
        if (found && ste_json_is(found, "pattern", wanted->pattern) &&
            ste_json_is(found, "apply-to", "queues") &&
            ste_json_uint(ste_json_get(found, "priority"), &priority) &&
            priority == POLICY_PRIORITY &&
            same_definition(wanted, ste_json_get(found, "definition")))
            continue;
        ste_reconcile_line(r, found ? "policy %s: differs" : "policy %s: missing", wanted->name);
        if (r->apply)
            rc = put_policy(r, wanted, err);
    }
    return rc;
}

static enum ste_code put_queue(struct ste_reconcile *r, const struct ste_plan_queue *queue,
                               struct ste_error *err)
{
    struct ste_bytes body =
        queue->single_consumer
            ? STE_BYTES("{\"durable\":true,\"arguments\":{\"x-queue-type\":\"quorum\","
                        "\"x-single-active-consumer\":true}}")
            : STE_BYTES("{\"durable\":true,\"arguments\":{\"x-queue-type\":\"quorum\"}}");
    return ste_api_send(&r->api, STE_HTTP_PUT,
                        STE_API_PATH("queues", r->cluster->broker.vhost, queue->name), body, err);
}

static void compare_queue(struct ste_reconcile *r, const struct ste_plan_queue *wanted,
                          const struct ste_json *found)
{
    const struct ste_json *arguments = ste_json_get(found, "arguments");
    bool single = false;
    if (!ste_json_bool(ste_json_get(arguments, "x-single-active-consumer"), &single))
        single = false;
    if (!ste_json_is(arguments, "x-queue-type", "quorum"))
        ste_reconcile_stuck(r, "queue %s: is not a quorum queue", wanted->name);
    else if (single != wanted->single_consumer ||
             ste_json_count(arguments) != 1 + (size_t)wanted->single_consumer)
        ste_reconcile_stuck(r, "queue %s: was made with other arguments", wanted->name);
    else if (!r->apply && !ste_json_is(found, "policy", wanted->policy))
        ste_reconcile_line(r, "queue %s: policy %s does not apply to it", wanted->name,
                           wanted->policy);
}

static enum ste_code compare_queues(struct ste_reconcile *r, const struct ste_json *queues,
                                    struct ste_error *err)
{
    enum ste_code rc = STE_OK;
    for (size_t i = 0; i < r->plan.queue_count && rc == STE_OK; i++) {
        const struct ste_plan_queue *wanted = &r->plan.queues[i];
        const struct ste_json *found = ste_reconcile_find(queues, "name", wanted->name);
        if (found) {
            compare_queue(r, wanted, found);
            continue;
        }
        ste_reconcile_line(r, "queue %s: missing", wanted->name);
        if (r->apply)
            rc = put_queue(r, wanted, err);
    }
    return rc;
}

static bool is_binding(const struct ste_json *item, const struct ste_plan_binding *binding)
{
    return ste_json_is(item, "source", binding->exchange) &&
           ste_json_is(item, "destination", binding->queue) &&
           ste_json_is(item, "destination_type", "queue") &&
           ste_json_is(item, "routing_key", binding->key);
}

static enum ste_code put_binding(struct ste_reconcile *r, const struct ste_plan_binding *binding,
                                 struct ste_error *err)
{
    struct ste_buf body = {0};
    struct ste_json_writer json;
    ste_json_begin(&json, &body);
    ste_json_put_object(&json, NULL);
    ste_json_put_cstr(&json, "routing_key", binding->key);
    ste_json_put_end(&json);
    enum ste_code rc = STE_OK;
    if (!ste_json_complete(&json))
        rc = ste_error_set(err, STE_E_NOMEM, "no memory for a request");
    else
        rc = ste_api_send(&r->api, STE_HTTP_POST,
                          STE_API_PATH("bindings", r->cluster->broker.vhost, "e", binding->exchange,
                                       "q", binding->queue),
                          ste_buf_bytes(&body), err);
    ste_buf_deinit(&body);
    return rc;
}

/* A stranger bound where only ours may be would double or divert messages. At ste.out and
 * ste.control clients bind queues of their own. */
static void find_strangers(struct ste_reconcile *r, const struct ste_json *bindings)
{
    for (const struct ste_json *item = ste_json_first(bindings); item; item = ste_json_next(item)) {
        const char *source = ste_json_text(ste_json_get(item, "source"));
        bool ours = !source || (strcmp(source, STE_EXCHANGE_IN) != 0 &&
                                strcmp(source, STE_EXCHANGE_DLX) != 0 &&
                                strcmp(source, STE_EXCHANGE_WORK) != 0);
        for (size_t i = 0; i < r->plan.binding_count && !ours; i++)
            ours = is_binding(item, &r->plan.bindings[i]);
        if (!ours)
            ste_reconcile_stuck(r, "binding of %s to %s with key '%s': not ours",
                                ste_json_text(ste_json_get(item, "destination")), source,
                                ste_json_text(ste_json_get(item, "routing_key")));
    }
}

static enum ste_code compare_bindings(struct ste_reconcile *r, struct ste_error *err)
{
    struct ste_json *bindings = NULL;
    enum ste_code rc =
        ste_api_get(&r->api, STE_API_PATH("bindings", r->cluster->broker.vhost), &bindings, err);
    for (size_t i = 0; i < r->plan.binding_count && rc == STE_OK; i++) {
        const struct ste_plan_binding *wanted = &r->plan.bindings[i];
        const struct ste_json *item = ste_json_first(bindings);
        while (item && !is_binding(item, wanted))
            item = ste_json_next(item);
        if (item)
            continue;
        ste_reconcile_line(r, "binding of %s to %s with key '%s': missing", wanted->queue,
                           wanted->exchange, wanted->key);
        if (r->apply)
            rc = put_binding(r, wanted, err);
    }
    if (rc == STE_OK)
        find_strangers(r, bindings);
    ste_json_free(bindings);
    return rc;
}

/* ---- the run ---- */

static enum ste_code compare_all(struct ste_reconcile *r, const struct ste_json *queues,
                                 const struct ste_json *policies, struct ste_error *err)
{
    enum ste_code rc = compare_feature(r, err);
    if (rc == STE_OK) /* first: the admin's own rights are among them */
        rc = ste_reconcile_users(r, err);
    if (rc == STE_OK)
        rc = compare_exchanges(r, err);
    if (rc == STE_OK) /* before the queues, which are then never without their limits */
        rc = compare_policies(r, policies, err);
    if (rc == STE_OK)
        rc = compare_queues(r, queues, err);
    if (rc == STE_OK)
        rc = compare_bindings(r, err);
    return rc;
}

static enum ste_code reconcile(struct ste_reconcile *r, struct ste_arena *arena,
                               const struct ste_topology_participant *participants,
                               size_t participant_count, struct ste_error *err)
{
    const char *vhost = r->cluster->broker.vhost;
    struct ste_json *queues = NULL, *policies = NULL;
    struct ste_topology_sizes sizes;
    unsigned broker_major = 0;

    enum ste_code rc = ste_api_open(r->cluster, &r->api, err);
    if (rc == STE_OK)
        rc = broker_version(&r->api, &broker_major, err);
    if (rc == STE_OK)
        rc = compare_vhost(r, err);
    if (rc == STE_OK)
        rc = ste_api_get(&r->api, STE_API_PATH("queues", vhost, "?disable_stats=true"), &queues,
                         err);
    if (rc == STE_OK)
        rc = ste_api_get(&r->api, STE_API_PATH("policies", vhost), &policies, err);
    if (rc == STE_OK)
        rc = choose_sizes(r, participant_count, policies, &sizes, err);
    if (rc == STE_OK)
        rc = ste_plan_build(r->cluster, participants, participant_count, &sizes, broker_major,
                            arena, &r->plan, err);
    if (rc == STE_OK)
        rc = compare_all(r, queues, policies, err);
    ste_json_free(queues);
    ste_json_free(policies);
    ste_api_close(&r->api);
    return rc;
}

static enum ste_code run(const struct ste_cluster *cluster,
                         const struct ste_topology_participant *participants,
                         size_t participant_count, bool apply, char **ret_report,
                         struct ste_error *err)
{
    struct ste_reconcile r = {.cluster = cluster, .apply = apply};
    struct ste_arena *arena = ste_arena_new(0);
    enum ste_code rc;
    if (arena)
        rc = reconcile(&r, arena, participants, participant_count, err);
    else
        rc = ste_error_set(err, STE_E_NOMEM, "no memory for the topology");
    ste_arena_free(arena);
    ste_buf_append(&r.report, "", 1);
    if (r.report.failed && rc == STE_OK)
        rc = ste_error_set(err, STE_E_NOMEM, "no memory for the report");
    if (rc == STE_OK && apply && r.stuck)
        rc = ste_error_set(err, STE_E_MQ_REFUSED,
                           "something in the broker cannot be corrected, see the report");
    if (rc == STE_OK || (apply && r.report.len > 1 && !r.report.failed))
        *ret_report = r.report.at;
    else
        ste_buf_deinit(&r.report);
    return rc;
}

enum ste_code ste_topology_apply(const struct ste_cluster *cluster,
                                 const struct ste_topology_participant *participants,
                                 size_t participant_count, char **ret_report, struct ste_error *err)
{
    return run(cluster, participants, participant_count, true, ret_report, err);
}

enum ste_code ste_topology_check(const struct ste_cluster *cluster,
                                 const struct ste_topology_participant *participants,
                                 size_t participant_count, char **ret_report, struct ste_error *err)
{
    return run(cluster, participants, participant_count, false, ret_report, err);
}
