/* SPDX-License-Identifier: Apache-2.0 */
#include "base/bytes.h"

#include <endian.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BUF_FIRST_BYTES = 256, VARINT_BYTES_MAX = 10 };

struct ste_bytes ste_bytes_of(const char *cstring)
{
    return (struct ste_bytes){cstring, cstring ? strlen(cstring) : 0};
}

bool ste_bytes_equal(struct ste_bytes a, struct ste_bytes b)
{
    return a.len == b.len && (a.len == 0 || memcmp(a.at, b.at, a.len) == 0);
}

int ste_bytes_compare(struct ste_bytes a, struct ste_bytes b)
{
    size_t shorter = a.len < b.len ? a.len : b.len;
    int order = shorter ? memcmp(a.at, b.at, shorter) : 0;
    return order ? order : (a.len > b.len) - (a.len < b.len);
}

static bool is_space(char c)
{
    return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

struct ste_bytes ste_bytes_trim(struct ste_bytes text)
{
    while (text.len && is_space(text.at[0])) {
        text.at++;
        text.len--;
    }
    while (text.len && is_space(text.at[text.len - 1]))
        text.len--;
    return text;
}

bool ste_bytes_u64(struct ste_bytes text, uint64_t *ret)
{
    uint64_t value = 0;
    if (text.len == 0)
        return false;
    for (size_t i = 0; i < text.len; i++) {
        char c = text.at[i];
        if (c < '0' || c > '9' || __builtin_mul_overflow(value, (uint64_t)10, &value) ||
            __builtin_add_overflow(value, (uint64_t)(c - '0'), &value))
            return false;
    }
    *ret = value;
    return true;
}

void ste_buf_deinit(struct ste_buf *buf)
{
    free(buf->at);
    *buf = (struct ste_buf){0};
}

void ste_buf_clear(struct ste_buf *buf)
{
    buf->len = 0;
    buf->failed = false;
}

static bool __attribute__((noinline)) buf_grow(struct ste_buf *buf, size_t more_bytes)
{
    size_t need = 0, capacity = buf->capacity ? buf->capacity : BUF_FIRST_BYTES;
    if (__builtin_add_overflow(buf->len, more_bytes, &need))
        goto failed;
    while (capacity < need) {
        if (__builtin_mul_overflow(capacity, (size_t)2, &capacity))
            goto failed;
    }
    char *at = realloc(buf->at, capacity);
    if (!at)
        goto failed;
    buf->at = at;
    buf->capacity = capacity;
    return true;
failed:
    buf->failed = true;
    return false;
}

/* The hot path: one comparison when there is room. A failed buffer stays failed until cleared, so
 * that it never holds a text with a hole in it. */
static inline bool buf_room(struct ste_buf *buf, size_t more_bytes)
{
    if (__builtin_expect(buf->failed, false))
        return false;
    return __builtin_expect(buf->capacity - buf->len >= more_bytes && buf->at, true) ||
           buf_grow(buf, more_bytes);
}

bool ste_buf_reserve(struct ste_buf *buf, size_t more_bytes)
{
    return buf_room(buf, more_bytes);
}

void ste_buf_append(struct ste_buf *buf, const void *data, size_t len)
{
    if (len == 0 || !buf_room(buf, len))
        return;
    memcpy(buf->at + buf->len, data, len);
    buf->len += len;
}

void ste_buf_append_bytes(struct ste_buf *buf, struct ste_bytes bytes)
{
    ste_buf_append(buf, bytes.at, bytes.len);
}

void ste_buf_append_cstr(struct ste_buf *buf, const char *text)
{
    ste_buf_append(buf, text, strlen(text));
}

void ste_buf_printf(struct ste_buf *buf, const char *format, ...)
{
    va_list args;
    if (!buf_room(buf, 1))
        return;
    size_t room = buf->capacity - buf->len;
    va_start(args, format);
    int written = vsnprintf(buf->at + buf->len, room, format, args);
    va_end(args);
    if (written >= 0 && (size_t)written >= room) {
        room = (size_t)written + 1; /* vsnprintf wants room for its NUL */
        if (!buf_room(buf, room))
            return;
        va_start(args, format);
        written = vsnprintf(buf->at + buf->len, room, format, args);
        va_end(args);
    }
    if (written < 0)
        buf->failed = true;
    else
        buf->len += (size_t)written;
}

struct ste_bytes ste_buf_bytes(const struct ste_buf *buf)
{
    return (struct ste_bytes){buf->at, buf->len};
}

void ste_buf_u8(struct ste_buf *buf, uint8_t value)
{
    if (buf_room(buf, 1))
        buf->at[buf->len++] = (char)value;
}

void ste_buf_u32(struct ste_buf *buf, uint32_t value)
{
    value = htole32(value);
    ste_buf_append(buf, &value, sizeof(value));
}

void ste_buf_u64(struct ste_buf *buf, uint64_t value)
{
    value = htole64(value);
    ste_buf_append(buf, &value, sizeof(value));
}

void ste_buf_varint(struct ste_buf *buf, uint64_t value)
{
    if (!buf_room(buf, VARINT_BYTES_MAX))
        return;
    while (value >= 0x80) {
        buf->at[buf->len++] = (char)(value | 0x80);
        value >>= 7;
    }
    buf->at[buf->len++] = (char)value;
}

void ste_buf_block(struct ste_buf *buf, struct ste_bytes bytes)
{
    size_t before = buf->len;
    ste_buf_varint(buf, bytes.len);
    ste_buf_append(buf, bytes.at, bytes.len);
    if (buf->failed)
        buf->len = before; /* a length without its bytes must not stand */
}

struct ste_reader ste_reader_of(struct ste_bytes bytes)
{
    const char *at = bytes.at ? bytes.at : "";
    return (struct ste_reader){at, at + bytes.len, false};
}

static inline const char *reader_take(struct ste_reader *reader, size_t len)
{
    const char *at = reader->at;
    if (__builtin_expect((size_t)(reader->end - at) < len, false)) {
        reader->failed = true;
        reader->at = reader->end; /* whatever is read next fails as well */
        return NULL;
    }
    reader->at += len;
    return at;
}

uint8_t ste_read_u8(struct ste_reader *reader)
{
    const char *at = reader_take(reader, 1);
    return at ? (uint8_t)*at : 0;
}

uint32_t ste_read_u32(struct ste_reader *reader)
{
    uint32_t value = 0;
    const char *at = reader_take(reader, sizeof(value));
    if (at)
        memcpy(&value, at, sizeof(value));
    return le32toh(value);
}

uint64_t ste_read_u64(struct ste_reader *reader)
{
    uint64_t value = 0;
    const char *at = reader_take(reader, sizeof(value));
    if (at)
        memcpy(&value, at, sizeof(value));
    return le64toh(value);
}

uint64_t ste_read_varint(struct ste_reader *reader)
{
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 70; shift += 7) {
        const char *at = reader_take(reader, 1);
        if (!at)
            return 0;
        uint8_t byte = (uint8_t)*at;
        bool too_big = shift == 63 && byte > 1;
        bool too_long = shift > 0 && byte == 0; /* one value has one encoding */
        if (too_big || too_long)
            break;
        value |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80)
            return value;
    }
    reader->failed = true;
    reader->at = reader->end;
    return 0;
}

struct ste_bytes ste_read_bytes(struct ste_reader *reader, size_t len)
{
    const char *at = reader_take(reader, len);
    return at ? (struct ste_bytes){at, len} : (struct ste_bytes){NULL, 0};
}

struct ste_bytes ste_read_block(struct ste_reader *reader)
{
    return ste_read_bytes(reader, ste_read_varint(reader));
}

void ste_hex(const void *data, size_t len, char *out)
{
    static const char digits[] = "0123456789abcdef";
    const uint8_t *at = data;
    for (size_t i = 0; i < len; i++) {
        *out++ = digits[at[i] >> 4];
        *out++ = digits[at[i] & 15];
    }
    *out = '\0';
}
