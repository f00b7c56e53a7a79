/* SPDX-License-Identifier: Apache-2.0
 * Stops 6 and 7 of a worker, as far as they need no shard: what is checked, and which trade and
 * which siblings a record meets. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "node/rules/fixture.h"
#include "node/worker.h"

enum { WORKS_MAX = 8 };

struct setting {
    struct ste_fixture *fixture;
    struct ste_node_worker worker;
    struct ste_work *works[WORKS_MAX];
    struct ste_trade_key_row keys[WORKS_MAX];
    struct ste_trade_row rows[WORKS_MAX];
    struct ste_trade *trades[WORKS_MAX];
    struct ste_loaded loaded;
    struct ste_range range;
    struct ste_effects effects;
};

static int open_setting(void **state)
{
    struct setting *const setting = calloc(1, sizeof(*setting));
    struct ste_error err = {0};
    *state = setting;
    if (setting == NULL || ste_fixture_open((void **)&setting->fixture) != 0)
        return -1;
    setting->worker.rules = setting->fixture->rules;
    setting->worker.attempt = setting->fixture->arena;
    setting->loaded = (struct ste_loaded){
        .keys = setting->keys, .rows = setting->rows, .trades = setting->trades};
    setting->range.works = setting->works;
    return ste_batch_init(&setting->worker.batch, &err) == STE_OK ? 0 : -1;
}

static int close_setting(void **state)
{
    struct setting *const setting = *state;
    ste_batch_deinit(&setting->worker.batch);
    ste_fixture_close((void **)&setting->fixture);
    free(setting);
    return 0;
}

static struct ste_work *add_work(struct setting *setting, const struct ste_record *record)
{
    struct ste_work *const work = STE_ARENA_NEW(setting->fixture->arena, struct ste_work);
    struct ste_error err = {0};
    assert_true(work != NULL && setting->range.count < WORKS_MAX);
    work->record = *record;
    setting->works[setting->range.count++] = work;
    if (ste_node_check(&setting->worker, work, &err) != STE_OK)
        fail_msg("%s", err.text);
    return work;
}

/* As ste_node_load would have it: one new trade a key. */
static void load_new_trades(struct setting *setting)
{
    for (size_t i = 0; i < setting->range.count; i++) {
        struct ste_work *const work = setting->works[i];
        if (!work->needs_trade)
            continue;
        assert_true(ste_trade_identify(&work->record.message, &setting->worker.rules.match_key,
                                       setting->fixture->arena, &work->id));
        size_t at = 0;
        while (at < setting->loaded.count &&
               !ste_hash_equal(setting->keys[at].trade_key, work->id.trade_key))
            at++;
        work->trade_index = at;
        if (at < setting->loaded.count)
            continue;
        setting->keys[at] = (struct ste_trade_key_row){.trade_date = work->id.trade_date,
                                                       .trade_key = work->id.trade_key,
                                                       .match_hash = work->id.match_hash};
        setting->trades[at] = ste_trade_new(setting->fixture->arena, &work->id);
        assert_non_null(setting->trades[at]);
        setting->loaded.count++;
    }
}

static void decide(struct setting *setting)
{
    struct ste_error err = {0};
    load_new_trades(setting);
    if (ste_node_decide(&setting->worker, setting->range, &setting->loaded, &setting->effects,
                        &err) != STE_OK)
        fail_msg("%s", err.text);
}

static size_t count_replies(const struct setting *setting, enum ste_reply_kind kind,
                            const char *stage)
{
    size_t count = 0;
    for (size_t i = 0; i < setting->effects.reply_count; i++)
        count += setting->effects.replies[i].kind == kind &&
                 ste_bytes_equal(setting->effects.replies[i].stage, ste_bytes_of(stage));
    return count;
}

static void test_what_needs_a_trade(void **state)
{
    struct setting *const setting = *state;
    struct ste_fixture *const fixture = setting->fixture;
    struct ste_record *const stq = ste_fixture_record(fixture, "NOE", NULL);
    stq->message.function = STE_FUNCTION_CANC;
    struct ste_record *const refused = ste_fixture_record(fixture, "NOE", NULL);
    refused->message.type = STE_TYPE_EXC;
    refused->message.exc.code = STE_C_XSND;
    assert_true(add_work(setting, ste_fixture_record(fixture, "NOE", NULL))->needs_trade);
    /* Refused for its content, but its reference may be a repeated one: that needs the trade. */
    struct ste_work *const bad =
        add_work(setting, ste_fixture_record(fixture, "NOE", "Instrument=US0378331003", NULL));
    assert_true(bad->needs_trade && bad->checked.rejected);
    struct ste_work *const future =
        add_work(setting, ste_fixture_record(fixture, "NOE", "TradeDate=2026-12-01", NULL));
    assert_false(future->needs_trade);
    assert_true(future->checked.day_refused);
    struct ste_work *const unsupported = add_work(setting, stq);
    assert_false(unsupported->needs_trade);
    assert_true(unsupported->checked.unsupported);
    struct ste_work *const exc = add_work(setting, refused);
    assert_false(exc->needs_trade);
    assert_int_equal(exc->checked.finding_count, 0);
}

/* Seven messages of a trade in one batch: each meets the trade as the one before left it. */
static void test_records_of_one_trade_in_one_batch(void **state)
{
    static const char *const names[] = {"SET-2", "NPR-1", "ALB-1", "NOE",
                                        "SET-1", "ALB-2", "NPR-2"};
    struct setting *const setting = *state;
    for (size_t i = 0; i < 7; i++)
        (void)add_work(setting, ste_fixture_record(setting->fixture, names[i], NULL));
    decide(setting);
    assert_int_equal(setting->loaded.count, 1);
    assert_int_equal(setting->effects.message_count, 7);
    assert_int_equal(setting->effects.clearing_count, 1);
    assert_int_equal(setting->effects.exception_count, 0);
    for (size_t i = 0; i < 7; i++) /* message rows in queue order: ids are given by that */
        assert_ptr_equal(setting->effects.messages[i].record, &setting->works[i]->record);
}

/* An EXC names no trade: a key of zeros would be one. */
static void test_an_exc_has_no_trade_key(void **state)
{
    struct setting *const setting = *state;
    struct ste_record *const refused = ste_fixture_record(setting->fixture, "NOE", NULL);
    refused->message.type = STE_TYPE_EXC;
    refused->message.exc = (struct ste_finding){.code = STE_C_XSND, .level = STE_LEVEL_REJECT};
    (void)add_work(setting, refused);
    decide(setting);
    assert_int_equal(setting->effects.exception_count, 1);
    assert_int_equal(setting->effects.reply_count, 1);
    assert_int_equal(setting->effects.replies[0].kind, STE_REPLY_EXC);
    assert_int_equal(setting->effects.replies[0].trade_key.len, 0);
}

static void test_siblings_in_the_batch(void **state)
{
    struct setting *const setting = *state;
    (void)add_work(setting, ste_fixture_record(setting->fixture, "NOE", NULL));
    (void)add_work(setting,
                   ste_fixture_record(setting->fixture, "SET-1", "TradeDate=2026-11-23", NULL));
    decide(setting);
    assert_int_equal(setting->loaded.count, 2);
    assert_true(count_replies(setting, STE_REPLY_NMA, "KEY") > 0);
}

static void test_who_is_no_sibling(void **state)
{
    static const char *const others[] = {
        "TradeDate=2026-11-22", /* eight days away */
        "TradeReference=SGX20261130000124",
    };
    struct setting *const setting = *state;
    (void)add_work(setting, ste_fixture_record(setting->fixture, "NOE", NULL));
    for (size_t i = 0; i < 2; i++)
        (void)add_work(setting, ste_fixture_record(setting->fixture, "SET-1", others[i], NULL));
    decide(setting);
    assert_int_equal(setting->loaded.count, 3);
    assert_int_equal(count_replies(setting, STE_REPLY_NMA, "KEY"), 0);
}

/* Placeholders of the batch are no siblings before something was accepted there. */
static void test_an_empty_trade_is_no_sibling(void **state)
{
    struct setting *const setting = *state;
    (void)add_work(setting, ste_fixture_record(setting->fixture, "NOE", NULL));
    (void)add_work(setting, ste_fixture_record(setting->fixture, "SET-1", "TradeDate=2026-11-27",
                                               "Instrument=US0378331003", NULL));
    decide(setting);
    assert_int_equal(setting->loaded.count, 2);
    assert_int_equal(setting->effects.exception_count, 1);
    assert_int_equal(count_replies(setting, STE_REPLY_NMA, "KEY"), 0);
    assert_true(ste_trade_is_empty(setting->trades[1]));
}

static void test_siblings_of_the_database(void **state)
{
    struct setting *const setting = *state;
    struct ste_fixture *const fixture = setting->fixture;
    ste_fixture_send(fixture, ste_fixture_record(fixture, "NOE", "TradeDate=2026-11-30", NULL));
    struct ste_trade_row row = {.trade_date = fixture->id.trade_date,
                                .trade_key = fixture->id.trade_key,
                                .match_hash = fixture->id.match_hash};
    setting->loaded.siblings = &fixture->trade;
    setting->loaded.sibling_rows = &row;
    setting->loaded.sibling_count = 1;
    (void)add_work(setting, ste_fixture_record(fixture, "SET-1", "TradeDate=2026-11-27", NULL));
    decide(setting);
    assert_true(count_replies(setting, STE_REPLY_NMA, "KEY") > 0);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, open_setting, close_setting)
    const struct CMUnitTest tests[] = {
        TEST(test_what_needs_a_trade),       TEST(test_records_of_one_trade_in_one_batch),
        TEST(test_an_exc_has_no_trade_key),  TEST(test_siblings_in_the_batch),
        TEST(test_who_is_no_sibling),        TEST(test_an_empty_trade_is_no_sibling),
        TEST(test_siblings_of_the_database),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
