/* SPDX-License-Identifier: Apache-2.0 */
#include "msg/testing.h"

static void check(bool (*shape)(struct ste_bytes), const char *const *texts, size_t count,
                  bool expected)
{
    for (size_t i = 0; i < count; i++) {
        if (shape(ste_bytes_of(texts[i])) != expected)
            fail_msg("\"%s\" should be %s", texts[i], expected ? "right" : "wrong");
    }
}
#define RIGHT(shape, ...)                                                                          \
    check(shape, (const char *const[]){__VA_ARGS__},                                               \
          COUNT_OF(((const char *const[]){__VA_ARGS__})), true)
#define WRONG(shape, ...)                                                                          \
    check(shape, (const char *const[]){__VA_ARGS__},                                               \
          COUNT_OF(((const char *const[]){__VA_ARGS__})), false)

static void references(void **state)
{
    (void)state;
    RIGHT(ste_is_reference, "A", "brk-P/000?1:(2).3,4'5+6", "TWO  BLANKS INSIDE",
          "12345678901234567890123456789012345");
    WRONG(ste_is_reference, "", "123456789012345678901234567890123456", " A", "A ", "A\tB", "A_B",
          "A&B", "A\"B", "A;B", "A=B", "Ä", "\xE4\xB8\xAD", " ");
    assert_false(ste_is_reference((struct ste_bytes){"A\0B", 3}));
}

static void bics(void **state)
{
    (void)state;
    RIGHT(ste_is_bic, "AGRIFRPP", "AGRIFRPP882", "BROKSGSG", "CRSTGB22", "AGRIFRPPXXX");
    WRONG(ste_is_bic, "", "AGRIFRPP8", "AGRIF2PP", "AGRIFRP", "AGRIFRPP88", "AGRIFRPP8822",
          "agrifrpp", "AGRIFrPP", "1GRIFRPP", "AGRIFRP-", "AGRIFRPP88a");
    assert_text(ste_bic8(STE_BYTES("AGRIFRPP882")), "AGRIFRPP");
    assert_text(ste_bic8(STE_BYTES("AGRI")), "AGRI");
}

static void isins(void **state)
{
    (void)state;
    RIGHT(ste_is_isin, "US0378331005", "GB0002634946", "SG1L01001701", "IE00B4L5Y983",
          "LU1597245148", "SG1S04926220", "GB00B16NNR78", "XS0000000009");
    WRONG(ste_is_isin, "", "US0378331003", "JP000K0VF054", "US037833100", "US03783310055",
          "us0378331005", "U10378331005", "US037833100A", "US03783-1005");
}

/* One digit wrong is always found: that is what the check digit is for. */
static void isin_single_errors(void **state)
{
    (void)state;
    char text[] = "US0378331005";
    for (size_t at = 2; at < sizeof(text) - 1; at++) {
        char right = text[at];
        for (char digit = '0'; digit <= '9'; digit++) {
            text[at] = digit;
            assert_int_equal(ste_is_isin(ste_bytes_of(text)), digit == right);
        }
        text[at] = right;
    }
}

static void times(void **state)
{
    (void)state;
    RIGHT(ste_is_rfc3339, "2026-11-30T09:15:02Z", "2026-11-30T09:15:02.123456Z",
          "2026-11-30T09:15:02+08:00", "2026-11-30T23:59:60.5-00:30", "2026-11-30t09:15:02z");
    WRONG(ste_is_rfc3339, "", "2026-11-30", "2026-11-30T09:15:02", "2026-11-30 09:15:02Z",
          "2026-11-31T09:15:02Z", "2026-11-30T24:15:02Z", "2026-11-30T09:60:02Z",
          "2026-11-30T09:15:61Z", "2026-11-30T09:15:02.Z", "2026-11-30T09:15:02+24:00",
          "2026-11-30T09:15:02+08:60", "2026-11-30T09:15:02+0800", "2026-11-30T09:15:02.123",
          "2026-11-30T09:15:02Zx", "2026-11-30T9:15:02Z");
}

static void places(void **state)
{
    static const char *const bad[] = {"",   ":",     "1:",    ":1",   "0:1",          "1:0",
                                      "12", "Price", "1:2:3", "-1:2", "4294967296:1", "1: 2"};
    (void)state;
    uint32_t line = 7, column = 8;
    for (size_t i = 0; i < COUNT_OF(bad); i++)
        assert_false(ste_place_parse(ste_bytes_of(bad[i]), &line, &column));
    assert_int_equal(line, 7);
    assert_int_equal(column, 8);
    assert_true(ste_place_parse(STE_BYTES("12:345"), &line, &column));
    assert_int_equal(line, 12);
    assert_int_equal(column, 345);
    assert_true(ste_place_parse(STE_BYTES("1:4294967295"), &line, &column));
    assert_true(column == UINT32_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(references),
        cmocka_unit_test(bics),
        cmocka_unit_test(isins),
        cmocka_unit_test(places),
        cmocka_unit_test(isin_single_errors),
        cmocka_unit_test(times),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
