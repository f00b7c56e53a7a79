/* SPDX-License-Identifier: Apache-2.0
 * The message model: one message of a delivery, decoded once, its values as sent. */
#ifndef STE_MSG_MESSAGE_H
#define STE_MSG_MESSAGE_H

#include "base/arena.h"
#include "base/bytes.h"
#include "base/date.h"
#include "base/hash.h"

#define STE_XML_NAMESPACE "urn:ste:trade:1" /* of everything sent and answered */

/* Limits of MESSAGES section 1, each tested on both sides. */
enum {
    STE_DELIVERY_BYTES_MAX = 4 << 20,
    STE_DELIVERY_MESSAGES_MAX = 1000,
    STE_MESSAGE_BYTES_MAX = 64 << 10, /* first '<' to last '>' */
    STE_XML_DEPTH_MAX = 8,            /* from the delivery's root */
    STE_UNKNOWN_ELEMENTS_MAX = 64,    /* direct children */
    STE_NARRATIVE_CHARS_MAX = 2000,
    STE_ACCOUNTS_MAX = 200,
    STE_REFERENCE_CHARS_MAX = 35,
    STE_BIC8_BYTES = 8,
    STE_EXC_RAW_BYTES_MAX = 64 << 10, /* kept of a body over the delivery limit */
    STE_FINDINGS_MAX = 128,           /* of one message; more are counted, not listed */
};

enum ste_type {
    STE_TYPE_NONE = 0,
#define X(id, value, name, queue) id = value,
#include "msg/types.def"
#undef X
    STE_TYPE_COUNT
};
enum ste_function {
    STE_FUNCTION_NONE, /* AFF, NAF, STQ, EXC */
    STE_FUNCTION_NEWM,
    STE_FUNCTION_AMND,
    STE_FUNCTION_CANC,
    STE_FUNCTION_TRIA,
};
enum ste_field_id {
    STE_F_NONE = 0,
#define X(id, value, element, attribute, kind) id = value,
#include "msg/fields.def"
#undef X
    STE_FIELD_COUNT
};
enum ste_msg_code {
    STE_C_NONE = 0,
#define X(name, text) STE_C_##name,
#include "msg/codes.def"
#undef X
    STE_MSG_CODE_COUNT
};
enum ste_level { STE_LEVEL_OFF, STE_LEVEL_WARN, STE_LEVEL_REJECT };

const char *ste_type_name(enum ste_type type);             /* "NOE" */
const char *ste_function_name(enum ste_function function); /* "NEWM", "" for none */
const char *ste_msg_code_name(enum ste_msg_code code);     /* "DDAT" */
const char *ste_msg_code_text(enum ste_msg_code code);
enum ste_msg_code ste_msg_code_of(struct ste_bytes name); /* STE_C_NONE when unknown */
unsigned ste_type_queue(enum ste_type type);              /* index in ste_queue_types */
const char *ste_field_element(enum ste_field_id id);      /* "Price" for STE_F_PRICE_TYPE too */
const char *ste_field_attribute(enum ste_field_id id);    /* NULL: the element's own text */
enum ste_field_id ste_field_of(struct ste_bytes element); /* the element's own field, or NONE */
bool ste_type_carries(enum ste_type type, enum ste_field_id id); /* XUNK is warned when not */
/* The code a bad value of this field has: its condition's, else XFMT. */
enum ste_msg_code ste_field_code(enum ste_field_id id);

/* A value as sent, white space trimmed; len 0: absent. line and column (characters) of the start
 * tag, from 1, in the delivery's body. */
struct ste_field {
    struct ste_bytes value;
    uint32_t line, column;
};

/* One thing wrong, or worth a warning. Text and place live in the batch's arena or are literals. */
struct ste_finding {
    enum ste_msg_code code;
    enum ste_level level;
    struct ste_bytes element; /* "Price"; may be absent */
    struct ste_bytes place;   /* line:column, element name or byte offset */
    struct ste_bytes text;
};

/* Views point into the delivery's body, a record or the batch's arena. */
struct ste_message {
    enum ste_type type;
    enum ste_function function;
    struct ste_field fields[STE_FIELD_COUNT];
    uint32_t line, column;     /* of the TradeMessage start tag */
    struct ste_bytes original; /* the bytes as sent, first '<' to last '>' */
    /* What decoding found: repeated elements, elements with children (reject), unknown or not
     * carried ones (warn), and so on. */
    struct ste_finding *findings;
    size_t finding_count;
    /* EXC: refused before the line of MESSAGES section 6. code NONE: not refused. For a refused
     * message type is STE_TYPE_EXC and `original` is what is kept of it. */
    struct ste_finding exc;
    uint32_t index; /* in the delivery, from 0 */
};

static inline struct ste_bytes ste_value(const struct ste_message *message, enum ste_field_id id)
{
    return message->fields[id].value;
}
static inline bool ste_has(const struct ste_message *message, enum ste_field_id id)
{
    return message->fields[id].value.len > 0;
}

/* ---- shapes of values, pure (MESSAGES section 1 and 6) ---- */
/* 1 to 35 of A-Z a-z 0-9 / - ? : ( ) . , ' + and inner blanks */
bool ste_is_reference(struct ste_bytes text);
bool ste_is_bic(struct ste_bytes text);  /* shape only: 8 or 11 characters */
bool ste_is_isin(struct ste_bytes text); /* shape and check digit */
bool ste_is_rfc3339(struct ste_bytes text);
struct ste_bytes ste_bic8(struct ste_bytes bic); /* its first 8 characters */
/* A finding's place that is "line:column", both above 0. False, nothing written: another one. */
bool ste_place_parse(struct ste_bytes place, uint32_t *ret_line, uint32_t *ret_column);

#endif
