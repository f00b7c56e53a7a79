/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/prometheus.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NUMBER_BYTES = 64 };

static struct ste_bytes take_line(struct ste_bytes *text)
{
    const char *end = memchr(text->at, '\n', text->len);
    struct ste_bytes line = {text->at, end ? (size_t)(end - text->at) : text->len};
    size_t step = end ? line.len + 1 : line.len;
    text->at += step;
    text->len -= step;
    return line;
}

/* Bytes up to the quote that ends a label's value; escaped ones are passed. */
static size_t quoted_bytes(struct ste_bytes text)
{
    size_t at = 0;
    while (at < text.len && text.at[at] != '"')
        at += text.at[at] == '\\' && at + 1 < text.len ? 2 : 1;
    return at;
}

/* Bytes up to the brace that ends the labels; text.len: there is none. */
static size_t labels_bytes(struct ste_bytes text)
{
    size_t at = 0;
    while (at < text.len && text.at[at] != '}') {
        if (text.at[at++] != '"')
            continue;
        at += quoted_bytes((struct ste_bytes){text.at + at, text.len - at}) + 1;
    }
    return at < text.len ? at : text.len;
}

/* " 12.5" or " 12.5 1700000000000" (a time stamp may follow). */
static bool take_value(struct ste_bytes text, double *ret)
{
    char number[NUMBER_BYTES], *end = NULL;
    if (text.len == 0 || text.len >= sizeof number || text.at[0] != ' ')
        return false;
    memcpy(number, text.at, text.len);
    number[text.len] = '\0';
    double value = strtod(number, &end);
    if (end == number || (*end != '\0' && *end != ' ') || !isfinite(value))
        return false;
    *ret = value;
    return true;
}

static bool read_line(struct ste_bytes line, struct ste_prometheus_line *ret)
{
    size_t name = 0;
    while (name < line.len && line.at[name] != '{' && line.at[name] != ' ')
        name++;
    if (name == 0 || name == line.len || line.at[0] == '#')
        return false;
    struct ste_bytes labels = {0}, rest = {line.at + name, line.len - name};
    if (*rest.at == '{') {
        labels = (struct ste_bytes){rest.at + 1, rest.len - 1};
        const size_t bytes = labels_bytes(labels);
        if (bytes == labels.len)
            return false;
        labels.len = bytes;
        rest = (struct ste_bytes){rest.at + bytes + 2, rest.len - bytes - 2};
    }
    double value = 0;
    if (!take_value(rest, &value))
        return false;
    *ret = (struct ste_prometheus_line){{line.at, name}, labels, value};
    return true;
}

bool ste_prometheus_next(struct ste_bytes *text, struct ste_prometheus_line *ret)
{
    while (text->len > 0)
        if (read_line(take_line(text), ret))
            return true;
    return false;
}

struct ste_bytes ste_prometheus_label(const struct ste_prometheus_line *line, const char *label)
{
    struct ste_bytes rest = line->labels;
    const size_t label_bytes = strlen(label);
    while (rest.len > 0) {
        const char *equals = memchr(rest.at, '=', rest.len);
        const size_t key = equals ? (size_t)(equals - rest.at) : 0;
        if (!equals || key + 2 > rest.len || equals[1] != '"')
            break;
        struct ste_bytes value = {equals + 2, rest.len - key - 2};
        const size_t bytes = quoted_bytes(value);
        if (bytes >= value.len)
            break;
        if (key == label_bytes && memcmp(rest.at, label, key) == 0)
            return (struct ste_bytes){value.at, bytes};
        size_t step = bytes + 1;
        if (step < value.len && value.at[step] == ',')
            step++;
        rest = (struct ste_bytes){value.at + step, value.len - step};
    }
    return (struct ste_bytes){0};
}
