/* SPDX-License-Identifier: Apache-2.0 */
#include "msg/base64.h"

#include <string.h>

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static int digit_of(char c)
{
    const char *found = c ? strchr(digits, c) : NULL;
    return found ? (int)(found - digits) : -1;
}

/* Two, three or four digits give one, two or three bytes; false also when bits are left that no
 * byte uses, for one value has one text. */
static bool decode_group(const char *at, size_t count, unsigned char out[static 3], size_t *ret_bad)
{
    uint32_t bits = 0;
    for (size_t i = 0; i < 4; i++) {
        int digit = i < count ? digit_of(at[i]) : 0;
        if (digit < 0) {
            *ret_bad = i;
            return false;
        }
        bits = bits << 6 | (uint32_t)digit;
    }
    out[0] = (unsigned char)(bits >> 16);
    out[1] = (unsigned char)(bits >> 8);
    out[2] = (unsigned char)bits;
    uint32_t unused = count == 2 ? bits & 0xFFFF : count == 3 ? bits & 0xFF : 0;
    *ret_bad = count - 1;
    return unused == 0;
}

bool ste_base64_decode(struct ste_bytes text, void *out, size_t capacity, size_t *ret_len,
                       size_t *ret_bad_offset)
{
    unsigned char *to = out;
    size_t len = 0;
    for (size_t at = 0; at < text.len; at += 4) {
        unsigned char group[3];
        size_t left = text.len - at, count = 4, bad = 0;
        if (left < 4) {
            while (at < text.len && (digit_of(text.at[at]) >= 0 || text.at[at] == '='))
                at++;
            *ret_bad_offset = at; /* the first wrong byte, else the missing one */
            return false;
        }
        if (left == 4 && text.at[at + 3] == '=')
            count = text.at[at + 2] == '=' ? 2 : 3;
        if (!decode_group(text.at + at, count, group, &bad)) {
            *ret_bad_offset = at + bad;
            return false;
        }
        if (len + count - 1 > capacity) {
            *ret_bad_offset = text.len;
            return false;
        }
        memcpy(to + len, group, count - 1);
        len += count - 1;
    }
    *ret_len = len;
    return true;
}

void ste_base64_encode(const void *data, size_t len, char *out)
{
    const unsigned char *from = data;
    for (size_t at = 0; at < len; at += 3) {
        size_t left = len - at;
        uint32_t bits = (uint32_t)from[at] << 16 | (left > 1 ? (uint32_t)from[at + 1] << 8 : 0) |
                        (left > 2 ? from[at + 2] : 0);
        *out++ = digits[bits >> 18];
        *out++ = digits[bits >> 12 & 63];
        *out++ = left > 1 ? digits[bits >> 6 & 63] : '=';
        *out++ = left > 2 ? digits[bits & 63] : '=';
    }
    *out = '\0';
}
