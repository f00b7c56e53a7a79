/* SPDX-License-Identifier: Apache-2.0
 * Operational analysis of one observation: what was counted over [0, T], and what follows from it.
 * Source: P. J. Denning, J. P. Buzen, "The Operational Analysis of Queueing Network Models", ACM
 * Computing Surveys 10 (1978); J. D. C. Little, "A Proof for the Queuing Formula L = λW" (1961).
 * Pure: no I/O, no clock. Times in seconds, rates per second. */
#ifndef STE_OA_LAWS_H
#define STE_OA_LAWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ste_oa_counts {
    double seconds;     /* T, > 0 */
    double arrivals;    /* A */
    double completions; /* C */
    double busy;        /* B: seconds that servers worked; of m servers up to m × T */
    double waiting;     /* W: area under the number present, job-seconds */
    double servers;     /* m, 1 for a single server */
};

struct ste_oa_laws {
    double arrival_rate; /* λ = A/T */
    double throughput;   /* X = C/T */
    double utilisation;  /* U = B/(m·T) */
    double service;      /* S = B/C; NAN when nothing completed, as all that divide by C */
    double present;      /* N = W/T, mean number in queue and in service */
    double response;     /* R = W/C */
    double imbalance;    /* (A-C)/C: 0 is flow balance */
};
/* False, *ret untouched: T or servers not above 0, or a count below 0 or not finite. */
bool ste_oa_laws(const struct ste_oa_counts *counts, struct ste_oa_laws *ret);

/* One component of a system that completed `system` jobs: V = C/system (forced flow: X_k = V·X) and
 * D = V·S = B/system. NAN when the system completed nothing. */
double ste_oa_visits(double completions, double system_completions);
double ste_oa_demand(double busy, double system_completions);

/* Area under a step curve sampled at times[0 … n-1]: each value stands until the next time (W from
 * samples of the length). 0 below two samples. times must not fall: else NAN. */
double ste_oa_area(const double *times, const double *values, size_t n);

/* M/M/1 with utilisation u = λ·S below 1: R = S/(1-u), N = u/(1-u). NAN at u >= 1. */
double ste_oa_mm1_response(double service, double utilisation);
double ste_oa_mm1_present(double utilisation);

#endif
