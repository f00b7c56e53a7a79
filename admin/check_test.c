/* SPDX-License-Identifier: Apache-2.0
 * The checker itself: a deleted, a copied, a misplaced, a phantom row and a missing CLS are each
 * found and named, and nothing else is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "admin/check.h"

enum { TRADES = 5, MESSAGES_PER_TRADE = 7, ALL = TRADES * MESSAGES_PER_TRADE };

struct world {
    struct ste_check check;
    struct ste_check_result result;
};

static struct ste_hash key_of(unsigned trade)
{
    return (struct ste_hash){{(uint8_t)(0xa0 + trade), [15] = (uint8_t)trade}};
}

static struct ste_check_sent *add_sent(struct world *world, unsigned trade, unsigned place,
                                       uint64_t delivery64, uint32_t index)
{
    struct ste_check_sent *sent = ste_check_add(&world->check.sent, sizeof(*sent));
    assert_non_null(sent);
    *sent = (struct ste_check_sent){.trade_key = key_of(trade),
                                    .message64 = 1000 + place,
                                    .sha64 = trade * 100 + place,
                                    .delivery64 = delivery64,
                                    .index = index,
                                    .offset = world->check.sent.count};
    return sent;
}

static struct ste_check_message *add_row(struct world *world, unsigned trade, unsigned place)
{
    static const uint8_t types[] = {STE_TYPE_NOE, STE_TYPE_ALB, STE_TYPE_ALB, STE_TYPE_NPR,
                                    STE_TYPE_NPR, STE_TYPE_SET, STE_TYPE_SET};
    struct ste_check_message *row = ste_check_add(&world->check.messages, sizeof(*row));
    assert_non_null(row);
    *row = (struct ste_check_message){.trade_key = key_of(trade),
                                      .message64 = 1000 + place,
                                      .sha64 = trade * 100 + place,
                                      .delivery64 = 7000 + trade,
                                      .index = place,
                                      .id = trade * 100 + place,
                                      .account64 = place == 0 ? 0 : (place + 1) / 2 * 2 - place + 5,
                                      .quantity = place == 0 ? 300000 : 150000,
                                      .type = types[place],
                                      .shard = (uint8_t)(trade % 2)};
    return row;
}

static struct ste_check_trade *add_trade(struct world *world, unsigned trade)
{
    struct ste_check_trade *row = ste_check_add(&world->check.trades, sizeof(*row));
    assert_non_null(row);
    *row = (struct ste_check_trade){
        .trade_key = key_of(trade), .cls_version = 1, .shard = (uint8_t)(trade % 2), .status = 3};
    return row;
}

static struct ste_check_cls *add_cls(struct world *world, unsigned trade, uint64_t version)
{
    struct ste_check_cls *cls = ste_check_add(&world->check.cls, sizeof(*cls));
    assert_non_null(cls);
    *cls = (struct ste_check_cls){key_of(trade), version};
    return cls;
}

static void add_exception(struct world *world, uint64_t delivery64, uint32_t index,
                          uint32_t repeats, bool cut)
{
    struct ste_check_exception *row = ste_check_add(&world->check.exceptions, sizeof(*row));
    assert_non_null(row);
    *row = (struct ste_check_exception){
        .delivery64 = delivery64, .index = index, .repeats = repeats, .cut = cut, .code = "XWEL"};
}

static void add_span(struct world *world, uint64_t sha64, uint64_t delivery64, uint32_t index,
                     uint32_t repeats)
{
    struct ste_check_span *span = ste_check_add(&world->check.spans, sizeof(*span));
    assert_non_null(span);
    *span = (struct ste_check_span){sha64, delivery64, index, repeats};
}

/* Everything as it should be, out of order. */
static int set_up(void **state)
{
    struct world *world = calloc(1, sizeof(*world));
    assert_non_null(world);
    for (unsigned trade = TRADES; trade-- > 0;) {
        for (unsigned place = 0; place < MESSAGES_PER_TRADE; place++) {
            add_sent(world, trade, place, 7000 + trade, place);
            add_row(world, trade, (place + 3) % MESSAGES_PER_TRADE);
        }
        add_trade(world, trade);
        add_cls(world, trade, 1);
    }
    *state = world;
    return 0;
}

static int tear_down(void **state)
{
    struct world *world = *state;
    ste_check_deinit(&world->check);
    free(world);
    return 0;
}

/* Exactly these faults, and the first name of each holds `name` (NULL: not looked at). */
static void assert_faults(struct world *world, const uint64_t wanted[STE_CHECK_FAULT_COUNT],
                          enum ste_check_fault fault, const char *name)
{
    ste_check_compare(&world->check, &world->result);
    for (unsigned i = 0; i < STE_CHECK_FAULT_COUNT; i++) {
        if (world->result.faults[i] != wanted[i])
            fail_msg("%s is %u, not %u: %s", ste_check_fault_name(i),
                     (unsigned)world->result.faults[i], (unsigned)wanted[i],
                     world->result.named[i].names[0]);
    }
    if (name) {
        bool found = false;
        for (size_t i = 0; i < world->result.named[fault].count; i++)
            found = found || strstr(world->result.named[fault].names[i], name);
        if (!found)
            fail_msg("\"%s\" does not name \"%s\"", world->result.named[fault].names[0], name);
    }
}

#define FAULTS(lost, duplicates, phantoms, missing, misplaced)                                     \
    ((const uint64_t[STE_CHECK_FAULT_COUNT]){lost, duplicates, phantoms, missing, misplaced})

static struct ste_check_message *row_at(struct world *world, unsigned trade, unsigned place)
{
    struct ste_check_message *rows = world->check.messages.items;
    for (size_t i = 0; i < world->check.messages.count; i++) {
        if (rows[i].id == trade * 100 + place)
            return &rows[i];
    }
    return NULL;
}

static void delete_row(struct world *world, unsigned trade, unsigned place)
{
    struct ste_check_message *rows = world->check.messages.items;
    struct ste_check_message *row = row_at(world, trade, place);
    *row = rows[--world->check.messages.count];
}

static void test_clean(void **state)
{
    struct world *world = *state;
    assert_faults(world, FAULTS(0, 0, 0, 0, 0), 0, NULL);
    assert_true(ste_check_clean(&world->result));
    assert_int_equal(world->result.sent, ALL);
    assert_int_equal(world->result.stored, ALL);
    assert_int_equal(world->result.trades, TRADES);
    assert_int_equal(world->result.cleared, TRADES);
    assert_int_equal(world->result.cls, TRADES);
}

static void test_deleted_row(void **state)
{
    struct world *world = *state;
    delete_row(world, 2, 6); /* one account is still whole: the CLS itself is no phantom */
    assert_faults(world, FAULTS(1, 0, 0, 0, 0), STE_CHECK_LOST, "0000000000001b5a");
    assert_false(ste_check_clean(&world->result));
}

static void test_deleted_noe(void **state)
{
    struct world *world = *state;
    delete_row(world, 2, 0);
    assert_faults(world, FAULTS(1, 0, 1, 0, 0), STE_CHECK_PHANTOM,
                  "CLS a2000000000000000000000000000002.1: its messages are not stored");
}

static void test_copied_row(void **state)
{
    struct world *world = *state;
    struct ste_check_message *copy = add_row(world, 3, 4);
    copy->id = 9999;
    assert_faults(world, FAULTS(0, 1, 0, 0, 0), STE_CHECK_DUPLICATE, "shard 1 message 9999");
}

/* To another shard: the copy's slot is not of that shard (the scan marks it), and it is one too
 * many. */
static void test_row_copied_to_another_shard(void **state)
{
    struct world *world = *state;
    struct ste_check_message *copy = add_row(world, 3, 4);
    copy->shard = 0;
    copy->misplaced = true;
    assert_faults(world, FAULTS(0, 1, 0, 0, 1), STE_CHECK_MISPLACED, "shard 0 message 304");
}

static void test_misplaced_row(void **state)
{
    struct world *world = *state;
    row_at(world, 1, 2)->misplaced = true;
    assert_faults(world, FAULTS(0, 0, 0, 0, 1), STE_CHECK_MISPLACED,
                  "shard 1 message 102 of trade a1000000000000000000000000000001");
}

static void test_row_away_from_its_trade(void **state)
{
    struct world *world = *state;
    row_at(world, 1, 2)->shard = 0;
    assert_faults(world, FAULTS(0, 0, 0, 0, 1), STE_CHECK_MISPLACED,
                  "its trade is not on this shard");
}

static void test_phantom_row(void **state)
{
    struct world *world = *state;
    struct ste_check_message *row = add_row(world, 4, 1);
    row->message64 = 4711;
    row->id = 4711;
    row->account64 = 5;
    row->quantity = 0;
    assert_faults(world, FAULTS(0, 0, 1, 0, 0), STE_CHECK_PHANTOM, "message 4711");
    row_at(world, 4, 1)->sha64 = 1; /* stored with other bytes than were sent */
    assert_faults(world, FAULTS(0, 0, 2, 0, 0), STE_CHECK_PHANTOM, "not those sent");
    assert_int_equal(world->result.repeats_other, 1);
}

static void test_trades(void **state)
{
    struct world *world = *state;
    struct ste_check_trade *extra = add_trade(world, 9);
    extra->status = 1;
    assert_faults(world, FAULTS(0, 0, 1, 0, 0), STE_CHECK_PHANTOM, "without messages");
    extra = world->check.trades.items;
    extra[world->check.trades.count - 1].placeholder = true; /* key 9 sorts last */
    assert_faults(world, FAULTS(0, 0, 1, 0, 0), STE_CHECK_PHANTOM, "trade a9");
    extra[world->check.trades.count - 1].trade_key = key_of(1);
    extra[world->check.trades.count - 1].placeholder = false;
    extra[world->check.trades.count - 1].shard = 0;
    extra[world->check.trades.count - 1].misplaced = true;
    assert_faults(world, FAULTS(0, 1, 0, 0, 1), STE_CHECK_MISPLACED, "shard 0 trade a1");
}

static void test_cls(void **state)
{
    struct world *world = *state;
    add_cls(world, 0, 1); /* delivered again: no fault */
    assert_faults(world, FAULTS(0, 0, 0, 0, 0), 0, NULL);
    assert_int_equal(world->result.cls_again, 1);
    add_cls(world, 0, 2);
    assert_faults(world, FAULTS(0, 0, 1, 0, 0), STE_CHECK_PHANTOM, ".2: the trade has only 1");
    add_cls(world, 9, 1);
    assert_faults(world, FAULTS(0, 0, 2, 0, 0), STE_CHECK_PHANTOM, "no such trade");
}

static void test_missing(void **state)
{
    struct world *world = *state;
    struct ste_check_cls *cls = world->check.cls.items;
    struct ste_check_trade *trades = world->check.trades.items;
    cls[0] = cls[--world->check.cls.count]; /* trade 4 */
    assert_faults(world, FAULTS(0, 0, 0, 1, 0), STE_CHECK_MISSING, "trade a4");
    trades[4].status = 1; /* the engine never noticed that it is complete: sorted by now */
    assert_faults(world, FAULTS(0, 0, 0, 1, 0), STE_CHECK_MISSING, "complete");
    trades[4].status = 2;
    assert_faults(world, FAULTS(0, 0, 0, 0, 0), 0, NULL);
    assert_int_equal(world->result.unmatched, 1);
    trades[4].status = 1;
    row_at(world, 4, 1)->quantity = 149999; /* not allocated in full: nothing is due */
    assert_faults(world, FAULTS(0, 0, 0, 0, 0), 0, NULL);
    assert_int_equal(world->result.unmatched, 0);
}

/* ---- repeats and exceptions ---- */

static void test_repeats(void **state)
{
    struct world *world = *state;
    add_sent(world, 0, 0, 1, 0);
    add_sent(world, 0, 0, 2, 0);
    struct ste_check_sent *other = add_sent(world, 0, 1, 3, 0);
    other->sha64 = 5555; /* CreatedAt differs, say */
    assert_faults(world, FAULTS(0, 0, 0, 0, 0), 0, NULL);
    assert_int_equal(world->result.repeats, 2);
    assert_int_equal(world->result.repeats_other, 1);
    add_exception(world, 3, 0, 0, false); /* other content: REFE */
    assert_faults(world, FAULTS(0, 0, 0, 0, 0), 0, NULL);
    assert_int_equal(world->result.repeats_other, 0);
    assert_int_equal(world->result.exceptions, 1);
}

static void test_refused_one(void **state)
{
    struct world *world = *state;
    struct ste_check_sent *sent = add_sent(world, 8, 0, 80, 2);
    assert_faults(world, FAULTS(1, 0, 0, 0, 0), STE_CHECK_LOST, NULL);
    add_exception(world, 80, 1, 0, false); /* its neighbour's */
    assert_faults(world, FAULTS(1, 0, 0, 0, 0), STE_CHECK_LOST, NULL);
    add_exception(world, 80, 2, 0, false);
    assert_faults(world, FAULTS(0, 0, 0, 0, 0), 0, NULL);
    assert_int_equal(world->result.exceptions, 1);
    (void)sent;
}

static void test_refused_whole(void **state)
{
    struct world *world = *state;
    for (uint32_t i = 0; i < 3; i++)
        add_sent(world, 8, i, 80, i);
    add_exception(world, 80, 0, 0, false);
    assert_faults(world, FAULTS(2, 0, 0, 0, 0), STE_CHECK_LOST, NULL);
    add_span(world, 801, 80, 0, 0);
    add_span(world, 802, 80, 0, 0);
    assert_faults(world, FAULTS(0, 0, 0, 0, 0), 0, NULL);
    assert_int_equal(world->result.exceptions, 3);
    add_sent(world, 8, 1, 81, 0); /* the same bytes in another delivery, which nobody counted */
    assert_faults(world, FAULTS(1, 0, 0, 0, 0), STE_CHECK_LOST, NULL);
    struct ste_check_span *spans = world->check.spans.items;
    spans[0].repeats = 1;
    assert_faults(world, FAULTS(0, 0, 0, 0, 0), 0, NULL);
}

static void test_refused_and_cut(void **state)
{
    struct world *world = *state;
    for (uint32_t i = 0; i < 3; i++)
        add_sent(world, 8, i, 80, i);
    add_exception(world, 80, 1, 0, true); /* from message 1 on, only the start of the bytes kept */
    assert_faults(world, FAULTS(1, 0, 0, 0, 0), STE_CHECK_LOST, NULL);
    assert_int_equal(world->result.exceptions, 2);
}

static void test_stored_and_refused(void **state)
{
    struct world *world = *state;
    add_exception(world, 7002, 3, 0, false);
    assert_faults(world, FAULTS(0, 1, 0, 0, 0), STE_CHECK_DUPLICATE, "stored and refused at once");
}

static void test_names_are_bounded(void **state)
{
    struct world *world = *state;
    world->check.messages.count = 0;
    assert_faults(world, FAULTS(ALL, 0, TRADES + TRADES, 0, 0), STE_CHECK_LOST, NULL);
    assert_int_equal(world->result.named[STE_CHECK_LOST].count, STE_CHECK_NAMED_MAX);
}

/* ---- text ---- */

static void test_elements(void **state)
{
    (void)state;
    static const struct ste_bytes body = STE_BYTES(
        "<t:TradeMessage xmlns:t='u' type=\"NOE\"><t:Quantity unit=\"UNIT\">\n 12.5 </t:Quantity>"
        "<QuantityX>9</QuantityX><Empty/><Broker>BROKSGSG</Broker><A>x&amp;y</A></t:TradeMessage>");
    assert_true(ste_bytes_equal(ste_check_element(body, "Quantity"), STE_BYTES("12.5")));
    assert_true(ste_bytes_equal(ste_check_element(body, "Broker"), STE_BYTES("BROKSGSG")));
    assert_int_equal(ste_check_element(body, "Empty").len, 0);
    assert_int_equal(ste_check_element(body, "Quant").len, 0);
    assert_int_equal(ste_check_element(body, "A").len, 0);
    assert_int_equal(ste_check_element(STE_BYTES("<!-- <B>1</B> --><B>2</B>"), "B").len, 0);
    assert_int_equal(ste_check_element(STE_BYTES("<B>2"), "B").len, 0);
    assert_int_equal(ste_check_element(STE_BYTES("<B"), "B").len, 0);
    assert_int_equal(ste_check_element(STE_BYTES(""), "B").len, 0);
    assert_int_equal(ste_check_quantity(STE_BYTES("12.5")), 1250000);
    assert_int_equal(ste_check_quantity(STE_BYTES("600")), 60000000);
    assert_int_equal(ste_check_quantity(STE_BYTES("0.00001")), 1);
    assert_int_equal(ste_check_quantity(STE_BYTES("0.000001")), -1);
    assert_int_equal(ste_check_quantity(STE_BYTES("1e3")), -1);
    assert_int_equal(ste_check_quantity(STE_BYTES("")), -1);
}

static void test_spans(void **state)
{
    (void)state;
    static const struct ste_bytes raw =
        STE_BYTES("<TradeMessages><TradeMessage>1</TradeMessage>\n<n:TradeMessage a=''>2"
                  "</n:TradeMessage ><TradeMessage>3</Trade");
    struct ste_bytes span;
    size_t at = 0;
    assert_true(ste_check_next_span(raw, &at, &span));
    assert_true(ste_bytes_equal(span, STE_BYTES("<TradeMessage>1</TradeMessage>")));
    assert_true(ste_check_next_span(raw, &at, &span));
    assert_true(ste_bytes_equal(span, STE_BYTES("<n:TradeMessage a=''>2</n:TradeMessage >")));
    assert_false(ste_check_next_span(raw, &at, &span));
}

static void test_identity(void **state)
{
    (void)state;
    static const struct ste_bytes body =
        STE_BYTES("<TradeMessage><TradeReference>SGX20261130000123</TradeReference>"
                  "<TradeDate>2026-11-30</TradeDate><Broker>BROKSGSG</Broker>"
                  "<Manager>INVMSGSG</Manager></TradeMessage>");
    const char *fields[] = {"TradeReference"};
    struct ste_match_key match_key;
    struct ste_trade_id id, again;
    char hex[33];
    struct ste_arena *arena = ste_arena_new(0);
    assert_true(ste_match_key_init(&match_key, fields, 1));
    assert_true(ste_check_identify(body, &match_key, arena, &id));
    ste_hex(id.trade_key.bytes, 16, hex); /* the vectors of docs/WIRE.md */
    assert_string_equal(hex, "69be3502f79f1528f9ffb5adbdf2f779");
    assert_int_equal(ste_shard_of_slot(id.slot, 16), 10);
    assert_true(ste_check_identify_row(id.identity, &match_key, arena, &again));
    assert_true(ste_hash_equal(again.trade_key, id.trade_key));
    assert_int_equal(again.slot, id.slot);
    assert_false(ste_check_identify_row(STE_BYTES("a|b"), &match_key, arena, &again));
    assert_false(ste_check_identify(STE_BYTES("<TradeMessage/>"), &match_key, arena, &again));
    ste_arena_free(arena);
}

/* ---- ledgers ---- */

static void write_file(const char *file, const char *text)
{
    FILE *out = fopen(file, "w");
    assert_non_null(out);
    fputs(text, out);
    assert_int_equal(fclose(out), 0);
}

static void test_ledgers(void **state)
{
    (void)state;
    char file[] = P_tmpdir "/ste-check-XXXXXX", line[80];
    struct ste_check check = {0};
    struct ste_error err = {0};
    int fd = mkstemp(file);
    assert_true(fd >= 0);
    close(fd);
    write_file(file, "D d-1 2 123456\n"
                     "M 0 BROKSGSG 69be3502f79f1528f9ffb5adbdf2f779 A%20B 00000000000000ff\n"
                     "M 1 BROKSGSG - - 0100000000000000\n"
                     "D d-2 1 123457\nM 0 BROKSG");
    assert_int_equal(ste_check_read_sent(&check, file, 3, &err), STE_OK);
    assert_int_equal(check.deliveries, 2);
    assert_int_equal(check.sent.count, 2);
    const struct ste_check_sent *sent = check.sent.items;
    assert_int_equal(sent[0].trade_key.bytes[0], 0x69);
    assert_int_equal(sent[0].sha64, 255);
    assert_int_equal(sent[0].ledger, 3);
    assert_int_equal(sent[0].message64,
                     ste_check_message64(STE_BYTES("BROKSGSGXXX"), STE_BYTES("A B")));
    assert_int_equal(sent[0].delivery64, ste_hash64_of(STE_BYTES("d-1")));
    assert_int_equal(sent[1].index, 1);
    assert_int_equal(sent[1].sha64, UINT64_C(0x0100000000000000));
    ste_check_ledger_line(file, sent[1].offset, line, sizeof(line));
    assert_string_equal(line, "M 1 BROKSGSG - - 0100000000000000");
    write_file(file, "C 69be3502f79f1528f9ffb5adbdf2f779.2 99\n\nC 69");
    assert_int_equal(ste_check_read_cls(&check, file, &err), STE_OK);
    assert_int_equal(check.cls.count, 1);
    assert_int_equal(((const struct ste_check_cls *)check.cls.items)->version, 2);
    static const char *const bad[] = {"C 69be\n", "C 69be3502f79f1528f9ffb5adbdf2f779 5\n",
                                      "C 69be.1 5\n", "X 1 2\n"};
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        write_file(file, bad[i]);
        assert_int_equal(ste_check_read_cls(&check, file, &err), STE_E_PARSE);
        assert_non_null(strstr(err.place, ":1"));
    }
    write_file(file, "M 0 BROKSGSG - - 0100000000000000\n");
    assert_int_equal(ste_check_read_sent(&check, file, 0, &err), STE_E_PARSE);
    write_file(file, "D d 1 1\nM 0 BROKSGSG - - 01000000000000\n");
    assert_int_equal(ste_check_read_sent(&check, file, 0, &err), STE_E_PARSE);
    unlink(file);
    assert_int_equal(ste_check_read_sent(&check, file, 0, &err), STE_E_FILE);
    ste_check_deinit(&check);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_clean),
        TEST(test_deleted_row),
        TEST(test_deleted_noe),
        TEST(test_copied_row),
        TEST(test_row_copied_to_another_shard),
        TEST(test_misplaced_row),
        TEST(test_row_away_from_its_trade),
        TEST(test_phantom_row),
        TEST(test_trades),
        TEST(test_cls),
        TEST(test_missing),
        TEST(test_repeats),
        TEST(test_refused_one),
        TEST(test_refused_whole),
        TEST(test_refused_and_cut),
        TEST(test_stored_and_refused),
        TEST(test_names_are_bounded),
        cmocka_unit_test(test_elements),
        cmocka_unit_test(test_spans),
        cmocka_unit_test(test_identity),
        cmocka_unit_test(test_ledgers),
    };
    return cmocka_run_group_tests_name("check", tests, NULL, NULL);
}
