/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"
#include "json/json.h"

void ste_json_begin(struct ste_json_writer *writer, struct ste_buf *out)
{
    *writer = (struct ste_json_writer){.out = out};
}

bool ste_json_complete(const struct ste_json_writer *writer)
{
    return writer->depth == 0 && writer->comma && !writer->out->failed;
}

/* The two-character escape of a byte, or 0. */
static char short_escape(char c)
{
    switch (c) {
    case '"':
    case '\\':
        return c;
    case '\n':
        return 'n';
    case '\r':
        return 'r';
    case '\t':
        return 't';
    default:
        return 0;
    }
}

static void put_escaped(struct ste_buf *out, struct ste_bytes text)
{
    size_t plain = 0; /* start of what is copied as it is */
    ste_buf_u8(out, '"');
    for (size_t at = 0; at < text.len;) {
        char c = text.at[at];
        size_t len = ste_utf8_bytes(text.at + at, text.at + text.len);
        bool control = len == 1 && ((unsigned char)c < 0x20 || c == 0x7f);
        if (len > 0 && !control && !short_escape(c)) {
            at += len;
            continue;
        }
        ste_buf_append(out, text.at + plain, at - plain);
        if (len == 0)
            ste_buf_append_cstr(out, "\\ufffd");
        else if (short_escape(c))
            ste_buf_append(out, (char[]){'\\', short_escape(c)}, 2);
        else
            ste_buf_printf(out, "\\u%04x", (unsigned)c);
        at += len ? len : 1;
        plain = at;
    }
    ste_buf_append(out, text.at ? text.at + plain : NULL, text.len - plain);
    ste_buf_u8(out, '"');
}

/* Comma and key before a value. A second value at the top is a bug of the caller. */
static void put_before(struct ste_json_writer *writer, const char *key)
{
    bool in_object = writer->depth > 0 && (writer->objects >> (writer->depth - 1) & 1);
    if (in_object != (key != NULL) || (writer->depth == 0 && writer->comma))
        writer->out->failed = true;
    if (writer->comma)
        ste_buf_u8(writer->out, ',');
    writer->comma = true;
    if (key) {
        put_escaped(writer->out, ste_bytes_of(key));
        ste_buf_u8(writer->out, ':');
    }
}

static void put_open(struct ste_json_writer *writer, const char *key, bool object)
{
    put_before(writer, key);
    if (writer->depth >= STE_JSON_DEPTH_MAX) {
        writer->out->failed = true;
        return;
    }
    uint64_t bit = UINT64_C(1) << writer->depth++;
    writer->objects = object ? writer->objects | bit : writer->objects & ~bit;
    writer->comma = false;
    ste_buf_u8(writer->out, object ? '{' : '[');
}

void ste_json_put_object(struct ste_json_writer *writer, const char *key)
{
    put_open(writer, key, true);
}

void ste_json_put_list(struct ste_json_writer *writer, const char *key)
{
    put_open(writer, key, false);
}

void ste_json_put_end(struct ste_json_writer *writer)
{
    if (writer->depth == 0) {
        writer->out->failed = true;
        return;
    }
    writer->depth--;
    writer->comma = true;
    ste_buf_u8(writer->out, writer->objects >> writer->depth & 1 ? '}' : ']');
}

void ste_json_put_text(struct ste_json_writer *writer, const char *key, struct ste_bytes text)
{
    put_before(writer, key);
    put_escaped(writer->out, text);
}

void ste_json_put_cstr(struct ste_json_writer *writer, const char *key, const char *text)
{
    if (text)
        ste_json_put_text(writer, key, ste_bytes_of(text));
    else
        ste_json_put_null(writer, key);
}

void ste_json_put_uint(struct ste_json_writer *writer, const char *key, uint64_t value)
{
    put_before(writer, key);
    const char *quote = value > STE_JSON_INTEGER_MAX ? "\"" : "";
    ste_buf_printf(writer->out, "%s%" PRIu64 "%s", quote, value, quote);
}

void ste_json_put_int(struct ste_json_writer *writer, const char *key, int64_t value)
{
    const int64_t most = (int64_t)STE_JSON_INTEGER_MAX;
    put_before(writer, key);
    const char *quote = value > most || value < -most ? "\"" : "";
    ste_buf_printf(writer->out, "%s%" PRId64 "%s", quote, value, quote);
}

void ste_json_put_double(struct ste_json_writer *writer, const char *key, double value,
                         unsigned decimals)
{
    char text[400]; /* the largest double has 309 digits */
    if (!isfinite(value)) {
        ste_json_put_null(writer, key);
        return;
    }
    put_before(writer, key);
    int len = snprintf(text, sizeof(text), "%.*f", (int)(decimals < 9 ? decimals : 9), value);
    if (strchr(text, '.')) {
        while (text[len - 1] == '0')
            len--;
        len -= text[len - 1] == '.';
        text[len] = '\0';
    }
    ste_buf_append_cstr(writer->out, strcmp(text, "-0") == 0 ? "0" : text);
}

void ste_json_put_bool(struct ste_json_writer *writer, const char *key, bool value)
{
    put_before(writer, key);
    ste_buf_append_cstr(writer->out, value ? "true" : "false");
}

void ste_json_put_null(struct ste_json_writer *writer, const char *key)
{
    put_before(writer, key);
    ste_buf_append_cstr(writer->out, "null");
}
