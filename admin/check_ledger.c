/* SPDX-License-Identifier: Apache-2.0
 * Reads the ledgers: D and M lines of what was confirmed, C lines of what arrived. A last line
 * without its end is what a killed process left: it was never claimed. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "admin/check.h"

enum { WORDS_MAX = 6, REFERENCE_BYTES_MAX = 256 };

struct reading {
    const char *file;
    uint64_t line, offset;
    uint64_t delivery64;
    uint32_t ledger;
    bool in_delivery;
};

static enum ste_code bad_line(const struct reading *at, const char *why, struct ste_error *err)
{
    char place[STE_ERROR_PLACE_BYTES];
    snprintf(place, sizeof(place), "%s:%llu", at->file, (unsigned long long)at->line);
    return ste_error_at(err, STE_E_PARSE, place, "not a ledger line: %s", why);
}

/* Words parted by single blanks. */
static size_t split(struct ste_bytes line, struct ste_bytes words[static WORDS_MAX])
{
    size_t count = 0;
    const char *at = line.at, *end = line.at + line.len;
    while (at < end && count < WORDS_MAX) {
        const char *stop = memchr(at, ' ', (size_t)(end - at));
        stop = stop ? stop : end;
        words[count++] = (struct ste_bytes){at, (size_t)(stop - at)};
        at = stop + 1;
    }
    return count;
}

static int hex_digit(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static bool parse_hex(struct ste_bytes text, uint8_t *out, size_t out_bytes)
{
    if (text.len != 2 * out_bytes)
        return false;
    for (size_t i = 0; i < out_bytes; i++) {
        int high = hex_digit(text.at[2 * i]), low = hex_digit(text.at[2 * i + 1]);
        if (high < 0 || low < 0)
            return false;
        out[i] = (uint8_t)(high << 4 | low);
    }
    return true;
}

/* "-" is an absent value, %20 a blank. */
static struct ste_bytes plain(struct ste_bytes text, char out[static REFERENCE_BYTES_MAX])
{
    size_t len = 0;
    if (text.len == 1 && text.at[0] == '-')
        return (struct ste_bytes){out, 0};
    for (size_t i = 0; i < text.len && len < REFERENCE_BYTES_MAX; i++) {
        if (text.len - i >= 3 && memcmp(text.at + i, "%20", 3) == 0) {
            out[len++] = ' ';
            i += 2;
        } else {
            out[len++] = text.at[i];
        }
    }
    return (struct ste_bytes){out, len};
}

static bool parse_message(const struct ste_bytes words[static WORDS_MAX],
                          struct ste_check_sent *ret)
{
    char sender[REFERENCE_BYTES_MAX], reference[REFERENCE_BYTES_MAX];
    uint8_t sha256[8];
    uint64_t index = 0;
    bool no_key = words[3].len == 1 && words[3].at[0] == '-';
    if (!ste_bytes_u64(words[1], &index) || index > UINT32_MAX ||
        (!no_key && !parse_hex(words[3], ret->trade_key.bytes, 16)) ||
        !parse_hex(words[5], sha256, sizeof(sha256)))
        return false;
    ret->index = (uint32_t)index;
    ret->message64 = ste_check_message64(plain(words[2], sender), plain(words[4], reference));
    for (size_t i = 0; i < sizeof(sha256); i++)
        ret->sha64 = ret->sha64 << 8 | sha256[i];
    return true;
}

static enum ste_code sent_line(struct ste_check *check, struct reading *at, struct ste_bytes line,
                               struct ste_error *err)
{
    struct ste_bytes words[WORDS_MAX];
    size_t count = split(line, words);
    if (count == 4 && ste_bytes_equal(words[0], STE_BYTES("D"))) {
        at->delivery64 = ste_hash64_of(words[1]);
        at->in_delivery = true;
        check->deliveries++;
        return STE_OK;
    }
    if (count != 6 || !ste_bytes_equal(words[0], STE_BYTES("M")))
        return bad_line(at, "neither D with 3 values nor M with 5", err);
    if (!at->in_delivery)
        return bad_line(at, "M before the first D", err);
    struct ste_check_sent *sent = ste_check_add(&check->sent, sizeof(*sent));
    if (!sent)
        return ste_error_set(err, STE_E_NOMEM, "no memory for the ledger %s", at->file);
    sent->delivery64 = at->delivery64;
    sent->offset = at->offset;
    sent->ledger = at->ledger;
    return parse_message(words, sent) ? STE_OK : bad_line(at, "a value of M is malformed", err);
}

static enum ste_code cls_line(struct ste_check *check, struct reading *at, struct ste_bytes line,
                              struct ste_error *err)
{
    struct ste_bytes words[WORDS_MAX];
    size_t count = split(line, words);
    if (count != 3 || !ste_bytes_equal(words[0], STE_BYTES("C")))
        return bad_line(at, "not C with 2 values", err);
    struct ste_check_cls *cls = ste_check_add(&check->cls, sizeof(*cls));
    if (!cls)
        return ste_error_set(err, STE_E_NOMEM, "no memory for the ledger %s", at->file);
    const char *dot = memchr(words[1].at, '.', words[1].len);
    if (!dot)
        return bad_line(at, "a message-id without a version", err);
    size_t key_len = (size_t)(dot - words[1].at);
    struct ste_bytes version = {dot + 1, words[1].len - key_len - 1};
    if (!parse_hex((struct ste_bytes){words[1].at, key_len}, cls->trade_key.bytes, 16) ||
        !ste_bytes_u64(version, &cls->version))
        return bad_line(at, "a message-id is trade key hex, a dot, version", err);
    return STE_OK;
}

typedef enum ste_code line_function(struct ste_check *check, struct reading *at,
                                    struct ste_bytes line, struct ste_error *err);

static enum ste_code read_lines(struct ste_check *check, struct reading *at,
                                line_function *function, struct ste_error *err)
{
    enum ste_code rc = STE_OK;
    char *line = NULL;
    size_t capacity = 0;
    ssize_t len;
    FILE *in = fopen(at->file, "r");
    if (!in)
        return ste_error_set(err, STE_E_FILE, "could not open ledger %s: %s", at->file,
                             strerror(errno));
    while (rc == STE_OK && (len = getline(&line, &capacity, in)) > 0 && line[len - 1] == '\n') {
        at->line++;
        if (len > 1)
            rc = function(check, at, (struct ste_bytes){line, (size_t)len - 1}, err);
        at->offset += (uint64_t)len;
    }
    if (rc == STE_OK && ferror(in))
        rc = ste_error_set(err, STE_E_FILE, "could not read ledger %s: %s", at->file,
                           strerror(errno));
    free(line);
    fclose(in);
    return rc;
}

enum ste_code ste_check_read_sent(struct ste_check *check, const char *file, uint32_t number,
                                  struct ste_error *err)
{
    struct reading at = {.file = file, .ledger = number};
    return read_lines(check, &at, sent_line, err);
}

enum ste_code ste_check_read_cls(struct ste_check *check, const char *file, struct ste_error *err)
{
    struct reading at = {.file = file};
    return read_lines(check, &at, cls_line, err);
}

void ste_check_ledger_line(const char *file, uint64_t offset, char *out, size_t out_bytes)
{
    out[0] = '\0';
    FILE *in = fopen(file, "r");
    if (!in)
        return;
    if (fseek(in, (long)offset, SEEK_SET) != 0 || !fgets(out, (int)out_bytes, in))
        out[0] = '\0';
    out[strcspn(out, "\n")] = '\0';
    fclose(in);
}
