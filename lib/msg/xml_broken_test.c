/* SPDX-License-Identifier: Apache-2.0
 * What becomes an exception: code, place, and what of the delivery stands beside it. */
#include "msg/testing.h"

#include <stdio.h>

/* One broken body: the whole of it is one refusal. */
static void assert_refused(struct decoder *decoder, struct ste_bytes body, const char *code,
                           const char *place)
{
    decode_bytes(decoder, body);
    assert_int_equal(decoder->count, 1);
    assert_exc(decoder->messages, code, place);
    assert_int_equal(decoder->messages->original.len, body.len);
}
#define REFUSED(body, code, place) assert_refused(decoder, STE_BYTES(body), code, place)

static void not_well_formed(void **state)
{
    struct decoder *decoder = *state;
    REFUSED("", "XWEL", "1:1");
    REFUSED("  \n ", "XWEL", "2:2");
    REFUSED("no xml", "XWEL", "1:1");
    REFUSED("<TradeMessage>", "XWEL", "1:15");
    REFUSED("<TradeMessage type='NOE' type='NOE'/>", "XWEL", "1:26");
    REFUSED("<TradeMessage>\n<a></b></TradeMessage>", "XWEL", "2:6");
    REFUSED("<TradeMessage>&nosuch;</TradeMessage>", "XWEL", "1:15");
    REFUSED("<TradeMessage>\x01</TradeMessage>", "XWEL", "1:15");
    REFUSED("<x:TradeMessage/>", "XWEL", "1:1"); /* a prefix that is not declared */
    REFUSED("\xEF\xBB\xBF<TradeMessage", "XWEL", "1:1");
    decode_bytes(decoder, (struct ste_bytes){NULL, 0});
    assert_exc(decoder->messages, "XWEL", "1:1");
}

static void other_encodings(void **state)
{
    struct decoder *decoder = *state;
    REFUSED("<?xml version='1.0' encoding='ISO-8859-1'?><TradeMessage/>", "XENC", "0");
    REFUSED("\xEF\xBB\xBF<?xml version='1.0' encoding='UTF-16'?><TradeMessage/>", "XENC", "3");
    REFUSED("<?xml version='1.0' encoding='no-such'?><TradeMessage/>", "XENC", "0");
    REFUSED("\xFF\xFE<\0T\0", "XENC", "0");
    REFUSED("<\0T\0", "XENC", "1");
    REFUSED("\0<TradeMessage/>", "XENC", "0");
    REFUSED("<TradeMessage>\xE9</TradeMessage>", "XENC", "14");
}

static void document_types(void **state)
{
    struct decoder *decoder = *state;
    REFUSED("<!DOCTYPE TradeMessage><TradeMessage/>", "XDTD", "1:1");
    REFUSED(
        "<?xml version='1.0'?>\n <!DOCTYPE a [<!ENTITY b 'c'>]><TradeMessage>&b;</TradeMessage>",
        "XDTD", "2:2");
    REFUSED("<!-- <!DOCTYPE b> -->\n<?pi <!DOCTYPE c> ?><!DOCTYPE a><a/>", "XDTD", "2:21");
    REFUSED("<!----><?a?><!DOCTYPE a><a/>", "XDTD", "1:13");
    REFUSED("<!DOCTYPE a SYSTEM 'http://localhost/x.dtd'><a/>", "XDTD", "1:1");
}

static void roots(void **state)
{
    struct decoder *decoder = *state;
    REFUSED("<html><TradeMessage/></html>", "XNSP", "1:1");
    REFUSED("\n <TradeMessage xmlns='urn:ste:trade:2' type='NOE' function='NEWM'/>", "XNSP", "2:2");
    REFUSED("<o:TradeMessages xmlns:o='urn:other'/>", "XNSP", "1:1");
    REFUSED("<trademessage/>", "XNSP", "1:1");
    REFUSED("<TradeMessages/>", "XEMP", "1:1");
    REFUSED("<!-- c -->\n<TradeMessages>text<!-- c --></TradeMessages>", "XEMP", "2:1");
}

/* ---- one message refused, its neighbours stand ---- */

static void assert_between(struct decoder *decoder, const char *message, const char *code,
                           const char *place)
{
    ste_buf_clear(&decoder->body);
    ste_buf_printf(&decoder->body, "<TradeMessages>%s\n%s\n%s</TradeMessages>", NOE(""), message,
                   NOE(""));
    decode_bytes(decoder, ste_buf_bytes(&decoder->body));
    assert_int_equal(decoder->count, 3);
    assert_stands(&decoder->messages[0], "R-1");
    assert_exc(&decoder->messages[1], code, place);
    assert_stands(&decoder->messages[2], "R-1");
    assert_int_equal(decoder->messages[1].original.len, strlen(message));
    assert_int_equal(decoder->messages[1].line, 2);
}

#define OPEN "<TradeMessage type='NOE' function='NEWM'>"
#define CLOSE "</TradeMessage>"
#define REFERENCE "<Reference>R-1</Reference>"
#define SENDER "<Sender>BROKSGSG</Sender>"
#define TRADE_REFERENCE "<TradeReference>T-1</TradeReference>"
#define TRADE_DATE "<TradeDate>2026-11-30</TradeDate>"
#define BROKER "<Broker>BROKSGSG</Broker>"
#define MANAGER "<Manager>INVMSGSG</Manager>"

static void foreign_children(void **state)
{
    struct decoder *decoder = *state;
    assert_between(decoder, "<Foo>" NOE("") "</Foo>", "XNSP", "2:1");
    assert_between(decoder, "<TradeMessages>" NOE("") "</TradeMessages>", "XNSP", "2:1");
    assert_between(decoder, "<TradeMessage xmlns='urn:other'/>", "XNSP", "2:1");
    decode(decoder, BATCH("<Foo/>")); /* a batch of that alone is not empty */
    assert_int_equal(decoder->count, 1);
    assert_exc(decoder->messages, "XNSP", "1:16");
}

static void types_and_functions(void **state)
{
    struct decoder *decoder = *state;
    static const char *const heads[] = {
        "",
        " type='NOE'",
        " function='NEWM'",
        " type='XXX' function='NEWM'",
        " type='noe' function='NEWM'",
        " type='EXC' function='NEWM'",
        " type='' function='NEWM'",
        " type='SET' function='newm'",
        " type='ALB' function='STQ'",
        " x:type='NOE' function='NEWM' xmlns:x='urn:ste:trade:1'",
    };
    for (size_t i = 0; i < COUNT_OF(heads); i++) {
        char message[1024];
        snprintf(message, sizeof(message), "<TradeMessage%s>" NEEDED CLOSE, heads[i]);
        assert_between(decoder, message, "XTYP", "2:1");
        assert_text(ste_value(&decoder->messages[1], STE_F_SENDER), "BROKSGSG");
    }
}

static void missing(void **state)
{
    struct decoder *decoder = *state;
    assert_between(decoder, OPEN SENDER TRADE_REFERENCE TRADE_DATE BROKER MANAGER CLOSE, "XMIS",
                   "Reference");
    assert_between(decoder, OPEN REFERENCE TRADE_REFERENCE TRADE_DATE BROKER MANAGER CLOSE, "XMIS",
                   "Sender");
    assert_between(decoder, OPEN REFERENCE SENDER TRADE_DATE BROKER MANAGER CLOSE, "XMIS",
                   "TradeReference");
    assert_between(decoder, OPEN REFERENCE SENDER TRADE_REFERENCE BROKER MANAGER CLOSE, "XMIS",
                   "TradeDate");
    assert_between(decoder, OPEN REFERENCE SENDER TRADE_REFERENCE TRADE_DATE MANAGER CLOSE, "XMIS",
                   "Broker");
    assert_between(decoder, OPEN REFERENCE SENDER TRADE_REFERENCE TRADE_DATE BROKER CLOSE, "XMIS",
                   "Manager");
}

static void repeated(void **state)
{
    struct decoder *decoder = *state;
    assert_between(decoder, OPEN NEEDED REFERENCE CLOSE, "XREP", "Reference");
    assert_between(decoder, OPEN NEEDED "<Reference/>" CLOSE, "XREP", "Reference");
    assert_between(decoder, OPEN NEEDED SENDER SENDER CLOSE, "XREP", "Sender");
    assert_between(decoder, OPEN NEEDED TRADE_REFERENCE CLOSE, "XREP", "TradeReference");
    assert_between(decoder, OPEN NEEDED TRADE_DATE CLOSE, "XREP", "TradeDate");
    assert_between(decoder, OPEN NEEDED BROKER CLOSE, "XREP", "Broker");
    assert_between(decoder, OPEN NEEDED MANAGER CLOSE, "XREP", "Manager");
}

/* The place is the element's start tag. */
static void malformed(void **state)
{
    struct decoder *decoder = *state;
    static const struct {
        const char *element, *value;
    } rows[] = {
        {"Reference", ""},           {"Reference", "  "},
        {"Reference", "A_B"},        {"Reference", "123456789012345678901234567890123456"},
        {"Reference", "A<x/>"},      {"Sender", ""},
        {"Sender", "AGRIFRPP8"},     {"Sender", "AGRIF2PP"},
        {"TradeReference", ""},      {"TradeReference", "\xE4\xB8\xAD"},
        {"TradeDate", ""},           {"TradeDate", "2026-11-31"},
        {"TradeDate", "30.11.2026"}, {"Broker", ""},
        {"Broker", "broksgsg"},      {"Manager", "INVMSGS"},
        {"Manager", "<!-- -->"},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct ste_buf message = {0};
        static const char *const all[] = {
            "Reference", REFERENCE, "Sender",  SENDER,  "TradeDate",      TRADE_DATE,
            "Broker",    BROKER,    "Manager", MANAGER, "TradeReference", TRADE_REFERENCE};
        ste_buf_append_cstr(&message, OPEN);
        for (size_t k = 0; k < COUNT_OF(all); k += 2) {
            if (strcmp(all[k], rows[i].element) != 0)
                ste_buf_append_cstr(&message, all[k + 1]);
        }
        ste_buf_printf(&message, "\n  <%s>%s</%s>" CLOSE, rows[i].element, rows[i].value,
                       rows[i].element);
        ste_buf_append(&message, "", 1);
        assert_between(decoder, message.at, "XFMT", "3:3");
        assert_text(decoder->messages[1].exc.element, rows[i].element);
        ste_buf_deinit(&message);
    }
}

/* limit, Sender, type, Reference, TradeReference, TradeDate, Broker, Manager. */
static void first_finding_in_order(void **state)
{
    struct decoder *decoder = *state;
    static const char *const rows[][3] = {
        {"<TradeMessage>" CLOSE, "XMIS", "Sender"},
        {"<TradeMessage>" SENDER CLOSE, "XTYP", "2:1"},
        {OPEN SENDER CLOSE, "XMIS", "Reference"},
        {OPEN SENDER REFERENCE "<Manager/>" CLOSE, "XMIS", "TradeReference"},
        {OPEN SENDER REFERENCE TRADE_REFERENCE CLOSE, "XMIS", "TradeDate"},
        {OPEN SENDER REFERENCE TRADE_REFERENCE TRADE_DATE CLOSE, "XMIS", "Broker"},
        {OPEN SENDER REFERENCE TRADE_REFERENCE TRADE_DATE BROKER "<Manager/>" CLOSE, "XFMT", NULL},
        {"<TradeMessage><3>", NULL, NULL},
    };
    for (size_t i = 0; rows[i][1]; i++) {
        char place[32];
        const char *manager = strstr(rows[i][0], "<Manager/>");
        snprintf(place, sizeof(place), "2:%td", manager ? manager - rows[i][0] + 1 : 0);
        assert_between(decoder, rows[i][0], rows[i][1], rows[i][2] ? rows[i][2] : place);
    }
    assert_between(decoder, "<TradeMessage><a><a><a><a><a><a><a/></a></a></a></a></a></a>" CLOSE,
                   "XLIM", "2:33");
}

static void ranks(void **state)
{
    (void)state;
    static const struct {
        enum ste_msg_code code;
        const char *element;
    } order[] = {
        {STE_C_XLIM, ""},          {STE_C_XSIG, ""},          {STE_C_XSND, "Sender"},
        {STE_C_XTYP, ""},          {STE_C_XFMT, "Reference"}, {STE_C_XMIS, "TradeReference"},
        {STE_C_XREP, "TradeDate"}, {STE_C_XFMT, "Broker"},    {STE_C_XMIS, "Manager"},
        {STE_C_REFE, ""},
    };
    for (size_t i = 0; i < COUNT_OF(order); i++) {
        struct ste_finding finding = {.code = order[i].code,
                                      .element = ste_bytes_of(order[i].element)};
        assert_int_equal(ste_exc_rank(&finding), i);
    }
    assert_int_equal(
        ste_exc_rank(&(struct ste_finding){.code = STE_C_XMIS, .element = STE_BYTES("Sender")}), 2);
    assert_int_equal(ste_exc_rank(&(struct ste_finding){.code = STE_C_XKEY}), 1);
    assert_int_equal(ste_exc_rank(&(struct ste_finding){.code = STE_C_XWEL}), 0);
}

/* ---- where XML breaks, what was closed stands ---- */

static void assert_rest(struct decoder *decoder, const char *body, size_t stand, const char *code,
                        const char *place, const char *rest)
{
    decode(decoder, body);
    assert_int_equal(decoder->count, stand + 1);
    for (size_t i = 0; i < stand; i++)
        assert_stands(&decoder->messages[i], "R-1");
    assert_exc(&decoder->messages[stand], code, place);
    assert_text(decoder->messages[stand].original, rest);
}

static void breaks_inside_a_delivery(void **state)
{
    struct decoder *decoder = *state;
    assert_rest(decoder,
                "<TradeMessages>" NOE("")
                    NOE("") "\n<TradeMessage>\n <a>&</a>" NOE("") "</TradeMessages>",
                2, "XWEL", "3:6", "<TradeMessage>\n <a>&</a>" NOE("") "</TradeMessages>");
    assert_rest(decoder, "<TradeMessages>" NOE("") "\n <Foo></Bar>" NOE("") "</TradeMessages>", 1,
                "XWEL", "2:9", "<Foo></Bar>" NOE("") "</TradeMessages>");
    assert_rest(decoder, "<TradeMessages>" NOE("") "\n & " NOE("") "</TradeMessages>", 1, "XWEL",
                "2:3", "& " NOE("") "</TradeMessages>");
    assert_rest(decoder, "<TradeMessages>" NOE("") "\n", 1, "XWEL", "2:1", "");
    assert_rest(decoder, NOE("") "\n<more/>", 1, "XWEL", "2:1", "<more/>");
    assert_rest(decoder, NOE("") "\n" NOE(""), 1, "XWEL", "2:1", NOE(""));
    assert_rest(decoder, "<TradeMessages>" NOE("") "</TradeMessages>\nx", 1, "XWEL", "2:1",
                "</TradeMessages>\nx");
}

static void bad_bytes_inside_a_delivery(void **state)
{
    struct decoder *decoder = *state;
    char body[2048], place[16];
    int len = snprintf(
        body, sizeof(body),
        "<TradeMessages>" NOE("") "<TradeMessage>abc\xFF" CLOSE NOE("") "</TradeMessages>");
    size_t bad = (size_t)(strchr(body, '\xFF') - body);
    snprintf(place, sizeof(place), "%zu", bad);
    for (int i = 0; i < 2; i++) {
        decode_bytes(decoder, (struct ste_bytes){body, (size_t)len});
        assert_int_equal(decoder->count, 2);
        assert_stands(&decoder->messages[0], "R-1");
        assert_exc(&decoder->messages[1], "XENC", place);
        assert_ptr_equal(decoder->messages[1].original.at,
                         body + bad - strlen("<TradeMessage>abc"));
        assert_ptr_equal(decoder->messages[1].original.at + decoder->messages[1].original.len,
                         body + len);
        body[bad] = '\0';
    }
    body[bad - 1] = '&'; /* broken earlier */
    body[bad - 2] = '&';
    decode_bytes(decoder, (struct ste_bytes){body, (size_t)len});
    assert_int_equal(decoder->messages[1].exc.code, STE_C_XWEL);
}

/* ---- limits, both sides ---- */

static void append_times(struct ste_buf *buf, const char *text, size_t times)
{
    for (size_t i = 0; i < times; i++)
        ste_buf_append_cstr(buf, text);
}

/* The decoder keeps the body, for the messages point into it. */
static void decode_buf(struct decoder *decoder, struct ste_buf *body)
{
    assert_false(body->failed);
    ste_buf_deinit(&decoder->body);
    decoder->body = *body;
    *body = (struct ste_buf){0};
    decode_bytes(decoder, ste_buf_bytes(&decoder->body));
}

static void delivery_size(void **state)
{
    struct decoder *decoder = *state;
    for (size_t more = 0; more <= 1; more++) {
        struct ste_buf body = {0};
        ste_buf_append_cstr(&body, NOE(""));
        size_t padding = STE_DELIVERY_BYTES_MAX + more - body.len;
        assert_true(ste_buf_reserve(&body, padding));
        memset(body.at + body.len, ' ', padding);
        body.len += padding;
        decode_bytes(decoder, ste_buf_bytes(&body));
        assert_int_equal(decoder->count, 1);
        if (more) {
            assert_exc(decoder->messages, "XLIM", "1:1");
            assert_text(decoder->messages->exc.text,
                        "delivery of 4194305 bytes is larger than 4194304");
            assert_int_equal(decoder->messages->original.len, STE_EXC_RAW_BYTES_MAX);
            assert_ptr_equal(decoder->messages->original.at, body.at);
        } else {
            assert_stands(decoder->messages, "R-1");
        }
        ste_buf_deinit(&body);
    }
}

static void delivery_messages(void **state)
{
    struct decoder *decoder = *state;
    struct ste_buf body = {0};
    ste_buf_append_cstr(&body, "<TradeMessages>");
    append_times(&body, "\n" NOE(""), STE_DELIVERY_MESSAGES_MAX + 1);
    ste_buf_append_cstr(&body, "</TradeMessages>");
    size_t len = body.len;
    decode_buf(decoder, &body);
    assert_int_equal(decoder->count, 1); /* none stands */
    assert_exc(decoder->messages, "XLIM", "1002:1");
    assert_int_equal(decoder->messages->original.len, len);
    /* a thousand messages and a broken rest */
    ste_buf_append_cstr(&body, "<TradeMessages>");
    append_times(&body, "\n" NOE(""), STE_DELIVERY_MESSAGES_MAX);
    ste_buf_append_cstr(&body, "\n&");
    decode_buf(decoder, &body);
    assert_int_equal(decoder->count, STE_DELIVERY_MESSAGES_MAX + 1);
    assert_int_equal(decoder->messages[STE_DELIVERY_MESSAGES_MAX].exc.code, STE_C_XWEL);
}

static void message_size(void **state)
{
    struct decoder *decoder = *state;
    for (size_t more = 0; more <= 1; more++) {
        struct ste_buf message = {0};
        size_t padding = STE_MESSAGE_BYTES_MAX + more - strlen(NOE(""));
        ste_buf_append_cstr(&message, OPEN NEEDED);
        append_times(&message, " ", padding + strlen(NOE("")) - strlen(OPEN NEEDED CLOSE));
        ste_buf_append(&message, CLOSE, sizeof(CLOSE));
        if (more) {
            assert_between(decoder, message.at, "XLIM", "2:1");
        } else {
            decode(decoder, message.at);
            assert_stands(decoder->messages, "R-1");
            assert_int_equal(decoder->messages->original.len, STE_MESSAGE_BYTES_MAX);
        }
        ste_buf_deinit(&message);
    }
}

/* A message whose elements nest `depth` deep, the message itself counted. */
static void append_nested(struct ste_buf *body, size_t depth)
{
    ste_buf_append_cstr(body, OPEN NEEDED);
    append_times(body, "<a>", depth - 1);
    append_times(body, "</a>", depth - 1);
    ste_buf_append_cstr(body, CLOSE);
}

static void depth(void **state)
{
    struct decoder *decoder = *state;
    struct ste_buf body = {0};
    append_nested(&body, STE_XML_DEPTH_MAX);
    decode_buf(decoder, &body);
    assert_stands(decoder->messages, "R-1");
    append_nested(&body, STE_XML_DEPTH_MAX + 1);
    decode_buf(decoder, &body);
    assert_int_equal(decoder->messages->exc.code, STE_C_XLIM);
    /* counted from the delivery's root; neighbours stand, however deep */
    static const size_t deep[] = {STE_XML_DEPTH_MAX, 100, 5000};
    for (size_t i = 0; i < COUNT_OF(deep); i++) {
        ste_buf_append_cstr(&body, "<TradeMessages>");
        append_nested(&body, STE_XML_DEPTH_MAX - 1);
        append_nested(&body, deep[i]);
        append_nested(&body, STE_XML_DEPTH_MAX - 1);
        ste_buf_append_cstr(&body, "</TradeMessages>");
        decode_buf(decoder, &body);
        assert_int_equal(decoder->count, 3);
        assert_stands(&decoder->messages[0], "R-1");
        assert_int_equal(decoder->messages[1].exc.code, STE_C_XLIM);
        assert_stands(&decoder->messages[2], "R-1");
    }
}

/* Past all bounds the rest is not read, but what came before stands. */
static void bottomless(void **state)
{
    struct decoder *decoder = *state;
    struct ste_buf body = {0};
    ste_buf_append_cstr(&body, "<TradeMessages>" NOE("") "\n" OPEN);
    append_times(&body, "<a>", 1000000);
    decode_bytes(decoder, ste_buf_bytes(&body));
    assert_int_equal(decoder->count, 2);
    assert_stands(&decoder->messages[0], "R-1");
    char place[32];
    snprintf(place, sizeof(place), "2:%zu", strlen(OPEN) + 6 * 3 + 1);
    assert_exc(&decoder->messages[1], "XLIM", place);
    ste_buf_deinit(&body);
    decode(decoder, NOE("")); /* with a fresh parser */
    assert_stands(decoder->messages, "R-1");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, decoder_setup, decoder_teardown)
    const struct CMUnitTest tests[] = {
        TEST(not_well_formed),
        TEST(other_encodings),
        TEST(document_types),
        TEST(roots),
        TEST(foreign_children),
        TEST(types_and_functions),
        TEST(missing),
        TEST(repeated),
        TEST(malformed),
        TEST(first_finding_in_order),
        TEST(ranks),
        TEST(breaks_inside_a_delivery),
        TEST(bad_bytes_inside_a_delivery),
        TEST(delivery_size),
        TEST(delivery_messages),
        TEST(message_size),
        TEST(depth),
        TEST(bottomless),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
