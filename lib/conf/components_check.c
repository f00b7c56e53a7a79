/* SPDX-License-Identifier: Apache-2.0
 * Routers and nodes: their names, hosts and ports, and what each node is assigned. */
#include <string.h>

#include "conf/check.h"

/* A router or node, with its place in the document. */
struct component {
    const struct ste_yaml *map;
    char path[48];
};

/* False: what is assigned cannot be told. */
static bool check_types(struct ste_checker *checker, const struct ste_yaml *assignment,
                        const char *path)
{
    const struct ste_yaml *list = ste_yaml_get(assignment, "types");
    char full[STE_CHECK_PATH_BYTES];
    if (!list)
        return true;
    snprintf(full, sizeof(full), "%s.types", path);
    return list->kind == STE_NODE_LIST &&
           ste_check_choices(checker, list, full, "noe alb npr set exc");
}

/* On one node a queue is assigned once: more workers, not more assignments. */
static void check_assignments(struct ste_checker *checker, const struct component *node)
{
    char path[96], full[STE_CHECK_PATH_BYTES];
    unsigned index = 0, taken[STE_SHARD_COUNT_MAX] = {0};
    snprintf(path, sizeof(path), "%s.assignments", node->path);
    const struct ste_yaml *list = ste_check_list(checker, node->map, "assignments", path,
                                                 STE_SHARD_COUNT_MAX * STE_QUEUE_TYPE_COUNT);
    for (const struct ste_yaml *one = list ? list->child : NULL; one; one = one->next, index++) {
        unsigned shard = 0;
        snprintf(path, sizeof(path), "%s.assignments[%u]", node->path, index);
        ste_check_section(checker, STE_SECTION_ASSIGNMENT, one, path);
        bool types_good = check_types(checker, one, path);
        if (!ste_check_value(one, "shard") ||
            !ste_check_number(STE_SECTION_ASSIGNMENT, one, "shard", &shard))
            continue;
        snprintf(full, sizeof(full), "%s.shard", path);
        if (checker->shard_count && shard >= checker->shard_count) {
            ste_faults_add(checker->faults, ste_check_value(one, "shard"), full,
                           "there is no shard %u: cluster.shard_count is %u", shard,
                           checker->shard_count);
            continue;
        }
        unsigned types = types_good ? ste_assignment_types(one) : 0;
        if (taken[shard] & types)
            ste_faults_add(checker->faults, ste_check_value(one, "shard"), full,
                           "shard %u is assigned with these types already", shard);
        taken[shard] |= types;
    }
}

/* The machine's address, so that two names of one machine count as one; NULL when there is no such
 * host. */
static const char *address_of(const struct ste_checker *checker, const struct ste_yaml *host)
{
    const struct ste_yaml *hosts = ste_yaml_get(checker->root, "hosts");
    if (!host || !hosts)
        return NULL;
    for (const struct ste_yaml *one = hosts->child; one; one = one->next) {
        const struct ste_yaml *name = ste_check_value(one, "name");
        const struct ste_yaml *address = ste_check_value(one, "address");
        if (name && strcmp(name->scalar, host->scalar) == 0)
            return address ? address->scalar : name->scalar;
    }
    return NULL;
}

static void check_host(struct ste_checker *checker, const struct component *component)
{
    const struct ste_yaml *host = ste_check_value(component->map, "host");
    const struct ste_yaml *hosts = ste_yaml_get(checker->root, "hosts");
    char path[96];
    if (!host || !hosts || hosts->kind != STE_NODE_LIST || address_of(checker, host))
        return;
    snprintf(path, sizeof(path), "%s.host", component->path);
    ste_faults_add(checker->faults, host, path, "%s is not in hosts", host->scalar);
}

static void check_against(struct ste_checker *checker, const struct component *one,
                          const struct component *before)
{
    char path[96];
    unsigned port = 0, port_before = 0;
    if (ste_check_same(one->map, before->map, "name")) {
        const struct ste_yaml *name = ste_check_value(one->map, "name");
        snprintf(path, sizeof(path), "%s.name", one->path);
        ste_faults_add(checker->faults, name, path, "%s is the name of %s too", name->scalar,
                       before->path);
    }
    const struct ste_yaml *place = ste_check_value(one->map, "health_port");
    const char *address = address_of(checker, ste_check_value(one->map, "host"));
    const char *address_before = address_of(checker, ste_check_value(before->map, "host"));
    if (!place || !address || !address_before || strcmp(address, address_before) != 0)
        return;
    if (ste_check_number(STE_SECTION_NODE, one->map, "health_port", &port) &&
        ste_check_number(STE_SECTION_NODE, before->map, "health_port", &port_before) && port &&
        port == port_before) {
        snprintf(path, sizeof(path), "%s.health_port", one->path);
        ste_faults_add(checker->faults, place, path, "%u is that of %s too, on the same host", port,
                       before->path);
    }
}

static size_t gather(struct ste_checker *checker, const struct ste_yaml *components,
                     const char *key, enum ste_section_id id, struct component *out)
{
    char path[48];
    size_t count = 0;
    unsigned index = 0;
    snprintf(path, sizeof(path), "components.%s", key);
    const struct ste_yaml *list =
        ste_check_list(checker, components, key, path, STE_COMPONENT_COUNT_MAX);
    for (const struct ste_yaml *map = list ? list->child : NULL; map; map = map->next, index++) {
        struct component *component = &out[count];
        component->map = map;
        snprintf(component->path, sizeof(component->path), "components.%s[%u]", key, index);
        ste_check_section(checker, id, map, component->path);
        count += map->kind == STE_NODE_MAP;
    }
    return count;
}

void ste_check_components(struct ste_checker *checker)
{
    const struct ste_yaml *components = ste_yaml_get(checker->root, "components");
    struct component all[2 * STE_COMPONENT_COUNT_MAX + 1]; /* 64 kB: gather fills one ahead */
    char path[96];
    if (!components || components->kind != STE_NODE_MAP)
        return;
    ste_check_section(checker, STE_SECTION_COMPONENTS, components, "components");
    size_t routers = gather(checker, components, "routers", STE_SECTION_ROUTER, all);
    size_t count = routers + gather(checker, components, "nodes", STE_SECTION_NODE, all + routers);
    for (size_t i = 0; i < count; i++) {
        snprintf(path, sizeof(path), "%s.name", all[i].path);
        ste_check_characters(checker, ste_check_value(all[i].map, "name"), path, "._-");
        check_host(checker, &all[i]);
        for (size_t j = 0; j < i; j++)
            check_against(checker, &all[i], &all[j]);
        if (i >= routers)
            check_assignments(checker, &all[i]);
    }
}
