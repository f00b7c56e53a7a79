/* SPDX-License-Identifier: Apache-2.0
 * The checker against a real server (STE_TEST_SHARD is its socket): three standard trades as the
 * engine would store them, then one row deleted, copied, moved to another trade's slot, or made up,
 * each by plain SQL. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "admin/check.h"
#include "dbshard/internal.h"
#include "dbshard/shard_lab.h"
#include "msg/signature.h"

enum { TRADES = 3, MESSAGES_PER_TRADE = 7 };

struct live {
    struct ste_shard_lab lab;
    struct ste_arena *arena;
    struct ste_shard *node, *root;
    char sent[64], cls[64];
};

static void ok(enum ste_code rc, const struct ste_error *err)
{
    if (rc != STE_OK)
        fail_msg("%s: %s", ste_code_name(rc), err->text);
}

static const struct part {
    enum ste_type type;
    const char *name, *sender, *account, *quantity;
} parts[MESSAGES_PER_TRADE] = {
    {STE_TYPE_NOE, "NOE", "BROKSGSG", "", "1000"},
    {STE_TYPE_ALB, "ALB", "INVMSGSG", "A-1", "600"},
    {STE_TYPE_ALB, "ALB", "INVMSGSG", "A-2", "400.0"},
    {STE_TYPE_NPR, "NPR", "BROKSGSG", "A-1", "600"},
    {STE_TYPE_NPR, "NPR", "BROKSGSG", "A-2", "400"},
    {STE_TYPE_SET, "SET", "INVMSGSG", "A-1", "600"},
    {STE_TYPE_SET, "SET", "INVMSGSG", "A-2", "400"},
};

static struct ste_bytes body_of(struct ste_arena *arena, unsigned trade, unsigned place)
{
    const struct part *part = &parts[place];
    return ste_bytes_of(ste_arena_printf(
        arena,
        "<TradeMessage type=\"%s\" function=\"NEWM\"><Reference>R %u-%u</Reference>"
        "<Sender>%s</Sender><TradeReference>SGX%u</TradeReference>"
        "<TradeDate>2026-11-30</TradeDate><Quantity unit=\"UNIT\">%s</Quantity>"
        "<Broker>BROKSGSG</Broker><Manager>INVMSGSG</Manager></TradeMessage>",
        part->name, trade, place, part->sender, trade, part->quantity));
}

static void write_trade(struct live *live, FILE *sent, FILE *cls, unsigned trade)
{
    static const uint8_t sha256[32] = {0};
    struct ste_message_row rows[MESSAGES_PER_TRADE];
    uint64_t ids[MESSAGES_PER_TRADE];
    struct ste_trade_row loaded;
    struct ste_match_key match_key = {{STE_F_TRADE_REFERENCE}, 1};
    struct ste_trade_id id;
    struct ste_error err = {0};
    char key[33], delivery[16];
    snprintf(delivery, sizeof(delivery), "d-%u", trade);
    fprintf(sent, "D %s %d 1\n", delivery, MESSAGES_PER_TRADE);
    for (unsigned i = 0; i < MESSAGES_PER_TRADE; i++) {
        struct ste_bytes body = body_of(live->arena, trade, i);
        uint8_t body_sha256[32];
        char hex[17];
        assert_true(ste_check_identify(body, &match_key, live->arena, &id));
        rows[i] = (struct ste_message_row){
            .trade_date = id.trade_date,
            .trade_key = id.trade_key,
            .slot = id.slot,
            .type = parts[i].type,
            .function = STE_FUNCTION_NEWM,
            .sender8 = ste_bytes_of(parts[i].sender),
            .reference = ste_bytes_of(ste_arena_printf(live->arena, "R %u-%u", trade, i)),
            .account = ste_bytes_of(parts[i].account),
            .delivery_id = ste_bytes_of(delivery),
            .delivery_index = i,
            .signed_sha256 = sha256,
            .body = body};
        ste_sha256(body, body_sha256);
        ste_hex(body_sha256, 8, hex);
        ste_hex(id.trade_key.bytes, 16, key);
        fprintf(sent, "M %u %s %s R%%20%u-%u %s\n", i, parts[i].sender, key, trade, i, hex);
    }
    fprintf(cls, "C %s.1 1\n", key);
    struct ste_trade_key_row lock = {id.trade_date, id.trade_key, id.match_hash, id.slot,
                                     id.identity};
    struct ste_trade_save save = {.trade_date = id.trade_date,
                                  .trade_key = id.trade_key,
                                  .match_hash = id.match_hash,
                                  .slot = id.slot,
                                  .identity = id.identity,
                                  .state = STE_BYTES("state"),
                                  .status = 3,
                                  .settlement_date = STE_DATE_NONE,
                                  .cls_version = 1};
    ok(ste_shard_begin(live->node, &err), &err);
    ok(ste_shard_lock_and_load(live->node, &lock, 1, live->arena, &loaded, &err), &err);
    ste_shard_compress(live->node, trade == 1);
    ok(ste_shard_insert_messages(live->node, rows, MESSAGES_PER_TRADE, ids, &err), &err);
    ok(ste_shard_save_trades(live->node, &save, 1, &err), &err);
    ok(ste_shard_commit(live->node, &err), &err);
}

static void check_now(struct live *live, struct ste_check_result *result)
{
    const char *files[1] = {live->sent};
    struct ste_check check = {.sent_files = files};
    struct ste_error err = {0};
    ok(ste_check_read_sent(&check, live->sent, 0, &err), &err);
    ok(ste_check_read_cls(&check, live->cls, &err), &err);
    ok(ste_check_read_shard(&check, &live->lab.cluster, 0, &err), &err);
    ste_check_compare(&check, result);
    ste_check_deinit(&check);
}

static void sql(struct live *live, const char *text)
{
    struct ste_error err = {0};
    ok(ste_shard_run(live->root, ste_bytes_of(text), "tamper", &err), &err);
}

static void assert_only(const struct ste_check_result *result, enum ste_check_fault fault,
                        uint64_t count, const char *name)
{
    for (unsigned i = 0; i < STE_CHECK_FAULT_COUNT; i++) {
        if (result->faults[i] != (i == fault ? count : 0))
            fail_msg("%s is %u: %s", ste_check_fault_name(i), (unsigned)result->faults[i],
                     result->named[i].names[0]);
    }
    if (count && !strstr(result->named[fault].names[0], name))
        fail_msg("\"%s\" does not name \"%s\"", result->named[fault].names[0], name);
}

#define COLUMNS                                                                                    \
    "trade_date,trade_key,slot,type,`function`,sender,reference,account,key_id,delivery_id,"       \
    "delivery_index,signed_sha256,received_us,encoding,body"

/* Each fault is put in, named, and taken back by undoing it. */
static void test_each_fault_is_named(void **state)
{
    struct live *live = *state;
    struct ste_check_result *result = calloc(1, sizeof(*result));
    assert_non_null(result);
    check_now(live, result);
    assert_only(result, STE_CHECK_LOST, 0, "");
    assert_int_equal(result->stored, TRADES * MESSAGES_PER_TRADE);
    assert_int_equal(result->cleared, TRADES);

    sql(live, "CREATE TABLE kept AS SELECT * FROM message WHERE reference='R 1-4'");
    sql(live, "DELETE FROM message WHERE reference='R 1-4'");
    check_now(live, result);
    assert_only(result, STE_CHECK_LOST, 1, "R%201-4");
    sql(live, "INSERT INTO message SELECT * FROM kept");

    sql(live, "INSERT INTO message (" COLUMNS ") SELECT " COLUMNS " FROM kept");
    check_now(live, result);
    assert_only(result, STE_CHECK_DUPLICATE, 1, "a copy of a stored row");
    sql(live, "DELETE FROM message WHERE reference='R 1-4' AND id NOT IN (SELECT id FROM kept)");

    sql(live, "UPDATE message SET slot=(slot+1)%720720 WHERE reference='R 2-0'");
    check_now(live, result);
    assert_only(result, STE_CHECK_MISPLACED, 1, "another place");
    sql(live, "UPDATE message SET slot=(slot+720719)%720720 WHERE reference='R 2-0'");

    sql(live, "UPDATE trade SET match_hash=trade_key WHERE identity LIKE 'SGX2|%'");
    check_now(live, result);
    assert_only(result, STE_CHECK_MISPLACED, 1, "trade");

    sql(live, "DELETE FROM trade WHERE identity LIKE 'SGX2|%'");
    check_now(live, result);
    assert_int_equal(result->faults[STE_CHECK_MISPLACED], MESSAGES_PER_TRADE);
    assert_int_equal(result->faults[STE_CHECK_PHANTOM], 1); /* its CLS */
    free(result);
}

static int set_up(void **state)
{
    static struct live live;
    struct ste_error err = {0};
    const char *socket = getenv("STE_TEST_SHARD");
    ste_date date = 0;
    live.arena = ste_arena_new(0);
    assert_true(ste_date_parse(STE_BYTES("2026-11-30"), &date));
    ok(ste_shard_lab_init(&live.lab, &socket, 1, date, &err), &err);
    ok(ste_shard_open(&live.lab.cluster, 0, STE_DB_NODE, &live.node, &err), &err);
    ok(ste_shard_open(&live.lab.cluster, 0, STE_DB_MIGRATOR, &live.root, &err), &err);
    snprintf(live.sent, sizeof(live.sent), "%s/ste-check-sent-%d", P_tmpdir, (int)getpid());
    snprintf(live.cls, sizeof(live.cls), "%s/ste-check-cls-%d", P_tmpdir, (int)getpid());
    FILE *sent = fopen(live.sent, "w"), *cls = fopen(live.cls, "w");
    assert_true(sent && cls);
    for (unsigned trade = 0; trade < TRADES; trade++)
        write_trade(&live, sent, cls, trade);
    assert_int_equal(fclose(sent) | fclose(cls), 0);
    *state = &live;
    return 0;
}

static int tear_down(void **state)
{
    struct live *live = *state;
    ste_shard_close(live->node);
    ste_shard_close(live->root);
    ste_shard_lab_deinit(&live->lab);
    ste_arena_free(live->arena);
    unlink(live->sent);
    unlink(live->cls);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_each_fault_is_named)};
    if (!getenv("STE_TEST_SHARD")) {
        printf("skipped: STE_TEST_SHARD names no database socket\n");
        return 77;
    }
    return cmocka_run_group_tests_name("check, live", tests, set_up, tear_down);
}
