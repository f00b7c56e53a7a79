/* SPDX-License-Identifier: Apache-2.0
 * One delivery on its way through the parser; shared by the xml*.c files only.
 *
 *   xml.c           drives expat, settles how the delivery ends
 *   xml_handlers.c  what expat calls: root, messages, direct children, text
 *   xml_element.c   one direct child: its text, and what becomes of it when it closes
 *   xml_message.c   one entry: opened, closed, the first EXC finding
 */
#ifndef STE_MSG_XML_INTERNAL_H
#define STE_MSG_XML_INTERNAL_H

#include <expat.h>

#include "msg/message.h"
#include "msg/xml.h"
#include "msg/xml_place.h"

enum {
    /* Deeper than this nothing is read any more: expat keeps about 150 bytes a level. Up to it, a
     * message that is too deep leaves its neighbours alone. */
    STE_XML_DEPTH_READ_MAX = 100000,
    STE_XML_DEPTH_KEPT_MAX = 256, /* a parser that went deeper is made anew, to give memory back */
    STE_XML_ATTRIBUTES_MAX = 2,   /* that one element of fields.def has */
};

/* The texts of refusals say these limits in digits. */
_Static_assert(STE_DELIVERY_MESSAGES_MAX == 1000 && STE_MESSAGE_BYTES_MAX == 65536 &&
                   STE_XML_DEPTH_MAX == 8 && STE_UNKNOWN_ELEMENTS_MAX == 64 &&
                   STE_NARRATIVE_CHARS_MAX == 2000,
               "a limit has changed: change the texts in xml.c, xml_message.c and xml_element.c");

/* Why we ended the parse ourselves. */
enum ste_xml_stop {
    STE_XML_STOP_NONE,
    STE_XML_STOP_NOMEM,
    STE_XML_STOP_ENCODING, /* another encoding is declared */
    STE_XML_STOP_DTD,
    STE_XML_STOP_ROOT,     /* neither TradeMessage nor TradeMessages */
    STE_XML_STOP_MESSAGES, /* one more than STE_DELIVERY_MESSAGES_MAX */
    STE_XML_STOP_DEPTH,    /* STE_XML_DEPTH_READ_MAX */
};

enum ste_xml_mode {
    STE_XML_MODE_OUTSIDE, /* prolog, between messages, after the root */
    STE_XML_MODE_MESSAGE,
    STE_XML_MODE_FOREIGN, /* a child of TradeMessages that is no TradeMessage */
};

/* Text of an element: a slice of the body as long as that is possible, else put together. */
struct ste_xml_text {
    struct ste_bytes value;
    bool copied;
    char *copy;
    size_t copy_capacity;
};

struct ste_xml_element {
    enum ste_field_id id; /* STE_F_NONE: unknown */
    uint32_t line, column;
    struct ste_bytes name; /* local part, in the body */
    bool has_children;
    struct ste_xml_text text;
    struct {
        enum ste_field_id id;
        struct ste_bytes value;
    } attributes[STE_XML_ATTRIBUTES_MAX];
    size_t attribute_count;
};

struct ste_xml {
    XML_Parser parser;
    unsigned long hash_salt;
    /* the elements' names by length, so that few are compared */
    struct {
        struct ste_bytes element;
        enum ste_field_id id;
    } names[STE_FIELD_COUNT];
    uint8_t name_first[32]; /* index of the first name of that length; names are sorted by length */

    /* ---- one delivery ---- */
    struct ste_bytes body;
    struct ste_arena *arena;
    struct ste_xml_place place;
    enum ste_xml_stop stop;
    uint32_t stop_line, stop_column;
    size_t stop_offset;
    bool is_batch;
    uint32_t root_line, root_column;
    unsigned depth, depth_seen;
    struct ste_message *entries;
    size_t entry_count, entry_capacity;
    size_t closed_offset; /* end of the last closed entry */

    /* ---- one entry ---- */
    enum ste_xml_mode mode;
    size_t entry_offset;
    uint32_t deep_line, deep_column; /* of the first start tag below STE_XML_DEPTH_MAX; 0: none */
    uint8_t seen[STE_FIELD_COUNT];
    bool malformed[STE_FIELD_COUNT]; /* Sender, Reference and identity fields only */
    unsigned unknown_count;
    struct ste_finding findings[STE_FINDINGS_MAX];
    size_t finding_count;
    struct ste_xml_element element;
};

/* Ends the parse from inside a handler. */
void ste_xml_stop(struct ste_xml *xml, enum ste_xml_stop why);
/* Where the event that expat reports begins and ends in the body. */
size_t ste_xml_event_offset(const struct ste_xml *xml);
size_t ste_xml_event_end(const struct ste_xml *xml);
/* "line:column" in the arena; empty when out of memory, which then stops the parse. */
struct ste_bytes ste_xml_place_text(struct ste_xml *xml, uint32_t line, uint32_t column);

void ste_xml_install_handlers(struct ste_xml *xml);

/* xml_message.c */
/* At the place; false: stopped. */
bool ste_xml_entry_open(struct ste_xml *xml, enum ste_xml_mode mode);
void ste_xml_message_attributes(struct ste_xml *xml, const char **attributes);
void ste_xml_entry_close(struct ste_xml *xml);
/* The entry under way (or a new one) becomes one refusal of body[from, to). */
bool ste_xml_entry_refuse(struct ste_xml *xml, size_t from, size_t to, struct ste_finding exc);
static inline struct ste_message *ste_xml_entry(struct ste_xml *xml)
{
    return &xml->entries[xml->entry_count];
}
/* Sender, Reference and the identity fields: what is wrong with them is an EXC. */
bool ste_xml_is_strict(enum ste_field_id id);

/* xml_element.c */
void ste_xml_element_open(struct ste_xml *xml, const char *name, const char **attributes);
void ste_xml_element_text(struct ste_xml *xml, const char *text, size_t len);
void ste_xml_element_close(struct ste_xml *xml);
/* The name without our namespace; one of another keeps its own, and so equals no name of ours. */
const char *ste_xml_own_name(const char *name);

#endif
