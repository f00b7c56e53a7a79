/* SPDX-License-Identifier: Apache-2.0
 * Reading. All samples of a file name their series in the same order, so the series after the one
 * of the line before is looked at first. */
#include "bench/samples.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"

enum { FIELDS = 6 };

struct reading {
    struct ste_samples *samples;
    size_t next; /* series expected */
    uint64_t first_us, last_us;
};

/* Cuts the line at its commas, in place; false: not six fields. */
static bool split(char *line, char *fields[static FIELDS])
{
    for (size_t i = 0; i < FIELDS; i++) {
        fields[i] = line;
        char *comma = strchr(line, ',');
        if ((comma == NULL) != (i == FIELDS - 1))
            return false;
        if (comma) {
            *comma = '\0';
            line = comma + 1;
        }
    }
    return true;
}

/* STE_Q_COUNT: unknown */
static enum ste_quantity quantity_of(const char *kind, const char *name)
{
    enum ste_quantity found = 0;
    while (found < STE_Q_COUNT && (strcmp(ste_quantity_name(found), name) != 0 ||
                                   strcmp(ste_quantity_kind(found), kind) != 0))
        found++;
    return found;
}

static bool is_series(const struct ste_series *series, char *const fields[static FIELDS])
{
    return strcmp(series->name, fields[2]) == 0 && strcmp(series->type, fields[3]) == 0 &&
           strcmp(ste_quantity_name(series->quantity), fields[4]) == 0 &&
           strcmp(ste_quantity_kind(series->quantity), fields[1]) == 0;
}

/* Room for one more of `count` things, doubled whenever count is a power of two. */
static bool grow(void **things, size_t count, size_t bytes)
{
    if ((count & (count - 1)) != 0)
        return true;
    void *more = reallocarray(*things, count == 0 ? 1 : count * 2, bytes);
    if (more)
        *things = more;
    return more != NULL;
}

static enum ste_code no_memory(struct ste_error *err)
{
    return ste_error_set(err, STE_E_NOMEM, "no memory for the samples");
}

static enum ste_code take_meta(struct ste_samples *samples, char *const fields[static FIELDS],
                               const char *place, struct ste_error *err)
{
    if (strlen(fields[4]) >= sizeof samples->meta->name ||
        strlen(fields[5]) >= sizeof samples->meta->value)
        return ste_error_at(err, STE_E_PARSE, place, "meta row too long");
    void *meta = samples->meta;
    if (!grow(&meta, samples->meta_count, sizeof *samples->meta))
        return no_memory(err);
    samples->meta = meta;
    strcpy(samples->meta[samples->meta_count].name, fields[4]);
    strcpy(samples->meta[samples->meta_count++].value, fields[5]);
    return STE_OK;
}

/* Finds or begins the line's series; *ret NULL: its quantity is not known here. */
static enum ste_code series_of(struct reading *reading, char *const fields[static FIELDS],
                               const char *place, struct ste_series **ret, struct ste_error *err)
{
    struct ste_samples *samples = reading->samples;
    if (reading->next < samples->series_count && is_series(&samples->series[reading->next], fields))
        goto found;
    for (reading->next = 0; reading->next < samples->series_count; reading->next++)
        if (is_series(&samples->series[reading->next], fields))
            goto found;
    *ret = NULL;
    enum ste_quantity quantity = quantity_of(fields[1], fields[4]);
    if (quantity == STE_Q_COUNT)
        return STE_OK;
    struct ste_series fresh = {.quantity = quantity};
    if (strlen(fields[2]) >= sizeof fresh.name || strlen(fields[3]) >= sizeof fresh.type)
        return ste_error_at(err, STE_E_PARSE, place, "name or type too long");
    strcpy(fresh.name, fields[2]);
    strcpy(fresh.type, fields[3]);
    void *series = samples->series;
    if (!grow(&series, samples->series_count, sizeof *samples->series))
        return no_memory(err);
    samples->series = series;
    samples->series[samples->series_count++] = fresh;
found:
    *ret = &samples->series[reading->next++];
    return STE_OK;
}

static bool add_value(struct ste_series *series, double at_s, double value)
{
    void *times = series->at_s, *values = series->values;
    bool good = grow(&times, series->count, sizeof *series->at_s);
    series->at_s = times;
    good = grow(&values, series->count, sizeof *series->values) && good;
    series->values = values;
    if (good) {
        series->at_s[series->count] = at_s;
        series->values[series->count++] = value;
    }
    return good;
}

static enum ste_code take_line(struct reading *reading, char *line, const char *place,
                               struct ste_error *err)
{
    struct ste_samples *samples = reading->samples;
    char *fields[FIELDS];
    uint64_t at_us = 0;
    if (!split(line, fields) || !ste_bytes_u64(ste_bytes_of(fields[0]), &at_us))
        return ste_error_at(err, STE_E_PARSE, place, "not a row of samples");
    if (strcmp(fields[1], "meta") == 0)
        return take_meta(samples, fields, place, err);
    char *end = NULL;
    double value = strtod(fields[5], &end);
    if (end == fields[5] || *end != '\0' || !isfinite(value))
        return ste_error_at(err, STE_E_PARSE, place, "\"%s\" is not a number", fields[5]);
    if (samples->sample_count == 0)
        reading->first_us = reading->last_us = at_us;
    if (at_us < reading->last_us)
        return ste_error_at(err, STE_E_PARSE, place, "time goes back");
    if (samples->sample_count == 0 || at_us != reading->last_us)
        samples->sample_count++;
    reading->last_us = at_us;
    samples->seconds = (double)(at_us - reading->first_us) / 1e6;
    struct ste_series *series = NULL;
    enum ste_code rc = series_of(reading, fields, place, &series, err);
    if (rc == STE_OK && series && !add_value(series, samples->seconds, value))
        rc = no_memory(err);
    return rc;
}

static enum ste_code take_file(FILE *file, const char *path, struct reading *reading,
                               struct ste_error *err)
{
    char *line = NULL;
    size_t capacity = 0;
    uint64_t number = 0;
    enum ste_code rc = STE_OK;
    for (ssize_t len; rc == STE_OK && (len = getline(&line, &capacity, file)) > 0;) {
        char place[STE_ERROR_PLACE_BYTES];
        snprintf(place, sizeof place, "%s:%llu", path, (unsigned long long)++number);
        if (line[len - 1] != '\n' || strlen(line) != (size_t)len)
            rc = ste_error_at(err, STE_E_PARSE, place, "line cut off or not a text");
        line[len - 1] = '\0';
        if (rc == STE_OK && number > 1)
            rc = take_line(reading, line, place, err);
        else if (rc == STE_OK && strcmp(line, "at_us,kind,name,type,quantity,value") != 0)
            rc = ste_error_at(err, STE_E_PARSE, place, "not the heading of samples");
    }
    if (rc == STE_OK && ferror(file))
        rc = ste_error_set(err, STE_E_FILE, "could not read samples %s: %s", path, strerror(errno));
    if (rc == STE_OK && number == 0)
        rc = ste_error_at(err, STE_E_PARSE, path, "no samples in an empty file");
    free(line);
    return rc;
}

enum ste_code ste_samples_read(const char *path, struct ste_samples *ret, struct ste_error *err)
{
    FILE *file = fopen(path, "re");
    if (!file)
        return ste_error_set(err, STE_E_FILE, "could not open samples %s: %s", path,
                             strerror(errno));
    struct ste_samples samples = {0};
    struct reading reading = {.samples = &samples};
    enum ste_code rc = take_file(file, path, &reading, err);
    (void)fclose(file);
    if (rc == STE_OK)
        *ret = samples;
    else
        ste_samples_deinit(&samples);
    return rc;
}

void ste_samples_deinit(struct ste_samples *samples)
{
    for (size_t i = 0; i < samples->series_count; i++) {
        free(samples->series[i].at_s);
        free(samples->series[i].values);
    }
    free(samples->series);
    free(samples->meta);
    *samples = (struct ste_samples){0};
}

const struct ste_series *ste_samples_find(const struct ste_samples *samples,
                                          enum ste_quantity quantity, const char *name,
                                          const char *type)
{
    for (size_t i = 0; i < samples->series_count; i++) {
        const struct ste_series *series = &samples->series[i];
        if (series->quantity == quantity && (!name || strcmp(series->name, name) == 0) &&
            (!type || strcmp(series->type, type) == 0))
            return series;
    }
    return NULL;
}

const char *ste_samples_meta_value(const struct ste_samples *samples, const char *name)
{
    for (size_t i = samples->meta_count; i-- > 0;)
        if (strcmp(samples->meta[i].name, name) == 0)
            return samples->meta[i].value;
    return NULL;
}

double ste_samples_meta_number(const struct ste_samples *samples, const char *name,
                               double otherwise)
{
    const char *text = ste_samples_meta_value(samples, name);
    char *end = NULL;
    double value = text ? strtod(text, &end) : otherwise;
    return text && (end == text || *end != '\0' || !isfinite(value)) ? otherwise : value;
}

double ste_series_growth(const struct ste_series *series, double from_s, double to_s)
{
    double growth = 0;
    for (size_t i = 1; i < series->count; i++) {
        double start = series->at_s[i - 1], end = series->at_s[i];
        double before = series->values[i - 1], after = series->values[i];
        double more = after >= before ? after - before : after;
        double overlap = fmin(end, to_s) - fmax(start, from_s);
        if (overlap > 0)
            growth += overlap >= end - start ? more : more * overlap / (end - start);
    }
    return growth;
}
