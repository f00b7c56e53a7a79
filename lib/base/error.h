/* SPDX-License-Identifier: Apache-2.0
 * One shape of failure for every library: a code is returned, the details go to the caller's
 * struct ste_error. Libraries return, programs log. Outputs named ret_… stay as they are on
 * failure. */
#ifndef STE_BASE_ERROR_H
#define STE_BASE_ERROR_H

#define STE_MUST_CHECK __attribute__((warn_unused_result))
#define STE_PRINTF(format_at, first_at) __attribute__((format(printf, format_at, first_at)))

enum ste_code {
    STE_OK = 0,
#define X(name, class, text) name,
#include "base/errors.def"
#undef X
    STE_CODE_COUNT
};

/* What the caller does about a failure. Only a worker loop turns a class into action. */
enum ste_class {
    STE_CLASS_NONE,   /* STE_OK */
    STE_CLASS_RETRY,  /* the outside world; the same again later */
    STE_CLASS_REJECT, /* this input; never the same again */
    STE_CLASS_STOP,   /* this process; a person must act */
};

enum { STE_ERROR_PLACE_BYTES = 128, STE_ERROR_TEXT_BYTES = 512 };

struct ste_error {
    enum ste_code code;
    char place[STE_ERROR_PLACE_BYTES]; /* "file:line:column", element or offset; may be empty */
    char text[STE_ERROR_TEXT_BYTES];   /* lower case, no full stop: "could not open shard 3: …" */
};

/* Fills *err (may be NULL) and returns `code`, so that a failing function ends in one line. */
enum ste_code ste_error_set(struct ste_error *err, enum ste_code code, const char *format, ...)
    STE_PRINTF(3, 4);
/* The same, with a place. */
enum ste_code ste_error_at(struct ste_error *err, enum ste_code code, const char *place,
                           const char *format, ...) STE_PRINTF(4, 5);

const char *ste_code_name(enum ste_code code); /* "STE_E_MQ_DOWN" */
const char *ste_code_text(enum ste_code code);
enum ste_class ste_code_class(enum ste_code code);
const char *ste_class_name(enum ste_class class); /* "retry" */

#endif
