/* SPDX-License-Identifier: Apache-2.0
 * One direct child of a message: which field it is, its text and attributes, and what becomes of
 * them when it closes. An empty element is an absent one. */
#include "msg/xml_internal.h"

#include <string.h>

enum { COPY_BYTES_MIN = 64 };

static enum ste_field_id field_of(const struct ste_xml *xml, const char *name)
{
    size_t len = strlen(name);
    if (len + 1 >= sizeof(xml->name_first))
        return STE_F_NONE;
    for (unsigned i = xml->name_first[len]; i < xml->name_first[len + 1]; i++) {
        if (memcmp(xml->names[i].element.at, name, len) == 0)
            return xml->names[i].id;
    }
    return STE_F_NONE;
}

/* The start tag's name without prefix, as it stands in the body. */
static struct ste_bytes local_name(const struct ste_xml *xml)
{
    size_t at = ste_xml_event_offset(xml) + 1, end = ste_xml_event_end(xml), first = at;
    for (; at < end && !strchr(" \t\r\n/>", xml->body.at[at]); at++) {
        if (xml->body.at[at] == ':')
            first = at + 1;
    }
    return (struct ste_bytes){xml->body.at + first, at - first};
}

/* expat's own copy does not outlive the event: the same bytes are looked up in the start tag, where
 * they nearly always stand. */
static struct ste_bytes lasting(struct ste_xml *xml, const char *value)
{
    struct ste_bytes trimmed = ste_bytes_trim(ste_bytes_of(value));
    if (trimmed.len == 0)
        return trimmed;
    size_t at = ste_xml_event_offset(xml);
    const char *found =
        memmem(xml->body.at + at, ste_xml_event_end(xml) - at, trimmed.at, trimmed.len);
    if (found)
        return (struct ste_bytes){found, trimmed.len};
    struct ste_bytes copy = ste_arena_dup(xml->arena, trimmed);
    if (!copy.at)
        ste_xml_stop(xml, STE_XML_STOP_NOMEM);
    return copy;
}

static void take_attributes(struct ste_xml *xml, const char **attributes)
{
    struct ste_xml_element *element = &xml->element;
    for (; attributes[0]; attributes += 2) {
        for (unsigned next = element->id + 1U; next < STE_FIELD_COUNT; next++) {
            const char *name = ste_field_attribute((enum ste_field_id)next);
            if (!name || element->attribute_count == STE_XML_ATTRIBUTES_MAX)
                break; /* an element's attributes follow it in fields.def */
            if (strcmp(name, attributes[0]) == 0) {
                element->attributes[element->attribute_count].id = (enum ste_field_id)next;
                element->attributes[element->attribute_count].value = lasting(xml, attributes[1]);
                element->attribute_count++;
            }
        }
    }
}

void ste_xml_element_open(struct ste_xml *xml, const char *name, const char **attributes)
{
    struct ste_xml_element *element = &xml->element;
    element->id = field_of(xml, ste_xml_own_name(name));
    element->line = xml->place.line;
    element->column = xml->place.column;
    element->has_children = false;
    element->attribute_count = 0;
    element->text.value = (struct ste_bytes){NULL, 0};
    element->text.copied = false;
    if (element->id == STE_F_NONE)
        element->name = local_name(xml);
    else if (attributes[0])
        take_attributes(xml, attributes);
}

/* ---- text ---- */

static void copy_append(struct ste_xml *xml, const char *text, size_t len)
{
    struct ste_xml_text *to = &xml->element.text;
    size_t need = to->value.len + len;
    if (!to->copied || need > to->copy_capacity) {
        size_t capacity = need * 2 > COPY_BYTES_MIN ? need * 2 : COPY_BYTES_MIN;
        char *grown = ste_arena_alloc(xml->arena, capacity);
        if (!grown) {
            ste_xml_stop(xml, STE_XML_STOP_NOMEM);
            return;
        }
        if (to->value.len)
            memcpy(grown, to->value.at, to->value.len);
        to->copied = true;
        to->copy = grown;
        to->copy_capacity = capacity;
        to->value.at = grown;
    }
    memcpy(to->copy + to->value.len, text, len);
    to->value.len = need;
}

void ste_xml_element_text(struct ste_xml *xml, const char *text, size_t len)
{
    struct ste_xml_text *to = &xml->element.text;
    const char *at = xml->body.at + ste_xml_event_offset(xml);
    /* A reference or a normalised line end has other bytes in the body than here. */
    bool as_sent = (size_t)XML_GetCurrentByteCount(xml->parser) == len && *at == *text;
    if (to->value.len == 0) { /* white space in front is dropped */
        while (len && strchr(" \t\r\n", *text)) {
            text++;
            at++;
            len--;
        }
        if (len == 0)
            return;
        if (as_sent) {
            to->value = (struct ste_bytes){at, len};
            return;
        }
    }
    if (as_sent && !to->copied && to->value.at + to->value.len == at)
        to->value.len += len;
    else
        copy_append(xml, text, len);
}

/* ---- closing ---- */

static void find(struct ste_xml *xml, enum ste_msg_code code, enum ste_level level,
                 struct ste_bytes element, struct ste_bytes place, struct ste_bytes text)
{
    if (xml->finding_count < STE_FINDINGS_MAX)
        xml->findings[xml->finding_count++] = (struct ste_finding){
            .code = code, .level = level, .element = element, .place = place, .text = text};
}

static struct ste_bytes element_place(struct ste_xml *xml)
{
    return ste_xml_place_text(xml, xml->element.line, xml->element.column);
}

/* Listed as a warning each, up to the limit; the first one too many refuses the message. */
static void close_unknown(struct ste_xml *xml)
{
    struct ste_bytes name = xml->element.name;
    xml->unknown_count++;
    if (xml->unknown_count <= STE_UNKNOWN_ELEMENTS_MAX)
        find(xml, STE_C_XUNK, STE_LEVEL_WARN, name, element_place(xml),
             STE_BYTES("element is unknown"));
    else if (xml->unknown_count == STE_UNKNOWN_ELEMENTS_MAX + 1)
        find(xml, STE_C_XLIM, STE_LEVEL_REJECT, name, element_place(xml),
             STE_BYTES("more than 64 unknown elements"));
}

static bool is_carried(const struct ste_message *message, enum ste_field_id id)
{
    if (id == STE_F_PREVIOUS_REFERENCE &&
        (message->function == STE_FUNCTION_NEWM || message->function == STE_FUNCTION_TRIA))
        return false;
    return ste_type_carries(message->type, id);
}

static size_t character_count(struct ste_bytes text)
{
    size_t count = 0;
    for (size_t i = 0; i < text.len; i++)
        count += ((unsigned char)text.at[i] & 0xC0) != 0x80;
    return count;
}

static void keep_value(struct ste_xml *xml, struct ste_bytes value)
{
    const struct ste_xml_element *element = &xml->element;
    struct ste_field *fields = ste_xml_entry(xml)->fields;
    fields[element->id] = (struct ste_field){value, element->line, element->column};
    for (size_t i = 0; i < element->attribute_count; i++) {
        fields[element->attributes[i].id] =
            (struct ste_field){element->attributes[i].value, element->line, element->column};
    }
}

void ste_xml_element_close(struct ste_xml *xml)
{
    const struct ste_xml_element *element = &xml->element;
    enum ste_field_id id = element->id;
    if (id == STE_F_NONE) {
        close_unknown(xml);
        return;
    }
    struct ste_bytes value = ste_bytes_trim(element->text.value), name = {NULL, 0};
    bool strict = ste_xml_is_strict(id);
    if (value.len == 0 && !element->has_children && !strict)
        return;
    unsigned times = xml->seen[id] < 2 ? ++xml->seen[id] : 3;
    if (strict) {
        if (element->has_children)
            xml->malformed[id] = true;
        if (times == 1)
            keep_value(xml, value);
        return;
    }
    if (times == 1)
        keep_value(xml, value);
    name = ste_bytes_of(ste_field_element(id));
    if (!is_carried(ste_xml_entry(xml), id)) {
        if (times == 1)
            find(xml, STE_C_XUNK, STE_LEVEL_WARN, name, element_place(xml),
                 STE_BYTES("element is not carried by this message"));
        return;
    }
    if (times == 2)
        find(xml, STE_C_XREP, STE_LEVEL_REJECT, name, name, STE_BYTES("element is repeated"));
    if (times > 1)
        return;
    if (element->has_children)
        find(xml, ste_field_code(id), STE_LEVEL_REJECT, name, element_place(xml),
             STE_BYTES("element has elements inside"));
    if (id == STE_F_NARRATIVE && value.len > STE_NARRATIVE_CHARS_MAX &&
        character_count(value) > STE_NARRATIVE_CHARS_MAX)
        find(xml, STE_C_XLIM, STE_LEVEL_REJECT, name, element_place(xml),
             STE_BYTES("more than 2000 characters"));
}
