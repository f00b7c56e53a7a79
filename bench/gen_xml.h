/* SPDX-License-Identifier: Apache-2.0
 * A generated trade's messages as native XML of 1,500 ± 10 bytes. */
#ifndef STE_BENCH_GEN_XML_H
#define STE_BENCH_GEN_XML_H

#include "bench/gen_trade.h"
#include "bench/set.h"

enum { STE_GEN_MESSAGE_BYTES = 1500, STE_GEN_MESSAGE_BYTES_SPREAD = 10 };

/* Appends message `index` of the trade, from '<' to '>'. A failed append shows in buf->failed. */
void ste_gen_message_write(const struct ste_gen *gen, const struct ste_gen_trade *trade,
                           unsigned index, struct ste_buf *buf);
/* What the set's index says of the message (all but SHA-256). */
void ste_gen_message_entry(const struct ste_gen *gen, const struct ste_gen_trade *trade,
                           unsigned index, struct ste_set_entry *ret);

#endif
