/* SPDX-License-Identifier: Apache-2.0
 * Lines are kept sorted: strverscmp compares runs of digits as numbers, so that line 9 comes before
 * line 42. */
#include "conf/tree.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FAULT_BYTES = 1024 };

void ste_faults_deinit(struct ste_faults *faults)
{
    for (size_t i = 0; i < faults->count; i++)
        free(faults->lines[i]);
    free(faults->lines);
    *faults = (struct ste_faults){0};
}

bool ste_faults_any(const struct ste_faults *faults)
{
    return faults->count > 0 || faults->nomem;
}

/* Where the line belongs: behind all that are not greater. */
static size_t place_of(const struct ste_faults *faults, const char *line)
{
    size_t low = 0, high = faults->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (strverscmp(faults->lines[middle], line) <= 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void keep(struct ste_faults *faults, const char *line, bool sorted)
{
    if (faults->count == faults->capacity) {
        size_t capacity = faults->capacity ? 2 * faults->capacity : 16;
        char **lines = realloc(faults->lines, capacity * sizeof(*lines));
        if (!lines) {
            faults->nomem = true;
            return;
        }
        faults->lines = lines;
        faults->capacity = capacity;
    }
    char *copy = strdup(line);
    if (!copy) {
        faults->nomem = true;
        return;
    }
    size_t at = sorted ? place_of(faults, line) : faults->count;
    memmove(&faults->lines[at + 1], &faults->lines[at],
            (faults->count - at) * sizeof(*faults->lines));
    faults->lines[at] = copy;
    faults->count++;
}

void ste_faults_add(struct ste_faults *faults, const struct ste_yaml *node, const char *path,
                    const char *format, ...)
{
    char line[FAULT_BYTES];
    int head = 0;
    if (!faults)
        return;
    if (faults->count >= STE_FAULTS_MAX) {
        if (faults->count == STE_FAULTS_MAX)
            keep(faults, "further faults are not shown", false);
        return;
    }
    if (node)
        head = snprintf(line, sizeof(line) / 2, "%s:%u:%u: ", node->file, node->line, node->column);
    size_t len = head < 0                          ? 0
                 : (size_t)head < sizeof(line) / 2 ? (size_t)head
                                                   : sizeof(line) / 2 - 1;
    if (path[0] != '\0') {
        /* A path of hostile keys leaves room for what is wrong with it. */
        int middle = snprintf(line + len, sizeof(line) / 4, "%.200s: ", path);
        len += middle < 0 ? 0 : (size_t)middle;
    }
    va_list args;
    va_start(args, format);
    if (vsnprintf(line + len, sizeof(line) - len, format, args) < 0)
        line[len] = '\0';
    va_end(args);
    for (char *at = line; *at; at++) {
        if ((unsigned char)*at < 0x20 || *at == 0x7f)
            *at = '?';
    }
    keep(faults, line, true);
}

void ste_faults_print(const struct ste_faults *faults, FILE *file)
{
    for (size_t i = 0; i < faults->count; i++)
        fprintf(file, "%s\n", faults->lines[i]);
    if (faults->nomem)
        fputs("out of memory: further faults are not shown\n", file);
}
