/* SPDX-License-Identifier: Apache-2.0
 * Each section against its table, then what one table cannot see: values that must differ, and
 * names and numbers that point elsewhere. What follows from a fault already shown is not shown
 * again. */
#include <string.h>

#include "conf/check.h"

static void check_match_key(struct ste_checker *checker, const struct ste_yaml *cluster)
{
    const struct ste_yaml *list = ste_yaml_get(cluster, "match_key");
    if (list && list->kind == STE_NODE_LIST)
        (void)ste_check_choices(checker, list, "cluster.match_key",
                                "TradeReference Broker Manager TradeDate");
}

static void check_cluster(struct ste_checker *checker)
{
    const struct ste_yaml *cluster = ste_yaml_get(checker->root, "cluster");
    if (!ste_check_number(STE_SECTION_CLUSTER, cluster, "shard_count", &checker->shard_count))
        checker->shard_count = 0;
    if (!cluster || cluster->kind != STE_NODE_MAP)
        return;
    ste_check_section(checker, STE_SECTION_CLUSTER, cluster, "cluster");
    ste_check_characters(checker, ste_check_value(cluster, "id"), "cluster.id", "._-");
    check_match_key(checker, cluster);
}

static void check_management(struct ste_checker *checker, const struct ste_yaml *url)
{
    if (url && strncmp(url->scalar, "http://", 7) != 0 && strncmp(url->scalar, "https://", 8) != 0)
        ste_faults_add(checker->faults, url, "broker.management",
                       "%.60s does not start with http:// or https://", url->scalar);
}

/* The logins of one section; roles have different rights, so that no two share a user. */
static void check_users(struct ste_checker *checker, const struct ste_yaml *section,
                        enum ste_section_id id, const char *path, const char *const *roles,
                        size_t role_count)
{
    const struct ste_yaml *users = ste_yaml_get(section, "users"), *names[STE_ROLE_COUNT] = {NULL};
    char full[STE_CHECK_PATH_BYTES];
    if (!users || users->kind != STE_NODE_MAP)
        return;
    ste_check_section(checker, id, users, path);
    for (size_t i = 0; i < role_count; i++) {
        const struct ste_yaml *login = ste_yaml_get(users, roles[i]);
        if (!login || login->kind != STE_NODE_MAP)
            continue;
        snprintf(full, sizeof(full), "%s.%s", path, roles[i]);
        ste_check_section(checker, STE_SECTION_LOGIN, login, full);
        names[i] = ste_check_value(login, "user");
        snprintf(full, sizeof(full), "%s.%s.user", path, roles[i]);
        ste_check_characters(checker, names[i], full, "._-@");
        for (size_t j = 0; names[i] && j < i; j++) {
            if (names[j] && strcmp(names[j]->scalar, names[i]->scalar) == 0)
                ste_faults_add(checker->faults, names[i], full, "%s is the user of %s too",
                               names[i]->scalar, roles[j]);
        }
    }
}

static void check_servers(struct ste_checker *checker)
{
    const struct ste_yaml *broker = ste_yaml_get(checker->root, "broker");
    const struct ste_yaml *database = ste_yaml_get(checker->root, "database");
    if (broker && broker->kind == STE_NODE_MAP) {
        ste_check_section(checker, STE_SECTION_BROKER, broker, "broker");
        check_management(checker, ste_check_value(broker, "management"));
        check_users(checker, broker, STE_SECTION_BROKER_USERS, "broker.users", ste_role_keys,
                    STE_ROLE_COUNT);
    }
    if (database && database->kind == STE_NODE_MAP) {
        ste_check_section(checker, STE_SECTION_DATABASE, database, "database");
        ste_check_characters(checker, ste_check_value(database, "name"), "database.name", "_");
        check_users(checker, database, STE_SECTION_DATABASE_USERS, "database.users",
                    ste_db_role_keys, STE_DB_ROLE_COUNT);
    }
}

/* Two shards on one server would be one shard with two numbers. */
static void check_shard_server(struct ste_checker *checker, const struct ste_yaml *list,
                               const struct ste_yaml *shard, const char *path)
{
    char full[STE_CHECK_PATH_BYTES];
    unsigned port = 0, other_port = 0, index = 0;
    const struct ste_yaml *host = ste_check_value(shard, "host"),
                          *socket = ste_check_value(shard, "socket");
    if (!ste_yaml_get(shard, "host") && !ste_yaml_get(shard, "socket")) {
        snprintf(full, sizeof(full), "%s.host", path);
        ste_faults_add(checker->faults, shard, full, "is missing, and so is socket");
        return;
    }
    bool has_port = ste_check_number(STE_SECTION_SHARD, shard, "port", &port);
    for (const struct ste_yaml *other = list->child; other != shard; other = other->next, index++) {
        if (socket && ste_check_same(shard, other, "socket")) {
            snprintf(full, sizeof(full), "%s.socket", path);
            ste_faults_add(checker->faults, socket, full, "%.60s is that of shards[%u] too",
                           socket->scalar, index);
        }
        if (!socket && host && has_port && ste_check_same(shard, other, "host") &&
            !ste_yaml_get(other, "socket") &&
            ste_check_number(STE_SECTION_SHARD, other, "port", &other_port) && port == other_port) {
            const struct ste_yaml *place = ste_check_value(shard, "port");
            snprintf(full, sizeof(full), "%s.port", path);
            ste_faults_add(checker->faults, place ? place : shard, full,
                           "%.60s:%u is that of shards[%u] too", host->scalar, port, index);
        }
    }
}

/* False: faulty, so that nothing can be said about which numbers are missing. */
static bool check_shard_number(struct ste_checker *checker, const struct ste_yaml *shard,
                               const char *path, unsigned *seen)
{
    unsigned number = 0;
    char full[STE_CHECK_PATH_BYTES];
    const struct ste_yaml *place = ste_check_value(shard, "number");
    if (!place || !ste_check_number(STE_SECTION_SHARD, shard, "number", &number))
        return false;
    snprintf(full, sizeof(full), "%s.number", path);
    if (checker->shard_count && number >= checker->shard_count) {
        ste_faults_add(checker->faults, place, full, "%u is not below cluster.shard_count, %u",
                       number, checker->shard_count);
        return false;
    }
    if (*seen & (1u << number)) {
        ste_faults_add(checker->faults, place, full, "%u stands twice", number);
        return false;
    }
    *seen |= 1u << number;
    return true;
}

static void check_shards(struct ste_checker *checker)
{
    const struct ste_yaml *list =
        ste_check_list(checker, checker->root, "shards", "shards", STE_SHARD_COUNT_MAX);
    char path[48];
    unsigned index = 0, seen = 0;
    bool numbers_good = true;
    if (!list)
        return;
    for (const struct ste_yaml *shard = list->child; shard; shard = shard->next, index++) {
        snprintf(path, sizeof(path), "shards[%u]", index);
        ste_check_section(checker, STE_SECTION_SHARD, shard, path);
        if (shard->kind != STE_NODE_MAP) {
            numbers_good = false;
            continue;
        }
        numbers_good &= check_shard_number(checker, shard, path, &seen);
        check_shard_server(checker, list, shard, path);
    }
    for (unsigned number = 0; numbers_good && number < checker->shard_count; number++) {
        if (!(seen & (1u << number)))
            ste_faults_add(checker->faults, list, "shards",
                           "shard %u is missing: cluster.shard_count is %u", number,
                           checker->shard_count);
    }
}

static void check_hosts(struct ste_checker *checker)
{
    const struct ste_yaml *list =
        ste_check_list(checker, checker->root, "hosts", "hosts", STE_HOST_COUNT_MAX);
    char path[48];
    unsigned index = 0;
    if (!list)
        return;
    for (const struct ste_yaml *host = list->child; host; host = host->next, index++) {
        const struct ste_yaml *name = ste_check_value(host, "name");
        snprintf(path, sizeof(path), "hosts[%u]", index);
        ste_check_section(checker, STE_SECTION_HOST, host, path);
        snprintf(path, sizeof(path), "hosts[%u].name", index);
        ste_check_characters(checker, name, path, "._-");
        for (const struct ste_yaml *other = list->child; other != host; other = other->next) {
            if (ste_check_same(host, other, "name"))
                ste_faults_add(checker->faults, name, path, "%s stands twice", name->scalar);
        }
    }
}

static void check_submit(struct ste_checker *checker)
{
    const struct ste_yaml *submit = ste_yaml_get(checker->root, "submit");
    const struct ste_yaml *hub = ste_check_value(submit, "hub");
    if (!submit || submit->kind != STE_NODE_MAP)
        return;
    ste_check_section(checker, STE_SECTION_SUBMIT, submit, "submit");
    if (!hub)
        return;
    const char *slash = strchr(hub->scalar, '/');
    if (!slash || slash == hub->scalar || slash[1] == '\0' || strchr(slash + 1, '/'))
        ste_faults_add(checker->faults, hub, "submit.hub", "%.60s is not PARTICIPANT/KEY",
                       hub->scalar);
    if (!ste_yaml_get(submit, "keys"))
        ste_faults_add(checker->faults, submit, "submit.keys", "is missing: hub needs it");
}

void ste_cluster_check(const struct ste_yaml *root, struct ste_faults *faults)
{
    struct ste_checker checker = {.root = root, .faults = faults};
    ste_check_section(&checker, STE_SECTION_TOP, root, "");
    if (root->kind != STE_NODE_MAP)
        return;
    check_cluster(&checker);
    check_servers(&checker);
    check_shards(&checker);
    check_hosts(&checker);
    ste_check_components(&checker);
    check_submit(&checker);
}
