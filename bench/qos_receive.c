/* SPDX-License-Identifier: Apache-2.0
 * A thread of receivers: takes what is there from each in turn, acknowledges in groups, and at
 * once what came alone. */
#include <string.h>

#include "base/clock.h"
#include "bench/qos_run.h"

enum {
    TURN_MAX = 64,   /* deliveries of one receiver before the next has its turn */
    ACK_EVERY = 128, /* a quarter of the prefetch */
    WAIT_MS = 20,
};

static enum ste_code note(struct ste_qos_takers *takers, struct ste_qos_receiver *receiver,
                          const struct ste_mq_delivery *delivery, struct ste_error *err)
{
    struct ste_qos_stamp stamp;
    if (delivery->body.len != takers->run->point->bytes || delivery->body.len < sizeof stamp)
        return ste_error_set(err, STE_E_PARSE, "a message of %zu bytes is none of ours",
                             delivery->body.len);
    memcpy(&stamp, delivery->body.at, sizeof stamp);
    takers->last_ns = ste_clock_mono_ns();
    ste_histogram_add(&takers->latency, takers->last_ns > stamp.sent_ns
                                            ? (takers->last_ns - stamp.sent_ns) / STE_NS_PER_US
                                            : 0);
    ste_qos_tally_add(&receiver->got, stamp.number);
    receiver->tag = delivery->tag;
    receiver->unacked++;
    return STE_OK;
}

/* One receiver's turn. */
static enum ste_code take_some(struct ste_qos_takers *takers, size_t at, struct ste_error *err)
{
    struct ste_qos_receiver *receiver = &takers->receivers[at];
    enum ste_code rc = STE_OK;
    uint64_t taken = 0;
    bool got = true;
    while (rc == STE_OK && got && taken < TURN_MAX) {
        struct ste_mq_delivery delivery;
        got = false;
        rc = ste_mq_receive(takers->mqs[at], 0, &delivery, &got, err);
        if (rc == STE_OK && got) {
            rc = note(takers, receiver, &delivery, err);
            ste_mq_delivery_free(&delivery);
            taken++;
        }
    }
    if (taken > 0)
        atomic_fetch_add(&takers->run->received_deliveries, taken);
    if (rc == STE_OK && receiver->unacked > 0 && (receiver->unacked >= ACK_EVERY || !got)) {
        rc = ste_mq_ack(takers->mqs[at], receiver->tag, true, err);
        receiver->unacked = 0;
    }
    return rc;
}

/* Senders are done, and everything is here or nothing more comes. */
static bool done(struct ste_qos_takers *takers, uint64_t *quiet_since_ns, uint64_t *last_count)
{
    struct ste_qos_run *run = takers->run;
    uint64_t now_ns = ste_clock_mono_ns();
    uint64_t count = atomic_load(&run->received_deliveries);
    bool sending = atomic_load(&run->sending) > 0;
    if (sending || count != *last_count || *quiet_since_ns == 0) {
        *quiet_since_ns = now_ns;
        *last_count = count;
    }
    if (sending)
        return false;
    return count >= atomic_load(&run->sent_deliveries) ||
           now_ns - *quiet_since_ns > run->options->patience_s * STE_NS_PER_S;
}

enum ste_code ste_qos_take(void *context, struct ste_bench_jobs *jobs, struct ste_error *err)
{
    struct ste_qos_takers *takers = context;
    uint64_t quiet_since_ns = 0, last_count = 0;
    enum ste_code rc = STE_OK;
    while (rc == STE_OK && !ste_bench_stopping(jobs) &&
           !done(takers, &quiet_since_ns, &last_count)) {
        rc = ste_mq_wait(takers->mqs, takers->count, jobs->wake_fd, WAIT_MS, err);
        for (size_t i = 0; rc == STE_OK && i < takers->count; i++)
            rc = take_some(takers, i, err);
    }
    for (size_t i = 0; rc == STE_OK && i < takers->count; i++) {
        if (takers->receivers[i].unacked > 0)
            rc = ste_mq_ack(takers->mqs[i], takers->receivers[i].tag, true, err);
    }
    return rc;
}
