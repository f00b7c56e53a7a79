/* SPDX-License-Identifier: Apache-2.0 */
#include "bridge/expect.h"

#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ID_BYTES = 64, KEY_BYTES = 128, REFERENCE_BYTES = 256 };

/* Nodes of the trees begin with their key. */
struct delivery {
    char message_id[ID_BYTES];
    size_t count, open;
    char **references; /* per message; NULL once answered */
};
/* One kind of reply for one receiver and state of a trade: how often announced, how often seen. */
struct outcome {
    char key[KEY_BYTES];
    unsigned announced, seen;
};

struct ste_expect {
    void *deliveries, *outcomes, *words; /* trees (tsearch) of struct delivery, outcome, char */
    size_t unanswered, outstanding;
    struct ste_summary summary;
    char reference[REFERENCE_BYTES]; /* of the message answered last, as far as it fits */
};

static int compare_text(const void *a, const void *b)
{
    return strcmp(a, b);
}

static enum ste_code no_memory(struct ste_error *err)
{
    return ste_error_set(err, STE_E_NOMEM, "could not remember what to wait for");
}

struct ste_expect *ste_expect_new(void)
{
    return calloc(1, sizeof(struct ste_expect));
}

static void free_delivery(void *node)
{
    struct delivery *const delivery = node;
    if (delivery == NULL)
        return;
    for (size_t i = 0; delivery->references != NULL && i < delivery->count; i++)
        free(delivery->references[i]);
    free(delivery->references);
    free(delivery);
}

void ste_expect_free(struct ste_expect *expect)
{
    if (expect == NULL)
        return;
    tdestroy(expect->deliveries, free_delivery);
    tdestroy(expect->outcomes, free);
    tdestroy(expect->words, free);
    free(expect);
}

/* ---- what is expected ---- */

static struct delivery *delivery_of(struct ste_bytes message_id, const struct ste_message *messages,
                                    size_t count)
{
    struct delivery *const delivery = calloc(1, sizeof(*delivery));
    if (delivery == NULL)
        return NULL;
    snprintf(delivery->message_id, ID_BYTES, "%.*s", (int)message_id.len, message_id.at);
    delivery->count = delivery->open = count;
    delivery->references = calloc(count + 1, sizeof(*delivery->references));
    bool good = delivery->references != NULL;
    for (size_t i = 0; good && i < count; i++) {
        const struct ste_bytes reference = ste_value(&messages[i], STE_F_REFERENCE);
        delivery->references[i] =
            reference.len > 0 ? strndup(reference.at, reference.len) : strdup("");
        good = delivery->references[i] != NULL;
    }
    if (good)
        return delivery;
    free_delivery(delivery);
    return NULL;
}

enum ste_code ste_expect_delivery(struct ste_expect *expect, struct ste_bytes message_id,
                                  const struct ste_message *messages, size_t count,
                                  struct ste_error *err)
{
    struct delivery *const delivery = delivery_of(message_id, messages, count);
    if (delivery == NULL || tsearch(delivery, &expect->deliveries, compare_text) == NULL) {
        free_delivery(delivery);
        return no_memory(err);
    }
    expect->unanswered += count;
    return STE_OK;
}

enum ste_code ste_expect_note(struct ste_expect *expect, const char *word, bool *ret_new,
                              struct ste_error *err)
{
    *ret_new = tfind(word, &expect->words, compare_text) == NULL;
    if (!*ret_new)
        return STE_OK;
    char *const copy = strdup(word);
    if (copy != NULL && tsearch(copy, &expect->words, compare_text) != NULL)
        return STE_OK;
    free(copy);
    return no_memory(err);
}

static void trade_word(struct ste_bytes trade_key_hex, char out[static KEY_BYTES])
{
    snprintf(out, KEY_BYTES, "trade %.*s", (int)trade_key_hex.len, trade_key_hex.at);
}

enum ste_code ste_expect_trade(struct ste_expect *expect, struct ste_hash trade_key,
                               struct ste_error *err)
{
    char hex[2 * sizeof(trade_key.bytes) + 1], word[KEY_BYTES];
    bool is_new = false;
    ste_hex(trade_key.bytes, sizeof(trade_key.bytes), hex);
    trade_word(ste_bytes_of(hex), word);
    return ste_expect_note(expect, word, &is_new, err);
}

/* Parties' keys bring the outcomes of all their trades, whoever sent the messages. */
static bool is_ours(const struct ste_expect *expect, const struct ste_reply *reply)
{
    char word[KEY_BYTES];
    trade_word(reply->trade_key, word);
    return tfind(word, &expect->words, compare_text) != NULL;
}

/* ---- outcomes ---- */

/* The place of (trade, receiver, kind, version of the trade's state), made when it is new. */
static struct outcome *outcome_of(struct ste_expect *expect, const struct ste_reply *reply,
                                  struct ste_bytes to, const char *kind, uint64_t version)
{
    struct outcome probe = {0};
    snprintf(probe.key, KEY_BYTES, "%.*s %.*s %s %llu", (int)reply->trade_key.len,
             reply->trade_key.at, (int)to.len, to.at, kind, (unsigned long long)version);
    struct outcome **const found = tfind(&probe, &expect->outcomes, compare_text);
    if (found != NULL)
        return *found;
    struct outcome *const outcome = malloc(sizeof(*outcome));
    if (outcome == NULL)
        return NULL;
    *outcome = probe;
    if (tsearch(outcome, &expect->outcomes, compare_text) != NULL)
        return outcome;
    free(outcome);
    return NULL;
}

static void announce(struct ste_expect *expect, struct outcome *outcome)
{
    if (++outcome->announced > outcome->seen)
        expect->outstanding++;
}

static void see(struct ste_expect *expect, struct outcome *outcome)
{
    if (++outcome->seen <= outcome->announced)
        expect->outstanding--;
}

static struct outcome *clearing_of(struct ste_expect *expect, const struct ste_reply *reply)
{
    return outcome_of(expect, reply, (struct ste_bytes){0}, "CLS", 0);
}

/* `then` of an ACK: what the same change of the trade also says to this receiver. A MAC brings a
 * copy of the clearing message with it, once a trade. */
static bool announce_all(struct ste_expect *expect, const struct ste_reply *ack)
{
    char kinds[KEY_BYTES];
    snprintf(kinds, sizeof(kinds), "%.*s", (int)ack->then.len, ack->then.at);
    char *rest = NULL;
    for (char *kind = strtok_r(kinds, " ", &rest); kind != NULL;
         kind = strtok_r(NULL, " ", &rest)) {
        struct outcome *const outcome = outcome_of(expect, ack, ack->to, kind, ack->trade_version);
        if (outcome == NULL)
            return false;
        announce(expect, outcome);
        if (strcmp(kind, "MAC") != 0)
            continue;
        struct outcome *const cls = clearing_of(expect, ack);
        if (cls == NULL)
            return false;
        if (cls->announced == 0)
            announce(expect, cls);
    }
    return true;
}

/* ---- answers ---- */

/* A refused whole delivery, or its rest: every message from this index on has its answer. */
static bool covers_rest(const struct ste_reply *reply)
{
    const enum ste_msg_code code = reply->reason_count > 0 ? reply->reasons[0].code : STE_C_NONE;
    return reply->kind == STE_REPLY_EXC && (code == STE_C_XSIG || code == STE_C_XKEY);
}

static void close_message(struct ste_expect *expect, struct delivery *delivery, size_t index)
{
    if (delivery->references[index] == NULL)
        return;
    free(delivery->references[index]);
    delivery->references[index] = NULL;
    delivery->open--;
    expect->unanswered--;
}

/* False: somebody else's message, or one that has its answer. */
static bool take_answer(struct ste_expect *expect, const struct ste_reply *reply)
{
    char id[ID_BYTES];
    snprintf(id, sizeof(id), "%.*s", (int)reply->delivery.len, reply->delivery.at);
    struct delivery **const found = tfind(id, &expect->deliveries, compare_text);
    struct delivery *const delivery = found != NULL ? *found : NULL;
    if (delivery == NULL || reply->index >= delivery->count ||
        delivery->references[reply->index] == NULL)
        return false;
    snprintf(expect->reference, sizeof(expect->reference), "%s",
             delivery->references[reply->index]);
    close_message(expect, delivery, reply->index);
    for (size_t i = reply->index; covers_rest(reply) && i < delivery->count; i++)
        close_message(expect, delivery, i);
    if (delivery->open == 0) {
        tdelete(delivery, &expect->deliveries, compare_text);
        free_delivery(delivery);
    }
    return true;
}

static enum ste_code take_clearing(struct ste_expect *expect, const struct ste_reply *reply,
                                   bool *ret_show, struct ste_error *err)
{
    char id[KEY_BYTES];
    snprintf(id, sizeof(id), "%.*s.%u", (int)reply->trade_key.len, reply->trade_key.at,
             reply->version);
    const enum ste_code rc = ste_expect_note(expect, id, ret_show, err);
    if (rc != STE_OK || !*ret_show) /* once a trade and version, however many parties got a copy */
        return rc;
    struct outcome *const cls = clearing_of(expect, reply);
    if (cls == NULL)
        return no_memory(err);
    see(expect, cls);
    return STE_OK;
}

static enum ste_code take_outcome(struct ste_expect *expect, const struct ste_reply *reply,
                                  struct ste_error *err)
{
    struct outcome *const outcome = outcome_of(
        expect, reply, reply->to, ste_reply_kind_name(reply->kind), reply->trade_version);
    if (outcome == NULL)
        return no_memory(err);
    see(expect, outcome);
    return STE_OK;
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

enum ste_code ste_expect_take(struct ste_expect *expect, const struct ste_reply *reply,
                              bool *ret_show, struct ste_bytes *ret_reference,
                              struct ste_error *err)
{
    enum ste_code rc = STE_OK;
    expect->reference[0] = '\0';
    *ret_show = true;
    switch (reply->kind) {
    case STE_REPLY_ACK:
    case STE_REPLY_REJ:
    case STE_REPLY_EXC:
        *ret_show = take_answer(expect, reply);
        if (*ret_show && !announce_all(expect, reply))
            rc = no_memory(err);
        break;
    case STE_REPLY_CLS:
        *ret_show = is_ours(expect, reply);
        if (*ret_show)
            rc = take_clearing(expect, reply, ret_show, err);
        break;
    default:
        *ret_show = is_ours(expect, reply);
        if (*ret_show)
            rc = take_outcome(expect, reply, err);
        break;
    }
    *ret_reference = ste_bytes_of(expect->reference);
    if (rc == STE_OK && *ret_show)
        count(&expect->summary, reply);
    return rc;
}

bool ste_expect_complete(const struct ste_expect *expect)
{
    return expect->unanswered == 0 && expect->outstanding == 0;
}

struct ste_summary *ste_expect_summary(struct ste_expect *expect)
{
    return &expect->summary;
}
