/* SPDX-License-Identifier: Apache-2.0 */
#include "node/rules/check_fixture.h"

static void open_days(void **state)
{
    static const ste_date dates[] = {10, 11, 13};
    const struct ste_days days = {dates, 3}, none = {dates, 0};
    (void)state;
    assert_true(ste_day_is_open(&days, 10));
    assert_true(ste_day_is_open(&days, 11));
    assert_true(ste_day_is_open(&days, 13));
    assert_false(ste_day_is_open(&days, 9));
    assert_false(ste_day_is_open(&days, 12));
    assert_false(ste_day_is_open(&days, 14));
    assert_false(ste_day_is_open(&none, 10));
}

#define TRADED(date)                                                                               \
    {                                                                                              \
        "TradeDate", "<TradeDate>" date "</TradeDate>"                                             \
    }
#define SETTLED(date)                                                                              \
    {                                                                                              \
        "SettlementDate", "<SettlementDate>" date "</SettlementDate>"                              \
    }

/* The business date is 2026-11-30; day -30 is 2026-10-31. */
static void trade_days(void **state)
{
    static const struct {
        const char *date, *found;
        bool refused;
    } cases[] = {
        {"2026-11-30", "", false},
        {"2026-12-01", "DTRD reject TradeDate @", true},
        {"2026-10-31", "", false},
        {"2026-10-30", "LATE reject TradeDate @", true},
        {"2016-11-30", "LATE reject TradeDate @", true},
        {"2099-12-31", "DTRD reject TradeDate @; DDAT reject SettlementDate @", true},
    };
    struct fixture *fixture = *state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char line[64];
        const struct edit edit = {"TradeDate", line};
        snprintf(line, sizeof(line), "<TradeDate>%s</TradeDate>", cases[i].date);
        assert_string_equal(fixture_check(fixture, "NOE", &edit, 1), cases[i].found);
        assert_int_equal(fixture->checked.day_refused, cases[i].refused);
        assert_int_equal(fixture->checked.rejected, cases[i].refused);
    }
}

static void a_day_that_was_purged(void **state)
{
    struct fixture *fixture = *state;
    static const struct edit edit = TRADED("2026-11-30");
    fixture->days.open_count = 30; /* up to the day before the business date */
    assert_string_equal(fixture_check(fixture, "NOE", &edit, 1), "LATE reject TradeDate @");
    assert_true(fixture->checked.day_refused);
    fixture->rules.days = NULL; /* ste-submit --check knows no days */
    assert_string_equal(fixture_check(fixture, "NOE", &edit, 1), "");
    fixture_business_date(fixture, "2026-11-30");
}

/* All that is wrong is listed beside the day. */
static void late_and_more(void **state)
{
    static const struct check_case cases[] = {
        {"NOE",
         {TRADED("2026-10-01"), {"Direction", "<Direction>?</Direction>"}, {"Price", ""}},
         "LATE reject TradeDate @; DELN reject Direction @; XMIS reject Price Price"},
    };
    struct fixture *fixture = *state;
    RUN(fixture, cases);
    assert_true(fixture->checked.day_refused);
}

#define PLACE(bic)                                                                                 \
    {                                                                                              \
        "PlaceOfSettlement", "<PlaceOfSettlement>" bic "</PlaceOfSettlement>"                      \
    }
#define COUNTRY(code)                                                                              \
    {                                                                                              \
        "Country", "<Country>" code "</Country>"                                                   \
    }
#define NO_PLACE                                                                                   \
    {                                                                                              \
        "PlaceOfSettlement", ""                                                                    \
    }

static void settlement_days(void **state)
{
    static const struct check_case cases[] = {
        {"NOE", {SETTLED("2026-11-30")}, ""},
        {"NOE", {SETTLED("2026-11-27")}, "DDAT reject SettlementDate @"},
        {"NOE",
         {SETTLED("2026-11-28")},
         "DDAT reject SettlementDate @; DDAT reject SettlementDate @"},
        {"NOE", {SETTLED("2026-12-05")}, "DDAT reject SettlementDate @"},
        {"NOE", {SETTLED("2026-12-25")}, "DDAT reject SettlementDate @"},
        {"NOE", {SETTLED("2026-12-28")}, ""},
        /* the place's country first, then Country, then no check */
        {"NOE", {SETTLED("2026-12-28"), PLACE("CRSTGB22")}, "DDAT reject SettlementDate @"},
        {"NOE", {SETTLED("2026-12-28"), COUNTRY("GB")}, ""},
        {"NOE", {SETTLED("2026-12-28"), NO_PLACE, COUNTRY("GB")}, "DDAT reject SettlementDate @"},
        {"NOE", {SETTLED("2026-12-26"), NO_PLACE}, ""},
        {"NOE", {SETTLED("2026-12-26"), NO_PLACE, COUNTRY("CH")}, ""},
        {"NOE",
         {SETTLED("2026-12-26"), PLACE("INSECHZZ"), COUNTRY("SG")},
         "DDAT reject SettlementDate @; DEPT warn PlaceOfSettlement @"},
        {"NOE", {SETTLED("2026-12-26"), PLACE("INSECHZZ")}, "DEPT warn PlaceOfSettlement @"},
        /* a place that is wrong by itself tells no country */
        {"NOE",
         {SETTLED("2026-12-28"), PLACE("CRSTGB2"), COUNTRY("GB")},
         "DDAT reject SettlementDate @; DEPT reject PlaceOfSettlement @"},
        /* euro countries settle by TARGET */
        {"NOE",
         {SETTLED("2027-03-26"), PLACE("SICVFRPP")},
         "DDAT reject SettlementDate @; DEPT warn PlaceOfSettlement @"},
        {"NOE", {SETTLED("2027-07-14"), PLACE("SICVFRPP")}, "DEPT warn PlaceOfSettlement @"},
    };
    RUN(*state, cases);
}

/* The examples of MESSAGES section 6: the day itself is taken, and the day before it, where it is
 * no business day, is not. */
static void business_days_of_the_examples(void **state)
{
    static const struct {
        const char *traded, *settled, *place, *holiday;
    } cases[] = {
        {"2018-12-07", "2018-12-12", "CDPLSGSG", "2018-12-09"},
        {"2018-12-10", "2018-12-12", "CDPLSGSG", NULL},
        {"2017-09-01", "2017-09-07", "DTCYUS33", "2017-09-04"},
        {"2019-04-18", "2019-04-24", "SICVFRPP", "2019-04-22"},
        {"2022-06-01", "2022-06-07", "CRSTGB22", "2022-06-03"},
        {"2024-02-08", "2024-02-13", "CDPLSGSG", "2024-02-12"},
        {"2019-04-26", "2019-05-09", "JJSDJPJT", "2019-05-06"},
    };
    struct fixture *fixture = *state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char traded[64], settled[64], place[64];
        const struct edit edits[] = {
            {"TradeDate", traded}, {"SettlementDate", settled}, {"PlaceOfSettlement", place}};
        fixture_business_date(fixture, cases[i].traded);
        snprintf(traded, sizeof(traded), "<TradeDate>%s</TradeDate>", cases[i].traded);
        snprintf(settled, sizeof(settled), "<SettlementDate>%s</SettlementDate>", cases[i].settled);
        snprintf(place, sizeof(place), "<PlaceOfSettlement>%s</PlaceOfSettlement>", cases[i].place);
        assert_null(strstr(fixture_check(fixture, "NOE", edits, 3), "DDAT"));
        if (!cases[i].holiday)
            continue;
        snprintf(settled, sizeof(settled), "<SettlementDate>%s</SettlementDate>", cases[i].holiday);
        assert_non_null(
            strstr(fixture_check(fixture, "NOE", edits, 3), "DDAT reject SettlementDate @"));
    }
    fixture_business_date(fixture, "2026-11-30");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(open_days),
        cmocka_unit_test(trade_days),
        cmocka_unit_test(a_day_that_was_purged),
        cmocka_unit_test(late_and_more),
        cmocka_unit_test(settlement_days),
        cmocka_unit_test(business_days_of_the_examples),
    };
    return cmocka_run_group_tests(tests, fixture_setup, fixture_teardown);
}
