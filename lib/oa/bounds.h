/* SPDX-License-Identifier: Apache-2.0
 * Bounds on the throughput of a closed system with n >= 1 customers. Source: asymptotic bounds,
 * Denning and Buzen 1978; balanced job bounds, J. Zahorjan et al., "Balanced Job Bound Analysis of
 * Queueing Networks", CACM 25 (1982), with think time as in E. D. Lazowska et al., "Quantitative
 * System Performance" (1984), chapter 5. Demands in seconds a job; think time Z in seconds. Pure.
 */
#ifndef STE_OA_BOUNDS_H
#define STE_OA_BOUNDS_H

#include <stddef.h>

struct ste_oa_system {
    const double *demands; /* D_k of the queueing stations: all >= 0, one at least > 0 */
    size_t count;          /* at least 1 */
    double think;          /* Z >= 0 */
};

double ste_oa_demand_sum(const struct ste_oa_system *system); /* D */
double ste_oa_demand_max(const struct ste_oa_system *system); /* Dmax */
size_t ste_oa_bottleneck(const struct ste_oa_system *system); /* the first with Dmax */
/* N* = (D+Z)/Dmax, where the two upper asymptotes meet. */
double ste_oa_knee(const struct ste_oa_system *system);

struct ste_oa_bounds {
    double lower, upper; /* jobs a second */
};
/* N/(N·D+Z) <= X <= min(1/Dmax, N/(D+Z)) */
struct ste_oa_bounds ste_oa_asymptotic(const struct ste_oa_system *system, double n);
/* N/(D+Z+(N-1)·Dmax/(1+Z/(N·D))) <= X <= min(1/Dmax, N/(D+Z+(N-1)·Davg/(1+Z/D))) */
struct ste_oa_bounds ste_oa_balanced(const struct ste_oa_system *system, double n);

#endif
