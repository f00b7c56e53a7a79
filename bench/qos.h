/* SPDX-License-Identifier: Apache-2.0
 * One point of the quality-of-service sweep, measured: senders and receivers in one process and on
 * one clock. A thread a sender, a connection a receiver, up to 16 receivers a thread. */
#ifndef STE_BENCH_QOS_H
#define STE_BENCH_QOS_H

#include "bench/qos_queues.h"
#include "bench/qos_tally.h"

struct ste_qos_options {
    struct ste_cluster *cluster; /* broker.window is set to in_flight */
    enum ste_qos_mode mode;
    uint64_t seconds;     /* of sending */
    uint64_t in_flight;   /* a sender's messages waiting for their confirm */
    uint64_t outstanding; /* deliveries under way; at least those of two messages may be */
    uint64_t patience_s;  /* without any confirm or delivery, when some are still to come */
};

struct ste_qos_result {
    uint64_t round; /* from 1; set by the caller */
    struct ste_qos_point point;
    double time_s; /* from the first message to the last confirm, at least `seconds` */
    uint64_t sent; /* and confirmed */
    struct ste_qos_balance balance;
    double sent_per_s, received_per_s; /* received: until the last delivery */
    /* From send to receive, in ms; with a demand from when it was due, so that a sender that was
     * held up hides nothing. NAN: nothing was received. */
    double p50_ms, p99_ms;
};

/* Makes the queues, measures, and removes them again, after a failure too. `watch` as in
 * ste_bench_jobs_run. *ret_interrupted: a signal came, *ret is not a result. Blocks for about
 * `seconds`, and longer for many durable queues. Errors: those of lib/mq and ste_api_send,
 * STE_E_TIMEOUT (patience), STE_E_STOPPING (a sender or receiver failed and has complained). */
STE_MUST_CHECK enum ste_code ste_qos_measure(const struct ste_qos_options *options,
                                             const struct ste_qos_point *point, struct ste_api *api,
                                             void (*watch)(void *context), void *watch_context,
                                             struct ste_qos_result *ret, bool *ret_interrupted,
                                             struct ste_error *err);

#endif
