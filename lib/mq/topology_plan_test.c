/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <regex.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "mq/topology_plan.h"

static const struct ste_topology_sizes sizes = {
    .in = 1, .work = 2, .suspect = 3, .cls = 4, .reply = 5, .exception = 6, .dead = 7};
static const struct ste_topology_participant participants[] = {{"BROKSGSG", "/secrets/brok", false},
                                                               {"INVMSGSG", NULL, false},
                                                               {"HUBBSGSG", "/secrets/hub", true}};

static struct ste_cluster cluster_of(unsigned shards)
{
    struct ste_cluster cluster = {.shard_count = shards};
    const char *const users[STE_ROLE_COUNT] = {"ste-admin",    "ste-router",   "ste-node",
                                               "ste-clearing", "ste-operator", "STEHSGSG"};
    for (int role = 0; role < STE_ROLE_COUNT; role++)
        cluster.broker.users[role] = (struct ste_login){users[role], "/secrets/role"};
    return cluster;
}

static void build(struct ste_arena *arena, unsigned shards, unsigned major, struct ste_plan *plan)
{
    struct ste_cluster cluster = cluster_of(shards);
    assert_int_equal(ste_plan_build(&cluster, participants, 3, &sizes, major, arena, plan, NULL),
                     STE_OK);
}

static bool matches(const char *pattern, const char *name)
{
    regex_t regex;
    assert_int_equal(regcomp(&regex, pattern, REG_EXTENDED | REG_NOSUB), 0);
    bool found = regexec(&regex, name, 0, NULL, 0) == 0;
    regfree(&regex);
    return found;
}

static void test_each_queue_has_exactly_its_policy(void **state)
{
    struct ste_plan plan;
    build(*state, 16, 3, &plan);
    assert_int_equal(plan.queue_count, 4 + 16 * 6 + 3);
    assert_int_equal(plan.binding_count, plan.queue_count);
    for (size_t q = 0; q < plan.queue_count; q++) {
        unsigned applying = 0;
        for (size_t p = 0; p < STE_PLAN_POLICIES; p++) {
            if (!matches(plan.policies[p].pattern, plan.queues[q].name))
                continue;
            applying++;
            assert_string_equal(plan.policies[p].name, plan.queues[q].policy);
        }
        assert_int_equal(applying, 1);
    }
    /* A submitter's own queue must not drop answers. */
    for (size_t p = 0; p < STE_PLAN_POLICIES; p++)
        assert_false(matches(plan.policies[p].pattern, "ste.reply.STEHSGSG.a1b2c3d4"));
}

static const struct ste_plan_field *field(const struct ste_plan *plan, const char *policy,
                                          const char *key)
{
    for (size_t p = 0; p < STE_PLAN_POLICIES; p++)
        for (size_t i = 0; i < plan->policies[p].field_count; i++)
            if (strcmp(plan->policies[p].name, policy) == 0 &&
                strcmp(plan->policies[p].fields[i].key, key) == 0)
                return &plan->policies[p].fields[i];
    return NULL;
}

static void test_policies_are_complete(void **state)
{
    struct ste_plan plan;
    const struct {
        const char *policy, *overflow;
        int64_t bytes, delivery_limit; /* 0: none */
    } cases[] = {
        {"ste-in", "reject-publish", 1, 0},      {"ste-work", "reject-publish", 2, 20},
        {"ste-suspect", "reject-publish", 3, 3}, {"ste-cls", "reject-publish", 4, 0},
        {"ste-reply", "drop-head", 5, 0},        {"ste-exception", "drop-head", 6, 0},
        {"ste-dead", "reject-publish", 7, 0},
    };
    for (unsigned major = 3; major <= 4; major++) {
        build(*state, 2, major, &plan);
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
            const char *policy = cases[i].policy;
            const struct ste_plan_field *limit = field(&plan, policy, "delivery-limit");
            assert_string_equal(field(&plan, policy, "overflow")->text, cases[i].overflow);
            assert_true(field(&plan, policy, "max-length-bytes")->number == cases[i].bytes);
            if (cases[i].delivery_limit > 0) {
                assert_true(limit->number == cases[i].delivery_limit);
                assert_string_equal(field(&plan, policy, "dead-letter-exchange")->text, "ste.dlx");
                assert_string_equal(field(&plan, policy, "dead-letter-strategy")->text,
                                    "at-least-once");
            } else {
                assert_null(field(&plan, policy, "dead-letter-exchange"));
                assert_true(major < 4 ? limit == NULL : limit->number == -1);
            }
        }
    }
}

static void test_suspects_have_one_consumer(void **state)
{
    struct ste_plan plan;
    build(*state, 3, 3, &plan);
    for (size_t i = 0; i < plan.queue_count; i++)
        assert_int_equal(plan.queues[i].single_consumer,
                         strncmp(plan.queues[i].name, "ste.suspect.", 12) == 0);
}

static void test_bindings(void **state)
{
    const char *const expected[][3] = {
        {"ste.in", "ste.in", ""},
        {"ste.dlx", "ste.dead", ""},
        {"ste.out", "ste.cls", "cls.*"},
        {"ste.out", "ste.exception", "exc.*"},
        {"ste.work", "ste.noe.00", "noe.00"},
        {"ste.work", "ste.exc.01", "exc.01"},
        {"ste.work", "ste.suspect.01", "suspect.01"},
        {"ste.out", "ste.reply.INVMSGSG", "reply.INVMSGSG"},
    };
    struct ste_plan plan;
    build(*state, 2, 3, &plan);
    for (size_t e = 0; e < sizeof expected / sizeof *expected; e++) {
        unsigned found = 0;
        for (size_t i = 0; i < plan.binding_count; i++)
            found += strcmp(plan.bindings[i].exchange, expected[e][0]) == 0 &&
                     strcmp(plan.bindings[i].queue, expected[e][1]) == 0 &&
                     strcmp(plan.bindings[i].key, expected[e][2]) == 0;
        assert_int_equal(found, 1);
    }
}

static const struct ste_plan_user *user(const struct ste_plan *plan, const char *name)
{
    for (size_t i = 0; i < plan->user_count; i++)
        if (strcmp(plan->users[i].login.user, name) == 0)
            return &plan->users[i];
    return NULL;
}

/* Every right that FAULTS section 4 gives, and that nothing else is given: each name of the broker
 * against each user. */
static void test_rights(void **state)
{
    const char *const names[] = {"ste.in",
                                 "ste.work",
                                 "ste.out",
                                 "ste.dlx",
                                 "ste.dead",
                                 "ste.cls",
                                 "ste.noe.00",
                                 "ste.suspect.15",
                                 "ste.exception",
                                 "ste.control",
                                 "ste.reply.BROKSGSG",
                                 "ste.reply.BROKSGSG.x1",
                                 "ste.reply.STEHSGSG.x1",
                                 "ste.reply.BROKSGSGX",
                                 "amq.default",
                                 "ste.control.router.router-1",
                                 "ste.control.node.node-1"};
    const struct {
        const char *user, *configure, *write, *read; /* blank-separated names */
    } cases[] = {
        {"ste-router", "ste.control.router.router-1",
         "ste.work ste.control ste.control.router.router-1",
         "ste.in ste.dead ste.control ste.control.router.router-1"},
        {"ste-node", "ste.control.node.node-1",
         "ste.out ste.work ste.control ste.control.node.node-1",
         "ste.noe.00 ste.suspect.15 ste.control ste.control.node.node-1"},
        {"ste-clearing", "", "", "ste.cls"},
        {"ste-operator", "", "", "ste.exception"},
        {"BROKSGSG", "ste.reply.BROKSGSG ste.reply.BROKSGSG.x1",
         "ste.in ste.reply.BROKSGSG ste.reply.BROKSGSG.x1",
         "ste.out ste.reply.BROKSGSG ste.reply.BROKSGSG.x1"},
        {"STEHSGSG", "ste.reply.STEHSGSG.x1", "ste.in ste.reply.STEHSGSG.x1",
         "ste.out ste.reply.STEHSGSG.x1"},
    };
    struct ste_plan plan;
    build(*state, 2, 3, &plan);
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        const struct ste_plan_user *u = user(&plan, cases[c].user);
        const char *const patterns[] = {u->configure, u->write, u->read};
        const char *const given[] = {cases[c].configure, cases[c].write, cases[c].read};
        for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
            char word[64], padded[256];
            snprintf(word, sizeof word, " %s ", names[n]);
            for (int right = 0; right < 3; right++) {
                snprintf(padded, sizeof padded, " %s ", given[right]);
                if (matches(patterns[right], names[n]) != (strstr(padded, word) != NULL))
                    fail_msg("%s and %s, right %d", cases[c].user, names[n], right);
            }
        }
    }
}

static void test_topic_rights(void **state)
{
    struct ste_plan plan;
    build(*state, 2, 3, &plan);
    const struct ste_plan_topic *broker = &user(&plan, "BROKSGSG")->topic;
    const struct ste_plan_topic *hub = &user(&plan, "HUBBSGSG")->topic;
    const struct ste_plan_topic *submitter = &user(&plan, "STEHSGSG")->topic;
    const struct ste_plan_topic *node = &user(&plan, "ste-node")->topic;
    assert_string_equal(broker->exchange, "ste.out");
    assert_true(matches(broker->read, "reply.BROKSGSG"));
    assert_false(matches(broker->read, "reply.INVMSGSG"));
    assert_false(matches(broker->read, "reply.#"));
    assert_false(matches(broker->read, "cls.00"));
    assert_false(matches(broker->write, "reply.BROKSGSG"));
    for (const struct ste_plan_topic *topic = hub; topic; topic = topic == hub ? submitter : NULL) {
        assert_true(matches(topic->read, "reply.INVMSGSG"));
        assert_false(matches(topic->read, "reply.*"));
        assert_false(matches(topic->read, "cls.*"));
        assert_false(matches(topic->read, "#"));
    }
    assert_true(matches(node->write, "cls.15") && matches(node->write, "reply.INVMSGSG") &&
                matches(node->write, "exc.00"));
    assert_false(matches(node->read, "cls.15"));
}

static void test_users(void **state)
{
    struct ste_plan plan;
    build(*state, 2, 3, &plan);
    assert_int_equal(plan.user_count, 5 + 2 + 1); /* roles, participants with a file, submitter */
    assert_null(user(&plan, "INVMSGSG"));
    assert_true(user(&plan, "ste-admin")->administrator);
    assert_string_equal(user(&plan, "BROKSGSG")->login.password_file, "/secrets/brok");

    const struct ste_topology_participant twice[] = {participants[0], participants[0]};
    struct ste_cluster map = cluster_of(2);
    assert_int_equal(ste_plan_build(&map, twice, 2, &sizes, 3, *state, &plan, NULL), STE_OK);
    assert_int_equal(plan.user_count, 5 + 1 + 1);

    /* A submitter that is in the list has that participant's rights, and its own password file. */
    struct ste_cluster cluster = cluster_of(2);
    cluster.broker.users[STE_ROLE_SUBMITTER].user = "BROKSGSG";
    assert_int_equal(ste_plan_build(&cluster, participants, 3, &sizes, 3, *state, &plan, NULL),
                     STE_OK);
    assert_int_equal(plan.user_count, 5 + 2);
    assert_false(matches(user(&plan, "BROKSGSG")->topic.read, "reply.INVMSGSG"));
    assert_string_equal(user(&plan, "BROKSGSG")->login.password_file, "/secrets/role");
}

/* Names become parts of patterns. */
static void test_odd_names_are_refused(void **state)
{
    struct ste_plan plan;
    struct ste_cluster cluster = cluster_of(2);
    const struct ste_topology_participant odd = {.bic8 = "BROK.*SG"};
    assert_int_equal(ste_plan_build(&cluster, &odd, 1, &sizes, 3, *state, &plan, NULL),
                     STE_E_CONFIG);
    cluster.broker.users[STE_ROLE_SUBMITTER].user = "ste-submitter";
    assert_int_equal(ste_plan_build(&cluster, NULL, 0, &sizes, 3, *state, &plan, NULL),
                     STE_E_CONFIG);
}

static int set_up(void **state)
{
    *state = ste_arena_new(0);
    return *state ? 0 : -1;
}

static int tear_down(void **state)
{
    ste_arena_free(*state);
    return 0;
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(test_each_queue_has_exactly_its_policy),
        TEST(test_policies_are_complete),
        TEST(test_suspects_have_one_consumer),
        TEST(test_bindings),
        TEST(test_rights),
        TEST(test_topic_rights),
        TEST(test_users),
        TEST(test_odd_names_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
