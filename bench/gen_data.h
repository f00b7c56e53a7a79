/* SPDX-License-Identifier: Apache-2.0
 * What generated trades are drawn from: everything the reference data of a cluster map holds, in a
 * fixed order, so that one seed gives the same set wherever the data are the same. Read-only once
 * loaded; pure values, no snapshot behind them. */
#ifndef STE_BENCH_GEN_DATA_H
#define STE_BENCH_GEN_DATA_H

#include "ref/ref.h"

enum {
    STE_GEN_CURRENCIES_MAX = 512,
    STE_GEN_COUNTRIES_MAX = 26 * 26,
    STE_GEN_PLACES_MAX = 16,
    STE_GEN_ISIN_BYTES = 12,
};

struct ste_gen_party {
    char bic8[STE_BIC8_BYTES + 1];
};
struct ste_gen_parties {
    struct ste_gen_party *list;
    size_t count;
};
struct ste_gen_isins {
    char (*list)[STE_GEN_ISIN_BYTES + 1];
    size_t count;
};
struct ste_gen_place {
    char bic8[STE_BIC8_BYTES + 1];
    ste_date settlement_date; /* trade date + 2 business days of its calendar */
    ste_date later_date;      /* + 3; STE_DATE_NONE: the calendar ends before */
};
struct ste_gen_data {
    ste_date trade_date;
    struct ste_currency currencies[STE_GEN_CURRENCIES_MAX];
    size_t currency_count;
    char countries[STE_GEN_COUNTRIES_MAX][3];
    size_t country_count;
    struct ste_gen_isins shares, bonds; /* either may be empty, then the other serves for both */
    struct ste_gen_parties brokers, managers, custodians;
    struct ste_gen_place places[STE_GEN_PLACES_MAX];
    size_t place_count;
};

/* Errors: STE_E_CONFIG when the reference data lack something that every trade needs. */
STE_MUST_CHECK enum ste_code ste_gen_data_load(const struct ste_cluster *cluster,
                                               const struct ste_ref *ref, struct ste_gen_data *ret,
                                               struct ste_error *err);
void ste_gen_data_deinit(struct ste_gen_data *data);

#endif
