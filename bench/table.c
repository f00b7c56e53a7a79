/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/table.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "msg/xml_escape.h"

#include "base/utf8.h"

struct cell {
    char *text; /* NULL: a number, or an absent text */
    double number;
};

struct ste_table {
    const struct ste_table_column *columns;
    size_t count;       /* of columns */
    struct cell *cells; /* row by row */
    size_t cell_count, cell_capacity;
    bool failed;
};

enum ste_code ste_table_new(const struct ste_table_column *columns, size_t count,
                            struct ste_table **ret, struct ste_error *err)
{
    if (count == 0 || count > STE_TABLE_COLUMNS_MAX)
        return ste_error_set(err, STE_E_ARGUMENT, "a table of %zu columns: 1 to %d are possible",
                             count, STE_TABLE_COLUMNS_MAX);
    struct ste_table *table = calloc(1, sizeof *table);
    if (!table)
        return ste_error_set(err, STE_E_NOMEM, "no memory for a table");
    table->columns = columns;
    table->count = count;
    *ret = table;
    return STE_OK;
}

void ste_table_free(struct ste_table *table)
{
    if (!table)
        return;
    for (size_t i = 0; i < table->cell_count; i++)
        free(table->cells[i].text);
    free(table->cells);
    free(table);
}

static struct cell *add_cell(struct ste_table *table, bool is_text)
{
    const struct ste_table_column *column = &table->columns[table->cell_count % table->count];
    if (table->failed || (column->decimals < 0) != is_text) {
        table->failed = true;
        return NULL;
    }
    if (table->cell_count == table->cell_capacity) {
        size_t capacity = table->cell_capacity ? 2 * table->cell_capacity : 16 * table->count;
        struct cell *cells = realloc(table->cells, capacity * sizeof *cells);
        if (!cells) {
            table->failed = true;
            return NULL;
        }
        table->cells = cells;
        table->cell_capacity = capacity;
    }
    struct cell *cell = &table->cells[table->cell_count++];
    *cell = (struct cell){.number = NAN};
    return cell;
}

void ste_table_text(struct ste_table *table, const char *text)
{
    struct cell *cell = add_cell(table, true);
    if (!cell || !text)
        return;
    cell->text = strdup(text);
    if (!cell->text)
        table->failed = true;
}

void ste_table_number(struct ste_table *table, double value)
{
    struct cell *cell = add_cell(table, false);
    if (cell)
        cell->number = value;
}

/* A row is whole when its last cell stands; one cell too many belongs to the next row and is found
 * here as well. */
void ste_table_end_row(struct ste_table *table)
{
    if (table->cell_count == 0 || table->cell_count % table->count != 0)
        table->failed = true;
}

bool ste_table_complete(const struct ste_table *table)
{
    return !table->failed && table->cell_count % table->count == 0;
}

size_t ste_table_rows(const struct ste_table *table)
{
    return table->cell_count / table->count;
}

static const struct cell *cell_at(const struct ste_table *table, size_t row, size_t column)
{
    return &table->cells[row * table->count + column];
}

/* What stands in the cell; `room` is for numbers. "" for absent. */
enum { NUMBER_BYTES = 400 }; /* the largest double has 309 digits */
static const char *cell_text(const struct ste_table *table, size_t row, size_t column,
                             char room[NUMBER_BYTES])
{
    const struct cell *cell = cell_at(table, row, column);
    if (table->columns[column].decimals < 0)
        return cell->text ? cell->text : "";
    if (!isfinite(cell->number))
        return "";
    (void)snprintf(room, NUMBER_BYTES, "%.*f", table->columns[column].decimals, cell->number);
    return room;
}

static const char *or_dash(const char *text)
{
    return text[0] ? text : "-";
}

static size_t letters(const char *text)
{
    const char *end = text + strlen(text);
    size_t count = 0;
    while (text < end) {
        size_t bytes = ste_utf8_bytes(text, end);
        text += bytes ? bytes : 1;
        count++;
    }
    return count;
}

static void print_padded(const char *text, size_t width, bool right, bool last, FILE *out)
{
    size_t have = letters(text);
    int blanks = have < width ? (int)(width - have) : 0;
    if (right)
        fprintf(out, "%*s%s", blanks, "", text);
    else
        fprintf(out, "%s%*s", text, last ? 0 : blanks, "");
    fputs(last ? "\n" : "  ", out);
}

static const char *title_of(const struct ste_table_column *column)
{
    return column->title ? column->title : column->name;
}

void ste_table_print(const struct ste_table *table, FILE *out)
{
    char room[NUMBER_BYTES];
    size_t width[STE_TABLE_COLUMNS_MAX];
    for (size_t c = 0; c < table->count; c++) {
        width[c] = letters(title_of(&table->columns[c]));
        for (size_t r = 0; r < ste_table_rows(table); r++) {
            size_t have = letters(or_dash(cell_text(table, r, c, room)));
            if (have > width[c])
                width[c] = have;
        }
    }
    for (size_t c = 0; c < table->count; c++)
        print_padded(title_of(&table->columns[c]), width[c], table->columns[c].decimals >= 0,
                     c + 1 == table->count, out);
    for (size_t r = 0; r < ste_table_rows(table); r++) {
        for (size_t c = 0; c < table->count; c++)
            print_padded(or_dash(cell_text(table, r, c, room)), width[c],
                         table->columns[c].decimals >= 0, c + 1 == table->count, out);
    }
}

static void csv_field(struct ste_buf *out, const char *text)
{
    if (!strpbrk(text, ",\"\r\n")) {
        ste_buf_append_cstr(out, text);
        return;
    }
    ste_buf_append_cstr(out, "\"");
    for (const char *at = text; *at; at++) {
        ste_buf_append(out, at, 1);
        if (*at == '"')
            ste_buf_append(out, at, 1);
    }
    ste_buf_append_cstr(out, "\"");
}

void ste_table_csv(const struct ste_table *table, struct ste_buf *out)
{
    char room[NUMBER_BYTES];
    for (size_t c = 0; c < table->count; c++) {
        csv_field(out, table->columns[c].name);
        ste_buf_append_cstr(out, c + 1 == table->count ? "\r\n" : ",");
    }
    for (size_t r = 0; r < ste_table_rows(table); r++) {
        for (size_t c = 0; c < table->count; c++) {
            csv_field(out, cell_text(table, r, c, room));
            ste_buf_append_cstr(out, c + 1 == table->count ? "\r\n" : ",");
        }
    }
}

void ste_table_json(const struct ste_table *table, struct ste_json_writer *writer, const char *key)
{
    ste_json_put_list(writer, key);
    for (size_t r = 0; r < ste_table_rows(table); r++) {
        ste_json_put_object(writer, NULL);
        for (size_t c = 0; c < table->count; c++) {
            const struct ste_table_column *column = &table->columns[c];
            const struct cell *cell = cell_at(table, r, c);
            if (column->decimals < 0)
                ste_json_put_cstr(writer, column->name, cell->text);
            else
                ste_json_put_double(writer, column->name, cell->number, (unsigned)column->decimals);
        }
        ste_json_put_end(writer);
    }
    ste_json_put_end(writer);
}

void ste_html_text(struct ste_buf *out, const char *text)
{
    ste_xml_escape(out, ste_bytes_of(text));
}

/* Thousands set apart: "280,000.5". */
static void html_number(struct ste_buf *out, const char *digits)
{
    size_t whole = strspn(digits, "-0123456789");
    for (size_t i = 0; digits[i]; i++) {
        if (i > 0 && i < whole && (whole - i) % 3 == 0 && digits[i - 1] != '-')
            ste_buf_append_cstr(out, ",");
        ste_buf_append(out, &digits[i], 1);
    }
}

static void html_row(const struct ste_table *table, size_t row, struct ste_buf *out)
{
    char room[NUMBER_BYTES];
    ste_buf_append_cstr(out, "<tr");
    for (size_t c = 0; c < table->count; c++) {
        if (table->columns[c].decimals >= 0)
            continue;
        ste_buf_printf(out, " data-%s=\"", table->columns[c].name);
        ste_html_text(out, cell_text(table, row, c, room));
        ste_buf_append_cstr(out, "\"");
    }
    ste_buf_append_cstr(out, ">");
    for (size_t c = 0; c < table->count; c++) {
        const char *text = or_dash(cell_text(table, row, c, room));
        bool number = table->columns[c].decimals >= 0;
        ste_buf_append_cstr(out, number ? "<td class=\"n\">" : "<td>");
        if (number)
            html_number(out, text);
        else
            ste_html_text(out, text);
        ste_buf_append_cstr(out, "</td>");
    }
    ste_buf_append_cstr(out, "</tr>\n");
}

void ste_table_html(const struct ste_table *table, struct ste_buf *out)
{
    ste_buf_append_cstr(out, "<table>\n<thead><tr>");
    for (size_t c = 0; c < table->count; c++) {
        ste_buf_append_cstr(out, table->columns[c].decimals < 0 ? "<th>" : "<th class=\"n\">");
        ste_html_text(out, title_of(&table->columns[c]));
        ste_buf_append_cstr(out, "</th>");
    }
    ste_buf_append_cstr(out, "</tr></thead>\n<tbody>\n");
    for (size_t r = 0; r < ste_table_rows(table); r++)
        html_row(table, r, out);
    ste_buf_append_cstr(out, "</tbody>\n</table>\n");
}

static enum ste_code write_all(FILE *out, const char *path, struct ste_bytes text,
                               struct ste_error *err)
{
    bool good = text.len == 0 || fwrite(text.at, 1, text.len, out) == text.len;
    int cause = errno;
    if (fflush(out) != 0) {
        cause = good ? errno : cause;
        good = false;
    }
    if (out != stdout && fclose(out) != 0) {
        cause = good ? errno : cause;
        good = false;
    }
    return good ? STE_OK
                : ste_error_set(err, STE_E_FILE, "could not write %s: %s", path, strerror(cause));
}

/* A terminal, a pipe or /dev/null is written to as it is, not replaced. */
static bool is_special(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && !S_ISREG(info.st_mode);
}

enum ste_code ste_bench_write_file(const char *path, struct ste_bytes text, struct ste_error *err)
{
    if (strcmp(path, "-") == 0)
        return write_all(stdout, "standard output", text, err);
    struct ste_buf beside = {0};
    bool replace = !is_special(path);
    ste_buf_append_cstr(&beside, path);
    if (replace)
        ste_buf_printf(&beside, ".%ld.part", (long)getpid());
    ste_buf_append(&beside, "", 1);
    if (beside.failed) {
        ste_buf_deinit(&beside);
        return ste_error_set(err, STE_E_NOMEM, "no memory to write %s", path);
    }
    enum ste_code rc = STE_OK;
    FILE *out = fopen(beside.at, "we");
    if (!out)
        rc = ste_error_set(err, STE_E_FILE, "could not open %s: %s", path, strerror(errno));
    else
        rc = write_all(out, path, text, err);
    if (rc == STE_OK && replace && rename(beside.at, path) != 0)
        rc = ste_error_set(err, STE_E_FILE, "could not replace %s: %s", path, strerror(errno));
    if (rc != STE_OK && replace && out)
        (void)unlink(beside.at);
    ste_buf_deinit(&beside);
    return rc;
}
