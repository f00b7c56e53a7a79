/* SPDX-License-Identifier: Apache-2.0
 * One table per section of the cluster map: what is read, what is checked and what docs/CONFIG.md
 * says are the same rows. */
#include "conf/sections.h"

#include <string.h>

#define REQUIRED true
#define OPTIONAL false
#define ROW_TEXT(key, required, default_text, help)                                                \
    {                                                                                              \
        key, STE_VALUE_TEXT, required, 0, 0, default_text, NULL, NULL, help                        \
    }
#define ROW_UINT(key, required, min, max, default_text, unit, help)                                \
    {                                                                                              \
        key, STE_VALUE_UINT, required, min, max, default_text, unit, NULL, help                    \
    }
#define ROW_OF(type, key, required, default_text, help)                                            \
    {                                                                                              \
        key, STE_VALUE_##type, required, 0, 0, default_text, NULL, NULL, help                      \
    }

static const struct ste_rule_row top_rows[] = {
    ROW_OF(MAP, "cluster", REQUIRED, NULL, "what the whole cluster agrees on"),
    ROW_OF(MAP, "broker", REQUIRED, NULL, "the RabbitMQ broker"),
    ROW_OF(MAP, "database", REQUIRED, NULL, "what all shards have in common"),
    ROW_OF(LIST, "shards", REQUIRED, NULL, "one MySQL or MariaDB server each"),
    ROW_OF(LIST, "hosts", REQUIRED, NULL, "the machines that components run on"),
    ROW_OF(MAP, "components", REQUIRED, NULL, "routers and nodes"),
    ROW_OF(MAP, "submit", OPTIONAL, NULL, "what ste-submit uses when no key is named"),
    ROW_OF(LIST, "profiles", REQUIRED, NULL, "how trades are compared and messages are checked"),
    ROW_OF(MAP, "reference", REQUIRED, NULL, "the files of reference data"),
};

static const struct ste_rule_row cluster_rows[] = {
    {"id", STE_VALUE_TEXT, REQUIRED, 0, 32, NULL, NULL, NULL,
     "name of the cluster, kept in every shard: 1-32 letters, digits, `.`, `_`, `-`"},
    ROW_UINT("shard_count", REQUIRED, 1, STE_SHARD_COUNT_MAX, NULL, "shards",
             "fixed when the shards are created"),
    ROW_OF(LIST, "match_key", OPTIONAL, "[TradeReference]",
           "elements whose values place a trade on its shard; fixed like shard_count. Any of "
           "TradeReference, Broker, Manager, TradeDate"),
    ROW_OF(DATE, "business_date", REQUIRED, NULL,
           "the market's day; the clock is never asked for it"),
    ROW_UINT("design_rate", OPTIONAL, 1, 1000000, "10000", "messages/s",
             "the rate that queues are sized for"),
    ROW_UINT("outage_allowance_min", OPTIONAL, 1, 1440, "60", "min",
             "how long one shard may be down at the design rate before intake stops"),
    ROW_UINT("retention", OPTIONAL, 1, 30, "3", "business days",
             "how long a trade is kept after the latest of its trade and settlement dates"),
    ROW_UINT("epoch", OPTIONAL, 1, UINT32_MAX, "1", NULL,
             "version of the map, raised with every change that nodes must not mix"),
};

static const struct ste_rule_row broker_rows[] = {
    ROW_TEXT("host", REQUIRED, NULL, "name or address"),
    ROW_UINT("port", OPTIONAL, 1, 65535, "5672", NULL, "AMQP port"),
    ROW_TEXT("vhost", OPTIONAL, "/", "virtual host"),
    ROW_TEXT("management", REQUIRED, NULL,
             "base URL of the management API, `http://` or `https://`"),
    ROW_UINT("heartbeat_s", OPTIONAL, 1, 60, "5", "s",
             "the broker drops a silent client after two to three of these"),
    ROW_UINT("window", OPTIONAL, 1, 65535, "512", "messages",
             "unconfirmed publishes per connection"),
    ROW_OF(MAP, "users", REQUIRED, NULL, "one broker user a role"),
};

static const struct ste_rule_row broker_users_rows[] = {
    ROW_OF(MAP, "admin", REQUIRED, NULL, "makes exchanges, queues, policies and users"),
    ROW_OF(MAP, "router", REQUIRED, NULL, "reads ste.in and ste.dead, writes ste.work"),
    ROW_OF(MAP, "node", REQUIRED, NULL, "reads the typed queues, writes ste.out"),
    ROW_OF(MAP, "clearing", REQUIRED, NULL, "reads ste.cls"),
    ROW_OF(MAP, "operator", REQUIRED, NULL, "reads ste.exception, sends repairs"),
    ROW_OF(MAP, "submitter", REQUIRED, NULL,
           "writes ste.in, reads its own replies; named as the participant it is"),
};

static const struct ste_rule_row database_rows[] = {
    {"name", STE_VALUE_TEXT, REQUIRED, 0, 64, NULL, NULL, NULL,
     "database on every shard: letters, digits, `_`"},
    ROW_OF(MAP, "users", REQUIRED, NULL, "one database user a role"),
};

static const struct ste_rule_row database_users_rows[] = {
    ROW_OF(MAP, "node", REQUIRED, NULL, "reads and writes rows"),
    ROW_OF(MAP, "migrator", REQUIRED, NULL, "makes tables, opens and purges days"),
    ROW_OF(MAP, "checker", REQUIRED, NULL, "reads only"),
};

static const struct ste_rule_row login_rows[] = {
    {"user", STE_VALUE_TEXT, REQUIRED, 0, 80, NULL, NULL, NULL,
     "unique among the roles, which have different rights"},
    ROW_OF(PATH, "password_file", REQUIRED, NULL,
           "its first line is the password; read when a connection opens"),
};

static const struct ste_rule_row shard_rows[] = {
    ROW_UINT("number", REQUIRED, 0, STE_SHARD_COUNT_MAX - 1, NULL, NULL,
             "each from 0 to cluster.shard_count − 1 once"),
    ROW_TEXT("host", OPTIONAL, NULL, "name or address; needed without socket"),
    ROW_UINT("port", OPTIONAL, 1, 65535, "3306", NULL, "TCP port"),
    ROW_OF(PATH, "socket", OPTIONAL, NULL, "Unix socket, used instead of host and port"),
};

static const struct ste_rule_row host_rows[] = {
    ROW_TEXT("name", REQUIRED, NULL, "unique: letters, digits, `.`, `_`, `-`"),
    ROW_TEXT("address", REQUIRED, NULL, "name or address of the machine"),
};

static const struct ste_rule_row components_rows[] = {
    ROW_OF(LIST, "routers", REQUIRED, NULL, "ste-router processes"),
    ROW_OF(LIST, "nodes", REQUIRED, NULL, "ste-node processes"),
};

#define COMPONENT_ROWS                                                                             \
    ROW_TEXT("name", REQUIRED, NULL, "unique among all components"),                               \
        ROW_TEXT("host", REQUIRED, NULL, "a name of the section hosts"),                           \
        ROW_UINT("health_port", OPTIONAL, 0, 65535, "0", NULL,                                     \
                 "loopback port of /metrics, /livez and /readyz, unique on its host; 0: any free")

static const struct ste_rule_row router_rows[] = {
    COMPONENT_ROWS,
    ROW_UINT("workers", OPTIONAL, 1, 64, "1", "threads", "each with its own connections"),
};

static const struct ste_rule_row node_rows[] = {
    COMPONENT_ROWS,
    ROW_OF(LIST, "assignments", OPTIONAL, NULL, "what the node consumes until the admin assigns"),
};

static const struct ste_rule_row assignment_rows[] = {
    ROW_UINT("shard", REQUIRED, 0, STE_SHARD_COUNT_MAX - 1, NULL, NULL, "a number of shards"),
    ROW_UINT("workers", OPTIONAL, 1, 64, "1", "threads", "each with its own connections"),
    ROW_OF(LIST, "types", OPTIONAL, "[noe, alb, npr, set, exc]",
           "the queues of the shard that are consumed; split them only to measure"),
};

static const struct ste_rule_row submit_rows[] = {
    ROW_TEXT("hub", OPTIONAL, NULL,
             "`PARTICIPANT/KEY` of the participants file: the key that signs for everybody"),
    ROW_OF(PATH, "keys", OPTIONAL, NULL,
           "folder of private keys, `PARTICIPANT/KEY` each; needed by hub"),
};

#define TABLE(rows) rows, sizeof(rows) / sizeof((rows)[0])

const struct ste_rule_table ste_sections[STE_SECTION_COUNT] = {
    [STE_SECTION_TOP] = {"", "The sections of the map.", TABLE(top_rows)},
    [STE_SECTION_CLUSTER] = {"cluster",
                             "`id`, `shard_count` and `match_key` are written into every shard and "
                             "compared at each connect.",
                             TABLE(cluster_rows)},
    [STE_SECTION_BROKER] = {"broker", "", TABLE(broker_rows)},
    [STE_SECTION_BROKER_USERS] = {"broker.users", "Each is a login, see below.",
                                  TABLE(broker_users_rows)},
    [STE_SECTION_DATABASE] = {"database", "", TABLE(database_rows)},
    [STE_SECTION_DATABASE_USERS] = {"database.users", "Each is a login, see below.",
                                    TABLE(database_users_rows)},
    [STE_SECTION_LOGIN] = {"broker.users.ROLE, database.users.ROLE",
                           "Secrets never stand in the map itself.", TABLE(login_rows)},
    [STE_SECTION_SHARD] = {"shards[]", "", TABLE(shard_rows)},
    [STE_SECTION_HOST] = {"hosts[]", "", TABLE(host_rows)},
    [STE_SECTION_COMPONENTS] = {"components", "", TABLE(components_rows)},
    [STE_SECTION_ROUTER] = {"components.routers[]", "", TABLE(router_rows)},
    [STE_SECTION_NODE] = {"components.nodes[]", "", TABLE(node_rows)},
    [STE_SECTION_ASSIGNMENT] = {"components.nodes[].assignments[]",
                                "A queue may have any number of workers on any number of nodes; on "
                                "one node it is assigned once.",
                                TABLE(assignment_rows)},
    [STE_SECTION_SUBMIT] = {"submit", "", TABLE(submit_rows)},
};

const char *const ste_queue_types[STE_QUEUE_TYPE_COUNT] = {"noe", "alb", "npr", "set", "exc"};
const char *const ste_role_keys[STE_ROLE_COUNT] = {
    [STE_ROLE_ADMIN] = "admin",       [STE_ROLE_ROUTER] = "router",
    [STE_ROLE_NODE] = "node",         [STE_ROLE_CLEARING] = "clearing",
    [STE_ROLE_OPERATOR] = "operator", [STE_ROLE_SUBMITTER] = "submitter",
};
const char *const ste_db_role_keys[STE_DB_ROLE_COUNT] = {
    [STE_DB_NODE] = "node",
    [STE_DB_MIGRATOR] = "migrator",
    [STE_DB_CHECKER] = "checker",
};

const struct ste_rule_table *ste_cluster_rules(size_t *ret_count)
{
    *ret_count = STE_SECTION_COUNT;
    return ste_sections;
}

const char *ste_section_text(enum ste_section_id id, const struct ste_yaml *map, const char *key)
{
    return ste_value_text(map, ste_sections[id].rows, ste_sections[id].row_count, key);
}

unsigned ste_section_uint(enum ste_section_id id, const struct ste_yaml *map, const char *key)
{
    /* No row of these tables allows more than 32 bits. */
    return (unsigned)ste_value_uint(map, ste_sections[id].rows, ste_sections[id].row_count, key);
}

unsigned ste_assignment_types(const struct ste_yaml *assignment)
{
    const struct ste_yaml *types = ste_yaml_get(assignment, "types");
    unsigned bits = 0;
    if (!types)
        return STE_ASSIGNMENT_TYPES_ALL;
    for (const struct ste_yaml *type = types->child; type; type = type->next) {
        for (unsigned bit = 0; type->scalar && bit < STE_QUEUE_TYPE_COUNT; bit++) {
            if (strcmp(type->scalar, ste_queue_types[bit]) == 0)
                bits |= 1u << bit;
        }
    }
    return bits;
}
