/* SPDX-License-Identifier: Apache-2.0
 * The canonical record: what travels in the typed queues (docs/WIRE.md). A delivery of a typed
 * queue is one or more records, each after its length (u32 little-endian). */
#ifndef STE_MSG_RECORD_H
#define STE_MSG_RECORD_H

#include "msg/identity.h"
#include "msg/message.h"

enum { STE_RECORD_VERSION = 1 };

struct ste_record {
    uint8_t version;
    uint32_t map_epoch;
    uint32_t slot;
    struct ste_message message;   /* type, function, fields, findings, original, exc, index */
    struct ste_bytes delivery_id; /* the submitter's AMQP message-id, else the router's */
    struct ste_bytes key_id;      /* as sent, "" when none */
    struct ste_bytes
        signer; /* BIC8 of the key's participant; absent when the signature is not good */
    uint8_t signed_sha256[32]; /* of the signed body */
    uint32_t signed_bytes;     /* length of the signed body */
    uint64_t received_us;      /* wall clock at the router */
};

/* Appends length and record. False: out of memory (buf->failed). */
bool ste_record_encode(struct ste_buf *buf, const struct ste_record *record);
/* Reads the next record of a delivery; views point into it, findings into arena. *ret_done when
 * none is left. STE_E_RECORD_VERSION, STE_E_RECORD_BAD (the rest cannot be read), STE_E_NOMEM. */
STE_MUST_CHECK enum ste_code ste_record_decode(struct ste_reader *reader, struct ste_arena *arena,
                                               struct ste_record *ret, bool *ret_done,
                                               struct ste_error *err);
#endif
