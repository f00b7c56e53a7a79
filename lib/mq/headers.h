/* SPDX-License-Identifier: Apache-2.0
 * The content header of a message (properties and headers table) as struct ste_mq_delivery has it.
 * Read in place: no memory, no recursion. rabbitmq-c's own decoder recurses without a limit, so
 * that a participant's deeply nested header could overflow our stack. Fuzzed (headers_fuzz.c). */
#ifndef STE_MQ_HEADERS_H
#define STE_MQ_HEADERS_H

#include "mq/mq.h"

/* payload: of a header frame, from class-id on. Fills the views into payload, delivery_count and
 * record_count; *ret_body_bytes; *ret_seq: header ste-seq, 0 when absent. A header of an unexpected
 * type counts as absent; properties that cannot be read count as absent all together, so that no
 * message can stop its reader. False: not the header of a message at all. */
bool ste_mq_headers_parse(struct ste_bytes payload, struct ste_mq_delivery *delivery,
                          uint64_t *ret_body_bytes, uint64_t *ret_seq);

/* Upper bound of what ste_mq_headers_write writes. */
size_t ste_mq_headers_bound(const struct ste_mq_message *message);
/* The payload of the header frame of a publish; returns its end. */
char *ste_mq_headers_write(char *at, const struct ste_mq_message *message, uint64_t seq);

#endif
