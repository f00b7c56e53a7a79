/* SPDX-License-Identifier: Apache-2.0
 * Where in a delivery something stands, and which byte of it is not UTF-8. Pure. */
#ifndef STE_MSG_XML_PLACE_H
#define STE_MSG_XML_PLACE_H

#include "base/bytes.h"

/* What one pass over a body tells. */
struct ste_xml_scan {
    size_t bad_offset; /* first NUL or byte that is not UTF-8; the body's length when all is good */
    bool ascii;        /* up to bad_offset */
    bool lone_cr;      /* a CR that no LF follows ends a line too (XML 1.0 section 2.11) */
    size_t bom_bytes;  /* 0 or 3 */
};
struct ste_xml_scan ste_xml_scan_of(struct ste_bytes body);

/* A place that only moves forward. Lines and columns count from 1, columns in characters; a byte
 * order mark is no character. */
struct ste_xml_place {
    struct ste_bytes body;
    struct ste_xml_scan scan;
    size_t offset;
    uint32_t line, column;
};
struct ste_xml_place ste_xml_place_start(struct ste_bytes body, struct ste_xml_scan scan);
/* Moves to `offset`; one before the place or after the end is taken as that bound. */
void ste_xml_place_move(struct ste_xml_place *place, size_t offset);

#endif
