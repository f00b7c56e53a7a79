/* SPDX-License-Identifier: Apache-2.0
 * Inside lib/json. */
#ifndef STE_JSON_UTF8_H
#define STE_JSON_UTF8_H

#include <stddef.h>

/* Bytes of the well-formed UTF-8 character at `at` (RFC 3629: shortest form, no surrogates, up to
 * U+10FFFF), at most `len`; 0 when there is none. */
size_t ste_utf8_length(const char *at, size_t len);

#endif
