/* SPDX-License-Identifier: Apache-2.0
 * Where the drivers' deliveries come from: a set on disk, or a plan whose messages a thread of the
 * source makes while the drivers send those before. Any number of drivers take from one source,
 * each the next delivery that nobody has taken, so that numbers (and with them message-ids) do not
 * depend on how many drivers there are. All functions may be called from any thread.
 *
 * A delivery holds up to `batch` messages, one of the flag STE_SET_ALONE just that one. */
#ifndef STE_BENCH_SOURCE_H
#define STE_BENCH_SOURCE_H

#include "bench/gen.h"
#include "bench/set.h"

struct ste_source;
struct ste_source_unit; /* a generated delivery */

struct ste_delivery {
    uint64_t number; /* from 0 */
    uint64_t ahead;  /* messages taken before it: what a set rate counts */
    uint32_t count;  /* messages */
    const struct ste_set_entry *entries;
    size_t offset; /* of the first one in the set's file */
    struct ste_source_unit *unit;
};
enum ste_source_answer {
    STE_SOURCE_TAKEN,
    STE_SOURCE_WAIT, /* the next one is being made */
    STE_SOURCE_END,
    STE_SOURCE_FAILED, /* err says why */
};

/* `done`, unless NULL: bit per delivery, those to be skipped. Set and bits outlive the source. */
STE_MUST_CHECK enum ste_code ste_source_open_set(const struct ste_set *set, unsigned batch,
                                                 const uint8_t *done, struct ste_source **ret,
                                                 struct ste_error *err);
/* Starts the thread that makes the messages. `deliveries`: how many may be made and not given back;
 * cut so that they hold at most 256 MB. The plan's data outlive the source. */
STE_MUST_CHECK enum ste_code ste_source_open_plan(const struct ste_gen_plan *plan, unsigned batch,
                                                  const uint8_t *done, size_t deliveries,
                                                  struct ste_source **ret, struct ste_error *err);
void ste_source_close(struct ste_source *source); /* NULL is fine; ends the thread */

/* The delivery is the caller's until ste_source_give_back. Does not wait. */
enum ste_source_answer ste_source_take(struct ste_source *source, struct ste_delivery *ret,
                                       struct ste_error *err);
/* Its body: one message as it is, or several in a <TradeMessages>. Built in `buf` where need be;
 * valid while buf is unchanged and the delivery not given back. */
STE_MUST_CHECK enum ste_code ste_source_body(const struct ste_source *source,
                                             const struct ste_delivery *delivery,
                                             struct ste_buf *buf, struct ste_bytes *ret,
                                             struct ste_error *err);
void ste_source_give_back(struct ste_source *source, const struct ste_delivery *delivery);

uint64_t ste_source_skipped(struct ste_source *source); /* messages, so far */
/* Messages taken so far whose trade will have a CLS, repeats not counted. */
uint64_t ste_source_clearing(const struct ste_source *source);

#endif
