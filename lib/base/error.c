/* SPDX-License-Identifier: Apache-2.0 */
#include "base/error.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

struct code_row {
    const char *name;
    enum ste_class class;
    const char *text;
};

static const struct code_row code_rows[STE_CODE_COUNT] = {
    {"STE_OK", STE_CLASS_NONE, "no error"},
#define X(name, class, text) {#name, class, text},
#include "base/errors.def"
#undef X
};

static const struct code_row unknown_row = {"STE_E_UNKNOWN", STE_CLASS_STOP, "unknown error code"};

static const struct code_row *code_row(enum ste_code code)
{
    unsigned index = (unsigned)code;
    return index < STE_CODE_COUNT ? &code_rows[index] : &unknown_row;
}

/* Formats apart first: callers wrap an error with its own text as an argument. */
static void fill(struct ste_error *err, enum ste_code code, const char *place, const char *format,
                 va_list args) __attribute__((format(printf, 4, 0)));

static void fill(struct ste_error *err, enum ste_code code, const char *place, const char *format,
                 va_list args)
{
    char text[STE_ERROR_TEXT_BYTES];
    if (!err)
        return;
    if (vsnprintf(text, sizeof(text), format, args) < 0)
        text[0] = '\0';
    memcpy(err->text, text, strlen(text) + 1);
    err->code = code;
    if (place != err->place) {
        size_t len = strnlen(place, sizeof(err->place) - 1);
        memcpy(err->place, place, len);
        err->place[len] = '\0';
    }
}

enum ste_code ste_error_set(struct ste_error *err, enum ste_code code, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fill(err, code, "", format, args);
    va_end(args);
    return code;
}

enum ste_code ste_error_at(struct ste_error *err, enum ste_code code, const char *place,
                           const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fill(err, code, place ? place : "", format, args);
    va_end(args);
    return code;
}

const char *ste_code_name(enum ste_code code)
{
    return code_row(code)->name;
}

const char *ste_code_text(enum ste_code code)
{
    return code_row(code)->text;
}

enum ste_class ste_code_class(enum ste_code code)
{
    return code_row(code)->class;
}

const char *ste_class_name(enum ste_class class)
{
    switch (class) {
    case STE_CLASS_NONE:
        return "none";
    case STE_CLASS_RETRY:
        return "retry";
    case STE_CLASS_REJECT:
        return "reject";
    case STE_CLASS_STOP:
        break;
    }
    return "stop";
}
