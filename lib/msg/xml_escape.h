/* SPDX-License-Identifier: Apache-2.0
 * Text into XML, so that whatever the bytes are the result is well-formed. */
#ifndef STE_MSG_XML_ESCAPE_H
#define STE_MSG_XML_ESCAPE_H

#include "base/bytes.h"

/* Appends `text` fit for an element or a double-quoted attribute. What XML cannot carry (control
 * characters, bytes that are not UTF-8) becomes U+FFFD. */
void ste_xml_escape(struct ste_buf *buf, struct ste_bytes text);

#endif
