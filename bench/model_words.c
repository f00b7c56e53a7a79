/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/model_words.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS_MAX = 32, POINTS_MAX = 10000, LINE_BYTES = 4096 };

bool ste_model_number(const char *text, double min, double max, double *ret)
{
    char *end;
    if (text[strspn(text, "0123456789.")] != '\0' || strpbrk(text, "0123456789") == NULL)
        return false;
    const double value = strtod(text, &end);
    if (*end != '\0' || !(value >= min && value <= max))
        return false;
    *ret = value;
    return true;
}

/* A whole number at *at, which moves behind it. */
static bool take_number(const char **at, unsigned max, unsigned *ret)
{
    unsigned value = 0;
    const char *const start = *at;
    for (; **at >= '0' && **at <= '9'; ++*at) {
        value = value * 10 + (unsigned)(**at - '0');
        if (value > max)
            return false;
    }
    *ret = value;
    return *at > start && value >= 1;
}

bool ste_model_list(const char *text, unsigned max, unsigned *ret, size_t room, size_t *ret_count)
{
    size_t count = 0;
    for (;;) {
        unsigned first, last;
        if (max > UINT32_MAX / 10 - 1 || !take_number(&text, max, &first))
            return false;
        last = first;
        if (*text == '-') {
            text++;
            if (!take_number(&text, max, &last) || last < first)
                return false;
        }
        for (unsigned value = first; value <= last; value++) {
            if (count == room)
                return false;
            ret[count++] = value;
        }
        if (*text == '\0')
            break;
        if (*text++ != ',')
            return false;
    }
    *ret_count = count;
    return true;
}

bool ste_model_scales(const char *text, double ret[static STE_PART_COUNT])
{
    char word[64];
    while (*text != '\0') {
        const size_t len = strcspn(text, ",");
        if (len >= sizeof word)
            return false;
        memcpy(word, text, len);
        word[len] = '\0';
        char *const value = strchr(word, '=');
        if (value == NULL)
            return false;
        *value = '\0';
        enum ste_model_part part = 0;
        while (part < STE_PART_COUNT && strcmp(ste_model_part_name(part), word) != 0)
            part++;
        if (part == STE_PART_COUNT || !ste_model_number(value + 1, 0, 1000, &ret[part]))
            return false;
        text += len;
        if (*text == ',' && *++text == '\0')
            return false;
    }
    return true;
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double ste_model_median(double *values, size_t count)
{
    if (count == 0)
        return NAN;
    qsort(values, count, sizeof *values, by_value);
    return count % 2 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

/* ---- measured points ---- */

struct columns {
    size_t nodes, shards, rate;
};

static size_t split(char *line, char *fields[static COLUMNS_MAX])
{
    size_t count = 0;
    line[strcspn(line, "\r\n")] = '\0';
    for (char *field = line; field != NULL && count < COLUMNS_MAX; count++) {
        fields[count] = field;
        field = strchr(field, ',');
        if (field != NULL)
            *field++ = '\0';
    }
    return count;
}

static bool find_columns(char *const *fields, size_t count, struct columns *ret)
{
    *ret = (struct columns){SIZE_MAX, SIZE_MAX, SIZE_MAX};
    for (size_t i = 0; i < count; i++) {
        if (strcmp(fields[i], "nodes") == 0)
            ret->nodes = i;
        else if (strcmp(fields[i], "shards") == 0)
            ret->shards = i;
        else if (strcmp(fields[i], "msg_per_s") == 0)
            ret->rate = i;
    }
    return ret->nodes != SIZE_MAX && ret->shards != SIZE_MAX && ret->rate != SIZE_MAX;
}

static bool read_point(char *const *fields, size_t count, const struct columns *columns,
                       struct ste_model_point *ret)
{
    size_t one;
    return columns->nodes < count && columns->shards < count && columns->rate < count &&
           ste_model_list(fields[columns->nodes], 10000, &ret->nodes, 1, &one) &&
           ste_model_list(fields[columns->shards], 10000, &ret->shards, 1, &one) &&
           ste_model_number(fields[columns->rate], 1e-9, 1e12, &ret->throughput);
}

/* Repeated points become one, where the first of them stands. */
static enum ste_code merge(struct ste_model_point *points, size_t *count, struct ste_error *err)
{
    double *const values = calloc(*count + 1, sizeof *values);
    size_t kept = 0;
    if (values == NULL)
        return ste_error_set(err, STE_E_NOMEM, "no memory for measured points");
    for (size_t i = 0; i < *count; i++) {
        size_t found = 0;
        struct ste_model_point point = points[i];
        bool known = false;
        for (size_t k = 0; k < kept; k++)
            known = known || (points[k].nodes == point.nodes && points[k].shards == point.shards);
        if (known)
            continue;
        for (size_t k = i; k < *count; k++) {
            if (points[k].nodes == point.nodes && points[k].shards == point.shards)
                values[found++] = points[k].throughput;
        }
        point.throughput = ste_model_median(values, found);
        points[kept++] = point;
    }
    *count = kept;
    free(values);
    return STE_OK;
}

static enum ste_code read_lines(FILE *file, const char *path, struct ste_model_point *points,
                                size_t *ret_count, struct ste_error *err)
{
    char line[LINE_BYTES], place[256], *fields[COLUMNS_MAX];
    struct columns columns = {0};
    size_t count = 0;
    for (unsigned number = 1; fgets(line, sizeof line, file) != NULL; number++) {
        (void)snprintf(place, sizeof place, "%.200s:%u", path, number);
        const size_t found = split(line, fields);
        if (number == 1 && !find_columns(fields, found, &columns))
            return ste_error_at(err, STE_E_PARSE, place,
                                "the heading does not name nodes, shards and msg_per_s");
        if (number == 1 || (found == 1 && fields[0][0] == '\0'))
            continue;
        if (count == POINTS_MAX || !read_point(fields, found, &columns, &points[count]))
            return ste_error_at(err, STE_E_PARSE, place, "no point, or too many of them");
        count++;
    }
    *ret_count = count;
    if (ferror(file))
        return ste_error_set(err, STE_E_FILE, "could not read %s: %s", path, strerror(errno));
    return count > 0 ? STE_OK : ste_error_set(err, STE_E_PARSE, "%s holds no points", path);
}

enum ste_code ste_model_read_points(const char *path, struct ste_model_point **ret,
                                    size_t *ret_count, struct ste_error *err)
{
    size_t count = 0;
    FILE *const file = fopen(path, "re");
    if (file == NULL)
        return ste_error_set(err, STE_E_FILE, "could not open %s: %s", path, strerror(errno));
    struct ste_model_point *const points = calloc(POINTS_MAX, sizeof *points);
    enum ste_code rc = points ? read_lines(file, path, points, &count, err)
                              : ste_error_set(err, STE_E_NOMEM, "no memory for measured points");
    if (rc == STE_OK)
        rc = merge(points, &count, err);
    (void)fclose(file); /* only read */
    if (rc != STE_OK) {
        free(points);
        return rc;
    }
    *ret = points;
    *ret_count = count;
    return STE_OK;
}
