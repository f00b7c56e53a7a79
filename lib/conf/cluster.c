/* SPDX-License-Identifier: Apache-2.0
 * From the checked tree to the structure that programs use. Texts are borrowed from the tree;
 * paths, made absolute, and arrays live in the arena. */
#include "conf/cluster.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "conf/sections.h"

struct owned {
    struct ste_cluster cluster; /* first: what is handed out is this */
    struct ste_tree *tree;
    struct ste_arena *arena;
    const char *warnings;
};

static const struct owned *owned_of(const struct ste_cluster *cluster)
{
    return (const struct owned *)cluster;
}

/* Everything built here may run out of memory; one flag is looked at in the end. */
struct build {
    struct owned *owned;
    bool failed;
};

static void *take_array(struct build *build, size_t item_bytes, size_t count)
{
    void *at = ste_arena_alloc_array(build->owned->arena, item_bytes, count);
    build->failed |= !at;
    return at;
}

static const char *take_path(struct build *build, const char *text)
{
    if (!text)
        return NULL;
    char *heap = ste_path_beside(build->owned->cluster.file, text);
    struct ste_bytes copy = {NULL, 0};
    if (heap)
        copy = ste_arena_dup(build->owned->arena, ste_bytes_of(heap));
    free(heap);
    build->failed |= !copy.at;
    return copy.at;
}

static void build_logins(struct build *build, const struct ste_yaml *users,
                         const char *const *roles, size_t role_count, struct ste_login *logins)
{
    for (size_t i = 0; i < role_count; i++) {
        const struct ste_yaml *login = ste_yaml_get(users, roles[i]);
        logins[i].user = ste_section_text(STE_SECTION_LOGIN, login, "user");
        logins[i].password_file =
            take_path(build, ste_section_text(STE_SECTION_LOGIN, login, "password_file"));
    }
}

static void build_cluster(struct ste_cluster *cluster, const struct ste_yaml *section)
{
    const struct ste_yaml *keys = ste_yaml_get(section, "match_key");
    const char *date = ste_section_text(STE_SECTION_CLUSTER, section, "business_date");
    cluster->id = ste_section_text(STE_SECTION_CLUSTER, section, "id");
    cluster->shard_count = ste_section_uint(STE_SECTION_CLUSTER, section, "shard_count");
    cluster->design_rate = ste_section_uint(STE_SECTION_CLUSTER, section, "design_rate");
    cluster->outage_allowance_min =
        ste_section_uint(STE_SECTION_CLUSTER, section, "outage_allowance_min");
    cluster->retention = ste_section_uint(STE_SECTION_CLUSTER, section, "retention");
    cluster->map_epoch = ste_section_uint(STE_SECTION_CLUSTER, section, "epoch");
    cluster->match_key[0] = "TradeReference";
    cluster->match_key_count = keys ? 0 : 1;
    for (const struct ste_yaml *key = keys ? keys->child : NULL; key; key = key->next)
        cluster->match_key[cluster->match_key_count++] = key->scalar;
    if (!ste_date_parse(ste_bytes_of(date), &cluster->business_date))
        cluster->business_date = STE_DATE_NONE; /* not after the checks */
}

static void build_servers(struct build *build, const struct ste_yaml *root)
{
    struct ste_cluster *cluster = &build->owned->cluster;
    const struct ste_yaml *broker = ste_yaml_get(root, "broker");
    const struct ste_yaml *database = ste_yaml_get(root, "database");
    cluster->broker.host = ste_section_text(STE_SECTION_BROKER, broker, "host");
    cluster->broker.vhost = ste_section_text(STE_SECTION_BROKER, broker, "vhost");
    cluster->broker.management = ste_section_text(STE_SECTION_BROKER, broker, "management");
    cluster->broker.port = ste_section_uint(STE_SECTION_BROKER, broker, "port");
    cluster->broker.heartbeat_s = ste_section_uint(STE_SECTION_BROKER, broker, "heartbeat_s");
    cluster->broker.window = ste_section_uint(STE_SECTION_BROKER, broker, "window");
    build_logins(build, ste_yaml_get(broker, "users"), ste_role_keys, STE_ROLE_COUNT,
                 cluster->broker.users);
    cluster->database.name = ste_section_text(STE_SECTION_DATABASE, database, "name");
    build_logins(build, ste_yaml_get(database, "users"), ste_db_role_keys, STE_DB_ROLE_COUNT,
                 cluster->database.users);
}

static void build_shards(struct build *build, const struct ste_yaml *list)
{
    for (const struct ste_yaml *shard = list->child; shard; shard = shard->next) {
        unsigned number = ste_section_uint(STE_SECTION_SHARD, shard, "number");
        build->owned->cluster.shards[number] = (struct ste_shard_conf){
            .number = number,
            .host = ste_section_text(STE_SECTION_SHARD, shard, "host"),
            .port = ste_section_uint(STE_SECTION_SHARD, shard, "port"),
            .socket = take_path(build, ste_section_text(STE_SECTION_SHARD, shard, "socket")),
        };
    }
}

static void build_routers(struct build *build, const struct ste_yaml *list)
{
    struct ste_cluster *cluster = &build->owned->cluster;
    struct ste_router_conf *routers =
        take_array(build, sizeof(struct ste_router_conf), list->child_count);
    if (!routers)
        return;
    for (const struct ste_yaml *one = list->child; one; one = one->next) {
        routers[cluster->router_count++] = (struct ste_router_conf){
            .name = ste_section_text(STE_SECTION_ROUTER, one, "name"),
            .host = ste_section_text(STE_SECTION_ROUTER, one, "host"),
            .workers = ste_section_uint(STE_SECTION_ROUTER, one, "workers"),
            .health_port = ste_section_uint(STE_SECTION_ROUTER, one, "health_port"),
        };
    }
    cluster->routers = routers;
}

static const struct ste_assignment *build_assignments(struct build *build,
                                                      const struct ste_yaml *list)
{
    struct ste_assignment *assignments =
        take_array(build, sizeof(struct ste_assignment), list->child_count);
    size_t count = 0;
    if (!assignments)
        return NULL;
    for (const struct ste_yaml *one = list->child; one; one = one->next) {
        assignments[count++] = (struct ste_assignment){
            .shard = ste_section_uint(STE_SECTION_ASSIGNMENT, one, "shard"),
            .workers = ste_section_uint(STE_SECTION_ASSIGNMENT, one, "workers"),
            .types = ste_assignment_types(one),
        };
    }
    return assignments;
}

static void build_nodes(struct build *build, const struct ste_yaml *list)
{
    struct ste_cluster *cluster = &build->owned->cluster;
    struct ste_node_conf *nodes =
        take_array(build, sizeof(struct ste_node_conf), list->child_count);
    if (!nodes)
        return;
    for (const struct ste_yaml *one = list->child; one; one = one->next) {
        const struct ste_yaml *assignments = ste_yaml_get(one, "assignments");
        nodes[cluster->node_count++] = (struct ste_node_conf){
            .name = ste_section_text(STE_SECTION_NODE, one, "name"),
            .host = ste_section_text(STE_SECTION_NODE, one, "host"),
            .health_port = ste_section_uint(STE_SECTION_NODE, one, "health_port"),
            .assignments = assignments ? build_assignments(build, assignments) : NULL,
            .assignment_count = assignments ? assignments->child_count : 0,
        };
    }
    cluster->nodes = nodes;
}

static void build_warnings(struct build *build)
{
    const struct ste_cluster *cluster = &build->owned->cluster;
    unsigned consumed[STE_SHARD_COUNT_MAX] = {0};
    struct ste_buf text = {0};
    for (size_t i = 0; i < cluster->node_count; i++) {
        const struct ste_node_conf *node = &cluster->nodes[i];
        for (size_t j = 0; node->assignments && j < node->assignment_count; j++)
            consumed[node->assignments[j].shard] |= node->assignments[j].types;
    }
    if (cluster->router_count == 0)
        ste_buf_printf(&text, "no router is configured\n");
    for (unsigned shard = 0; shard < cluster->shard_count; shard++) {
        for (unsigned bit = 0; bit < STE_QUEUE_TYPE_COUNT; bit++) {
            if (!(consumed[shard] & (1u << bit)))
                ste_buf_printf(&text, "no node consumes queue ste.%s.%02u\n", ste_queue_types[bit],
                               shard);
        }
    }
    struct ste_bytes copy = ste_arena_dup(build->owned->arena, ste_buf_bytes(&text));
    build->failed |= text.failed || !copy.at;
    build->owned->warnings = copy.at;
    ste_buf_deinit(&text);
}

static void build_all(struct build *build, const struct ste_yaml *root)
{
    struct ste_cluster *cluster = &build->owned->cluster;
    const struct ste_yaml *components = ste_yaml_get(root, "components");
    const struct ste_yaml *submit = ste_yaml_get(root, "submit");
    build_cluster(cluster, ste_yaml_get(root, "cluster"));
    build_servers(build, root);
    build_shards(build, ste_yaml_get(root, "shards"));
    build_routers(build, ste_yaml_get(components, "routers"));
    build_nodes(build, ste_yaml_get(components, "nodes"));
    cluster->submit_hub = ste_section_text(STE_SECTION_SUBMIT, submit, "hub");
    cluster->submit_keys_dir =
        take_path(build, ste_section_text(STE_SECTION_SUBMIT, submit, "keys"));
    if (!build->failed)
        build_warnings(build);
}

/* Folder and file of the map, absolute both. */
static void build_place(struct build *build, const char *path)
{
    struct ste_cluster *cluster = &build->owned->cluster;
    char *heap = ste_path_beside("", path);
    struct ste_bytes file = {NULL, 0}, folder = {NULL, 0};
    if (heap) {
        file = ste_arena_dup(build->owned->arena, ste_bytes_of(heap));
        size_t len = (size_t)(strrchr(heap, '/') - heap); /* an absolute path has one */
        folder = ste_arena_dup(build->owned->arena, (struct ste_bytes){heap, len ? len : 1});
    }
    free(heap);
    build->failed |= !file.at || !folder.at;
    cluster->file = file.at;
    cluster->folder = folder.at;
}

enum ste_code ste_cluster_draft(const char *path, struct ste_faults *faults,
                                struct ste_cluster **ret, struct ste_error *err)
{
    struct owned *owned = calloc(1, sizeof(*owned));
    struct build build = {.owned = owned};
    if (!owned)
        return ste_error_set(err, STE_E_NOMEM, "out of memory reading %s", path);
    owned->warnings = "";
    owned->cluster.business_date = STE_DATE_NONE;
    enum ste_code rc = ste_tree_load(path, faults, &owned->tree, err);
    if (rc != STE_OK)
        goto out;
    owned->arena = ste_arena_new(0);
    if (owned->arena)
        build_place(&build, path);
    if (!owned->arena || build.failed) {
        rc = ste_error_set(err, STE_E_NOMEM, "out of memory reading %s", path);
        goto out;
    }
    *ret = &owned->cluster;
    owned = NULL;
out:
    ste_cluster_free(owned ? &owned->cluster : NULL);
    return rc;
}

enum ste_code ste_cluster_load(const char *path, struct ste_faults *faults,
                               struct ste_cluster **ret, struct ste_error *err)
{
    struct ste_cluster *cluster = NULL;
    size_t before = faults->count;
    bool nomem_before = faults->nomem;
    enum ste_code rc = ste_cluster_draft(path, faults, &cluster, err);
    if (rc != STE_OK)
        goto out;
    struct build build = {.owned = (struct owned *)cluster};
    const struct ste_yaml *root = ste_tree_root(build.owned->tree);
    ste_cluster_check(root, faults);
    if (faults->count != before || faults->nomem != nomem_before) {
        rc = ste_error_set(err, STE_E_CONFIG, "%s has %zu faults", path, faults->count - before);
        goto out;
    }
    build_all(&build, root);
    if (build.failed) {
        rc = ste_error_set(err, STE_E_NOMEM, "out of memory reading %s", path);
        goto out;
    }
    *ret = cluster;
    cluster = NULL;
out:
    ste_cluster_free(cluster);
    return rc;
}

void ste_cluster_free(struct ste_cluster *cluster)
{
    struct owned *owned = (struct owned *)cluster;
    if (!owned)
        return;
    ste_arena_free(owned->arena);
    ste_tree_free(owned->tree);
    free(owned);
}

const struct ste_yaml *ste_cluster_tree(const struct ste_cluster *cluster)
{
    return ste_tree_root(owned_of(cluster)->tree);
}

const char *ste_cluster_warnings(const struct ste_cluster *cluster)
{
    return owned_of(cluster)->warnings;
}

const struct ste_router_conf *ste_cluster_router(const struct ste_cluster *cluster,
                                                 const char *name)
{
    for (size_t i = 0; i < cluster->router_count; i++) {
        if (strcmp(cluster->routers[i].name, name) == 0)
            return &cluster->routers[i];
    }
    return NULL;
}

const struct ste_node_conf *ste_cluster_node(const struct ste_cluster *cluster, const char *name)
{
    for (size_t i = 0; i < cluster->node_count; i++) {
        if (strcmp(cluster->nodes[i].name, name) == 0)
            return &cluster->nodes[i];
    }
    return NULL;
}
