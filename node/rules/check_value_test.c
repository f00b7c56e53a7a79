/* SPDX-License-Identifier: Apache-2.0
 * Every element by itself, each limit on both sides. */
#include "node/rules/check_fixture.h"

#define AS(element, text)                                                                          \
    {                                                                                              \
        {                                                                                          \
#element, "<" #element ">" text "</" #element ">"                                      \
        }                                                                                          \
    }
#define MONEY(element, currency, text)                                                             \
    {                                                                                              \
        {                                                                                          \
#element, "<" #element " currency=\"" currency "\">" text "</" #element ">"            \
        }                                                                                          \
    }

static void codes_and_bics(void **state)
{
    static const struct check_case cases[] = {
        {"NOE", AS(Direction, "SELL"), ""},
        {"NOE", AS(Direction, "buyi"), "DELN reject Direction @"},
        {"NOE", AS(Direction, "BUY"), "DELN reject Direction @"},
        {"NOE", AS(Payment, "FREE"), ""},
        {"NOE", AS(Payment, "PAID"), "FRAP reject Payment @"},
        {"NOE", AS(Receiver, "AGRIFRPP882"), ""},
        {"NOE", AS(Receiver, "AGRIFRPP8"), "XFMT reject Receiver @"},
        {"NOE", AS(Receiver, "AGRIF2PP"), "XFMT reject Receiver @"},
        {"NOE", AS(Receiver, "agrifrpp"), "XFMT reject Receiver @"},
        {"NOE", AS(Receiver, "AGRIZZPP"), "XFMT reject Receiver @"},
        {"NOE", AS(Receiver, "NCBVXKPR"), ""},
        {"NOE", AS(PlaceOfSettlement, "CDPLSGSGX"), "DEPT reject PlaceOfSettlement @"},
        {"NOE", AS(PlaceOfSettlement, "CDPLUKSG"), "DEPT reject PlaceOfSettlement @"},
        {"SET", AS(DeliveringAgent, "CUSBSGS"), "DEAG reject DeliveringAgent @"},
        {"SET", AS(ReceivingAgent, "CUSTXXSG"), "REAG reject ReceivingAgent @"},
        {"NOE", AS(Manager, "INVMXXSG"), "INVE reject Manager @"},
        {"ALB", AS(Broker, "BROKXXSG"), "IEXE reject Broker @"},
        {"NOE",
         {{"Sender", "<Sender>BROKXXSG</Sender>"}, {"Broker", "<Broker>BROKXXSG</Broker>"}},
         "XFMT reject Sender @; IEXE reject Broker @"},
        {"NOE", AS(Country, "GB"), ""},
        {"NOE", AS(Country, "UK"), "XFMT reject Country @"},
        {"NOE", AS(Country, "sg"), "XFMT reject Country @"},
        {"NOE", AS(Country, "SGP"), "XFMT reject Country @"},
        {"NOE", AS(SettlementCurrency, "SGD"), ""},
        {"NOE", AS(SettlementCurrency, "SGX"), "NCRR reject SettlementCurrency @"},
        {"NOE", AS(SettlementCurrency, "sgd"), "NCRR reject SettlementCurrency @"},
        {"NOE", AS(SettlementCurrency, "S"), "NCRR reject SettlementCurrency @"},
    };
    RUN(*state, cases);
}

/* Malformed identity is decoding's, before the line between EXC and REJ. */
static void identity_is_decodings(void **state)
{
    static const struct check_case cases[] = {
        {"NOE", AS(Broker, "BROKSGS"), "EXC XFMT"},
        {"NOE", AS(TradeDate, "2026-02-30"), "EXC XFMT"},
        {"NOE", AS(Reference, "a*b"), "EXC XFMT"},
        {"NOE", {{"Manager", ""}}, "EXC XMIS"},
    };
    RUN(*state, cases);
}

static void isins(void **state)
{
    static const char *const right[] = {"US0378331005", "GB0002634946", "SG1L01001701",
                                        "IE00B4L5Y983", "LU1597245148", "SG1S04926220",
                                        "GB00B16NNR78"};
    static const struct check_case cases[] = {
        {"NOE", AS(Instrument, "US0378331003"), "DSEC reject Instrument @"},
        {"NOE", AS(Instrument, "JP000K0VF054"), "DSEC reject Instrument @"},
        {"NOE", AS(Instrument, "us0378331005"), "DSEC reject Instrument @"},
        {"NOE", AS(Instrument, "US037833100"), "DSEC reject Instrument @"},
        {"NOE", AS(Instrument, "US03783310055"), "DSEC reject Instrument @"},
        {"NOE", AS(Instrument, "120378331005"), "DSEC reject Instrument @"},
        /* prefixes are not looked up */
        {"NOE", AS(Instrument, "XS0971721963"), "DSEC warn Instrument @"},
    };
    struct fixture *fixture = *state;
    RUN(fixture, cases);
    for (size_t i = 0; i < sizeof(right) / sizeof(right[0]); i++) {
        char line[64];
        const struct edit edit = {"Instrument", line};
        snprintf(line, sizeof(line), "<Instrument>%s</Instrument>", right[i]);
        assert_string_equal(fixture_check(fixture, "NOE", &edit, 1), "");
    }
}

static void references_dates_and_times(void **state)
{
    static const struct check_case cases[] = {
        {"ALB", AS(Account, "12345678901234567890123456789012345"), ""},
        {"ALB", AS(Account, "123456789012345678901234567890123456"), "SAFE reject Account @"},
        {"ALB", AS(Account, "a b/-?:().,'+Z"), ""},
        {"ALB", AS(Account, "a_b"), "SAFE reject Account @"},
        {"ALB", AS(Account, "caf\xc3\xa9"), "SAFE reject Account @"},
        {"NOE", AS(SettlementDate, "2026-12-32"), "DDAT reject SettlementDate @"},
        {"NOE", AS(SettlementDate, "2027-02-29"), "DDAT reject SettlementDate @"},
        {"NOE", AS(SettlementDate, "2028-02-29"), ""},
        {"NOE", AS(SettlementDate, "2026-12-2"), "DDAT reject SettlementDate @"},
        {"NOE", AS(SettlementDate, "02.12.2026"), "DDAT reject SettlementDate @"},
        {"NOE", AS(SettlementDate, "2026-12-02Z"), "DDAT reject SettlementDate @"},
        {"NOE", AS(CreatedAt, "2026-11-30T09:15:02.123456Z"), ""},
        {"NOE", AS(CreatedAt, "2026-11-30T09:15:02+08:00"), ""},
        {"NOE", AS(CreatedAt, "2026-11-30 09:15:02"), "XFMT reject CreatedAt @"},
        {"NOE", AS(CreatedAt, "2026-11-30T09:15"), "XFMT reject CreatedAt @"},
    };
    RUN(*state, cases);
}

#define QUANTITY(text)                                                                             \
    {                                                                                              \
        {                                                                                          \
            "Quantity", "<Quantity unit=\"UNIT\">" text "</Quantity>"                              \
        }                                                                                          \
    }
#define BAD_QUANTITY "DQUA reject Quantity @"

static void quantities(void **state)
{
    static const struct check_case cases[] = {
        {"NOE", QUANTITY("0.00001"), ""},
        {"NOE", QUANTITY("0.000001"), BAD_QUANTITY},
        {"NOE", QUANTITY("1.10000"), ""},
        {"NOE", QUANTITY("1.100000"), BAD_QUANTITY},
        {"NOE", QUANTITY("0"), BAD_QUANTITY},
        {"NOE", QUANTITY("0.000"), BAD_QUANTITY},
        {"NOE", QUANTITY("123456789012345678"), ""},
        {"NOE", QUANTITY("1234567890123456789"), BAD_QUANTITY},
        {"NOE", QUANTITY("000000000000000001"), ""},
        {"NOE", QUANTITY("0000000000000000001"), BAD_QUANTITY},
        {"NOE", QUANTITY("-1"), BAD_QUANTITY},
        {"NOE", QUANTITY("+1"), BAD_QUANTITY},
        {"NOE", QUANTITY("1e3"), BAD_QUANTITY},
        {"NOE", QUANTITY("1,000"), BAD_QUANTITY},
        {"NOE", QUANTITY("1 000"), BAD_QUANTITY},
        {"NOE", QUANTITY(".5"), BAD_QUANTITY},
        {"NOE", QUANTITY("5."), BAD_QUANTITY},
        {"NOE", QUANTITY("1.2.3"), BAD_QUANTITY},
        {"NOE", QUANTITY("\n 600 \t"), ""},
        {"NOE", {{"Quantity", "<Quantity unit=\"FAMT\">600</Quantity>"}}, ""},
        {"NOE", {{"Quantity", "<Quantity>600</Quantity>"}}, BAD_QUANTITY},
        {"NOE", {{"Quantity", "<Quantity unit=\"\">600</Quantity>"}}, BAD_QUANTITY},
        {"NOE", {{"Quantity", "<Quantity unit=\"unit\">600</Quantity>"}}, BAD_QUANTITY},
        {"NOE",
         {{"Quantity", "<Quantity unit=\"KILO\">none</Quantity>"}},
         BAD_QUANTITY "; " BAD_QUANTITY},
    };
    RUN(*state, cases);
}

#define PRICE(attributes, text)                                                                    \
    {                                                                                              \
        {                                                                                          \
            "Price", "<Price " attributes ">" text "</Price>"                                      \
        }                                                                                          \
    }
#define BAD_PRICE "DDEA reject Price @"

static void prices(void **state)
{
    static const struct check_case cases[] = {
        {"NOE", PRICE("type='ACTU'", "0"), ""},
        {"NOE", PRICE("type='PRCT'", "101.001283"), ""},
        {"NOE", PRICE("type='ACTU'", "0.0123456789"), ""},
        {"NOE", PRICE("type='ACTU'", "0.01234567890"), BAD_PRICE},
        {"NOE", PRICE("type='ACTU'", "-0.01"), BAD_PRICE},
        {"NOE", PRICE("type='ACTU'", "1234567890123456789"), BAD_PRICE},
        {"NOE", PRICE("type='ACTU' currency='JPY'", "1.5"), ""},
        {"NOE", PRICE("type='ACTU' currency='JPX'", "1.5"), BAD_PRICE},
        {"NOE", PRICE("type='ACTU' currency=''", "1.5"), ""},
        {"NOE", PRICE("type='PRCT' currency='SGD'", "1.5"), BAD_PRICE},
        {"NOE", PRICE("currency='SGD'", "1.5"), BAD_PRICE},
        {"NOE", PRICE("type='YIEL'", "1.5"), BAD_PRICE},
        /* optional in a SET, and checked where it is there */
        {"SET", PRICE("type='ACTU'", "37.52"), ""},
        {"SET", PRICE("type='ACTU'", "high"), BAD_PRICE},
    };
    RUN(*state, cases);
}

static void money(void **state)
{
    static const struct check_case cases[] = {
        {"SET", MONEY(SettlementAmount, "SGD", "0.01"), ""},
        {"SET", MONEY(SettlementAmount, "SGD", "0.00"), "DMON reject SettlementAmount @"},
        {"SET", MONEY(SettlementAmount, "SGD", "-1.00"), "DMON reject SettlementAmount @"},
        {"SET", MONEY(SettlementAmount, "SGD", "1.000"), "DMON reject SettlementAmount @"},
        {"SET", MONEY(SettlementAmount, "SGD", "1.5"), ""},
        {"SET", MONEY(SettlementAmount, "JPY", "5000"), ""},
        {"SET", MONEY(SettlementAmount, "JPY", "5000.00"), "DMON reject SettlementAmount @"},
        {"SET", MONEY(SettlementAmount, "KWD", "1.001"), ""},
        {"SET", MONEY(SettlementAmount, "KWD", "1.0010"), "DMON reject SettlementAmount @"},
        {"SET", MONEY(SettlementAmount, "CLF", "1.0001"), ""},
        {"SET", MONEY(SettlementAmount, "CLF", "1.00010"), "DMON reject SettlementAmount @"},
        {"SET", MONEY(SettlementAmount, "SGX", "1.123456"), "DMON reject SettlementAmount @"},
        {"SET", MONEY(SettlementAmount, "", "1.00"), "DMON reject SettlementAmount @"},
        {"SET", AS(SettlementAmount, "1.00"), "DMON reject SettlementAmount @"},
        {"SET", MONEY(SettlementAmount, "SGD", "9999999999999999.99"), ""},
        {"SET", MONEY(SettlementAmount, "SGD", "99999999999999999.99"),
         "DMON reject SettlementAmount @"},
        {"SET", MONEY(SettlementAmount, "SGX", "a lot"),
         "DMON reject SettlementAmount @; DMON reject SettlementAmount @"},
        /* the others may be 0, accrued interest below */
        {"SET", MONEY(Commission, "SGD", "0"), ""},
        {"SET", MONEY(Commission, "SGD", "-1.00"), "EXEC reject Commission @"},
        {"SET", MONEY(Commission, "XYZ", "1.00"), "EXEC reject Commission @"},
        {"SET", MONEY(Commission, "SGD", "1.001"), "EXEC reject Commission @"},
        {"SET", AS(Commission, "1.00"), "EXEC reject Commission @"},
        {"SET", MONEY(AccruedInterest, "SGD", "-12.50"), ""},
        {"SET", MONEY(AccruedInterest, "SGD", "0"), ""},
        {"SET", MONEY(AccruedInterest, "SGD", "-12.501"), "ACRU reject AccruedInterest @"},
        {"SET", MONEY(AccruedInterest, "SGD", "--1"), "ACRU reject AccruedInterest @"},
        {"SET", MONEY(AccruedInterest, "ABC", "1"), "ACRU reject AccruedInterest @"},
        {"SET", MONEY(OtherCharges, "SGD", "0.00"), ""},
        {"SET", MONEY(OtherCharges, "SGD", "-0.01"), "XFMT reject OtherCharges @"},
        {"SET", MONEY(GrossAmount, "SGD", "0"), ""},
        {"SET", MONEY(GrossAmount, "QQQ", "1"), "XFMT reject GrossAmount @"},
        {"SET", AS(GrossAmount, "1"), "XFMT reject GrossAmount @"},
        {"SET", AS(Factor, "0.985"), ""},
        {"SET", AS(Factor, "0"), "XFMT reject Factor @"},
        {"SET", AS(Factor, "-1"), "XFMT reject Factor @"},
        {"SET", AS(Factor, "one"), "XFMT reject Factor @"},
    };
    RUN(*state, cases);
}

/* Every currency of the table takes its minor units and not one decimal more. */
static void minor_units_of_every_currency(void **state)
{
    struct fixture *fixture = *state;
    FILE *file = fopen(STE_SOURCE_DIR "/deploy/reference/currencies.csv", "r");
    char row[256], line[160];
    unsigned count = 0;
    assert_non_null(file);
    while (fgets(row, sizeof(row), file)) {
        if (row[3] != ',' || row[0] < 'A' || row[0] > 'Z')
            continue;
        int units = row[4] - '0';
        for (int more = 0; more <= 1; more++) {
            const struct edit edit = {"SettlementAmount", line};
            int decimals = units + more;
            snprintf(line, sizeof(line),
                     "<SettlementAmount currency=\"%.3s\">1%s%.*s</SettlementAmount>", row,
                     decimals ? "." : "", decimals, "000000");
            assert_string_equal(fixture_check(fixture, "SET", &edit, 1),
                                more ? "DMON reject SettlementAmount @" : "");
        }
        count++;
    }
    fclose(file);
    assert_in_range(count, 180, 200);
}

static void narrative_and_unknown_elements(void **state)
{
    struct fixture *fixture = *state;
    static char line[3000];
    const struct edit edit = {"Narrative", line};
    for (int chars = 2000; chars <= 2001; chars++) {
        snprintf(line, sizeof(line), "<Narrative>%0*d</Narrative>", chars, 0);
        assert_string_equal(fixture_check(fixture, "NOE", &edit, 1),
                            chars == 2000 ? "" : "XLIM reject Narrative @");
    }
    for (int unknown = 64; unknown <= 65; unknown++) {
        line[0] = '\0';
        for (int i = 0; i < unknown; i++)
            strcat(line, "<Colour/>");
        fixture_check(fixture, "NOE", &edit, 1);
        assert_int_equal(fixture->checked.finding_count, (size_t)unknown);
        assert_int_equal(fixture->checked.rejected, unknown == 65);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(codes_and_bics),
        cmocka_unit_test(identity_is_decodings),
        cmocka_unit_test(isins),
        cmocka_unit_test(references_dates_and_times),
        cmocka_unit_test(quantities),
        cmocka_unit_test(prices),
        cmocka_unit_test(money),
        cmocka_unit_test(minor_units_of_every_currency),
        cmocka_unit_test(narrative_and_unknown_elements),
    };
    return cmocka_run_group_tests(tests, fixture_setup, fixture_teardown);
}
