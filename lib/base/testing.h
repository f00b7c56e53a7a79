/* SPDX-License-Identifier: Apache-2.0
 * For unit tests: cmocka with what it wants included, and what tests of all folders assert. */
#ifndef STE_BASE_TESTING_H
#define STE_BASE_TESTING_H

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

/* A view holds just this text; "" stands for an absent one. */
#define assert_text(view, expected)                                                                \
    do {                                                                                           \
        const struct ste_bytes view_ = (view);                                                     \
        if (!ste_bytes_equal(view_, ste_bytes_of(expected)))                                       \
            fail_msg("\"%.*s\" is not \"%s\"", (int)view_.len, view_.at ? view_.at : "",           \
                     (expected));                                                                  \
    } while (0)
/* The call, which may name `&err`, says STE_OK. */
#define assert_ok(call)                                                                            \
    do {                                                                                           \
        struct ste_error err = {0};                                                                \
        if ((call) != STE_OK)                                                                      \
            fail_msg("%s: %s", #call, err.text);                                                   \
    } while (0)

#endif
