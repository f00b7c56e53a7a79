/* SPDX-License-Identifier: Apache-2.0 */
#include "pack/pack.h"

#include <string.h>
#include <zstd.h>

void ste_packer_deinit(struct ste_packer *packer)
{
    ZSTD_freeCCtx(packer->pack);
    ZSTD_freeDCtx(packer->unpack);
    *packer = (struct ste_packer){0};
}

bool ste_is_packed(struct ste_bytes bytes)
{
    static const char magic[] = {'\x28', '\xb5', '\x2f', '\xfd'}; /* RFC 8878, section 3.1.1 */
    return bytes.len > sizeof(magic) && memcmp(bytes.at, magic, sizeof(magic)) == 0;
}

size_t ste_pack_bound(size_t plain_bytes)
{
    return ZSTD_compressBound(plain_bytes);
}

bool ste_pack(struct ste_packer *packer, int level, struct ste_bytes plain, struct ste_buf *out)
{
    if (packer->pack == NULL)
        packer->pack = ZSTD_createCCtx();
    const size_t room = ZSTD_compressBound(plain.len);
    if (packer->pack == NULL || out->failed || !ste_buf_reserve(out, room))
        return false;
    const size_t len =
        ZSTD_compressCCtx(packer->pack, out->at + out->len, room, plain.at, plain.len, level);
    if (ZSTD_isError(len) || len >= plain.len)
        return false;
    out->len += len;
    return true;
}

bool ste_unpacked_bytes(struct ste_bytes packed, size_t *ret)
{
    const unsigned long long bytes = ZSTD_getFrameContentSize(packed.at, packed.len);
    if (bytes == ZSTD_CONTENTSIZE_ERROR || bytes == ZSTD_CONTENTSIZE_UNKNOWN ||
        bytes > STE_UNPACKED_BYTES_MAX)
        return false;
    *ret = (size_t)bytes;
    return true;
}

bool ste_unpack(struct ste_packer *packer, struct ste_bytes packed, char *out, size_t bytes)
{
    if (packer->unpack == NULL)
        packer->unpack = ZSTD_createDCtx();
    if (packer->unpack == NULL)
        return false;
    const size_t len = ZSTD_decompressDCtx(packer->unpack, out, bytes, packed.at, packed.len);
    return !ZSTD_isError(len) && len == bytes;
}

enum ste_code ste_unpack_if_packed(struct ste_packer *packer, struct ste_bytes bytes,
                                   struct ste_arena *arena, struct ste_bytes *ret,
                                   struct ste_error *err)
{
    size_t plain_bytes = 0;
    if (!ste_is_packed(bytes)) {
        *ret = bytes;
        return STE_OK;
    }
    if (!ste_unpacked_bytes(bytes, &plain_bytes))
        return ste_error_set(err, STE_E_PARSE, "damaged frame of %zu bytes", bytes.len);
    char *const plain = ste_arena_alloc(arena, plain_bytes + 1);
    if (plain == NULL)
        return ste_error_set(err, STE_E_NOMEM, "no memory to unpack %zu bytes", plain_bytes);
    if (!ste_unpack(packer, bytes, plain, plain_bytes))
        return ste_error_set(err, STE_E_PARSE, "damaged frame of %zu bytes", bytes.len);
    *ret = (struct ste_bytes){plain, plain_bytes};
    return STE_OK;
}
