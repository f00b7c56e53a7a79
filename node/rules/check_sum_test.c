/* SPDX-License-Identifier: Apache-2.0
 * Derived arithmetic of an NPR; the bond is that of MESSAGES section 3. */
#include "node/rules/check_fixture.h"

#define MONEY(element, currency, text)                                                             \
    {                                                                                              \
#element, "<" #element " currency=\"" currency "\">" text "</" #element ">"                \
    }
#define GROSS_OFF "DMON warn GrossAmount @"
#define NET_OFF "DMON warn SettlementAmount @"

/* The bond: a type and a pound; each case adds its own edits. */
static const char *bond(struct fixture *fixture, const char *quantity, const char *accrued,
                        const char *commission, const char *gross, const char *net)
{
    char lines[5][128];
    snprintf(lines[0], 128, "<Quantity unit=\"FAMT\">%s</Quantity>", quantity);
    snprintf(lines[1], 128, "<AccruedInterest currency=\"GBP\">%s</AccruedInterest>", accrued);
    snprintf(lines[2], 128, "<Commission currency=\"GBP\">%s</Commission>", commission);
    snprintf(lines[3], 128, "<GrossAmount currency=\"GBP\">%s</GrossAmount>", gross);
    snprintf(lines[4], 128, "<SettlementAmount currency=\"GBP\">%s</SettlementAmount>", net);
    const struct edit edits[] = {
        {"Quantity", lines[0]},
        {"AccruedInterest", lines[1]},
        {"Commission", lines[2]},
        {"GrossAmount", lines[3]},
        {"SettlementAmount", lines[4]},
        {"Price", "<Price type=\"PRCT\">101.001283</Price>"},
        {"Instrument", "<Instrument>GB00B16NNR78</Instrument>"},
        {"PlaceOfSettlement", "<PlaceOfSettlement>CRSTGB22</PlaceOfSettlement>"},
    };
    return fixture_check(fixture, "NPR", edits, 8);
}

static void the_bond(void **state)
{
    struct fixture *fixture = *state;
    assert_string_equal(bond(fixture, "4000000", "7000", "100", "4040051.32", "4047151.32"), "");
    assert_string_equal(bond(fixture, "2000000", "3500.00", "50.00", "2020025.66", "2023575.66"),
                        "");
    assert_string_equal(bond(fixture, "2000000", "3500.00", "50.00", "2020025.66", "2023575.65"),
                        "");
    /* above the band's edge: EUR 25 at 0.85 is 21.25 */
    assert_string_equal(bond(fixture, "2000000", "3500.00", "50.00", "2020025.66", "2023596.91"),
                        "");
    assert_string_equal(bond(fixture, "2000000", "3500.00", "50.00", "2020025.66", "2023596.92"),
                        NET_OFF);
    assert_string_equal(bond(fixture, "2000000", "3500.00", "50.00", "2020025.66", "2023554.41"),
                        "");
    assert_string_equal(bond(fixture, "2000000", "3500.00", "50.00", "2020025.66", "2023554.40"),
                        NET_OFF);
    assert_string_equal(bond(fixture, "2000000", "3500.00", "50.00", "2020046.91", "2023575.66"),
                        "");
    assert_string_equal(bond(fixture, "2000000", "3500.00", "50.00", "2020046.92", "2023575.66"),
                        GROSS_OFF);
    assert_string_equal(bond(fixture, "2000000", "-3500.00", "50.00", "2020025.66", "2016575.66"),
                        "");
    /* the net is checked against the derived gross, not the one that is said */
    assert_string_equal(bond(fixture, "2000000", "3500.00", "50.00", "2020125.66", "2023675.66"),
                        GROSS_OFF "; " NET_OFF);
}

static void shares(void **state)
{
    static const struct check_case cases[] = {
        /* 600 x 37.52 = 22,512.00; SGD 2.90 (EUR 2) each way below the edge */
        {"NPR", {MONEY(SettlementAmount, "SGD", "22537.41")}, ""},
        {"NPR", {MONEY(SettlementAmount, "SGD", "22537.42")}, NET_OFF},
        {"NPR", {MONEY(SettlementAmount, "SGD", "22531.61")}, ""},
        {"NPR", {MONEY(SettlementAmount, "SGD", "22531.60")}, NET_OFF},
        {"NPR", {MONEY(GrossAmount, "SGD", "22514.90")}, ""},
        {"NPR", {MONEY(GrossAmount, "SGD", "22514.91")}, GROSS_OFF},
        {"NPR", {{"GrossAmount", ""}}, ""},
        /* SELL takes the charges off, BUYI adds them */
        {"NPR",
         {{"Direction", "<Direction>SELL</Direction>"}, MONEY(SettlementAmount, "SGD", "22489.49")},
         ""},
        {"NPR", {{"Direction", "<Direction>SELL</Direction>"}}, NET_OFF},
        {"NPR",
         {MONEY(OtherCharges, "SGD", "10.00"), MONEY(SettlementAmount, "SGD", "22544.51")},
         ""},
        {"NPR",
         {{"Direction", "<Direction>SELL</Direction>"},
          MONEY(OtherCharges, "SGD", "10.00"),
          MONEY(AccruedInterest, "SGD", "5.00"),
          MONEY(SettlementAmount, "SGD", "22484.49")},
         ""},
        {"NPR",
         {{"Factor", "<Factor>0.5</Factor>"},
          MONEY(GrossAmount, "SGD", "11256.00"),
          MONEY(SettlementAmount, "SGD", "11278.51")},
         ""},
        {"NPR", {{"Factor", "<Factor>0.5</Factor>"}}, GROSS_OFF "; " NET_OFF},
    };
    RUN(*state, cases);
}

static void what_is_not_added_up(void **state)
{
    static const struct check_case cases[] = {
        /* no way to derive a gross */
        {"NPR", {{"Price", "<Price type=\"PRCT\">99</Price>"}}, ""},
        {"NPR",
         {{"Quantity", "<Quantity unit=\"FAMT\">1</Quantity>"}, MONEY(AccruedInterest, "SGD", "0")},
         ""},
        /* across currencies */
        {"NPR",
         {MONEY(Commission, "USD", "1.00"), MONEY(SettlementAmount, "SGD", "1.00")},
         "NCRR warn Commission @"},
        {"NPR",
         {MONEY(GrossAmount, "USD", "1.00"), MONEY(SettlementAmount, "SGD", "1.00")},
         "NCRR warn GrossAmount @"},
        {"NPR",
         {{"Price", "<Price type=\"ACTU\">37.52</Price>"},
          MONEY(GrossAmount, "USD", "1.00"),
          MONEY(SettlementAmount, "SGD", "1.00")},
         GROSS_OFF "; NCRR warn Commission @"},
        /* free of payment: no net */
        {"NPR",
         {{"Payment", "<Payment>FREE</Payment>"}, MONEY(SettlementAmount, "SGD", "1.00")},
         ""},
        /* what is refused by itself is not summed as well */
        {"NPR", {{"Quantity", "<Quantity unit=\"UNIT\">-1</Quantity>"}}, "DQUA reject Quantity @"},
        {"NPR",
         {{"Factor", "<Factor>0</Factor>"}, MONEY(GrossAmount, "SGD", "1.00")},
         "XFMT reject Factor @"},
        {"NPR", {{"Commission", ""}}, "XMIS reject Commission Commission"},
        {"NPR", {{"GrossAmount", "<GrossAmount>1.00</GrossAmount>"}}, "XFMT reject GrossAmount @"},
        /* other types are not derived */
        {"SET",
         {{"Price", "<Price type=\"ACTU\" currency=\"SGD\">1</Price>"},
          MONEY(GrossAmount, "SGD", "1.00"),
          MONEY(Commission, "SGD", "1.00"),
          MONEY(SettlementAmount, "SGD", "1.00")},
         ""},
    };
    RUN(*state, cases);
}

/* 18 digits three times do not fit 128 bits: said, not guessed. */
static void more_digits_than_fit(void **state)
{
    static const struct check_case cases[] = {
        {"NPR",
         {{"Quantity", "<Quantity unit=\"UNIT\">123456789012345678</Quantity>"},
          {"Price", "<Price type=\"ACTU\">12345678.1234567891</Price>"},
          {"Factor", "<Factor>1.23456789012345678</Factor>"}},
         "DMON warn Quantity @"},
    };
    RUN(*state, cases);
}

/* One minor unit is always allowed, whatever the tolerance. */
static void one_minor_unit(void **state)
{
    static struct fixture fixture;
    static const struct check_case cases[] = {
        {"NPR", {MONEY(SettlementAmount, "SGD", "22534.52")}, ""},
        {"NPR", {MONEY(SettlementAmount, "SGD", "22534.53")}, NET_OFF},
        {"NPR",
         {{"Price", "<Price type=\"ACTU\" currency=\"JPY\">37.521</Price>"},
          MONEY(GrossAmount, "JPY", "22512"),
          MONEY(Commission, "JPY", "22"),
          MONEY(SettlementAmount, "JPY", "22534")},
         ""},
        {"NPR",
         {{"Price", "<Price type=\"ACTU\" currency=\"JPY\">37.521</Price>"},
          MONEY(GrossAmount, "JPY", "22511"),
          MONEY(Commission, "JPY", "22"),
          MONEY(SettlementAmount, "JPY", "22534")},
         GROSS_OFF},
    };
    (void)state;
    fixture_init(&fixture,
                 "profiles:\n"
                 "  - { name: default, conditions: { SettlementAmount: { rule: exact } } }\n");
    RUN(&fixture, cases);
    fixture_deinit(&fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_bond),
        cmocka_unit_test(shares),
        cmocka_unit_test(what_is_not_added_up),
        cmocka_unit_test(more_digits_than_fit),
        cmocka_unit_test(one_minor_unit),
    };
    return cmocka_run_group_tests(tests, fixture_setup, fixture_teardown);
}
