/* SPDX-License-Identifier: Apache-2.0
 * Well-formed UTF-8 (RFC 3629): shortest forms only, no surrogates, up to U+10FFFF. */
#ifndef STE_BASE_UTF8_H
#define STE_BASE_UTF8_H

#include <stddef.h>

/* Bytes of the character at `at` (1 to 4; a NUL is one), which must be below `end`. 0: none begins
 * there, or it does not end before `end`. */
size_t ste_utf8_bytes(const char *at, const char *end);

#endif
