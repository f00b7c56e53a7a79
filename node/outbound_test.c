/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "node/outbound.h"

enum { REPLIES_MAX = 2000 };

struct setting {
    struct ste_arena *arena;
    struct ste_reply replies[REPLIES_MAX], clearings[4];
    struct ste_effect_exception exceptions[8];
    struct ste_record records[8];
    struct ste_effects effects;
    struct ste_outbound outbound;
};

static int open_setting(void **state)
{
    struct setting *const setting = calloc(1, sizeof(*setting));
    *state = setting;
    if (setting == NULL || (setting->arena = ste_arena_new(0)) == NULL)
        return -1;
    setting->effects = (struct ste_effects){.arena = setting->arena,
                                            .replies = setting->replies,
                                            .clearings = setting->clearings,
                                            .exceptions = setting->exceptions};
    return 0;
}

static int close_setting(void **state)
{
    struct setting *const setting = *state;
    ste_arena_free(setting->arena);
    free(setting);
    return 0;
}

static void assert_text(struct ste_bytes got, const char *wanted)
{
    if (!ste_bytes_equal(got, ste_bytes_of(wanted)))
        fail_msg("\"%.*s\" is not \"%s\"", (int)got.len, got.at ? got.at : "", wanted);
}

static struct ste_reply *say(struct setting *setting, enum ste_reply_kind kind, const char *to)
{
    assert_true(setting->effects.reply_count < REPLIES_MAX);
    struct ste_reply *const reply = &setting->replies[setting->effects.reply_count++];
    *reply = (struct ste_reply){.kind = kind,
                                .to = ste_bytes_of(to),
                                .trade_reference = STE_BYTES("T-1"),
                                .trade_key = STE_BYTES("00112233445566778899aabbccddeeff"),
                                .trade_version = 3};
    return reply;
}

static struct ste_reply *say_ack(struct setting *setting, const char *to, uint32_t index)
{
    struct ste_reply *const reply = say(setting, STE_REPLY_ACK, to);
    reply->delivery = STE_BYTES("sub.1.0");
    reply->index = index;
    reply->has_index = true;
    return reply;
}

static struct ste_reply clearing_of(const char *to, unsigned version)
{
    return (struct ste_reply){.kind = STE_REPLY_CLS,
                              .to = ste_bytes_of(to),
                              .trade_key = STE_BYTES("00112233445566778899aabbccddeeff"),
                              .action = STE_BYTES("NEWM"),
                              .version = version};
}

static void build(struct setting *setting)
{
    setting->outbound = (struct ste_outbound){.arena = setting->arena, .shard = 3};
    assert_true(ste_outbound_build(&setting->outbound, &setting->effects));
}

/* The replies of a row, read back. */
static struct ste_reply *read_row(struct setting *setting, size_t row, size_t expected)
{
    struct ste_reply *replies = NULL;
    struct ste_error err = {0};
    size_t count = 0;
    assert_true(row < setting->outbound.count);
    if (ste_replies_read(setting->outbound.rows[row].body, setting->arena, &replies, &count,
                         &err) != STE_OK)
        fail_msg("%s", err.text);
    assert_int_equal(count, expected);
    assert_int_equal(setting->outbound.rows[row].record_count, expected);
    return replies;
}

static void test_nothing_said(void **state)
{
    struct setting *const setting = *state;
    build(setting);
    assert_int_equal(setting->outbound.count, 0);
}

static void test_one_delivery_a_receiver(void **state)
{
    struct setting *const setting = *state;
    say_ack(setting, "INVMSGSG", 0);
    say(setting, STE_REPLY_NMA, "BROKSGSG");
    say_ack(setting, "BROKSGSG", 1);
    say(setting, STE_REPLY_NMA, "INVMSGSG");
    say_ack(setting, "BROKSGSG", 2);
    build(setting);
    assert_int_equal(setting->outbound.count, 2);
    assert_text(setting->outbound.rows[0].routing_key, "reply.BROKSGSG");
    assert_text(setting->outbound.rows[1].routing_key, "reply.INVMSGSG");
    const struct ste_reply *const broker = read_row(setting, 0, 3);
    assert_int_equal(broker[0].kind, STE_REPLY_NMA); /* in the order they were said */
    assert_int_equal(broker[1].index, 1);
    assert_int_equal(broker[2].index, 2);
    const struct ste_reply *const manager = read_row(setting, 1, 2);
    assert_int_equal(manager[0].kind, STE_REPLY_ACK);
    assert_int_equal(manager[1].kind, STE_REPLY_NMA);
}

static void test_one_reply_has_no_cover(void **state)
{
    struct setting *const setting = *state;
    say_ack(setting, "INVMSGSG", 0);
    build(setting);
    assert_memory_equal(setting->outbound.rows[0].body.at, "<TradeReply xmlns=", 18);
    (void)read_row(setting, 0, 1);
}

static void test_split_by_size(void **state)
{
    struct setting *const setting = *state;
    for (uint32_t i = 0; i < REPLIES_MAX; i++)
        say_ack(setting, "BROKSGSG", i);
    build(setting);
    assert_true(setting->outbound.count >= 3);
    uint32_t next = 0;
    for (size_t row = 0; row < setting->outbound.count; row++) {
        const struct ste_outbox_row *const one = &setting->outbound.rows[row];
        assert_text(one->routing_key, "reply.BROKSGSG");
        assert_in_range(one->body.len, 1, STE_OUTBOUND_BODY_BYTES_MAX + 4096);
        const struct ste_reply *const replies = read_row(setting, row, one->record_count);
        for (size_t i = 0; i < one->record_count; i++)
            assert_int_equal(replies[i].index, next++);
        for (size_t other = 0; other < row; other++)
            assert_false(
                ste_bytes_equal(one->message_id, setting->outbound.rows[other].message_id));
    }
    assert_int_equal(next, REPLIES_MAX);
}

static void test_one_large_reply_is_sent_whole(void **state)
{
    struct setting *const setting = *state;
    enum { LEGS = 900 };
    struct ste_reply_leg *const legs = STE_ARENA_ARRAY(setting->arena, struct ste_reply_leg, LEGS);
    for (size_t i = 0; i < LEGS; i++)
        legs[i].account = STE_BYTES("SAFE-0001");
    struct ste_reply *const large = say(setting, STE_REPLY_MAC, "BROKSGSG");
    large->legs = legs;
    large->leg_count = LEGS;
    say_ack(setting, "BROKSGSG", 1);
    build(setting);
    assert_int_equal(setting->outbound.count, 2);
    assert_int_equal(read_row(setting, 0, 1)->leg_count, LEGS);
    assert_int_equal(read_row(setting, 1, 1)->kind, STE_REPLY_ACK);
}

static void test_a_clearing_and_its_copies(void **state)
{
    struct setting *const setting = *state;
    setting->clearings[setting->effects.clearing_count++] = clearing_of("", 1);
    say(setting, STE_REPLY_MAC, "BROKSGSG");
    static const char *const receivers[] = {"BROKSGSG", "INVMSGSG", "CUSTSGSG"};
    for (size_t i = 0; i < 3; i++)
        setting->replies[setting->effects.reply_count++] = clearing_of(receivers[i], 1);
    build(setting);
    assert_int_equal(setting->outbound.count, 3);
    const struct ste_outbox_row *const rows = setting->outbound.rows;
    /* Alone and mandatory: with further keys an unbound one would be confirmed and lost. */
    assert_text(rows[0].routing_key, "cls.03");
    assert_int_equal(rows[0].bcc_count, 0);
    assert_text(rows[0].message_id, "00112233445566778899aabbccddeeff.1");
    assert_text(rows[1].routing_key, "reply.BROKSGSG");
    assert_int_equal(rows[1].bcc_count, 2);
    assert_text(rows[1].bcc[0], "reply.INVMSGSG");
    assert_text(rows[1].bcc[1], "reply.CUSTSGSG");
    assert_text(rows[1].message_id, "00112233445566778899aabbccddeeff.1");
    assert_true(ste_bytes_equal(rows[0].body, rows[1].body)); /* every copy has the same bytes */
    assert_int_equal(read_row(setting, 1, 1)->kind, STE_REPLY_CLS);
    assert_int_equal(read_row(setting, 2, 1)->kind, STE_REPLY_MAC);
}

static void test_copies_of_two_clearings_stay_apart(void **state)
{
    struct setting *const setting = *state;
    struct ste_reply other = clearing_of("BROKSGSG", 1);
    other.trade_key = STE_BYTES("ffffffffffffffffffffffffffffffff");
    setting->replies[setting->effects.reply_count++] = clearing_of("BROKSGSG", 1);
    setting->replies[setting->effects.reply_count++] = clearing_of("BROKSGSG", 2);
    setting->replies[setting->effects.reply_count++] = other;
    build(setting);
    static const char *const ids[] = {"00112233445566778899aabbccddeeff.1",
                                      "00112233445566778899aabbccddeeff.2",
                                      "ffffffffffffffffffffffffffffffff.1"};
    assert_int_equal(setting->outbound.count, 3);
    for (size_t i = 0; i < 3; i++) {
        assert_text(setting->outbound.rows[i].message_id, ids[i]);
        assert_int_equal(setting->outbound.rows[i].bcc_count, 0);
    }
}

/* ---- exceptions ---- */

static struct ste_record *refuse(struct setting *setting, enum ste_msg_code code, bool is_rej,
                                 const char *trade_reference)
{
    const size_t i = setting->effects.exception_count++;
    struct ste_record *const record = &setting->records[i];
    *record = (struct ste_record){.delivery_id = STE_BYTES("sub.1.0"),
                                  .message = {.type = STE_TYPE_EXC, .index = (uint32_t)i}};
    record->message.fields[STE_F_TRADE_REFERENCE].value = ste_bytes_of(trade_reference);
    setting->exceptions[i] = (struct ste_effect_exception){.record = record,
                                                           .code = code,
                                                           .place = STE_BYTES("1:7"),
                                                           .text = STE_BYTES("no good"),
                                                           .is_rej = is_rej};
    return record;
}

static void test_every_exc_has_a_copy(void **state)
{
    struct setting *const setting = *state;
    struct ste_finding finding = {.code = STE_C_XMIS, .element = STE_BYTES("Reference")};
    (void)refuse(setting, STE_C_XSIG, false, ""); /* told to nobody */
    (void)refuse(setting, STE_C_DSEC, true, "T-1");
    refuse(setting, STE_C_XMIS, false, "T-2")->signer = STE_BYTES("BROKSGSG");
    setting->exceptions[2].findings = &finding;
    setting->exceptions[2].finding_count = 1;
    build(setting);
    assert_int_equal(setting->outbound.count, 1);
    assert_text(setting->outbound.rows[0].routing_key, "exc.03");
    const struct ste_reply *const copies = read_row(setting, 0, 2);
    assert_int_equal(copies[0].kind, STE_REPLY_EXC);
    assert_int_equal(copies[0].to.len, 0);
    assert_int_equal(copies[0].reasons[0].code, STE_C_XSIG);
    assert_text(copies[0].reasons[0].place, "1:7");
    assert_text(copies[0].reasons[0].text, "no good");
    assert_text(copies[0].delivery, "sub.1.0");
    assert_int_equal(copies[0].index, 0);
    assert_text(copies[1].to, "BROKSGSG");
    assert_text(copies[1].reasons[0].element, "Reference");
    assert_text(copies[1].trade_reference, "T-2");
    assert_int_equal(copies[1].index, 2);
}

/* A refused message may carry anything there: 64 kB of it, for all we know. */
static void test_a_malformed_trade_reference_is_not_copied(void **state)
{
    struct setting *const setting = *state;
    (void)refuse(setting, STE_C_XFMT, false,
                 "a*b is no reference at all, and far too long besides");
    build(setting);
    assert_int_equal(read_row(setting, 0, 1)->trade_reference.len, 0);
}

/* ---- message-ids ---- */

static void say_some(struct setting *setting)
{
    setting->effects.reply_count = 0;
    say_ack(setting, "BROKSGSG", 0);
    say(setting, STE_REPLY_NMA, "BROKSGSG")->stage = STE_BYTES("BLOCK");
    say(setting, STE_REPLY_NMA, "INVMSGSG")->stage = STE_BYTES("BLOCK");
}

static struct ste_bytes id_of_first(struct setting *setting)
{
    build(setting);
    assert_int_equal(setting->outbound.rows[0].message_id.len, 32);
    return setting->outbound.rows[0].message_id;
}

/* A transaction done again after a deadlock says the same under the same ids. */
static void test_same_effects_have_the_same_ids(void **state)
{
    struct setting *const setting = *state;
    say_some(setting);
    build(setting);
    const struct ste_outbound first = setting->outbound;
    say_some(setting);
    build(setting);
    assert_int_equal(first.count, 2);
    assert_int_equal(setting->outbound.count, first.count);
    for (size_t i = 0; i < first.count; i++) {
        assert_true(
            ste_bytes_equal(first.rows[i].message_id, setting->outbound.rows[i].message_id));
        assert_true(ste_bytes_equal(first.rows[i].body, setting->outbound.rows[i].body));
    }
    assert_false(ste_bytes_equal(first.rows[0].message_id, first.rows[1].message_id));
}

static void test_different_effects_have_different_ids(void **state)
{
    struct setting *const setting = *state;
    say_some(setting);
    const struct ste_bytes id = id_of_first(setting);
    for (int change = 0; change < 7; change++) {
        say_some(setting);
        struct ste_reply *const ack = &setting->replies[0], *const nma = &setting->replies[1];
        if (change == 0)
            ack->index = 1;
        else if (change == 1)
            ack->delivery = STE_BYTES("sub.1.1");
        else if (change == 2)
            nma->trade_version = 4;
        else if (change == 3)
            nma->stage = STE_BYTES("LEG");
        else if (change == 4)
            nma->account = STE_BYTES("SAFE-0001");
        else if (change == 5)
            nma->trade_key = STE_BYTES("ff112233445566778899aabbccddeeff");
        else
            ack->kind = STE_REPLY_REJ;
        if (ste_bytes_equal(id, id_of_first(setting)))
            fail_msg("change %d has the same id", change);
    }
}

/* What is said, not how: the text of a reason may be worded anew. */
static void test_the_receiver_is_part_of_the_id(void **state)
{
    struct setting *const setting = *state;
    say_ack(setting, "BROKSGSG", 0);
    const struct ste_bytes id = id_of_first(setting);
    setting->replies[0].to = STE_BYTES("BROKGB2L");
    assert_false(ste_bytes_equal(id, id_of_first(setting)));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, open_setting, close_setting)
    const struct CMUnitTest tests[] = {
        TEST(test_nothing_said),
        TEST(test_one_delivery_a_receiver),
        TEST(test_one_reply_has_no_cover),
        TEST(test_split_by_size),
        TEST(test_one_large_reply_is_sent_whole),
        TEST(test_a_clearing_and_its_copies),
        TEST(test_copies_of_two_clearings_stay_apart),
        TEST(test_every_exc_has_a_copy),
        TEST(test_a_malformed_trade_reference_is_not_copied),
        TEST(test_same_effects_have_the_same_ids),
        TEST(test_different_effects_have_different_ids),
        TEST(test_the_receiver_is_part_of_the_id),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
