/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/qos_plan.h"

#include <string.h>

enum { BASE_BYTES = 4096, BASE_COUNT = 1 };
const char *const ste_qos_kind_names[STE_QOS_KINDS] = {"durable", "volatile"};

/* The next word of a list, without its comma. False: there is none. */
static bool next_word(const char **at, struct ste_bytes *ret)
{
    if (!*at)
        return false;
    const char *comma = strchr(*at, ',');
    *ret = comma ? (struct ste_bytes){*at, (size_t)(comma - *at)} : ste_bytes_of(*at);
    *at = comma ? comma + 1 : NULL;
    return true;
}

static bool holds(const struct ste_qos_list *list, uint64_t value)
{
    for (size_t i = 0; i < list->count; i++) {
        if (list->values[i] == value)
            return true;
    }
    return false;
}

static enum ste_code add(struct ste_qos_list *list, uint64_t value, struct ste_error *err)
{
    if (holds(list, value))
        return STE_OK;
    if (list->count == STE_QOS_LIST_MAX)
        return ste_error_set(err, STE_E_ARGUMENT, "more than %d values", STE_QOS_LIST_MAX);
    list->values[list->count++] = value;
    return STE_OK;
}

enum ste_code ste_qos_list_parse(const char *text, uint64_t min, uint64_t max, bool full_allowed,
                                 struct ste_qos_list *ret, struct ste_error *err)
{
    struct ste_qos_list list = {0};
    struct ste_bytes word;
    while (next_word(&text, &word)) {
        uint64_t value = STE_QOS_FULL;
        bool full = full_allowed && ste_bytes_equal(word, STE_BYTES("full"));
        if (!full && (!ste_bytes_u64(word, &value) || value < min || value > max))
            return ste_error_set(err, STE_E_ARGUMENT, "%.*s is no number from %llu to %llu%s",
                                 (int)word.len, word.at, (unsigned long long)min,
                                 (unsigned long long)max, full_allowed ? ", nor full" : "");
        enum ste_code rc = add(&list, value, err);
        if (rc != STE_OK)
            return rc;
    }
    *ret = list;
    return STE_OK;
}

enum ste_code ste_qos_kinds_parse(const char *text, struct ste_qos_list *ret, struct ste_error *err)
{
    struct ste_qos_list list = {0};
    struct ste_bytes word;
    while (next_word(&text, &word)) {
        uint64_t kind = 0;
        while (kind < STE_QOS_KINDS &&
               !ste_bytes_equal(word, ste_bytes_of(ste_qos_kind_names[kind])))
            kind++;
        if (kind == STE_QOS_KINDS)
            return ste_error_set(err, STE_E_ARGUMENT, "%.*s is neither durable nor volatile",
                                 (int)word.len, word.at);
        enum ste_code rc = add(&list, kind, err);
        if (rc != STE_OK)
            return rc;
    }
    *ret = list;
    return STE_OK;
}

static bool same(const struct ste_qos_point *a, const struct ste_qos_point *b)
{
    return a->kind == b->kind && a->bytes == b->bytes && a->demand == b->demand &&
           a->senders == b->senders && a->receivers == b->receivers && a->keys == b->keys;
}

static enum ste_code add_point(const struct ste_qos_sweep *sweep, struct ste_qos_plan *plan,
                               struct ste_qos_point point, struct ste_error *err)
{
    for (size_t kind = 0; kind < sweep->kinds.count; kind++) {
        point.kind = (enum ste_qos_kind)sweep->kinds.values[kind];
        bool known = false;
        for (size_t i = 0; i < plan->count && !known; i++)
            known = same(&plan->points[i], &point);
        if (known)
            continue;
        if (plan->count == STE_QOS_POINTS_MAX)
            return ste_error_set(err, STE_E_LIMIT, "more than %d points", STE_QOS_POINTS_MAX);
        plan->points[plan->count++] = point;
    }
    return STE_OK;
}

enum { DIMENSIONS = 5 };

/* The lists in the order in which they are varied, and their places in a point. */
static void dimensions(const struct ste_qos_sweep *sweep, struct ste_qos_point *point,
                       const struct ste_qos_list *lists[DIMENSIONS], uint64_t *places[DIMENSIONS])
{
    lists[0] = &sweep->bytes, places[0] = &point->bytes;
    lists[1] = &sweep->demands, places[1] = &point->demand;
    lists[2] = &sweep->senders, places[2] = &point->senders;
    lists[3] = &sweep->receivers, places[3] = &point->receivers;
    lists[4] = &sweep->keys, places[4] = &point->keys;
}

/* Counts through all values of all lists as the digits of one number. */
static enum ste_code build_all(const struct ste_qos_sweep *sweep, struct ste_qos_plan *plan,
                               struct ste_error *err)
{
    struct ste_qos_point point = {0};
    const struct ste_qos_list *lists[DIMENSIONS];
    uint64_t *places[DIMENSIONS];
    dimensions(sweep, &point, lists, places);
    size_t total = 1;
    for (size_t d = 0; d < DIMENSIONS; d++)
        total *= lists[d]->count;
    for (size_t number = 0; number < total; number++) {
        size_t rest = number;
        for (size_t d = DIMENSIONS; d-- > 0; rest /= lists[d]->count)
            *places[d] = lists[d]->values[rest % lists[d]->count];
        enum ste_code rc = add_point(sweep, plan, point, err);
        if (rc != STE_OK)
            return rc;
    }
    return STE_OK;
}

static enum ste_code build_round_base(const struct ste_qos_sweep *sweep, struct ste_qos_plan *plan,
                                      struct ste_error *err)
{
    static const uint64_t post[DIMENSIONS] = {BASE_BYTES, STE_QOS_FULL, BASE_COUNT, BASE_COUNT,
                                              BASE_COUNT};
    struct ste_qos_point point = {0};
    const struct ste_qos_list *lists[DIMENSIONS];
    uint64_t *places[DIMENSIONS];
    dimensions(sweep, &point, lists, places);
    for (size_t d = 0; d < DIMENSIONS; d++)
        *places[d] = holds(lists[d], post[d]) ? post[d] : lists[d]->values[0];
    for (size_t d = 0; d < DIMENSIONS; d++) {
        uint64_t base = *places[d];
        for (size_t i = 0; i < lists[d]->count; i++) {
            *places[d] = lists[d]->values[i];
            enum ste_code rc = add_point(sweep, plan, point, err);
            if (rc != STE_OK)
                return rc;
        }
        *places[d] = base;
    }
    return STE_OK;
}

enum ste_code ste_qos_plan_build(const struct ste_qos_sweep *sweep, bool full_factorial,
                                 struct ste_qos_plan *ret, struct ste_error *err)
{
    ret->count = 0;
    return full_factorial ? build_all(sweep, ret, err) : build_round_base(sweep, ret, err);
}

bool ste_qos_subscribes(const struct ste_qos_point *point, uint64_t receiver, uint64_t key)
{
    uint64_t groups = point->keys < point->receivers ? point->keys : point->receivers;
    return receiver % groups == key % groups;
}

uint64_t ste_qos_fan_out(const struct ste_qos_point *point, uint64_t key)
{
    uint64_t count = 0;
    for (uint64_t receiver = 0; receiver < point->receivers; receiver++)
        count += ste_qos_subscribes(point, receiver, key);
    return count;
}
