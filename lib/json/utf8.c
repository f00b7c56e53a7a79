/* SPDX-License-Identifier: Apache-2.0 */
#include "json/utf8.h"

size_t ste_utf8_length(const char *text, size_t len)
{
    const unsigned char *at = (const unsigned char *)text;
    unsigned char low = 0x80, high = 0xbf; /* bounds of the second byte */
    size_t want;
    if (len == 0)
        return 0;
    if (at[0] < 0x80)
        return 1;
    if (at[0] >= 0xc2 && at[0] <= 0xdf) {
        want = 2;
    } else if (at[0] >= 0xe0 && at[0] <= 0xef) {
        want = 3;
        low = at[0] == 0xe0 ? 0xa0 : low;   /* shorter forms exist */
        high = at[0] == 0xed ? 0x9f : high; /* surrogates */
    } else if (at[0] >= 0xf0 && at[0] <= 0xf4) {
        want = 4;
        low = at[0] == 0xf0 ? 0x90 : low;
        high = at[0] == 0xf4 ? 0x8f : high; /* above U+10FFFF */
    } else {
        return 0;
    }
    if (len < want || at[1] < low || at[1] > high)
        return 0;
    for (size_t i = 2; i < want; i++) {
        if (at[i] < 0x80 || at[i] > 0xbf)
            return 0;
    }
    return want;
}
