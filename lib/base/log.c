/* SPDX-License-Identifier: Apache-2.0
 * Each line is built apart and written by one write(), so that lines of several threads never mix.
 */
#include "base/log.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"

enum { LINE_BYTES = 4096 };

static const char *const level_names[] = {
    [STE_LOG_DEBUG] = "debug",
    [STE_LOG_INFO] = "info",
    [STE_LOG_WARN] = "warn",
    [STE_LOG_ERROR] = "error",
};
enum { LEVEL_COUNT = sizeof(level_names) / sizeof(level_names[0]) };

bool ste_log_level_of(const char *name, enum ste_log_level *ret)
{
    for (int level = 0; level < LEVEL_COUNT; level++) {
        if (strcmp(name, level_names[level]) == 0) {
            *ret = (enum ste_log_level)level;
            return true;
        }
    }
    return false;
}

/* Nobody is left to tell when stderr itself fails. */
static void write_all(const char *at, size_t len)
{
    while (len > 0) {
        ssize_t written = write(STDERR_FILENO, at, len);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return;
        at += written;
        len -= (size_t)written;
    }
}

void ste_log_line(const struct ste_log *log, enum ste_log_level level, const char *event,
                  const char *fields, ...)
{
    static const char cut_mark[] = " cut=true";
    char line[LINE_BYTES], stamp[STE_CLOCK_TEXT_BYTES];
    const size_t room = sizeof(line) - sizeof(cut_mark) - 1;
    if (level < log->level)
        return;
    ste_clock_format_us(ste_clock_wall_us(), stamp);
    int head = snprintf(line, room, "ts=%s level=%s proc=%s event=%s", stamp, level_names[level],
                        log->proc, event);
    size_t len = head < 0 ? 0 : (size_t)head < room ? (size_t)head : room - 1;
    if (fields[0] != '\0' && len + 1 < room) {
        va_list args;
        line[len++] = ' ';
        va_start(args, fields);
        int tail = vsnprintf(line + len, room - len, fields, args);
        va_end(args);
        if (tail >= 0 && (size_t)tail < room - len) {
            len += (size_t)tail;
        } else {
            len += strnlen(line + len, room - len);
            memcpy(line + len, cut_mark, sizeof(cut_mark) - 1);
            len += sizeof(cut_mark) - 1;
        }
    }
    for (size_t i = 0; i < len; i++) {
        unsigned char c = (unsigned char)line[i];
        if (c < 0x20 || c == 0x7f)
            line[i] = '?'; /* one event is one line, whatever a value held */
    }
    line[len++] = '\n';
    write_all(line, len);
}

void ste_log_error(const struct ste_log *log, enum ste_log_level level, const char *event,
                   const struct ste_error *err)
{
    char place[2 * STE_ERROR_PLACE_BYTES], text[2 * STE_ERROR_TEXT_BYTES];
    ste_log_quote(err->text, text, sizeof(text));
    if (err->place[0] == '\0') {
        ste_log_line(log, level, event, "class=%s code=%s text=%s",
                     ste_class_name(ste_code_class(err->code)), ste_code_name(err->code), text);
        return;
    }
    ste_log_line(log, level, event, "class=%s code=%s place=%s text=%s",
                 ste_class_name(ste_code_class(err->code)), ste_code_name(err->code),
                 ste_log_quote(err->place, place, sizeof(place)), text);
}

/* The escape of one byte, or 0 where it stands for itself. */
static char escape_of(char c)
{
    switch (c) {
    case '"':
    case '\\':
        return c;
    case '\n':
        return 'n';
    case '\r':
        return 'r';
    case '\t':
        return 't';
    default:
        return 0;
    }
}

const char *ste_log_quote(const char *text, char *out, unsigned out_bytes)
{
    unsigned len = 0;
    if (out_bytes < 3) {
        if (out_bytes > 0)
            out[0] = '\0';
        return out;
    }
    out[len++] = '"';
    for (; *text; text++) {
        char escape = escape_of(*text);
        if (len + (escape ? 2u : 1u) + 2u > out_bytes)
            break;
        if (escape)
            out[len++] = '\\';
        out[len++] = escape ? escape : *text;
    }
    out[len++] = '"';
    out[len] = '\0';
    return out;
}
