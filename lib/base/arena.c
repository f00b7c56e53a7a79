/* SPDX-License-Identifier: Apache-2.0
 * A chain of blocks; `current` is the one being filled, those after it are left from an earlier
 * batch and are used again before a new one is made. Under AddressSanitizer what is not handed out
 * is poisoned, so that a view kept past ste_arena_reset is found. */
#include "base/arena.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#include <sanitizer/asan_interface.h>
#endif
#endif
#ifndef ASAN_POISON_MEMORY_REGION
#define ASAN_POISON_MEMORY_REGION(at, bytes) ((void)(at), (void)(bytes))
#define ASAN_UNPOISON_MEMORY_REGION(at, bytes) ((void)(at), (void)(bytes))
#endif

enum { ARENA_ALIGN = 16, ARENA_BLOCK_BYTES = 64 << 10, ARENA_BLOCK_BYTES_MAX = 4 << 20 };

struct arena_block {
    struct arena_block *next;
    size_t capacity, used;
    _Alignas(ARENA_ALIGN) char data[];
};

struct ste_arena {
    struct arena_block *first, *current;
    size_t limit_bytes, used_bytes, block_bytes;
};

struct ste_arena *ste_arena_new(size_t limit_bytes)
{
    struct ste_arena *arena = calloc(1, sizeof(*arena));
    if (!arena)
        return NULL;
    arena->limit_bytes = limit_bytes;
    arena->block_bytes = ARENA_BLOCK_BYTES;
    return arena;
}

void ste_arena_free(struct ste_arena *arena)
{
    if (!arena)
        return;
    for (struct arena_block *block = arena->first, *next; block; block = next) {
        next = block->next;
        ASAN_UNPOISON_MEMORY_REGION(block->data, block->capacity);
        free(block);
    }
    free(arena);
}

void ste_arena_reset(struct ste_arena *arena)
{
    for (struct arena_block *block = arena->first; block; block = block->next) {
        ASAN_POISON_MEMORY_REGION(block->data, block->capacity);
        block->used = 0;
    }
    arena->current = arena->first;
    arena->used_bytes = 0;
}

size_t ste_arena_used(const struct ste_arena *arena)
{
    return arena->used_bytes;
}

/* Makes `current` a block with room for `bytes`: one left from before, else a new one put behind
 * the current one. */
static bool arena_grow(struct ste_arena *arena, size_t bytes)
{
    struct arena_block *block = arena->current;
    while (block && block->next) {
        block = block->next;
        if (block->capacity - block->used >= bytes) {
            arena->current = block;
            return true;
        }
    }
    size_t capacity = bytes > arena->block_bytes ? bytes : arena->block_bytes, whole;
    if (__builtin_add_overflow(sizeof(*block), capacity, &whole))
        return false;
    struct arena_block *fresh = aligned_alloc(ARENA_ALIGN, whole);
    if (!fresh)
        return false;
    *fresh = (struct arena_block){.next = NULL, .capacity = capacity, .used = 0};
    ASAN_POISON_MEMORY_REGION(fresh->data, capacity);
    if (block)
        block->next = fresh;
    else
        arena->first = fresh;
    arena->current = fresh;
    if (arena->block_bytes < ARENA_BLOCK_BYTES_MAX)
        arena->block_bytes *= 2;
    return true;
}

/* Not zeroed. Refuses before it touches anything. */
static void *arena_take(struct ste_arena *arena, size_t bytes)
{
    size_t rounded = 0, used = 0;
    if (__builtin_add_overflow(bytes ? bytes : 1, (size_t)ARENA_ALIGN - 1, &rounded))
        return NULL;
    rounded &= ~((size_t)ARENA_ALIGN - 1);
    if (__builtin_add_overflow(arena->used_bytes, rounded, &used) ||
        (arena->limit_bytes && used > arena->limit_bytes))
        return NULL;
    struct arena_block *block = arena->current;
    if (__builtin_expect(!block || block->capacity - block->used < rounded, false)) {
        if (!arena_grow(arena, rounded))
            return NULL;
        block = arena->current;
    }
    char *at = block->data + block->used;
    block->used += rounded;
    arena->used_bytes = used;
    ASAN_UNPOISON_MEMORY_REGION(at, bytes);
    return at;
}

void *ste_arena_alloc(struct ste_arena *arena, size_t bytes)
{
    void *at = arena_take(arena, bytes);
    return at ? memset(at, 0, bytes) : NULL;
}

void *ste_arena_alloc_array(struct ste_arena *arena, size_t item_bytes, size_t count)
{
    size_t bytes = 0;
    return __builtin_mul_overflow(item_bytes, count, &bytes) ? NULL : ste_arena_alloc(arena, bytes);
}

struct ste_bytes ste_arena_dup(struct ste_arena *arena, struct ste_bytes bytes)
{
    char *at = bytes.len < SIZE_MAX ? arena_take(arena, bytes.len + 1) : NULL;
    if (!at)
        return (struct ste_bytes){NULL, 0};
    if (bytes.len)
        memcpy(at, bytes.at, bytes.len);
    at[bytes.len] = '\0';
    return (struct ste_bytes){at, bytes.len};
}

char *ste_arena_printf(struct ste_arena *arena, const char *format, ...)
{
    char small[256];
    char *at = NULL;
    va_list args;
    va_start(args, format);
    int written = vsnprintf(small, sizeof(small), format, args);
    va_end(args);
    if (written < 0)
        return NULL;
    size_t bytes = (size_t)written + 1;
    at = arena_take(arena, bytes);
    if (!at)
        return NULL;
    if (bytes <= sizeof(small))
        return memcpy(at, small, bytes);
    va_start(args, format);
    vsnprintf(at, bytes, format, args);
    va_end(args);
    return at;
}
