/* SPDX-License-Identifier: Apache-2.0 */
#include "dbshard/statement.h"

#include <string.h>

enum { ESCAPE_BLOCK_BYTES = 32 };

/* What ends or bends a quoted literal. A NUL would pass as it is; tools that print the statement
 * would cut it there. */
static inline bool is_special(char c)
{
    return c == '\'' || c == '\\' || c == '\0';
}

/* Bodies are mostly plain: blocks without a special byte are copied whole (the test over a block is
 * branch-free, so the compiler makes vector code of it). */
static char *escape(char *out, const char *at, const char *end)
{
    while (end - at >= ESCAPE_BLOCK_BYTES) {
        unsigned special = 0;
        for (int i = 0; i < ESCAPE_BLOCK_BYTES; i++)
            special |= (unsigned)is_special(at[i]);
        if (!special) {
            memcpy(out, at, ESCAPE_BLOCK_BYTES);
            out += ESCAPE_BLOCK_BYTES;
            at += ESCAPE_BLOCK_BYTES;
            continue;
        }
        for (int i = 0; i < ESCAPE_BLOCK_BYTES; i++, at++) {
            if (is_special(*at))
                *out++ = '\\';
            *out++ = *at ? *at : '0';
        }
    }
    for (; at < end; at++) {
        if (is_special(*at))
            *out++ = '\\';
        *out++ = *at ? *at : '0';
    }
    return out;
}

void ste_sql_bytes(struct ste_buf *sql, struct ste_bytes value)
{
    if (!ste_buf_reserve(sql, 2 * value.len + 2))
        return;
    char *out = sql->at + sql->len;
    *out++ = '\'';
    if (value.len)
        out = escape(out, value.at, value.at + value.len);
    *out++ = '\'';
    sql->len = (size_t)(out - sql->at);
}

void ste_sql_u64(struct ste_buf *sql, uint64_t value)
{
    char digits[20];
    size_t at = sizeof(digits);
    do {
        digits[--at] = (char)('0' + value % 10);
        value /= 10;
    } while (value);
    ste_buf_append(sql, digits + at, sizeof(digits) - at);
}

void ste_sql_date(struct ste_buf *sql, ste_date date)
{
    char text[STE_DATE_TEXT_BYTES];
    if (date == STE_DATE_NONE) {
        ste_buf_append(sql, "NULL", 4);
        return;
    }
    ste_date_format(date, text);
    ste_buf_u8(sql, '\'');
    ste_buf_append(sql, text, STE_DATE_TEXT_BYTES - 1);
    ste_buf_u8(sql, '\'');
}

void ste_sql_hash(struct ste_buf *sql, struct ste_hash hash)
{
    ste_sql_bytes(sql, (struct ste_bytes){(const char *)hash.bytes, sizeof(hash.bytes)});
}

static void append_row(struct ste_buf *sql, const struct ste_rows_sql *shape,
                       const struct ste_sql_value *values)
{
    if (!shape->bare)
        ste_buf_u8(sql, '(');
    for (size_t i = 0; i < shape->columns; i++) {
        const struct ste_sql_value *value = &values[i];
        if (i)
            ste_sql_comma(sql);
        if (value->kind == STE_SQL_BYTES)
            ste_sql_bytes(sql, value->bytes);
        else if (value->kind == STE_SQL_U64)
            ste_sql_u64(sql, value->number);
        else
            ste_sql_date(sql, value->date);
    }
    if (!shape->bare)
        ste_buf_u8(sql, ')');
}

enum ste_code ste_rows_build(struct ste_buf *sql, const struct ste_rows_sql *shape,
                             const void *rows, size_t first, size_t end, size_t max_bytes,
                             ste_rows_run *run, void *context, struct ste_error *err)
{
    const size_t tail_len = strlen(shape->tail);
    for (size_t next = first; first < end; first = next) {
        ste_buf_clear(sql);
        ste_buf_append_cstr(sql, shape->head);
        for (; next < end && (!shape->rows_max || next - first < shape->rows_max); next++) {
            struct ste_sql_value values[STE_SQL_COLUMNS_MAX];
            size_t before = sql->len;
            if (next > first)
                ste_sql_comma(sql);
            shape->fill(values, rows, next);
            append_row(sql, shape, values);
            if (sql->failed)
                return ste_error_set(err, STE_E_NOMEM, "no memory for a statement");
            if (sql->len + tail_len > max_bytes) {
                sql->len = before; /* this row opens the next statement */
                break;
            }
        }
        if (next == first)
            return ste_error_set(err, STE_E_SHARD_ROW,
                                 "row %zu is larger than a statement of %zu bytes may be", first,
                                 max_bytes);
        ste_buf_append(sql, shape->tail, tail_len);
        if (sql->failed)
            return ste_error_set(err, STE_E_NOMEM, "no memory for a statement");
        enum ste_code rc = run(context, first, next - first, err);
        if (rc != STE_OK)
            return rc;
    }
    return STE_OK;
}

void ste_rows_placeholders(struct ste_buf *sql, const struct ste_rows_sql *shape, size_t count)
{
    ste_buf_clear(sql);
    ste_buf_append_cstr(sql, shape->head);
    for (size_t row = 0; row < count; row++) {
        ste_buf_append_cstr(sql, row ? ",(" : "(");
        for (size_t i = 0; i < shape->columns; i++)
            ste_buf_append_cstr(sql, i ? ",?" : "?");
        ste_buf_u8(sql, ')');
    }
    ste_buf_append_cstr(sql, shape->tail);
}
