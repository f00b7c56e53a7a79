/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "base/arena.h"

struct item {
    uint64_t a, b, c;
};

static void memory_is_zeroed_aligned_and_apart(void **state)
{
    (void)state;
    struct ste_arena *arena = ste_arena_new(0);
    assert_non_null(arena);
    char *last = NULL;
    for (size_t bytes = 0; bytes < 600; bytes++) {
        char *at = ste_arena_alloc(arena, bytes);
        assert_non_null(at);
        assert_int_equal((uintptr_t)at % 16, 0);
        assert_ptr_not_equal(at, last);
        for (size_t i = 0; i < bytes; i++)
            assert_int_equal(at[i], 0);
        memset(at, 0xaa, bytes);
        last = at;
    }
    ste_arena_free(arena);
    ste_arena_free(NULL);
}

static void reset_keeps_the_blocks_and_zeroes_again(void **state)
{
    (void)state;
    struct ste_arena *arena = ste_arena_new(0);
    char *first = ste_arena_alloc(arena, 100);
    for (int i = 0; i < 100; i++) /* several blocks, one larger than any block would be */
        memset(ste_arena_alloc(arena, i == 50 ? 5 << 20 : 10000), 0xbb, 10000);
    assert_true(ste_arena_used(arena) >= 99 * 10000 + (5 << 20));
    ste_arena_reset(arena);
    assert_int_equal(ste_arena_used(arena), 0);
    char *again = ste_arena_alloc(arena, 100);
    assert_ptr_equal(again, first);
    char *large = ste_arena_alloc(arena, 5 << 20);
    assert_non_null(large);
    for (size_t i = 0; i < 10000; i++)
        assert_int_equal(large[i], 0);
    ste_arena_free(arena);
}

static void the_limit_holds_and_refusal_costs_nothing(void **state)
{
    (void)state;
    struct ste_arena *arena = ste_arena_new(1024);
    assert_non_null(ste_arena_alloc(arena, 1000)); /* 1008 with its padding */
    assert_int_equal(ste_arena_used(arena), 1008);
    assert_null(ste_arena_alloc(arena, 17));
    assert_null(ste_arena_alloc(arena, SIZE_MAX));
    assert_null(ste_arena_alloc(arena, SIZE_MAX - 20));
    assert_null(STE_ARENA_ARRAY(arena, struct item, SIZE_MAX / 8));
    assert_null(ste_arena_dup(arena, STE_BYTES("sixteen bytes ab")).at);
    assert_null(ste_arena_printf(arena, "%s", "sixteen bytes ab"));
    assert_int_equal(ste_arena_used(arena), 1008);
    assert_non_null(ste_arena_alloc(arena, 16));
    ste_arena_reset(arena);
    assert_non_null(ste_arena_alloc(arena, 1024));
    ste_arena_free(arena);
}

static void texts_end_in_nul(void **state)
{
    (void)state;
    struct ste_arena *arena = ste_arena_new(0);
    struct ste_bytes copy = ste_arena_dup(arena, (struct ste_bytes){"abcdef", 3});
    assert_int_equal(copy.len, 3);
    assert_string_equal(copy.at, "abc");
    copy = ste_arena_dup(arena, ste_bytes_of(NULL));
    assert_string_equal(copy.at, "");
    assert_string_equal(ste_arena_printf(arena, "%s-%d", "x", 7), "x-7");
    char *wide = ste_arena_printf(arena, "%1000d", 7);
    assert_int_equal(strlen(wide), 1000);
    assert_string_equal(wide + 998, " 7");
    struct item *item = STE_ARENA_NEW(arena, struct item);
    assert_true(item->a == 0 && item->b == 0 && item->c == 0);
    struct item *items = STE_ARENA_ARRAY(arena, struct item, 3);
    assert_true(items[2].c == 0);
    ste_arena_free(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_is_zeroed_aligned_and_apart),
        cmocka_unit_test(reset_keeps_the_blocks_and_zeroes_again),
        cmocka_unit_test(the_limit_holds_and_refusal_costs_nothing),
        cmocka_unit_test(texts_end_in_nul),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
