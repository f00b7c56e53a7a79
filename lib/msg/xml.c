/* SPDX-License-Identifier: Apache-2.0
 * One delivery through expat, and the ways in which it can end: read to its end, ended by us (DTD,
 * encoding, root, limits), or broken. Input is never an error here: it becomes refused entries. */
#include "msg/xml_internal.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

static bool parser_make(struct ste_xml *xml)
{
    xml->parser = XML_ParserCreateNS(NULL, '\n');
    return xml->parser != NULL;
}

/* The elements of fields.def, sorted by length. */
static void index_names(struct ste_xml *xml)
{
    unsigned count = 0;
    for (size_t len = 0; len < sizeof(xml->name_first); len++) {
        xml->name_first[len] = (uint8_t)count;
        for (int id = STE_F_NONE + 1; id < STE_FIELD_COUNT; id++) {
            struct ste_bytes name = ste_bytes_of(ste_field_element((enum ste_field_id)id));
            if (name.len != len || ste_field_attribute((enum ste_field_id)id))
                continue;
            xml->names[count].element = name;
            xml->names[count].id = (enum ste_field_id)id;
            count++;
        }
    }
}

struct ste_xml *ste_xml_new(void)
{
    struct ste_xml *xml = calloc(1, sizeof(*xml));
    if (!xml)
        return NULL;
    /* expat would draw a salt for its hash tables for every delivery: one system call each. */
    if (getrandom(&xml->hash_salt, sizeof(xml->hash_salt), GRND_NONBLOCK) < 0 ||
        xml->hash_salt == 0)
        xml->hash_salt = (unsigned long)(uintptr_t)xml;
    index_names(xml);
    if (!parser_make(xml)) {
        free(xml);
        return NULL;
    }
    return xml;
}

void ste_xml_free(struct ste_xml *xml)
{
    if (!xml)
        return;
    if (xml->parser)
        XML_ParserFree(xml->parser);
    free(xml);
}

/* A parser keeps what a deep document made it allocate; such a one is not used again. */
static bool parser_renew(struct ste_xml *xml)
{
    if (xml->parser && xml->depth_seen > STE_XML_DEPTH_KEPT_MAX) {
        XML_ParserFree(xml->parser);
        xml->parser = NULL;
    }
    if (!xml->parser && !parser_make(xml))
        return false;
    XML_ParserReset(xml->parser, NULL);
    XML_SetHashSalt(xml->parser, xml->hash_salt);
    ste_xml_install_handlers(xml);
    return true;
}

static void begin(struct ste_xml *xml, struct ste_bytes body, struct ste_arena *arena,
                  struct ste_xml_scan scan)
{
    xml->body = body;
    xml->arena = arena;
    xml->place = ste_xml_place_start(body, scan);
    xml->stop = STE_XML_STOP_NONE;
    xml->is_batch = false;
    xml->root_line = xml->root_column = 1;
    xml->depth = xml->depth_seen = 0;
    xml->entries = NULL;
    xml->entry_count = xml->entry_capacity = 0;
    xml->closed_offset = 0;
    xml->mode = STE_XML_MODE_OUTSIDE;
    xml->element.has_children = false;
}

static struct ste_finding refusal(enum ste_msg_code code, const char *place, const char *text)
{
    return (struct ste_finding){.code = code,
                                .level = STE_LEVEL_REJECT,
                                .place = ste_bytes_of(place),
                                .text = ste_bytes_of(text)};
}

/* Nothing of the delivery stands: one refusal, index 0. */
static bool refuse_whole(struct ste_xml *xml, struct ste_finding exc)
{
    xml->entry_count = 0;
    xml->mode = STE_XML_MODE_OUTSIDE;
    if (!exc.place.at)
        return false;
    return ste_xml_entry_refuse(xml, 0, xml->body.len, exc);
}

/* What was closed stands; the rest, from the start of the broken message, is one refusal. Where no
 * message was under way it starts behind the last one. */
static bool refuse_rest(struct ste_xml *xml, struct ste_finding exc)
{
    size_t from = xml->mode == STE_XML_MODE_OUTSIDE ? xml->closed_offset : xml->entry_offset;
    if (xml->mode == STE_XML_MODE_OUTSIDE && xml->entry_count > 0) {
        while (from < xml->body.len && strchr(" \t\r\n", xml->body.at[from]) && xml->body.at[from])
            from++;
    }
    if (!exc.place.at)
        return false;
    return ste_xml_entry_refuse(xml, from, xml->body.len, exc);
}

static const char *line_column(struct ste_xml *xml, uint32_t line, uint32_t column)
{
    return ste_arena_printf(xml->arena, "%u:%u", line, column);
}

static bool settle_stop(struct ste_xml *xml)
{
    const char *place = line_column(xml, xml->stop_line, xml->stop_column);
    switch (xml->stop) {
    case STE_XML_STOP_ENCODING:
        return refuse_whole(xml, refusal(STE_C_XENC,
                                         ste_arena_printf(xml->arena, "%zu", xml->stop_offset),
                                         "another encoding than UTF-8 is declared"));
    case STE_XML_STOP_DTD:
        return refuse_whole(xml, refusal(STE_C_XDTD, place, "document type declaration"));
    case STE_XML_STOP_ROOT:
        return refuse_whole(
            xml, refusal(STE_C_XNSP, place, "root is neither TradeMessage nor TradeMessages"));
    case STE_XML_STOP_MESSAGES:
        return refuse_whole(xml, refusal(STE_C_XLIM, place, "more than 1000 messages"));
    case STE_XML_STOP_DEPTH:
        return refuse_rest(xml,
                           refusal(STE_C_XLIM, line_column(xml, xml->deep_line, xml->deep_column),
                                   "elements are nested deeper than 8, and too deep to read on"));
    case STE_XML_STOP_NONE:
    case STE_XML_STOP_NOMEM:
        break;
    }
    return false;
}

static bool settle_broken(struct ste_xml *xml)
{
    ste_xml_place_move(&xml->place, ste_xml_event_offset(xml));
    return refuse_rest(xml,
                       refusal(STE_C_XWEL, line_column(xml, xml->place.line, xml->place.column),
                               XML_ErrorString(XML_GetErrorCode(xml->parser))));
}

static bool settle_bad_byte(struct ste_xml *xml, size_t offset)
{
    return refuse_rest(xml, refusal(STE_C_XENC, ste_arena_printf(xml->arena, "%zu", offset),
                                    xml->body.at[offset] ? "not UTF-8" : "NUL byte"));
}

/* Reads up to the first bad byte; false: out of memory. */
static bool read_delivery(struct ste_xml *xml, size_t good_bytes)
{
    bool whole = good_bytes == xml->body.len;
    const char *at = xml->body.at ? xml->body.at : "";
    bool parsed = XML_Parse(xml->parser, at, (int)good_bytes, whole) == XML_STATUS_OK;
    if (xml->stop != STE_XML_STOP_NONE)
        return settle_stop(xml);
    if (!parsed && XML_GetErrorCode(xml->parser) == XML_ERROR_NO_MEMORY)
        return false;
    if (!parsed)
        return settle_broken(xml);
    if (!whole)
        return settle_bad_byte(xml, good_bytes);
    if (xml->entry_count == 0)
        return refuse_whole(xml,
                            refusal(STE_C_XEMP, line_column(xml, xml->root_line, xml->root_column),
                                    "batch is empty"));
    return true;
}

/* Not read at all: its first bytes are kept. */
static bool refuse_large(struct ste_xml *xml)
{
    const char *text = ste_arena_printf(xml->arena, "delivery of %zu bytes is larger than %d",
                                        xml->body.len, STE_DELIVERY_BYTES_MAX);
    if (!text)
        return false;
    return ste_xml_entry_refuse(xml, 0, STE_EXC_RAW_BYTES_MAX, refusal(STE_C_XLIM, "1:1", text));
}

enum ste_code ste_xml_decode(struct ste_xml *xml, struct ste_bytes body, struct ste_arena *arena,
                             struct ste_message **ret, size_t *ret_count, struct ste_error *err)
{
    bool read = false;
    if (body.len > STE_DELIVERY_BYTES_MAX) {
        begin(xml, body, arena, (struct ste_xml_scan){0});
        read = refuse_large(xml);
    } else if (parser_renew(xml)) {
        struct ste_xml_scan scan = ste_xml_scan_of(body);
        begin(xml, body, arena, scan);
        read = read_delivery(xml, scan.bad_offset);
    }
    if (!read)
        return ste_error_set(err, STE_E_NOMEM,
                             "could not decode a delivery of %zu bytes: out of memory", body.len);
    *ret = xml->entries;
    *ret_count = xml->entry_count;
    return STE_OK;
}
