/* SPDX-License-Identifier: Apache-2.0
 * For the tests of check*.c: a good message of each type, one element a line, edited by the case
 * and decoded as a delivery is; and what was found as text, to be compared whole. */
#ifndef STE_NODE_RULES_CHECK_FIXTURE_H
#define STE_NODE_RULES_CHECK_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "msg/xml.h"
#include "node/rules/rules.h"
#include "ref/ref_fixture.h"

enum { FIXTURE_DAYS = 38, FIXTURE_XML_BYTES = 70000, FIXTURE_TEXT_BYTES = 16384 };

struct fixture {
    struct ste_ref *ref;
    struct ste_xml *xml;
    struct ste_arena *arena;
    ste_date open[FIXTURE_DAYS]; /* business date -30 to +7, as a lab has it */
    struct ste_days days;
    struct ste_rules rules;
    char body[FIXTURE_XML_BYTES];
    char found[FIXTURE_TEXT_BYTES];
    struct ste_checked checked;
};

/* An element and the line that stands for it instead; text "" takes it out. */
struct edit {
    const char *element, *line;
};
struct base_line {
    const char *types; /* those that have it */
    const char *element, *line;
};

static const struct base_line base_lines[] = {
    {"NOE ALB NPR SET", "Reference", "<Reference>REF-1</Reference>"},
    {"NOE NPR", "Sender", "<Sender>BROKSGSG</Sender>"},
    {"ALB SET", "Sender", "<Sender>INVMSGSG</Sender>"},
    {"NOE ALB NPR SET", "TradeReference", "<TradeReference>SGX20261130000123</TradeReference>"},
    {"NOE ALB NPR SET", "TradeDate", "<TradeDate>2026-11-30</TradeDate>"},
    {"NOE ALB NPR SET", "SettlementDate", "<SettlementDate>2026-12-02</SettlementDate>"},
    {"NOE ALB NPR SET", "Direction", "<Direction>BUYI</Direction>"},
    {"NOE ALB NPR SET", "Payment", "<Payment>APMT</Payment>"},
    {"NOE ALB NPR SET", "Instrument", "<Instrument>SG1L01001701</Instrument>"},
    {"NOE ALB NPR SET", "Quantity", "<Quantity unit=\"UNIT\">600</Quantity>"},
    {"NOE ALB NPR", "Price", "<Price type=\"ACTU\" currency=\"SGD\">37.52</Price>"},
    {"NPR", "GrossAmount", "<GrossAmount currency=\"SGD\">22512.00</GrossAmount>"},
    {"NPR", "AccruedInterest", ""},
    {"NPR", "Commission", "<Commission currency=\"SGD\">22.51</Commission>"},
    {"NPR", "OtherCharges", ""},
    {"NPR SET", "SettlementAmount",
     "<SettlementAmount currency=\"SGD\">22534.51</SettlementAmount>"},
    {"NOE ALB NPR SET", "Broker", "<Broker>BROKSGSG</Broker>"},
    {"NOE ALB NPR SET", "Manager", "<Manager>INVMSGSG</Manager>"},
    {"ALB NPR SET", "Account", "<Account>SAFE-0001</Account>"},
    {"SET", "DeliveringAgent", "<DeliveringAgent>CUSBSGSG</DeliveringAgent>"},
    {"SET", "ReceivingAgent", "<ReceivingAgent>CUSTSGSG</ReceivingAgent>"},
    {"NOE ALB NPR SET", "PlaceOfSettlement", "<PlaceOfSettlement>CDPLSGSG</PlaceOfSettlement>"},
    {"NOE ALB NPR SET", "Country", ""},
    {"NOE ALB NPR SET", "Receiver", ""},
    {"NOE ALB NPR SET", "CreatedAt", ""},
    {"NOE ALB NPR SET", "SettlementCurrency", ""},
    {"NOE ALB NPR SET", "Factor", ""},
    {"NOE ALB NPR SET", "Narrative", ""},
    {"NOE ALB NPR SET", "PreviousReference", ""},
};
enum { BASE_LINE_COUNT = sizeof(base_lines) / sizeof(base_lines[0]) };

static inline ste_date fixture_date(const char *text)
{
    ste_date date = STE_DATE_NONE;
    assert_true(ste_date_parse(ste_bytes_of(text), &date));
    return date;
}

static inline void fixture_business_date(struct fixture *fixture, const char *date)
{
    fixture->rules.business_date = fixture_date(date);
    for (int i = 0; i < FIXTURE_DAYS; i++)
        fixture->open[i] = fixture->rules.business_date - 30 + i;
    fixture->days = (struct ste_days){fixture->open, FIXTURE_DAYS};
    fixture->rules.days = &fixture->days;
}

static inline void fixture_init(struct fixture *fixture, const char *profiles)
{
    memset(fixture, 0, sizeof(*fixture));
    fixture->ref = ste_fixture_ref(profiles, "2026-11-30");
    fixture->xml = ste_xml_new();
    fixture->arena = ste_arena_new(0);
    assert_true(fixture->ref && fixture->xml && fixture->arena);
    fixture->rules.ref = fixture->ref;
    fixture->rules.shard_count = 1;
    fixture_business_date(fixture, "2026-11-30");
}

static inline void fixture_deinit(struct fixture *fixture)
{
    ste_arena_free(fixture->arena);
    ste_xml_free(fixture->xml);
    ste_ref_free(fixture->ref);
}

/* NULL: the case leaves this element as it is. */
static inline const char *edited_line(const struct base_line *line, const struct edit *edits,
                                      size_t edit_count)
{
    for (size_t i = 0; i < edit_count; i++) {
        if (edits[i].element && strcmp(edits[i].element, line->element) == 0)
            return edits[i].line;
    }
    return NULL;
}

/* "NOE" with its edits into fixture->body. What is no element of the base comes last. */
static inline void fixture_write(struct fixture *fixture, const char *type, const char *function,
                                 const struct edit *edits, size_t edit_count)
{
    FILE *out = fmemopen(fixture->body, sizeof(fixture->body), "w");
    assert_non_null(out);
    fprintf(out, "<TradeMessage type=\"%s\" function=\"%s\">\n", type, function);
    for (size_t i = 0; i < BASE_LINE_COUNT; i++) {
        const char *edited = edited_line(&base_lines[i], edits, edit_count);
        const char *line = edited ? edited : base_lines[i].line;
        bool of_type = strstr(base_lines[i].types, type) != NULL;
        bool is_sender = strcmp(base_lines[i].element, "Sender") == 0; /* stands there twice */
        if (line[0] && (of_type || (edited && !is_sender)))
            fprintf(out, "%s\n", line);
    }
    for (size_t edit = 0; edit < edit_count; edit++) {
        size_t i = 0;
        while (edits[edit].element && i < BASE_LINE_COUNT &&
               strcmp(base_lines[i].element, edits[edit].element) != 0)
            i++;
        if (i == BASE_LINE_COUNT)
            fprintf(out, "%s\n", edits[edit].line);
    }
    fputs("</TradeMessage>\n", out);
    assert_int_equal(fclose(out), 0);
}

/* "DDAT reject SettlementDate @\n…": @ for the place where the element's start tag stands. */
static inline void fixture_tell(struct fixture *fixture, const struct ste_message *message)
{
    static const char *const levels[] = {"off", "warn", "reject"};
    FILE *out = fmemopen(fixture->found, sizeof(fixture->found), "w");
    assert_non_null(out);
    for (size_t i = 0; i < fixture->checked.finding_count; i++) {
        const struct ste_finding *finding = &fixture->checked.findings[i];
        enum ste_field_id id = ste_field_of(finding->element);
        char own[32];
        snprintf(own, sizeof(own), "%u:%u", message->fields[id].line, message->fields[id].column);
        bool at_own = id != STE_F_NONE && ste_bytes_equal(finding->place, ste_bytes_of(own));
        assert_true(finding->text.len > 0);
        fprintf(out, "%s%s %s %.*s %.*s", i ? "; " : "", ste_msg_code_name(finding->code),
                levels[finding->level], (int)finding->element.len, finding->element.at,
                at_own ? 1 : (int)finding->place.len, at_own ? "@" : finding->place.at);
    }
    assert_int_equal(fclose(out), 0);
}

/* Decodes fixture->body and checks it. */
static inline const char *fixture_check_body(struct fixture *fixture)
{
    struct ste_message *messages = NULL;
    struct ste_error err = {0};
    size_t count = 0;
    ste_arena_reset(fixture->arena);
    assert_int_equal(ste_xml_decode(fixture->xml, ste_bytes_of(fixture->body), fixture->arena,
                                    &messages, &count, &err),
                     STE_OK);
    assert_int_equal(count, 1);
    if (messages[0].exc.code != STE_C_NONE) {
        snprintf(fixture->found, sizeof(fixture->found), "EXC %s",
                 ste_msg_code_name(messages[0].exc.code));
        return fixture->found;
    }
    assert_true(
        ste_check_message(&fixture->rules, &messages[0], fixture->arena, &fixture->checked));
    memset(fixture->found, 0, sizeof(fixture->found));
    fixture_tell(fixture, &messages[0]);
    return fixture->found;
}

static inline const char *fixture_check(struct fixture *fixture, const char *type,
                                        const struct edit *edits, size_t edit_count)
{
    fixture_write(fixture, type, "NEWM", edits, edit_count);
    return fixture_check_body(fixture);
}

/* A case: a type, its edits, and what is found. `fails` shows every case that differs. */
struct check_case {
    const char *type;
    struct edit edits[6];
    const char *found;
};

static inline void fixture_run(struct fixture *fixture, const struct check_case *cases,
                               size_t count)
{
    unsigned fails = 0;
    for (size_t i = 0; i < count; i++) {
        const char *found = fixture_check(fixture, cases[i].type, cases[i].edits, 6);
        bool refused = strstr(found, " reject ") != NULL;
        if (strcmp(found, cases[i].found) != 0) {
            print_error("case %zu, %s %s: found <%s>, expected <%s>\n", i, cases[i].type,
                        cases[i].edits[0].line ? cases[i].edits[0].line : "", found,
                        cases[i].found);
            fails++;
        }
        if (strncmp(found, "EXC", 3) != 0)
            assert_int_equal(fixture->checked.rejected, refused);
    }
    assert_int_equal(fails, 0);
}

static inline int fixture_setup(void **state)
{
    static struct fixture fixture;
    fixture_init(&fixture, "");
    *state = &fixture;
    return 0;
}

static inline int fixture_teardown(void **state)
{
    fixture_deinit(*state);
    return 0;
}

#define RUN(fixture, cases) fixture_run(fixture, cases, sizeof(cases) / sizeof((cases)[0]))

#endif
