/* SPDX-License-Identifier: Apache-2.0 */
#include "dbshard/body.h"

struct ste_body ste_body_pack(struct ste_packer *packer, struct ste_buf *packed,
                              struct ste_bytes body)
{
    const size_t before = packed->len;
    if (!ste_pack(packer, STE_PACK_SMALL, body, packed))
        return (struct ste_body){STE_BODY_AS_SENT, body};
    return (struct ste_body){STE_BODY_ZSTD, {packed->at + before, packed->len - before}};
}

enum ste_code ste_body_unpack(unsigned encoding, struct ste_bytes stored, struct ste_packer *packer,
                              struct ste_buf *unpacked, struct ste_bytes *ret,
                              struct ste_error *err)
{
    size_t bytes = 0;
    if (encoding == STE_BODY_AS_SENT) {
        *ret = stored;
        return STE_OK;
    }
    if (encoding != STE_BODY_ZSTD)
        return ste_error_set(err, STE_E_STATE_BAD, "unknown body encoding %u", encoding);
    ste_buf_clear(unpacked);
    if (!ste_unpacked_bytes(stored, &bytes))
        return ste_error_set(err, STE_E_STATE_BAD, "damaged compressed body of %zu bytes",
                             stored.len);
    if (!ste_buf_reserve(unpacked, bytes + 1))
        return ste_error_set(err, STE_E_NOMEM, "no memory for a body of %zu bytes", bytes);
    if (!ste_unpack(packer, stored, unpacked->at, bytes))
        return ste_error_set(err, STE_E_STATE_BAD, "damaged compressed body of %zu bytes",
                             stored.len);
    unpacked->len = bytes;
    *ret = ste_buf_bytes(unpacked);
    return STE_OK;
}
