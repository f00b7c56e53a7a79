/* SPDX-License-Identifier: Apache-2.0
 * Against a real broker: STE_TEST_BROKER=host:port:user:password-file (tag administrator) and
 * STE_TEST_MANAGEMENT=http://host:port. Works in a vhost and with users of its own, and deletes
 * them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/clock.h"
#include "mq/mq.h"
#include "mq/names.h"
#include "mq/topology_api.h"

enum { SKIPPED = 77 };

static struct ste_cluster cluster = {
    .shard_count = 2,
    .design_rate = 1000,
    .outage_allowance_min = 1,
    .broker = {.heartbeat_s = 5, .window = 64},
};
static char folder[] = "/tmp/ste-topology-XXXXXX";
static char vhost[64], hub_bic[16], other_bic[16], role_names[STE_ROLE_COUNT][64];
static char secret_files[STE_ROLE_COUNT][128], other_file[128];
static struct ste_topology_participant participants[2];
static struct ste_api api;
static struct ste_error err;

#define ok(call)                                                                                   \
    do {                                                                                           \
        if ((call) != STE_OK)                                                                      \
            fail_msg("%s: %s", #call, err.text);                                                   \
    } while (0)

static void send_body(enum ste_http_method method, const char *const *path, const char *body)
{
    ok(ste_api_send(&api, method, path, ste_bytes_of(body), &err));
}

/* Whatever else it reports, this many lines begin with `prefix`. */
static unsigned lines_with(const char *report, const char *prefix)
{
    unsigned count = 0;
    for (const char *line = report; line && *line;) {
        count += strncmp(line, prefix, strlen(prefix)) == 0;
        line = strchr(line, '\n');
        line = line ? line + 1 : NULL;
    }
    return count;
}

static char *check(void)
{
    char *report = NULL;
    ok(ste_topology_check(&cluster, participants, 2, &report, &err));
    assert_non_null(report);
    return report;
}

static void apply(void)
{
    char *report = NULL;
    ok(ste_topology_apply(&cluster, participants, 2, &report, &err));
    free(report);
}

static void assert_clean(void)
{
    char *report = check();
    assert_string_equal(report, "");
    free(report);
}

static struct ste_mq *open_as(const char *user, const char *file, enum ste_mq_purpose purpose)
{
    struct ste_mq *mq = NULL;
    struct ste_login login = {user, file};
    ok(ste_mq_open_as(&cluster, &login, purpose, "topology_live_test", &mq, &err));
    return mq;
}

static struct ste_mq *open_role(enum ste_role role, enum ste_mq_purpose purpose)
{
    return open_as(cluster.broker.users[role].user, secret_files[role], purpose);
}

/* ---- tests ---- */

static void test_from_nothing_and_again(void **state)
{
    (void)state;
    char *report = check();
    assert_int_equal(lines_with(report, "vhost "), 1);
    assert_int_equal(lines_with(report, "exchange "), 5);
    assert_int_equal(lines_with(report, "queue "), 4 + 2 * 6 + 2);
    assert_int_equal(lines_with(report, "policy "), 7);
    assert_int_equal(lines_with(report, "user "), 6);
    free(report);
    apply();
    assert_clean();
    ok(ste_topology_apply(&cluster, participants, 2, &report, &err));
    assert_int_equal(lines_with(report, ""), lines_with(report, "warning: "));
    free(report);
}

/* The policy of ste.dead as it is, and a time limit. */
static void send_more_of_dead(void)
{
    struct ste_json *policy = NULL;
    uint64_t bytes = 0;
    char body[256];
    ok(ste_api_get(&api, STE_API_PATH("policies", vhost, "ste-dead"), &policy, &err));
    assert_true(ste_json_uint(ste_json_get(ste_json_get(policy, "definition"), "max-length-bytes"),
                              &bytes));
    ste_json_free(policy);
    snprintf(body, sizeof body,
             "{\"pattern\":\"^ste\\\\.dead$\",\"apply-to\":\"queues\",\"priority\":10,"
             "\"definition\":{\"max-length-bytes\":%llu,\"overflow\":\"reject-publish\","
             "\"message-ttl\":3600000}}",
             (unsigned long long)bytes);
    send_body(STE_HTTP_PUT, STE_API_PATH("policies", vhost, "ste-dead"), body);
}

/* Each thing done by hand is named, and put right. */
static void test_what_was_changed_is_named_and_corrected(void **state)
{
    (void)state;
    send_body(STE_HTTP_DELETE, STE_API_PATH("queues", vhost, "ste.noe.01"), "");
    send_body(
        STE_HTTP_PUT, STE_API_PATH("policies", vhost, "ste-work"),
        "{\"pattern\":\"^ste\\\\.(noe|alb|npr|set|exc)\\\\.[0-9]{2}$\",\"apply-to\":\"queues\","
        "\"priority\":10,\"definition\":{\"delivery-limit\":5}}");
    send_body(STE_HTTP_DELETE, STE_API_PATH("policies", vhost, "ste-cls"), "");
    send_more_of_dead();
    send_body(STE_HTTP_PUT, STE_API_PATH("permissions", vhost, role_names[STE_ROLE_CLEARING]),
              "{\"configure\":\".*\",\"write\":\".*\",\"read\":\".*\"}");
    send_body(STE_HTTP_DELETE, STE_API_PATH("topic-permissions", vhost, other_bic), "");
    send_body(STE_HTTP_PUT, STE_API_PATH("users", role_names[STE_ROLE_ROUTER]),
              "{\"password\":\"another\",\"tags\":\"\"}");
    send_body(STE_HTTP_PUT, STE_API_PATH("users", role_names[STE_ROLE_NODE]),
              "{\"password\":\"another\",\"tags\":\"administrator\"}");
    char *report = check(), line[160];
    assert_int_equal(lines_with(report, "queue ste.noe.01: missing"), 1);
    assert_int_equal(lines_with(report, "binding of ste.noe.01 to ste.work"), 1);
    assert_int_equal(lines_with(report, "policy ste-work: differs"), 1);
    assert_int_equal(lines_with(report, "policy ste-cls: missing"), 1);
    assert_int_equal(lines_with(report, "policy ste-dead: differs"), 1);
    assert_int_equal(lines_with(report, "queue ste.cls: policy ste-cls does not apply"), 1);
    snprintf(line, sizeof line, "rights of %s: differ", role_names[STE_ROLE_CLEARING]);
    assert_int_equal(lines_with(report, line), 1);
    snprintf(line, sizeof line, "topic rights of %s: missing", other_bic);
    assert_int_equal(lines_with(report, line), 1);
    snprintf(line, sizeof line, "password of %s: differs", role_names[STE_ROLE_ROUTER]);
    assert_int_equal(lines_with(report, line), 1);
    snprintf(line, sizeof line, "user %s: has tags", role_names[STE_ROLE_NODE]);
    assert_int_equal(lines_with(report, line), 1);
    assert_null(strstr(report, "canary"));
    free(report);
    apply();
    assert_clean();
}

static void test_what_cannot_be_corrected(void **state)
{
    (void)state;
    char *report = NULL;
    send_body(STE_HTTP_DELETE, STE_API_PATH("queues", vhost, "ste.alb.01"), "");
    send_body(STE_HTTP_PUT, STE_API_PATH("queues", vhost, "ste.alb.01"),
              "{\"durable\":true,\"arguments\":{\"x-queue-type\":\"classic\"}}");
    send_body(STE_HTTP_PUT, STE_API_PATH("queues", vhost, "stranger"), "{\"durable\":true}");
    send_body(STE_HTTP_POST, STE_API_PATH("bindings", vhost, "e", "ste.work", "q", "stranger"),
              "{\"routing_key\":\"noe.00\"}");
    assert_int_equal(ste_topology_apply(&cluster, participants, 2, &report, &err),
                     STE_E_MQ_REFUSED);
    assert_int_equal(lines_with(report, "queue ste.alb.01: is not a quorum queue"), 1);
    assert_int_equal(
        lines_with(report, "binding of stranger to ste.work with key 'noe.00': not ours"), 1);
    free(report);
    send_body(STE_HTTP_DELETE, STE_API_PATH("queues", vhost, "ste.alb.01"), "");
    send_body(STE_HTTP_DELETE, STE_API_PATH("queues", vhost, "stranger"), "");
    apply();
    assert_clean();
}

static void assert_publish(enum ste_role role, const char *exchange, const char *key,
                           enum ste_code expected)
{
    struct ste_mq *mq = open_role(role, STE_MQ_PUBLISH);
    struct ste_mq_message message = {
        .exchange = exchange, .routing_key = ste_bytes_of(key), .body = STE_BYTES("x")};
    ok(ste_mq_publish(mq, &message, 1, &err));
    enum ste_code rc = STE_OK;
    while (rc == STE_OK && ste_mq_unconfirmed(mq) > 0)
        rc = ste_mq_pump(mq, 5000, &err);
    if (rc != expected)
        fail_msg("%s to %s %s: %d, %s", cluster.broker.users[role].user, exchange, key, (int)rc,
                 err.text);
    ste_mq_close(mq);
}

static void assert_consume(enum ste_role role, const char *queue, enum ste_code expected)
{
    struct ste_mq *mq = open_role(role, STE_MQ_CONSUME);
    if (ste_mq_consume(mq, queue, 1, "c", false, &err) != expected)
        fail_msg("%s from %s", cluster.broker.users[role].user, queue);
    ste_mq_close(mq);
}

static void assert_reply_queue(const char *user, const char *file, const char *queue,
                               const char *key, enum ste_code expected)
{
    struct ste_mq *mq = open_as(user, file, STE_MQ_CONSUME);
    enum ste_code rc = ste_mq_declare_reply_queue(mq, queue, &err);
    if (rc == STE_OK)
        rc = ste_mq_bind(mq, queue, STE_EXCHANGE_OUT, key, &err);
    if (rc == STE_OK)
        rc = ste_mq_consume(mq, queue, 10, "c", true, &err);
    if (rc != expected)
        fail_msg("%s: queue %s key %s: %d, %s", user, queue, key, (int)rc, err.text);
    ste_mq_close(mq);
}

/* Each refusal of FAULTS section 4, and that what is meant to work does. */
static void test_rights_hold(void **state)
{
    (void)state;
    char own[64], key[64], other_key[64], other[64];
    assert_publish(STE_ROLE_SUBMITTER, "ste.in", "", STE_OK);
    assert_publish(STE_ROLE_SUBMITTER, "ste.work", "noe.00", STE_E_MQ_REFUSED);
    assert_publish(STE_ROLE_SUBMITTER, "ste.out", "cls.00", STE_E_MQ_REFUSED);
    assert_publish(STE_ROLE_SUBMITTER, "", "ste.cls", STE_E_MQ_REFUSED);
    assert_consume(STE_ROLE_SUBMITTER, "ste.in", STE_E_MQ_REFUSED);
    assert_consume(STE_ROLE_SUBMITTER, "ste.cls", STE_E_MQ_REFUSED);
    assert_publish(STE_ROLE_ROUTER, "ste.work", "noe.00", STE_OK);
    assert_publish(STE_ROLE_ROUTER, "ste.out", "cls.00", STE_E_MQ_REFUSED);
    assert_publish(STE_ROLE_ROUTER, "ste.in", "", STE_E_MQ_REFUSED);
    assert_consume(STE_ROLE_ROUTER, "ste.in", STE_OK);
    assert_consume(STE_ROLE_ROUTER, "ste.dead", STE_OK);
    assert_consume(STE_ROLE_ROUTER, "ste.noe.00", STE_E_MQ_REFUSED);
    assert_publish(STE_ROLE_NODE, "ste.out", "cls.00", STE_OK);
    assert_publish(STE_ROLE_NODE, "ste.out", "other.00", STE_E_MQ_REFUSED);
    assert_publish(STE_ROLE_NODE, "ste.work", "suspect.01", STE_OK);
    assert_publish(STE_ROLE_NODE, "ste.in", "", STE_E_MQ_REFUSED);
    assert_consume(STE_ROLE_NODE, "ste.exc.01", STE_OK);
    assert_consume(STE_ROLE_NODE, "ste.suspect.00", STE_OK);
    assert_consume(STE_ROLE_NODE, "ste.in", STE_E_MQ_REFUSED);
    assert_consume(STE_ROLE_NODE, "ste.cls", STE_E_MQ_REFUSED);
    assert_consume(STE_ROLE_CLEARING, "ste.cls", STE_OK);
    assert_consume(STE_ROLE_CLEARING, "ste.exception", STE_E_MQ_REFUSED);
    assert_publish(STE_ROLE_CLEARING, "ste.out", "cls.00", STE_E_MQ_REFUSED);
    assert_consume(STE_ROLE_OPERATOR, "ste.exception", STE_OK);
    assert_consume(STE_ROLE_OPERATOR, "ste.cls", STE_E_MQ_REFUSED);
    assert_publish(STE_ROLE_ADMIN, "ste.in", "", STE_OK);

    snprintf(own, sizeof own, "ste.reply.%s.x", other_bic);
    snprintf(key, sizeof key, "reply.%s", other_bic);
    snprintf(other, sizeof other, "ste.reply.%s.x", hub_bic);
    snprintf(other_key, sizeof other_key, "reply.%s", hub_bic);
    assert_reply_queue(other_bic, other_file, own, key, STE_OK);
    assert_reply_queue(other_bic, other_file, own, other_key, STE_E_MQ_REFUSED);
    assert_reply_queue(other_bic, other_file, own, "#", STE_E_MQ_REFUSED);
    assert_reply_queue(other_bic, other_file, own, "cls.*", STE_E_MQ_REFUSED);
    assert_reply_queue(other_bic, other_file, other, key, STE_E_MQ_REFUSED);
    assert_reply_queue(hub_bic, secret_files[STE_ROLE_SUBMITTER], other, key, STE_OK);
    assert_reply_queue(hub_bic, secret_files[STE_ROLE_SUBMITTER], other, "cls.*", STE_E_MQ_REFUSED);
}

static void drain(const char *queue)
{
    struct ste_mq *mq = open_role(STE_ROLE_ADMIN, STE_MQ_CONSUME);
    struct ste_mq_delivery delivery;
    bool got = true;
    while (got) {
        ok(ste_mq_get(mq, queue, &delivery, &got, &err));
        if (got) {
            ok(ste_mq_ack(mq, delivery.tag, false, &err));
            ste_mq_delivery_free(&delivery);
        }
    }
    ste_mq_close(mq);
}

/* A record that fails again and again ends in ste.dead, with where it came from. */
static void test_dead_letters_arrive(void **state)
{
    (void)state;
    struct ste_mq_delivery delivery;
    bool got = false;
    drain("ste.set.00");
    assert_publish(STE_ROLE_ROUTER, "ste.work", "set.00", STE_OK);
    struct ste_mq *mq = open_role(STE_ROLE_NODE, STE_MQ_CONSUME);
    ok(ste_mq_consume(mq, "ste.set.00", 1, "c", false, &err));
    for (unsigned failures = 0; failures <= 20; failures++) {
        ok(ste_mq_receive(mq, 5000, &delivery, &got, &err));
        assert_true(got);
        assert_int_equal(delivery.delivery_count, failures);
        ok(ste_mq_reject(mq, delivery.tag, true, &err));
        ste_mq_delivery_free(&delivery);
    }
    ok(ste_mq_receive(mq, 100, &delivery, &got, &err));
    assert_false(got);
    ste_mq_close(mq);
    mq = open_role(STE_ROLE_ROUTER, STE_MQ_CONSUME);
    ok(ste_mq_consume(mq, "ste.dead", 1, "c", false, &err));
    ok(ste_mq_receive(mq, 5000, &delivery, &got, &err));
    assert_true(got);
    assert_true(ste_bytes_equal(delivery.death_queue, STE_BYTES("ste.set.00")));
    assert_true(ste_bytes_equal(delivery.death_reason, STE_BYTES("delivery_limit")));
    ok(ste_mq_ack(mq, delivery.tag, false, &err));
    ste_mq_delivery_free(&delivery);
    ste_mq_close(mq);
}

static void test_wrong_admin_password(void **state)
{
    (void)state;
    struct ste_cluster wrong = cluster;
    char *report = NULL;
    wrong.broker.users[STE_ROLE_ADMIN].password_file = secret_files[STE_ROLE_ROUTER];
    assert_int_equal(ste_topology_check(&wrong, participants, 2, &report, &err), STE_E_MQ_REFUSED);
    assert_non_null(strstr(err.text, "administrator"));
    assert_null(strstr(err.text, "canary"));
    wrong.broker.management = "http://127.0.0.1:1";
    assert_int_equal(ste_topology_check(&wrong, participants, 2, &report, &err), STE_E_HTTP);
    assert_null(report);
}

/* ---- environment ---- */

static bool write_secret(const char *name, char *file, size_t file_bytes)
{
    snprintf(file, file_bytes, "%s/%s", folder, name);
    FILE *out = fopen(file, "w");
    if (!out)
        return false;
    fprintf(out, "canary-%s\n", name);
    return fclose(out) == 0;
}

static bool set_names(void)
{
    static const char *const roles[STE_ROLE_COUNT] = {"admin",    "router",   "node",
                                                      "clearing", "operator", "submitter"};
    bool good = mkdtemp(folder) != NULL;
    snprintf(vhost, sizeof vhost, "ste/live %d", (int)getpid());
    snprintf(hub_bic, sizeof hub_bic, "HUB%05u", (unsigned)getpid() % 100000);
    snprintf(other_bic, sizeof other_bic, "OTH%05u", (unsigned)getpid() % 100000);
    cluster.broker.vhost = vhost;
    for (int role = STE_ROLE_ROUTER; role < STE_ROLE_COUNT; role++) {
        snprintf(role_names[role], sizeof role_names[role], "ste-live-%s-%d", roles[role],
                 (int)getpid());
        good = good && write_secret(roles[role], secret_files[role], sizeof secret_files[role]);
        cluster.broker.users[role] = (struct ste_login){role_names[role], secret_files[role]};
    }
    cluster.broker.users[STE_ROLE_SUBMITTER].user = hub_bic;
    good = good && write_secret("other", other_file, sizeof other_file);
    memcpy(participants[0].bic8, hub_bic, sizeof participants[0].bic8);
    participants[0].hub = true;
    memcpy(participants[1].bic8, other_bic, sizeof participants[1].bic8);
    participants[1].password_file = other_file;
    return good;
}

static bool read_environment(void)
{
    static char text[512];
    const char *broker = getenv("STE_TEST_BROKER");
    cluster.broker.management = getenv("STE_TEST_MANAGEMENT");
    if (!broker || !cluster.broker.management)
        return false;
    snprintf(text, sizeof text, "%s", broker);
    char *rest = text;
    const char *parts[4];
    for (int i = 0; i < 4; i++)
        parts[i] = strsep(&rest, i < 3 ? ":" : "");
    if (!parts[3])
        return false;
    cluster.broker.host = parts[0];
    cluster.broker.port = (unsigned)atoi(parts[1]);
    cluster.broker.users[STE_ROLE_ADMIN] = (struct ste_login){parts[2], parts[3]};
    snprintf(secret_files[STE_ROLE_ADMIN], sizeof secret_files[STE_ROLE_ADMIN], "%s", parts[3]);
    return true;
}

static void remove_file(const char *file)
{
    if (file[0])
        unlink(file);
}

static int clean_up(void **state)
{
    (void)state;
    (void)!ste_api_send(&api, STE_HTTP_DELETE, STE_API_PATH("vhosts", vhost), (struct ste_bytes){0},
                        NULL);
    for (int role = STE_ROLE_ROUTER; role < STE_ROLE_COUNT; role++) {
        (void)!ste_api_send(&api, STE_HTTP_DELETE,
                            STE_API_PATH("users", cluster.broker.users[role].user),
                            (struct ste_bytes){0}, NULL);
        remove_file(secret_files[role]);
    }
    (void)!ste_api_send(&api, STE_HTTP_DELETE, STE_API_PATH("users", other_bic),
                        (struct ste_bytes){0}, NULL);
    remove_file(other_file);
    rmdir(folder);
    ste_api_close(&api);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_from_nothing_and_again),
        cmocka_unit_test(test_what_was_changed_is_named_and_corrected),
        cmocka_unit_test(test_what_cannot_be_corrected),
        cmocka_unit_test(test_rights_hold),
        cmocka_unit_test(test_dead_letters_arrive),
        cmocka_unit_test(test_wrong_admin_password),
    };
    if (!read_environment()) {
        puts("skipped: STE_TEST_BROKER and STE_TEST_MANAGEMENT are not set");
        return SKIPPED;
    }
    if (!set_names() || ste_api_open(&cluster, &api, &err) != STE_OK) {
        fprintf(stderr, "could not prepare: %s\n", err.text);
        return 1;
    }
    return cmocka_run_group_tests(tests, NULL, clean_up);
}
