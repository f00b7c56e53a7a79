/* SPDX-License-Identifier: Apache-2.0
 * How message.body is kept: as sent, or zstd. Column `encoding` says which; readers take both. */
#ifndef STE_DBSHARD_BODY_H
#define STE_DBSHARD_BODY_H

#include "base/bytes.h"

enum ste_body_encoding { STE_BODY_AS_SENT = 0, STE_BODY_ZSTD = 1 }; /* stored: never renumber */

/* Compresses *body into `packed` (cleared first) and points *body there, if that is smaller and all
 * goes well; else leaves it. *zstd is a context made when first needed, ZSTD_freeCCtx frees it.
 * Returns the encoding that *body now has. */
enum ste_body_encoding ste_body_pack(void **zstd, struct ste_buf *packed, struct ste_bytes *body);
/* The bytes as sent: a view of `stored`, or of `unpacked` (cleared first). STE_E_STATE_BAD when they
 * cannot be had back, STE_E_NOMEM. */
STE_MUST_CHECK enum ste_code ste_body_unpack(unsigned encoding, struct ste_bytes stored,
                                             struct ste_buf *unpacked, struct ste_bytes *ret,
                                             struct ste_error *err);
#endif
