/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/points.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct reading {
    struct ste_points points;
    struct ste_arena *arena;
    size_t capacity; /* rows */
    char place[STE_ERROR_PLACE_BYTES];
};

/* Cuts a line at its commas into the arena. False: more than the most, or lack of memory. */
static bool split(struct reading *reading, const char *line, char **fields, size_t *ret_count)
{
    size_t count = 0;
    for (;;) {
        size_t len = strcspn(line, ",\r\n");
        char *field = count < STE_POINTS_COLUMNS_MAX
                          ? ste_arena_printf(reading->arena, "%.*s", (int)len, line)
                          : NULL;
        if (!field)
            return false;
        fields[count++] = field;
        if (line[len] != ',')
            break;
        line += len + 1;
    }
    *ret_count = count;
    return true;
}

static enum ste_code add_row(struct reading *reading, char *const *fields, struct ste_error *err)
{
    struct ste_points *points = &reading->points;
    if (points->row_count == STE_POINTS_ROWS_MAX)
        return ste_error_at(err, STE_E_LIMIT, reading->place, "more than %d rows",
                            STE_POINTS_ROWS_MAX);
    if (points->row_count == reading->capacity) {
        size_t capacity = reading->capacity ? 2 * reading->capacity : 64;
        char **cells = STE_ARENA_ARRAY(reading->arena, char *, capacity * points->column_count);
        if (!cells)
            return ste_error_set(err, STE_E_NOMEM, "no memory for %s", points->path);
        if (points->row_count > 0)
            memcpy(cells, points->cells, points->row_count * points->column_count * sizeof *cells);
        points->cells = cells;
        reading->capacity = capacity;
    }
    memcpy(points->cells + points->row_count++ * points->column_count, fields,
           points->column_count * sizeof *fields);
    return STE_OK;
}

static enum ste_code take_line(struct reading *reading, const char *line, struct ste_error *err)
{
    struct ste_points *points = &reading->points;
    char *fields[STE_POINTS_COLUMNS_MAX];
    size_t count = 0;
    if (line[strspn(line, " \t\r\n")] == '\0')
        return STE_OK;
    if (!split(reading, line, fields, &count))
        return ste_error_at(err, STE_E_LIMIT, reading->place, "more than %d columns, or no memory",
                            STE_POINTS_COLUMNS_MAX);
    if (points->column_count > 0 && count != points->column_count)
        return ste_error_at(err, STE_E_PARSE, reading->place,
                            "%zu fields where the heading has %zu", count, points->column_count);
    if (points->column_count > 0)
        return add_row(reading, fields, err);
    points->headings = STE_ARENA_ARRAY(reading->arena, char *, count);
    if (!points->headings)
        return ste_error_set(err, STE_E_NOMEM, "no memory for %s", points->path);
    memcpy(points->headings, fields, count * sizeof *fields);
    points->column_count = count;
    return STE_OK;
}

enum ste_code ste_points_read(const char *path, struct ste_arena *arena, struct ste_points *ret,
                              struct ste_error *err)
{
    FILE *file = fopen(path, "re");
    if (!file)
        return ste_error_set(err, STE_E_FILE, "could not open points %s: %s", path,
                             strerror(errno));
    struct reading reading = {.points = {.path = path}, .arena = arena};
    char *line = NULL;
    size_t capacity = 0, number = 0;
    enum ste_code rc = STE_OK;
    while (rc == STE_OK && getline(&line, &capacity, file) > 0) {
        (void)snprintf(reading.place, sizeof reading.place, "%s:%zu", path, ++number);
        rc = take_line(&reading, line, err);
    }
    if (rc == STE_OK && ferror(file))
        rc = ste_error_set(err, STE_E_FILE, "could not read points %s: %s", path, strerror(errno));
    if (rc == STE_OK && reading.points.row_count == 0)
        rc = ste_error_at(err, STE_E_PARSE, path, "no row of points");
    free(line);
    (void)fclose(file);
    if (rc == STE_OK)
        *ret = reading.points;
    return rc;
}

const char *ste_points_text(const struct ste_points *points, size_t row, const char *column)
{
    for (size_t c = 0; c < points->column_count; c++)
        if (strcmp(points->headings[c], column) == 0)
            return points->cells[row * points->column_count + c];
    return NULL;
}

double ste_points_number(const struct ste_points *points, size_t row, const char *column)
{
    const char *text = ste_points_text(points, row, column);
    char *end = NULL;
    double value = text ? strtod(text, &end) : NAN;
    return text && (end == text || *end != '\0') ? NAN : value;
}

enum ste_code ste_points_check(const struct ste_points *points, const char *const *columns,
                               struct ste_error *err)
{
    for (size_t row = 0; row < points->row_count; row++)
        for (const char *const *column = columns; *column; column++) {
            double value = ste_points_number(points, row, *column);
            char place[STE_ERROR_PLACE_BYTES];
            if (isfinite(value) && value >= 0)
                continue;
            (void)snprintf(place, sizeof place, "%s, row %zu", points->path, row + 1);
            return ste_error_at(err, STE_E_PARSE, place, "column %s wants a number", *column);
        }
    return STE_OK;
}

static int by_value(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

double ste_median(double *values, size_t count)
{
    if (count == 0)
        return NAN;
    qsort(values, count, sizeof *values, by_value);
    return count % 2 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

struct run {
    double series, x, y, predicted;
};

static int by_place(const void *a, const void *b)
{
    const struct run *left = a, *right = b;
    if (left->series != right->series)
        return left->series < right->series ? -1 : 1;
    return (left->x > right->x) - (left->x < right->x);
}

/* `runs` all have one series and x. */
static struct ste_point point_of(const struct run *runs, size_t count, double *room)
{
    struct ste_point point = {.series = runs->series, .x = runs->x, .runs = count};
    size_t predicted = 0;
    for (size_t i = 0; i < count; i++)
        if (isfinite(runs[i].predicted))
            room[predicted++] = runs[i].predicted;
    point.predicted = ste_median(room, predicted);
    for (size_t i = 0; i < count; i++)
        room[i] = runs[i].y;
    point.median = ste_median(room, count);
    point.least = room[0];
    point.most = room[count - 1];
    return point;
}

enum ste_code ste_points_gather(const struct ste_points *points, const char *series, const char *x,
                                const char *y, const char *predicted,
                                bool (*keep)(const struct ste_points *, size_t row),
                                struct ste_arena *arena, struct ste_point_list *ret,
                                struct ste_error *err)
{
    struct run *runs = STE_ARENA_ARRAY(arena, struct run, points->row_count);
    double *room = STE_ARENA_ARRAY(arena, double, points->row_count);
    struct ste_point *items = STE_ARENA_ARRAY(arena, struct ste_point, points->row_count);
    if (!runs || !room || !items)
        return ste_error_set(err, STE_E_NOMEM, "no memory for %s", points->path);
    size_t count = 0, found = 0;
    for (size_t row = 0; row < points->row_count; row++) {
        if (keep && !keep(points, row))
            continue;
        struct run run = {.series = series ? ste_points_number(points, row, series) : 0,
                          .x = ste_points_number(points, row, x),
                          .y = ste_points_number(points, row, y),
                          .predicted = predicted ? ste_points_number(points, row, predicted) : NAN};
        if (!isfinite(run.series) || !isfinite(run.x) || !isfinite(run.y)) {
            char place[STE_ERROR_PLACE_BYTES];
            (void)snprintf(place, sizeof place, "%s, row %zu", points->path, row + 1);
            return ste_error_at(err, STE_E_PARSE, place, "columns %s%s%s and %s want a number",
                                series ? series : "", series ? ", " : "", x, y);
        }
        runs[count++] = run;
    }
    qsort(runs, count, sizeof *runs, by_place);
    for (size_t i = 0, same; i < count; i += same) {
        for (same = 1; i + same < count && by_place(&runs[i], &runs[i + same]) == 0; same++)
            continue;
        items[found++] = point_of(&runs[i], same, room);
    }
    *ret = (struct ste_point_list){.items = items, .count = found};
    return STE_OK;
}
