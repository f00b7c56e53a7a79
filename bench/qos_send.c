/* SPDX-License-Identifier: Apache-2.0
 * A sender: messages number n, n + senders, n + 2 senders … of one common schedule. */
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "bench/qos_run.h"

enum {
    PUMP_EVERY = 16, /* publishes between looks at what the broker said */
    WAIT_MS = 50,
    HELD_MS = 1, /* between looks at how many deliveries are under way */
};

static void settled(void *context, uint64_t cookie, enum ste_mq_outcome outcome)
{
    struct ste_qos_sender *sender = context;
    (void)cookie;
    if (outcome == STE_MQ_CONFIRMED) {
        sender->confirmed++;
        sender->last_confirm_ns = ste_clock_mono_ns();
    } else if (outcome == STE_MQ_NACKED) {
        sender->nacked++;
    } else {
        sender->returned++;
    }
}

/* The absolute time of message `number`: what is late goes out at once, and nothing shifts. */
static uint64_t due_ns_of(const struct ste_qos_run *run, uint64_t number)
{
    return run->start_ns +
           (uint64_t)((unsigned __int128)number * STE_NS_PER_S / run->point->demand);
}

static enum ste_code wait_until(struct ste_qos_sender *sender, uint64_t wait_ns,
                                struct ste_error *err)
{
    if (wait_ns < STE_NS_PER_MS) {
        const struct timespec pause = {0, (long)wait_ns};
        (void)nanosleep(&pause, NULL);
        return ste_mq_pump(sender->mq, 0, err);
    }
    uint64_t wait_ms = wait_ns / STE_NS_PER_MS;
    return ste_mq_pump(sender->mq, wait_ms < WAIT_MS ? (int)wait_ms : WAIT_MS, err);
}

/* *ret_sent false: the window is full or the broker blocks; what it said was read. */
static enum ste_code publish(struct ste_qos_sender *sender, uint64_t number, uint64_t stamp_ns,
                             bool *ret_sent, struct ste_error *err)
{
    struct ste_qos_run *run = sender->run;
    uint64_t key = number % run->point->keys;
    const struct ste_qos_stamp stamp = {.sent_ns = stamp_ns, .number = number};
    memcpy(sender->body, &stamp, sizeof stamp);
    const struct ste_mq_message message = {.exchange = STE_QOS_EXCHANGE,
                                           .routing_key = ste_bytes_of(run->key_names[key]),
                                           .transient = run->point->kind == STE_QOS_VOLATILE,
                                           .body = {sender->body, run->point->bytes}};
    enum ste_code rc = ste_mq_publish(sender->mq, &message, number, err);
    *ret_sent = rc == STE_OK;
    if (rc == STE_E_MQ_WINDOW || rc == STE_E_MQ_BLOCKED)
        return ste_mq_pump(sender->mq, WAIT_MS, err);
    if (rc != STE_OK)
        return rc;
    ste_qos_tally_add(&sender->by_key[key], number);
    atomic_fetch_add(&run->sent_deliveries, run->fan_out[key]);
    if (++sender->since_pump < PUMP_EVERY)
        return STE_OK;
    sender->since_pump = 0;
    return ste_mq_pump(sender->mq, 0, err);
}

static bool too_many_under_way(struct ste_qos_run *run)
{
    /* A receiver may count a delivery before its sender does. */
    uint64_t received = atomic_load(&run->received_deliveries);
    uint64_t sent = atomic_load(&run->sent_deliveries);
    return sent > received && sent - received >= run->outstanding_max;
}

static enum ste_code send_all(struct ste_qos_sender *sender, struct ste_bench_jobs *jobs,
                              struct ste_error *err)
{
    struct ste_qos_run *run = sender->run;
    bool full_speed = run->point->demand == STE_QOS_FULL;
    uint64_t number = sender->number;
    enum ste_code rc = STE_OK;
    while (rc == STE_OK && !ste_bench_stopping(jobs)) {
        uint64_t now_ns = ste_clock_mono_ns();
        uint64_t due_ns = full_speed ? now_ns : due_ns_of(run, number);
        bool sent = false;
        if (now_ns >= run->end_ns || due_ns >= run->end_ns)
            break;
        if (due_ns > now_ns)
            rc = wait_until(sender, due_ns - now_ns, err);
        else if (too_many_under_way(run))
            rc = ste_mq_pump(sender->mq, HELD_MS, err);
        else
            rc = publish(sender, number, due_ns, &sent, err);
        if (sent)
            number += run->point->senders;
    }
    return rc;
}

/* A broker with much to do may confirm late; as long as anything comes out of it, it is waited for.
 */
static enum ste_code await_confirms(struct ste_qos_sender *sender, struct ste_bench_jobs *jobs,
                                    struct ste_error *err)
{
    uint64_t patience_s = sender->run->options->patience_s;
    uint64_t heard_ns = ste_clock_mono_ns(), last_seen = 0;
    enum ste_code rc = STE_OK;
    while (rc == STE_OK && ste_mq_unconfirmed(sender->mq) > 0 && !ste_bench_stopping(jobs)) {
        uint64_t now_ns = ste_clock_mono_ns();
        uint64_t seen = sender->confirmed + atomic_load(&sender->run->received_deliveries);
        if (seen != last_seen)
            heard_ns = now_ns;
        last_seen = seen;
        if (now_ns - heard_ns > patience_s * STE_NS_PER_S)
            return ste_error_set(err, STE_E_TIMEOUT, "%zu messages without confirm for %llu s",
                                 ste_mq_unconfirmed(sender->mq), (unsigned long long)patience_s);
        rc = ste_mq_pump(sender->mq, WAIT_MS, err);
    }
    return rc;
}

enum ste_code ste_qos_send(void *context, struct ste_bench_jobs *jobs, struct ste_error *err)
{
    struct ste_qos_sender *sender = context;
    ste_mq_on_settled(sender->mq, settled, sender);
    ste_mq_gather(sender->mq, sender->run->point->demand == STE_QOS_FULL);
    enum ste_code rc = send_all(sender, jobs, err);
    if (rc == STE_OK)
        rc = await_confirms(sender, jobs, err);
    if (rc == STE_OK && sender->nacked + sender->returned > 0)
        rc =
            ste_error_set(err, STE_E_MQ_REFUSED, "the broker refused %llu messages, returned %llu",
                          (unsigned long long)sender->nacked, (unsigned long long)sender->returned);
    atomic_fetch_sub(&sender->run->sending, 1);
    return rc;
}
