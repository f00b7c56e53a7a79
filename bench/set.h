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

enum { STE_SET_REFERENCE_BYTES = 35, STE_SET_VERSION = 1 };

struct ste_set_header {
    char magic[8]; /* "STESET" and two NUL */
    uint32_t version;
    ste_date trade_date;
    uint64_t seed, trades, messages;
    uint64_t bytes;          /* of all messages, without their length words */
    uint64_t shuffle_window; /* messages; 0: not shuffled */
    uint64_t first_trade;
};
struct ste_set_entry {
    struct ste_hash trade_key;
    uint8_t sha256_start[8]; /* of the message's bytes */
    char sender8[8];
    char reference[STE_SET_REFERENCE_BYTES];
    uint8_t reference_len;
    uint32_t trade; /* from 0 in this set */
    uint8_t type;   /* enum ste_type */
    uint8_t unused[3];
};
_Static_assert(sizeof(struct ste_set_header) == 64, "the header's layout is the file's");
_Static_assert(sizeof(struct ste_set_entry) == 76, "the entry's layout is the file's");

/* ---- writing ---- */
struct ste_set_writer {
    char *folder;
    FILE *messages, *index;
    struct ste_set_header header;
};
/* Makes the folder if need be. `header` gives seed, dates and window; counts are filled in here. */
STE_MUST_CHECK enum ste_code ste_set_create(struct ste_set_writer *writer, const char *folder,
                                            const struct ste_set_header *header,
                                            struct ste_error *err);
STE_MUST_CHECK enum ste_code ste_set_add(struct ste_set_writer *writer, struct ste_bytes message,
                                         const struct ste_set_entry *entry, struct ste_error *err);
/* Completes, fsyncs and closes all files; a set without this is refused by ste_set_open. */
STE_MUST_CHECK enum ste_code ste_set_finish(struct ste_set_writer *writer, uint64_t trades,
                                            struct ste_error *err);
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
void ste_set_close(struct ste_set *set);
/* The message at *offset (0 is the first), moving *offset behind it; len 0 at the end. */
struct ste_bytes ste_set_next(const struct ste_set *set, size_t *offset);

#endif
