/* SPDX-License-Identifier: Apache-2.0
 * The checker's own look into a message: plain text search, no XML parser, so that a fault of the
 * engine's decoder is not repeated here. */
#include <stdlib.h>
#include <string.h>

#include "admin/check.h"
#include "msg/signature.h"

static bool is_name_end(char c)
{
    return c == '>' || c == '/' || c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static bool is_name_char(char c)
{
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-' || c == '.';
}

/* Whether the tag that starts at `at` ('<', or "</" for an end) has this local name. */
static const char *match_tag(const char *at, const char *end, const char *name, bool closing)
{
    const size_t len = strlen(name);
    at += closing ? 2 : 1;
    const char *start = at;
    while (at < end && is_name_char(*at))
        at++;
    if (at < end && *at == ':')
        start = ++at;
    if ((size_t)(end - start) <= len || memcmp(start, name, len) != 0 || !is_name_end(start[len]))
        return NULL;
    return start + len;
}

static const char *find_tag(const char *at, const char *end, const char *name, bool closing,
                            const char **ret_after)
{
    while (at < end && (at = memchr(at, '<', (size_t)(end - at))) != NULL) {
        bool is_closing = at + 1 < end && at[1] == '/';
        const char *after = is_closing == closing ? match_tag(at, end, name, closing) : NULL;
        if (after) {
            *ret_after = after;
            return at;
        }
        at++;
    }
    return NULL;
}

struct ste_bytes ste_check_element(struct ste_bytes body, const char *name)
{
    static const struct ste_bytes none = {NULL, 0};
    const char *end = body.at + body.len, *after = NULL;
    if (!body.len || memmem(body.at, body.len, "<!", 2) ||
        !find_tag(body.at, end, name, false, &after))
        return none;
    const char *open = memchr(after, '>', (size_t)(end - after));
    if (!open || open[-1] == '/')
        return none;
    const char *close = memchr(open, '<', (size_t)(end - open));
    if (!close || close + 1 >= end || close[1] != '/')
        return none;
    struct ste_bytes text = {open + 1, (size_t)(close - open - 1)};
    return memchr(text.at, '&', text.len) ? none : ste_bytes_trim(text);
}

int64_t ste_check_quantity(struct ste_bytes text)
{
    int64_t value = 0;
    int decimals = -1;
    if (text.len == 0 || text.len > 18)
        return -1;
    for (size_t i = 0; i < text.len; i++) {
        if (text.at[i] == '.' && decimals < 0) {
            decimals = 0;
            continue;
        }
        if (text.at[i] < '0' || text.at[i] > '9' || decimals >= 5 ||
            __builtin_mul_overflow(value, (int64_t)10, &value) ||
            __builtin_add_overflow(value, (int64_t)(text.at[i] - '0'), &value))
            return -1;
        decimals += decimals >= 0;
    }
    for (decimals = decimals < 0 ? 0 : decimals; decimals < 5; decimals++) {
        if (__builtin_mul_overflow(value, (int64_t)10, &value))
            return -1;
    }
    return value;
}

bool ste_check_next_span(struct ste_bytes bytes, size_t *at, struct ste_bytes *ret)
{
    const char *end = bytes.at + bytes.len, *after = NULL;
    if (*at >= bytes.len)
        return false;
    const char *open = find_tag(bytes.at + *at, end, "TradeMessage", false, &after);
    const char *close = open ? find_tag(after, end, "TradeMessage", true, &after) : NULL;
    const char *last = close ? memchr(after, '>', (size_t)(end - after)) : NULL;
    if (!last)
        return false;
    *ret = (struct ste_bytes){open, (size_t)(last + 1 - open)};
    *at = (size_t)(last + 1 - bytes.at);
    return true;
}

uint64_t ste_check_message64(struct ste_bytes sender, struct ste_bytes reference)
{
    char text[STE_BIC8_BYTES + 1 + 256];
    size_t len = sender.len < STE_BIC8_BYTES ? sender.len : STE_BIC8_BYTES;
    memcpy(text, sender.at ? sender.at : "", len);
    text[len++] = '|';
    size_t more = reference.len < 256 ? reference.len : 256;
    memcpy(text + len, reference.at ? reference.at : "", more);
    return ste_hash64_of((struct ste_bytes){text, len + more});
}

uint64_t ste_check_sha64(struct ste_bytes bytes)
{
    uint8_t sha256[32];
    uint64_t start = 0;
    ste_sha256(bytes, sha256);
    for (int i = 0; i < 8; i++)
        start = start << 8 | sha256[i];
    return start;
}

bool ste_check_identify(struct ste_bytes body, const struct ste_match_key *match_key,
                        struct ste_arena *arena, struct ste_trade_id *ret)
{
    static const enum ste_field_id needed[] = {STE_F_TRADE_REFERENCE, STE_F_BROKER, STE_F_MANAGER,
                                               STE_F_TRADE_DATE}; /* match keys are made of these */
    struct ste_message message = {0};
    for (size_t i = 0; i < sizeof(needed) / sizeof(needed[0]); i++) {
        message.fields[needed[i]].value = ste_check_element(body, ste_field_element(needed[i]));
        if (!message.fields[needed[i]].value.len)
            return false;
    }
    return ste_trade_identify(&message, match_key, arena, ret);
}

bool ste_check_identify_row(struct ste_bytes identity, const struct ste_match_key *match_key,
                            struct ste_arena *arena, struct ste_trade_id *ret)
{
    static const enum ste_field_id from_the_end[] = {STE_F_TRADE_DATE, STE_F_MANAGER, STE_F_BROKER};
    struct ste_message message = {0};
    for (size_t i = 0; i < sizeof(from_the_end) / sizeof(from_the_end[0]); i++) {
        const char *bar = identity.len ? memrchr(identity.at, '|', identity.len) : NULL;
        if (!bar)
            return false;
        size_t before = (size_t)(bar - identity.at);
        message.fields[from_the_end[i]].value =
            (struct ste_bytes){bar + 1, identity.len - before - 1};
        identity.len = before;
    }
    message.fields[STE_F_TRADE_REFERENCE].value = identity;
    return identity.len && ste_trade_identify(&message, match_key, arena, ret);
}
