/* SPDX-License-Identifier: Apache-2.0
 * Memory that dies with the batch: bump allocation, freed all at once. One owner thread. */
#ifndef STE_BASE_ARENA_H
#define STE_BASE_ARENA_H

#include "base/bytes.h"

struct ste_arena;

/* limit_bytes bounds what one batch may take; 0 is no bound. NULL when out of memory. */
struct ste_arena *ste_arena_new(size_t limit_bytes);
void ste_arena_free(struct ste_arena *arena);
/* Everything handed out is gone; the blocks stay for the next batch. */
void ste_arena_reset(struct ste_arena *arena);
size_t ste_arena_used(const struct ste_arena *arena);
/* Aligned to 16, zeroed. NULL when out of memory or over the limit. */
void *ste_arena_alloc(struct ste_arena *arena, size_t bytes);
/* The same for `count` items; NULL also when the product overflows. */
void *ste_arena_alloc_array(struct ste_arena *arena, size_t item_bytes, size_t count);
/* A copy with a NUL behind it; `at` is NULL on failure. */
struct ste_bytes ste_arena_dup(struct ste_arena *arena, struct ste_bytes bytes);
char *ste_arena_printf(struct ste_arena *arena, const char *format, ...) STE_PRINTF(2, 3);

#define STE_ARENA_NEW(arena, type) ((type *)ste_arena_alloc((arena), sizeof(type)))
#define STE_ARENA_ARRAY(arena, type, count)                                                        \
    ((type *)ste_arena_alloc_array((arena), sizeof(type), (count)))

#endif
