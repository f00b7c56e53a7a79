/* SPDX-License-Identifier: Apache-2.0
 * XXH3-128, seed 0 (libxxhash), kept in its canonical big-endian form. */
#ifndef STE_BASE_HASH_H
#define STE_BASE_HASH_H

#include "base/bytes.h"

struct ste_hash {
    uint8_t bytes[16]; /* XXH128_canonical_t: high 64 bits first, big-endian */
};

struct ste_hash ste_hash_of(struct ste_bytes bytes);
uint64_t ste_hash_low64(struct ste_hash hash);              /* the low 64 bits of the 128 */
int ste_hash_compare(struct ste_hash a, struct ste_hash b); /* memcmp order */
bool ste_hash_equal(struct ste_hash a, struct ste_hash b);
/* XXH3-64, seed 0: identities inside one trade. */
uint64_t ste_hash64_of(struct ste_bytes bytes);

#endif
