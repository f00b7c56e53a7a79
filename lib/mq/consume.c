/* SPDX-License-Identifier: Apache-2.0
 * Consuming: subscribe, receive, ack. */
#include "mq/internal.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "mq/wire.h"

enum ste_code ste_mq_consume(struct ste_mq *mq, const char *queue, unsigned prefetch,
                             const char *consumer_tag, bool exclusive, struct ste_error *err)
{
    uint64_t deadline_ns = ste_mq_deadline(STE_MQ_CALL_MS);
    amqp_basic_qos_t qos = {.prefetch_count = (uint16_t)prefetch};
    amqp_basic_consume_t consume = {.queue = ste_mq_amqp_bytes(queue),
                                    .consumer_tag = ste_mq_amqp_bytes(consumer_tag),
                                    .exclusive = exclusive};
    if (prefetch == 0 || prefetch > UINT16_MAX) /* 0 would mean no limit */
        return ste_error_set(err, STE_E_ARGUMENT, "prefetch %u of queue %s is not 1 to %u",
                             prefetch, queue, UINT16_MAX);
    enum ste_code rc = ste_mq_usable(mq, err);
    if (rc == STE_OK)
        rc = ste_mq_call(mq, STE_MQ_CHANNEL, AMQP_BASIC_QOS_METHOD, &qos, AMQP_BASIC_QOS_OK_METHOD,
                         deadline_ns, err);
    if (rc == STE_OK)
        rc = ste_mq_call(mq, STE_MQ_CHANNEL, AMQP_BASIC_CONSUME_METHOD, &consume,
                         AMQP_BASIC_CONSUME_OK_METHOD, deadline_ns, err);
    return rc;
}

enum ste_code ste_mq_cancel(struct ste_mq *mq, const char *consumer_tag, struct ste_error *err)
{
    amqp_basic_cancel_t cancel = {.consumer_tag = ste_mq_amqp_bytes(consumer_tag)};
    enum ste_code rc = ste_mq_usable(mq, err);
    if (rc == STE_OK)
        rc = ste_mq_call(mq, STE_MQ_CHANNEL, AMQP_BASIC_CANCEL_METHOD, &cancel,
                         AMQP_BASIC_CANCEL_OK_METHOD, ste_mq_deadline(STE_MQ_CALL_MS), err);
    return rc;
}

static void hand_over(struct ste_mq *mq, struct ste_mq_delivery *ret)
{
    struct ste_mq_node *node = mq->ready_first;
    mq->ready_first = node->next;
    if (!mq->ready_first)
        mq->ready_last = NULL;
    *ret = node->delivery;
}

enum ste_code ste_mq_receive(struct ste_mq *mq, int timeout_ms, struct ste_mq_delivery *ret,
                             bool *ret_got, struct ste_error *err)
{
    uint64_t deadline_ns = timeout_ms > 0 ? ste_mq_deadline(timeout_ms) : 0;
    enum ste_code rc = ste_mq_usable(mq, err);
    while (rc == STE_OK) {
        bool progress = false;
        if (mq->ready_first) {
            hand_over(mq, ret);
            *ret_got = true;
            return STE_OK;
        }
        rc = ste_mq_handle_frame(mq, &progress, err);
        if (rc == STE_OK && !progress)
            rc = ste_mq_fill(mq, &progress, err);
        if (rc != STE_OK || progress)
            continue;
        if (deadline_ns == 0 || ste_clock_mono_ns() >= deadline_ns) {
            *ret_got = false;
            return STE_OK;
        }
        rc = ste_mq_block(mq, deadline_ns, err);
    }
    return rc;
}

void ste_mq_delivery_free(struct ste_mq_delivery *delivery)
{
    free(delivery->owner);
    *delivery = (struct ste_mq_delivery){0};
}

/* basic.ack and basic.reject look alike: a tag and one bit. */
static enum ste_code answer(struct ste_mq *mq, amqp_method_number_t id, uint64_t tag, bool bit,
                            struct ste_error *err)
{
    enum { ANSWER_BYTES = 4 + 8 + 1 };
    char frame[ANSWER_BYTES + STE_MQ_FRAME_OVERHEAD], *at = frame;
    enum ste_code rc = ste_mq_usable(mq, err);
    if (rc != STE_OK)
        return rc;
    ste_wire_put_uint(&at, STE_FRAME_METHOD, 1);
    ste_wire_put_uint(&at, STE_MQ_CHANNEL, 2);
    ste_wire_put_uint(&at, ANSWER_BYTES, 4);
    ste_wire_put_uint(&at, id, 4);
    ste_wire_put_uint(&at, tag, 8);
    ste_wire_put_uint(&at, bit, 1);
    ste_wire_put_uint(&at, 0xce, 1);
    ste_buf_append(&mq->out, frame, sizeof frame);
    if (mq->out.failed)
        return ste_mq_fail(mq, err, STE_E_NOMEM, "no memory for an ack");
    return ste_mq_flush(mq, err);
}

enum ste_code ste_mq_ack(struct ste_mq *mq, uint64_t tag, bool multiple, struct ste_error *err)
{
    return answer(mq, AMQP_BASIC_ACK_METHOD, tag, multiple, err);
}

enum ste_code ste_mq_reject(struct ste_mq *mq, uint64_t tag, bool requeue, struct ste_error *err)
{
    return answer(mq, AMQP_BASIC_REJECT_METHOD, tag, requeue, err);
}

enum ste_code ste_mq_get(struct ste_mq *mq, const char *queue, struct ste_mq_delivery *ret,
                         bool *ret_got, struct ste_error *err)
{
    amqp_basic_get_t get = {.queue = ste_mq_amqp_bytes(queue)};
    enum ste_code rc = ste_mq_usable(mq, err);
    if (rc == STE_OK)
        rc = ste_mq_call(mq, STE_MQ_CHANNEL, AMQP_BASIC_GET_METHOD, &get, AMQP_BASIC_GET_OK_METHOD,
                         ste_mq_deadline(STE_MQ_CALL_MS), err);
    if (rc != STE_OK)
        return rc;
    *ret_got = mq->got != NULL;
    if (mq->got)
        *ret = mq->got->delivery;
    mq->got = NULL;
    return STE_OK;
}
