/* SPDX-License-Identifier: Apache-2.0
 * An open network: jobs come at rate λ, whatever the queues. Each station alone is M/M/m (J. R.
 * Jackson 1957): with one server R_k = D_k/(1 - λ·D_k) (Denning and Buzen 1978), with several by
 * Erlang's C formula. Pure. Seconds and jobs a second. */
#ifndef STE_OA_OPEN_H
#define STE_OA_OPEN_H

#include "oa/mva.h"

struct ste_oa_open {
    double response;   /* ΣR_k; INFINITY when a station is unstable */
    double present;    /* N = λ·R; INFINITY likewise */
    double saturation; /* the λ at which the first station reaches utilisation 1 */
    size_t unstable;   /* stations with utilisation of 1 and more: R and N INFINITY */
    size_t bottleneck; /* the queue with the highest utilisation, the first of several; 0: none */
};
/* ret_loads (may be NULL) has `count` places. Errors: STE_E_ARGUMENT (λ or a demand below 0 or not
 * finite; too many servers). */
STE_MUST_CHECK enum ste_code ste_oa_open(const struct ste_oa_station *stations, size_t count,
                                         double arrival_rate, struct ste_oa_open *ret,
                                         struct ste_oa_load *ret_loads, struct ste_error *err);

#endif
