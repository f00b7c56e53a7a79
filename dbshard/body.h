/* SPDX-License-Identifier: Apache-2.0
 * How message.body is kept: as sent, or zstd. Column `encoding` says which; readers take both. */
#ifndef STE_DBSHARD_BODY_H
#define STE_DBSHARD_BODY_H

#include "base/bytes.h"
#include "base/error.h"
#include "pack/pack.h"

enum ste_body_encoding { STE_BODY_AS_SENT = 0, STE_BODY_ZSTD = 1 }; /* stored: never renumber */

struct ste_body {
    enum ste_body_encoding encoding;
    struct ste_bytes bytes;
};

/* Appends the compressed body to `packed` and gives a view of it, if it is smaller and all goes
 * well; else a view of `body`. A later call may move what is packed: reserve first. */
struct ste_body ste_body_pack(struct ste_packer *packer, struct ste_buf *packed,
                              struct ste_bytes body);
/* The bytes as sent: a view of `stored`, or of `unpacked` (cleared first). STE_E_STATE_BAD when
 * they cannot be had back, STE_E_NOMEM. */
STE_MUST_CHECK enum ste_code ste_body_unpack(unsigned encoding, struct ste_bytes stored,
                                             struct ste_packer *packer, struct ste_buf *unpacked,
                                             struct ste_bytes *ret, struct ste_error *err);
#endif
