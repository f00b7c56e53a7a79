/* SPDX-License-Identifier: Apache-2.0
 * Match key, trade identity, placement. */
#include "msg/identity.h"

#include <string.h>

enum {
    DATE_BYTES = STE_DATE_TEXT_BYTES - 1,
    IDENTITY_BYTES_MAX = STE_REFERENCE_CHARS_MAX + 2 * STE_BIC8_BYTES + DATE_BYTES + 3,
    MATCH_KEY_BYTES_MAX = IDENTITY_BYTES_MAX,
};

/* The fields that every type carries and that are compared exactly: a match key of others would
 * part the messages of one trade. */
static bool may_be_in_match_key(enum ste_field_id id)
{
    return id == STE_F_TRADE_REFERENCE || id == STE_F_TRADE_DATE || id == STE_F_BROKER ||
           id == STE_F_MANAGER;
}

bool ste_match_key_init(struct ste_match_key *key, const char *const *elements, size_t count)
{
    struct ste_match_key made = {0};
    if (count < 1 || count > sizeof(made.fields) / sizeof(made.fields[0]))
        return false;
    for (size_t i = 0; i < count; i++) {
        enum ste_field_id id = ste_field_of(ste_bytes_of(elements[i]));
        if (!may_be_in_match_key(id))
            return false;
        for (size_t before = 0; before < i; before++) {
            if (made.fields[before] == id)
                return false;
        }
        made.fields[i] = id;
    }
    made.count = count;
    *key = made;
    return true;
}

/* What a well-formed value puts into a key. Cut to what such a value can have at most, so that a
 * damaged record cannot overrun a key. */
static struct ste_bytes key_value(const struct ste_message *message, enum ste_field_id id)
{
    struct ste_bytes value = ste_value(message, id);
    size_t len_max = id == STE_F_TRADE_REFERENCE ? STE_REFERENCE_CHARS_MAX
                     : id == STE_F_TRADE_DATE    ? DATE_BYTES
                                                 : STE_BIC8_BYTES;
    if (value.len > len_max)
        value.len = len_max;
    return value;
}

static char *put(char *at, struct ste_bytes bytes)
{
    if (bytes.len)
        memcpy(at, bytes.at, bytes.len);
    return at + bytes.len;
}

/* Upper case, blanks removed, fields parted by '|'. */
static struct ste_hash match_hash(const struct ste_message *message,
                                  const struct ste_match_key *match_key)
{
    char key[MATCH_KEY_BYTES_MAX];
    size_t len = 0;
    for (size_t i = 0; i < match_key->count; i++) {
        struct ste_bytes value = key_value(message, match_key->fields[i]);
        if (i)
            key[len++] = '|';
        for (size_t k = 0; k < value.len; k++) {
            char c = value.at[k];
            if (c != ' ')
                key[len++] = c >= 'a' && c <= 'z' ? (char)(c - 'a' + 'A') : c;
        }
    }
    return ste_hash_of((struct ste_bytes){key, len});
}

bool ste_trade_identify(const struct ste_message *message, const struct ste_match_key *match_key,
                        struct ste_arena *arena, struct ste_trade_id *ret)
{
    char *identity = ste_arena_alloc(arena, IDENTITY_BYTES_MAX);
    if (!identity)
        return false;
    char *at = put(identity, key_value(message, STE_F_TRADE_REFERENCE));
    *at++ = '|';
    at = put(at, key_value(message, STE_F_BROKER));
    *at++ = '|';
    at = put(at, key_value(message, STE_F_MANAGER));
    *at++ = '|';
    at = put(at, key_value(message, STE_F_TRADE_DATE));
    ret->identity = (struct ste_bytes){identity, (size_t)(at - identity)};
    ret->trade_key = ste_hash_of(ret->identity);
    ret->match_hash = match_hash(message, match_key);
    ret->slot = ste_slot_of_hash(ret->match_hash);
    ret->trade_date = STE_DATE_NONE;
    ste_date date = 0;
    if (ste_date_parse(ste_value(message, STE_F_TRADE_DATE), &date))
        ret->trade_date = date;
    return true;
}

uint32_t ste_slot_of_hash(struct ste_hash hash)
{
    return (uint32_t)(ste_hash_low64(hash) % STE_SLOT_COUNT);
}

unsigned ste_shard_of_slot(uint32_t slot, unsigned shard_count)
{
    return slot % shard_count;
}
