/* SPDX-License-Identifier: Apache-2.0
 * Generated trades in sending order: into a set, or as one file a person could submit. */
#ifndef STE_BENCH_GEN_H
#define STE_BENCH_GEN_H

#include "bench/gen_share.h"
#include "bench/gen_xml.h"
#include "bench/progress.h"

enum { STE_GEN_SHUFFLE_DEFAULT = 512 };
#define STE_GEN_SHUFFLE_ALL UINT64_MAX

struct ste_gen_plan {
    struct ste_gen gen;
    uint64_t first_trade, trades;
    /* Messages are shuffled within blocks of this many: two messages of one trade are less than two
     * windows apart. 0: none. STE_GEN_SHUFFLE_ALL: the whole set, at 8 bytes a message of memory.
     */
    uint64_t shuffle_window;
};

/* By how many messages what is late or repeated is moved back: more than a block, so that a repeat
 * comes after what it repeats. UINT64_MAX: to the end. */
uint64_t ste_gen_late_messages(const struct ste_gen_plan *plan);

/* What one message of a plan is, in sending order. */
struct ste_gen_item {
    const struct ste_gen_trade *trade;
    unsigned index;           /* of the message in its trade */
    unsigned flags;           /* STE_SET_REPEAT, STE_SET_LATE */
    struct ste_bytes message; /* valid during the call only */
};
/* The item's line in the index of a set, whole. */
void ste_gen_entry(const struct ste_gen_plan *plan, const struct ste_gen_item *item,
                   struct ste_set_entry *ret);
/* What the set of the plan will say of itself, all but its bytes; draws every trade once (about a
 * microsecond each). `each`, unless NULL, is called with each trade, in order. */
STE_MUST_CHECK enum ste_code
ste_gen_header(const struct ste_gen_plan *plan, struct ste_set_header *ret,
               void (*each)(void *context, uint32_t offset, const struct ste_gen_trade *trade),
               void *context, struct ste_error *err);

typedef enum ste_code ste_gen_taker(void *context, const struct ste_gen_item *item,
                                    struct ste_error *err);
/* Every message once, and the repeated ones again, in sending order. Stops at the first failure of
 * `take`. progress may be NULL; its done count is messages. */
STE_MUST_CHECK enum ste_code ste_gen_run(const struct ste_gen_plan *plan, ste_gen_taker *take,
                                         void *context, struct ste_progress *progress,
                                         struct ste_error *err);
STE_MUST_CHECK enum ste_code ste_gen_set(const struct ste_gen_plan *plan, const char *folder,
                                         struct ste_progress *progress, struct ste_error *err);
/* One <TradeMessages> with all of them; "-" is standard output. */
STE_MUST_CHECK enum ste_code ste_gen_file(const struct ste_gen_plan *plan, const char *path,
                                          struct ste_progress *progress, struct ste_error *err);

#endif
