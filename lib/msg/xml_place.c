/* SPDX-License-Identifier: Apache-2.0 */
#include "msg/xml_place.h"

#include <string.h>

#include "base/utf8.h"

/* All eight bytes are ASCII and none is NUL. */
static bool eight_plain(const char *at)
{
    uint64_t word = 0;
    memcpy(&word, at, sizeof(word));
    uint64_t high = UINT64_C(0x8080808080808080), ones = UINT64_C(0x0101010101010101);
    return ((word | (word - ones)) & high) == 0;
}

static size_t first_bad(struct ste_bytes body, bool *ret_ascii)
{
    const char *at = body.at, *end = body.at + body.len;
    *ret_ascii = true;
    while (at < end) {
        if (end - at >= 8 && eight_plain(at)) {
            at += 8;
            continue;
        }
        size_t bytes = *at ? ste_utf8_bytes(at, end) : 0;
        if (bytes == 0)
            break;
        if (bytes > 1)
            *ret_ascii = false;
        at += bytes;
    }
    return (size_t)(at - body.at);
}

static bool has_lone_cr(struct ste_bytes body)
{
    const char *at = body.at, *end = body.at + body.len;
    while (at < end && (at = memchr(at, '\r', (size_t)(end - at))) != NULL) {
        if (++at == end || *at != '\n')
            return true;
    }
    return false;
}

struct ste_xml_scan ste_xml_scan_of(struct ste_bytes body)
{
    struct ste_xml_scan scan = {.ascii = true};
    if (body.len == 0)
        return scan;
    scan.bad_offset = first_bad(body, &scan.ascii);
    scan.lone_cr = has_lone_cr(body);
    if (body.len >= 3 && memcmp(body.at, "\xEF\xBB\xBF", 3) == 0)
        scan.bom_bytes = 3;
    return scan;
}

struct ste_xml_place ste_xml_place_start(struct ste_bytes body, struct ste_xml_scan scan)
{
    return (struct ste_xml_place){
        .body = body, .scan = scan, .offset = scan.bom_bytes, .line = 1, .column = 1};
}

static uint32_t count_characters(const char *at, const char *end)
{
    uint32_t count = 0;
    for (; at < end; at++)
        count += ((unsigned char)*at & 0xC0) != 0x80;
    return count;
}

/* The next line's first byte, or NULL when the line does not end before `end`. */
static const char *next_line(const struct ste_xml_place *place, const char *at, const char *end)
{
    const char *feed = memchr(at, '\n', (size_t)(end - at));
    if (place->scan.lone_cr) {
        const char *stop = feed ? feed : end, *whole = place->body.at + place->body.len;
        const char *cr = memchr(at, '\r', (size_t)(stop - at));
        if (cr && cr + 1 < whole && cr[1] == '\n')
            return cr + 2 <= end ? cr + 2 : NULL;
        if (cr)
            return cr + 1;
    }
    return feed ? feed + 1 : NULL;
}

void ste_xml_place_move(struct ste_xml_place *place, size_t offset)
{
    if (offset > place->body.len)
        offset = place->body.len;
    if (offset <= place->offset)
        return;
    const char *at = place->body.at + place->offset, *end = place->body.at + offset;
    for (const char *next; (next = next_line(place, at, end)) != NULL; at = next) {
        place->line++;
        place->column = 1;
    }
    place->column += place->scan.ascii ? (uint32_t)(end - at) : count_characters(at, end);
    place->offset = offset;
}
