/* SPDX-License-Identifier: Apache-2.0
 * What the machine does without the engine: the broker alone, the driver alone, and one shard
 * alone, with the bytes of the same set. All clean up behind them. */
#ifndef STE_BENCH_CEILING_H
#define STE_BENCH_CEILING_H

#include "bench/drive_command.h"

struct ste_ceiling {
    unsigned batch;   /* messages in a delivery, or in a transaction */
    unsigned writers; /* shard alone */
    uint64_t messages, redone;
    double seconds;
};

/* One producer with confirms into a queue of its own (quorum, on the management API's word), one
 * consumer that acknowledges in windows; from the first publish to the last delivery consumed.
 * `as_driver` false, the broker alone: nothing is signed or kept. True, the driver alone: as drive
 * does it, every delivery signed, every confirm in a ledger that is fsynced (a file beside the set,
 * removed afterwards). */
STE_MUST_CHECK enum ste_code ste_ceiling_broker(const struct ste_drive_options *o,
                                                const struct ste_bench_map *map,
                                                const struct ste_set *set, bool as_driver,
                                                struct ste_ceiling *ret, struct ste_error *err);

/* ret->writers connections to shard 0, each committing ret->batch messages at a time by the
 * statements of path stops 6 and 8, on a day of its own that is purged afterwards. */
STE_MUST_CHECK enum ste_code ste_ceiling_shard(const struct ste_bench_map *map,
                                               const struct ste_set *set, struct ste_ceiling *ret,
                                               struct ste_error *err);

#endif
