/* SPDX-License-Identifier: Apache-2.0
 * Trades by their 16-byte key: open addressing, grows, never forgets. One thread. The keys are
 * hashes already, so their first bytes serve as the hash. */
#ifndef STE_BENCH_KEYMAP_H
#define STE_BENCH_KEYMAP_H

#include "base/hash.h"

enum { STE_KEYMAP_NONE = UINT32_MAX };

struct ste_keymap {
    struct ste_hash *keys; /* by number, in order of addition */
    uint32_t *slots;       /* number, or STE_KEYMAP_NONE */
    size_t count, key_capacity, slot_count;
};

void ste_keymap_init(struct ste_keymap *map);
void ste_keymap_deinit(struct ste_keymap *map);
/* The key's number, or STE_KEYMAP_NONE. */
uint32_t ste_keymap_find(const struct ste_keymap *map, struct ste_hash key);
/* The key's number, a new one (the count so far) if it was not there; STE_KEYMAP_NONE: no memory.
 */
uint32_t ste_keymap_put(struct ste_keymap *map, struct ste_hash key);
/* 32 hex digits at the start of text; false when they are not. */
bool ste_keymap_parse(struct ste_bytes text, struct ste_hash *ret);

#endif
