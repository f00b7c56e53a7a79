/* SPDX-License-Identifier: Apache-2.0
 * Reads replies and clearing messages back, by expat. Elements and attributes that are not known
 * here are passed over: a newer engine may say more. */
#include "msg/reply.h"

#include <expat.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

enum { READ_DEPTH_MAX = 16, READ_BODY_BYTES_MAX = 64 << 20 };

/* What an open element is. */
enum part { PART_SKIP, PART_BATCH, PART_REPLY, PART_REASON, PART_VALUE, PART_LEG, PART_LEAF };

struct read {
    XML_Parser parser;
    struct ste_arena *arena;
    struct ste_error *err;
    enum ste_code rc;
    enum part parts[READ_DEPTH_MAX];
    size_t depth;
    struct ste_reply *replies;
    size_t count;
    struct ste_buf text;    /* of the open reason, value or leaf */
    bool reason_text_taken; /* a reason's text ends where its values begin */
    struct ste_bytes *leaf; /* where the open leaf's text goes */
};

/* ---- which element goes where ---- */

struct leaf {
    const char *name, *attribute; /* attribute NULL: the element's text */
    size_t offset;
};
static const struct leaf reply_leaves[] = {
    {"To", NULL, offsetof(struct ste_reply, to)},
    {"TradeReference", NULL, offsetof(struct ste_reply, trade_reference)},
    {"TradeKey", NULL, offsetof(struct ste_reply, trade_key)},
    {"TradeDate", NULL, offsetof(struct ste_reply, trade_date)},
    {"SettlementDate", NULL, offsetof(struct ste_reply, settlement_date)},
    {"Direction", NULL, offsetof(struct ste_reply, direction)},
    {"Payment", NULL, offsetof(struct ste_reply, payment)},
    {"Instrument", NULL, offsetof(struct ste_reply, instrument)},
    {"Quantity", NULL, offsetof(struct ste_reply, quantity)},
    {"Quantity", "unit", offsetof(struct ste_reply, quantity_unit)},
    {"Price", NULL, offsetof(struct ste_reply, price)},
    {"Price", "type", offsetof(struct ste_reply, price_type)},
    {"Price", "currency", offsetof(struct ste_reply, price_currency)},
    {"Broker", NULL, offsetof(struct ste_reply, broker)},
    {"Manager", NULL, offsetof(struct ste_reply, manager)},
    {"PlaceOfSettlement", NULL, offsetof(struct ste_reply, place_of_settlement)},
    {NULL, NULL, 0},
};
static const struct leaf leg_leaves[] = {
    {"Quantity", NULL, offsetof(struct ste_reply_leg, quantity)},
    {"Quantity", "unit", offsetof(struct ste_reply_leg, quantity_unit)},
    {"SettlementAmount", NULL, offsetof(struct ste_reply_leg, settlement_amount)},
    {"SettlementAmount", "currency", offsetof(struct ste_reply_leg, currency)},
    {"Commission", NULL, offsetof(struct ste_reply_leg, commission)},
    {"Commission", "currency", offsetof(struct ste_reply_leg, commission_currency)},
    {"AccruedInterest", NULL, offsetof(struct ste_reply_leg, accrued_interest)},
    {"AccruedInterest", "currency", offsetof(struct ste_reply_leg, accrued_currency)},
    {"DeliveringAgent", NULL, offsetof(struct ste_reply_leg, delivering_agent)},
    {"ReceivingAgent", NULL, offsetof(struct ste_reply_leg, receiving_agent)},
    {"PlaceOfSettlement", NULL, offsetof(struct ste_reply_leg, place_of_settlement)},
    {NULL, NULL, 0},
};

/* ---- failing ---- */

static void fail(struct read *read, enum ste_code code, const char *text)
{
    if (read->rc != STE_OK)
        return;
    char place[64];
    snprintf(place, sizeof(place), "%lu:%lu", XML_GetCurrentLineNumber(read->parser),
             XML_GetCurrentColumnNumber(read->parser) + 1);
    read->rc = ste_error_at(read->err, code, place, "reply could not be read: %s", text);
    XML_StopParser(read->parser, XML_FALSE);
}

static struct ste_bytes keep(struct read *read, struct ste_bytes bytes)
{
    struct ste_bytes kept = ste_arena_dup(read->arena, bytes);
    if (!kept.at)
        fail(read, STE_E_NOMEM, "out of memory");
    return kept;
}

/* Room for one item more. Capacities are powers of two, so that none need be kept. NULL: failed. */
static void *grown(struct read *read, void *items, size_t item_bytes, size_t count)
{
    if (count & (count - 1))
        return items;
    void *more = ste_arena_alloc_array(read->arena, item_bytes, count ? count * 2 : 1);
    if (!more)
        fail(read, STE_E_NOMEM, "out of memory");
    else if (count)
        memcpy(more, items, item_bytes * count);
    return more;
}

/* ---- attributes ---- */

static const char *attribute_of(const char **attributes, const char *name)
{
    for (; attributes[0]; attributes += 2) {
        if (strcmp(attributes[0], name) == 0)
            return attributes[1];
    }
    return NULL;
}

static struct ste_bytes text_attribute(struct read *read, const char **attributes, const char *name)
{
    const char *value = attribute_of(attributes, name);
    return value ? keep(read, ste_bytes_of(value)) : (struct ste_bytes){NULL, 0};
}

/* 0 when absent. */
static uint64_t number_attribute(struct read *read, const char **attributes, const char *name,
                                 uint64_t limit)
{
    const char *value = attribute_of(attributes, name);
    uint64_t number = 0;
    if (!value)
        return 0;
    if (!ste_bytes_u64(ste_bytes_of(value), &number) || number > limit)
        fail(read, STE_E_PARSE, "attribute is no number, or too large");
    return number;
}

static enum ste_msg_code code_attribute(struct read *read, const char **attributes)
{
    const char *value = attribute_of(attributes, "code");
    enum ste_msg_code code = value ? ste_msg_code_of(ste_bytes_of(value)) : STE_C_NONE;
    if (value && code == STE_C_NONE)
        fail(read, STE_E_PARSE, "code is unknown");
    return code;
}

static enum ste_reply_kind kind_attribute(struct read *read, const char **attributes)
{
    const char *value = attribute_of(attributes, "kind");
    for (int kind = 0; value && kind < STE_REPLY_KIND_COUNT; kind++) {
        if (kind != STE_REPLY_CLS &&
            strcmp(value, ste_reply_kind_name((enum ste_reply_kind)kind)) == 0)
            return (enum ste_reply_kind)kind;
    }
    fail(read, STE_E_PARSE, "kind is missing or unknown");
    return STE_REPLY_ACK;
}

/* ---- opening ---- */

static struct ste_reply *reply_in(struct read *read)
{
    return &read->replies[read->count - 1];
}

static bool add_reply(struct read *read)
{
    void *replies = grown(read, read->replies, sizeof(*read->replies), read->count);
    if (!replies)
        return false;
    read->replies = replies;
    read->count++;
    *reply_in(read) = (struct ste_reply){0};
    return true;
}

static enum part open_reply(struct read *read, const char **attributes)
{
    if (!add_reply(read))
        return PART_SKIP;
    struct ste_reply *reply = reply_in(read);
    reply->kind = kind_attribute(read, attributes);
    reply->stage = text_attribute(read, attributes, "stage");
    reply->account = text_attribute(read, attributes, "account");
    reply->code = code_attribute(read, attributes);
    reply->delivery = text_attribute(read, attributes, "delivery");
    reply->has_index = attribute_of(attributes, "index") != NULL;
    reply->index = (uint32_t)number_attribute(read, attributes, "index", UINT32_MAX);
    reply->then = text_attribute(read, attributes, "then");
    reply->version = (unsigned)number_attribute(read, attributes, "version", UINT32_MAX);
    reply->trade_version = number_attribute(read, attributes, "tradeVersion", UINT64_MAX);
    return PART_REPLY;
}

static enum part open_clearing(struct read *read, const char **attributes)
{
    if (!add_reply(read))
        return PART_SKIP;
    struct ste_reply *reply = reply_in(read);
    reply->kind = STE_REPLY_CLS;
    reply->action = text_attribute(read, attributes, "action");
    reply->version = (unsigned)number_attribute(read, attributes, "version", UINT32_MAX);
    return PART_REPLY;
}

static enum part open_root(struct read *read, const char *name, const char **attributes)
{
    bool is_root = read->depth == 0;
    if (strcmp(name, "TradeReply") == 0)
        return open_reply(read, attributes);
    if (strcmp(name, "ClearingSettlement") == 0)
        return open_clearing(read, attributes);
    if (is_root && strcmp(name, "TradeReplies") == 0)
        return PART_BATCH;
    if (is_root)
        fail(read, STE_E_PARSE, "root is no reply");
    return PART_SKIP;
}

static enum part open_leaf(struct read *read, const struct leaf *leaves, void *base,
                           const char *name, const char **attributes)
{
    enum part part = PART_SKIP;
    for (; leaves->name; leaves++) {
        if (strcmp(leaves->name, name) != 0)
            continue;
        struct ste_bytes *to = (struct ste_bytes *)((char *)base + leaves->offset);
        if (!leaves->attribute) {
            read->leaf = to;
            part = PART_LEAF;
        } else if (attribute_of(attributes, leaves->attribute)) {
            *to = text_attribute(read, attributes, leaves->attribute);
        }
    }
    return part;
}

static enum part open_reference(struct read *read, struct ste_bytes **references, size_t *count)
{
    void *more = grown(read, *references, sizeof(**references), *count);
    if (!more)
        return PART_SKIP;
    *references = more;
    read->leaf = &(*references)[(*count)++];
    *read->leaf = (struct ste_bytes){NULL, 0};
    return PART_LEAF;
}

static enum part open_reason(struct read *read, const char **attributes)
{
    struct ste_reply *reply = reply_in(read);
    void *more = grown(read, reply->reasons, sizeof(*reply->reasons), reply->reason_count);
    if (!more)
        return PART_SKIP;
    reply->reasons = more;
    struct ste_reply_reason *reason = &reply->reasons[reply->reason_count++];
    *reason = (struct ste_reply_reason){
        .code = code_attribute(read, attributes),
        .element = text_attribute(read, attributes, "element"),
        .account = text_attribute(read, attributes, "account"),
        .level = text_attribute(read, attributes, "level"),
        .place = text_attribute(read, attributes, "place"),
    };
    read->reason_text_taken = false;
    return PART_REASON;
}

static enum part open_leg(struct read *read, const char **attributes)
{
    struct ste_reply *reply = reply_in(read);
    void *more = grown(read, reply->legs, sizeof(*reply->legs), reply->leg_count);
    if (!more)
        return PART_SKIP;
    reply->legs = more;
    reply->legs[reply->leg_count++] =
        (struct ste_reply_leg){.account = text_attribute(read, attributes, "account")};
    return PART_LEG;
}

static enum part open_in_reply(struct read *read, const char *name, const char **attributes)
{
    struct ste_reply *reply = reply_in(read);
    if (strcmp(name, "Reference") == 0)
        return open_reference(read, &reply->references, &reply->reference_count);
    if (strcmp(name, "Reason") == 0)
        return open_reason(read, attributes);
    if (strcmp(name, "Leg") == 0)
        return open_leg(read, attributes);
    return open_leaf(read, reply_leaves, reply, name, attributes);
}

static struct ste_reply_reason *reason_in(struct read *read)
{
    return &reply_in(read)->reasons[reply_in(read)->reason_count - 1];
}

static void take_reason_text(struct read *read)
{
    if (read->reason_text_taken)
        return;
    reason_in(read)->text = keep(read, ste_bytes_trim(ste_buf_bytes(&read->text)));
    read->reason_text_taken = true;
}

static enum part open_in_reason(struct read *read, const char *name, const char **attributes)
{
    take_reason_text(read);
    struct ste_reply_reason *reason = reason_in(read);
    if (strcmp(name, "Value") != 0)
        return PART_SKIP;
    void *more = grown(read, reason->values, sizeof(*reason->values), reason->value_count);
    if (!more)
        return PART_SKIP;
    reason->values = more;
    reason->values[reason->value_count++] = (struct ste_reply_value){
        .sender = text_attribute(read, attributes, "sender"),
        .reference = text_attribute(read, attributes, "reference"),
    };
    return PART_VALUE;
}

static enum part open_in_leg(struct read *read, const char *name, const char **attributes)
{
    struct ste_reply_leg *leg = &reply_in(read)->legs[reply_in(read)->leg_count - 1];
    if (strcmp(name, "Reference") == 0)
        return open_reference(read, &leg->references, &leg->reference_count);
    return open_leaf(read, leg_leaves, leg, name, attributes);
}

/* ---- what expat calls ---- */

static void on_start(void *user, const char *name, const char **attributes)
{
    static const char prefix[] = STE_XML_NAMESPACE "\n";
    struct read *read = user;
    enum part part = PART_SKIP;
    if (read->rc != STE_OK)
        return;
    if (read->depth == READ_DEPTH_MAX) {
        fail(read, STE_E_LIMIT, "elements are nested too deep");
        return;
    }
    if (strncmp(name, prefix, sizeof(prefix) - 1) == 0)
        name += sizeof(prefix) - 1;
    enum part outer = read->depth ? read->parts[read->depth - 1] : PART_BATCH;
    if (outer == PART_BATCH)
        part = open_root(read, name, attributes);
    else if (outer == PART_REPLY)
        part = open_in_reply(read, name, attributes);
    else if (outer == PART_REASON)
        part = open_in_reason(read, name, attributes);
    else if (outer == PART_LEG)
        part = open_in_leg(read, name, attributes);
    if (part != PART_SKIP)
        ste_buf_clear(&read->text);
    read->parts[read->depth++] = part;
}

static void on_end(void *user, const char *name)
{
    (void)name;
    struct read *read = user;
    if (read->rc != STE_OK)
        return;
    enum part part = read->parts[--read->depth];
    struct ste_bytes text = ste_bytes_trim(ste_buf_bytes(&read->text));
    if (read->text.failed)
        fail(read, STE_E_NOMEM, "out of memory");
    else if (part == PART_LEAF)
        *read->leaf = keep(read, text);
    else if (part == PART_VALUE)
        reason_in(read)->values[reason_in(read)->value_count - 1].value = keep(read, text);
    else if (part == PART_REASON)
        take_reason_text(read);
}

static void on_text(void *user, const char *text, int len)
{
    struct read *read = user;
    if (read->rc != STE_OK || read->depth == 0)
        return;
    enum part part = read->parts[read->depth - 1];
    bool in_reason = part == PART_REASON && !read->reason_text_taken;
    if (in_reason || part == PART_VALUE || part == PART_LEAF)
        ste_buf_append(&read->text, text, (size_t)len);
}

static void on_doctype(void *user, const char *name, const char *system_id, const char *public_id,
                       int has_internal_subset)
{
    (void)name;
    (void)system_id;
    (void)public_id;
    (void)has_internal_subset;
    fail(user, STE_E_PARSE, "document type declaration");
}

enum ste_code ste_replies_read(struct ste_bytes body, struct ste_arena *arena,
                               struct ste_reply **ret, size_t *ret_count, struct ste_error *err)
{
    struct read read = {.arena = arena, .err = err};
    if (body.len > READ_BODY_BYTES_MAX)
        return ste_error_set(err, STE_E_LIMIT, "reply of %zu bytes is larger than %d", body.len,
                             READ_BODY_BYTES_MAX);
    read.parser = XML_ParserCreateNS("UTF-8", '\n');
    if (!read.parser)
        return ste_error_set(err, STE_E_NOMEM, "no memory for a parser");
    XML_SetUserData(read.parser, &read);
    XML_SetElementHandler(read.parser, on_start, on_end);
    XML_SetCharacterDataHandler(read.parser, on_text);
    XML_SetStartDoctypeDeclHandler(read.parser, on_doctype);
    if (XML_Parse(read.parser, body.len ? body.at : "", (int)body.len, 1) != XML_STATUS_OK)
        fail(&read, STE_E_PARSE, XML_ErrorString(XML_GetErrorCode(read.parser)));
    if (read.rc == STE_OK) {
        *ret = read.replies;
        *ret_count = read.count;
    }
    XML_ParserFree(read.parser);
    ste_buf_deinit(&read.text);
    return read.rc;
}
