/* SPDX-License-Identifier: Apache-2.0
 * What was confirmed, and what arrived: text files that only grow, one line an event, values apart
 * by one blank. The independent checker reads them.
 *
 *     D <delivery message-id> <count> <confirmed us>        a delivery that the broker confirmed
 *     M <index> <sender BIC8> <trade key hex> <reference> <16 hex>   its messages, one line each
 *     C <message-id> <arrived us>                           a CLS that the pool took
 *
 * The 16 hex digits begin the message's SHA-256. A blank or control character inside a value is
 * written as %20, an empty value as -. Times are CLOCK_MONOTONIC.
 *
 * A thread of the ledger's own writes and fsyncs in groups, so that a slow disk never stops the
 * sender; ste_ledger_sync waits for it. */
#ifndef STE_BENCH_LEDGER_H
#define STE_BENCH_LEDGER_H

#include "bench/set.h"

enum { STE_RUN_ID_MAX = 40 };
struct ste_ledger;

/* Appends to `path`; half a line that an earlier, killed process left at the end is cut off. */
STE_MUST_CHECK enum ste_code ste_ledger_open(const char *path, struct ste_ledger **ret,
                                             struct ste_error *err);
/* One delivery and its messages, as one piece. Blocks while 8 MB wait for the disk.
 * Errors, here and below: what the writing thread met (STE_E_FILE), STE_E_NOMEM. */
STE_MUST_CHECK enum ste_code ste_ledger_delivery(struct ste_ledger *ledger, const char *message_id,
                                                 const struct ste_set_entry *entries, size_t count,
                                                 uint64_t confirmed_us, struct ste_error *err);
STE_MUST_CHECK enum ste_code ste_ledger_cls(struct ste_ledger *ledger, struct ste_bytes message_id,
                                            uint64_t arrived_us, struct ste_error *err);
/* Returns when everything added so far is on the disk. */
STE_MUST_CHECK enum ste_code ste_ledger_sync(struct ste_ledger *ledger, struct ste_error *err);
/* Syncs, ends the thread, frees. NULL is fine. */
STE_MUST_CHECK enum ste_code ste_ledger_close(struct ste_ledger *ledger, struct ste_error *err);

/* Reading. A callback may be NULL; views live during the call only. */
struct ste_ledger_reader {
    void *context;
    void (*delivery)(void *context, struct ste_bytes message_id, uint64_t count,
                     uint64_t confirmed_us);
    void (*message)(void *context, uint64_t index, struct ste_bytes sender8,
                    struct ste_bytes trade_key, struct ste_bytes reference,
                    struct ste_bytes sha256_start);
    void (*cls)(void *context, struct ste_bytes message_id, uint64_t arrived_us);
};
/* STE_E_PARSE names the line. */
STE_MUST_CHECK enum ste_code
ste_ledger_read(const char *path, const struct ste_ledger_reader *reader, struct ste_error *err);

/* True for 1 to 40 of A-Z, a-z, 0-9, dot, underscore and hyphen: a message-id with it is whole in
 * every place that has it, and the ledger writes it as it is. */
bool ste_ledger_run_id_is_good(const char *run_id);
/* Which deliveries "<run_id>-<number>" of `count` the ledger has whole, with all their messages:
 * *ret_done is the caller's to free, bit `number` of it. No such file: none. */
STE_MUST_CHECK enum ste_code ste_ledger_done(const char *path, const char *run_id, uint64_t count,
                                             uint8_t **ret_done, struct ste_error *err);

#endif
