/* SPDX-License-Identifier: Apache-2.0 */
#include "bridge/submit.h"

#include <unistd.h>

#include "bridge/testing.h"
#include "json/json.h"
#include "node/rules/rules.h"

/* One element a line, so that the n-th stands in line n + 1. */
#define NPR_OPEN "<TradeMessage type=\"NPR\" function=\"NEWM\">\n"
#define NPR(reference, date, isin, more)                                                           \
    NPR_OPEN "<Reference>" reference "</Reference>\n"                                              \
             "<Sender>BROKSGSG</Sender>\n"                                                         \
             "<TradeReference>SGX20261130000123</TradeReference>\n"                                \
             "<TradeDate>2026-11-30</TradeDate>\n"                                                 \
             "<SettlementDate>" date "</SettlementDate>\n"                                         \
             "<Direction>BUYI</Direction><Payment>APMT</Payment>\n"                                \
             "<Instrument>" isin "</Instrument><Quantity unit=\"UNIT\">600</Quantity>\n"           \
             "<Price type=\"ACTU\" currency=\"SGD\">37.52</Price>\n"                               \
             "<GrossAmount currency=\"SGD\">22512.00</GrossAmount>\n"                              \
             "<Commission currency=\"SGD\">22.51</Commission>\n"                                   \
             "<SettlementAmount currency=\"SGD\">22534.51</SettlementAmount>\n"                    \
             "<Broker>BROKSGSG</Broker><Manager>INVMSGSG</Manager>\n"                              \
             "<Account>SAFE-0001</Account>" more "\n</TradeMessage>\n"
#define GOOD_ISIN "SG1L01001701"
#define GOOD NPR("R-1", "2026-12-02", GOOD_ISIN, "")

/* ---- without reference data ---- */

struct decoded {
    struct ste_xml *xml;
    struct ste_arena *arena;
};

static int open_decoded(void **state)
{
    struct decoded *const decoded = calloc(1, sizeof(*decoded));
    *state = decoded;
    decoded->xml = ste_xml_new();
    decoded->arena = ste_arena_new(0);
    return decoded->xml != NULL && decoded->arena != NULL ? 0 : -1;
}

static int close_decoded(void **state)
{
    struct decoded *const decoded = *state;
    ste_xml_free(decoded->xml);
    ste_arena_free(decoded->arena);
    free(decoded);
    return 0;
}

static struct ste_checked check_plain(struct decoded *decoded, const char *text)
{
    struct ste_message *messages = NULL;
    size_t count = 0;
    struct ste_checked checked;
    ste_arena_reset(decoded->arena);
    assert_ok(
        ste_xml_decode(decoded->xml, ste_bytes_of(text), decoded->arena, &messages, &count, &err));
    assert_int_equal(count, 1);
    assert_string_equal(ste_msg_code_name(messages[0].exc.code), "");
    const struct ste_rules rules = {.business_date = STE_DATE_NONE};
    assert_true(ste_check_message(&rules, &messages[0], decoded->arena, &checked));
    return checked;
}

static void test_a_good_message(void **state)
{
    const struct ste_checked checked = check_plain(*state, GOOD);
    assert_int_equal(checked.finding_count, 0);
    assert_false(checked.rejected);
}

/* The text with the first `find` replaced; good until the call after the next. */
static const char *changed(const char *text, const char *find, const char *put)
{
    static char out[2][4096];
    char *const to = text == out[0] ? out[1] : out[0];
    const char *const at = strstr(text, find);
    assert_non_null(at);
    snprintf(to, sizeof(out[0]), "%.*s%s%s", (int)(at - text), text, put, at + strlen(find));
    return to;
}

static void test_one_thing_wrong(void **state)
{
    static const struct {
        const char *find, *put, *code, *element, *place;
    } changes[] = {
        {"SG1L01001701", "SG1L01001702", "DSEC", "Instrument", "8:1"},
        {"2026-12-02", "2026-02-30", "DDAT", "SettlementDate", "6:1"},
        {"2026-12-02", "2026-11-27", "DDAT", "SettlementDate", "6:1"},
        {"BUYI", "buyi", "DELN", "Direction", "7:1"},
        {"APMT", "PAID", "FRAP", "Payment", "7:28"},
        {">600<", ">0<", "DQUA", "Quantity", "8:38"},
        {">600<", ">6.000001<", "DQUA", "Quantity", "8:38"},
        {"unit=\"UNIT\"", "unit=\"PCS\"", "DQUA", "Quantity", "8:38"},
        {" unit=\"UNIT\"", "", "DQUA", "Quantity", "8:38"},
        {"37.52", "37,52", "DDEA", "Price", "9:1"},
        {"37.52", "-1", "DDEA", "Price", "9:1"},
        {"37.52", "1.12345678901", "DDEA", "Price", "9:1"},
        {"\"ACTU\"", "\"PRCT\"", "DDEA", "Price", "9:1"},
        {"\"ACTU\" currency=\"SGD\"", "\"ACTU\" currency=\"S$\"", "DDEA", "Price", "9:1"},
        {"<Commission currency=\"SGD\"", "<Commission", "EXEC", "Commission", "11:1"},
        {"22.51<", "-22.51<", "EXEC", "Commission", "11:1"},
        {"22534.51", "0.00", "DMON", "SettlementAmount", "12:1"},
        {"22534.51", "1234567890123456789", "DMON", "SettlementAmount", "12:1"},
        {"SAFE-0001", "SAFE_0001", "SAFE", "Account", "14:1"},
        {"<Account>SAFE-0001</Account>", "", "XMIS", "Account", "Account"},
        {"<Payment>APMT</Payment>", "<Payment/>", "XMIS", "Payment", "Payment"},
        {"<Sender>BROKSGSG", "<Sender>INVMSGSG", "XROL", "Sender", "3:1"},
        {"function=\"NEWM\"", "function=\"CANC\"", "XFUN", "", "1:1"},
        {"type=\"NPR\" function=\"NEWM\"", "type=\"STQ\"", "XFUN", "", "1:1"},
        {"</TradeMessage>", "<Country>Sg</Country></TradeMessage>", "XFMT", "Country", "15:1"},
        {"</TradeMessage>", "<Factor>0</Factor></TradeMessage>", "XFMT", "Factor", "15:1"},
        {"</TradeMessage>", "<CreatedAt>now</CreatedAt></TradeMessage>", "XFMT", "CreatedAt",
         "15:1"},
        {"</TradeMessage>", "<PlaceOfSettlement>CDPL</PlaceOfSettlement></TradeMessage>", "DEPT",
         "PlaceOfSettlement", "15:1"},
        {"</TradeMessage>", "<Price type=\"ACTU\">1</Price></TradeMessage>", "XREP", "Price",
         "Price"},
        {"<Price type=\"ACTU\" currency=\"SGD\">37.52", "<Price type=\"ACTU\">x<b/>", "DDEA",
         "Price", "9:1"},
        {"<Price type=\"ACTU\" currency=\"SGD\">37.52", "<Price type=\"ACTU\"><b/>", "DDEA",
         "Price", "9:1"},
    };
    for (size_t i = 0; i < COUNT_OF(changes); i++) {
        const struct ste_checked checked =
            check_plain(*state, changed(GOOD, changes[i].find, changes[i].put));
        if (checked.finding_count != 1)
            fail_msg("%s: %zu findings", changes[i].put, checked.finding_count);
        const struct ste_finding *const finding = &checked.findings[0];
        if (strcmp(ste_msg_code_name(finding->code), changes[i].code) != 0)
            fail_msg("%s: %s", changes[i].put, ste_msg_code_name(finding->code));
        assert_text(finding->element, changes[i].element);
        assert_text(finding->place, changes[i].place);
        assert_true(finding->text.len > 0);
        assert_int_equal(finding->level, STE_LEVEL_REJECT);
        assert_true(checked.rejected);
    }
}

static void test_settlement_on_the_trade_date(void **state)
{
    const struct ste_checked checked =
        check_plain(*state, changed(GOOD, "2026-12-02", "2026-11-30"));
    assert_int_equal(checked.finding_count, 0);
}

/* A value that counts although its element is repeated; one that is not looked at. */
static void test_repeated_and_not_carried(void **state)
{
    const struct ste_checked repeated = check_plain(
        *state, changed(GOOD, "37.52</Price>", "37,52</Price><Price type=\"ACTU\">1</Price>"));
    assert_int_equal(repeated.finding_count, 2);
    assert_int_equal(repeated.findings[0].code, STE_C_XREP);
    assert_int_equal(repeated.findings[1].code, STE_C_DDEA);
    const struct ste_checked noe = check_plain(
        *state, changed(changed(GOOD, "type=\"NPR\"", "type=\"NOE\""), "SAFE-0001", "SAFE_0001"));
    for (size_t i = 0; i < noe.finding_count; i++)
        assert_int_equal(noe.findings[i].code, STE_C_XUNK);
    assert_true(noe.finding_count > 0);
}

static void test_unknown_elements_are_warnings(void **state)
{
    const struct ste_checked checked = check_plain(
        *state, changed(GOOD, "</TradeMessage>", "<Colour>red</Colour></TradeMessage>"));
    assert_int_equal(checked.finding_count, 1);
    assert_int_equal(checked.findings[0].level, STE_LEVEL_WARN);
    assert_false(checked.rejected);
}

/* Document order, what is missing at the end. */
static void test_all_findings_in_order(void **state)
{
    static const char text[] = "<TradeMessage type=\"SET\" function=\"NEWM\">\n"
                               "<Payment>free</Payment>\n<Direction>up</Direction>\n"
                               "<Reference>R</Reference><Sender>CUSTSGSG</Sender>\n"
                               "<TradeReference>T</TradeReference><TradeDate>2026-11-30</TradeDate>"
                               "<Broker>BROKSGSG</Broker><Manager>INVMSGSG</Manager>"
                               "<Instrument>X</Instrument><Colour/></TradeMessage>";
    static const char *const codes[] = {"FRAP", "DELN", "DSEC", "XUNK", "XMIS", "XMIS",
                                        "XMIS", "XMIS", "XMIS", "XMIS", "XMIS"};
    const struct ste_checked checked = check_plain(*state, text);
    for (size_t i = 0; i < checked.finding_count && i < COUNT_OF(codes); i++)
        assert_string_equal(ste_msg_code_name(checked.findings[i].code), codes[i]);
    assert_int_equal(checked.finding_count, COUNT_OF(codes));
}

static void test_what_a_free_payment_does_not_need(void **state)
{
    const char *text = changed(GOOD, "APMT", "FREE");
    text = changed(text, "<Commission currency=\"SGD\">22.51</Commission>", "");
    text = changed(text, "<SettlementAmount currency=\"SGD\">22534.51</SettlementAmount>", "");
    assert_int_equal(check_plain(*state, text).finding_count, 0);
}

static void test_nominal_amounts_need_accrued_interest(void **state)
{
    const struct ste_checked checked =
        check_plain(*state, changed(GOOD, "unit=\"UNIT\"", "unit=\"FAMT\""));
    assert_int_equal(checked.finding_count, 1);
    assert_text(checked.findings[0].element, "AccruedInterest");
}

/* ---- files ---- */

struct run {
    struct sink sink;
    int status;
};

static void run_check(struct run *run, const char *config, bool json, struct ste_bytes text)
{
    char path[] = "/tmp/ste-check-test-XXXXXX", *files[] = {path};
    const int fd = mkstemp(path);
    assert_true(fd >= 0);
    for (size_t written = 0; written < text.len;) {
        const ssize_t bytes = write(fd, text.at + written, text.len - written);
        assert_true(bytes > 0);
        written += (size_t)bytes;
    }
    close(fd);
    const struct ste_submit_options options = {
        .config = config, .json = json, .check = true, .files = files, .file_count = 1};
    memset(run, 0, sizeof(*run));
    run->status = ste_submit_check(&options, sink_open(&run->sink)->file);
    unlink(path);
}

/* Lines of words: what follows the path. */
static const char *next_line(const char **at)
{
    static char line[512];
    const char *const end = strchr(*at, '\n');
    assert_non_null(end);
    snprintf(line, sizeof(line), "%.*s", (int)(end - *at), *at);
    *at = end + 1;
    const char *const colon = strncmp(line, "/tmp/", 5) == 0 ? strchr(line, ':') : NULL;
    return colon != NULL ? colon + 1 : line;
}

static void assert_lines(const struct run *run, int status, const char *const *lines)
{
    const char *at = run->sink.text;
    for (; *lines != NULL; lines++)
        assert_string_equal(next_line(&at), *lines);
    assert_string_equal(at, "");
    assert_int_equal(run->status, status);
}

static void test_a_file_with_findings(void **state)
{
    static const char text[] = "<TradeMessages>\n" NPR("R-1", "2026-02-30", "SG1L01001702", "")
        GOOD NPR("R-3", "2026-12-02", GOOD_ISIN, "<Colour/>") "<x/>\n</TradeMessages>";
    static const char *const lines[] = {
        "7:1: REJ DDAT SettlementDate: not a date that exists, as YYYY-MM-DD",
        "9:1: REJ DSEC Instrument: not an ISIN, or its check digit is wrong",
        "45:29: warning XUNK Colour: element is unknown",
        "47:1: EXC XNSP: element is no TradeMessage",
        "4 messages, 2 refused, 1 with warnings",
        NULL,
    };
    (void)state;
    struct run run;
    run_check(&run, NULL, false, STE_BYTES(text));
    assert_lines(&run, 1, lines);
    sink_close(&run.sink);
}

static void test_good_files(void **state)
{
    static const char *const lines[] = {"1 messages, 0 refused, 0 with warnings", NULL};
    (void)state;
    struct run run;
    run_check(&run, NULL, false, STE_BYTES(GOOD));
    assert_lines(&run, 0, lines);
    sink_close(&run.sink);
    run_check(&run, NULL, false, STE_BYTES("\xEF\xBB\xBF" GOOD));
    assert_lines(&run, 0, lines);
    sink_close(&run.sink);
}

/* A missing element and a byte offset have the message's line and column. */
static void test_places_that_are_no_line(void **state)
{
    static const char text[] = "<TradeMessages>\n\n  " NPR_OPEN "<Reference>R</Reference>"
                               "</TradeMessage>\n\xFF";
    static const char *const lines[] = {"3:3: EXC XMIS Sender: element is missing",
                                        "5:1: EXC XENC: not UTF-8 at byte 101",
                                        "2 messages, 2 refused, 0 with warnings", NULL};
    (void)state;
    struct run run;
    run_check(&run, NULL, false, STE_BYTES(text));
    assert_lines(&run, 1, lines);
    sink_close(&run.sink);
}

static void test_json(void **state)
{
    static const char text[] =
        "<TradeMessages>" GOOD NPR("R-2", "2026-12-02", "X", "") "</TradeMessages>";
    (void)state;
    struct run run;
    struct ste_json *line = NULL, *summary = NULL;
    uint64_t number = 0;
    run_check(&run, NULL, true, STE_BYTES(text));
    const char *const end = strchr(run.sink.text, '\n');
    assert_non_null(end);
    assert_ok(ste_json_parse((struct ste_bytes){run.sink.text, (size_t)(end - run.sink.text)}, 0,
                             &line, &err));
    assert_string_equal(ste_json_text(ste_json_get(line, "code")), "DSEC");
    assert_string_equal(ste_json_text(ste_json_get(line, "kind")), "REJ");
    assert_string_equal(ste_json_text(ste_json_get(line, "reference")), "R-2");
    assert_string_equal(ste_json_text(ste_json_get(line, "element")), "Instrument");
    assert_string_equal(ste_json_text(ste_json_get(line, "place")), "23:1");
    assert_true(ste_json_uint(ste_json_get(line, "line"), &number) && number == 23);
    assert_true(ste_json_uint(ste_json_get(line, "column"), &number) && number == 1);
    assert_true(ste_json_uint(ste_json_get(line, "index"), &number) && number == 1);
    assert_ok(ste_json_parse(ste_bytes_of(end + 1), 0, &summary, &err));
    assert_true(ste_json_uint(ste_json_get(ste_json_get(summary, "summary"), "messages"), &number));
    assert_int_equal(number, 2);
    ste_json_free(line);
    ste_json_free(summary);
    sink_close(&run.sink);
}

/* With a map the rules' own checks speak. */
static void test_with_reference_data(void **state)
{
    static const char *const plain[] = {
        "11:1: warning NCRR Commission: two currencies in one message",
        "1 messages, 0 refused, 1 with warnings", NULL};
    static const char *const tables[] = {
        "6:1: REJ DDAT SettlementDate: the settlement date is not a business day in SG",
        "11:1: REJ EXEC Commission: the currency is not in ISO 4217",
        "1 messages, 1 refused, 0 with warnings", NULL};
    const char *text = changed(NPR("R-1", "2026-12-05", GOOD_ISIN, "<Country>SG</Country>"),
                               "<Commission currency=\"SGD\"", "<Commission currency=\"SGX\"");
    (void)state;
    struct run run;
    run_check(&run, NULL, false, ste_bytes_of(text));
    assert_lines(&run, 0, plain);
    sink_close(&run.sink);
    run_check(&run, STE_SOURCE_DIR "/tests/cases/cluster.yaml", false, ste_bytes_of(text));
    assert_lines(&run, 1, tables);
    sink_close(&run.sink);
}

/* ---- files that are cut ---- */

/* Above 1,000 messages, with a prefix and a root tag of two lines; every 500th is wrong. */
static void test_more_messages_than_a_delivery(void **state)
{
    /* Message n begins in line 3 + 7 (n - 1), its quantity is in its last line. */
    static const char *const lines[] = {
        "3502:3: REJ DQUA Quantity: the quantity must be above 0",
        "7002:3: REJ DQUA Quantity: the quantity must be above 0",
        "8403:38: EXC XWEL: mismatched tag",
        "1201 messages, 3 refused, 0 with warnings",
        NULL,
    };
    (void)state;
    struct ste_buf text = {0};
    struct run run;
    ste_buf_append_cstr(&text, "<s:TradeMessages\n xmlns:s=\"urn:ste:trade:1\">\n");
    for (int i = 1; i <= 1200; i++)
        ste_buf_printf(&text,
                       "  <s:TradeMessage type=\"NOE\" function=\"NEWM\">\n"
                       "  <s:Reference>R-%d</s:Reference><s:Sender>BROKSGSG</s:Sender>\n"
                       "  <s:TradeReference>T-%d</s:TradeReference>\n"
                       "  <s:TradeDate>2026-11-30</s:TradeDate><s:Direction>BUYI</s:Direction>\n"
                       "  <s:SettlementDate>2026-12-02</s:SettlementDate>"
                       "<s:Payment>APMT</s:Payment><s:Instrument>" GOOD_ISIN "</s:Instrument>"
                       "<s:Broker>BROKSGSG</s:Broker><s:Manager>INVMSGSG</s:Manager>"
                       "<s:Price type=\"ACTU\">1</s:Price>\n"
                       "  <!-- \xE4\xB8\xAD -->\n"
                       "  <s:Quantity unit=\"UNIT\">%d</s:Quantity></s:TradeMessage>\n",
                       i, i, i % 500);
    ste_buf_append_cstr(&text,
                        "  <!-- then --><s:TradeMessage>\xE4\xB8\xAD<a></b></s:TradeMessages>");
    assert_false(text.failed);
    run_check(&run, NULL, false, ste_buf_bytes(&text));
    assert_lines(&run, 1, lines);
    sink_close(&run.sink);
    ste_buf_deinit(&text);
}

/* Above 4 MiB; a message that no delivery holds; then one whose finding stands in its first line;
 * then a bad byte, whose place is its offset. */
static void test_a_large_file_with_a_huge_message(void **state)
{
    (void)state;
    struct ste_buf text = {0};
    struct run run;
    char expected[128];
    ste_buf_append_cstr(&text, "<TradeMessages>\n<TradeMessage>");
    while (text.len < 9 << 20)
        ste_buf_append_cstr(&text,
                            "0123456789 0123456789 0123456789 0123456789 0123456789 012345\n");
    ste_buf_append_cstr(&text, "</TradeMessage>");
    long line = 1, column = 1;
    for (size_t i = 0; i < text.len; i++) {
        column = text.at[i] == '\n' ? 1 : column + 1;
        line += text.at[i] == '\n';
    }
    ste_buf_append_cstr(&text,
                        "<TradeMessage type=\"NOE\" function=\"OOPS\"><Sender>BROKSGSG</Sender>"
                        "</TradeMessage>\n<TradeMessage>");
    const size_t bad = text.len;
    ste_buf_append_cstr(&text, "\xFF</TradeMessage></TradeMessages>");
    run_check(&run, NULL, false, ste_buf_bytes(&text));
    const char *at = run.sink.text;
    assert_string_equal(next_line(&at),
                        "2:1: EXC XLIM: delivery of 4194305 bytes is larger than 4194304");
    snprintf(expected, sizeof(expected), "%ld:%ld: EXC XTYP: function is missing or unknown", line,
             column);
    assert_string_equal(next_line(&at), expected);
    snprintf(expected, sizeof(expected), "%ld:15: EXC XENC: not UTF-8 at byte %zu", line + 1, bad);
    assert_string_equal(next_line(&at), expected);
    assert_string_equal(next_line(&at), "3 messages, 3 refused, 0 with warnings");
    assert_string_equal(at, "");
    sink_close(&run.sink);
    ste_buf_deinit(&text);
}

static void test_files_that_cannot_be_read(void **state)
{
    char none[] = "/nonexistent/file.xml", *files[] = {none};
    const struct ste_submit_options options = {.check = true, .files = files, .file_count = 1};
    (void)state;
    struct sink sink;
    assert_int_equal(ste_submit_check(&options, sink_open(&sink)->file), 1);
    assert_int_equal(sink.bytes, 0);
    sink_close(&sink);
}

int main(void)
{
#define PLAIN(name) cmocka_unit_test_setup_teardown(name, open_decoded, close_decoded)
    const struct CMUnitTest tests[] = {
        PLAIN(test_a_good_message),
        PLAIN(test_one_thing_wrong),
        PLAIN(test_settlement_on_the_trade_date),
        PLAIN(test_repeated_and_not_carried),
        PLAIN(test_unknown_elements_are_warnings),
        PLAIN(test_all_findings_in_order),
        PLAIN(test_what_a_free_payment_does_not_need),
        PLAIN(test_nominal_amounts_need_accrued_interest),
        cmocka_unit_test(test_a_file_with_findings),
        cmocka_unit_test(test_good_files),
        cmocka_unit_test(test_places_that_are_no_line),
        cmocka_unit_test(test_json),
        cmocka_unit_test(test_with_reference_data),
        cmocka_unit_test(test_more_messages_than_a_delivery),
        cmocka_unit_test(test_a_large_file_with_a_huge_message),
        cmocka_unit_test(test_files_that_cannot_be_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
