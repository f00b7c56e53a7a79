/* SPDX-License-Identifier: Apache-2.0
 * Base64 of RFC 4648 section 4, strict: padded, no line breaks. Pure. */
#ifndef STE_MSG_BASE64_H
#define STE_MSG_BASE64_H

#include "base/bytes.h"

/* Decodes into out, which has room for `capacity` bytes. False: *ret_bad_offset is where the text
 * stops making sense (its length, when it is cut short or too long for out). */
bool ste_base64_decode(struct ste_bytes text, void *out, size_t capacity, size_t *ret_len,
                       size_t *ret_bad_offset);
/* out needs 4 * ((len + 2) / 3) + 1 bytes, NUL included. */
void ste_base64_encode(const void *data, size_t len, char *out);

#endif
