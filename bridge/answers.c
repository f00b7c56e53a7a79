/* SPDX-License-Identifier: Apache-2.0
 * What was sent and is not answered yet; what answers announced and did not come yet. */
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "bridge/submit.h"
#include "mq/names.h"

struct expected { /* one delivery */
    char message_id[64];
    size_t count, open;
    char **references; /* per message; NULL once answered */
};
struct outcome { /* kind `key` of one trade for one receiver: how often announced, how often seen */
    char key[96];
    unsigned announced, seen;
};

struct ste_answers {
    struct ste_mq *mq;
    char queue[STE_MQ_NAME_BYTES];
    bool json;
    void *deliveries; /* trees (tsearch) of struct expected, struct outcome, char * */
    void *outcomes;
    void *bound, *taken; /* routing keys; message-ids of what was taken */
    size_t unanswered, outstanding;
    struct ste_summary summary;
    struct ste_arena *arena;
};

static int compare_text(const void *a, const void *b) /* both start with their key */
{
    return strcmp(a, b);
}

/* Adds a copy of `text` to a set; false when it was there (or memory is out: then it is taken twice,
 * which repeats a line but loses nothing). */
static bool add_text(void **set, const char *text)
{
    if (tfind(text, set, compare_text) != NULL)
        return false;
    char *const copy = strdup(text);
    if (copy != NULL && tsearch(copy, set, compare_text) == NULL)
        free(copy);
    return true;
}

enum ste_code ste_answers_open(const struct ste_cluster *cluster, bool json,
                               struct ste_answers **ret, struct ste_error *err)
{
    struct ste_answers *const answers = calloc(1, sizeof(*answers));
    if (answers == NULL)
        return ste_error_set(err, STE_E_NOMEM, "could not wait for answers");
    answers->json = json;
    answers->arena = ste_arena_new(0);
    uint64_t random = 0;
    if (getrandom(&random, sizeof(random), 0) != sizeof(random) || answers->arena == NULL) {
        ste_answers_close(answers);
        return ste_error_set(err, STE_E_NOMEM, "could not wait for answers");
    }
    snprintf(answers->queue, sizeof(answers->queue), "ste.reply.%s.%016llx",
             cluster->broker.users[STE_ROLE_SUBMITTER].user, (unsigned long long)random);
    enum ste_code rc = ste_mq_open(cluster, STE_ROLE_SUBMITTER, STE_MQ_CONSUME, "ste-submit",
                                   &answers->mq, err);
    if (rc == STE_OK)
        rc = ste_mq_declare_reply_queue(answers->mq, answers->queue, err);
    if (rc == STE_OK)
        rc = ste_mq_consume(answers->mq, answers->queue, 512, answers->queue, true, err);
    if (rc == STE_OK)
        *ret = answers;
    else
        ste_answers_close(answers);
    return rc;
}

static void free_expected(void *node)
{
    struct expected *const expected = node;
    for (size_t i = 0; i < expected->count; i++)
        free(expected->references[i]);
    free(expected->references);
    free(expected);
}

void ste_answers_close(struct ste_answers *answers)
{
    if (answers == NULL)
        return;
    ste_mq_close(answers->mq);
    tdestroy(answers->deliveries, free_expected);
    tdestroy(answers->outcomes, free);
    tdestroy(answers->bound, free);
    tdestroy(answers->taken, free);
    ste_arena_free(answers->arena);
    free(answers);
}

enum ste_code ste_answers_bind(struct ste_answers *answers, struct ste_bytes bic8,
                               struct ste_error *err)
{
    char key[STE_MQ_NAME_BYTES];
    if (bic8.len < STE_BIC8_BYTES)
        return STE_OK; /* no such party: its message is refused, and the signer is told */
    ste_mq_reply_key(bic8.at, key);
    if (!add_text(&answers->bound, key))
        return STE_OK;
    return ste_mq_bind(answers->mq, answers->queue, STE_EXCHANGE_OUT, key, err);
}

enum ste_code ste_answers_expect(struct ste_answers *answers, struct ste_bytes message_id,
                                 const struct ste_message *messages, size_t count,
                                 struct ste_error *err)
{
    struct expected *const expected = calloc(1, sizeof(*expected));
    char **const references = calloc(count + 1, sizeof(*references));
    bool good = expected != NULL && references != NULL;
    for (size_t i = 0; good && i < count; i++) {
        const struct ste_bytes reference = ste_value(&messages[i], STE_F_REFERENCE);
        references[i] = reference.len > 0 ? strndup(reference.at, reference.len) : strdup("");
        good = references[i] != NULL;
    }
    if (good) {
        snprintf(expected->message_id, sizeof(expected->message_id), "%.*s", (int)message_id.len,
                 message_id.at);
        expected->count = expected->open = count;
        expected->references = references;
        good = tsearch(expected, &answers->deliveries, compare_text) != NULL;
    }
    if (!good) /* the little that was got so far goes with the process, which stops now */
        return ste_error_set(err, STE_E_NOMEM, "could not remember a delivery");
    answers->unanswered += count;
    return STE_OK;
}

static struct outcome *outcome_of(struct ste_answers *answers, struct ste_bytes to,
                                  struct ste_bytes trade_key, const char *kind)
{
    struct outcome probe = {0};
    snprintf(probe.key, sizeof(probe.key), "%.*s %.*s %s", (int)trade_key.len, trade_key.at,
             (int)to.len, to.at, kind);
    struct outcome **const found = tfind(&probe, &answers->outcomes, compare_text);
    if (found != NULL)
        return *found;
    struct outcome *const outcome = malloc(sizeof(*outcome));
    if (outcome == NULL)
        return NULL;
    *outcome = probe;
    if (tsearch(outcome, &answers->outcomes, compare_text) == NULL) {
        free(outcome);
        return NULL;
    }
    return outcome;
}

static void announce(struct ste_answers *answers, struct ste_bytes to, struct ste_bytes trade_key,
                     const char *kind)
{
    struct outcome *const outcome = outcome_of(answers, to, trade_key, kind);
    if (outcome != NULL && ++outcome->announced > outcome->seen)
        answers->outstanding++;
}

static void see(struct ste_answers *answers, struct ste_bytes to, struct ste_bytes trade_key,
                const char *kind)
{
    struct outcome *const outcome = outcome_of(answers, to, trade_key, kind);
    if (outcome != NULL && ++outcome->seen <= outcome->announced)
        answers->outstanding--;
}

/* `then` of an ACK: a MAC brings the clearing message with it, once a trade. */
static void announce_all(struct ste_answers *answers, const struct ste_reply *ack)
{
    char kinds[256];
    snprintf(kinds, sizeof(kinds), "%.*s", (int)ack->then.len, ack->then.at);
    char *rest = NULL;
    for (char *kind = strtok_r(kinds, " ", &rest); kind != NULL; kind = strtok_r(NULL, " ", &rest)) {
        announce(answers, ack->to, ack->trade_key, kind);
        if (strcmp(kind, "MAC") != 0)
            continue;
        struct outcome *const cls =
            outcome_of(answers, (struct ste_bytes){0}, ack->trade_key, "CLS");
        if (cls != NULL && cls->announced == 0)
            announce(answers, (struct ste_bytes){0}, ack->trade_key, "CLS");
    }
}

/* A refused whole delivery, or its rest: every message from this index on has its answer. */
static bool covers_rest(const struct ste_reply *reply)
{
    const enum ste_msg_code code =
        reply->reason_count > 0 ? reply->reasons[0].code : STE_C_NONE;
    return reply->kind == STE_REPLY_EXC && (code == STE_C_XSIG || code == STE_C_XKEY);
}

static bool mark_answered(struct ste_answers *answers, const struct ste_reply *reply,
                          struct ste_bytes *ret_reference)
{
    char id[64];
    snprintf(id, sizeof(id), "%.*s", (int)reply->delivery.len, reply->delivery.at);
    struct expected **const found = tfind(id, &answers->deliveries, compare_text);
    if (found == NULL || reply->index >= (*found)->count)
        return false; /* somebody else's, or answered and forgotten */
    struct expected *const expected = *found;
    const size_t end = covers_rest(reply) ? expected->count : reply->index + 1;
    for (size_t i = reply->index; i < end; i++) {
        if (expected->references[i] == NULL)
            continue;
        if (i == reply->index)
            *ret_reference = ste_arena_dup(answers->arena, ste_bytes_of(expected->references[i]));
        free(expected->references[i]);
        expected->references[i] = NULL;
        expected->open--;
        answers->unanswered--;
    }
    if (expected->open == 0) {
        tdelete(expected, &answers->deliveries, compare_text);
        free_expected(expected);
    }
    return true;
}

static void count(struct ste_summary *summary, const struct ste_reply *reply)
{
    switch (reply->kind) {
    case STE_REPLY_ACK:
        if (reply->code == STE_C_DUPL)
            summary->dupl++;
        else
            summary->ack++;
        break;
    case STE_REPLY_REJ:
        summary->rej++;
        break;
    case STE_REPLY_EXC:
        summary->exc++;
        break;
    case STE_REPLY_NMA:
        summary->nma++;
        break;
    case STE_REPLY_MAC:
        summary->mac++;
        break;
    case STE_REPLY_CLS:
        summary->cls++;
        break;
    default:
        break;
    }
}

static void take_reply(struct ste_answers *answers, const struct ste_reply *reply)
{
    struct ste_bytes reference = {0};
    if (reply->kind == STE_REPLY_ACK || reply->kind == STE_REPLY_REJ ||
        reply->kind == STE_REPLY_EXC) {
        if (!mark_answered(answers, reply, &reference))
            return;
        if (reply->kind == STE_REPLY_ACK)
            announce_all(answers, reply);
    } else if (reply->kind == STE_REPLY_CLS) {
        char id[96];
        snprintf(id, sizeof(id), "%.*s.%u", (int)reply->trade_key.len, reply->trade_key.at,
                 reply->version);
        if (!add_text(&answers->taken, id))
            return;
        see(answers, (struct ste_bytes){0}, reply->trade_key, "CLS");
    } else {
        see(answers, reply->to, reply->trade_key, ste_reply_kind_name(reply->kind));
    }
    count(&answers->summary, reply);
    ste_print_reply(reply, reference, answers->json);
}

static enum ste_code take_delivery(struct ste_answers *answers,
                                   const struct ste_mq_delivery *delivery, struct ste_error *err)
{
    char id[128];
    snprintf(id, sizeof(id), "%.*s/%.*s", (int)delivery->routing_key.len, delivery->routing_key.at,
             (int)delivery->message_id.len, delivery->message_id.at);
    if (delivery->message_id.len > 0 && !add_text(&answers->taken, id))
        return STE_OK; /* the same replies sent again */
    struct ste_reply *replies = NULL;
    size_t reply_count = 0;
    ste_arena_reset(answers->arena);
    const enum ste_code rc =
        ste_replies_read(delivery->body, answers->arena, &replies, &reply_count, err);
    for (size_t i = 0; rc == STE_OK && i < reply_count; i++)
        take_reply(answers, &replies[i]);
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

bool ste_answers_complete(const struct ste_answers *answers)
{
    return answers->unanswered == 0 && answers->outstanding == 0;
}

struct ste_summary *ste_answers_summary(struct ste_answers *answers)
{
    return &answers->summary;
}
