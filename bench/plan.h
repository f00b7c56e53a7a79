/* SPDX-License-Identifier: Apache-2.0
 * A plan of generated trades on the command line: what gen writes to disk, and what drive, run and
 * pool take instead of a set. */
#ifndef STE_BENCH_PLAN_H
#define STE_BENCH_PLAN_H

#include "bench/command.h"
#include "bench/gen.h"

struct ste_plan_options {
    const char *standard, *window, *accounts;
    const char *share_mismatch, *share_invalid, *share_duplicate, *share_late;
    uint64_t trades, seed, first;
};
#define STE_PLAN_DEFAULTS                                                                          \
    {                                                                                              \
        .seed = 1                                                                                  \
    }
/* `count` names the option that says how many trades. */
#define STE_PLAN_OPTIONS(o, count)                                                                 \
    STE_NUMBER_OPTION(count, "N", &(o).trades, 1, 100000000, false, "how many trades to make"),    \
        STE_TEXT_OPTION("standard", "NAME", &(o).standard, false,                                  \
                        "a standard set: small (10,000 trades), 250k or 1m"),                      \
        STE_NUMBER_OPTION("seed", "S", &(o).seed, 0, UINT64_MAX, false,                            \
                          "the same seed gives the same trades (default 1)"),                      \
        STE_NUMBER_OPTION("first", "N", &(o).first, 0, 999999999, false,                           \
                          "number of the first trade (default 0)"),                                \
        STE_TEXT_OPTION("shuffle-window", "W", &(o).window, false,                                 \
                        "shuffle within blocks of W messages; 0 none, all (default 512)"),         \
        STE_TEXT_OPTION("accounts", "A", &(o).accounts, false,                                     \
                        "accounts a trade, as 2 or 1-5 (default 2, at most 200)"),                 \
        STE_TEXT_OPTION("share-mismatch", "P", &(o).share_mismatch, false,                         \
                        "percent of trades in which one message differs: they stay unmatched"),    \
        STE_TEXT_OPTION("share-invalid", "P", &(o).share_invalid, false,                           \
                        "percent of messages that are refused"),                                   \
        STE_TEXT_OPTION("share-duplicate", "P", &(o).share_duplicate, false,                       \
                        "percent of messages that are sent twice"),                                \
        STE_TEXT_OPTION("share-late", "P", &(o).share_late, false,                                 \
                        "percent of trades with a message that comes late")

/* How many trades are asked for: 0, none. Needs no other call before. */
bool ste_plan_is_wanted(const struct ste_plan_options *o);
/* False, with a line on stderr: wrong usage. The plan's data are not filled in. */
bool ste_plan_of(const char *command, const struct ste_plan_options *o, struct ste_gen_plan *ret);

#endif
