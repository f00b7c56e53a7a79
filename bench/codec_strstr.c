/* SPDX-License-Identifier: Apache-2.0
 * XML as the engine of 2002 had it: every field by strstr from the start of the message, first its
 * start tag, then its end tag. Nothing is validated, no entity decoded, no name space known; what
 * is not well-formed passes, and text that looks like a tag is taken for one. A reader of a type
 * looks only for the elements that the type carries, as a component of its own would. */
#include "bench/codec.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TAG_BYTES = 48, ATTRIBUTES_MAX = 2 };
struct attribute {
    enum ste_field_id id;
    char before[TAG_BYTES]; /* ` unit="` */
    size_t before_len;
};
struct element {
    enum ste_field_id id;
    char start[TAG_BYTES]; /* "<Price" where it may have attributes, else "<Broker>" */
    char end[TAG_BYTES];   /* "</Price>" */
    size_t start_len;
    struct attribute attributes[ATTRIBUTES_MAX];
    size_t attribute_count;
};
struct strstr_codec {
    struct element elements[STE_FIELD_COUNT];
    size_t element_count;
    bool carried[STE_TYPE_COUNT][STE_FIELD_COUNT]; /* by type and place in `elements` */
    struct ste_message message;
};

static void strstr_close(void *context)
{
    free(context);
}

static void add_attribute(struct element *element, enum ste_field_id id)
{
    struct attribute *attribute = &element->attributes[element->attribute_count++];
    attribute->id = id;
    attribute->before_len = (size_t)snprintf(attribute->before, sizeof attribute->before, " %s=\"",
                                             ste_field_attribute(id));
}

static void *strstr_open(void)
{
    struct strstr_codec *codec = calloc(1, sizeof *codec);
    struct element *element = NULL;
    for (int id = STE_F_NONE + 1; codec && id < STE_FIELD_COUNT; id++) {
        if (ste_field_attribute((enum ste_field_id)id)) {
            add_attribute(element, (enum ste_field_id)id);
            continue;
        }
        element = &codec->elements[codec->element_count++];
        element->id = (enum ste_field_id)id;
    }
    for (size_t i = 0; codec && i < codec->element_count; i++) {
        element = &codec->elements[i];
        const char *name = ste_field_element(element->id);
        element->start_len = (size_t)snprintf(element->start, sizeof element->start, "<%s%s", name,
                                              element->attribute_count > 0 ? "" : ">");
        (void)snprintf(element->end, sizeof element->end, "</%s>", name);
        for (int type = 0; type < STE_TYPE_COUNT; type++)
            codec->carried[type][i] = ste_type_carries((enum ste_type)type, element->id);
    }
    return codec;
}

/* ---- writing: text beside text ---- */

static void write_element(struct ste_buf *out, const struct ste_message *message,
                          const struct element *element)
{
    ste_buf_append_cstr(out, "  ");
    ste_buf_append(out, element->start, element->start_len);
    for (size_t i = 0; i < element->attribute_count; i++) {
        struct ste_bytes value = ste_value(message, element->attributes[i].id);
        if (value.len == 0)
            continue;
        ste_buf_append(out, element->attributes[i].before, element->attributes[i].before_len);
        ste_buf_append_bytes(out, value);
        ste_buf_append_cstr(out, "\"");
    }
    if (element->attribute_count > 0)
        ste_buf_append_cstr(out, ">");
    ste_buf_append_bytes(out, ste_value(message, element->id));
    ste_buf_append_cstr(out, element->end);
    ste_buf_append_cstr(out, "\n");
}

static bool strstr_encode(void *context, const struct ste_message *message, struct ste_buf *out)
{
    const struct strstr_codec *codec = context;
    ste_buf_append_cstr(out, "<TradeMessage xmlns=\"" STE_XML_NAMESPACE "\" type=\"");
    ste_buf_append_cstr(out, ste_type_name(message->type));
    ste_buf_append_cstr(out, "\" function=\"");
    ste_buf_append_cstr(out, ste_function_name(message->function));
    ste_buf_append_cstr(out, "\">\n");
    for (size_t i = 0; i < codec->element_count; i++) {
        if (ste_has(message, codec->elements[i].id))
            write_element(out, message, &codec->elements[i]);
    }
    ste_buf_append_cstr(out, "</TradeMessage>");
    return !out->failed;
}

/* ---- reading ---- */

static void read_attributes(struct ste_message *message, const struct element *element,
                            const char *tag, const char *tag_end)
{
    for (size_t i = 0; i < element->attribute_count; i++) {
        const char *at = strstr(tag, element->attributes[i].before);
        if (!at || at > tag_end)
            continue;
        at += element->attributes[i].before_len;
        const char *end = strchr(at, '"');
        if (end && end < tag_end)
            message->fields[element->attributes[i].id].value =
                (struct ste_bytes){at, (size_t)(end - at)};
    }
}

static void read_element(struct ste_message *message, const struct element *element,
                         const char *text)
{
    const char *at = strstr(text, element->start);
    if (!at)
        return;
    const char *value = at + element->start_len;
    if (element->attribute_count > 0) {
        const char *tag_end = strchr(value, '>');
        if (!tag_end)
            return;
        read_attributes(message, element, value, tag_end);
        value = tag_end + 1;
    }
    const char *end = strstr(value, element->end);
    if (end)
        message->fields[element->id].value =
            ste_bytes_trim((struct ste_bytes){value, (size_t)(end - value)});
}

/* The first ` name="…"` of the text is the root's. */
static struct ste_bytes root_attribute(const char *text, const char *before, size_t before_len)
{
    const char *at = strstr(text, before);
    const char *end = at ? strchr(at + before_len, '"') : NULL;
    return end ? (struct ste_bytes){at + before_len, (size_t)(end - at) - before_len}
               : (struct ste_bytes){NULL, 0};
}

static const struct ste_message *strstr_decode(void *context, struct ste_bytes encoded)
{
    static const char type[] = " type=\"", function[] = " function=\"";
    struct strstr_codec *codec = context;
    struct ste_message *message = &codec->message;
    *message = (struct ste_message){0};
    message->type = ste_codec_type_of(root_attribute(encoded.at, type, sizeof type - 1));
    message->function =
        ste_codec_function_of(root_attribute(encoded.at, function, sizeof function - 1));
    if (message->type == STE_TYPE_NONE)
        return NULL;
    for (size_t i = 0; i < codec->element_count; i++) {
        if (codec->carried[message->type][i])
            read_element(message, &codec->elements[i], encoded.at);
    }
    return message;
}

const struct ste_codec ste_codec_strstr = {
    .name = "xml strstr",
    .native = true,
    .open = strstr_open,
    .close = strstr_close,
    .encode = strstr_encode,
    .decode = strstr_decode,
};
