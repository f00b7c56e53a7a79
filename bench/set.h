/* SPDX-License-Identifier: Apache-2.0
 * A set of generated messages on disk. DIR/set.ste: every message as u32 length (little-endian) and
 * its bytes, in sending order. DIR/set.idx: a header, then one fixed entry a message with what the
 * ledgers need, so that the driver neither parses nor hashes. DIR/set.json: the same figures for
 * people. The files are written and read by the same kind of machine (little-endian). */
#ifndef STE_BENCH_SET_H
#define STE_BENCH_SET_H

#include <stdio.h>

#include "base/bytes.h"
#include "base/date.h"
#include "base/hash.h"
#include "json/json.h"

enum { STE_SET_REFERENCE_BYTES = 35, STE_SET_VERSION = 2 };

struct ste_set_header {
    char magic[8]; /* "STESET" and two NUL */
    uint32_t version;
    ste_date trade_date;
    uint64_t seed, trades, messages;
    uint64_t bytes;          /* of all messages, without their length words */
    uint64_t shuffle_window; /* messages; 0: not shuffled */
    uint64_t first_trade;
    /* What the engine must make of it. messages = stored + refused + repeats. */
    uint64_t cls; /* trades that will have one */
    uint64_t stored, refused, repeats;
    uint64_t mismatched, late; /* trades with a difference; with a message that comes late */
    uint64_t alone;            /* messages that take a delivery of their own */
    uint64_t late_messages;    /* by how many messages what is late or repeated is moved back */
};
enum ste_set_flag {
    STE_SET_NO_CLS = 1, /* its trade does not clear */
    STE_SET_REFUSED = 2,
    STE_SET_REPEAT = 4, /* the same bytes came before */
    STE_SET_ALONE = 8,  /* shares its delivery with no other message */
    STE_SET_LATE = 16,
};
struct ste_set_entry {
    struct ste_hash trade_key;
    uint8_t sha256_start[8]; /* of the message's bytes */
    char sender8[8];
    char reference[STE_SET_REFERENCE_BYTES];
    uint8_t reference_len;
    uint32_t trade; /* from 0 in this set */
    uint8_t type;   /* enum ste_type */
    uint8_t flags;  /* enum ste_set_flag */
    uint8_t unused[2];
};
_Static_assert(sizeof(struct ste_set_header) == 128, "the header's layout is the file's");
_Static_assert(sizeof(struct ste_set_entry) == 76, "the entry's layout is the file's");

/* ---- writing ---- */
struct ste_set_writer {
    char *folder;
    FILE *messages, *index;
    struct ste_set_header header;
};
/* Makes the folder if need be. `header` gives seed, dates, window, trades, cls and mismatched; what
 * the entries tell is counted here. */
STE_MUST_CHECK enum ste_code ste_set_create(struct ste_set_writer *writer, const char *folder,
                                            const struct ste_set_header *header,
                                            struct ste_error *err);
STE_MUST_CHECK enum ste_code ste_set_add(struct ste_set_writer *writer, struct ste_bytes message,
                                         const struct ste_set_entry *entry, struct ste_error *err);
/* Counts one message in the header: messages, stored, refused, repeats, late, alone. */
void ste_set_count(struct ste_set_header *header, unsigned flags);
/* Completes, fsyncs and closes all files; a set without this is refused by ste_set_open. `more`
 * (NULL: nothing) adds members to set.json. */
STE_MUST_CHECK enum ste_code ste_set_finish(struct ste_set_writer *writer,
                                            void (*more)(const void *context,
                                                         struct ste_json_writer *json),
                                            const void *context, struct ste_error *err);
void ste_set_abandon(struct ste_set_writer *writer); /* also fine after finish */

/* ---- reading: both files mapped, read from front to back ---- */
struct ste_set {
    const char *messages;
    size_t messages_bytes;
    const struct ste_set_header *header;
    const struct ste_set_entry *entries; /* header->messages of them */
    size_t index_bytes;
};
/* Errors: STE_E_FILE, STE_E_PARSE (not a whole set). */
STE_MUST_CHECK enum ste_code ste_set_open(struct ste_set *set, const char *folder,
                                          struct ste_error *err);
/* A finished set is there, of whatever version, whole or not. */
bool ste_set_is_there(const char *folder);
void ste_set_close(struct ste_set *set);
/* The message at *offset (0 is the first), moving *offset behind it; len 0 at the end. */
struct ste_bytes ste_set_next(const struct ste_set *set, size_t *offset);

#endif
