/* SPDX-License-Identifier: Apache-2.0
 * Mean value analysis of a closed network of queues.
 * Exact, one class: M. Reiser, S. S. Lavenberg, "Mean-Value Analysis of Closed Multichain Queuing
 * Networks", JACM 27 (1980): an arriving job sees the network as if it were not in it,
 *     R_k(n) = D_k·(1 + Q_k(n-1)), X(n) = n/(Z + ΣR_k), Q_k = X·R_k,
 * a delay station R_k = D_k, a station of m servers by the probabilities of 0 … m-1 jobs at it.
 * Approximate, several classes: P. Schweitzer, "Approximate Analysis of Multiclass Closed Networks
 * of Queues" (1979), as Y. Bard: Q_kc with one job less is (n_c-1)/n_c · Q_kc.
 * Pure. Demands and times in seconds (any unit will do), rates per that unit. */
#ifndef STE_OA_MVA_H
#define STE_OA_MVA_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

enum ste_oa_kind {
    STE_OA_QUEUE, /* one queue, `servers` servers of full speed each */
    STE_OA_DELAY, /* nobody waits */
};
struct ste_oa_station {
    enum ste_oa_kind kind;
    unsigned servers; /* of a queue; 0 counts as 1 */
    double demand;    /* D_k = V_k·S_k, not divided by the servers; >= 0 */
};
struct ste_oa_load {
    double utilisation; /* X·D_k/m; of a delay station its mean number */
    double response;    /* R_k, all visits of one job together */
    double present;     /* Q_k */
};
struct ste_oa_closed {
    double throughput; /* X */
    double response;   /* ΣR_k, without Z */
};

enum { STE_OA_JOBS_MAX = 100000, STE_OA_SERVERS_MAX = 1024 };

/* n jobs, think time Z. ret_loads (may be NULL) has `count` places. O(n · (stations + servers)).
 * Errors: STE_E_ARGUMENT (a demand or Z below 0 or not finite, nothing but zeros, n or servers
 * above the limits), STE_E_NOMEM. */
STE_MUST_CHECK enum ste_code ste_oa_mva(const struct ste_oa_station *stations, size_t count,
                                        double think, size_t n, struct ste_oa_closed *ret,
                                        struct ste_oa_load *ret_loads, struct ste_error *err);

/* Several classes. demands[c·stations + k]; kinds[k] (queues are of one server; several servers
 * stand as a queue of D/m and a delay of D·(m-1)/m: A. Seidmann et al. 1987). */
struct ste_oa_classes {
    size_t class_count, station_count;
    const double *jobs;  /* n_c >= 0 of each class; fractions are allowed */
    const double *think; /* Z_c */
    const enum ste_oa_kind *kinds;
    const double *demands;
};
/* ret_throughput: class_count places. ret_present: class_count × station_count, or NULL.
 * Errors: STE_E_ARGUMENT, STE_E_NOMEM; STE_E_LIMIT when it does not settle. */
STE_MUST_CHECK enum ste_code ste_oa_schweitzer(const struct ste_oa_classes *classes,
                                               double *ret_throughput, double *ret_present,
                                               struct ste_error *err);

#endif
