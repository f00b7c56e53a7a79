/* SPDX-License-Identifier: Apache-2.0 */
#include "msg/testing.h"

#include "msg/reply.h"
#include "msg/xml_escape.h"

static int setup(void **state)
{
    *state = ste_arena_new(0);
    return *state ? 0 : -1;
}

static int teardown(void **state)
{
    ste_arena_free(*state);
    return 0;
}

static struct ste_reply nma(void)
{
    static struct ste_reply_value values[] = {
        {STE_BYTES("2026-12-02"), STE_BYTES("BROKSGSG"), STE_BYTES("B-1")},
        {STE_BYTES("2026-12-03"), STE_BYTES("CUSTSGSG"), STE_BYTES("C&1")},
    };
    static struct ste_reply_reason reasons[] = {
        {.code = STE_C_DDAT,
         .element = STE_BYTES("SettlementDate"),
         .account = STE_BYTES("SAFE-0002"),
         .level = STE_BYTES("differs"),
         .text = STE_BYTES("settlement date differs"),
         .values = values,
         .value_count = 2},
    };
    static struct ste_bytes references[] = {STE_BYTES("B-1"), STE_BYTES("B-2")};
    return (struct ste_reply){
        .kind = STE_REPLY_NMA,
        .to = STE_BYTES("BROKSGSG"),
        .trade_reference = STE_BYTES("T-1"),
        .trade_key = STE_BYTES("69be3502f79f1528f9ffb5adbdf2f779"),
        .stage = STE_BYTES("LEG"),
        .account = STE_BYTES("SAFE-0002"),
        .references = references,
        .reference_count = 2,
        .reasons = reasons,
        .reason_count = 1,
        .trade_version = 7,
    };
}

static struct ste_reply cls(void)
{
    static struct ste_bytes first[] = {STE_BYTES("A-1"), STE_BYTES("P-1"), STE_BYTES("S-1")};
    static struct ste_bytes whole[] = {STE_BYTES("N-1")};
    static struct ste_reply_leg legs[] = {
        {.account = STE_BYTES("SAFE-0001"),
         .quantity = STE_BYTES("600"),
         .quantity_unit = STE_BYTES("UNIT"),
         .settlement_amount = STE_BYTES("22534.51"),
         .currency = STE_BYTES("SGD"),
         .commission = STE_BYTES("22.51"),
         .commission_currency = STE_BYTES("USD"),
         .accrued_interest = STE_BYTES("0.00"),
         .accrued_currency = STE_BYTES("EUR"),
         .delivering_agent = STE_BYTES("CUSTSGSG"),
         .receiving_agent = STE_BYTES("CUSBSGSG"),
         .references = first,
         .reference_count = 3},
        {.account = STE_BYTES("SAFE-0002"),
         .quantity = STE_BYTES("400"),
         .quantity_unit = STE_BYTES("UNIT"),
         .place_of_settlement = STE_BYTES("CRSTGB22")},
    };
    return (struct ste_reply){
        .kind = STE_REPLY_CLS,
        .action = STE_BYTES("NEWM"),
        .version = 1,
        .trade_key = STE_BYTES("69be3502f79f1528f9ffb5adbdf2f779"),
        .trade_reference = STE_BYTES("T-1"),
        .trade_date = STE_BYTES("2026-11-30"),
        .settlement_date = STE_BYTES("2026-12-02"),
        .direction = STE_BYTES("BUYI"),
        .payment = STE_BYTES("APMT"),
        .instrument = STE_BYTES("SG1L01001701"),
        .quantity = STE_BYTES("1000"),
        .quantity_unit = STE_BYTES("UNIT"),
        .price = STE_BYTES("37.52"),
        .price_type = STE_BYTES("ACTU"),
        .price_currency = STE_BYTES("SGD"),
        .broker = STE_BYTES("BROKSGSG"),
        .manager = STE_BYTES("INVMSGSG"),
        .place_of_settlement = STE_BYTES("CDPLSGSG"),
        .legs = legs,
        .leg_count = 2,
        .references = whole,
        .reference_count = 1,
    };
}

static void assert_written(const struct ste_reply *reply, const char *expected)
{
    struct ste_buf buf = {0};
    assert_true(ste_reply_write(&buf, reply, true));
    ste_buf_append(&buf, "", 1);
    assert_string_equal(buf.at, expected);
    ste_buf_deinit(&buf);
}

static void nma_text(void **state)
{
    (void)state;
    struct ste_reply reply = nma();
    assert_written(
        &reply,
        "<TradeReply xmlns=\"urn:ste:trade:1\" kind=\"NMA\" stage=\"LEG\" account=\"SAFE-0002\""
        " tradeVersion=\"7\"><To>BROKSGSG</To><TradeReference>T-1</TradeReference>"
        "<TradeKey>69be3502f79f1528f9ffb5adbdf2f779</TradeKey>"
        "<Reference>B-1</Reference><Reference>B-2</Reference>"
        "<Reason code=\"DDAT\" element=\"SettlementDate\" account=\"SAFE-0002\" level=\"differs\">"
        "settlement date differs<Value sender=\"BROKSGSG\" reference=\"B-1\">2026-12-02</Value>"
        "<Value sender=\"CUSTSGSG\" "
        "reference=\"C&amp;1\">2026-12-03</Value></Reason></TradeReply>");
}

static void ack_text(void **state)
{
    (void)state;
    struct ste_bytes reference = STE_BYTES("R-1");
    struct ste_reply reply = {.kind = STE_REPLY_ACK,
                              .to = STE_BYTES("BROKSGSG"),
                              .code = STE_C_DUPL,
                              .delivery = STE_BYTES("<\x01\xFF\">"),
                              .has_index = true,
                              .then = STE_BYTES("NMA MAC"),
                              .references = &reference,
                              .reference_count = 1};
    assert_written(&reply,
                   "<TradeReply xmlns=\"urn:ste:trade:1\" kind=\"ACK\" code=\"DUPL\""
                   " delivery=\"&lt;\xEF\xBF\xBD\xEF\xBF\xBD&quot;&gt;\" index=\"0\""
                   " then=\"NMA MAC\"><To>BROKSGSG</To><Reference>R-1</Reference></TradeReply>");
}

static void cls_text(void **state)
{
    (void)state;
    struct ste_reply reply = cls();
    const char *expected =
        "<ClearingSettlement xmlns=\"urn:ste:trade:1\" action=\"NEWM\" version=\"1\">"
        "<TradeKey>69be3502f79f1528f9ffb5adbdf2f779</TradeKey><TradeReference>T-1</TradeReference>"
        "<TradeDate>2026-11-30</TradeDate><SettlementDate>2026-12-02</SettlementDate>"
        "<Direction>BUYI</Direction><Payment>APMT</Payment><Instrument>SG1L01001701</Instrument>"
        "<Quantity unit=\"UNIT\">1000</Quantity><Price type=\"ACTU\" currency=\"SGD\">37.52</Price>"
        "<Broker>BROKSGSG</Broker><Manager>INVMSGSG</Manager>"
        "<PlaceOfSettlement>CDPLSGSG</PlaceOfSettlement>"
        "<Leg account=\"SAFE-0001\"><Quantity unit=\"UNIT\">600</Quantity>"
        "<SettlementAmount currency=\"SGD\">22534.51</SettlementAmount>"
        "<Commission currency=\"USD\">22.51</Commission>"
        "<AccruedInterest currency=\"EUR\">0.00</AccruedInterest>"
        "<DeliveringAgent>CUSTSGSG</DeliveringAgent><ReceivingAgent>CUSBSGSG</ReceivingAgent>"
        "<Reference>A-1</Reference><Reference>P-1</Reference><Reference>S-1</Reference></Leg>"
        "<Leg account=\"SAFE-0002\"><Quantity unit=\"UNIT\">400</Quantity>"
        "<PlaceOfSettlement>CRSTGB22</PlaceOfSettlement></Leg>"
        "<Reference>N-1</Reference></ClearingSettlement>";
    assert_written(&reply, expected);
    reply.to = STE_BYTES("BROKSGSG"); /* a copy is the same bytes */
    reply.trade_version = 9;
    assert_written(&reply, expected);
}

/* ---- reading ---- */

static size_t read_all(struct ste_arena *arena, struct ste_bytes body, struct ste_reply **ret)
{
    size_t count = 0;
    struct ste_error err = {0};
    if (ste_replies_read(body, arena, ret, &count, &err) != STE_OK)
        fail_msg("%s: %s", err.place, err.text);
    return count;
}

static void read_back(void **state)
{
    struct ste_arena *arena = *state;
    struct ste_reply replies[] = {nma(), cls(), nma()}, *read = NULL;
    replies[2].kind = STE_REPLY_MAC;
    replies[2].legs = replies[1].legs;
    replies[2].leg_count = replies[1].leg_count;
    replies[2].version = 3;
    struct ste_buf buf = {0}, again = {0};
    assert_true(ste_replies_open(&buf));
    for (size_t i = 0; i < COUNT_OF(replies); i++)
        assert_true(ste_reply_write(&buf, &replies[i], false));
    assert_true(ste_replies_close(&buf));
    assert_int_equal(read_all(arena, ste_buf_bytes(&buf), &read), 3);
    assert_true(ste_replies_open(&again));
    for (size_t i = 0; i < COUNT_OF(replies); i++)
        assert_true(ste_reply_write(&again, &read[i], false));
    assert_true(ste_replies_close(&again));
    assert_true(ste_bytes_equal(ste_buf_bytes(&buf), ste_buf_bytes(&again)));
    assert_int_equal(read[0].kind, STE_REPLY_NMA);
    assert_int_equal(read[0].reasons[0].code, STE_C_DDAT);
    assert_int_equal(read[0].reasons[0].value_count, 2);
    assert_text(read[0].reasons[0].text, "settlement date differs");
    assert_text(read[0].reasons[0].values[1].reference, "C&1");
    assert_text(read[1].legs[0].settlement_amount, "22534.51");
    assert_text(read[1].legs[0].currency, "SGD");
    assert_text(read[1].legs[0].commission_currency, "USD");
    assert_text(read[1].legs[0].accrued_currency, "EUR");
    assert_text(read[1].legs[1].place_of_settlement, "CRSTGB22");
    assert_int_equal(read[1].leg_count, 2);
    assert_int_equal(read[2].version, 3);
    assert_false(read[2].has_index);
    ste_buf_deinit(&buf);
    ste_buf_deinit(&again);
}

static void read_singles(void **state)
{
    struct ste_arena *arena = *state;
    struct ste_reply *read = NULL, reply = cls();
    struct ste_buf buf = {0};
    assert_true(ste_reply_write(&buf, &reply, true));
    assert_int_equal(read_all(arena, ste_buf_bytes(&buf), &read), 1);
    assert_int_equal(read->kind, STE_REPLY_CLS);
    assert_text(read->action, "NEWM");
    assert_text(read->references[0], "N-1");
    ste_buf_deinit(&buf);
    assert_int_equal(read_all(arena,
                              STE_BYTES("<r:TradeReply xmlns:r='urn:ste:trade:1' kind='EXC'"
                                        " index='4' delivery='d' later='x'>\n <r:To> A </r:To>"
                                        "<New><To>B</To></New><r:Reason code='XWEL' place='3:4'>\n"
                                        " text <b>no</b> more </r:Reason></r:TradeReply>"),
                              &read),
                     1);
    assert_int_equal(read->kind, STE_REPLY_EXC);
    assert_true(read->has_index);
    assert_int_equal(read->index, 4);
    assert_text(read->to, "A");
    assert_text(read->reasons[0].text, "text");
    assert_text(read->reasons[0].place, "3:4");
    assert_int_equal(read_all(arena, STE_BYTES("<TradeReplies/>"), &read), 0);
}

static void read_refuses(void **state)
{
    struct ste_arena *arena = *state;
    static const char *const bodies[] = {
        "",
        "<TradeReply",
        "<Foo/>",
        "<TradeReply/>",
        "<TradeReply kind='XXX'/>",
        "<TradeReply kind='CLS'/>",
        "<TradeReply kind='ACK' code='XXXX'/>",
        "<TradeReply kind='ACK' index='-1'/>",
        "<TradeReply kind='ACK' index=''/>",
        "<TradeReply kind='ACK' index='4294967296'/>",
        "<TradeReply kind='ACK' tradeVersion='99999999999999999999'/>",
        "<!DOCTYPE a><TradeReply kind='ACK'/>",
        "<TradeReply "
        "kind='ACK'><a><a><a><a><a><a><a><a><a><a><a><a><a><a><a><a/></a></a></a></a></a>"
        "</a></a></a></a></a></a></a></a></a></a></TradeReply>",
    };
    for (size_t i = 0; i < COUNT_OF(bodies); i++) {
        struct ste_reply *read = NULL;
        size_t count = 99;
        struct ste_error err = {0};
        enum ste_code rc = ste_replies_read(ste_bytes_of(bodies[i]), arena, &read, &count, &err);
        if (rc != STE_E_PARSE && rc != STE_E_LIMIT)
            fail_msg("\"%s\" gave %s", bodies[i], ste_code_name(rc));
        assert_null(read);
        assert_int_equal(count, 99);
        assert_true(strlen(err.place) >= 3);
    }
}

static void read_out_of_memory(void **state)
{
    (void)state;
    struct ste_reply reply = nma(), *read = NULL;
    struct ste_buf buf = {0};
    size_t count = 0;
    assert_true(ste_reply_write(&buf, &reply, true));
    for (size_t limit = 16; limit < 2000; limit += 16) {
        struct ste_arena *arena = ste_arena_new(limit);
        enum ste_code rc = ste_replies_read(ste_buf_bytes(&buf), arena, &read, &count, NULL);
        assert_true(rc == STE_OK || rc == STE_E_NOMEM);
        assert_true(rc == STE_E_NOMEM || limit > 600);
        ste_arena_free(arena);
    }
    ste_buf_deinit(&buf);
}

/* Whatever the bytes, what is written can be read. */
static void escaping(void **state)
{
    struct ste_arena *arena = *state;
    for (int c = 0; c < 256; c++) {
        char text[] = {'a', (char)c, 'b'};
        struct ste_bytes reference = {text, 3};
        struct ste_reply reply = {.kind = STE_REPLY_ACK,
                                  .delivery = reference,
                                  .references = &reference,
                                  .reference_count = 1},
                         *read = NULL;
        struct ste_buf buf = {0};
        assert_true(ste_reply_write(&buf, &reply, true));
        assert_int_equal(read_all(arena, ste_buf_bytes(&buf), &read), 1);
        if ((c >= 0x20 && c < 0x80) || c == '\t' || c == '\n' || c == '\r') {
            assert_true(ste_bytes_equal(read->delivery, reference));
            assert_true(ste_bytes_equal(read->references[0], reference));
        } else {
            assert_text(read->delivery, "a\xEF\xBF\xBD"
                                        "b");
        }
        ste_buf_deinit(&buf);
    }
    struct ste_buf buf = {0};
    ste_xml_escape(&buf, STE_BYTES("\xE4\xB8\xAD\xEF\xBF\xBE\xEF\xBF\xBFz"));
    assert_text(ste_buf_bytes(&buf), "\xE4\xB8\xAD\xEF\xBF\xBD\xEF\xBF\xBDz");
    ste_buf_deinit(&buf);
}

static void kinds(void **state)
{
    (void)state;
    assert_string_equal(ste_reply_kind_name(STE_REPLY_ACK), "ACK");
    assert_string_equal(ste_reply_kind_name(STE_REPLY_CLS), "CLS");
    assert_string_equal(ste_reply_kind_name(STE_REPLY_KIND_COUNT), "");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(nma_text),           TEST(ack_text),     TEST(cls_text),
        TEST(read_back),          TEST(read_singles), TEST(read_refuses),
        TEST(read_out_of_memory), TEST(escaping),     TEST(kinds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
