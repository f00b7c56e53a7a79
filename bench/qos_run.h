/* SPDX-License-Identifier: Apache-2.0
 * What the senders and receivers of one point share. Inside qos.c, qos_send.c and qos_receive.c. */
#ifndef STE_BENCH_QOS_RUN_H
#define STE_BENCH_QOS_RUN_H

#include "bench/command.h"
#include "bench/histogram.h"
#include "bench/qos.h"
#include "mq/mq.h"

/* A body begins with this; the rest only fills. */
struct ste_qos_stamp {
    uint64_t sent_ns; /* CLOCK_MONOTONIC; with a demand, when it was due */
    uint64_t number;
};

struct ste_qos_run {
    const struct ste_qos_options *options;
    const struct ste_qos_point *point;
    char (*key_names)[STE_QOS_NAME_BYTES]; /* point->keys of them */
    uint64_t *fan_out;                     /* by key: receivers of a message */
    uint64_t outstanding_max;              /* deliveries under way */
    uint64_t start_ns, end_ns;             /* of sending */
    _Atomic uint64_t sent_deliveries, received_deliveries;
    _Atomic uint64_t sending; /* senders that are not done */
};

struct ste_qos_sender {
    struct ste_qos_run *run;
    uint64_t number;
    struct ste_mq *mq;
    char *body;
    struct ste_qos_tally *by_key; /* what it published */
    uint64_t confirmed, nacked, returned, last_confirm_ns;
    unsigned since_pump;
};
/* A job of ste_bench_jobs_run; context: a sender. */
enum ste_code ste_qos_send(void *context, struct ste_bench_jobs *jobs, struct ste_error *err);

struct ste_qos_receiver {
    struct ste_qos_tally got;
    uint64_t unacked, tag;
};
/* A thread's share of the receivers. */
struct ste_qos_takers {
    struct ste_qos_run *run;
    size_t count;
    struct ste_mq *mqs[STE_MQ_WAIT_MAX];
    struct ste_qos_receiver receivers[STE_MQ_WAIT_MAX];
    uint64_t last_ns; /* of the last delivery */
    struct ste_histogram latency;
};
/* A job of ste_bench_jobs_run; context: takers. */
enum ste_code ste_qos_take(void *context, struct ste_bench_jobs *jobs, struct ste_error *err);

#endif
