/* SPDX-License-Identifier: Apache-2.0
 * Stop 3, the trust part: who signed a delivery, and for whom may they speak (MESSAGES section
 * 7). Pure but for the arithmetic of the signature. */
#ifndef STE_ROUTER_VERIFY_H
#define STE_ROUTER_VERIFY_H

#include "mq/mq.h"
#include "ref/ref.h"

/* Who signed the delivery: the key, or NULL and *ret_refusal (XKEY, XSIG) with its byte offset as
 * place, in `arena`. */
const struct ste_key *ste_verify_delivery(const struct ste_ref *ref, ste_date business_date,
                                          struct ste_verify_context *context,
                                          const struct ste_mq_delivery *delivery,
                                          struct ste_arena *arena, struct ste_finding *ret_refusal);

/* Refuses the message with XSND when `signer` may not send for its Sender, unless something that is
 * reported earlier was found already. False: out of memory. */
STE_MUST_CHECK bool ste_verify_sender(const struct ste_participant *signer,
                                      struct ste_message *message, struct ste_arena *arena);

#endif
