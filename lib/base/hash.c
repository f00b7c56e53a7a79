/* SPDX-License-Identifier: Apache-2.0 */
#include "base/hash.h"

#include <endian.h>
#include <string.h>
#include <xxhash.h>

struct ste_hash ste_hash_of(struct ste_bytes bytes)
{
    struct ste_hash hash;
    XXH128_canonical_t canonical;
    XXH128_canonicalFromHash(&canonical, XXH3_128bits(bytes.at ? bytes.at : "", bytes.len));
    _Static_assert(sizeof(canonical.digest) == sizeof(hash.bytes), "128 bits");
    memcpy(hash.bytes, canonical.digest, sizeof(hash.bytes));
    return hash;
}

uint64_t ste_hash_low64(struct ste_hash hash)
{
    uint64_t low;
    memcpy(&low, hash.bytes + 8, sizeof(low));
    return be64toh(low);
}

int ste_hash_compare(struct ste_hash a, struct ste_hash b)
{
    return memcmp(a.bytes, b.bytes, sizeof(a.bytes));
}

bool ste_hash_equal(struct ste_hash a, struct ste_hash b)
{
    return ste_hash_compare(a, b) == 0;
}

uint64_t ste_hash64_of(struct ste_bytes bytes)
{
    return XXH3_64bits(bytes.at ? bytes.at : "", bytes.len);
}
