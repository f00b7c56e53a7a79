/* SPDX-License-Identifier: Apache-2.0
 * JSON: one flat object, a member a field, all values texts as in the XML ("Quantity": "600",
 * "Quantity.unit": "UNIT"). Written by lib/json, read by cJSON behind lib/json's limits. */
#include "bench/codec.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json/json.h"

enum { KEY_BYTES = 48 };
struct json_codec {
    char keys[STE_FIELD_COUNT][KEY_BYTES];
    struct ste_json *root; /* what the last message's values point into */
    struct ste_message message;
};

static void json_close(void *context)
{
    struct json_codec *codec = context;
    ste_json_free(codec->root);
    free(codec);
}

static void *json_open(void)
{
    struct json_codec *codec = calloc(1, sizeof *codec);
    for (int id = STE_F_NONE + 1; codec && id < STE_FIELD_COUNT; id++) {
        const char *attribute = ste_field_attribute((enum ste_field_id)id);
        (void)snprintf(codec->keys[id], KEY_BYTES, "%s%s%s",
                       ste_field_element((enum ste_field_id)id), attribute ? "." : "",
                       attribute ? attribute : "");
    }
    return codec;
}

static bool json_encode(void *context, const struct ste_message *message, struct ste_buf *out)
{
    struct json_codec *codec = context;
    struct ste_json_writer writer;
    ste_json_begin(&writer, out);
    ste_json_put_object(&writer, NULL);
    ste_json_put_cstr(&writer, "type", ste_type_name(message->type));
    if (message->function != STE_FUNCTION_NONE)
        ste_json_put_cstr(&writer, "function", ste_function_name(message->function));
    for (int id = STE_F_NONE + 1; id < STE_FIELD_COUNT; id++) {
        if (message->fields[id].value.len > 0)
            ste_json_put_text(&writer, codec->keys[id], message->fields[id].value);
    }
    ste_json_put_end(&writer);
    return ste_json_complete(&writer);
}

/* Members mostly come in the order of the fields: the search goes on where the last one stood. */
static int field_of(const struct json_codec *codec, const char *key, int last)
{
    for (int i = 1; i < STE_FIELD_COUNT; i++) {
        int id = (last + i - 1) % (STE_FIELD_COUNT - 1) + 1;
        if (strcmp(codec->keys[id], key) == 0)
            return id;
    }
    return STE_F_NONE;
}

static const struct ste_message *json_decode(void *context, struct ste_bytes encoded)
{
    struct json_codec *codec = context;
    struct ste_message *message = &codec->message;
    ste_json_free(codec->root);
    codec->root = NULL;
    if (ste_json_parse(encoded, 0, &codec->root, NULL) != STE_OK)
        return NULL;
    *message = (struct ste_message){0};
    int last = STE_F_NONE;
    for (const struct ste_json *node = ste_json_first(codec->root); node;
         node = ste_json_next(node)) {
        const char *key = ste_json_key(node), *text = ste_json_text(node);
        if (!key || !text)
            return NULL;
        int id = field_of(codec, key, last);
        if (id != STE_F_NONE)
            message->fields[last = id].value = ste_bytes_of(text);
        else if (strcmp(key, "type") == 0)
            message->type = ste_codec_type_of(ste_bytes_of(text));
        else if (strcmp(key, "function") == 0)
            message->function = ste_codec_function_of(ste_bytes_of(text));
    }
    return message->type != STE_TYPE_NONE ? message : NULL;
}

const struct ste_codec ste_codec_json = {
    .name = "json",
    .open = json_open,
    .close = json_close,
    .encode = json_encode,
    .decode = json_decode,
};
