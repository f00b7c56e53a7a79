/* SPDX-License-Identifier: Apache-2.0 */
#include "ref/csv.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FAULT_TEXT_BYTES = 256, COLUMN_NAME_BYTES = 40 };

static void add_fault(const struct ste_csv *csv, unsigned line, unsigned column, const char *name,
                      const char *format, va_list args) __attribute__((format(printf, 5, 0)));

static void add_fault(const struct ste_csv *csv, unsigned line, unsigned column, const char *name,
                      const char *format, va_list args)
{
    char text[FAULT_TEXT_BYTES];
    struct ste_yaml place = {.file = csv->path, .line = line, .column = column};
    if (vsnprintf(text, sizeof(text), format, args) < 0)
        text[0] = '\0';
    ste_faults_add(csv->faults, &place, name, "%s", text);
}

void ste_csv_fault_line(const struct ste_csv *csv, unsigned line, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    add_fault(csv, line, 1, "", format, args);
    va_end(args);
}

/* The name of a column, out of the header. */
static void column_name(const struct ste_csv *csv, size_t cell, char out[static COLUMN_NAME_BYTES])
{
    const char *at = csv->header;
    while (cell-- > 0)
        at = strchr(at, ',') + 1;
    snprintf(out, COLUMN_NAME_BYTES, "%.*s", (int)strcspn(at, ","), at);
}

void ste_csv_fault(const struct ste_csv *csv, size_t cell, const char *format, ...)
{
    char name[COLUMN_NAME_BYTES];
    va_list args;
    column_name(csv, cell, name);
    va_start(args, format);
    add_fault(csv, csv->line, csv->columns[cell], name, format, args);
    va_end(args);
}

/* The whole file in *ret_text; an errno when it could not be read. */
static int read_file(const char *path, char **ret_text, size_t *ret_bytes)
{
    FILE *file = fopen(path, "rbe");
    struct ste_buf buf = {0};
    char block[16384];
    int error = 0;
    if (!file)
        return errno;
    for (;;) {
        size_t got = fread(block, 1, sizeof(block), file);
        ste_buf_append(&buf, block, got);
        if (got < sizeof(block))
            break;
        if (buf.len > STE_CSV_BYTES_MAX)
            error = EFBIG;
        if (error || buf.failed)
            break;
    }
    if (!error && ferror(file))
        error = errno ? errno : EIO;
    if (!error && buf.failed)
        error = ENOMEM;
    fclose(file);
    if (error) {
        ste_buf_deinit(&buf);
        return error;
    }
    *ret_text = buf.at;
    *ret_bytes = buf.len;
    return 0;
}

/* The line at `at`, without its end; empty lines and comments are passed over. */
static bool next_line(struct ste_csv *csv, struct ste_bytes *ret)
{
    while (csv->at < csv->text_bytes) {
        char *begin = csv->text + csv->at;
        size_t left = csv->text_bytes - csv->at;
        const char *end = memchr(begin, '\n', left);
        size_t len = end ? (size_t)(end - begin) : left;
        csv->at += len + (end ? 1 : 0);
        csv->line++;
        if (len && begin[len - 1] == '\r')
            len--;
        if (len && begin[0] != '#') {
            *ret = (struct ste_bytes){begin, len};
            return true;
        }
    }
    return false;
}

bool ste_csv_open(struct ste_csv *csv, const char *path, const char *header,
                  const struct ste_yaml *node, struct ste_faults *faults)
{
    struct ste_bytes line;
    *csv = (struct ste_csv){.path = path, .header = header, .faults = faults};
    int error = read_file(path, &csv->text, &csv->text_bytes);
    if (error) {
        ste_faults_add(faults, node, "", "could not read %s: %s", path, strerror(error));
        return false;
    }
    if (csv->text_bytes >= 3 && memcmp(csv->text, "\xef\xbb\xbf", 3) == 0)
        csv->at = 3;
    csv->column_count = 1;
    for (const char *at = header; (at = strchr(at, ',')); at++)
        csv->column_count++;
    if (!next_line(csv, &line) || !ste_bytes_equal(line, ste_bytes_of(header))) {
        ste_csv_fault_line(csv, csv->line ? csv->line : 1, "the first line must be %s", header);
        return false;
    }
    return true;
}

void ste_csv_close(struct ste_csv *csv)
{
    free(csv->text);
    csv->text = NULL;
}

/* A quoted cell from its opening quote on, unquoted in place. NULL when it does not end. */
static char *quoted_cell(char *at, const char *end, struct ste_bytes *ret)
{
    char *begin = at + 1, *out = begin;
    for (at = begin; at < end; at++) {
        if (*at == '"' && at + 1 < end && at[1] == '"')
            at++;
        else if (*at == '"')
            break;
        *out++ = *at;
    }
    if (at >= end)
        return NULL;
    *ret = (struct ste_bytes){begin, (size_t)(out - begin)};
    return at + 1;
}

/* One cell; what follows it in the result, NULL after a fault. */
static char *read_cell(struct ste_csv *csv, char *begin, char *at, const char *end, size_t cell)
{
    csv->columns[cell] = (unsigned)(at - begin) + 1;
    if (at < end && *at == '"') {
        at = quoted_cell(at, end, &csv->cells[cell]);
        if (!at || (at < end && *at != ',')) {
            ste_csv_fault(csv, cell, "quotes do not close at the end of the cell");
            return NULL;
        }
        return at;
    }
    char *stop = memchr(at, ',', (size_t)(end - at));
    if (!stop)
        stop = at + (end - at);
    csv->cells[cell] = ste_bytes_trim((struct ste_bytes){at, (size_t)(stop - at)});
    return stop;
}

static bool split(struct ste_csv *csv, char *begin, size_t len)
{
    char *at = begin;
    const char *end = begin + len;
    for (size_t cell = 0; cell < csv->column_count; cell++) {
        at = read_cell(csv, begin, at, end, cell);
        if (!at)
            return false;
        bool last = cell + 1 == csv->column_count;
        if (last != (at == end)) {
            ste_csv_fault_line(csv, csv->line, "%s cells than the %zu of the first line",
                               last ? "more" : "fewer", csv->column_count);
            return false;
        }
        at += last ? 0 : 1;
    }
    return true;
}

bool ste_csv_next(struct ste_csv *csv)
{
    struct ste_bytes line;
    while (next_line(csv, &line)) {
        /* The text is ours to change; the view only forgot it. */
        if (split(csv, csv->text + (line.at - csv->text), line.len))
            return true;
    }
    return false;
}
