/* SPDX-License-Identifier: Apache-2.0
 * A file becomes deliveries. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bridge/submit.h"
#include "msg/split.h"

enum {
    SIGNERS_MAX = 64, /* at once; with more, the first makes room */
    GROUP_BYTES_MAX = STE_SPLIT_REST_BYTES_MAX,
    GROUPS_BYTES_MAX = 8 << 20, /* of all signers together */
    FULL_WAIT_MS = 20,
};

/* Pieces that will travel together, signed by one key. */
struct group {
    const struct ste_signing_key *key;
    struct ste_buf body;
    unsigned pieces;
    bool unclosed; /* ends in a rest: nothing is put behind it */
};

struct cutter {
    struct ste_submission *submission;
    struct ste_split *split;
    struct group groups[SIGNERS_MAX];
    size_t group_count, held_bytes;
    unsigned batch;
};

/* ---- one delivery ---- */

/* Confirms make room; answers are taken meanwhile, so that their connection lives. */
static enum ste_code make_room(struct ste_submission *submission, struct ste_error *err)
{
    enum ste_code rc = STE_OK;
    while (rc == STE_OK && ste_publisher_full(submission->publisher)) {
        rc = ste_publisher_pump(submission->publisher, FULL_WAIT_MS, err);
        if (rc == STE_OK && submission->answers != NULL)
            rc = ste_answers_take(submission->answers, 0, err);
    }
    return rc;
}

/* What the engine will say of this message's trade is ours to show. */
static enum ste_code expect_trade(struct ste_submission *submission,
                                  const struct ste_message *message, struct ste_error *err)
{
    static const struct ste_match_key unused; /* placement is the router's business */
    struct ste_trade_id id;
    if (message->exc.code != STE_C_NONE)
        return STE_OK;
    if (!ste_trade_identify(message, &unused, submission->arena, &id))
        return ste_error_set(err, STE_E_NOMEM, "could not identify a trade");
    return ste_expect_trade(ste_answers_expect(submission->answers), id.trade_key, err);
}

/* The reply queue takes the answers of everybody concerned before they can be made. */
static enum ste_code await_answers(struct ste_submission *submission,
                                   const struct ste_signing_key *key, struct ste_bytes id,
                                   const struct ste_message *messages, size_t count,
                                   struct ste_error *err)
{
    struct ste_answers *const answers = submission->answers;
    if (answers == NULL)
        return STE_OK;
    enum ste_code rc = ste_answers_bind(answers, ste_bytes_of(key->key->participant->bic8), err);
    for (size_t i = 0; rc == STE_OK && i < count; i++)
        rc = ste_answers_bind(answers, ste_bic8(ste_value(&messages[i], STE_F_SENDER)), err);
    for (size_t i = 0; rc == STE_OK && i < count; i++)
        rc = expect_trade(submission, &messages[i], err);
    if (rc == STE_OK)
        rc = ste_expect_delivery(ste_answers_expect(answers), id, messages, count, err);
    return rc;
}

static enum ste_code send_body(struct ste_submission *submission, const struct ste_signing_key *key,
                               struct ste_bytes body, const struct ste_message *messages,
                               size_t count, struct ste_error *err)
{
    char text[64];
    snprintf(text, sizeof(text), "%s.%llu", submission->id_prefix,
             (unsigned long long)submission->deliveries++);
    const struct ste_bytes id = ste_bytes_of(text);
    enum ste_code rc = make_room(submission, err);
    if (rc == STE_OK)
        rc = await_answers(submission, key, id, messages, count, err);
    if (rc == STE_OK)
        rc = ste_submit_publish(submission->publisher, key, body, id, count, err);
    if (rc == STE_OK && submission->answers != NULL)
        rc = ste_answers_take(submission->answers, 0, err);
    submission->summary.submitted += count;
    return rc;
}

static enum ste_code decode(struct ste_submission *submission, struct ste_bytes body,
                            struct ste_message **ret, size_t *ret_count, struct ste_error *err)
{
    ste_arena_reset(submission->arena);
    return ste_xml_decode(submission->xml, body, submission->arena, ret, ret_count, err);
}

/* ---- pieces of a file that is cut ---- */

static enum ste_code decode_and_send(struct ste_submission *submission,
                                     const struct ste_signing_key *key, struct ste_bytes body,
                                     struct ste_error *err)
{
    struct ste_message *messages = NULL;
    size_t count = 0;
    const enum ste_code rc = decode(submission, body, &messages, &count, err);
    return rc == STE_OK ? send_body(submission, key, body, messages, count, err) : rc;
}

static enum ste_code send_group(struct cutter *cutter, struct group *group, struct ste_error *err)
{
    if (group->pieces == 0)
        return STE_OK;
    cutter->held_bytes -= group->body.len;
    if (!group->unclosed)
        ste_buf_append_bytes(&group->body, ste_split_close_tag(cutter->split));
    const enum ste_code rc =
        group->body.failed
            ? ste_error_set(err, STE_E_NOMEM, "could not make a delivery")
            : decode_and_send(cutter->submission, group->key, ste_buf_bytes(&group->body), err);
    ste_buf_deinit(&group->body);
    group->pieces = 0;
    group->unclosed = false;
    return rc;
}

static enum ste_code send_groups(struct cutter *cutter, struct ste_error *err)
{
    enum ste_code rc = STE_OK;
    for (size_t i = 0; rc == STE_OK && i < cutter->group_count; i++)
        rc = send_group(cutter, &cutter->groups[i], err);
    return rc;
}

static enum ste_code group_of(struct cutter *cutter, const struct ste_signing_key *key,
                              struct group **ret, struct ste_error *err)
{
    for (size_t i = 0; i < cutter->group_count; i++) {
        if (cutter->groups[i].key == key) {
            *ret = &cutter->groups[i];
            return STE_OK;
        }
    }
    if (cutter->group_count < SIGNERS_MAX) {
        *ret = &cutter->groups[cutter->group_count++];
        (*ret)->key = key;
        return STE_OK;
    }
    *ret = &cutter->groups[0];
    const enum ste_code rc = send_group(cutter, *ret, err);
    (*ret)->key = key;
    return rc;
}

/* Who signs a piece: in hub mode nobody asks who sent it. */
static enum ste_code key_of(struct cutter *cutter, const struct ste_piece *piece,
                            const struct ste_signing_key **ret, struct ste_error *err)
{
    struct ste_submission *const submission = cutter->submission;
    struct ste_bytes sender = {0};
    struct ste_buf body = {0};
    enum ste_code rc = STE_OK;
    if (submission->ring->hub.signer == NULL && piece->kind == STE_PIECE_WHOLE) {
        struct ste_message *messages = NULL;
        size_t count = 0;
        ste_buf_append_bytes(&body, ste_split_open_tag(cutter->split));
        ste_buf_append_bytes(&body, piece->bytes);
        ste_buf_append_bytes(&body, ste_split_close_tag(cutter->split));
        rc = body.failed ? ste_error_set(err, STE_E_NOMEM, "could not look at a message")
                         : decode(submission, ste_buf_bytes(&body), &messages, &count, err);
        if (rc == STE_OK && count > 0)
            sender = ste_value(&messages[0], STE_F_SENDER);
    }
    if (rc == STE_OK)
        rc = ste_keyring_pick(submission->ring, sender, ret, err);
    ste_buf_deinit(&body);
    return rc;
}

static enum ste_code add_to_group(struct cutter *cutter, struct group *group,
                                  const struct ste_piece *piece, struct ste_error *err)
{
    enum ste_code rc = STE_OK;
    if (group->pieces > 0 && group->body.len + piece->bytes.len > GROUP_BYTES_MAX)
        rc = send_group(cutter, group, err);
    if (rc != STE_OK)
        return rc;
    const size_t before = group->body.len;
    if (group->pieces == 0)
        ste_buf_append_bytes(&group->body, ste_split_open_tag(cutter->split));
    ste_buf_append_bytes(&group->body, piece->bytes);
    group->unclosed = piece->kind == STE_PIECE_REST;
    if (!group->unclosed)
        ste_buf_append_cstr(&group->body, "\n");
    cutter->held_bytes += group->body.len - before;
    if (++group->pieces >= cutter->batch || group->unclosed)
        return send_group(cutter, group, err);
    return cutter->held_bytes > GROUPS_BYTES_MAX ? send_groups(cutter, err) : STE_OK;
}

static enum ste_code add_piece(struct cutter *cutter, const struct ste_piece *piece,
                               struct ste_error *err)
{
    const struct ste_signing_key *key = NULL;
    struct group *group = NULL;
    enum ste_code rc = key_of(cutter, piece, &key, err);
    if (rc == STE_OK && piece->kind == STE_PIECE_HUGE)
        return decode_and_send(cutter->submission, key, piece->bytes, err);
    if (rc == STE_OK)
        rc = group_of(cutter, key, &group, err);
    return rc == STE_OK ? add_to_group(cutter, group, piece, err) : rc;
}

static enum ste_code cut_file(struct ste_submission *submission, FILE *file, struct ste_bytes head,
                              struct ste_error *err)
{
    struct cutter cutter = {.submission = submission,
                            .split = ste_split_new(file, head),
                            .batch = submission->options->batch};
    if (cutter.split == NULL)
        return ste_error_set(err, STE_E_NOMEM, "could not read the file");
    if (cutter.batch == 0 || cutter.batch > STE_DELIVERY_MESSAGES_MAX)
        cutter.batch = STE_DELIVERY_MESSAGES_MAX;
    enum ste_code rc;
    for (;;) {
        struct ste_piece piece;
        bool done = false;
        rc = ste_split_next(cutter.split, &piece, &done, err);
        if (rc != STE_OK || done)
            break;
        rc = add_piece(&cutter, &piece, err);
        if (rc != STE_OK)
            break;
    }
    /* What stands before something that cannot be passed over is sent all the same. */
    struct ste_error trouble = {0};
    if (rc == STE_OK || rc == STE_E_LIMIT) {
        const enum ste_code sent = send_groups(&cutter, &trouble);
        if (sent != STE_OK) {
            *err = trouble;
            rc = sent;
        }
    }
    for (size_t i = 0; i < cutter.group_count; i++)
        ste_buf_deinit(&cutter.groups[i].body);
    ste_split_free(cutter.split);
    return rc;
}

/* ---- files ---- */

/* One signature can stand for all of them. */
static bool one_signer(struct ste_submission *submission, const struct ste_message *messages,
                       size_t count, const struct ste_signing_key **ret)
{
    struct ste_error ignored = {0};
    for (size_t i = 0; i < count; i++) {
        const struct ste_signing_key *key = NULL;
        if (ste_keyring_pick(submission->ring, ste_value(&messages[i], STE_F_SENDER), &key,
                             &ignored) != STE_OK ||
            (*ret != NULL && *ret != key))
            return false;
        *ret = key;
    }
    return *ret != NULL;
}

bool ste_submit_is_too_large(struct ste_bytes body, const struct ste_message *messages,
                             size_t count)
{
    return count == 1 && messages[0].exc.code == STE_C_XLIM &&
           (messages[0].original.len == body.len || body.len > STE_DELIVERY_BYTES_MAX);
}

/* A file within the limits goes byte for byte, so that places in answers are places in the file. */
static enum ste_code send_small(struct ste_submission *submission, FILE *file,
                                struct ste_bytes body, struct ste_error *err)
{
    struct ste_message *messages = NULL;
    size_t count = 0;
    const struct ste_signing_key *key = NULL;
    const enum ste_code rc = decode(submission, body, &messages, &count, err);
    if (rc != STE_OK)
        return rc;
    const bool fits = submission->options->batch == 0 || count <= submission->options->batch;
    if (fits && !ste_submit_is_too_large(body, messages, count) &&
        one_signer(submission, messages, count, &key))
        return send_body(submission, key, body, messages, count, err);
    return cut_file(submission, file, body, err);
}

enum ste_code ste_submit_file(struct ste_submission *submission, const char *path,
                              struct ste_error *err)
{
    enum ste_code rc = STE_OK;
    char *const head = malloc(STE_DELIVERY_BYTES_MAX + 1);
    FILE *const file = strcmp(path, "-") == 0 ? stdin : fopen(path, "rb");
    if (head == NULL || file == NULL) {
        rc = ste_error_set(err, head == NULL ? STE_E_NOMEM : STE_E_FILE, "could not open %s: %s",
                           path, strerror(errno));
        goto out;
    }
    const size_t bytes = fread(head, 1, STE_DELIVERY_BYTES_MAX + 1, file);
    if (ferror(file))
        rc = ste_error_set(err, STE_E_FILE, "could not read %s: %s", path, strerror(errno));
    else if (bytes <= STE_DELIVERY_BYTES_MAX)
        rc = send_small(submission, file, (struct ste_bytes){head, bytes}, err);
    else
        rc = cut_file(submission, file, (struct ste_bytes){head, bytes}, err);
out:
    if (file != NULL && file != stdin)
        fclose(file);
    free(head);
    return rc;
}
