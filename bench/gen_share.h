/* SPDX-License-Identifier: Apache-2.0
 * What is wrong with a share of generated trades and messages, drawn from seed and number like the
 * rest of them: one condition of MESSAGES section 3 that differs, messages that are refused,
 * messages sent twice, messages that come late. */
#ifndef STE_BENCH_GEN_SHARE_H
#define STE_BENCH_GEN_SHARE_H

#include "bench/gen_trade.h"

enum { STE_GEN_SHARE_ALL = 10000 }; /* shares count hundredths of a percent */

/* How a message earns its refusal; each has one code of MESSAGES section 6. */
enum ste_gen_refusal {
    STE_GEN_GOOD,
    STE_GEN_BAD_CURRENCY,
    STE_GEN_BAD_SENDER, /* nobody among the participants */
    STE_GEN_BAD_DATE,
    STE_GEN_BAD_QUANTITY,
    STE_GEN_BAD_ISIN,
    STE_GEN_MISSING_ELEMENT,
    STE_GEN_REPEATED_ELEMENT,
    STE_GEN_BROKEN_XML, /* takes a delivery of its own: it would refuse what follows it */
    STE_GEN_REFUSAL_COUNT
};
const char *ste_gen_refusal_code(enum ste_gen_refusal refusal); /* "NCRR" */

/* Fills in trade->flaw. Not drawn: TradeDate, Broker and Manager (another trade then) and Account
 * (the leg stays open): with those a trade waits, it is not unmatched. A trade with a difference
 * has no refused message, so that it is compared. */
void ste_gen_flaw_draw(const struct ste_gen *gen, struct ste_gen_trade *trade);
/* Whether the trade will have its CLS. */
bool ste_gen_clears(const struct ste_gen_trade *trade);
enum ste_gen_refusal ste_gen_refusal_of(const struct ste_gen *gen,
                                        const struct ste_gen_trade *trade, unsigned index);
/* Whether message `index` is sent a second time: only good ones that are not late. */
bool ste_gen_is_repeated(const struct ste_gen *gen, const struct ste_gen_trade *trade,
                         unsigned index);
/* The condition in which message `index` differs from the others; 0: none. */
unsigned ste_gen_differs(const struct ste_gen_trade *trade, unsigned index);
/* The values that a difference takes, each other than the trade's; NULL: there is none. */
const char *ste_gen_other_isin(const struct ste_gen_data *data, const char *isin);
const struct ste_currency *ste_gen_other_currency(const struct ste_gen_data *data,
                                                  const struct ste_currency *currency);
const struct ste_gen_place *ste_gen_other_place(const struct ste_gen_data *data,
                                                const struct ste_gen_place *place);

#endif
