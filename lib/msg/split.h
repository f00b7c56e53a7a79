/* SPDX-License-Identifier: Apache-2.0
 * A file of messages cut into its messages, in constant memory. Nothing is judged here: a child of
 * TradeMessages that is no message is a piece too, and where the XML breaks, the rest is one piece.
 */
#ifndef STE_MSG_SPLIT_H
#define STE_MSG_SPLIT_H

#include <stdio.h>

#include "msg/message.h"

struct ste_split;

/* Room for root tags around a rest, so that the delivery made of it keeps its limit. */
enum { STE_SPLIT_REST_BYTES_MAX = STE_DELIVERY_BYTES_MAX - 8192 };

enum ste_piece_kind {
    STE_PIECE_WHOLE, /* a closed element */
    /* What follows a break, from the start of the element that broke, cut at
     * STE_SPLIT_REST_BYTES_MAX; may be empty (the file ends too early). Always the last piece, and
     * nothing may be put behind it: that could mend what is broken. */
    STE_PIECE_REST,
    /* The first STE_DELIVERY_BYTES_MAX + 1 bytes of an element that no delivery can hold. Sent
     * alone it is refused for its size. What comes after the element follows as usual; where the
     * element breaks later, its start stands for the rest too. */
    STE_PIECE_HUGE,
};

struct ste_piece {
    struct ste_bytes bytes; /* valid until the next call */
    enum ste_piece_kind kind;
    uint64_t offset;       /* of its first byte in the file, from 0 */
    uint32_t line, column; /* the same, from 1, in characters */
};

/* Reads on from where `file` stands; `head` was read from it already. NULL: out of memory. */
struct ste_split *ste_split_new(FILE *file, struct ste_bytes head);
void ste_split_free(struct ste_split *split);
/* The next piece; *ret_done after the last. Blocks on the file. STE_E_FILE, STE_E_NOMEM,
 * STE_E_LIMIT (a tag or comment too long to be passed over). */
STE_MUST_CHECK enum ste_code ste_split_next(struct ste_split *split, struct ste_piece *ret,
                                            bool *ret_done, struct ste_error *err);
/* What goes around pieces to make a delivery of them: the file's own root tags, as they were
 * written. Both absent when the file's root is a message itself, or was not found. */
struct ste_bytes ste_split_open_tag(const struct ste_split *split);
struct ste_bytes ste_split_close_tag(const struct ste_split *split);

#endif
