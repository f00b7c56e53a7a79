/* SPDX-License-Identifier: Apache-2.0
 * For tests: a small world that generated trades are drawn from. */
#ifndef STE_BENCH_GEN_TESTING_H
#define STE_BENCH_GEN_TESTING_H

#include "base/testing.h"
#include "bench/gen_data.h"

/* Two brokers, two managers, three custodians; shares and a bond; currencies of 0, 2 and 3
 * decimals, of which all but BHD have another like them; two places with one settlement date. The
 * lists are static. */
static inline struct ste_gen_data ste_gen_test_world(void)
{
    static struct ste_gen_party brokers[] = {{"LBAASG2L"}, {"LBABGB2L"}};
    static struct ste_gen_party managers[] = {{"LMAASG2L"}, {"LMABGB2L"}};
    static struct ste_gen_party custodians[] = {{"LCAASG2L"}, {"LCABGB2L"}, {"LCACUS2L"}};
    static char isins[][STE_GEN_ISIN_BYTES + 1] = {"US0378331005", "GB0002634946"};
    static char bonds[][STE_GEN_ISIN_BYTES + 1] = {"GB00B16NNR78"};
    struct ste_gen_data data = {
        .currencies = {{"SGD", 2}, {"JPY", 0}, {"EUR", 2}, {"KRW", 0}, {"BHD", 3}},
        .currency_count = 5,
        .countries = {"SG", "GB"},
        .country_count = 2,
        .shares = {isins, COUNT_OF(isins)},
        .bonds = {bonds, COUNT_OF(bonds)},
        .brokers = {brokers, COUNT_OF(brokers)},
        .managers = {managers, COUNT_OF(managers)},
        .custodians = {custodians, COUNT_OF(custodians)},
        .place_count = 2,
    };
    assert_true(ste_date_parse(STE_BYTES("2026-11-30"), &data.trade_date));
    data.places[0] = (struct ste_gen_place){"CDPLSGSG", data.trade_date + 2, data.trade_date + 3};
    data.places[1] = (struct ste_gen_place){"CRSTGB22", data.trade_date + 2, data.trade_date + 3};
    return data;
}

#endif
