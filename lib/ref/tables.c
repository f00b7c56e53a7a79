/* SPDX-License-Identifier: Apache-2.0
 * The tables of the section `reference` that are CSV files: currencies, countries, instruments and
 * rates. All are read into the same rows, sorted, checked for repetitions and then narrowed. */
#include "ref/snapshot.h"

#include <stdlib.h>
#include <string.h>

#include "ref/csv.h"

const struct ste_rule_row ste_reference_rows[STE_REFERENCE_ROW_COUNT] = {
    {.key = "currencies",
     .type = STE_VALUE_PATH,
     .required = true,
     .help = "ISO 4217 as CSV: code,minor_units,name"},
    {.key = "countries",
     .type = STE_VALUE_PATH,
     .required = true,
     .help = "ISO 3166-1 as CSV: code,name"},
    {.key = "instruments",
     .type = STE_VALUE_PATH,
     .help = "known instruments as CSV: isin,unit,price_type,currency,country; without it none is "
             "looked up"},
    {.key = "participants",
     .type = STE_VALUE_PATH,
     .required = true,
     .help = "who may send, with which keys (YAML)"},
    {.key = "calendars",
     .type = STE_VALUE_PATH,
     .help = "folder of holidays, one file a calendar (SG.csv, TARGET.csv) with date,name; without "
             "it no settlement date is checked"},
    {.key = "rates",
     .type = STE_VALUE_PATH,
     .help = "units per EUR as CSV: date,currency,per_eur; the newest not after the business date "
             "counts, without one a band is exact"},
};

enum { KEY_BYTES = 16 };

struct row {
    char key[KEY_BYTES];
    ste_date date; /* rates */
    struct ste_decimal number;
    unsigned line;
};

/* One file: its header, and what makes a row of its cells (false: a fault was added). */
struct table {
    const char *key, *header;
    bool (*parse)(const struct ste_ref *ref, const struct ste_csv *csv, struct row *row);
};

static bool is_upper_letters(struct ste_bytes text, size_t len)
{
    for (size_t i = 0; i < text.len; i++) {
        if (text.at[i] < 'A' || text.at[i] > 'Z')
            return false;
    }
    return text.len == len;
}

/* Puts a code of `len` capital letters into the row. */
static bool parse_code(const struct ste_csv *csv, size_t cell, size_t len, struct row *row)
{
    if (!is_upper_letters(csv->cells[cell], len)) {
        ste_csv_fault(csv, cell, "%zu capital letters are wanted", len);
        return false;
    }
    memcpy(row->key, csv->cells[cell].at, len);
    return true;
}

static bool parse_currency(const struct ste_ref *ref, const struct ste_csv *csv, struct row *row)
{
    struct ste_bytes units = csv->cells[1];
    (void)ref;
    if (units.len != 1 || units.at[0] < '0' || units.at[0] > '6') {
        ste_csv_fault(csv, 1, "a number from 0 to 6 is wanted");
        return false;
    }
    row->number.coefficient = units.at[0] - '0';
    return parse_code(csv, 0, 3, row);
}

static bool parse_country(const struct ste_ref *ref, const struct ste_csv *csv, struct row *row)
{
    (void)ref;
    return parse_code(csv, 0, 2, row);
}

static bool is_one_of(struct ste_bytes text, const char *one, const char *other)
{
    return ste_bytes_equal(text, ste_bytes_of(one)) || ste_bytes_equal(text, ste_bytes_of(other));
}

static bool parse_instrument(const struct ste_ref *ref, const struct ste_csv *csv, struct row *row)
{
    if (!ste_is_isin(csv->cells[0]))
        ste_csv_fault(csv, 0, "not an ISIN, or its check digit is wrong");
    else if (!is_one_of(csv->cells[1], "UNIT", "FAMT"))
        ste_csv_fault(csv, 1, "UNIT or FAMT is wanted");
    else if (!is_one_of(csv->cells[2], "ACTU", "PRCT"))
        ste_csv_fault(csv, 2, "ACTU or PRCT is wanted");
    else if (!ste_ref_currency(ref, csv->cells[3]))
        ste_csv_fault(csv, 3, "not in the table of currencies");
    else if (!ste_ref_country(ref, csv->cells[4]))
        ste_csv_fault(csv, 4, "not in the table of countries");
    else {
        memcpy(row->key, csv->cells[0].at, csv->cells[0].len);
        return true;
    }
    return false;
}

static bool parse_rate(const struct ste_ref *ref, const struct ste_csv *csv, struct row *row)
{
    if (!ste_date_parse(csv->cells[0], &row->date))
        ste_csv_fault(csv, 0, "a date YYYY-MM-DD is wanted");
    else if (!ste_ref_currency(ref, csv->cells[1]))
        ste_csv_fault(csv, 1, "not in the table of currencies");
    else if (!ste_decimal_parse(csv->cells[2], false, &row->number) ||
             row->number.coefficient == 0 || row->number.decimals > 8)
        ste_csv_fault(csv, 2, "a number above 0 with at most 8 decimals is wanted");
    else {
        memcpy(row->key, csv->cells[1].at, csv->cells[1].len);
        return true;
    }
    return false;
}

static int compare_rows(const void *left, const void *right)
{
    const struct row *a = left, *b = right;
    int order = memcmp(a->key, b->key, KEY_BYTES);
    if (order == 0)
        order = (a->date > b->date) - (a->date < b->date);
    return order ? order : (a->line > b->line) - (a->line < b->line);
}

static void fault_repeated(const struct ste_csv *csv, const struct row *rows, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        if (memcmp(rows[i].key, rows[i - 1].key, KEY_BYTES) == 0 &&
            rows[i].date == rows[i - 1].date)
            ste_csv_fault_line(csv, rows[i].line, "%.*s stands in line %u already", KEY_BYTES,
                               rows[i].key, rows[i - 1].line);
    }
}

/* The sorted rows of a table in *ret (heap, the caller frees); none where the map names no file. */
static bool load_rows(struct ste_ref_loader *loader, const struct ste_yaml *reference,
                      const struct table *table, struct row **ret, size_t *ret_count)
{
    const struct ste_yaml *node = ste_yaml_get(reference, table->key);
    struct ste_buf rows = {0};
    struct ste_csv csv;
    *ret = NULL;
    *ret_count = 0;
    if (!node || !node->scalar || !node->scalar[0])
        return true;
    const char *path = ste_ref_path(loader, node);
    if (!path)
        return false;
    if (ste_csv_open(&csv, path, table->header, node, loader->faults)) {
        while (ste_csv_next(&csv)) {
            struct row row = {.line = csv.line};
            if (table->parse(loader->ref, &csv, &row))
                ste_buf_append(&rows, &row, sizeof(row));
        }
        *ret = (struct row *)(void *)rows.at;
        *ret_count = rows.len / sizeof(struct row);
        if (*ret_count) {
            qsort(*ret, *ret_count, sizeof(struct row), compare_rows);
            fault_repeated(&csv, *ret, *ret_count);
        }
    }
    ste_csv_close(&csv);
    return !rows.failed;
}

static bool load_currencies(struct ste_ref_loader *loader, const struct ste_yaml *reference)
{
    static const struct table table = {"currencies", "code,minor_units,name", parse_currency};
    struct ste_ref *ref = loader->ref;
    struct row *rows;
    size_t count;
    bool ok = load_rows(loader, reference, &table, &rows, &count);
    ref->currencies = ok ? STE_ARENA_ARRAY(ref->arena, struct ste_currency, count + 1) : NULL;
    for (size_t i = 0; ref->currencies && i < count; i++) {
        struct ste_currency *currency = &ref->currencies[ref->currency_count++];
        memcpy(currency->code, rows[i].key, sizeof(currency->code));
        currency->minor_units = (uint8_t)rows[i].number.coefficient;
    }
    free(rows);
    return ref->currencies != NULL;
}

static bool load_countries(struct ste_ref_loader *loader, const struct ste_yaml *reference)
{
    static const struct table table = {"countries", "code,name", parse_country};
    struct ste_ref *ref = loader->ref;
    struct row *rows;
    size_t count;
    bool ok = load_rows(loader, reference, &table, &rows, &count);
    ref->countries = ok ? STE_ARENA_ARRAY(ref->arena, struct ste_country, count + 1) : NULL;
    for (size_t i = 0; ref->countries && i < count; i++)
        memcpy(ref->countries[ref->country_count++].code, rows[i].key,
               sizeof(ref->countries[0].code));
    free(rows);
    return ref->countries != NULL;
}

static bool load_instruments(struct ste_ref_loader *loader, const struct ste_yaml *reference)
{
    static const struct table table = {"instruments", "isin,unit,price_type,currency,country",
                                       parse_instrument};
    struct ste_ref *ref = loader->ref;
    struct row *rows;
    size_t count;
    bool ok = load_rows(loader, reference, &table, &rows, &count);
    ref->instruments = ok ? STE_ARENA_ARRAY(ref->arena, struct ste_instrument, count + 1) : NULL;
    for (size_t i = 0; ref->instruments && i < count; i++)
        memcpy(ref->instruments[ref->instrument_count++].isin, rows[i].key, KEY_BYTES);
    free(rows);
    return ref->instruments != NULL;
}

static void add_rate(struct ste_ref *ref, const char *code, struct ste_decimal per_eur)
{
    struct ste_rate *rate = &ref->rates[ref->rate_count++];
    memcpy(rate->code, code, 3);
    rate->per_eur = per_eur;
}

/* Of each currency's rows, in order of date, the newest that is not after the business date; where
 * all are, the oldest, with a warning. EUR is 1 unless the file says it again. */
static void pick_rates(struct ste_ref_loader *loader, const struct row *rows, size_t count)
{
    struct ste_ref *ref = loader->ref;
    bool euro = false;
    for (size_t i = 0, pick = 0; i < count; i++) {
        bool is_first = i == 0 || memcmp(rows[i].key, rows[i - 1].key, KEY_BYTES) != 0;
        if (is_first || rows[i].date <= loader->business_date)
            pick = i;
        if (i + 1 < count && memcmp(rows[i].key, rows[i + 1].key, KEY_BYTES) == 0)
            continue;
        if (!euro && memcmp(rows[i].key, "EUR", 3) > 0) {
            add_rate(ref, "EUR", (struct ste_decimal){1, 0});
            euro = true;
        }
        euro = euro || memcmp(rows[i].key, "EUR", 3) == 0;
        add_rate(ref, rows[pick].key, rows[pick].number);
        if (rows[pick].date > loader->business_date)
            ste_buf_printf(&ref->warnings, "rate of %s: dated after the business date\n",
                           rows[pick].key);
    }
    if (!euro)
        add_rate(ref, "EUR", (struct ste_decimal){1, 0});
}

static bool load_rates(struct ste_ref_loader *loader, const struct ste_yaml *reference)
{
    static const struct table table = {"rates", "date,currency,per_eur", parse_rate};
    struct ste_ref *ref = loader->ref;
    struct row *rows;
    size_t count;
    bool ok = load_rows(loader, reference, &table, &rows, &count);
    ref->rates = ok ? STE_ARENA_ARRAY(ref->arena, struct ste_rate, count + 1) : NULL;
    if (ref->rates)
        pick_rates(loader, rows, count);
    free(rows);
    return ref->rates != NULL;
}

bool ste_ref_load_tables(struct ste_ref_loader *loader, const struct ste_yaml *reference)
{
    return load_currencies(loader, reference) && load_countries(loader, reference) &&
           load_instruments(loader, reference) && load_rates(loader, reference);
}
