/* SPDX-License-Identifier: Apache-2.0 */
#include "ref/ref_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static ste_date date_of(const char *text)
{
    ste_date date = STE_DATE_NONE;
    assert_true(ste_date_parse(ste_bytes_of(text), &date));
    return date;
}

static int setup(void **state)
{
    *state = ste_fixture_ref("", "2026-11-30");
    return *state ? 0 : -1;
}

static int teardown(void **state)
{
    ste_ref_free(*state);
    return 0;
}

static void business_days_of_the_examples(void **state)
{
    static const struct {
        const char *country, *from;
        unsigned days;
        const char *to;
    } cases[] = {
        {"SG", "2018-12-07", 3, "2018-12-12"}, {"SG", "2018-12-10", 2, "2018-12-12"},
        {"US", "2017-09-01", 3, "2017-09-07"}, {"FR", "2019-04-18", 2, "2019-04-24"},
        {"GB", "2022-06-01", 2, "2022-06-07"}, {"SG", "2024-02-08", 2, "2024-02-13"},
        {"JP", "2019-04-26", 3, "2019-05-09"}, {"SG", "2024-02-08", 0, "2024-02-08"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        ste_date to = ste_ref_business_add(*state, ste_bytes_of(cases[i].country),
                                           date_of(cases[i].from), cases[i].days);
        char text[STE_DATE_TEXT_BYTES];
        ste_date_format(to, text);
        assert_string_equal(text, cases[i].to);
    }
}

static void holidays_and_business_days(void **state)
{
    static const struct {
        const char *country, *date;
        enum ste_business business;
    } cases[] = {
        /* special days of Great Britain */
        {"GB", "2022-05-30", STE_BUSINESS_DAY},
        {"GB", "2022-06-02", STE_BUSINESS_HOLIDAY},
        {"GB", "2022-06-03", STE_BUSINESS_HOLIDAY},
        {"GB", "2022-09-19", STE_BUSINESS_HOLIDAY},
        {"GB", "2023-05-08", STE_BUSINESS_HOLIDAY},
        {"GB", "2020-05-04", STE_BUSINESS_DAY},
        {"GB", "2020-05-08", STE_BUSINESS_HOLIDAY},
        {"GB", "2021-12-27", STE_BUSINESS_HOLIDAY},
        {"GB", "2021-12-28", STE_BUSINESS_HOLIDAY},
        {"GB", "2021-12-29", STE_BUSINESS_DAY},
        /* banks or the exchange, in the United States */
        {"US", "2020-07-03", STE_BUSINESS_HOLIDAY},
        {"US", "2021-12-24", STE_BUSINESS_HOLIDAY},
        {"US", "2021-12-31", STE_BUSINESS_DAY},
        {"US", "2023-11-10", STE_BUSINESS_DAY},
        {"US", "2024-11-11", STE_BUSINESS_HOLIDAY},
        {"US", "2024-10-14", STE_BUSINESS_HOLIDAY},
        {"US", "2024-03-29", STE_BUSINESS_HOLIDAY},
        {"US", "2021-06-18", STE_BUSINESS_DAY},
        {"US", "2022-06-20", STE_BUSINESS_HOLIDAY},
        {"US", "2018-12-05", STE_BUSINESS_DAY},
        {"US", "2025-01-09", STE_BUSINESS_DAY},
        {"US", "2023-01-02", STE_BUSINESS_HOLIDAY},
        /* Japan: year's end, substitutes, days between, the Olympic years */
        {"JP", "2018-12-31", STE_BUSINESS_HOLIDAY},
        {"JP", "2019-01-02", STE_BUSINESS_HOLIDAY},
        {"JP", "2019-01-04", STE_BUSINESS_DAY},
        {"JP", "2019-04-30", STE_BUSINESS_HOLIDAY},
        {"JP", "2019-05-02", STE_BUSINESS_HOLIDAY},
        {"JP", "2019-05-06", STE_BUSINESS_HOLIDAY},
        {"JP", "2019-05-07", STE_BUSINESS_DAY},
        {"JP", "2020-07-24", STE_BUSINESS_HOLIDAY},
        {"JP", "2020-10-12", STE_BUSINESS_DAY},
        {"JP", "2021-07-23", STE_BUSINESS_HOLIDAY},
        {"JP", "2021-08-09", STE_BUSINESS_HOLIDAY},
        {"JP", "2025-02-24", STE_BUSINESS_HOLIDAY},
        {"JP", "2026-09-22", STE_BUSINESS_HOLIDAY},
        {"JP", "2027-03-22", STE_BUSINESS_HOLIDAY},
        /* Hong Kong and Singapore */
        {"HK", "2021-04-06", STE_BUSINESS_HOLIDAY},
        {"HK", "2022-09-12", STE_BUSINESS_HOLIDAY},
        {"HK", "2026-04-07", STE_BUSINESS_HOLIDAY},
        {"HK", "2023-01-02", STE_BUSINESS_HOLIDAY},
        {"SG", "2020-07-10", STE_BUSINESS_HOLIDAY},
        {"SG", "2023-09-01", STE_BUSINESS_HOLIDAY},
        {"SG", "2022-07-11", STE_BUSINESS_HOLIDAY},
        {"SG", "2026-11-09", STE_BUSINESS_HOLIDAY},
        {"SG", "2026-12-02", STE_BUSINESS_DAY},
        /* the closing days of TARGET, for the countries of the euro */
        {"DE", "2024-10-03", STE_BUSINESS_DAY},
        {"FR", "2024-07-15", STE_BUSINESS_DAY},
        {"FR", "2024-05-01", STE_BUSINESS_HOLIDAY},
        {"IE", "2024-12-26", STE_BUSINESS_HOLIDAY},
        {"LU", "2024-04-01", STE_BUSINESS_HOLIDAY},
        {"BG", "2026-01-01", STE_BUSINESS_HOLIDAY},
        /* weekends are a rule, beyond the years of a calendar too */
        {"SG", "2018-12-08", STE_BUSINESS_HOLIDAY},
        {"SG", "2018-12-09", STE_BUSINESS_HOLIDAY},
        {"SG", "2035-01-06", STE_BUSINESS_HOLIDAY},
        {"SG", "2035-01-01", STE_BUSINESS_DAY},
        {"CH", "2024-01-01", STE_BUSINESS_NO_CALENDAR},
        {"TARGET", "2024-01-01", STE_BUSINESS_NO_CALENDAR},
        {"", "2024-01-01", STE_BUSINESS_NO_CALENDAR},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        enum ste_business business =
            ste_ref_business(*state, ste_bytes_of(cases[i].country), date_of(cases[i].date));
        if (business != cases[i].business)
            print_error("%s %s\n", cases[i].country, cases[i].date);
        assert_int_equal(business, cases[i].business);
    }
}

static void no_calendar_no_day(void **state)
{
    assert_int_equal(ste_ref_business_add(*state, STE_BYTES("CH"), 0, 1), STE_DATE_NONE);
    assert_int_equal(ste_ref_business_add(*state, STE_BYTES("SG"), STE_DATE_NONE, 1),
                     STE_DATE_NONE);
}

/* Every shipped calendar goes from 2017 to 2026 at least. */
static void shipped_years(void **state)
{
    static const char *const countries[] = {"SG", "US", "GB", "DE", "JP", "HK"};
    for (size_t i = 0; i < 6; i++) {
        for (int year = 2017; year <= 2026; year++) {
            char text[STE_DATE_TEXT_BYTES + 8];
            unsigned holidays = 0;
            snprintf(text, sizeof(text), "%d-01-01", year);
            ste_date first = date_of(text);
            for (ste_date date = first; date < first + 365; date++) {
                if (ste_date_weekday(date) < 6 &&
                    ste_ref_business(*state, ste_bytes_of(countries[i]), date) ==
                        STE_BUSINESS_HOLIDAY)
                    holidays++;
            }
            assert_in_range(holidays, 3, 22);
        }
    }
}

static void warns_at_the_ends(void **state)
{
    struct ste_ref *ref = ste_fixture_ref("", "2026-12-15");
    (void)state;
    assert_non_null(ref);
    assert_non_null(strstr(ste_ref_warnings(ref), "calendar SG ends 2026-12-31"));
    assert_null(strstr(ste_ref_warnings(ref), "calendar GB"));
    ste_ref_free(ref);
    ref = ste_fixture_ref("", "2026-11-30");
    assert_non_null(ref);
    assert_string_equal(ste_ref_warnings(ref), "");
    ste_ref_free(ref);
    ref = ste_fixture_ref("", "2016-12-30");
    assert_non_null(ref);
    assert_non_null(strstr(ste_ref_warnings(ref), "calendar TARGET begins 2017-01-01"));
    assert_non_null(strstr(ste_ref_warnings(ref), "rate of GBP: dated after the business date"));
    ste_ref_free(ref);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(business_days_of_the_examples),
        cmocka_unit_test(holidays_and_business_days),
        cmocka_unit_test(no_calendar_no_day),
        cmocka_unit_test(shipped_years),
        cmocka_unit_test(warns_at_the_ends),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
