/* SPDX-License-Identifier: Apache-2.0
 * The independent checker (`ste-admin check`): what was confirmed and what arrived (ledgers),
 * against what every shard holds. It uses nothing that the engine counted, and not the state of a
 * trade: only rows, their keys and the messages' own bytes. Each kind of thing is one flat array of
 * small items, sorted and merged, so that 7 million messages fit in about a gigabyte. The
 * comparison is pure. */
#ifndef STE_ADMIN_CHECK_H
#define STE_ADMIN_CHECK_H

#include <stdio.h>

#include "conf/cluster.h"
#include "msg/identity.h"

enum {
    STE_CHECK_NAMED_MAX = 20, /* offenders named of each kind */
    STE_CHECK_NAME_BYTES = 224,
};

/* A growing array of items; zero-initialise. */
struct ste_check_list {
    void *items;
    size_t count, capacity, item_bytes;
};

/* ---- what the ledgers say ---- */
struct ste_check_sent {        /* one confirmed message */
    struct ste_hash trade_key; /* zeros: its sender could not tell */
    uint64_t message64;        /* of sender BIC8 and reference */
    uint64_t sha64;            /* first 8 bytes of the SHA-256 of its bytes */
    uint64_t delivery64;       /* of the delivery's message-id */
    uint64_t offset;           /* of its line in the ledger, to name it */
    uint32_t index;            /* in the delivery */
    uint32_t ledger;           /* which --sent file */
};
struct ste_check_cls { /* one CLS that arrived */
    struct ste_hash trade_key;
    uint64_t version;
};

/* ---- what the shards hold ---- */
struct ste_check_message { /* a row of `message` */
    struct ste_hash trade_key;
    uint64_t message64, sha64, delivery64, id, account64;
    int64_t quantity; /* × 100,000; -1: not found in the bytes */
    uint32_t index;
    uint8_t type, shard;
    bool misplaced; /* its own bytes, or its slot, say another shard or trade */
};
struct ste_check_trade { /* a row of `trade` */
    struct ste_hash trade_key;
    uint32_t cls_version;
    uint8_t shard, status;
    bool misplaced, placeholder;
};
struct ste_check_exception { /* a row of `exception` */
    uint64_t delivery64;
    uint32_t index, repeats;
    uint8_t shard;
    bool misplaced, cut; /* cut: only the start of the bytes was kept */
    char code[5];
};
struct ste_check_span { /* a message found inside an exception's bytes */
    uint64_t sha64, delivery64;
    uint32_t index; /* of the exception */
    uint32_t repeats;
};

struct ste_check {
    struct ste_check_list sent, cls, messages, trades, exceptions, spans;
    uint64_t deliveries; /* in the sent ledgers */
    uint64_t queued, outbox;
    const char *const *sent_files; /* to name offenders; may be NULL */
};
void ste_check_deinit(struct ste_check *check);
/* Room for one more item, zeroed; NULL when out of memory. */
void *ste_check_add(struct ste_check_list *list, size_t item_bytes);

/* ---- the comparison ---- */
enum ste_check_fault {
    STE_CHECK_LOST,      /* confirmed, and neither stored, nor a repeat, nor an exception */
    STE_CHECK_DUPLICATE, /* stored twice, or stored and refused at once */
    STE_CHECK_PHANTOM,   /* stored or emitted without having been sent, or without its messages */
    STE_CHECK_MISSING,   /* a complete trade without its CLS */
    STE_CHECK_MISPLACED, /* a row on a shard, or under a trade, that its key does not give */
    STE_CHECK_FAULT_COUNT
};
const char *ste_check_fault_name(enum ste_check_fault fault); /* "lost" */

struct ste_check_result {
    uint64_t sent;          /* confirmed messages, repeats included */
    uint64_t stored;        /* rows of `message` */
    uint64_t repeats;       /* confirmed again, same bytes */
    uint64_t repeats_other; /* same sender, trade and reference, other bytes, no exception */
    uint64_t exceptions;    /* confirmed messages that ended as one */
    uint64_t exception_rows;
    uint64_t trades, cleared; /* trades with messages; those of them with a CLS */
    uint64_t unmatched;       /* complete, no CLS, and said to be unmatched */
    uint64_t cls, cls_again;  /* distinct message-ids, and further deliveries of the same ones */
    uint64_t queued, outbox;
    uint64_t faults[STE_CHECK_FAULT_COUNT];
    struct {
        size_t count;
        char names[STE_CHECK_NAMED_MAX][STE_CHECK_NAME_BYTES];
    } named[STE_CHECK_FAULT_COUNT];
};
/* Sorts check's lists and compares them. */
void ste_check_compare(struct ste_check *check, struct ste_check_result *ret);
bool ste_check_clean(const struct ste_check_result *result); /* no fault of any kind */
/* Counts a fault and, of the first ones, keeps the name. */
void ste_check_blame(struct ste_check_result *result, enum ste_check_fault fault,
                     const char *format, ...) STE_PRINTF(3, 4);

/* ---- reading ---- */
STE_MUST_CHECK enum ste_code ste_check_read_sent(struct ste_check *check, const char *file,
                                                 uint32_t number, struct ste_error *err);
STE_MUST_CHECK enum ste_code ste_check_read_cls(struct ste_check *check, const char *file,
                                                struct ste_error *err);
/* The ledger line at an offset, cut to out_bytes; "" when it cannot be read. */
void ste_check_ledger_line(const char *file, uint64_t offset, char *out, size_t out_bytes);
/* Reads every row of one shard, by the checker's login. */
STE_MUST_CHECK enum ste_code ste_check_read_shard(struct ste_check *check,
                                                  const struct ste_cluster *cluster,
                                                  unsigned number, struct ste_error *err);
STE_MUST_CHECK enum ste_code ste_check_read_outbox(const struct ste_cluster *cluster,
                                                   uint64_t *ret_rows, struct ste_error *err);
/* Messages ready or unacked in ste.in, the typed and suspect queues, ste.dead and ste.cls. */
STE_MUST_CHECK enum ste_code ste_check_read_queues(const struct ste_cluster *cluster,
                                                   uint64_t *ret_messages, struct ste_error *err);

/* ---- what a message's bytes say, without the engine's decoder (check_text.c) ---- */
/* The text of the first element of that name, any prefix; absent when there is none, or when the
 * bytes hold comments, CDATA or entities: then nobody is accused. */
struct ste_bytes ste_check_element(struct ste_bytes body, const char *name);
/* Digits with at most five decimals × 100,000; -1 when it is something else. */
int64_t ste_check_quantity(struct ste_bytes text);
/* The next <…TradeMessage …>…</…TradeMessage> at or after *at (not TradeMessages). */
bool ste_check_next_span(struct ste_bytes bytes, size_t *at, struct ste_bytes *ret);
uint64_t ste_check_message64(struct ste_bytes sender, struct ste_bytes reference);
uint64_t ste_check_sha64(struct ste_bytes bytes);
/* Trade key and slot from the bytes' own elements. False: they do not tell. */
bool ste_check_identify(struct ste_bytes body, const struct ste_match_key *match_key,
                        struct ste_arena *arena, struct ste_trade_id *ret);
/* The same from a trade row's identity: "reference|broker|manager|date". */
bool ste_check_identify_row(struct ste_bytes identity, const struct ste_match_key *match_key,
                            struct ste_arena *arena, struct ste_trade_id *ret);

/* ---- the answer ---- */
void ste_check_print(const struct ste_check_result *result, FILE *out);
STE_MUST_CHECK enum ste_code ste_check_write_json(const struct ste_check_result *result,
                                                  bool at_rest, const char *file,
                                                  struct ste_error *err);
#endif
