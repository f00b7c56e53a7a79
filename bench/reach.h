/* SPDX-License-Identifier: Apache-2.0
 * A broker that cannot be reached: told once a process and not once a try, waited for once it was
 * there, given up soon when it never was. Drivers and pool of one process share the jobs. */
#ifndef STE_BENCH_REACH_H
#define STE_BENCH_REACH_H

#include "bench/command.h"

enum { STE_REACH_FIRST_S = 10 }; /* of trying, without one connection */

struct ste_reach { /* of one thread; starts as zeros */
    uint64_t first_try_ns;
    bool ever_connected;
};

/* A connection is there. */
void ste_reach_connected(struct ste_reach *reach, struct ste_bench_jobs *jobs);
/* It is gone. Tells err. */
void ste_reach_lost(struct ste_bench_jobs *jobs, const struct ste_error *err);
/* There was none to be had, with err->code. STE_OK: try again, told. Errors: STE_E_TIMEOUT after
 * STE_REACH_FIRST_S; what trying again does not help, a refusal among them: but once it was
 * connected, that may be a broker that is just starting. */
STE_MUST_CHECK enum ste_code ste_reach_failed(struct ste_reach *reach, struct ste_bench_jobs *jobs,
                                              uint64_t now_ns, struct ste_error *err);

#endif
