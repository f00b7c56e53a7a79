/* SPDX-License-Identifier: Apache-2.0 */
#include "base/utf8.h"

/* The Unicode Standard, table 3-7: after some lead bytes the second one has narrower bounds. */
size_t ste_utf8_bytes(const char *at, const char *end)
{
    const unsigned char *c = (const unsigned char *)at;
    unsigned char lead = c[0], low = 0x80, high = 0xBF;
    if (lead < 0x80)
        return 1;
    size_t bytes = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
    if (lead < 0xC2 || lead > 0xF4 || (size_t)(end - at) < bytes)
        return 0;
    if (lead == 0xE0)
        low = 0xA0;
    else if (lead == 0xED)
        high = 0x9F; /* surrogates */
    else if (lead == 0xF0)
        low = 0x90;
    else if (lead == 0xF4)
        high = 0x8F; /* above U+10FFFF */
    for (size_t i = 1; i < bytes; i++) {
        if (c[i] < low || c[i] > high)
            return 0;
        low = 0x80;
        high = 0xBF;
    }
    return bytes;
}
