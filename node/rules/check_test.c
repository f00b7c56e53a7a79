/* SPDX-License-Identifier: Apache-2.0
 * The message as a whole: what is needed, who may send, what is in no list, and in which order. */
#include "node/rules/check_fixture.h"

static void good_messages(void **state)
{
    static const struct check_case cases[] = {
        {"NOE", {{0}}, ""},
        {"ALB", {{0}}, ""},
        {"NPR", {{0}}, ""},
        {"SET", {{0}}, ""},
    };
    struct fixture *fixture = *state;
    RUN(fixture, cases);
    assert_int_equal(fixture->checked.finding_count, 0);
    assert_false(fixture->checked.rejected);
    assert_false(fixture->checked.day_refused);
    assert_false(fixture->checked.unsupported);
}

/* Nothing is found: nothing is allocated. */
static void good_messages_cost_no_memory(void **state)
{
    struct fixture *fixture = *state;
    struct ste_message *messages = NULL;
    struct ste_error err = {0};
    size_t count = 0;
    fixture_write(fixture, "NPR", "NEWM", NULL, 0);
    ste_arena_reset(fixture->arena);
    assert_int_equal(ste_xml_decode(fixture->xml, ste_bytes_of(fixture->body), fixture->arena,
                                    &messages, &count, &err),
                     STE_OK);
    size_t used = ste_arena_used(fixture->arena);
    assert_true(ste_check_message(&fixture->rules, messages, fixture->arena, &fixture->checked));
    assert_int_equal(ste_arena_used(fixture->arena), used);
}

#define GONE(element) {{#element, ""}}, "XMIS reject " #element " " #element
#define NOT_NEEDED(element) {{#element, ""}}, ""

static void needed_elements(void **state)
{
    static const struct check_case cases[] = {
        {"NOE", GONE(SettlementDate)},
        {"NOE", GONE(Direction)},
        {"NOE", GONE(Payment)},
        {"NOE", GONE(Instrument)},
        {"NOE", GONE(Quantity)},
        {"NOE", GONE(Price)},
        {"NOE", NOT_NEEDED(Account)},
        {"NOE", NOT_NEEDED(PlaceOfSettlement)},
        {"ALB", GONE(SettlementDate)},
        {"ALB", GONE(Direction)},
        {"ALB", GONE(Payment)},
        {"ALB", GONE(Instrument)},
        {"ALB", GONE(Quantity)},
        {"ALB", GONE(Price)},
        {"ALB", GONE(Account)},
        {"ALB", NOT_NEEDED(PlaceOfSettlement)},
        {"NPR", GONE(SettlementDate)},
        {"NPR", GONE(Direction)},
        {"NPR", GONE(Payment)},
        {"NPR", GONE(Instrument)},
        {"NPR", GONE(Quantity)},
        {"NPR", GONE(Price)},
        {"NPR", GONE(Account)},
        {"NPR", GONE(SettlementAmount)},
        {"NPR", GONE(Commission)},
        {"NPR", NOT_NEEDED(GrossAmount)},
        {"NPR", NOT_NEEDED(PlaceOfSettlement)},
        {"SET", GONE(SettlementDate)},
        {"SET", GONE(Direction)},
        {"SET", GONE(Payment)},
        {"SET", GONE(Instrument)},
        {"SET", GONE(Quantity)},
        {"SET", GONE(Account)},
        {"SET", GONE(SettlementAmount)},
        {"SET", GONE(DeliveringAgent)},
        {"SET", GONE(ReceivingAgent)},
        {"SET", GONE(PlaceOfSettlement)},
        {"SET", NOT_NEEDED(Commission)},
        /* an empty element is an absent one */
        {"NOE", {{"Direction", "<Direction> \n</Direction>"}}, "XMIS reject Direction Direction"},
        {"NOE", {{"Quantity", "<Quantity unit=\"UNIT\"/>"}}, "XMIS reject Quantity Quantity"},
        /* all of them at once, in the order of the fields */
        {"NPR",
         {{"Account", ""}, {"Price", ""}, {"Commission", ""}, {"SettlementDate", ""}},
         "XMIS reject SettlementDate SettlementDate; XMIS reject Price Price; "
         "XMIS reject Commission Commission; XMIS reject Account Account"},
    };
    RUN(*state, cases);
}

/* Accrued interest is needed where the quantity is a face amount; nothing of 8 to 11 where it is
 * free of payment. */
static void conditionally_needed(void **state)
{
#define BOND                                                                                       \
    {"Quantity", "<Quantity unit=\"FAMT\">1000</Quantity>"},                                       \
        {"Price", "<Price type=\"PRCT\">100</Price>"},                                             \
    {                                                                                              \
        "GrossAmount", "<GrossAmount currency=\"SGD\">1000.00</GrossAmount>"                       \
    }
#define NET(amount)                                                                                \
    {                                                                                              \
        "SettlementAmount", "<SettlementAmount currency=\"SGD\">" amount "</SettlementAmount>"     \
    }
    static const struct check_case cases[] = {
        {"NPR", {BOND, NET("8022.51")}, "XMIS reject AccruedInterest AccruedInterest"},
        {"NPR",
         {BOND,
          NET("1022.51"),
          {"AccruedInterest", "<AccruedInterest currency=\"SGD\">0</AccruedInterest>"}},
         ""},
        {"NPR",
         {{"Payment", "<Payment>FREE</Payment>"},
          {"SettlementAmount", ""},
          {"Commission", ""},
          {"GrossAmount", ""}},
         ""},
        {"NPR",
         {BOND,
          {"Payment", "<Payment>FREE</Payment>"},
          {"SettlementAmount", ""},
          {"Commission", ""}},
         ""},
        {"SET", {{"Payment", "<Payment>FREE</Payment>"}, {"SettlementAmount", ""}}, ""},
        /* not needed, and still not to be malformed */
        {"SET",
         {{"Payment", "<Payment>FREE</Payment>"},
          {"SettlementAmount", "<SettlementAmount currency=\"SGD\">x</SettlementAmount>"}},
         "DMON reject SettlementAmount @"},
    };
    RUN(*state, cases);
}

static void the_senders_role(void **state)
{
    static const struct check_case cases[] = {
        {"NOE", {{"Sender", "<Sender>BROKSGSGXXX</Sender>"}}, ""},
        {"NOE", {{"Sender", "<Sender>INVMSGSG</Sender>"}}, "XROL reject Sender @"},
        {"NOE", {{"Sender", "<Sender>BROKGB2L</Sender>"}}, "XROL reject Sender @"},
        {"NPR", {{"Sender", "<Sender>INVMSGSG</Sender>"}}, "XROL reject Sender @"},
        {"NPR", {{"Broker", "<Broker>BROKSGSGABC</Broker>"}}, ""},
        {"ALB", {{"Sender", "<Sender>BROKSGSG</Sender>"}}, "XROL reject Sender @"},
        {"ALB", {{"Sender", "<Sender>CUSTSGSG</Sender>"}}, "XROL reject Sender @"},
        {"ALB", {{"Sender", "<Sender>INVMSGSGXXX</Sender>"}}, ""},
        {"SET", {{"Sender", "<Sender>CUSTSGSG</Sender>"}}, ""},
        {"SET", {{"Sender", "<Sender>CUSBGB2L</Sender>"}}, ""},
        {"SET", {{"Sender", "<Sender>BROKSGSG</Sender>"}}, "XROL reject Sender @"},
        {"SET", {{"Sender", "<Sender>CDPLSGSG</Sender>"}}, "XROL reject Sender @"},
        {"SET", {{"Sender", "<Sender>NOBOSGSG</Sender>"}}, "XROL reject Sender @"},
        /* whatever roles the participant has: a custodian may be a trade's broker */
        {"NOE",
         {{"Sender", "<Sender>CUSTSGSG</Sender>"}, {"Broker", "<Broker>CUSTSGSG</Broker>"}},
         ""},
    };
    RUN(*state, cases);
}

static void what_is_in_no_list(void **state)
{
    static const struct check_case cases[] = {
        {"NOE",
         {{"Instrument", "<Instrument>US5949181045</Instrument>"}},
         "DSEC warn Instrument @"},
        {"SET",
         {{"DeliveringAgent", "<DeliveringAgent>AGRIFRPP882</DeliveringAgent>"},
          {"ReceivingAgent", "<ReceivingAgent>AGRIFRPP</ReceivingAgent>"}},
         "DEAG warn DeliveringAgent @; REAG warn ReceivingAgent @"},
        {"SET",
         {{"PlaceOfSettlement", "<PlaceOfSettlement>CEDELULL</PlaceOfSettlement>"}},
         "DEPT warn PlaceOfSettlement @"},
        {"SET", {{"DeliveringAgent", "<DeliveringAgent>CUSBSGSGXXX</DeliveringAgent>"}}, ""},
        {"NOE", {{"Receiver", "<Receiver>AGRIFRPP</Receiver>"}}, ""},
    };
    RUN(*state, cases);
}

static void two_currencies(void **state)
{
    static const struct check_case cases[] = {
        {"NPR",
         {{"Commission", "<Commission currency=\"USD\">22.51</Commission>"}},
         "NCRR warn Commission @"},
        {"NPR",
         {{"SettlementCurrency", "<SettlementCurrency>USD</SettlementCurrency>"}},
         "NCRR warn SettlementCurrency @"},
        {"NPR", {{"SettlementCurrency", "<SettlementCurrency>SGD</SettlementCurrency>"}}, ""},
        {"NOE",
         {{"SettlementCurrency", "<SettlementCurrency>USD</SettlementCurrency>"}},
         "NCRR warn SettlementCurrency @"},
        {"NPR",
         {{"Price", "<Price type=\"ACTU\" currency=\"USD\">37.52</Price>"}},
         "NCRR warn GrossAmount @"},
        /* three are one warning, and a wrong one counts for nothing */
        {"NPR",
         {{"Commission", "<Commission currency=\"USD\">22.51</Commission>"},
          {"OtherCharges", "<OtherCharges currency=\"EUR\">0</OtherCharges>"}},
         "NCRR warn Commission @"},
        {"NPR",
         {{"Commission", "<Commission currency=\"XYZ\">22.51</Commission>"}},
         "EXEC reject Commission @"},
    };
    RUN(*state, cases);
}

/* What decoding found stands between, by its place in the document; what is missing comes last. */
static void order_of_the_document(void **state)
{
    static const struct check_case cases[] = {
        {"NPR",
         {{"Account", "<Account>"
                      "a*b"
                      "</Account>"},
          {"Commission", ""},
          {"Direction", "<Direction>BUY</Direction>"},
          {"Payment", "<Payment>APMT</Payment><Colour>red</Colour>"},
          {"SettlementDate", "<SettlementDate>2026-12-05</SettlementDate>"},
          {"Country", "<Country>XX</Country>"}},
         "DDAT reject SettlementDate @; DELN reject Direction @; XUNK warn Colour 8:24; "
         "SAFE reject Account @; XFMT reject Country @; XMIS reject Commission Commission"},
        {"NOE",
         {{"Price", "<Price type=\"ACTU\">1</Price><Price type=\"ACTU\">2</Price>"},
          {"Direction", "<Direction>BUY</Direction>"},
          {"Country", "<Country>XX</Country>"}},
         "DELN reject Direction @; XREP reject Price Price; XFMT reject Country @"},
        {"NOE",
         {{"Price", "<Price type=\"ACTU\">-1</Price><Price type=\"ACTU\">2</Price>"}},
         "XREP reject Price Price; DDEA reject Price @"},
        /* a type ignores what it does not carry, and says so */
        {"NOE",
         {{"Commission", "<Commission currency=\"XYZ\">none</Commission>"},
          {"DeliveringAgent", "<DeliveringAgent>?</DeliveringAgent>"},
          {"PreviousReference", "<PreviousReference>*</PreviousReference>"}},
         "XUNK warn Commission @; XUNK warn DeliveringAgent @; XUNK warn PreviousReference @"},
        /* an element with children is malformed once, and not missing too */
        {"NOE", {{"Direction", "<Direction><b>BUYI</b></Direction>"}}, "DELN reject Direction @"},
        {"NOE", {{"Direction", "<Direction>BUY<b/></Direction>"}}, "DELN reject Direction @"},
        {"NOE",
         {{"Quantity", "<Quantity unit=\"UNIT\">1<b/></Quantity>"}},
         "DQUA reject Quantity @"},
    };
    RUN(*state, cases);
}

static void more_findings_than_are_listed(void **state)
{
    struct fixture *fixture = *state;
    struct ste_finding findings[STE_FINDINGS_MAX];
    struct ste_message *messages = NULL;
    struct ste_error err = {0};
    size_t count = 0, rejects = 0;
    for (size_t i = 0; i < STE_FINDINGS_MAX; i++)
        findings[i] = (struct ste_finding){STE_C_XUNK, STE_LEVEL_WARN, STE_BYTES("Colour"),
                                           STE_BYTES("1:1"), STE_BYTES("element is unknown")};
    const struct edit edits[] = {{"Direction", ""}, {"Account", ""}};
    fixture_write(fixture, "ALB", "NEWM", edits, 2);
    ste_arena_reset(fixture->arena);
    assert_int_equal(ste_xml_decode(fixture->xml, ste_bytes_of(fixture->body), fixture->arena,
                                    &messages, &count, &err),
                     STE_OK);
    messages[0].findings = findings;
    messages[0].finding_count = STE_FINDINGS_MAX;
    assert_true(ste_check_message(&fixture->rules, messages, fixture->arena, &fixture->checked));
    assert_int_equal(fixture->checked.finding_count, STE_FINDINGS_MAX);
    for (size_t i = 0; i < STE_FINDINGS_MAX; i++)
        rejects += fixture->checked.findings[i].level == STE_LEVEL_REJECT ? 1 : 0;
    assert_int_equal(rejects, 2);
    assert_true(fixture->checked.rejected);
}

static void not_supported_yet(void **state)
{
    static const struct {
        const char *type, *function;
    } cases[] = {{"NOE", "AMND"}, {"ALB", "CANC"}, {"SET", "TRIA"}, {"NPR", "AMND"},
                 {"AFF", ""},     {"NAF", ""},     {"STQ", ""}};
    /* alone, whatever else is wrong */
    const struct edit edits[] = {{"Direction", "<Direction>?</Direction>"},
                                 {"Sender", "<Sender>INVMSGSG</Sender>"},
                                 {"Reference", "<Reference>R</Reference>"},
                                 {"TradeReference", "<TradeReference>T</TradeReference>"},
                                 {"TradeDate", "<TradeDate>2016-11-30</TradeDate>"},
                                 {"Broker", "<Broker>BROKSGSG</Broker>"},
                                 {"Manager", "<Manager>INVMSGSG</Manager>"},
                                 {"Extra", "<Sender>BROKSGSG</Sender>"}};
    struct fixture *fixture = *state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        bool is_trade = cases[i].function[0] != '\0';
        fixture_write(fixture, cases[i].type, cases[i].function, edits, is_trade ? 7 : 8);
        assert_string_equal(fixture_check_body(fixture), "XFUN reject  1:1");
        assert_true(fixture->checked.unsupported);
        assert_true(fixture->checked.rejected);
        assert_false(fixture->checked.day_refused);
    }
}

static void levels_of_a_profile(void **state)
{
    static struct fixture fixture;
    static const struct check_case cases[] = {
        {"SET", {{"Sender", "<Sender>BROKSGSG</Sender>"}}, "XROL warn Sender @"},
        {"NOE",
         {{"Instrument", "<Instrument>US0378331003</Instrument>"}},
         "DSEC warn Instrument @"},
        {"NOE", {{"Country", "<Country>XX</Country>"}}, ""},
        {"NOE",
         {{"Quantity", "<Quantity unit=\"UNIT\">1.123456</Quantity>"}},
         "DQUA warn Quantity @"},
        {"NOE",
         {{"SettlementDate", "<SettlementDate>2026-11-29</SettlementDate>"}},
         "DDAT warn SettlementDate @"},
        {"NOE",
         {{"Instrument", "<Instrument>US5949181045</Instrument>"}},
         "DSEC reject Instrument @"},
        {"NPR",
         {{"Commission", "<Commission currency=\"USD\">22.51</Commission>"}},
         "NCRR reject Commission @"},
        {"SET",
         {{"DeliveringAgent", "<DeliveringAgent>Agent</DeliveringAgent>"}},
         "DEAG warn DeliveringAgent @"},
        {"NPR",
         {{"GrossAmount", "<GrossAmount currency=\"SGD\">22500.00</GrossAmount>"}},
         "DMON reject GrossAmount @"},
        {"NPR",
         {{"Commission", "<Commission currency=\"ZZZ\">22.51</Commission>"}},
         "EXEC warn Commission @"},
        /* a value longer than any right one is refused all the same */
        {"NOE",
         {{"Instrument", "<Instrument>0123456789012345678901234567890123456789"
                         "0123456789012345678901234</Instrument>"}},
         "DSEC reject Instrument @"},
    };
    (void)state;
    fixture_init(
        &fixture,
        "profiles:\n"
        "  - name: pair\n"
        "    pair: [BROKSGSG, INVMSGSG]\n"
        "    checks: { role: warn, isin: warn, country: off, decimals: warn, dates: warn,\n"
        "      business_day: off, instrument: reject, two_currencies: reject, bic: warn,\n"
        "      party: off, arithmetic: reject, currency: warn }\n");
    RUN(&fixture, cases);
    fixture_deinit(&fixture);
}

/* What is not checked counts as right for the checks behind it. */
static void checks_that_are_off(void **state)
{
    static struct fixture fixture;
    static const struct check_case cases[] = {
        {"NOE",
         {{"Instrument", "<Instrument>US0378331003</Instrument>"}},
         "DSEC warn Instrument @"},
        {"NOE", {{"Instrument", "<Instrument>tree</Instrument>"}}, "DSEC warn Instrument @"},
        {"SET",
         {{"DeliveringAgent", "<DeliveringAgent>Agent</DeliveringAgent>"},
          {"PlaceOfSettlement", "<PlaceOfSettlement>SG</PlaceOfSettlement>"}},
         "DEAG warn DeliveringAgent @; DEPT warn PlaceOfSettlement @"},
        {"NPR", {{"Sender", "<Sender>INVMSGSG</Sender>"}}, ""},
        {"NPR",
         {{"Commission", "<Commission currency=\"Z\">22.519</Commission>"}},
         "NCRR warn Commission @"},
        {"NOE", {{"SettlementDate", "<SettlementDate>2026-11-29</SettlementDate>"}}, ""},
        {"NOE", {{"Quantity", "<Quantity unit=\"UNIT\">0.0000001</Quantity>"}}, ""},
        /* what never depends on a level */
        {"NOE", {{"Quantity", "<Quantity unit=\"UNIT\">0</Quantity>"}}, "DQUA reject Quantity @"},
        {"NOE", {{"Price", "<Price type=\"ACTU\">x</Price>"}}, "DDEA reject Price @"},
        {"NPR", {{"Commission", "<Commission>22.51</Commission>"}}, "EXEC reject Commission @"},
    };
    (void)state;
    fixture_init(&fixture,
                 "profiles:\n"
                 "  - name: default\n"
                 "    checks: { isin: off, bic: off, currency: off, decimals: off, role: off,\n"
                 "      dates: off, business_day: off, arithmetic: off }\n");
    RUN(&fixture, cases);
    fixture_deinit(&fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(good_messages),
        cmocka_unit_test(good_messages_cost_no_memory),
        cmocka_unit_test(needed_elements),
        cmocka_unit_test(conditionally_needed),
        cmocka_unit_test(the_senders_role),
        cmocka_unit_test(what_is_in_no_list),
        cmocka_unit_test(two_currencies),
        cmocka_unit_test(order_of_the_document),
        cmocka_unit_test(more_findings_than_are_listed),
        cmocka_unit_test(not_supported_yet),
        cmocka_unit_test(levels_of_a_profile),
        cmocka_unit_test(checks_that_are_off),
    };
    return cmocka_run_group_tests(tests, fixture_setup, fixture_teardown);
}
