/* SPDX-License-Identifier: Apache-2.0
 * What the tests of this folder share. */
#ifndef STE_BRIDGE_TESTING_H
#define STE_BRIDGE_TESTING_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/bytes.h"

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

#define assert_text(view, expected)                                                                \
    do {                                                                                           \
        const struct ste_bytes view_ = (view);                                                     \
        if (!ste_bytes_equal(view_, ste_bytes_of(expected)))                                       \
            fail_msg("\"%.*s\" is not \"%s\"", (int)view_.len, view_.at ? view_.at : "",           \
                     (expected));                                                                  \
    } while (0)
#define assert_ok(call)                                                                            \
    do {                                                                                           \
        struct ste_error err = {0};                                                                \
        if ((call) != STE_OK)                                                                      \
            fail_msg("%s: %s", #call, err.text);                                                   \
    } while (0)

/* What is written to `file`, as one text. */
struct sink {
    FILE *file;
    char *text;
    size_t bytes;
};

static inline struct sink *sink_open(struct sink *sink)
{
    sink->file = open_memstream(&sink->text, &sink->bytes);
    assert_non_null(sink->file);
    return sink;
}

static inline void sink_close(struct sink *sink)
{
    fclose(sink->file);
    free(sink->text);
}

#endif
