/* SPDX-License-Identifier: Apache-2.0
 * The cluster map as a checked, read-only structure. The file's sections `profiles` and `reference`
 * are read by lib/ref from the same tree (ste_cluster_tree). docs/cluster.example.yaml shows a
 * whole map; docs/CONFIG.md is printed from the tables that check it. */
#ifndef STE_CONF_CLUSTER_H
#define STE_CONF_CLUSTER_H

#include "base/date.h"
#include "base/error.h"
#include "conf/tree.h"

enum {
    STE_SHARD_COUNT_MAX = 16,
    STE_MATCH_KEY_FIELDS_MAX = 4,
    STE_QUEUE_TYPE_COUNT = 5,
    STE_ASSIGNMENT_TYPES_ALL = (1 << STE_QUEUE_TYPE_COUNT) - 1, /* a bit each */
};
/* Types of queues a shard has, in the order of their numbers and bits: noe alb npr set exc. */
extern const char *const ste_queue_types[STE_QUEUE_TYPE_COUNT];

enum ste_role {
    STE_ROLE_ADMIN,
    STE_ROLE_ROUTER,
    STE_ROLE_NODE,
    STE_ROLE_CLEARING,
    STE_ROLE_OPERATOR,
    STE_ROLE_SUBMITTER,
    STE_ROLE_COUNT
};
enum ste_db_role { STE_DB_NODE, STE_DB_MIGRATOR, STE_DB_CHECKER, STE_DB_ROLE_COUNT };

struct ste_login {
    const char *user;
    const char *password_file; /* absolute; read when a connection opens, never kept or logged */
};

struct ste_shard_conf {
    unsigned number;
    const char *host;
    unsigned port;
    const char *socket; /* NULL: TCP */
};

struct ste_assignment {
    unsigned shard;
    unsigned workers;
    unsigned types; /* bits as in STE_ASSIGNMENT_TYPES_ALL */
};

struct ste_router_conf {
    const char *name, *host;
    unsigned workers;
    unsigned health_port; /* 0: any free port */
};

struct ste_node_conf {
    const char *name, *host;
    unsigned health_port;
    const struct ste_assignment *assignments;
    size_t assignment_count;
};

struct ste_cluster {
    const char *id;
    unsigned shard_count;                            /* 1..STE_SHARD_COUNT_MAX, fixed at creation */
    const char *match_key[STE_MATCH_KEY_FIELDS_MAX]; /* element names */
    size_t match_key_count;
    ste_date business_date;
    unsigned design_rate;          /* messages per second */
    unsigned outage_allowance_min; /* minutes */
    unsigned retention;            /* business days */
    unsigned map_epoch;            /* cluster.epoch, default 1 */
    struct {
        const char *host, *vhost, *management; /* management: base URL */
        unsigned port, heartbeat_s, window;
        struct ste_login users[STE_ROLE_COUNT];
    } broker;
    struct {
        const char *name;
        struct ste_login users[STE_DB_ROLE_COUNT];
    } database;
    struct ste_shard_conf shards[STE_SHARD_COUNT_MAX]; /* index = number */
    const struct ste_router_conf *routers;
    size_t router_count;
    const struct ste_node_conf *nodes;
    size_t node_count;
    const char *submit_hub;      /* "STEHSGSG/hub" or NULL */
    const char *submit_keys_dir; /* absolute or NULL */
    const char *file, *folder;   /* of the map itself */
};

/* Reads and checks `path`. Every fault found is added to `faults` (see conf/tree.h); on any fault
 * STE_E_CONFIG is returned and nothing is kept. The result is the caller's, ste_cluster_free(). */
STE_MUST_CHECK enum ste_code ste_cluster_load(const char *path, struct ste_faults *faults,
                                              struct ste_cluster **ret, struct ste_error *err);
void ste_cluster_free(struct ste_cluster *cluster);
/* For a check that shows the faults of all libraries at once: a cluster of which only file, folder
 * and tree are set, however faulty its sections are; adds the faults of the tree itself only.
 * Nothing may run from it. The result is the caller's, ste_cluster_free(). */
STE_MUST_CHECK enum ste_code ste_cluster_draft(const char *path, struct ste_faults *faults,
                                               struct ste_cluster **ret, struct ste_error *err);
/* What is allowed and still worth a word at start (a shard that no node consumes), one per line; ""
 * for none. */
const char *ste_cluster_warnings(const struct ste_cluster *cluster);
/* The tables behind docs/CONFIG.md. */
const struct ste_rule_table *ste_cluster_rules(size_t *ret_count);
/* The tree behind it, for the sections other libraries own; lives as long as the cluster. */
const struct ste_yaml *ste_cluster_tree(const struct ste_cluster *cluster);
/* NULL when no component has that name. */
const struct ste_router_conf *ste_cluster_router(const struct ste_cluster *cluster,
                                                 const char *name);
const struct ste_node_conf *ste_cluster_node(const struct ste_cluster *cluster, const char *name);
/* First line of the file, without its end; `out` is wiped by the caller after use. Errors:
 * STE_E_FILE, STE_E_CONFIG when the line is empty, too long or holds a NUL (stop). */
STE_MUST_CHECK enum ste_code ste_secret_read(const char *file, char *out, size_t out_bytes,
                                             struct ste_error *err);

#endif
