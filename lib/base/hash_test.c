/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "base/hash.h"

static void assert_hash(const char *text, const char *hex)
{
    char out[33];
    struct ste_hash hash = ste_hash_of(ste_bytes_of(text));
    ste_hex(hash.bytes, sizeof(hash.bytes), out);
    assert_string_equal(out, hex);
}

/* The vectors of docs/WIRE.md: other programs compute the same. */
static void the_published_vectors(void **state)
{
    (void)state;
    assert_hash("SGX20261130000123|BROKSGSG|INVMSGSG|2026-11-30",
                "69be3502f79f1528f9ffb5adbdf2f779");
    assert_hash("SGX20261130000123", "667d61eeb0b7aaf59d16ddb9165fc2ea");
    assert_hash("", "99aa06d3014798d86001c324468d497f");
    uint64_t low = ste_hash_low64(ste_hash_of(STE_BYTES("SGX20261130000123")));
    assert_true(low == UINT64_C(0x9d16ddb9165fc2ea));
    assert_int_equal(low % 2, 0);
    assert_int_equal(low % 4, 2);
    assert_int_equal(low % 8, 2);
    assert_int_equal(low % 16, 10);
    assert_int_equal(low % 720720 % 16, 10);
    assert_true(ste_hash64_of(STE_BYTES("")) == UINT64_C(0x2d06800538d394c2));
}

static void order_is_that_of_the_bytes(void **state)
{
    (void)state;
    struct ste_hash a = {{0}}, b = {{0}};
    assert_true(ste_hash_equal(a, b));
    a.bytes[0] = 1;
    b.bytes[15] = 0xff;
    assert_true(ste_hash_compare(a, b) > 0);
    assert_true(ste_hash_compare(b, a) < 0);
    assert_false(ste_hash_equal(a, b));
    assert_true(ste_hash_low64(b) == 0xff);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_published_vectors),
        cmocka_unit_test(order_is_that_of_the_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
