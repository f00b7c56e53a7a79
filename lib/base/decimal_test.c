/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "base/decimal.h"

static struct ste_decimal must(const char *text)
{
    struct ste_decimal value = {77, 7};
    assert_true(ste_decimal_parse(ste_bytes_of(text), true, &value));
    return value;
}

static struct ste_wide wide(const char *text)
{
    return ste_wide_of(must(text));
}

static void assert_text(struct ste_decimal value, unsigned min_decimals, const char *expected)
{
    char out[STE_DECIMAL_TEXT_BYTES];
    ste_decimal_format(value, (uint8_t)min_decimals, out);
    assert_string_equal(out, expected);
}

static void assert_wide(struct ste_wide value, unsigned min_decimals, const char *expected)
{
    char out[STE_DECIMAL_TEXT_BYTES];
    ste_wide_format(value, (uint8_t)min_decimals, out);
    assert_string_equal(out, expected);
}

static void parse_reads_what_is_written(void **state)
{
    (void)state;
    struct ste_decimal value = must("4047151.32");
    assert_true(value.coefficient == 404715132 && value.decimals == 2);
    value = must("0");
    assert_true(value.coefficient == 0 && value.decimals == 0);
    value = must("-0.50");
    assert_true(value.coefficient == -50 && value.decimals == 2);
    value = must("999999999999999999");
    assert_true(value.coefficient == INT64_C(999999999999999999));
    value = must("0.12345678901234567");
    assert_true(value.coefficient == INT64_C(12345678901234567) && value.decimals == 17);
    value = must("-12345678.9012345678");
    assert_true(value.coefficient == INT64_C(-123456789012345678) && value.decimals == 10);
}

static void parse_refuses_everything_else(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "",
        "-",
        ".",
        ".5",
        "5.",
        "1.2.3",
        "1,000",
        "1e3",
        "+1",
        " 1",
        "1 ",
        "--1",
        "-.5",
        "0x1",
        "1-",
        "1_0",
        "NaN",
        "inf",
        "/",
        ":",
        "1.-2",
        "1000000000000000000",
        "0000000000000000001",
        "1.000000000000000000",
        "12345678901234567890123456789",
        "\xd9\xa1",
        "99999999999999999999",
    };
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        struct ste_decimal value = {77, 7};
        assert_false(ste_decimal_parse(ste_bytes_of(bad[i]), true, &value));
        assert_true(value.coefficient == 77 && value.decimals == 7);
    }
    struct ste_decimal value = {77, 7};
    assert_false(ste_decimal_parse(STE_BYTES("-1"), false, &value));
    assert_false(ste_decimal_parse((struct ste_bytes){"1\0002", 3}, false, &value));
    assert_false(ste_decimal_parse(ste_bytes_of(NULL), false, &value));
    assert_true(ste_decimal_parse((struct ste_bytes){"12345", 2}, false, &value));
    assert_true(value.coefficient == 12);
}

static void compare_is_by_value(void **state)
{
    (void)state;
    assert_int_equal(ste_wide_compare(wide("4.50"), wide("4.5")), 0);
    assert_int_equal(ste_wide_compare(wide("-0.0"), wide("0")), 0);
    assert_int_equal(ste_wide_compare(wide("4.51"), wide("4.5")), 1);
    assert_int_equal(ste_wide_compare(wide("-4.51"), wide("-4.5")), -1);
    assert_int_equal(ste_wide_compare(wide("999999999999999999"), wide("0.00000000000000001")), 1);
    assert_int_equal(ste_wide_compare(wide("-999999999999999999"), wide("0.00000000000000001")),
                     -1);
    struct ste_wide most = {INT64_MAX, 0}, least = {INT64_MIN, 18};
    assert_int_equal(ste_wide_compare(most, least), 1);
    assert_int_equal(ste_wide_compare(least, most), -1);
}

static void texts_are_exact(void **state)
{
    (void)state;
    assert_text(must("4.500"), 0, "4.5");
    assert_text(must("4.500"), 2, "4.50");
    assert_text(must("4.567"), 2, "4.567");
    assert_text(must("5000"), 0, "5000");
    assert_text(must("5000.00"), 0, "5000");
    assert_text(must("0"), 2, "0.00");
    assert_text(must("0.000"), 0, "0");
    assert_text(must("0.05"), 1, "0.05");
    assert_text(must("-0.05"), 3, "-0.050");
    assert_text(must("100"), 3, "100.000");
    assert_text((struct ste_decimal){INT64_MIN, 18}, 18, "-9.223372036854775808");
    assert_text((struct ste_decimal){INT64_MIN, 0}, 255, "-9223372036854775808.000000000000000000");
}

/* MESSAGES section 3: 4,000,000 at 101.001283 %. */
static void products_are_exact(void **state)
{
    (void)state;
    struct ste_wide product, sum;
    assert_true(ste_wide_mul(wide("4000000"), wide("101.001283"), &product));
    assert_true(ste_wide_mul(product, wide("0.01"), &product));
    assert_wide(product, 2, "4040051.32");
    assert_true(ste_wide_add(product, wide("7100.5"), &sum));
    assert_wide(sum, 2, "4047151.82");
    assert_true(ste_wide_sub(wide("1"), wide("3"), &sum));
    assert_wide(sum, 0, "-2");
    assert_int_equal(ste_wide_compare(ste_wide_abs(sum), wide("2.000")), 0);
    assert_true(ste_wide_mul(wide("999999999999999999"), wide("-999999999999999999"), &product));
    assert_wide(product, 0, "-999999999999999998000000000000000001");
    assert_true(ste_wide_mul(wide("0.00000000000000001"), wide("0.00000000000000001"), &product));
    assert_wide(product, 0, "0.0000000000000000000000000000000001");
}

static void wide_overflow_is_refused(void **state)
{
    (void)state;
    struct ste_wide product, big, kept = wide("7");
    assert_true(ste_wide_mul(wide("999999999999999999"), wide("999999999999999999"), &big));
    assert_false(ste_wide_mul(big, wide("1000"), &kept));
    assert_false(ste_wide_add(big, wide("0.001"), &kept));
    assert_true(ste_wide_mul(wide("0.00000000000000001"), wide("0.00000000000000001"), &product));
    assert_false(ste_wide_mul(product, wide("0.00001"), &kept)); /* 39 decimals */
    struct ste_wide least = {(__int128)1 << 126, 0};
    assert_false(ste_wide_mul(least, wide("-2"), &kept)); /* -2^127: no positive twin */
    assert_false(ste_wide_add(least, least, &kept));
    assert_wide(kept, 0, "7");
    struct ste_wide ten = {10000000000, 9}; /* 10.000000000 beside 36 digits: fits as 10 */
    assert_true(ste_wide_add(big, ten, &ten));
    assert_wide(ten, 0, "999999999999999998000000000000000011");
    /* Only the way it is written has no room: 1e-34 * 1000.00000 is 1e-31. */
    assert_true(ste_wide_mul(product, wide("1000.00000"), &product));
    assert_wide(product, 0, "0.0000000000000000000000000000001");
}

static void wide_compare_never_overflows(void **state)
{
    (void)state;
    struct ste_wide most = {(__int128)(~(unsigned __int128)0 >> 1), 0};
    struct ste_wide tiny = {1, STE_WIDE_DECIMALS_MAX}, minus = {-1, 0};
    struct ste_wide deep = {(__int128)(~(unsigned __int128)0 >> 1), STE_WIDE_DECIMALS_MAX};
    assert_int_equal(ste_wide_compare(most, tiny), 1);
    assert_int_equal(ste_wide_compare(tiny, most), -1);
    assert_int_equal(ste_wide_compare(minus, tiny), -1);
    assert_int_equal(ste_wide_compare(tiny, minus), 1);
    assert_int_equal(ste_wide_compare(wide("1"), deep), -1); /* 1.70… */
    assert_int_equal(ste_wide_compare(wide("2"), deep), 1);
    assert_int_equal(ste_wide_compare((struct ste_wide){-most.coefficient, 0}, deep), -1);
    assert_int_equal(ste_wide_compare(wide("0"), tiny), -1);
    assert_int_equal(ste_wide_compare(wide("0"), (struct ste_wide){0, 200}), 0);
    assert_wide(most, 0, "170141183460469231731687303715884105727");
    assert_wide((struct ste_wide){-most.coefficient, 38}, 0,
                "-1.70141183460469231731687303715884105727");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parse_reads_what_is_written),
        cmocka_unit_test(parse_refuses_everything_else),
        cmocka_unit_test(compare_is_by_value),
        cmocka_unit_test(texts_are_exact),
        cmocka_unit_test(products_are_exact),
        cmocka_unit_test(wide_overflow_is_refused),
        cmocka_unit_test(wide_compare_never_overflows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
