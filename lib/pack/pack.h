/* SPDX-License-Identifier: Apache-2.0
 * Compression: one zstd frame (RFC 8878) with its content size in its head. The only user of zstd.
 * Pure but for the memory of its contexts. */
#ifndef STE_PACK_PACK_H
#define STE_PACK_PACK_H

#include "base/arena.h"
#include "base/bytes.h"
#include "base/error.h"

enum {
    STE_PACK_FAST = -3,                /* for what travels once */
    STE_PACK_SMALL = 1,                /* for what is kept */
    STE_UNPACKED_BYTES_MAX = 64 << 20, /* a frame that says more is damaged */
};

/* Contexts, made when first needed; one thread. Zero is a good start. */
struct ste_packer {
    void *pack, *unpack;
};
void ste_packer_deinit(struct ste_packer *packer);

/* True when the bytes begin as a frame does: no list of records and no XML does. */
bool ste_is_packed(struct ste_bytes bytes);
/* Appends `plain` to `out` as one frame. False, and nothing appended: it would not get smaller, or
 * there is no memory: send it as it is. */
bool ste_pack(struct ste_packer *packer, int level, struct ste_bytes plain, struct ste_buf *out);
/* Room that ste_pack needs at most. */
size_t ste_pack_bound(size_t plain_bytes);
/* How many bytes the frame unpacks to; false: damaged, or more than STE_UNPACKED_BYTES_MAX. */
bool ste_unpacked_bytes(struct ste_bytes packed, size_t *ret);
/* Unpacks into `out`, which has room for exactly ste_unpacked_bytes. False: damaged, or no memory
 * for the context. */
bool ste_unpack(struct ste_packer *packer, struct ste_bytes packed, char *out, size_t bytes);
/* A frame's content in arena memory; bytes that are no frame come back as they are.
 * STE_E_PARSE (damaged), STE_E_NOMEM. */
STE_MUST_CHECK enum ste_code ste_unpack_if_packed(struct ste_packer *packer, struct ste_bytes bytes,
                                                  struct ste_arena *arena, struct ste_bytes *ret,
                                                  struct ste_error *err);

#endif
