/* SPDX-License-Identifier: Apache-2.0
 * The reply queue of --wait: opened before anything is sent, bound to each party's key before its
 * first message. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>

#include "bridge/submit.h"
#include "mq/names.h"

enum { PREFETCH = 512 };

struct ste_answers {
    struct ste_mq *mq;
    char queue[STE_MQ_NAME_BYTES];
    bool json;
    struct ste_expect *expect;
    struct ste_arena *arena;
};

static enum ste_code open_queue(struct ste_answers *answers, const struct ste_cluster *cluster,
                                struct ste_error *err)
{
    uint64_t random = 0;
    if (getrandom(&random, sizeof(random), 0) != sizeof(random))
        return ste_error_set(err, STE_E_FILE, "could not get a random name for the reply queue");
    snprintf(answers->queue, sizeof(answers->queue), "ste.reply.%s.%016llx",
             cluster->broker.users[STE_ROLE_SUBMITTER].user, (unsigned long long)random);
    enum ste_code rc =
        ste_mq_open(cluster, STE_ROLE_SUBMITTER, STE_MQ_CONSUME, "ste-submit", &answers->mq, err);
    if (rc == STE_OK)
        rc = ste_mq_declare_reply_queue(answers->mq, answers->queue, err);
    if (rc == STE_OK)
        rc = ste_mq_consume(answers->mq, answers->queue, PREFETCH, answers->queue, true, err);
    return rc;
}

enum ste_code ste_answers_open(const struct ste_cluster *cluster, bool json,
                               struct ste_answers **ret, struct ste_error *err)
{
    struct ste_answers *const answers = calloc(1, sizeof(*answers));
    if (answers == NULL)
        return ste_error_set(err, STE_E_NOMEM, "could not wait for answers");
    answers->json = json;
    answers->arena = ste_arena_new(0);
    answers->expect = ste_expect_new();
    const enum ste_code rc = answers->arena != NULL && answers->expect != NULL
                                 ? open_queue(answers, cluster, err)
                                 : ste_error_set(err, STE_E_NOMEM, "could not wait for answers");
    if (rc == STE_OK)
        *ret = answers;
    else
        ste_answers_close(answers);
    return rc;
}

void ste_answers_close(struct ste_answers *answers)
{
    if (answers == NULL)
        return;
    ste_mq_close(answers->mq);
    ste_expect_free(answers->expect);
    ste_arena_free(answers->arena);
    free(answers);
}

enum ste_code ste_answers_bind(struct ste_answers *answers, struct ste_bytes bic8,
                               struct ste_error *err)
{
    char key[STE_MQ_NAME_BYTES];
    bool new = false;
    if (bic8.len < STE_BIC8_BYTES)
        return STE_OK; /* no such party: its message is refused, and the signer is told */
    ste_mq_reply_key(bic8.at, key);
    const enum ste_code rc = ste_expect_note(answers->expect, key, &new, err);
    if (rc != STE_OK || !new)
        return rc;
    return ste_mq_bind(answers->mq, answers->queue, STE_EXCHANGE_OUT, key, err);
}

struct ste_expect *ste_answers_expect(struct ste_answers *answers)
{
    return answers->expect;
}

static enum ste_code take_delivery(struct ste_answers *answers,
                                   const struct ste_mq_delivery *delivery, struct ste_error *err)
{
    char id[512]; /* a routing key and a message-id, 255 bytes each at most */
    bool show = true;
    snprintf(id, sizeof(id), "%.*s/%.*s", (int)delivery->routing_key.len, delivery->routing_key.at,
             (int)delivery->message_id.len, delivery->message_id.at);
    enum ste_code rc = STE_OK;
    if (delivery->message_id.len > 0)
        rc = ste_expect_note(answers->expect, id, &show, err);
    if (rc != STE_OK || !show)
        return rc; /* the same replies sent again */
    struct ste_reply *replies = NULL;
    size_t reply_count = 0;
    ste_arena_reset(answers->arena);
    rc = ste_replies_read(delivery->body, answers->arena, &replies, &reply_count, err);
    for (size_t i = 0; rc == STE_OK && i < reply_count; i++) {
        struct ste_bytes reference = {0};
        rc = ste_expect_take(answers->expect, &replies[i], &show, &reference, err);
        if (rc == STE_OK && show)
            rc = ste_print_reply(&replies[i], reference, answers->json, stdout, err);
    }
    return rc;
}

enum ste_code ste_answers_take(struct ste_answers *answers, int timeout_ms, struct ste_error *err)
{
    for (;;) {
        struct ste_mq_delivery delivery = {0};
        bool got = false;
        enum ste_code rc = ste_mq_receive(answers->mq, timeout_ms, &delivery, &got, err);
        if (rc != STE_OK || !got)
            return rc;
        rc = take_delivery(answers, &delivery, err);
        if (rc == STE_OK)
            rc = ste_mq_ack(answers->mq, delivery.tag, false, err);
        ste_mq_delivery_free(&delivery);
        if (rc != STE_OK)
            return rc;
        timeout_ms = 0;
    }
}
