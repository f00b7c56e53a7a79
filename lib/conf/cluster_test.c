/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "conf/cluster.h"

/* The example of the docs may change; the places of the faults below are those of this copy. */
#define EXAMPLE "docs/cluster.example.yaml"
#define MAP "lib/conf/testdata/cluster.yaml"

/* One change of the map. */
struct change {
    const char *from, *to;
};

/* Loads the map with these changes from a temporary file called cluster.yaml; its faults go to
 * `lines`, one a line, without the folder. */
static struct ste_cluster *load_changed(const struct change *changes, size_t count,
                                        struct ste_buf *lines)
{
    char folder[] = "/tmp/ste-map-XXXXXX", path[64];
    struct ste_buf text = {0};
    struct ste_faults faults = {0};
    struct ste_cluster *cluster = NULL;
    struct ste_error err;
    char chunk[4096];
    FILE *file = fopen(MAP, "r");
    assert_non_null(file);
    for (size_t got; (got = fread(chunk, 1, sizeof(chunk), file)) > 0;)
        ste_buf_append(&text, chunk, got);
    fclose(file);
    ste_buf_u8(&text, '\0');
    for (size_t i = 0; i < count; i++) {
        char *at = strstr(text.at, changes[i].from);
        if (!at)
            fail_msg("not in the map: %s", changes[i].from);
        struct ste_buf changed = {0};
        ste_buf_append(&changed, text.at, (size_t)(at - text.at));
        ste_buf_append_cstr(&changed, changes[i].to);
        ste_buf_append_cstr(&changed, at + strlen(changes[i].from));
        ste_buf_u8(&changed, '\0');
        ste_buf_deinit(&text);
        text = changed;
    }
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof(path), "%s/cluster.yaml", folder);
    file = fopen(path, "w");
    fwrite(text.at, 1, text.len - 1, file);
    fclose(file);
    enum ste_code rc = ste_cluster_load(path, &faults, &cluster, &err);
    assert_int_equal(rc, faults.count ? STE_E_CONFIG : STE_OK);
    assert_true((cluster != NULL) == (rc == STE_OK));
    for (size_t i = 0; i < faults.count; i++) {
        assert_memory_equal(faults.lines[i], folder, strlen(folder));
        ste_buf_printf(lines, "%s\n", faults.lines[i] + strlen(folder) + 1);
    }
    ste_buf_u8(lines, '\0');
    unlink(path);
    rmdir(folder);
    ste_faults_deinit(&faults);
    ste_buf_deinit(&text);
    return cluster;
}

static struct ste_cluster *load_map(const char *path)
{
    struct ste_faults faults = {0};
    struct ste_cluster *cluster = NULL;
    struct ste_error err = {0};
    enum ste_code rc = ste_cluster_load(path, &faults, &cluster, &err);
    ste_faults_print(&faults, stderr);
    assert_int_equal(rc, STE_OK);
    ste_faults_deinit(&faults);
    return cluster;
}

static void assert_ends(const char *text, const char *end)
{
    assert_true(strlen(text) >= strlen(end));
    assert_string_equal(text + strlen(text) - strlen(end), end);
    assert_int_equal(text[0], '/');
}

static void the_example_of_the_docs_loads(void **state)
{
    (void)state;
    struct ste_cluster *cluster = load_map(EXAMPLE);
    assert_string_equal(ste_cluster_warnings(cluster), "");
    assert_ends(cluster->file, "/docs/cluster.example.yaml");
    ste_cluster_free(cluster);
}

static void every_value_arrives(void **state)
{
    (void)state;
    struct ste_cluster *cluster = load_map(MAP);
    ste_date date;
    assert_true(ste_date_parse(STE_BYTES("2026-11-30"), &date));
    assert_string_equal(cluster->id, "lab");
    assert_int_equal(cluster->shard_count, 2);
    assert_int_equal(cluster->match_key_count, 1);
    assert_string_equal(cluster->match_key[0], "TradeReference");
    assert_int_equal(cluster->business_date, date);
    assert_int_equal(cluster->design_rate, 10000);
    assert_int_equal(cluster->outage_allowance_min, 60);
    assert_int_equal(cluster->retention, 3);
    assert_int_equal(cluster->map_epoch, 1);
    assert_string_equal(cluster->broker.host, "127.0.0.1");
    assert_int_equal(cluster->broker.port, 5672);
    assert_string_equal(cluster->broker.vhost, "/");
    assert_string_equal(cluster->broker.management, "http://127.0.0.1:15672");
    assert_int_equal(cluster->broker.heartbeat_s, 5);
    assert_int_equal(cluster->broker.window, 512);
    assert_string_equal(cluster->broker.users[STE_ROLE_SUBMITTER].user, "STEHSGSG");
    assert_ends(cluster->broker.users[STE_ROLE_NODE].password_file,
                "/testdata/secrets/broker-node");
    assert_string_equal(cluster->database.name, "ste");
    assert_string_equal(cluster->database.users[STE_DB_MIGRATOR].user, "ste_migrator");
    assert_ends(cluster->database.users[STE_DB_CHECKER].password_file,
                "/testdata/secrets/db-checker");
    assert_int_equal(cluster->shards[1].number, 1);
    assert_int_equal(cluster->shards[1].port, 3307);
    assert_null(cluster->shards[1].socket);
    assert_string_equal(cluster->submit_hub, "STEHSGSG/hub");
    assert_ends(cluster->submit_keys_dir, "/testdata/keys");
    assert_ends(cluster->file, "/lib/conf/testdata/cluster.yaml");
    assert_ends(cluster->folder, "/lib/conf/testdata");
    assert_string_equal(ste_cluster_warnings(cluster), "");
    assert_non_null(ste_yaml_get(ste_cluster_tree(cluster), "profiles"));
    ste_cluster_free(cluster);
    ste_cluster_free(NULL);
}

static void components_are_found_by_name(void **state)
{
    (void)state;
    struct ste_cluster *cluster = load_map(MAP);
    const struct ste_router_conf *router = ste_cluster_router(cluster, "router-1");
    const struct ste_node_conf *node = ste_cluster_node(cluster, "node-2");
    assert_int_equal(router->health_port, 18101);
    assert_int_equal(router->workers, 1);
    assert_string_equal(router->host, "local");
    assert_int_equal(node->assignment_count, 1);
    assert_int_equal(node->assignments[0].shard, 1);
    assert_int_equal(node->assignments[0].workers, 1);
    assert_int_equal(node->assignments[0].types, STE_ASSIGNMENT_TYPES_ALL);
    assert_int_equal(ste_cluster_node(cluster, "node-1")->assignments[0].types,
                     STE_ASSIGNMENT_TYPES_ALL);
    assert_null(ste_cluster_node(cluster, "router-1"));
    assert_null(ste_cluster_router(cluster, "node-1"));
    ste_cluster_free(cluster);
}

static void optional_parts_have_their_defaults(void **state)
{
    (void)state;
    static const struct change changes[] = {
        {"  match_key: [TradeReference]\n", ""},
        {"  design_rate: 10000 ", "  #"},
        {"  outage_allowance_min: 60 ", "  epoch: 7 #"},
        {"  retention: 3 ", "  #"},
        {"  port: 5672\n  vhost: /\n", ""},
        {"  heartbeat_s: 5\n", ""},
        {"  window: 512 ", "  #"},
        {"{ number: 1, host: 127.0.0.1, port: 3307 }", "{ number: 1, socket: run/db.sock }"},
        {", workers: 1, health_port: 18101", ""},
        {"{ shard: 1, workers: 1, types: [noe, alb, npr, set, exc] }",
         "{ shard: 1, workers: 2, types: [exc, npr] }"},
        {"submit: ", "#"},
        {"  hub: ", "#"},
        {"  keys: ", "#"},
    };
    struct ste_buf lines = {0};
    struct ste_cluster *cluster =
        load_changed(changes, sizeof(changes) / sizeof(changes[0]), &lines);
    assert_string_equal(lines.at, "");
    assert_int_equal(cluster->match_key_count, 1);
    assert_string_equal(cluster->match_key[0], "TradeReference");
    assert_int_equal(cluster->design_rate, 10000);
    assert_int_equal(cluster->outage_allowance_min, 60);
    assert_int_equal(cluster->retention, 3);
    assert_int_equal(cluster->map_epoch, 7);
    assert_int_equal(cluster->broker.port, 5672);
    assert_string_equal(cluster->broker.vhost, "/");
    assert_int_equal(cluster->broker.heartbeat_s, 5);
    assert_int_equal(cluster->broker.window, 512);
    assert_ends(cluster->shards[1].socket, "/run/db.sock");
    assert_null(cluster->shards[1].host);
    assert_int_equal(cluster->routers[0].workers, 1);
    assert_int_equal(cluster->routers[0].health_port, 0);
    assert_int_equal(cluster->nodes[1].assignments[0].workers, 2);
    assert_int_equal(cluster->nodes[1].assignments[0].types, 0x14);
    assert_null(cluster->submit_hub);
    assert_null(cluster->submit_keys_dir);
    assert_string_equal(ste_cluster_warnings(cluster), "no node consumes queue ste.noe.01\n"
                                                       "no node consumes queue ste.alb.01\n"
                                                       "no node consumes queue ste.set.01\n");
    ste_cluster_free(cluster);
    ste_buf_deinit(&lines);
}

static void a_match_key_may_be_any_fields_all_types_carry(void **state)
{
    (void)state;
    static const struct change change = {"[TradeReference]",
                                         "[TradeDate, Broker, Manager, TradeReference]"};
    struct ste_buf lines = {0};
    struct ste_cluster *cluster = load_changed(&change, 1, &lines);
    assert_non_null(cluster);
    assert_int_equal(cluster->match_key_count, 4);
    assert_string_equal(cluster->match_key[0], "TradeDate");
    assert_string_equal(cluster->match_key[3], "TradeReference");
    ste_cluster_free(cluster);
    ste_buf_deinit(&lines);
}

struct fault_case {
    struct change change;
    const char *line;
};

/* One change, one fault: what follows from it is not shown. */
static const struct fault_case fault_cases[] = {
    {{"  id: lab\n", ""}, "3:3: cluster.id: is missing"},
    {{"id: lab", "id: la b"}, "3:7: cluster.id: la b: only letters, digits and ._-"},
    {{"shard_count: 2", "shard_count: 17"}, "4:16: cluster.shard_count: 17 is above 16"},
    {{"shard_count: 2", "shard_count: two"},
     "4:16: cluster.shard_count: two is not a whole number"},
    {{"  shard_count: 2\n", ""}, "3:3: cluster.shard_count: is missing"},
    {{"[TradeReference]", "[]"},
     "5:14: cluster.match_key: at least one of: TradeReference Broker Manager TradeDate"},
    {{"[TradeReference]", "[Account]"},
     "5:15: cluster.match_key[0]: Account is not one of: "
     "TradeReference Broker Manager TradeDate"},
    {{"[TradeReference]", "[Broker, Broker]"}, "5:23: cluster.match_key[1]: Broker stands twice"},
    {{"[TradeReference]", "TradeReference"}, "5:14: cluster.match_key: a list is wanted"},
    {{"2026-11-30", "30.11.2026"},
     "6:18: cluster.business_date: 30.11.2026 is not a date YYYY-MM-DD"},
    {{"http://127.0.0.1:15672", "127.0.0.1:15672"},
     "14:15: broker.management: 127.0.0.1:15672 does not start with http:// or https://"},
    {{"user: ste-node, ", "user: ste-router, "},
     "20:24: broker.users.node.user: ste-router is the user of router too"},
    {{"user: ste-node, ", "user: 'ste node', "},
     "20:24: broker.users.node.user: ste node: only letters, digits and ._-@"},
    {{"node:     { user: ste_node,", "node:     { passwort: x, user: ste_node,"},
     "27:17: database.users.node.passwort: unknown key (known: user, password_file)"},
    {{"name: ste\n", "name: s-te\n"}, "25:9: database.name: s-te: only letters, digits and _"},
    {{"number: 1, host", "number: 0, host"}, "32:15: shards[1].number: 0 stands twice"},
    {{"number: 1, host", "number: 2, host"},
     "32:15: shards[1].number: 2 is not below cluster.shard_count, 2"},
    {{"number: 1, host", "number: 16, host"}, "32:15: shards[1].number: 16 is above 15"},
    {{"  - { number: 1, host: 127.0.0.1, port: 3307 }\n", ""},
     "31:3: shards: shard 1 is missing: cluster.shard_count is 2"},
    {{"port: 3307", "port: 3306"},
     "32:41: shards[1].port: 127.0.0.1:3306 is that of shards[0] too"},
    {{", port: 3307", ", port: 70000"}, "32:41: shards[1].port: 70000 is above 65535"},
    {{"host: 127.0.0.1, port: 3307", "port: 3307"},
     "32:5: shards[1].host: is missing, and so is socket"},
    {{"  - { name: local, address: 127.0.0.1 }\n",
      "  - { name: local, address: 127.0.0.1 }\n  - { name: local, address: h }\n"},
     "35:13: hosts[1].name: local stands twice"},
    {{"router-1, host: local", "router-1, host: remote"},
     "37:31: components.routers[0].host: remote is not in hosts"},
    {{"name: node-2", "name: node-1"},
     "44:13: components.nodes[1].name: node-1 is the name of components.nodes[0] too"},
    {{"name: node-2", "name: router-1"},
     "44:13: components.nodes[1].name: router-1 is the name of components.routers[0] too"},
    {{"health_port: 18202", "health_port: 18101"},
     "46:20: components.nodes[1].health_port: 18101 "
     "is that of components.routers[0] too, on the "
     "same host"},
    {{"shard: 0, workers: 1", "shard: 2, workers: 1"},
     "43:20: components.nodes[0].assignments[0].shard: there is no shard 2: cluster.shard_count "
     "is 2"},
    {{"shard: 0, workers: 1", "shard: 0, workers: 0"},
     "43:32: components.nodes[0].assignments[0].workers: 0 is below 1"},
    {{"npr, set, exc", "npr, sett, exc"},
     "48:58: components.nodes[1].assignments[0].types[3]: "
     "sett is not one of: noe alb npr set exc"},
    {{"npr, set, exc", "npr, noe, exc"},
     "48:58: components.nodes[1].assignments[0].types[3]: noe stands twice"},
    {{"[noe, alb, npr, set, exc]", "[]"},
     "48:42: components.nodes[1].assignments[0].types: at "
     "least one of: noe alb npr set exc"},
    {{"exc] }\n", "exc] }\n        - { shard: 1, types: [exc] }\n"},
     "49:20: components.nodes[1].assignments[1].shard: shard 1 is assigned with these types "
     "already"},
    {{"hub: STEHSGSG/hub", "hub: STEHSGSG"}, "50:8: submit.hub: STEHSGSG is not PARTICIPANT/KEY"},
    {{"  keys: keys ", "  #"}, "50:3: submit.keys: is missing: hub needs it"},
};

static void each_fault_is_one_line(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(fault_cases) / sizeof(fault_cases[0]); i++) {
        const struct fault_case *one = &fault_cases[i];
        struct ste_buf lines = {0}, expected = {0};
        assert_null(load_changed(&one->change, 1, &lines));
        ste_buf_printf(&expected, "cluster.yaml:%s\n%c", one->line, '\0');
        assert_string_equal(lines.at, expected.at);
        ste_buf_deinit(&lines);
        ste_buf_deinit(&expected);
    }
}

static void a_port_counts_per_machine(void **state)
{
    (void)state;
    static const struct change apart[] = {
        {"address: 127.0.0.1 }\n",
         "address: 127.0.0.1 }\n  - { name: other, address: 10.0.0.2 }\n"},
        {"router-1, host: local, workers: 1, health_port: 18101",
         "router-1, host: other, health_port: 18201"},
    };
    static const struct change together[] = {
        {"address: 127.0.0.1 }\n",
         "address: 127.0.0.1 }\n  - { name: other, address: 127.0.0.1 }\n"},
        {"router-1, host: local, workers: 1, health_port: 18101",
         "router-1, host: other, health_port: 18201"},
    };
    struct ste_buf lines = {0};
    struct ste_cluster *cluster = load_changed(apart, 2, &lines);
    assert_string_equal(lines.at, "");
    ste_cluster_free(cluster);
    ste_buf_clear(&lines);
    assert_null(load_changed(together, 2, &lines));
    assert_string_equal(lines.at,
                        "cluster.yaml:42:20: components.nodes[0].health_port: 18201 is that "
                        "of components.routers[0] too, on the same host\n");
    ste_buf_deinit(&lines);
}

/* Twelve faults planted in one file: twelve lines, in the order of the file. */
static void all_faults_are_shown_at_once(void **state)
{
    (void)state;
    static const struct change changes[] = {
        {"shard_count: 2", "shard_count: 3"},
        {"2026-11-30", "2026-11-31"},
        {"retention: 3 ", "retention: 0 "},
        {"  port: 5672\n", "  port: 5672\n  tls: true\n"},
        {"heartbeat_s: 5", "heartbeat_s: 5s"},
        {"user: ste_checker,  ", ""},
        {"port: 3307", "port: 70000"},
        {"router-1, host: local", "router-1, host: lokal"},
        {"name: node-2", "name: node-1"},
        {"shard: 1, workers: 1", "shard: 9, workers: 1"},
        {"hub: STEHSGSG/hub", "hub: [STEHSGSG/hub]"},
        {"reference:\n", "reference: {}\nreference:\n"},
    };
    struct ste_buf lines = {0};
    assert_null(load_changed(changes, sizeof(changes) / sizeof(changes[0]), &lines));
    assert_string_equal(
        lines.at,
        "cluster.yaml:6:18: cluster.business_date: 2026-11-31 is not a date YYYY-MM-DD\n"
        "cluster.yaml:9:14: cluster.retention: 0 is below 1\n"
        "cluster.yaml:13:3: broker.tls: unknown key (known: host, port, vhost, management, "
        "heartbeat_s, window, users)\n"
        "cluster.yaml:16:16: broker.heartbeat_s: 5s is not a whole number\n"
        "cluster.yaml:30:15: database.users.checker.user: is missing\n"
        "cluster.yaml:32:3: shards: shard 2 is missing: cluster.shard_count is 3\n"
        "cluster.yaml:33:41: shards[1].port: 70000 is above 65535\n"
        "cluster.yaml:38:31: components.routers[0].host: lokal is not in hosts\n"
        "cluster.yaml:45:13: components.nodes[1].name: node-1 is the name of components.nodes[0] "
        "too\n"
        "cluster.yaml:49:20: components.nodes[1].assignments[0].shard: there is no shard 9: "
        "cluster.shard_count is 3\n"
        "cluster.yaml:51:8: submit.hub: a single value is wanted, not a list\n"
        "cluster.yaml:61:1: reference: duplicate key, first on line 60\n");
    ste_buf_deinit(&lines);
}

static void a_draft_gives_the_tree_in_spite_of_faults(void **state)
{
    (void)state;
    char name[] = "/tmp/ste-draft-XXXXXX";
    struct ste_faults faults = {0};
    struct ste_cluster *cluster = NULL;
    struct ste_error err;
    int fd = mkstemp(name);
    assert_int_equal(write(fd, "profiles: []\n", 13), 13);
    close(fd);
    assert_int_equal(ste_cluster_draft(name, &faults, &cluster, &err), STE_OK);
    assert_false(ste_faults_any(&faults));
    assert_string_equal(cluster->file, name);
    assert_string_equal(cluster->folder, "/tmp");
    assert_int_equal(cluster->business_date, STE_DATE_NONE);
    assert_int_equal(ste_yaml_get(ste_cluster_tree(cluster), "profiles")->kind, STE_NODE_LIST);
    ste_cluster_free(cluster);
    cluster = NULL;
    assert_int_equal(ste_cluster_load(name, &faults, &cluster, &err), STE_E_CONFIG);
    assert_int_equal(faults.count, 7);
    assert_null(cluster);
    ste_faults_deinit(&faults);
    unlink(name);
    assert_int_equal(ste_cluster_load(name, &faults, &cluster, &err), STE_E_FILE);
    assert_false(ste_faults_any(&faults));
}

static void every_row_of_every_table_is_documented(void **state)
{
    (void)state;
    size_t count = 0;
    const struct ste_rule_table *tables = ste_cluster_rules(&count);
    assert_true(count >= 14);
    for (size_t i = 0; i < count; i++) {
        assert_non_null(tables[i].section);
        for (size_t j = 0; j < tables[i].row_count; j++) {
            const struct ste_rule_row *row = &tables[i].rows[j];
            assert_true(strlen(row->help) > 3);
            assert_false(row->required && row->default_text);
            assert_true(row->type != STE_VALUE_UINT || row->min <= row->max);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_example_of_the_docs_loads),
        cmocka_unit_test(every_value_arrives),
        cmocka_unit_test(components_are_found_by_name),
        cmocka_unit_test(optional_parts_have_their_defaults),
        cmocka_unit_test(a_match_key_may_be_any_fields_all_types_carry),
        cmocka_unit_test(each_fault_is_one_line),
        cmocka_unit_test(a_port_counts_per_machine),
        cmocka_unit_test(all_faults_are_shown_at_once),
        cmocka_unit_test(a_draft_gives_the_tree_in_spite_of_faults),
        cmocka_unit_test(every_row_of_every_table_is_documented),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
