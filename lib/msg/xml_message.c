/* SPDX-License-Identifier: Apache-2.0
 * One entry of a delivery: a message, or what was refused in its place. */
#include "msg/xml_internal.h"

#include <stdio.h>
#include <string.h>

/* EXC order of MESSAGES section 11 after the limits and the signature. */
static const enum ste_field_id strict_order[] = {
    STE_F_SENDER,     STE_F_REFERENCE, STE_F_TRADE_REFERENCE,
    STE_F_TRADE_DATE, STE_F_BROKER,    STE_F_MANAGER,
};
enum {
    STRICT_COUNT = sizeof(strict_order) / sizeof(strict_order[0]),
    RANK_LIMIT = 0,
    RANK_SIGNATURE,
    RANK_SENDER,
    RANK_TYPE,
    RANK_REFERENCE, /* and the identity fields after it, in order */
    RANK_LAST = RANK_REFERENCE + STRICT_COUNT - 1,
};

bool ste_xml_is_strict(enum ste_field_id id)
{
    for (size_t i = 0; i < STRICT_COUNT; i++) {
        if (strict_order[i] == id)
            return true;
    }
    return false;
}

int ste_exc_rank(const struct ste_finding *exc)
{
    switch (exc->code) {
    case STE_C_XLIM:
    case STE_C_XWEL:
    case STE_C_XDTD:
    case STE_C_XENC:
    case STE_C_XNSP:
    case STE_C_XEMP:
        return RANK_LIMIT;
    case STE_C_XSIG:
    case STE_C_XKEY:
        return RANK_SIGNATURE;
    case STE_C_XSND:
        return RANK_SENDER;
    case STE_C_XTYP:
        return RANK_TYPE;
    default:
        break;
    }
    enum ste_field_id id = ste_field_of(exc->element);
    for (int i = 0; i < STRICT_COUNT; i++) {
        if (strict_order[i] == id)
            return i == 0 ? RANK_SENDER : RANK_REFERENCE + i - 1;
    }
    return RANK_LAST;
}

struct ste_bytes ste_xml_place_text(struct ste_xml *xml, uint32_t line, uint32_t column)
{
    char *text = ste_arena_printf(xml->arena, "%u:%u", line, column);
    if (!text)
        ste_xml_stop(xml, STE_XML_STOP_NOMEM);
    return ste_bytes_of(text);
}

/* Room for one entry more. The first guess is a kilobyte a message. */
static bool reserve_entry(struct ste_xml *xml)
{
    enum { MESSAGE_BYTES_GUESSED = 1024 };
    if (xml->entry_count < xml->entry_capacity)
        return true;
    size_t capacity = xml->entry_capacity * 2;
    if (capacity == 0)
        capacity = xml->is_batch ? xml->body.len / MESSAGE_BYTES_GUESSED + 1 : 1;
    if (capacity > STE_DELIVERY_MESSAGES_MAX + 1)
        capacity = STE_DELIVERY_MESSAGES_MAX + 1; /* and one for the broken rest */
    struct ste_message *grown = STE_ARENA_ARRAY(xml->arena, struct ste_message, capacity);
    if (!grown)
        return false;
    if (xml->entry_count)
        memcpy(grown, xml->entries, xml->entry_count * sizeof(*grown));
    xml->entries = grown;
    xml->entry_capacity = capacity;
    return true;
}

bool ste_xml_entry_open(struct ste_xml *xml, enum ste_xml_mode mode)
{
    if (!reserve_entry(xml)) {
        ste_xml_stop(xml, STE_XML_STOP_NOMEM);
        return false;
    }
    struct ste_message *message = ste_xml_entry(xml);
    message->line = xml->place.line;
    message->column = xml->place.column;
    message->index = (uint32_t)xml->entry_count;
    xml->mode = mode;
    xml->entry_offset = ste_xml_event_offset(xml);
    xml->deep_line = xml->deep_column = 0;
    memset(xml->seen, 0, sizeof(xml->seen));
    memset(xml->malformed, 0, sizeof(xml->malformed));
    xml->unknown_count = 0;
    xml->finding_count = 0;
    return true;
}

static enum ste_type type_of(struct ste_bytes name)
{
    for (int type = STE_TYPE_NONE + 1; type < STE_TYPE_COUNT; type++) {
        if (type != STE_TYPE_EXC && /* ours alone */
            ste_bytes_equal(name, ste_bytes_of(ste_type_name((enum ste_type)type))))
            return (enum ste_type)type;
    }
    return STE_TYPE_NONE;
}

static enum ste_function function_of(struct ste_bytes name)
{
    for (int function = STE_FUNCTION_NEWM; function <= STE_FUNCTION_TRIA; function++) {
        if (ste_bytes_equal(name, ste_bytes_of(ste_function_name((enum ste_function)function))))
            return (enum ste_function)function;
    }
    return STE_FUNCTION_NONE;
}

static bool has_function(enum ste_type type)
{
    return type == STE_TYPE_NOE || type == STE_TYPE_ALB || type == STE_TYPE_NPR ||
           type == STE_TYPE_SET;
}

void ste_xml_message_attributes(struct ste_xml *xml, const char **attributes)
{
    struct ste_message *message = ste_xml_entry(xml);
    enum ste_function function = STE_FUNCTION_NONE;
    for (; attributes[0]; attributes += 2) {
        struct ste_bytes value = ste_bytes_trim(ste_bytes_of(attributes[1]));
        if (strcmp(attributes[0], "type") == 0)
            message->type = type_of(value);
        else if (strcmp(attributes[0], "function") == 0)
            function = function_of(value);
    }
    if (has_function(message->type))
        message->function = function;
}

/* ---- closing ---- */

static bool strict_is_well_formed(const struct ste_xml *xml, const struct ste_message *message,
                                  enum ste_field_id id)
{
    struct ste_bytes value = ste_value(message, id);
    ste_date date = 0;
    if (xml->malformed[id])
        return false;
    switch (id) {
    case STE_F_SENDER:
    case STE_F_BROKER:
    case STE_F_MANAGER:
        return ste_is_bic(value);
    case STE_F_TRADE_DATE:
        return ste_date_parse(value, &date);
    default:
        return ste_is_reference(value);
    }
}

static bool strict_exc(struct ste_xml *xml, enum ste_field_id id, struct ste_finding *ret)
{
    struct ste_message *message = ste_xml_entry(xml);
    struct ste_bytes name = ste_bytes_of(ste_field_element(id));
    struct ste_finding exc = {.level = STE_LEVEL_REJECT, .element = name, .place = name};
    if (xml->seen[id] == 0) {
        exc.code = STE_C_XMIS;
        exc.text = STE_BYTES("element is missing");
    } else if (xml->seen[id] > 1) {
        exc.code = STE_C_XREP;
        exc.text = STE_BYTES("element is repeated");
    } else if (!strict_is_well_formed(xml, message, id)) {
        exc.code = STE_C_XFMT;
        exc.place = ste_xml_place_text(xml, message->fields[id].line, message->fields[id].column);
        exc.text = STE_BYTES("element is malformed");
    } else {
        return false;
    }
    *ret = exc;
    return true;
}

static struct ste_finding exc_at(struct ste_xml *xml, enum ste_msg_code code, uint32_t line,
                                 uint32_t column, struct ste_bytes text)
{
    return (struct ste_finding){.code = code,
                                .level = STE_LEVEL_REJECT,
                                .place = ste_xml_place_text(xml, line, column),
                                .text = text};
}

/* The first reason to refuse the entry, in the order of MESSAGES section 11. */
static bool first_exc(struct ste_xml *xml, struct ste_finding *ret)
{
    struct ste_message *message = ste_xml_entry(xml);
    uint32_t line = message->line, column = message->column;
    if (message->original.len > STE_MESSAGE_BYTES_MAX) {
        *ret =
            exc_at(xml, STE_C_XLIM, line, column, STE_BYTES("message is larger than 65536 bytes"));
        return true;
    }
    if (xml->mode == STE_XML_MODE_FOREIGN) {
        *ret = exc_at(xml, STE_C_XNSP, line, column, STE_BYTES("element is no TradeMessage"));
        return true;
    }
    if (xml->deep_line) {
        *ret = exc_at(xml, STE_C_XLIM, xml->deep_line, xml->deep_column,
                      STE_BYTES("elements are nested deeper than 8"));
        return true;
    }
    if (strict_exc(xml, STE_F_SENDER, ret))
        return true;
    if (message->type == STE_TYPE_NONE) {
        *ret = exc_at(xml, STE_C_XTYP, line, column, STE_BYTES("type is missing or unknown"));
        return true;
    }
    if (has_function(message->type) && message->function == STE_FUNCTION_NONE) {
        *ret = exc_at(xml, STE_C_XTYP, line, column, STE_BYTES("function is missing or unknown"));
        return true;
    }
    for (size_t i = 1; i < STRICT_COUNT; i++) {
        if (strict_exc(xml, strict_order[i], ret))
            return true;
    }
    return false;
}

void ste_xml_entry_close(struct ste_xml *xml)
{
    struct ste_message *message = ste_xml_entry(xml);
    struct ste_finding exc;
    size_t end = ste_xml_event_end(xml);
    message->original =
        (struct ste_bytes){xml->body.at + xml->entry_offset, end - xml->entry_offset};
    if (first_exc(xml, &exc)) {
        message->exc = exc;
        message->type = STE_TYPE_EXC;
        message->function = STE_FUNCTION_NONE;
    } else if (xml->finding_count) {
        message->findings = STE_ARENA_ARRAY(xml->arena, struct ste_finding, xml->finding_count);
        if (!message->findings) {
            ste_xml_stop(xml, STE_XML_STOP_NOMEM);
            return;
        }
        memcpy(message->findings, xml->findings, xml->finding_count * sizeof(xml->findings[0]));
        message->finding_count = xml->finding_count;
    }
    xml->entry_count++;
    xml->closed_offset = end;
    xml->mode = STE_XML_MODE_OUTSIDE;
}

bool ste_xml_entry_refuse(struct ste_xml *xml, size_t from, size_t to, struct ste_finding exc)
{
    if (!reserve_entry(xml))
        return false;
    uint32_t line = 1, column = 1;
    if (xml->mode != STE_XML_MODE_OUTSIDE) {
        line = ste_xml_entry(xml)->line;
        column = ste_xml_entry(xml)->column;
    }
    *ste_xml_entry(xml) = (struct ste_message){
        .type = STE_TYPE_EXC,
        .line = line,
        .column = column,
        .original = {xml->body.at + from, to - from},
        .exc = exc,
        .index = (uint32_t)xml->entry_count,
    };
    xml->entry_count++;
    return true;
}
