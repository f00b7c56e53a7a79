/* SPDX-License-Identifier: Apache-2.0
 * The native XML (MESSAGES section 1), read once, by expat, without DTDs. */
#ifndef STE_MSG_XML_H
#define STE_MSG_XML_H

#include "msg/message.h"

struct ste_xml; /* a parser that is reused; one thread */
struct ste_xml *ste_xml_new(void);
void ste_xml_free(struct ste_xml *xml);

/* Decodes a whole delivery: one TradeMessage, or TradeMessages with any number. Every message
 * closed before a break stands; the rest of the delivery from the start of the broken message is
 * one refused entry. Refused entries (exc.code set) come in place, in order: XWEL XDTD XENC XLIM
 * XNSP XTYP XEMP and the early XMIS XREP XFMT of Reference and the identity fields (EXC order of
 * MESSAGES section 11; the Sender check is the caller's: it may replace a later finding, see
 * ste_exc_rank). A body over the limit is one refused entry. Messages live in `arena` and point
 * into `body`, which must outlive them. STE_E_NOMEM only; input is never an error. */
STE_MUST_CHECK enum ste_code ste_xml_decode(struct ste_xml *xml, struct ste_bytes body,
                                            struct ste_arena *arena, struct ste_message **ret,
                                            size_t *ret_count, struct ste_error *err);

/* Position of an EXC code's element in the fixed order limit, signature, Sender, type, Reference,
 * TradeReference, TradeDate, Broker, Manager; lower is reported first. */
int ste_exc_rank(const struct ste_finding *exc);

#endif
