/* SPDX-License-Identifier: Apache-2.0
 * Messages that stand: values, forms of XML, findings. What is refused: xml_broken_test.c. */
#include "msg/testing.h"

#include <stdio.h>

static const char sample[] =
    "<TradeMessage xmlns=\"urn:ste:trade:1\" type=\"NPR\" function=\"NEWM\">\n"
    "  <Reference>BRK-P-000000123-1</Reference>          <PreviousReference/>\n"
    "  <Sender>BROKSGSG</Sender>                         <Receiver>INVMSGSG</Receiver>\n"
    "  <CreatedAt>2026-11-30T09:15:02.123456Z</CreatedAt>\n"
    "  <TradeReference>SGX20261130000123</TradeReference>\n"
    "  <TradeDate>2026-11-30</TradeDate>                 "
    "<SettlementDate>2026-12-02</SettlementDate>\n"
    "  <Direction>BUYI</Direction>                       <Payment>APMT</Payment>\n"
    "  <Instrument>SG1L01001701</Instrument>             <Quantity unit=\"UNIT\">600</Quantity>\n"
    "  <Price type=\"ACTU\" currency=\"SGD\">37.52</Price>   <GrossAmount "
    "currency=\"SGD\">22512.00</GrossAmount>\n"
    "  <Commission currency=\"SGD\">22.51</Commission>     <SettlementAmount "
    "currency=\"SGD\">22534.51</SettlementAmount>\n"
    "  <Broker>BROKSGSG</Broker>                         <Manager>INVMSGSG</Manager>\n"
    "  <Account>SAFE-0001</Account>                      "
    "<PlaceOfSettlement>CDPLSGSG</PlaceOfSettlement>\n"
    "  <Country>SG</Country>                             <Narrative>free text</Narrative>\n"
    "</TradeMessage>\n";

/* The example of MESSAGES section 1. */
static void the_example(void **state)
{
    struct decoder *decoder = *state;
    decode(decoder, sample);
    assert_int_equal(decoder->count, 1);
    const struct ste_message *message = decoder->messages;
    assert_stands(message, "BRK-P-000000123-1");
    assert_int_equal(message->type, STE_TYPE_NPR);
    assert_int_equal(message->function, STE_FUNCTION_NEWM);
    assert_int_equal(message->finding_count, 0);
    assert_false(ste_has(message, STE_F_PREVIOUS_REFERENCE));
    assert_text(ste_value(message, STE_F_QUANTITY), "600");
    assert_text(ste_value(message, STE_F_QUANTITY_UNIT), "UNIT");
    assert_text(ste_value(message, STE_F_PRICE), "37.52");
    assert_text(ste_value(message, STE_F_PRICE_TYPE), "ACTU");
    assert_text(ste_value(message, STE_F_PRICE_CURRENCY), "SGD");
    assert_text(ste_value(message, STE_F_SETTLEMENT_AMOUNT), "22534.51");
    assert_text(ste_value(message, STE_F_SETTLEMENT_AMOUNT_CURRENCY), "SGD");
    assert_text(ste_value(message, STE_F_CREATED_AT), "2026-11-30T09:15:02.123456Z");
    assert_text(ste_value(message, STE_F_NARRATIVE), "free text");
    assert_int_equal(message->line, 1);
    assert_int_equal(message->column, 1);
    assert_int_equal(message->fields[STE_F_PRICE].line, 9);
    assert_int_equal(message->fields[STE_F_PRICE].column, 3);
    assert_int_equal(message->fields[STE_F_PRICE_TYPE].line, 9);
    assert_int_equal(message->fields[STE_F_GROSS_AMOUNT].column, 53);
    assert_int_equal(message->original.len, strlen(sample) - 1); /* without the last line end */
    assert_ptr_equal(message->original.at, sample);
}

static void values_point_into_the_body(void **state)
{
    struct decoder *decoder = *state;
    decode(decoder, sample);
    for (int id = STE_F_NONE + 1; id < STE_FIELD_COUNT; id++) {
        struct ste_bytes value = ste_value(decoder->messages, (enum ste_field_id)id);
        if (value.len)
            assert_in_range((uintptr_t)value.at, (uintptr_t)sample,
                            (uintptr_t)sample + sizeof(sample));
    }
}

static void namespaces(void **state)
{
    struct decoder *decoder = *state;
    static const char *const same[] = {
        NOE(""),
        "<s:TradeMessage xmlns:s='urn:ste:trade:1' type='NOE' function='NEWM'>"
        "<s:Reference>R-1</s:Reference><s:Sender>BROKSGSG</s:Sender>"
        "<s:TradeReference>T-1</s:TradeReference><s:TradeDate>2026-11-30</s:TradeDate>"
        "<s:Broker>BROKSGSG</s:Broker><s:Manager>INVMSGSG</s:Manager></s:TradeMessage>",
        "<b:TradeMessages xmlns:b='urn:ste:trade:1'><TradeMessage xmlns='urn:ste:trade:1' "
        "type='NOE'"
        " function='NEWM'>" NEEDED "</TradeMessage></b:TradeMessages>",
        "<TradeMessages xmlns='urn:ste:trade:1'>" NOE("") "</TradeMessages>",
    };
    for (size_t i = 0; i < COUNT_OF(same); i++) {
        decode(decoder, same[i]);
        assert_int_equal(decoder->count, 1);
        assert_stands(decoder->messages, "R-1");
        assert_int_equal(decoder->messages->type, STE_TYPE_NOE);
        assert_int_equal(decoder->messages->finding_count, 0);
        assert_text(ste_value(decoder->messages, STE_F_TRADE_DATE), "2026-11-30");
    }
    decode(decoder, NOE("<o:Price xmlns:o='urn:other'>3</o:Price>"));
    assert_false(ste_has(decoder->messages, STE_F_PRICE));
    assert_int_equal(decoder->messages->finding_count, 1);
    assert_int_equal(decoder->messages->findings[0].code, STE_C_XUNK);
    assert_text(decoder->messages->findings[0].element, "Price");
}

static void forms_of_xml(void **state)
{
    struct decoder *decoder = *state;
    decode(decoder,
           "\xEF\xBB\xBF<?xml version=\"1.0\" encoding=\"utf-8\"?>\r\n<!-- c -->\r\n<?pi x?>\r\n"
           "<TradeMessages>\r\n  <!-- <TradeMessage> -->stray\r\n  " NOE(
               "\r\n<Price>\r\n 3 \r\n</Price>stray<?pi?><Narrative>a<!-- c -->b<![CDATA[<c>]]>"
               "&amp;&#x4E2D;</Narrative>") "\r\n</TradeMessages>\r\n<!-- end -->\r\n");
    assert_int_equal(decoder->count, 1);
    const struct ste_message *message = decoder->messages;
    assert_stands(message, "R-1");
    assert_int_equal(message->finding_count, 0);
    assert_text(ste_value(message, STE_F_PRICE), "3");
    assert_text(ste_value(message, STE_F_NARRATIVE), "ab<c>&\xE4\xB8\xAD");
    assert_int_equal(message->line, 6);
    assert_int_equal(message->column, 3);
    assert_int_equal(message->fields[STE_F_PRICE].line, 7);
    assert_int_equal(message->fields[STE_F_NARRATIVE].line, 9);
    assert_int_equal(message->fields[STE_F_NARRATIVE].column, 20);
}

/* Line ends inside a value come as LF, as XML has it, however they were sent. */
static void line_ends_in_values(void **state)
{
    struct decoder *decoder = *state;
    static const char *const same[] = {NOE("<Narrative>one\ntwo</Narrative>"),
                                       NOE("<Narrative>one\r\ntwo</Narrative>"),
                                       NOE("<Narrative>\r one\rtwo\r</Narrative>"),
                                       NOE("<Narrative>&#10;one&#10;two</Narrative>")};
    for (size_t i = 0; i < COUNT_OF(same); i++) {
        decode(decoder, same[i]);
        assert_text(ste_value(decoder->messages, STE_F_NARRATIVE), "one\ntwo");
    }
}

static void chinese(void **state)
{
    struct decoder *decoder = *state;
    decode(decoder, NOE("<Narrative>\xE4\xB8\xAD\xE6\x96\x87</Narrative><Price>3</Price>"));
    const struct ste_message *message = decoder->messages;
    const char *body = NOE("<Narrative>");
    size_t before = strlen(body) - strlen("</TradeMessage>");
    assert_text(ste_value(message, STE_F_NARRATIVE), "\xE4\xB8\xAD\xE6\x96\x87");
    assert_int_equal(message->fields[STE_F_PRICE].column, before + 2 + strlen("</Narrative>") + 1);
}

static void attributes(void **state)
{
    struct decoder *decoder = *state;
    decode(decoder, NOE("<Price other='x' currency=' SGD ' type='A&#67;TU'>3</Price>"
                        "<Quantity unit=\"\">5</Quantity><GrossAmount currency='SGD'/>"));
    const struct ste_message *message = decoder->messages;
    assert_text(ste_value(message, STE_F_PRICE_CURRENCY), "SGD");
    assert_text(ste_value(message, STE_F_PRICE_TYPE), "ACTU");
    assert_false(ste_has(message, STE_F_QUANTITY_UNIT));
    assert_false(ste_has(message, STE_F_GROSS_AMOUNT));
    assert_false(ste_has(message, STE_F_GROSS_AMOUNT_CURRENCY)); /* an empty element is absent */
    assert_int_equal(message->finding_count, 0);
}

static void types_and_functions(void **state)
{
    struct decoder *decoder = *state;
    static const struct {
        const char *attributes;
        enum ste_type type;
        enum ste_function function;
    } rows[] = {
        {"type='NOE' function='NEWM'", STE_TYPE_NOE, STE_FUNCTION_NEWM},
        {"type='ALB' function='AMND'", STE_TYPE_ALB, STE_FUNCTION_AMND},
        {"type='NPR' function='CANC'", STE_TYPE_NPR, STE_FUNCTION_CANC},
        {"type='SET' function='TRIA' more='x'", STE_TYPE_SET, STE_FUNCTION_TRIA},
        {"type='AFF'", STE_TYPE_AFF, STE_FUNCTION_NONE},
        {"type='NAF' function='NEWM'", STE_TYPE_NAF, STE_FUNCTION_NONE},
        {"type='STQ' function='NONSENSE'", STE_TYPE_STQ, STE_FUNCTION_NONE},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        char body[1024];
        snprintf(body, sizeof(body), "<TradeMessage %s>" NEEDED "</TradeMessage>",
                 rows[i].attributes);
        decode(decoder, body);
        assert_stands(decoder->messages, "R-1");
        assert_int_equal(decoder->messages->type, rows[i].type);
        assert_int_equal(decoder->messages->function, rows[i].function);
    }
}

/* ---- findings ---- */

static void assert_finding(const struct ste_message *message, size_t at, const char *code,
                           enum ste_level level, const char *element, const char *place)
{
    assert_true(at < message->finding_count);
    const struct ste_finding *finding = &message->findings[at];
    assert_string_equal(ste_msg_code_name(finding->code), code);
    assert_int_equal(finding->level, level);
    assert_text(finding->element, element);
    assert_text(finding->place, place);
    assert_true(finding->text.len > 0);
}

static void repeated_elements(void **state)
{
    struct decoder *decoder = *state;
    decode(decoder,
           NOE("\n<Price type='ACTU'>3</Price>\n<Price type='FAMT'>4</Price>\n<Price>5</Price>"));
    const struct ste_message *message = decoder->messages;
    assert_stands(message, "R-1");
    assert_int_equal(message->finding_count, 1);
    assert_finding(message, 0, "XREP", STE_LEVEL_REJECT, "Price", "Price");
    assert_text(ste_value(message, STE_F_PRICE), "3"); /* the first one is kept */
    assert_text(ste_value(message, STE_F_PRICE_TYPE), "ACTU");
    decode(decoder, NOE("<Price/><Price>3</Price><Price></Price><Price>  </Price>"));
    assert_int_equal(decoder->messages->finding_count, 0); /* empty ones are absent */
    assert_text(ste_value(decoder->messages, STE_F_PRICE), "3");
}

static void elements_inside_elements(void **state)
{
    struct decoder *decoder = *state;
    decode(decoder, NOE("\n<Price>3<x>4</x></Price>\n <Receiver><y>BROKSGSG</y></Receiver>"));
    const struct ste_message *message = decoder->messages;
    assert_stands(message, "R-1");
    assert_int_equal(message->finding_count, 2);
    assert_finding(message, 0, "DDEA", STE_LEVEL_REJECT, "Price", "2:1");
    assert_finding(message, 1, "XFMT", STE_LEVEL_REJECT, "Receiver", "3:2");
    assert_text(ste_value(message, STE_F_PRICE), "3"); /* only its own text */
}

static void unknown_and_not_carried(void **state)
{
    struct decoder *decoder = *state;
    decode(decoder,
           NOE("\n<Foo>1</Foo>\n<p:Bar xmlns:p='urn:ste:trade:1' a='1'><Price>9</Price></p:Bar>\n"
               "<Account>A</Account>\n<PreviousReference>P</PreviousReference>"
               "<Account>B</Account><Commission/>\n<TradeMessage/>"));
    const struct ste_message *message = decoder->messages;
    assert_stands(message, "R-1");
    assert_int_equal(message->finding_count, 5);
    assert_finding(message, 0, "XUNK", STE_LEVEL_WARN, "Foo", "2:1");
    assert_finding(message, 1, "XUNK", STE_LEVEL_WARN, "Bar", "3:1");
    assert_finding(message, 2, "XUNK", STE_LEVEL_WARN, "Account", "4:1");
    assert_finding(message, 3, "XUNK", STE_LEVEL_WARN, "PreviousReference", "5:1");
    assert_finding(message, 4, "XUNK", STE_LEVEL_WARN, "TradeMessage", "6:1");
    assert_text(ste_value(message, STE_F_ACCOUNT), "A"); /* kept */
    assert_false(ste_has(message, STE_F_PRICE));
}

static void previous_reference_is_carried_where_it_is_needed(void **state)
{
    struct decoder *decoder = *state;
    decode(decoder, "<TradeMessage type='NOE' function='AMND'>" NEEDED
                    "<PreviousReference>P</PreviousReference></TradeMessage>");
    assert_int_equal(decoder->messages->finding_count, 0);
    decode(decoder, "<TradeMessage type='NOE' function='TRIA'>" NEEDED
                    "<PreviousReference>P</PreviousReference></TradeMessage>");
    assert_int_equal(decoder->messages->finding_count, 1);
    decode(decoder, "<TradeMessage type='AFF'>" NEEDED
                    "<PreviousReference>P</PreviousReference></TradeMessage>");
    assert_int_equal(decoder->messages->finding_count, 0);
}

/* ---- limits whose passing is a finding ---- */

static char *many(const char *one, size_t count)
{
    size_t len = strlen(one);
    char *text = malloc(len * count + 1);
    assert_non_null(text);
    for (size_t i = 0; i < count; i++)
        memcpy(text + i * len, one, len);
    text[len * count] = '\0';
    return text;
}

static char *wrapped(const char *before, const char *inside, const char *after)
{
    size_t bytes = strlen(before) + strlen(inside) + strlen(after) + 1;
    char *text = malloc(bytes);
    assert_non_null(text);
    snprintf(text, bytes, "%s%s%s", before, inside, after);
    return text;
}

#define NOE_HEAD "<TradeMessage type='NOE' function='NEWM'>" NEEDED
#define NOE_TAIL "</TradeMessage>"

static void unknown_elements_limit(void **state)
{
    struct decoder *decoder = *state;
    char *inside = many("\n<Foo><Deep/></Foo>", 64);
    char *body = wrapped(NOE_HEAD, inside, NOE_TAIL);
    decode(decoder, body);
    assert_int_equal(decoder->messages->finding_count, 64);
    assert_finding(decoder->messages, 63, "XUNK", STE_LEVEL_WARN, "Foo", "65:1");
    free(body);
    body = wrapped(NOE_HEAD, inside, "\n<Bar/>\n<Baz/>" NOE_TAIL);
    decode(decoder, body);
    assert_stands(decoder->messages, "R-1");
    assert_int_equal(decoder->messages->finding_count, 65);
    assert_finding(decoder->messages, 64, "XLIM", STE_LEVEL_REJECT, "Bar", "66:1");
    free(body);
    free(inside);
}

static void narrative_limit(void **state)
{
    struct decoder *decoder = *state;
    static const char *const characters[] = {"x", "\xE4\xB8\xAD", "&lt;", "\r\n", "y"};
    for (size_t i = 0; i < COUNT_OF(characters); i++) {
        /* between two letters, so that white space is not trimmed away */
        char *inside = many(characters[i], 1998);
        char *body = wrapped(NOE_HEAD "<Narrative>a", inside, "z</Narrative>" NOE_TAIL);
        decode(decoder, body);
        assert_int_equal(decoder->messages->finding_count, 0);
        free(body);
        body = wrapped(NOE_HEAD "\n<Narrative>ab", inside, "z</Narrative>" NOE_TAIL);
        decode(decoder, body);
        assert_stands(decoder->messages, "R-1");
        assert_int_equal(decoder->messages->finding_count, 1);
        assert_finding(decoder->messages, 0, "XLIM", STE_LEVEL_REJECT, "Narrative", "2:1");
        free(body);
        free(inside);
    }
}

/* Everything that can be found in one message fits the list. */
static void findings_limit(void **state)
{
    struct decoder *decoder = *state;
    struct ste_buf body = {0};
    ste_buf_append_cstr(&body, "<TradeMessage type='NPR' function='AMND'>" NEEDED);
    for (int i = 0; i < 70; i++)
        ste_buf_append_cstr(&body, "<Foo/>");
    for (int id = STE_F_NONE + 1; id < STE_FIELD_COUNT; id++) {
        const char *name = ste_field_element((enum ste_field_id)id);
        if (!ste_field_attribute((enum ste_field_id)id) && !strstr(NEEDED, name)) {
            ste_buf_printf(&body, "<%s><x/>1</%s>", name, name);
            ste_buf_printf(&body, "<%s>1</%s>", name, name);
        }
    }
    ste_buf_append_cstr(&body, "</TradeMessage>");
    assert_false(body.failed);
    decode_bytes(decoder, ste_buf_bytes(&body));
    assert_stands(decoder->messages, "R-1");
    assert_true(decoder->messages->finding_count > 65 + 30);
    assert_true(decoder->messages->finding_count < STE_FINDINGS_MAX);
    ste_buf_deinit(&body);
}

static void many_messages(void **state)
{
    struct decoder *decoder = *state;
    struct ste_buf body = {0};
    ste_buf_append_cstr(&body, "<TradeMessages>");
    for (int i = 0; i < STE_DELIVERY_MESSAGES_MAX; i++)
        ste_buf_printf(&body,
                       "\n <TradeMessage type='NOE' function='NEWM'><Reference>R%d</Reference>"
                       "<Sender>BROKSGSG</Sender><TradeReference>T</TradeReference>"
                       "<TradeDate>2026-11-30</TradeDate><Broker>BROKSGSG</Broker>"
                       "<Manager>INVMSGSG</Manager></TradeMessage>",
                       i);
    ste_buf_append_cstr(&body, "</TradeMessages>");
    decode_bytes(decoder, ste_buf_bytes(&body));
    assert_int_equal(decoder->count, STE_DELIVERY_MESSAGES_MAX);
    for (size_t i = 0; i < decoder->count; i++) {
        char reference[32];
        snprintf(reference, sizeof(reference), "R%zu", i);
        assert_stands(&decoder->messages[i], reference);
        assert_int_equal(decoder->messages[i].line, i + 2);
        assert_int_equal(decoder->messages[i].column, 2);
    }
    ste_buf_deinit(&body);
}

static void out_of_memory(void **state)
{
    struct decoder *decoder = *state;
    struct ste_message *messages = NULL;
    size_t count = 0;
    for (size_t limit = 16; limit < 3000; limit += 16) {
        struct ste_arena *arena = ste_arena_new(limit);
        struct ste_error err = {0};
        enum ste_code rc = ste_xml_decode(
            decoder->xml, ste_bytes_of(BATCH(NOE("<Foo/><Narrative>a&amp;b</Narrative>"))), arena,
            &messages, &count, &err);
        if (rc == STE_OK)
            assert_int_equal(count, 1);
        else
            assert_int_equal(rc, STE_E_NOMEM);
        ste_arena_free(arena);
        if (limit == 16)
            assert_int_equal(rc, STE_E_NOMEM);
    }
    decode(decoder, NOE("")); /* and the parser is as good as before */
    assert_stands(decoder->messages, "R-1");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, decoder_setup, decoder_teardown)
    const struct CMUnitTest tests[] = {
        TEST(the_example),
        TEST(values_point_into_the_body),
        TEST(namespaces),
        TEST(forms_of_xml),
        TEST(line_ends_in_values),
        TEST(chinese),
        TEST(attributes),
        TEST(types_and_functions),
        TEST(repeated_elements),
        TEST(elements_inside_elements),
        TEST(unknown_and_not_carried),
        TEST(previous_reference_is_carried_where_it_is_needed),
        TEST(unknown_elements_limit),
        TEST(narrative_limit),
        TEST(findings_limit),
        TEST(many_messages),
        TEST(out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
