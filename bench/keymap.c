/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/keymap.h"

#include <stdlib.h>
#include <string.h>

enum { KEYMAP_FIRST_KEYS = 1024 };

void ste_keymap_init(struct ste_keymap *map)
{
    *map = (struct ste_keymap){0};
}

void ste_keymap_deinit(struct ste_keymap *map)
{
    free(map->keys);
    free(map->slots);
    *map = (struct ste_keymap){0};
}

/* The slot that holds the key, or the free one where it belongs. At most half are taken. */
static size_t slot_of(const struct ste_keymap *map, struct ste_hash key)
{
    uint64_t hash = 0;
    memcpy(&hash, key.bytes, sizeof hash);
    size_t at = (size_t)hash & (map->slot_count - 1);
    while (map->slots[at] != STE_KEYMAP_NONE && !ste_hash_equal(map->keys[map->slots[at]], key))
        at = (at + 1) & (map->slot_count - 1);
    return at;
}

uint32_t ste_keymap_find(const struct ste_keymap *map, struct ste_hash key)
{
    return map->slot_count ? map->slots[slot_of(map, key)] : (uint32_t)STE_KEYMAP_NONE;
}

static bool grow(struct ste_keymap *map)
{
    size_t capacity = map->key_capacity ? map->key_capacity * 2 : KEYMAP_FIRST_KEYS;
    if (capacity >= STE_KEYMAP_NONE / 2)
        return false;
    struct ste_hash *keys = realloc(map->keys, capacity * sizeof *keys);
    if (!keys)
        return false;
    map->keys = keys;
    uint32_t *slots = malloc(capacity * 2 * sizeof *slots);
    if (!slots)
        return false;
    memset(slots, 0xff, capacity * 2 * sizeof *slots);
    free(map->slots);
    map->slots = slots;
    map->slot_count = capacity * 2;
    map->key_capacity = capacity;
    for (uint32_t i = 0; i < map->count; i++)
        map->slots[slot_of(map, map->keys[i])] = i;
    return true;
}

uint32_t ste_keymap_put(struct ste_keymap *map, struct ste_hash key)
{
    uint32_t found = ste_keymap_find(map, key);
    if (found != STE_KEYMAP_NONE)
        return found;
    if (map->count == map->key_capacity && !grow(map))
        return STE_KEYMAP_NONE;
    uint32_t number = (uint32_t)map->count;
    map->slots[slot_of(map, key)] = number;
    map->keys[map->count++] = key;
    return number;
}

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return -1;
}

bool ste_keymap_parse(struct ste_bytes text, struct ste_hash *ret)
{
    struct ste_hash key = {{0}};
    if (text.len < 2 * sizeof key.bytes)
        return false;
    for (size_t i = 0; i < sizeof key.bytes; i++) {
        int high = hex_digit(text.at[2 * i]), low = hex_digit(text.at[2 * i + 1]);
        if (high < 0 || low < 0)
            return false;
        key.bytes[i] = (uint8_t)(high * 16 + low);
    }
    *ret = key;
    return true;
}
