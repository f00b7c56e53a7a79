/* SPDX-License-Identifier: Apache-2.0 */
#include "msg/testing.h"

#include <stdio.h>

#include "msg/identity.h"

static void set(struct ste_message *message, enum ste_field_id id, const char *value)
{
    message->fields[id].value = ste_bytes_of(value);
}

static struct ste_message sample(void)
{
    struct ste_message message = {.type = STE_TYPE_NPR, .function = STE_FUNCTION_NEWM};
    set(&message, STE_F_REFERENCE, "BRK-P-000000123-1");
    set(&message, STE_F_SENDER, "BROKSGSG");
    set(&message, STE_F_TRADE_REFERENCE, "SGX20261130000123");
    set(&message, STE_F_TRADE_DATE, "2026-11-30");
    set(&message, STE_F_BROKER, "BROKSGSG");
    set(&message, STE_F_MANAGER, "INVMSGSG");
    set(&message, STE_F_PRICE, "37.5");
    set(&message, STE_F_PRICE_TYPE, "ACTU");
    return message;
}

static struct ste_match_key match_key_of(const char *const *elements, size_t count)
{
    struct ste_match_key key;
    assert_true(ste_match_key_init(&key, elements, count));
    return key;
}

static struct ste_trade_id identify(const struct ste_message *message, struct ste_arena *arena,
                                    const struct ste_match_key *key)
{
    struct ste_trade_id id;
    assert_true(ste_trade_identify(message, key, arena, &id));
    return id;
}

static void assert_hex(struct ste_hash hash, const char *expected)
{
    char hex[33];
    ste_hex(hash.bytes, sizeof(hash.bytes), hex);
    assert_string_equal(hex, expected);
}

/* The vectors of MESSAGES section 2. */
static void vectors(void **state)
{
    (void)state;
    struct ste_arena *arena = ste_arena_new(0);
    struct ste_message message = sample();
    struct ste_match_key key = match_key_of((const char *const[]){"TradeReference"}, 1);
    struct ste_trade_id id = identify(&message, arena, &key);
    assert_text(id.identity, "SGX20261130000123|BROKSGSG|INVMSGSG|2026-11-30");
    assert_hex(id.trade_key, "69be3502f79f1528f9ffb5adbdf2f779");
    assert_hex(id.match_hash, "667d61eeb0b7aaf59d16ddb9165fc2ea");
    assert_int_equal(ste_shard_of_slot(id.slot, 2), 0);
    assert_int_equal(ste_shard_of_slot(id.slot, 4), 2);
    assert_int_equal(ste_shard_of_slot(id.slot, 8), 2);
    assert_int_equal(ste_shard_of_slot(id.slot, 16), 10);
    ste_date date = 0;
    assert_true(ste_date_parse(STE_BYTES("2026-11-30"), &date));
    assert_int_equal(id.trade_date, date);
    ste_arena_free(arena);
}

/* slot mod N is the hash mod N, for every number of shards. */
static void slots_keep_the_modulus(void **state)
{
    (void)state;
    char text[16];
    for (int i = 0; i < 1000; i++) {
        int len = snprintf(text, sizeof(text), "T%d", i);
        struct ste_hash hash = ste_hash_of((struct ste_bytes){text, (size_t)len});
        uint32_t slot = ste_slot_of_hash(hash);
        assert_true(slot < STE_SLOT_COUNT);
        for (unsigned count = 1; count <= 16; count++)
            assert_int_equal(ste_shard_of_slot(slot, count), ste_hash_low64(hash) % count);
    }
}

/* Only the first eight characters of a BIC count; case and blanks of the reference count in the
 * identity but not in the match key. */
static void normalisation(void **state)
{
    (void)state;
    struct ste_arena *arena = ste_arena_new(0);
    struct ste_match_key key = match_key_of((const char *const[]){"TradeReference"}, 1);
    struct ste_message message = sample(), branch = sample(), lower = sample();
    set(&branch, STE_F_BROKER, "BROKSGSG123");
    set(&branch, STE_F_MANAGER, "INVMSGSGXXX");
    set(&lower, STE_F_TRADE_REFERENCE, "sgx 2026 1130000123");
    struct ste_trade_id id = identify(&message, arena, &key);
    struct ste_trade_id branch_id = identify(&branch, arena, &key);
    struct ste_trade_id lower_id = identify(&lower, arena, &key);
    assert_true(ste_hash_equal(id.trade_key, branch_id.trade_key));
    assert_true(ste_hash_equal(id.match_hash, lower_id.match_hash));
    assert_false(ste_hash_equal(id.trade_key, lower_id.trade_key));
    assert_text(lower_id.identity, "sgx 2026 1130000123|BROKSGSG|INVMSGSG|2026-11-30");
    assert_true(ste_message_content64(&message) == ste_message_content64(&branch));
    assert_false(ste_message_content64(&message) == ste_message_content64(&lower));
    ste_arena_free(arena);
}

static void several_fields_in_the_match_key(void **state)
{
    (void)state;
    struct ste_arena *arena = ste_arena_new(0);
    struct ste_message message = sample();
    static const char *const all[] = {"TradeReference", "Broker", "Manager", "TradeDate"};
    struct ste_match_key key = match_key_of(all, 4);
    struct ste_trade_id id = identify(&message, arena, &key);
    assert_true(ste_hash_equal(id.match_hash, id.trade_key)); /* the same text here */
    ste_arena_free(arena);
}

static void match_key_refuses(void **state)
{
    (void)state;
    struct ste_match_key key;
    static const char *const wrong[][2] = {
        {"Quantity", "Broker"}, {"Nothing", "Broker"}, {"Sender", "Broker"}, {"Broker", "Broker"}};
    static const char *const five[] = {"TradeReference", "Broker", "Manager", "TradeDate",
                                       "Broker"};
    for (size_t i = 0; i < COUNT_OF(wrong); i++)
        assert_false(ste_match_key_init(&key, wrong[i], 2));
    assert_false(ste_match_key_init(&key, five, 0));
    assert_false(ste_match_key_init(&key, five, 5));
}

/* A damaged record may bring values that no decoder let through. */
static void overlong_values_are_cut(void **state)
{
    (void)state;
    struct ste_arena *arena = ste_arena_new(0);
    struct ste_message message = sample();
    char text[2000];
    memset(text, 'A', sizeof(text));
    for (int id = STE_F_NONE + 1; id < STE_FIELD_COUNT; id++)
        message.fields[id].value = (struct ste_bytes){text, sizeof(text)};
    static const char *const all[] = {"TradeReference", "Broker", "Manager", "TradeDate"};
    struct ste_match_key key = match_key_of(all, 4);
    struct ste_trade_id id = identify(&message, arena, &key);
    assert_int_equal(id.identity.len, 35 + 8 + 8 + 10 + 3);
    assert_int_equal(id.trade_date, STE_DATE_NONE);
    assert_true(ste_message_content64(&message) != 0);
    assert_true(ste_message_identity64(&message) != 0);
    ste_arena_free(arena);
}

static void message_identity(void **state)
{
    (void)state;
    struct ste_message message = sample(), other = sample();
    set(&other, STE_F_SENDER, "BROKSGSGABC");
    assert_true(ste_message_identity64(&message) == ste_message_identity64(&other));
    set(&other, STE_F_REFERENCE, "BRK-P-000000123-2");
    assert_true(ste_message_identity64(&message) != ste_message_identity64(&other));
    other = sample();
    other.function = STE_FUNCTION_TRIA; /* has its own space */
    assert_true(ste_message_identity64(&message) != ste_message_identity64(&other));
    other.function = STE_FUNCTION_CANC;
    assert_true(ste_message_identity64(&message) == ste_message_identity64(&other));
}

static void content_is_by_value(void **state)
{
    (void)state;
    struct ste_message message = sample(), other = sample();
    uint64_t content = ste_message_content64(&message);
    set(&other, STE_F_PRICE, "0037.5000");
    set(&other, STE_F_CREATED_AT, "2026-11-30T09:15:02Z");
    other.line = 7;
    other.fields[STE_F_PRICE].line = 9;
    assert_true(ste_message_content64(&other) == content);
    set(&message, STE_F_ACCRUED_INTEREST, "-0.00");
    set(&other, STE_F_ACCRUED_INTEREST, "0");
    assert_true(ste_message_content64(&message) == ste_message_content64(&other));
}

/* Each known element but CreatedAt, the type and the function. */
static void content_sees_every_change(void **state)
{
    (void)state;
    struct ste_message message = sample();
    for (int id = STE_F_NONE + 1; id < STE_FIELD_COUNT; id++)
        set(&message, (enum ste_field_id)id, "1");
    uint64_t content = ste_message_content64(&message);
    for (int id = STE_F_NONE + 1; id < STE_FIELD_COUNT; id++) {
        struct ste_message other = message;
        set(&other, (enum ste_field_id)id, "2");
        assert_int_equal(ste_message_content64(&other) != content, id != STE_F_CREATED_AT);
        set(&other, (enum ste_field_id)id, "");
        assert_int_equal(ste_message_content64(&other) != content, id != STE_F_CREATED_AT);
    }
    struct ste_message other = message;
    other.type = STE_TYPE_SET;
    assert_true(ste_message_content64(&other) != content);
    other = message;
    other.function = STE_FUNCTION_AMND;
    assert_true(ste_message_content64(&other) != content);
}

static void long_values_count_whole(void **state)
{
    (void)state;
    char text[3000];
    memset(text, 'x', sizeof(text));
    struct ste_message message = sample();
    message.fields[STE_F_NARRATIVE].value = (struct ste_bytes){text, sizeof(text)};
    uint64_t content = ste_message_content64(&message);
    text[2999] = 'y';
    assert_true(ste_message_content64(&message) != content);
}

static void deliveries(void **state)
{
    (void)state;
    uint64_t first = ste_delivery64(STE_BYTES("a"), 0);
    assert_true(first != ste_delivery64(STE_BYTES("a"), 1));
    assert_true(first != ste_delivery64(STE_BYTES("b"), 0));
    assert_true(first == ste_delivery64(STE_BYTES("a"), 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vectors),
        cmocka_unit_test(slots_keep_the_modulus),
        cmocka_unit_test(normalisation),
        cmocka_unit_test(several_fields_in_the_match_key),
        cmocka_unit_test(match_key_refuses),
        cmocka_unit_test(overlong_values_are_cut),
        cmocka_unit_test(message_identity),
        cmocka_unit_test(content_is_by_value),
        cmocka_unit_test(content_sees_every_change),
        cmocka_unit_test(long_values_count_whole),
        cmocka_unit_test(deliveries),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
