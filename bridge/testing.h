/* SPDX-License-Identifier: Apache-2.0
 * What the tests of this folder share. */
#ifndef STE_BRIDGE_TESTING_H
#define STE_BRIDGE_TESTING_H

#include "base/testing.h"

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
