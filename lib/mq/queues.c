/* SPDX-License-Identifier: Apache-2.0
 * Queues that a client makes or asks about by itself; all others are made by topology.c. */
#include "mq/internal.h"

#include "mq/names.h"

enum ste_code ste_mq_declare_reply_queue(struct ste_mq *mq, const char *queue,
                                         struct ste_error *err)
{
    amqp_queue_declare_t declare = {
        .queue = ste_mq_amqp_bytes(queue), .exclusive = 1, .auto_delete = 1};
    enum ste_code rc = ste_mq_usable(mq, err);
    if (rc == STE_OK)
        rc = ste_mq_call(mq, STE_MQ_CHANNEL, AMQP_QUEUE_DECLARE_METHOD, &declare,
                         AMQP_QUEUE_DECLARE_OK_METHOD, ste_mq_deadline(STE_MQ_CALL_MS), err);
    return rc;
}

enum ste_code ste_mq_bind(struct ste_mq *mq, const char *queue, const char *exchange,
                          const char *key, struct ste_error *err)
{
    amqp_queue_bind_t bind = {.queue = ste_mq_amqp_bytes(queue),
                              .exchange = ste_mq_amqp_bytes(exchange),
                              .routing_key = ste_mq_amqp_bytes(key)};
    enum ste_code rc = ste_mq_usable(mq, err);
    if (rc == STE_OK)
        rc = ste_mq_call(mq, STE_MQ_CHANNEL, AMQP_QUEUE_BIND_METHOD, &bind,
                         AMQP_QUEUE_BIND_OK_METHOD, ste_mq_deadline(STE_MQ_CALL_MS), err);
    return rc;
}

enum ste_code ste_mq_queue_length(struct ste_mq *mq, const char *queue, uint32_t *ret_ready,
                                  struct ste_error *err)
{
    amqp_queue_declare_t declare = {.queue = ste_mq_amqp_bytes(queue), .passive = 1};
    enum ste_code rc = ste_mq_usable(mq, err);
    if (rc == STE_OK)
        rc = ste_mq_call(mq, STE_MQ_CHANNEL, AMQP_QUEUE_DECLARE_METHOD, &declare,
                         AMQP_QUEUE_DECLARE_OK_METHOD, ste_mq_deadline(STE_MQ_CALL_MS), err);
    if (rc == STE_OK)
        *ret_ready = mq->reply.message_count;
    return rc;
}
