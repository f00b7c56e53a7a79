/* SPDX-License-Identifier: Apache-2.0
 * What expat calls. Depth decides what a start tag is: the root, a message, a direct child of a
 * message, or something deeper that only counts. */
#include "msg/xml_internal.h"

#include <string.h>
#include <strings.h>

static void stop_at(struct ste_xml *xml, enum ste_xml_stop why, size_t offset)
{
    if (xml->stop != STE_XML_STOP_NONE)
        return;
    xml->stop = why;
    xml->stop_offset = offset;
    ste_xml_place_move(&xml->place, xml->stop_offset);
    xml->stop_line = xml->place.line;
    xml->stop_column = xml->place.column;
    XML_StopParser(xml->parser, XML_FALSE);
}

void ste_xml_stop(struct ste_xml *xml, enum ste_xml_stop why)
{
    stop_at(xml, why, ste_xml_event_offset(xml));
}

size_t ste_xml_event_offset(const struct ste_xml *xml)
{
    XML_Index offset = XML_GetCurrentByteIndex(xml->parser);
    if (offset < 0)
        return 0;
    return (size_t)offset > xml->body.len ? xml->body.len : (size_t)offset;
}

size_t ste_xml_event_end(const struct ste_xml *xml)
{
    return ste_xml_event_offset(xml) + (size_t)XML_GetCurrentByteCount(xml->parser);
}

const char *ste_xml_own_name(const char *name)
{
    static const char prefix[] = STE_XML_NAMESPACE "\n";
    const size_t len = sizeof(prefix) - 1;
    return strncmp(name, prefix, len) == 0 ? name + len : name;
}

static void open_root(struct ste_xml *xml, const char *name, const char **attributes)
{
    const char *own = ste_xml_own_name(name);
    xml->root_line = xml->place.line;
    xml->root_column = xml->place.column;
    if (strcmp(own, "TradeMessages") == 0) {
        xml->is_batch = true;
    } else if (strcmp(own, "TradeMessage") == 0) {
        if (ste_xml_entry_open(xml, STE_XML_MODE_MESSAGE))
            ste_xml_message_attributes(xml, attributes);
    } else {
        ste_xml_stop(xml, STE_XML_STOP_ROOT);
    }
}

static void open_child_of_batch(struct ste_xml *xml, const char *name, const char **attributes)
{
    const char *own = ste_xml_own_name(name);
    if (xml->entry_count == STE_DELIVERY_MESSAGES_MAX) {
        ste_xml_stop(xml, STE_XML_STOP_MESSAGES);
        return;
    }
    bool is_message = strcmp(own, "TradeMessage") == 0;
    if (ste_xml_entry_open(xml, is_message ? STE_XML_MODE_MESSAGE : STE_XML_MODE_FOREIGN) &&
        is_message)
        ste_xml_message_attributes(xml, attributes);
}

static void on_start(void *user, const char *name, const char **attributes)
{
    struct ste_xml *xml = user;
    unsigned depth = ++xml->depth, message_depth = xml->is_batch ? 2 : 1;
    if (depth > xml->depth_seen)
        xml->depth_seen = depth;
    if (depth <= message_depth + 1 || depth == STE_XML_DEPTH_MAX + 1)
        ste_xml_place_move(&xml->place, ste_xml_event_offset(xml));
    if (depth == 1) {
        open_root(xml, name, attributes);
    } else if (depth == message_depth) {
        open_child_of_batch(xml, name, attributes);
    } else if (xml->mode == STE_XML_MODE_MESSAGE && depth == message_depth + 1) {
        ste_xml_element_open(xml, name, attributes);
    } else if (depth > message_depth + 1) {
        xml->element.has_children = true;
        if (depth == STE_XML_DEPTH_MAX + 1 && xml->deep_line == 0) {
            xml->deep_line = xml->place.line;
            xml->deep_column = xml->place.column;
        }
        if (depth > STE_XML_DEPTH_READ_MAX)
            ste_xml_stop(xml, STE_XML_STOP_DEPTH);
    }
}

static void on_end(void *user, const char *name)
{
    (void)name;
    struct ste_xml *xml = user;
    unsigned depth = xml->depth--, message_depth = xml->is_batch ? 2 : 1;
    if (depth == message_depth && xml->mode != STE_XML_MODE_OUTSIDE)
        ste_xml_entry_close(xml);
    else if (depth == message_depth + 1 && xml->mode == STE_XML_MODE_MESSAGE)
        ste_xml_element_close(xml);
}

static void on_text(void *user, const char *text, int len)
{
    struct ste_xml *xml = user;
    unsigned message_depth = xml->is_batch ? 2 : 1;
    if (xml->mode == STE_XML_MODE_MESSAGE && xml->depth == message_depth + 1 &&
        xml->element.id != STE_F_NONE && len > 0)
        ste_xml_element_text(xml, text, (size_t)len);
}

static void on_declaration(void *user, const char *version, const char *encoding, int standalone)
{
    (void)version;
    (void)standalone;
    if (encoding && strcasecmp(encoding, "UTF-8") != 0)
        ste_xml_stop(user, STE_XML_STOP_ENCODING);
}

/* expat reports a declaration where it ends. Before it stand comments and instructions only. */
static size_t doctype_offset(const struct ste_xml *xml)
{
    const char *at = xml->body.at, *end = at + ste_xml_event_offset(xml);
    while ((at = memchr(at, '<', (size_t)(end - at))) != NULL && end - at >= 4) {
        bool comment = memcmp(at, "<!--", 4) == 0;
        if (!comment && at[1] != '?')
            return (size_t)(at - xml->body.at);
        at += comment ? 4 : 2;
        at = memmem(at, (size_t)(end - at), comment ? "-->" : "?>", comment ? 3 : 2);
        if (!at)
            break;
    }
    return ste_xml_event_offset(xml);
}

static void on_doctype(void *user, const char *name, const char *system_id, const char *public_id,
                       int has_internal_subset)
{
    struct ste_xml *xml = user;
    (void)name;
    (void)system_id;
    (void)public_id;
    (void)has_internal_subset;
    stop_at(xml, STE_XML_STOP_DTD, doctype_offset(xml));
}

void ste_xml_install_handlers(struct ste_xml *xml)
{
    XML_SetUserData(xml->parser, xml);
    XML_SetElementHandler(xml->parser, on_start, on_end);
    XML_SetCharacterDataHandler(xml->parser, on_text);
    XML_SetXmlDeclHandler(xml->parser, on_declaration);
    XML_SetStartDoctypeDeclHandler(xml->parser, on_doctype);
}
