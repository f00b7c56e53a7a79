/* SPDX-License-Identifier: Apache-2.0
 * A file of messages cut into its messages, in constant memory. Nothing is judged here: a child of
 * TradeMessages that is no message is a piece too, and where the XML breaks, the rest is one piece. */
#ifndef STE_MSG_SPLIT_H
#define STE_MSG_SPLIT_H

#include <stdio.h>

#include "msg/message.h"

struct ste_split;

struct ste_piece {
    struct ste_bytes bytes; /* valid until the next call */
    bool rest;              /* not a closed element: what follows a break, cut at the delivery limit */
};

/* Reads on from where `file` stands; `head` was read from it already. NULL: out of memory. */
struct ste_split *ste_split_new(FILE *file, struct ste_bytes head);
void ste_split_free(struct ste_split *split);
/* The next piece; *ret_done after the last. Blocks on the file. STE_E_FILE, STE_E_NOMEM. */
STE_MUST_CHECK enum ste_code ste_split_next(struct ste_split *split, struct ste_piece *ret,
                                            bool *ret_done, struct ste_error *err);
/* What goes around pieces to make a delivery of them: the file's own root tags, as they were written.
 * Both absent when the file's root is a message itself. */
struct ste_bytes ste_split_open_tag(const struct ste_split *split);
struct ste_bytes ste_split_close_tag(const struct ste_split *split);

#endif
