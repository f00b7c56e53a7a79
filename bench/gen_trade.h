/* SPDX-License-Identifier: Apache-2.0
 * One generated trade, a pure function of data, seed and number: any message of any trade can be
 * written at any time, so that a set of any size is made in constant memory and in any order. */
#ifndef STE_BENCH_GEN_TRADE_H
#define STE_BENCH_GEN_TRADE_H

#include "bench/gen_data.h"

/* Hundredths of a percent, 0 … 10,000: of trades in which one message differs, of messages that are
 * refused, of messages sent twice, of trades with one message that comes late. */
struct ste_gen_shares {
    unsigned mismatch, invalid, duplicate, late;
};
struct ste_gen {
    const struct ste_gen_data *data;
    uint64_t seed;
    unsigned accounts_min, accounts_max; /* 1 … STE_ACCOUNTS_MAX; 2 is the standard trade */
    struct ste_gen_shares shares;
};

struct ste_gen_account {
    unsigned number; /* unique in the trade */
    unsigned custodian;
    bool custodian_settles; /* who sends the SET: the custodian, else the manager */
    int64_t quantity;
    /* In minor units; net = gross + accrued ± (commission + other). */
    int64_t gross, accrued, commission, other, net;
};
enum { STE_GEN_NO_MESSAGE = UINT16_MAX };
struct ste_gen_flaw {    /* gen_share.h */
    uint16_t differs_at; /* message */
    uint16_t late_at;    /* message, or STE_GEN_NO_MESSAGE */
    uint16_t refused_count;
    uint8_t condition; /* enum ste_condition_id in which it differs; 0: in none */
};
struct ste_gen_trade {
    uint64_t number;
    bool sell, free, bond; /* bond: FAMT and PRCT, else UNIT and ACTU */
    const struct ste_currency *currency;
    const char *country, *isin, *broker, *manager;
    const struct ste_gen_place *place;
    unsigned street_custodian; /* the broker's, on the other side of the accounts' */
    struct ste_decimal price;
    int64_t quantity;
    struct ste_gen_flaw flaw;
    unsigned account_count;
    struct ste_gen_account accounts[STE_ACCOUNTS_MAX];
};

void ste_gen_trade_draw(const struct ste_gen *gen, uint64_t number, struct ste_gen_trade *ret);
/* 1 NOE, then ALB, NPR, SET of each account: 1 + 3 × accounts. */
unsigned ste_gen_message_count(const struct ste_gen_trade *trade);
/* What message `index` (0 … count-1) is: its type and its account (NULL for the NOE). */
enum ste_type ste_gen_message_type(const struct ste_gen_trade *trade, unsigned index,
                                   const struct ste_gen_account **ret_account);
/* "SGX20261130-00S7-000000123": date, four digits of the seed, number; so sets of different seeds
 * share no trade. out needs STE_REFERENCE_CHARS_MAX + 1 bytes. */
void ste_gen_trade_reference(const struct ste_gen *gen, uint64_t number, char *out);
/* TradeReference|Broker|Manager|TradeDate, as in MESSAGES section 2; hashed here so that the
 * checker's view does not rest on the engine's own code. */
struct ste_hash ste_gen_trade_key(const struct ste_gen *gen, const struct ste_gen_trade *trade);

#endif
