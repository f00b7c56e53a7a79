/* SPDX-License-Identifier: Apache-2.0
 * From template and changes to the text of a message. */
#include "harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ELEMENT_BYTES_MAX = 80, ELEMENTS_MAX = 96, REPEAT_MAX = 8 << 20 };

void ste_case_layer(struct ste_case_layers *layers, const struct ste_yaml *map)
{
    if (map && map->kind == STE_NODE_MAP && layers->count < STE_CASE_LAYERS_MAX)
        layers->maps[layers->count++] = map;
}

static const char *look_up(const struct ste_case_layers *layers, const char *key)
{
    for (size_t i = layers->count; i > 0; i--) {
        const char *value = ste_yaml_scalar(layers->maps[i - 1], key);
        if (value)
            return value;
    }
    return "";
}

static void put_escaped(struct ste_buf *out, const char *text, size_t len)
{
    for (size_t i = 0; i < len; i++)
        switch (text[i]) {
        case '&':
            ste_buf_append_cstr(out, "&amp;");
            break;
        case '<':
            ste_buf_append_cstr(out, "&lt;");
            break;
        case '"':
            ste_buf_append_cstr(out, "&quot;");
            break;
        default:
            ste_buf_append(out, &text[i], 1);
        }
}

/* "$[3*ab]" gives ababab: appends it and returns what follows; NULL: it is no such thing. */
static const char *put_repeated(struct ste_buf *out, const char *at)
{
    char *star = NULL;
    unsigned long count = strncmp(at, "$[", 2) == 0 ? strtoul(at + 2, &star, 10) : 0;
    const char *end = count && *star == '*' ? strchr(star, ']') : NULL;
    if (!end || count > REPEAT_MAX)
        return NULL;
    while (count--)
        ste_buf_append(out, star + 1, (size_t)(end - star - 1));
    return end + 1;
}

/* $T, $N, $Broker and $Manager put in. */
static void put_value(struct ste_buf *out, const struct ste_case_layers *layers, const char *value)
{
    for (const char *at = value; *at;) {
        const char *name = NULL, *text = NULL, *next = put_repeated(out, at);
        if (next) {
            at = next;
            continue;
        }
        if (strncmp(at, "$T", 2) == 0) {
            name = "$T";
            text = layers->trade_reference;
        } else if (strncmp(at, "$N", 2) == 0) {
            name = "$N";
            text = layers->number;
        } else if (strncmp(at, "$Broker", 7) == 0) {
            name = "$Broker";
            text = look_up(layers, "Broker");
        } else if (strncmp(at, "$Manager", 8) == 0) {
            name = "$Manager";
            text = look_up(layers, "Manager");
        }
        put_escaped(out, text ? text : at, text ? strlen(text) : 1);
        at += name ? strlen(name) : 1;
    }
}

static void put_attribute(struct ste_buf *out, const struct ste_case_layers *layers,
                          const char *element, const char *attribute)
{
    char key[ELEMENT_BYTES_MAX];
    snprintf(key, sizeof(key), "%s@%s", element, attribute);
    const char *value = look_up(layers, key);
    if (!*value)
        return;
    ste_buf_printf(out, " %s=\"", attribute);
    put_value(out, layers, value);
    ste_buf_append_cstr(out, "\"");
}

static void put_element(struct ste_buf *out, const struct ste_case_layers *layers,
                        const char *element)
{
    const char *value = look_up(layers, element);
    if (!*value)
        return;
    ste_buf_printf(out, "  <%s", element);
    put_attribute(out, layers, element, "unit");
    put_attribute(out, layers, element, "type");
    put_attribute(out, layers, element, "currency");
    ste_buf_append_cstr(out, ">");
    put_value(out, layers, value);
    ste_buf_printf(out, "</%s>\n", element);
}

static bool is_element(const char *key)
{
    return !strchr(key, '@') && strcmp(key, "type") != 0 && strcmp(key, "function") != 0;
}

/* Elements that are none of ours come last, as they stand. */
static void put_unknown(struct ste_buf *out, const struct ste_case_layers *layers)
{
    const char *done[ELEMENTS_MAX];
    size_t done_count = 0;
    for (size_t i = 0; i < layers->count; i++)
        for (const struct ste_yaml *node = layers->maps[i]->child; node; node = node->next) {
            bool known = ste_field_of(ste_bytes_of(node->key)) != STE_F_NONE;
            for (size_t j = 0; j < done_count; j++)
                known = known || strcmp(done[j], node->key) == 0;
            if (known || !is_element(node->key) || done_count == ELEMENTS_MAX)
                continue;
            done[done_count++] = node->key;
            put_element(out, layers, node->key);
        }
}

/* The first `find` after `from` becomes `put`. */
static bool edit_one(struct ste_buf *out, size_t from, const struct ste_case_layers *layers,
                     const struct ste_yaml *edit)
{
    struct ste_buf find = {0}, rest = {0};
    const char *find_text = ste_yaml_scalar(edit, "find"), *put_text = ste_yaml_scalar(edit, "put");
    bool found = false;
    if (find_text && put_text) {
        ste_case_render_body(&find, find_text, layers->trade_reference);
        char *at = memmem(out->at + from, out->len - from, find.at, find.len);
        if (at) {
            size_t before = (size_t)(at - out->at);
            ste_buf_append(&rest, at + find.len, out->len - before - find.len);
            out->len = before;
            ste_case_render_body(out, put_text, layers->trade_reference);
            ste_buf_append_bytes(out, ste_buf_bytes(&rest));
            found = true;
        }
    }
    ste_buf_deinit(&find);
    ste_buf_deinit(&rest);
    return found;
}

bool ste_case_render(struct ste_buf *out, const struct ste_case_layers *layers,
                     const struct ste_yaml *edit, bool with_namespace)
{
    size_t from = out->len;
    const char *type = look_up(layers, "type"), *function = look_up(layers, "function");
    ste_buf_append_cstr(out, "<TradeMessage");
    if (with_namespace)
        ste_buf_append_cstr(out, " xmlns=\"urn:ste:trade:1\"");
    ste_buf_printf(out, " type=\"%s\"", type);
    if (strcmp(function, "none") != 0)
        ste_buf_printf(out, " function=\"%s\"", *function ? function : "NEWM");
    ste_buf_append_cstr(out, ">\n");
    for (int id = STE_F_NONE + 1; id < STE_FIELD_COUNT; id++)
        if (!ste_field_attribute((enum ste_field_id)id))
            put_element(out, layers, ste_field_element((enum ste_field_id)id));
    put_unknown(out, layers);
    ste_buf_append_cstr(out, "</TradeMessage>");
    bool done = !out->failed;
    for (const struct ste_yaml *one = edit ? edit->child : NULL; one && done; one = one->next)
        done = edit_one(out, from, layers, one);
    return done;
}

void ste_case_render_body(struct ste_buf *out, const char *text, const char *trade_reference)
{
    for (const char *at = text; *at;) {
        const char *next = put_repeated(out, at);
        if (next) {
            at = next;
        } else if (strncmp(at, "$T", 2) == 0) {
            ste_buf_append_cstr(out, trade_reference);
            at += 2;
        } else {
            ste_buf_append(out, at++, 1);
        }
    }
}
