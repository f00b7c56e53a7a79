/* SPDX-License-Identifier: Apache-2.0
 * Replies and the clearing message as XML (MESSAGES section 9). One reply has one text: attributes
 * and elements stand in a fixed order, absent ones are left out. */
#include "msg/reply.h"
#include "msg/xml_escape.h"

#include <stdio.h>

#define NAMESPACE_ATTRIBUTE " xmlns=\"" STE_XML_NAMESPACE "\""

static const char *const kind_names[STE_REPLY_KIND_COUNT] = {
#define X(name, text) [STE_REPLY_##name] = #name,
#include "msg/replies.def"
#undef X
};

const char *ste_reply_kind_name(enum ste_reply_kind kind)
{
    return (unsigned)kind < STE_REPLY_KIND_COUNT ? kind_names[kind] : "";
}

static void put(struct ste_buf *buf, const char *text)
{
    ste_buf_append_cstr(buf, text);
}

static void put_attribute(struct ste_buf *buf, const char *name, struct ste_bytes value)
{
    if (value.len == 0)
        return;
    put(buf, " ");
    put(buf, name);
    put(buf, "=\"");
    ste_xml_escape(buf, value);
    put(buf, "\"");
}

static void put_number_attribute(struct ste_buf *buf, const char *name, uint64_t value)
{
    char text[24];
    int len = snprintf(text, sizeof(text), "%llu", (unsigned long long)value);
    put_attribute(buf, name, (struct ste_bytes){text, (size_t)len});
}

static void put_code_attribute(struct ste_buf *buf, enum ste_msg_code code)
{
    put_attribute(buf, "code", ste_bytes_of(ste_msg_code_name(code)));
}

static void put_end(struct ste_buf *buf, const char *name)
{
    put(buf, "</");
    put(buf, name);
    put(buf, ">");
}

/* <Name a="…" b="…">value</Name>; nothing when there is no value. */
static void put_element2(struct ste_buf *buf, const char *name, struct ste_bytes value,
                         const char *first_name, struct ste_bytes first, const char *second_name,
                         struct ste_bytes second)
{
    if (value.len == 0)
        return;
    put(buf, "<");
    put(buf, name);
    put_attribute(buf, first_name, first);
    put_attribute(buf, second_name, second);
    put(buf, ">");
    ste_xml_escape(buf, value);
    put_end(buf, name);
}

static void put_element1(struct ste_buf *buf, const char *name, struct ste_bytes value,
                         const char *attribute, struct ste_bytes attribute_value)
{
    put_element2(buf, name, value, attribute, attribute_value, "", (struct ste_bytes){NULL, 0});
}

static void put_element(struct ste_buf *buf, const char *name, struct ste_bytes value)
{
    put_element1(buf, name, value, "", (struct ste_bytes){NULL, 0});
}

static void put_references(struct ste_buf *buf, const struct ste_bytes *references, size_t count)
{
    for (size_t i = 0; i < count; i++)
        put_element(buf, "Reference", references[i]);
}

static void put_reason(struct ste_buf *buf, const struct ste_reply_reason *reason)
{
    put(buf, "<Reason");
    put_code_attribute(buf, reason->code);
    put_attribute(buf, "element", reason->element);
    put_attribute(buf, "account", reason->account);
    put_attribute(buf, "level", reason->level);
    put_attribute(buf, "place", reason->place);
    put(buf, ">");
    ste_xml_escape(buf, reason->text);
    for (size_t i = 0; i < reason->value_count; i++) {
        const struct ste_reply_value *value = &reason->values[i];
        put(buf, "<Value");
        put_attribute(buf, "sender", value->sender);
        put_attribute(buf, "reference", value->reference);
        put(buf, ">");
        ste_xml_escape(buf, value->value);
        put_end(buf, "Value");
    }
    put_end(buf, "Reason");
}

static void put_leg(struct ste_buf *buf, const struct ste_reply_leg *leg)
{
    put(buf, "<Leg");
    put_attribute(buf, "account", leg->account);
    put(buf, ">");
    put_element1(buf, "Quantity", leg->quantity, "unit", leg->quantity_unit);
    put_element1(buf, "SettlementAmount", leg->settlement_amount, "currency", leg->currency);
    put_element1(buf, "Commission", leg->commission, "currency", leg->commission_currency);
    put_element1(buf, "AccruedInterest", leg->accrued_interest, "currency", leg->accrued_currency);
    put_element(buf, "DeliveringAgent", leg->delivering_agent);
    put_element(buf, "ReceivingAgent", leg->receiving_agent);
    put_element(buf, "PlaceOfSettlement", leg->place_of_settlement);
    put_references(buf, leg->references, leg->reference_count);
    put_end(buf, "Leg");
}

/* What MAC and CLS say was agreed, after the trade's key and reference. */
static void put_agreed(struct ste_buf *buf, const struct ste_reply *reply)
{
    put_element(buf, "TradeDate", reply->trade_date);
    put_element(buf, "SettlementDate", reply->settlement_date);
    put_element(buf, "Direction", reply->direction);
    put_element(buf, "Payment", reply->payment);
    put_element(buf, "Instrument", reply->instrument);
    put_element1(buf, "Quantity", reply->quantity, "unit", reply->quantity_unit);
    put_element2(buf, "Price", reply->price, "type", reply->price_type, "currency",
                 reply->price_currency);
    put_element(buf, "Broker", reply->broker);
    put_element(buf, "Manager", reply->manager);
    put_element(buf, "PlaceOfSettlement", reply->place_of_settlement);
    for (size_t i = 0; i < reply->leg_count; i++)
        put_leg(buf, &reply->legs[i]);
}

/* The same bytes for the clearing queue and for every sender's copy: no receiver, and nothing that
 * depends on the order of arrival. */
static void put_clearing(struct ste_buf *buf, const struct ste_reply *reply, bool with_namespace)
{
    put(buf, "<ClearingSettlement");
    if (with_namespace)
        put(buf, NAMESPACE_ATTRIBUTE);
    put_attribute(buf, "action", reply->action);
    put_number_attribute(buf, "version", reply->version);
    put(buf, ">");
    put_element(buf, "TradeKey", reply->trade_key);
    put_element(buf, "TradeReference", reply->trade_reference);
    put_agreed(buf, reply);
    put_references(buf, reply->references, reply->reference_count);
    put_end(buf, "ClearingSettlement");
}

static void put_reply(struct ste_buf *buf, const struct ste_reply *reply, bool with_namespace)
{
    put(buf, "<TradeReply");
    if (with_namespace)
        put(buf, NAMESPACE_ATTRIBUTE);
    put_attribute(buf, "kind", ste_bytes_of(ste_reply_kind_name(reply->kind)));
    put_attribute(buf, "stage", reply->stage);
    put_attribute(buf, "account", reply->account);
    put_code_attribute(buf, reply->code);
    put_attribute(buf, "delivery", reply->delivery);
    if (reply->has_index)
        put_number_attribute(buf, "index", reply->index);
    put_attribute(buf, "then", reply->then);
    if (reply->version)
        put_number_attribute(buf, "version", reply->version);
    if (reply->trade_version)
        put_number_attribute(buf, "tradeVersion", reply->trade_version);
    put(buf, ">");
    put_element(buf, "To", reply->to);
    put_element(buf, "TradeReference", reply->trade_reference);
    put_element(buf, "TradeKey", reply->trade_key);
    put_references(buf, reply->references, reply->reference_count);
    for (size_t i = 0; i < reply->reason_count; i++)
        put_reason(buf, &reply->reasons[i]);
    put_agreed(buf, reply);
    put_end(buf, "TradeReply");
}

bool ste_reply_write(struct ste_buf *buf, const struct ste_reply *reply, bool with_namespace)
{
    if (reply->kind == STE_REPLY_CLS)
        put_clearing(buf, reply, with_namespace);
    else
        put_reply(buf, reply, with_namespace);
    return !buf->failed;
}

bool ste_replies_open(struct ste_buf *buf)
{
    put(buf, "<TradeReplies" NAMESPACE_ATTRIBUTE ">");
    return !buf->failed;
}

bool ste_replies_close(struct ste_buf *buf)
{
    put_end(buf, "TradeReplies");
    return !buf->failed;
}
