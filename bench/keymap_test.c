/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "bench/keymap.h"

static struct ste_hash key_of(uint32_t number)
{
    return ste_hash_of((struct ste_bytes){(const char *)&number, sizeof number});
}

static void test_numbers_in_order_and_found_again(void **state)
{
    (void)state;
    enum { COUNT = 50000 };
    struct ste_keymap map;
    ste_keymap_init(&map);
    assert_int_equal(ste_keymap_find(&map, key_of(1)), STE_KEYMAP_NONE);
    for (uint32_t i = 0; i < COUNT; i++)
        assert_int_equal(ste_keymap_put(&map, key_of(i)), i);
    for (uint32_t i = 0; i < COUNT; i++) {
        assert_int_equal(ste_keymap_find(&map, key_of(i)), i);
        assert_int_equal(ste_keymap_put(&map, key_of(i)), i);
    }
    assert_int_equal(map.count, COUNT);
    assert_int_equal(ste_keymap_find(&map, key_of(COUNT)), STE_KEYMAP_NONE);
    ste_keymap_deinit(&map);
}

/* Keys that all want the same slot still stay apart. */
static void test_collisions(void **state)
{
    (void)state;
    struct ste_keymap map;
    ste_keymap_init(&map);
    for (uint32_t i = 0; i < 500; i++) {
        struct ste_hash key = {{0}};
        memcpy(key.bytes + 8, &i, sizeof i);
        assert_int_equal(ste_keymap_put(&map, key), i);
    }
    struct ste_hash key = {{0}};
    uint32_t wanted = 321;
    memcpy(key.bytes + 8, &wanted, sizeof wanted);
    assert_int_equal(ste_keymap_find(&map, key), 321);
    ste_keymap_deinit(&map);
}

static void test_parse(void **state)
{
    (void)state;
    struct ste_hash key = key_of(42), again = {{0}};
    char hex[33];
    ste_hex(key.bytes, sizeof key.bytes, hex);
    assert_true(ste_keymap_parse(ste_bytes_of(hex), &again));
    assert_true(ste_hash_equal(key, again));
    hex[31] = 'g';
    assert_false(ste_keymap_parse(ste_bytes_of(hex), &again));
    assert_false(ste_keymap_parse(STE_BYTES("69be3502f79f1528f9ffb5adbdf2f77"), &again));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers_in_order_and_found_again),
        cmocka_unit_test(test_collisions),
        cmocka_unit_test(test_parse),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
