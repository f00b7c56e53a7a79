/* SPDX-License-Identifier: Apache-2.0 */
#include "dbshard/body.h"

#include <zstd.h>

enum {
    ZSTD_LEVEL = 1,
    BODY_BYTES_MAX = 16 << 20, /* of one unpacked body; a frame that says more is damaged */
};

size_t ste_body_bound(size_t body_bytes)
{
    return ZSTD_compressBound(body_bytes);
}

struct ste_body ste_body_pack(void **zstd, struct ste_buf *packed, struct ste_bytes body)
{
    const struct ste_body as_sent = {STE_BODY_AS_SENT, body};
    if (!*zstd)
        *zstd = ZSTD_createCCtx();
    if (!*zstd || !ste_buf_reserve(packed, ZSTD_compressBound(body.len)))
        return as_sent;
    char *at = packed->at + packed->len;
    size_t len =
        ZSTD_compressCCtx(*zstd, at, packed->capacity - packed->len, body.at, body.len, ZSTD_LEVEL);
    if (ZSTD_isError(len) || len >= body.len)
        return as_sent;
    packed->len += len;
    return (struct ste_body){STE_BODY_ZSTD, {at, len}};
}

enum ste_code ste_body_unpack(unsigned encoding, struct ste_bytes stored, struct ste_buf *unpacked,
                              struct ste_bytes *ret, struct ste_error *err)
{
    if (encoding == STE_BODY_AS_SENT) {
        *ret = stored;
        return STE_OK;
    }
    if (encoding != STE_BODY_ZSTD)
        return ste_error_set(err, STE_E_STATE_BAD, "unknown body encoding %u", encoding);
    unsigned long long size = ZSTD_getFrameContentSize(stored.at, stored.len);
    if (size == ZSTD_CONTENTSIZE_ERROR || size == ZSTD_CONTENTSIZE_UNKNOWN || size > BODY_BYTES_MAX)
        return ste_error_set(err, STE_E_STATE_BAD, "damaged compressed body of %zu bytes",
                             stored.len);
    ste_buf_clear(unpacked);
    if (!ste_buf_reserve(unpacked, (size_t)size + 1))
        return ste_error_set(err, STE_E_NOMEM, "no memory for a body of %llu bytes", size);
    size_t len = ZSTD_decompress(unpacked->at, (size_t)size, stored.at, stored.len);
    if (ZSTD_isError(len) || len != size)
        return ste_error_set(err, STE_E_STATE_BAD, "damaged compressed body of %zu bytes",
                             stored.len);
    unpacked->len = len;
    *ret = ste_buf_bytes(unpacked);
    return STE_OK;
}
