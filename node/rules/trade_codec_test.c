/* SPDX-License-Identifier: Apache-2.0 */
#include "node/rules/fixture.h"

#include <stdlib.h>
#include <string.h>

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

enum { DAMAGES = 20000 };

static const char *const names[] = {"NOE", "ALB-1", "ALB-2", "NPR-1", "NPR-2", "SET-1", "SET-2"};

/* A trade that failed once, was told, and then cleared or not. */
static void fill(struct ste_fixture *fixture, const char *change)
{
    ste_fixture_clear(fixture);
    fixture->coded = false;
    for (size_t i = 0; i < 7; i++) {
        struct ste_record *record = ste_fixture_record(fixture, names[i], NULL);
        if (i == 6 && change)
            ste_fixture_set(fixture, record, change);
        ste_fixture_send(fixture, record);
        ste_trade_message_stored(fixture->trade, 1000 + i);
    }
}

static struct ste_trade *again(struct ste_fixture *fixture)
{
    struct ste_trade *decoded = NULL;
    struct ste_error err = {0};
    ste_buf_clear(&fixture->state);
    assert_true(ste_trade_encode(fixture->trade, &fixture->state));
    if (ste_trade_decode(fixture->arena, ste_buf_bytes(&fixture->state), &fixture->id, &decoded,
                         &err) != STE_OK)
        fail_msg("%s", err.text);
    return decoded;
}

static void test_everything_comes_back(void **state)
{
    struct ste_fixture *fixture = *state;
    fill(fixture, "SettlementDate=2026-12-03");
    const struct ste_trade *was = fixture->trade;
    const struct ste_trade *is = again(fixture);
    assert_false(ste_trade_changed(is));
    assert_int_equal(is->version, 7);
    assert_int_equal(ste_trade_status_of(is), STE_TRADE_UNMATCHED);
    assert_int_equal(is->value_count, was->value_count);
    for (size_t i = 0; i < was->value_count; i++)
        assert_true(ste_bytes_equal(is->values[i], was->values[i]));
    assert_int_equal(is->held_count, 7);
    assert_memory_equal(is->held, was->held, 7 * sizeof(*is->held));
    assert_int_equal(is->leg_count, 2);
    assert_memory_equal(is->legs, was->legs, 2 * sizeof(*is->legs));
    assert_int_equal(is->noe, was->noe);
    assert_int_equal(ste_wide_compare(is->allocated, was->allocated), 0);
    for (size_t i = 0; i < 7; i++) {
        assert_int_equal(is->seen[i].identity64, was->seen[i].identity64);
        assert_int_equal(is->seen[i].content64, was->seen[i].content64);
        assert_int_equal(is->seen[i].delivery64, was->seen[i].delivery64);
        assert_int_equal(is->seen[i].row_id, 1000 + i);
    }
    assert_int_equal(is->told_count, 1);
    assert_int_equal(is->told[0].content64, was->told[0].content64);
    assert_int_equal(is->block, STE_STAGE_PASSED);
    assert_true(ste_bytes_equal(is->identity, was->identity));
}

static void test_clearing_comes_back(void **state)
{
    struct ste_fixture *fixture = *state;
    fill(fixture, NULL);
    struct ste_trade *is = again(fixture);
    struct ste_trade_columns columns;
    ste_trade_columns_of(is, &columns);
    assert_true(ste_trade_is_live(is));
    assert_int_equal(ste_trade_status_of(is), STE_TRADE_CLEARED);
    assert_int_equal(columns.cls_version, 1);
    assert_int_equal(columns.message_count, 7);
    assert_int_equal(columns.account_count, 2);
    ste_assert_text(columns.instrument, "SG1L01001701");
    ste_assert_text(columns.broker8, "BROKSGSG");
    ste_assert_text(columns.manager8, "INVMSGSG");
    ste_assert_text(columns.trade_reference, "SGX20261130000123");
}

static void test_encoding_is_small_and_stable(void **state)
{
    struct ste_fixture *fixture = *state;
    fill(fixture, NULL);
    fixture->trade = again(fixture);
    size_t bytes = fixture->state.len;
    assert_in_range(bytes, 400, 1000);
    struct ste_bytes once = ste_arena_dup(fixture->arena, ste_buf_bytes(&fixture->state));
    again(fixture);
    assert_int_equal(fixture->state.len, bytes);
    assert_memory_equal(fixture->state.at, once.at, bytes);
}

static enum ste_code decode(struct ste_fixture *fixture, struct ste_bytes bytes)
{
    struct ste_trade *trade = NULL;
    struct ste_error err = {0};
    enum ste_code rc = ste_trade_decode(fixture->arena, bytes, &fixture->id, &trade, &err);
    assert_true((rc == STE_OK) == (trade != NULL));
    return rc;
}

static void test_other_versions_and_tails_are_refused(void **state)
{
    struct ste_fixture *fixture = *state;
    fill(fixture, NULL);
    again(fixture);
    fixture->state.at[0] = STE_STATE_VERSION + 1;
    assert_int_equal(decode(fixture, ste_buf_bytes(&fixture->state)), STE_E_STATE_BAD);
    fixture->state.at[0] = STE_STATE_VERSION;
    assert_int_equal(decode(fixture, ste_buf_bytes(&fixture->state)), STE_OK);
    ste_buf_u8(&fixture->state, 0);
    assert_int_equal(decode(fixture, ste_buf_bytes(&fixture->state)), STE_E_STATE_BAD);
    assert_int_equal(decode(fixture, (struct ste_bytes){fixture->state.at, 0}), STE_E_STATE_BAD);
}

static void test_every_cut_is_refused(void **state)
{
    struct ste_fixture *fixture = *state;
    fill(fixture, NULL);
    again(fixture);
    for (size_t len = 0; len < fixture->state.len; len++)
        assert_int_equal(decode(fixture, (struct ste_bytes){fixture->state.at, len}),
                         STE_E_STATE_BAD);
}

/* Bits turned over at random are read without harm, whether they make sense or not. */
static void test_damage_does_no_harm(void **state)
{
    struct ste_fixture *fixture = *state;
    uint64_t seed = 7;
    fill(fixture, "SettlementDate=2026-12-03");
    again(fixture);
    struct ste_arena *kept = fixture->arena;
    fixture->arena = ste_arena_new(0);
    for (int i = 0; i < DAMAGES; i++) {
        struct ste_buf damaged = {0};
        ste_buf_append_bytes(&damaged, ste_buf_bytes(&fixture->state));
        for (int flips = 0; flips < 3; flips++) {
            seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            damaged.at[(seed >> 33) % damaged.len] ^= (char)(1u << (seed >> 60 & 7));
        }
        struct ste_trade *trade = NULL;
        if (ste_trade_decode(fixture->arena, ste_buf_bytes(&damaged), &fixture->id, &trade, NULL) ==
            STE_OK) {
            struct ste_trade_columns columns;
            ste_trade_columns_of(trade, &columns);
            assert_in_range(ste_trade_status_of(trade), STE_TRADE_EMPTY, STE_TRADE_CANCELLED);
            fixture->effects = (struct ste_effects){.arena = fixture->arena};
            fixture->trade = trade;
            ste_fixture_send(fixture, ste_fixture_record(fixture, names[i % 7], NULL));
            ste_fixture_send(fixture,
                             ste_fixture_record(fixture, names[i % 7], "Account=NEW", NULL));
        }
        ste_buf_deinit(&damaged);
        ste_arena_reset(fixture->arena);
    }
    ste_arena_free(fixture->arena);
    fixture->arena = kept;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_everything_comes_back),
        cmocka_unit_test(test_clearing_comes_back),
        cmocka_unit_test(test_encoding_is_small_and_stable),
        cmocka_unit_test(test_other_versions_and_tails_are_refused),
        cmocka_unit_test(test_every_cut_is_refused),
        cmocka_unit_test(test_damage_does_no_harm),
    };
    return cmocka_run_group_tests(tests, ste_fixture_open, ste_fixture_close);
}
