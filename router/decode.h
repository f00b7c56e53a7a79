/* SPDX-License-Identifier: Apache-2.0
 * Stop 3: a delivery becomes records. */
#ifndef STE_ROUTER_DECODE_H
#define STE_ROUTER_DECODE_H

#include "daemon/daemon.h"
#include "msg/record.h"
#include "msg/xml.h"
#include "mq/mq.h"
#include "pack/pack.h"

struct ste_decoder {
    const struct ste_cluster *cluster;
    const struct ste_ref *ref;
    struct ste_xml *xml;
    struct ste_verify_context *verify;
    struct ste_packer packer; /* of dead letters */
    char id_prefix[64];       /* of the delivery ids we give: component, start, worker */
    uint64_t ids_given;
};

STE_MUST_CHECK enum ste_code ste_decoder_init(struct ste_decoder *decoder,
                                              struct ste_daemon *daemon, unsigned worker,
                                              struct ste_error *err);
void ste_decoder_deinit(struct ste_decoder *decoder);

/* The records of a delivery from ste.in: every message, or the exceptions it earned. Records point
 * into the delivery and the arena. Only STE_E_NOMEM. */
STE_MUST_CHECK enum ste_code ste_decode_delivery(struct ste_decoder *decoder,
                                                 const struct ste_mq_delivery *delivery,
                                                 struct ste_arena *arena, struct ste_record **ret,
                                                 size_t *ret_count, struct ste_error *err);
/* The records of a dead-lettered delivery of a typed queue, each an exception XCRS. */
STE_MUST_CHECK enum ste_code ste_decode_dead(struct ste_decoder *decoder,
                                             const struct ste_mq_delivery *delivery,
                                             struct ste_arena *arena, struct ste_record **ret,
                                             size_t *ret_count, struct ste_error *err);

#endif
