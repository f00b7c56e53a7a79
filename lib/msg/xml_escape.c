/* SPDX-License-Identifier: Apache-2.0 */
#include "msg/xml_escape.h"

#include "base/utf8.h"

static const char *reference_of(unsigned char c)
{
    switch (c) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    case '\t':
        return "&#9;";
    case '\n':
        return "&#10;";
    case '\r':
        return "&#13;";
    default:
        return c < 0x20 ? "\xEF\xBF\xBD" : NULL;
    }
}

/* U+FFFE and U+FFFF are UTF-8 but no XML characters. */
static bool is_noncharacter(const char *at, size_t bytes)
{
    const unsigned char *c = (const unsigned char *)at;
    return bytes == 3 && c[0] == 0xEF && c[1] == 0xBF && c[2] >= 0xBE;
}

void ste_xml_escape(struct ste_buf *buf, struct ste_bytes text)
{
    const char *at = text.at, *end = text.at + text.len, *plain = at;
    while (at < end) {
        size_t bytes = ste_utf8_bytes(at, end);
        const char *instead = bytes ? NULL : "\xEF\xBF\xBD";
        if (bytes == 1)
            instead = reference_of((unsigned char)*at);
        else if (bytes && is_noncharacter(at, bytes))
            instead = "\xEF\xBF\xBD";
        if (!instead) {
            at += bytes;
            continue;
        }
        ste_buf_append(buf, plain, (size_t)(at - plain));
        ste_buf_append_cstr(buf, instead);
        at += bytes ? bytes : 1;
        plain = at;
    }
    ste_buf_append(buf, plain, (size_t)(end - plain));
}
