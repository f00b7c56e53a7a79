/* SPDX-License-Identifier: Apache-2.0
 * XML as the engine has it: read by lib/msg (expat, limits, places, findings), one message a
 * delivery. The writer is what a participant's side needs: elements by number, values escaped. */
#include "bench/codec.h"

#include <stdlib.h>

#include "msg/xml.h"
#include "msg/xml_escape.h"

struct xml_codec {
    struct ste_xml *xml;
    struct ste_arena *arena;
};

static void xml_close(void *context)
{
    struct xml_codec *codec = context;
    ste_xml_free(codec->xml);
    ste_arena_free(codec->arena);
    free(codec);
}

static void *xml_open(void)
{
    struct xml_codec *codec = calloc(1, sizeof *codec);
    if (!codec)
        return NULL;
    codec->xml = ste_xml_new();
    codec->arena = ste_arena_new(0);
    if (codec->xml && codec->arena)
        return codec;
    xml_close(codec);
    return NULL;
}

static void attribute(struct ste_buf *out, const char *name, struct ste_bytes value)
{
    ste_buf_append_cstr(out, " ");
    ste_buf_append_cstr(out, name);
    ste_buf_append_cstr(out, "=\"");
    ste_xml_escape(out, value);
    ste_buf_append_cstr(out, "\"");
}

/* The attributes of an element are the fields behind it that share its name. */
static void element(struct ste_buf *out, const struct ste_message *message, enum ste_field_id id)
{
    const char *name = ste_field_element(id);
    ste_buf_append_cstr(out, "  <");
    ste_buf_append_cstr(out, name);
    for (int next = (int)id + 1; next < STE_FIELD_COUNT; next++) {
        const char *attribute_name = ste_field_attribute((enum ste_field_id)next);
        if (!attribute_name)
            break;
        if (message->fields[next].value.len > 0)
            attribute(out, attribute_name, message->fields[next].value);
    }
    ste_buf_append_cstr(out, ">");
    ste_xml_escape(out, message->fields[id].value);
    ste_buf_append_cstr(out, "</");
    ste_buf_append_cstr(out, name);
    ste_buf_append_cstr(out, ">\n");
}

static bool xml_encode(void *context, const struct ste_message *message, struct ste_buf *out)
{
    (void)context;
    ste_buf_append_cstr(out, "<TradeMessage xmlns=\"" STE_XML_NAMESPACE "\"");
    attribute(out, "type", ste_bytes_of(ste_type_name(message->type)));
    if (message->function != STE_FUNCTION_NONE)
        attribute(out, "function", ste_bytes_of(ste_function_name(message->function)));
    ste_buf_append_cstr(out, ">\n");
    for (int id = STE_F_NONE + 1; id < STE_FIELD_COUNT; id++) {
        if (message->fields[id].value.len > 0 && !ste_field_attribute((enum ste_field_id)id))
            element(out, message, (enum ste_field_id)id);
    }
    ste_buf_append_cstr(out, "</TradeMessage>");
    return !out->failed;
}

static const struct ste_message *xml_decode(void *context, struct ste_bytes encoded)
{
    struct xml_codec *codec = context;
    struct ste_message *messages = NULL;
    size_t count = 0;
    ste_arena_reset(codec->arena);
    if (ste_xml_decode(codec->xml, encoded, codec->arena, &messages, &count, NULL) != STE_OK)
        return NULL;
    return count == 1 && messages->exc.code == STE_C_NONE ? messages : NULL;
}

const struct ste_codec ste_codec_xml = {
    .name = "xml expat",
    .native = true,
    .open = xml_open,
    .close = xml_close,
    .encode = xml_encode,
    .decode = xml_decode,
};
