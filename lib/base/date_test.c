/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/date.h"

static ste_date must_parse(const char *text)
{
    ste_date date = STE_DATE_NONE;
    assert_true(ste_date_parse(ste_bytes_of(text), &date));
    return date;
}

static void known_days(void **state)
{
    (void)state;
    assert_int_equal(must_parse("1970-01-01"), 0);
    assert_int_equal(must_parse("1969-12-31"), -1);
    assert_int_equal(must_parse("2000-02-29"), 11016);
    assert_int_equal(must_parse("2026-11-30"), 20787);
    assert_int_equal(ste_date_weekday(0), 4);
    assert_int_equal(ste_date_weekday(-1), 3);
    assert_int_equal(ste_date_weekday(-3), 1);
    assert_int_equal(ste_date_weekday(-4), 7);
    assert_int_equal(ste_date_weekday(must_parse("2026-11-30")), 1);
    assert_int_equal(ste_date_weekday(must_parse("2018-12-07")), 5);
}

static void every_day_comes_back(void **state)
{
    (void)state;
    char text[STE_DATE_TEXT_BYTES];
    ste_date first = must_parse("1900-01-01"), last = must_parse("2199-12-31");
    assert_int_equal(last - first + 1, 109573); /* 300 years with 73 leap days */
    int weekday = 1;                            /* 1900-01-01 was a Monday */
    for (ste_date date = first; date <= last; date++) {
        ste_date_format(date, text);
        assert_int_equal(must_parse(text), date);
        assert_int_equal(ste_date_weekday(date), weekday);
        weekday = weekday % 7 + 1;
    }
}

static void what_is_no_date_is_refused(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "",           "2026-11-3",  "2026-11-300", "2026/11/30",  "2026-11/30", "2026-13-01",
        "2026-00-01", "2026-01-00", "2026-01-32",  "2026-02-29",  "2100-02-29", "1900-02-29",
        "2026-04-31", "1899-12-31", "2200-01-01",  "202a-01-01",  "2026- 1-01", "2026-01-0x",
        "-026-01-01", "2026-+1-01", "20261130",    "2026-11-3\n",
    };
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        ste_date date = 7;
        assert_false(ste_date_parse(ste_bytes_of(bad[i]), &date));
        assert_int_equal(date, 7);
    }
    ste_date date = 7;
    assert_false(ste_date_parse(ste_bytes_of(NULL), &date));
}

static void no_date_has_a_text_too(void **state)
{
    (void)state;
    char text[STE_DATE_TEXT_BYTES];
    ste_date_format(STE_DATE_NONE, text);
    assert_string_equal(text, "----------");
    ste_date_format(INT32_MAX, text);
    assert_string_equal(text, "----------");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_days),
        cmocka_unit_test(every_day_comes_back),
        cmocka_unit_test(what_is_no_date_is_refused),
        cmocka_unit_test(no_date_has_a_text_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
