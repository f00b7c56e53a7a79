/* SPDX-License-Identifier: Apache-2.0 */
#include "dbshard/schema.h"

#include <stdio.h>
#include <string.h>

/* The file itself, put into the program by the assembler. */
__asm__(".pushsection .rodata\n"
        "ste_schema_sql_first:\n"
        ".incbin \"" STE_SOURCE_DIR "/dbshard/sql/001_schema.sql\"\n"
        "ste_schema_sql_end:\n"
        ".popsection\n");
extern const char ste_schema_sql_first[], ste_schema_sql_end[];

const char *const ste_day_tables[STE_DAY_TABLE_COUNT] = {"trade", "message", "exception"};

struct ste_bytes ste_schema_text(void)
{
    return (struct ste_bytes){ste_schema_sql_first,
                              (size_t)(ste_schema_sql_end - ste_schema_sql_first)};
}

void ste_schema_partition_name(ste_date date, char out[static 16])
{
    char text[STE_DATE_TEXT_BYTES];
    ste_date_format(date, text);
    snprintf(out, 16, "p%.4s%.2s%.2s", text, text + 5, text + 8);
}

void ste_schema_partition(struct ste_buf *sql, ste_date date)
{
    char name[16];
    ste_schema_partition_name(date, name);
    ste_buf_printf(sql, "PARTITION %s VALUES IN (", name);
    ste_sql_date(sql, date);
    ste_buf_u8(sql, ')');
}

static void append_line(struct ste_buf *sql, struct ste_bytes line, ste_date first, ste_date last)
{
    static const char mark[] = "{days}";
    const char *at = memmem(line.at, line.len, mark, strlen(mark));
    if (!at) {
        ste_buf_append_bytes(sql, line);
        ste_buf_u8(sql, '\n');
        return;
    }
    ste_buf_append(sql, line.at, (size_t)(at - line.at));
    for (ste_date date = first; date <= last; date++) {
        if (date > first)
            ste_sql_comma(sql);
        ste_schema_partition(sql, date);
    }
    at += strlen(mark);
    ste_buf_append(sql, at, (size_t)(line.at + line.len - at));
    ste_buf_u8(sql, '\n');
}

bool ste_schema_next(struct ste_bytes *text, ste_date first, ste_date last, struct ste_buf *sql)
{
    ste_buf_clear(sql);
    while (text->len) {
        const char *stop = memchr(text->at, '\n', text->len);
        size_t len = stop ? (size_t)(stop - text->at) : text->len;
        struct ste_bytes line = ste_bytes_trim((struct ste_bytes){text->at, len});
        text->at += len + (stop != NULL);
        text->len -= len + (stop != NULL);
        if (line.len == 0 || (line.len >= 2 && line.at[0] == '-' && line.at[1] == '-'))
            continue;
        bool whole = line.at[line.len - 1] == ';';
        line.len -= whole;
        append_line(sql, line, first, last);
        if (whole)
            return true;
    }
    return false;
}
