/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "router/route.h"

static const char *const elements[] = {"TradeReference"};

static int open_arena(void **state)
{
    *state = ste_arena_new(0);
    return *state == NULL;
}

static int close_arena(void **state)
{
    ste_arena_free(*state);
    return 0;
}

static struct ste_record record_of(enum ste_type type, const char *trade_reference)
{
    struct ste_record record = {.message = {.type = type, .function = STE_FUNCTION_NEWM}};
    struct ste_field *const fields = record.message.fields;
    fields[STE_F_TRADE_REFERENCE].value = ste_bytes_of(trade_reference);
    fields[STE_F_BROKER].value = STE_BYTES("BROKSGSG");
    fields[STE_F_MANAGER].value = STE_BYTES("INVMSGSG");
    fields[STE_F_TRADE_DATE].value = STE_BYTES("2026-11-30");
    return record;
}

static struct ste_route pick(struct ste_record *record, unsigned shard_count,
                             struct ste_arena *arena)
{
    struct ste_match_key key;
    struct ste_route route = {99, 99};
    assert_true(ste_match_key_init(&key, elements, 1));
    assert_true(ste_route_pick(record, &key, shard_count, arena, &route));
    return route;
}

/* MESSAGES section 2: match key SGX20261130000123, mod 2, 4, 8, 16. */
static void test_vectors(void **state)
{
    static const unsigned vectors[][2] = {{1, 0}, {2, 0}, {4, 2}, {8, 2}, {16, 10}};
    for (size_t i = 0; i < sizeof(vectors) / sizeof(vectors[0]); i++) {
        struct ste_record record = record_of(STE_TYPE_NOE, "SGX20261130000123");
        const struct ste_route route = pick(&record, vectors[i][0], *state);
        assert_int_equal(route.shard, vectors[i][1]);
        assert_int_equal(record.slot, UINT64_C(0x9d16ddb9165fc2ea) % STE_SLOT_COUNT);
    }
}

static void test_every_type_has_its_queue(void **state)
{
    static const struct {
        enum ste_type type;
        unsigned queue;
    } queues[] = {{STE_TYPE_NOE, 0}, {STE_TYPE_ALB, 1}, {STE_TYPE_NPR, 2}, {STE_TYPE_SET, 3},
                  {STE_TYPE_AFF, 2}, {STE_TYPE_NAF, 2}, {STE_TYPE_STQ, 0}};
    for (size_t i = 0; i < sizeof(queues) / sizeof(queues[0]); i++) {
        struct ste_record record = record_of(queues[i].type, "SGX20261130000123");
        const struct ste_route route = pick(&record, 16, *state);
        assert_int_equal(route.type, queues[i].queue);
        assert_int_equal(route.shard, 10); /* all messages of a trade meet on one shard */
    }
}

static void test_case_and_blanks_do_not_count(void **state)
{
    struct ste_record plain = record_of(STE_TYPE_NOE, "SGX20261130000123");
    struct ste_record other = record_of(STE_TYPE_SET, "sgx 2026 1130 000123");
    assert_int_equal(pick(&plain, 16, *state).shard, pick(&other, 16, *state).shard);
    assert_int_equal(plain.slot, other.slot);
}

/* The same share reference on another day, or of another broker, is on the same shard: stage KEY
 * finds its siblings there. */
static void test_only_the_match_key_counts(void **state)
{
    struct ste_record record = record_of(STE_TYPE_NOE, "SGX20261130000123");
    record.message.fields[STE_F_BROKER].value = STE_BYTES("BROKGB2L");
    record.message.fields[STE_F_TRADE_DATE].value = STE_BYTES("2026-11-27");
    assert_int_equal(pick(&record, 16, *state).shard, 10);
}

static void test_a_refused_one_is_placed_by_its_bytes(void **state)
{
    struct ste_record record = {
        .message = {.type = STE_TYPE_EXC,
                    .original = STE_BYTES("<garbage"),
                    .exc = {.code = STE_C_XWEL, .level = STE_LEVEL_REJECT}}};
    const uint64_t hash = ste_hash_low64(ste_hash_of(STE_BYTES("<garbage")));
    for (unsigned shard_count = 1; shard_count <= 16; shard_count++) {
        const struct ste_route route = pick(&record, shard_count, *state);
        assert_int_equal(route.type, 4);
        assert_int_equal(route.shard, hash % shard_count);
    }
    /* Nothing at all has a place too. */
    record.message.original = (struct ste_bytes){NULL, 0};
    assert_true(pick(&record, 16, *state).shard < 16);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, open_arena, close_arena)
    const struct CMUnitTest tests[] = {
        TEST(test_vectors),
        TEST(test_every_type_has_its_queue),
        TEST(test_case_and_blanks_do_not_count),
        TEST(test_only_the_match_key_counts),
        TEST(test_a_refused_one_is_placed_by_its_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
