/* SPDX-License-Identifier: Apache-2.0
 * Refused messages: their rows of table exception. One that the engine delivered again is known by
 * its delivery and index: it is said and counted once. */
#include "node/worker.h"

/* All findings, one line each: code, level, place, element, text. At NULL: out of memory. */
static struct ste_bytes list_findings(struct ste_arena *arena,
                                      const struct ste_effect_exception *exception)
{
    struct ste_buf lines = {0};
    for (size_t i = 0; i < exception->finding_count; i++) {
        const struct ste_finding *const finding = &exception->findings[i];
        ste_buf_printf(&lines, "%s %s %.*s %.*s %.*s\n", ste_msg_code_name(finding->code),
                       finding->level == STE_LEVEL_REJECT ? "reject" : "warn",
                       (int)finding->place.len, finding->place.at, (int)finding->element.len,
                       finding->element.at, (int)finding->text.len, finding->text.at);
    }
    const struct ste_bytes kept =
        lines.failed ? (struct ste_bytes){0} : ste_arena_dup(arena, ste_buf_bytes(&lines));
    ste_buf_deinit(&lines);
    return kept;
}

/* Of key id, first code and raw bytes. False: out of memory. */
static bool hash_exception(const struct ste_record *record, enum ste_msg_code code,
                           struct ste_hash *ret)
{
    struct ste_buf words = {0};
    ste_buf_block(&words, record->key_id);
    ste_buf_append_cstr(&words, ste_msg_code_name(code));
    ste_buf_append_bytes(&words, record->message.original);
    *ret = ste_hash_of(ste_buf_bytes(&words));
    const bool good = !words.failed;
    ste_buf_deinit(&words);
    return good;
}

/* Of a body over the limit only the start is kept. */
static uint64_t raw_bytes_total(const struct ste_record *record)
{
    const bool is_cut = record->signed_bytes > STE_DELIVERY_BYTES_MAX;
    return is_cut ? record->signed_bytes : record->message.original.len;
}

static bool exception_row(struct ste_node_worker *worker, const struct ste_effect_exception *from,
                          struct ste_exception_row *ret)
{
    const struct ste_record *const record = from->record;
    const struct ste_message *const message = &record->message;
    *ret = (struct ste_exception_row){.business_day = worker->rules.business_date,
                                      .slot = record->slot,
                                      .kind = from->is_rej ? 1 : 0,
                                      .code = ste_bytes_of(ste_msg_code_name(from->code)),
                                      .place = from->place,
                                      .text = from->text,
                                      .findings = list_findings(worker->attempt, from),
                                      .signer8 = record->signer,
                                      .sender8 = ste_bic8(ste_value(message, STE_F_SENDER)),
                                      .reference = ste_value(message, STE_F_REFERENCE),
                                      .trade_reference = ste_value(message, STE_F_TRADE_REFERENCE),
                                      .key_id = record->key_id,
                                      .delivery_id = record->delivery_id,
                                      .delivery_index = message->index,
                                      .type = message->type,
                                      .received_us = record->received_us,
                                      .raw = message->original,
                                      .raw_bytes_total = raw_bytes_total(record),
                                      .signed_sha256 = record->signed_sha256};
    return hash_exception(record, from->code, &ret->hash) && ret->findings.at != NULL;
}

static bool same_message(const struct ste_exception_row *a, const struct ste_exception_row *b)
{
    return a->delivery_index == b->delivery_index && ste_hash_equal(a->hash, b->hash) &&
           ste_bytes_equal(a->delivery_id, b->delivery_id);
}

static bool refuses(const struct ste_reply *reply, const struct ste_exception_row *row)
{
    return (reply->kind == STE_REPLY_REJ || reply->kind == STE_REPLY_EXC) &&
           reply->index == row->delivery_index &&
           ste_bytes_equal(reply->delivery, row->delivery_id);
}

/* Keeps the first `keep` answers that refuse the message of `row`. */
static void forget_replies(struct ste_effects *effects, const struct ste_exception_row *row,
                           size_t keep)
{
    size_t kept = 0;
    for (size_t i = 0; i < effects->reply_count; i++) {
        if (!refuses(&effects->replies[i], row))
            effects->replies[kept++] = effects->replies[i];
        else if (keep > 0) {
            effects->replies[kept++] = effects->replies[i];
            keep--;
        }
    }
    effects->reply_count = kept;
}

/* What this batch or an earlier one has said is not said again; each message has one answer. */
static void forget_repeats(struct ste_effects *effects, struct ste_exception_row *rows,
                           const bool *known)
{
    size_t kept = 0;
    for (size_t i = 0; i < effects->exception_count; i++) {
        bool said_here = false;
        for (size_t j = 0; j < kept && !said_here; j++)
            said_here = same_message(&rows[j], &rows[i]);
        if (known[i] || said_here) {
            forget_replies(effects, &rows[i], known[i] ? 0 : 1);
            continue;
        }
        effects->exceptions[kept] = effects->exceptions[i];
        rows[kept++] = rows[i];
    }
    effects->exception_count = kept;
}

enum ste_code ste_node_refuse(struct ste_node_worker *worker, struct ste_effects *effects,
                              struct ste_exception_row **ret, struct ste_error *err)
{
    const size_t count = effects->exception_count;
    if (count == 0)
        return STE_OK;
    struct ste_exception_row *const rows =
        STE_ARENA_ARRAY(worker->attempt, struct ste_exception_row, count);
    bool *const known = STE_ARENA_ARRAY(worker->attempt, bool, count);
    bool good = rows != NULL && known != NULL;
    for (size_t i = 0; good && i < count; i++)
        good = exception_row(worker, &effects->exceptions[i], &rows[i]);
    if (!good)
        return ste_error_set(err, STE_E_NOMEM, "could not keep %zu exceptions", count);
    const enum ste_code rc = ste_shard_known_exceptions(worker->shard, rows, count, known, err);
    if (rc != STE_OK)
        return rc;
    forget_repeats(effects, rows, known);
    *ret = rows;
    return STE_OK;
}
