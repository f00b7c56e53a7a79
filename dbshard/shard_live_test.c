/* SPDX-License-Identifier: Apache-2.0
 * dbshard against a real server. STE_TEST_SHARD is its socket. */
#include "dbshard/shard_live_test.h"

#include <pthread.h>

#include "base/clock.h"
#include "dbshard/body.h"
#include "dbshard/migrate.h"

/* ---- schema, identity, days ---- */

static void test_migrate_again_changes_nothing(void **state)
{
    struct live *live = *state;
    struct ste_error err = {0};
    char *report = NULL;
    live_ok(ste_migrate(&live->lab.cluster, &err), &err);
    live_ok(ste_migrate_check(&live->lab.cluster, &report, &err), &err);
    assert_string_equal(report, "");
    free(report);
}

static void test_days(void **state)
{
    struct live *live = *state;
    struct ste_shard *shard = live_open(live);
    struct ste_error err = {0};
    ste_date *days = NULL;
    size_t count = 0;
    const ste_date today = live->lab.cluster.business_date, far = today + 20;
    live_ok(ste_shard_days(shard, live->arena, &days, &count, &err), &err);
    assert_int_equal(count, 38);
    assert_int_equal(days[0], today - 30);
    assert_int_equal(days[37], today + 7);

    live_ok(ste_day_change(&live->lab.cluster, STE_DAY_OPEN, far, &err), &err);
    live_ok(ste_day_change(&live->lab.cluster, STE_DAY_OPEN, far, &err), &err);
    struct ste_trade_key_row key = live_key(live, 77);
    key.trade_date = far;
    live_store(live, shard, &key, 1, STE_BYTES("kept until the purge"));
    live_ok(ste_day_change(&live->lab.cluster, STE_DAY_CLOSE, far, &err), &err);
    live_ok(ste_shard_days(shard, live->arena, &days, &count, &err), &err);
    assert_int_equal(count, 38);
    live_ok(ste_day_change(&live->lab.cluster, STE_DAY_OPEN, far, &err), &err);
    live_ok(ste_shard_days(shard, live->arena, &days, &count, &err), &err);
    assert_int_equal(count, 39);
    live_ok(ste_day_change(&live->lab.cluster, STE_DAY_PURGE, far, &err), &err);
    live_ok(ste_day_change(&live->lab.cluster, STE_DAY_PURGE, far, &err), &err);
    assert_int_equal(live_number(shard, "SELECT COUNT(*) FROM trade WHERE slot=77"), 0);
    assert_int_equal(ste_day_change(&live->lab.cluster, STE_DAY_OPEN, far, &err), STE_E_ARGUMENT);
    assert_int_equal(ste_day_change(&live->lab.cluster, STE_DAY_CLOSE, far + 1, &err),
                     STE_E_ARGUMENT);
    ste_shard_close(shard);
}

/* A purge gives way to a slow reader again and again, and then gets its turn. */
struct slow_reader {
    struct ste_shard *shard;
    struct ste_error err;
    enum ste_code rc;
};

static void *end_slowly(void *context)
{
    struct slow_reader *reader = context;
    ste_clock_sleep_ms(2500);
    reader->rc = ste_shard_commit(reader->shard, &reader->err);
    return NULL;
}

static void test_purge_waits_for_a_reader(void **state)
{
    struct live *live = *state;
    struct slow_reader reader = {.shard = live_open(live)};
    struct ste_error err = {0};
    const ste_date day = live->lab.cluster.business_date + 30;
    pthread_t thread;
    live_ok(ste_day_change(&live->lab.cluster, STE_DAY_OPEN, day, &err), &err);
    live_ok(ste_shard_begin(reader.shard, &err), &err);
    live_ok(ste_shard_run(reader.shard, STE_BYTES("DELETE FROM trade WHERE slot=4000000000"),
                          "read", &err),
            &err);
    assert_int_equal(pthread_create(&thread, NULL, end_slowly, &reader), 0);
    live_ok(ste_day_change(&live->lab.cluster, STE_DAY_PURGE, day, &err), &err);
    pthread_join(thread, NULL);
    live_ok(reader.rc, &reader.err);
    ste_shard_close(reader.shard);
}

static void assert_refused(const struct ste_cluster *cluster, enum ste_code wanted,
                           const char *there, const char *mine)
{
    struct ste_shard *shard = NULL;
    struct ste_error err = {0};
    assert_int_equal(ste_shard_open(cluster, 0, STE_DB_NODE, &shard, &err), wanted);
    assert_null(shard);
    assert_non_null(strstr(err.text, there));
    assert_non_null(strstr(err.text, mine));
    assert_int_equal(ste_migrate(cluster, &err), wanted);
}

static void test_identity(void **state)
{
    struct live *live = *state;
    struct ste_cluster map = live->lab.cluster;
    map.shard_count = 2;
    map.shards[1] = map.shards[0];
    assert_refused(&map, STE_E_SHARD_IDENTITY, "shard count is 1 there", "2 in the map");
    map = live->lab.cluster;
    map.id = "another";
    assert_refused(&map, STE_E_SHARD_IDENTITY, "cluster is shard-lab there", "another in the map");
    map = live->lab.cluster;
    map.match_key[map.match_key_count++] = "Broker";
    assert_refused(&map, STE_E_SHARD_IDENTITY, "TradeReference there",
                   "TradeReference,Broker in the map");
    map = live->lab.cluster;
    map.map_epoch = 9;
    assert_refused(&map, STE_E_SHARD_IDENTITY, "map epoch is 1 there", "9 in the map");
}

static void set_schema_version(struct live *live, int version)
{
    struct ste_shard *root = NULL;
    struct ste_error err = {0};
    char sql[80];
    live_ok(ste_shard_open(&live->lab.cluster, 0, STE_DB_MIGRATOR, &root, &err), &err);
    snprintf(sql, sizeof(sql), "UPDATE shard_identity SET schema_version=%d", version);
    live_ok(ste_shard_run(root, ste_bytes_of(sql), "change the version", &err), &err);
    ste_shard_close(root);
}

static void test_newer_schema(void **state)
{
    struct live *live = *state;
    set_schema_version(live, STE_SCHEMA_VERSION + 1);
    assert_refused(&live->lab.cluster, STE_E_SHARD_SCHEMA, "2 there", "1 in this program");
    set_schema_version(live, STE_SCHEMA_VERSION);
}

static void test_no_schema(void **state)
{
    struct live *live = *state;
    struct ste_cluster map = live->lab.cluster;
    struct ste_shard *shard = NULL;
    struct ste_error err = {0};
    char name[40];
    snprintf(name, sizeof(name), "%s_none", live->lab.database);
    map.database.name = name;
    map.database.users[STE_DB_NODE] = map.database.users[STE_DB_MIGRATOR];
    assert_int_equal(ste_shard_open(&map, 0, STE_DB_NODE, &shard, &err), STE_E_SHARD_SCHEMA);
    assert_non_null(strstr(err.text, "migrate"));
}

static void test_wrong_password_and_no_server(void **state)
{
    struct live *live = *state;
    struct ste_cluster map = live->lab.cluster;
    struct ste_shard *shard = NULL;
    struct ste_error err = {0};
    map.shards[0].socket = "/nonexistent/socket";
    assert_int_equal(ste_shard_open(&map, 0, STE_DB_NODE, &shard, &err), STE_E_SHARD_DOWN);
    map = live->lab.cluster;
    map.database.users[STE_DB_NODE].password_file = "/proc/self/comm";
    assert_int_equal(ste_shard_open(&map, 0, STE_DB_NODE, &shard, &err), STE_E_SHARD_REFUSED);
}

static void assert_denied(struct ste_shard *shard, const char *sql)
{
    struct ste_error err = {0};
    assert_int_equal(ste_shard_run(shard, ste_bytes_of(sql), "overstep", &err),
                     STE_E_SHARD_REFUSED);
    assert_non_null(strstr(err.text, "denied"));
}

static void test_rights(void **state)
{
    struct live *live = *state;
    struct ste_shard *node = live_open(live), *checker = NULL;
    struct ste_error err = {0};
    assert_denied(node, "DELETE FROM message WHERE id=0");
    assert_denied(node, "UPDATE message SET slot=0");
    assert_denied(node, "DELETE FROM exception WHERE slot=0");
    assert_denied(node, "UPDATE day SET state=1");
    assert_denied(node, "UPDATE shard_identity SET shard_number=1");
    assert_denied(node, "ALTER TABLE trade DROP PARTITION p20261130");
    assert_denied(node, "CREATE TABLE mine (a INT)");
    live_ok(ste_shard_open(&live->lab.cluster, 0, STE_DB_CHECKER, &checker, &err), &err);
    assert_denied(checker, "INSERT INTO day (trade_date,state) VALUES ('2020-01-01',1)");
    assert_denied(checker, "DELETE FROM trade");
    assert_denied(checker, "DELETE FROM outbox");
    live_number(checker, "SELECT COUNT(*) FROM message");
    live_number(checker, "SELECT COUNT(*) FROM outbox");
    ste_shard_close(node);
    ste_shard_close(checker);
}

/* ---- failures ---- */

/* Each failure inside a transaction leaves nothing behind and the shard ready for the next one. */
static void test_bad_rows(void **state)
{
    struct live *live = *state;
    struct ste_shard *shard = live_open(live);
    struct ste_error err = {0};
    struct ste_trade_row rows[2];
    static char big[100];
    struct ste_trade_key_row keys[2] = {live_key(live, 60), live_key(live, 61)};
    keys[1].trade_date += 300; /* no partition */
    live_ok(ste_shard_begin(shard, &err), &err);
    assert_int_equal(ste_shard_lock_and_load(shard, keys, 2, live->arena, rows, &err),
                     STE_E_SHARD_ROW);
    keys[1] = live_key(live, 61);
    live_ok(ste_shard_begin(shard, &err), &err); /* rolled back already */
    live_ok(ste_shard_lock_and_load(shard, keys, 2, live->arena, rows, &err), &err);
    struct ste_message_row message = live_message(live, 60, STE_BYTES("body"));
    memset(big, 'r', sizeof(big));
    message.reference = (struct ste_bytes){big, 36}; /* one too many */
    assert_int_equal(ste_shard_insert_messages(shard, &message, 1, NULL, &err), STE_E_SHARD_ROW);
    assert_int_equal(live_number(shard, "SELECT COUNT(*) FROM trade WHERE slot IN (60,61)"), 0);
    message.reference = STE_BYTES("fits");
    message.body = (struct ste_bytes){big, sizeof(big)};
    shard->packet_max = 300;
    live_ok(ste_shard_begin(shard, &err), &err);
    assert_int_equal(ste_shard_insert_messages(shard, &message, 1, NULL, &err), STE_E_SHARD_ROW);
    live_ok(ste_shard_begin(shard, &err), &err);
    ste_shard_rollback(shard);
    ste_shard_close(shard);
}

static void test_lock_timeout(void **state)
{
    struct live *live = *state;
    struct ste_shard *holder = live_open(live), *shard = live_open(live);
    struct ste_error err = {0};
    struct ste_trade_row rows[2];
    struct ste_trade_key_row keys[2] = {live_key(live, 70), live_key(live, 71)};
    live_ok(ste_shard_begin(holder, &err), &err);
    live_ok(ste_shard_lock_and_load(holder, &keys[1], 1, live->arena, rows, &err), &err);
    live_ok(ste_shard_begin(shard, &err), &err);
    live_ok(ste_shard_lock_and_load(shard, &keys[0], 1, live->arena, rows, &err), &err);
    const uint64_t start_ns = ste_clock_mono_ns();
    assert_int_equal(ste_shard_lock_and_load(shard, &keys[1], 1, live->arena, rows, &err),
                     STE_E_SHARD_LOCK_TIMEOUT);
    assert_in_range((ste_clock_mono_ns() - start_ns) / 1000000, 2000, 5000);
    assert_true(ste_shard_wait_ns(shard) >= 2000000000u);
    /* the first row is free again: ROLLBACK was sent */
    live_ok(ste_shard_lock_and_load(holder, &keys[0], 1, live->arena, rows, &err), &err);
    ste_shard_rollback(holder);
    ste_shard_close(holder);
    ste_shard_close(shard);
}

/* Lost before the commit's answer: down, for good, and nothing half done. */
static void test_lost_connection(void **state)
{
    struct live *live = *state;
    struct ste_shard *shard = live_open(live), *other = live_open(live);
    struct ste_error err = {0};
    struct ste_trade_row rows[1];
    struct ste_trade_key_row key = live_key(live, 80);
    live_ok(ste_shard_begin(shard, &err), &err);
    live_ok(ste_shard_lock_and_load(shard, &key, 1, live->arena, rows, &err), &err);
    live_kill(live, mysql_thread_id(shard->db));
    assert_int_equal(ste_shard_commit(shard, &err), STE_E_SHARD_DOWN);
    assert_int_equal(ste_shard_begin(shard, &err), STE_E_SHARD_DOWN);
    assert_int_equal(ste_shard_ping(shard, &err), STE_E_SHARD_DOWN);
    assert_int_equal(live_number(other, "SELECT COUNT(*) FROM trade WHERE slot=80"), 0);
    live_ok(ste_shard_ping(other, &err), &err);
    ste_shard_close(shard);
    ste_shard_close(other);
}

/* A frozen node's locks are free after wait_timeout (10 s), not after eight hours. */
static void test_session_settings(void **state)
{
    struct ste_shard *shard = live_open(*state);
    assert_int_equal(live_number(shard, "SELECT @@wait_timeout"), 10);
    assert_int_equal(live_number(shard, "SELECT @@innodb_lock_wait_timeout"), 3);
    assert_int_equal(live_number(shard, "SELECT @@autocommit"), 0);
    assert_int_equal(live_number(shard, "SELECT @@auto_increment_increment"), 1);
    assert_int_equal(live_number(shard, "SELECT @@sql_mode LIKE '%STRICT_ALL_TABLES%'"), 1);
    ste_shard_close(shard);
}

static int set_up(void **state)
{
    static struct live live;
    struct ste_error err = {0};
    const char *socket = getenv("STE_TEST_SHARD");
    ste_date date = 0;
    if (!ste_date_parse(STE_BYTES("2026-11-30"), &date))
        return -1;
    live.arena = ste_arena_new(0);
    if (!live.arena || ste_shard_lab_init(&live.lab, &socket, 1, date, &err) != STE_OK) {
        fprintf(stderr, "%s\n", err.text);
        return -1;
    }
    *state = &live;
    return 0;
}

static int tear_down(void **state)
{
    struct live *live = *state;
    ste_shard_lab_deinit(&live->lab);
    ste_arena_free(live->arena);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_migrate_again_changes_nothing),
        cmocka_unit_test(test_days),
        cmocka_unit_test(test_purge_waits_for_a_reader),
        cmocka_unit_test(test_identity),
        cmocka_unit_test(test_newer_schema),
        cmocka_unit_test(test_no_schema),
        cmocka_unit_test(test_wrong_password_and_no_server),
        cmocka_unit_test(test_rights),
        cmocka_unit_test(test_session_settings),
        cmocka_unit_test(test_trade_there_and_back),
        cmocka_unit_test(test_siblings),
        cmocka_unit_test(test_siblings_made_at_once),
        cmocka_unit_test(test_message_ids_of_two_writers),
        cmocka_unit_test(test_bodies),
        cmocka_unit_test(test_prepared_failures),
        cmocka_unit_test(test_exceptions_are_counted),
        cmocka_unit_test(test_exceptions_never_deadlock),
        cmocka_unit_test(test_outbox),
        cmocka_unit_test(test_bad_rows),
        cmocka_unit_test(test_lock_timeout),
        cmocka_unit_test(test_lost_connection),
        cmocka_unit_test(test_two_workers_lose_nothing),
        cmocka_unit_test(test_two_workers_lose_without_the_locking_statement),
    };
    if (!getenv("STE_TEST_SHARD")) {
        printf("skipped: STE_TEST_SHARD names no database socket\n");
        return 77;
    }
    return cmocka_run_group_tests_name("shard, live", tests, set_up, tear_down);
}
