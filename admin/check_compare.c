/* SPDX-License-Identifier: Apache-2.0
 * The comparison: sorted lists, merged. Pure but for reading a ledger's line to name an offender.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "admin/check.h"

enum { TRADE_CLEARED = 3, TRADE_UNMATCHED = 2, FIRST_ITEMS = 1024 };

/* ---- lists ---- */

void *ste_check_add(struct ste_check_list *list, size_t item_bytes)
{
    list->item_bytes = item_bytes;
    if (list->count == list->capacity) {
        size_t capacity = list->capacity ? list->capacity + list->capacity / 2 : FIRST_ITEMS;
        void *items = reallocarray(list->items, capacity, item_bytes);
        if (!items)
            return NULL;
        list->items = items;
        list->capacity = capacity;
    }
    void *item = (char *)list->items + list->count++ * item_bytes;
    return memset(item, 0, item_bytes);
}

void ste_check_deinit(struct ste_check *check)
{
    struct ste_check_list *lists[] = {&check->sent,   &check->cls,        &check->messages,
                                      &check->trades, &check->exceptions, &check->spans};
    for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
        free(lists[i]->items);
        *lists[i] = (struct ste_check_list){0};
    }
}

#define ORDER(a, b) (((a) > (b)) - ((a) < (b)))

static int by_sent(const void *left, const void *right)
{
    const struct ste_check_sent *a = left, *b = right;
    int order = ste_hash_compare(a->trade_key, b->trade_key);
    order = order ? order : ORDER(a->message64, b->message64);
    order = order ? order : ORDER(a->ledger, b->ledger);
    return order ? order : ORDER(a->offset, b->offset);
}

static int by_message(const void *left, const void *right)
{
    const struct ste_check_message *a = left, *b = right;
    int order = ste_hash_compare(a->trade_key, b->trade_key);
    order = order ? order : ORDER(a->message64, b->message64);
    order = order ? order : ORDER(a->misplaced, b->misplaced); /* the right one first */
    order = order ? order : ORDER(a->shard, b->shard);
    return order ? order : ORDER(a->id, b->id);
}

static int by_trade(const void *left, const void *right)
{
    const struct ste_check_trade *a = left, *b = right;
    int order = ste_hash_compare(a->trade_key, b->trade_key);
    order = order ? order : ORDER(a->misplaced, b->misplaced);
    return order ? order : ORDER(a->shard, b->shard);
}

static int by_cls(const void *left, const void *right)
{
    const struct ste_check_cls *a = left, *b = right;
    int order = ste_hash_compare(a->trade_key, b->trade_key);
    return order ? order : ORDER(a->version, b->version);
}

static int by_exception(const void *left, const void *right)
{
    const struct ste_check_exception *a = left, *b = right;
    int order = ORDER(a->delivery64, b->delivery64);
    return order ? order : ORDER(a->index, b->index);
}

static int by_span(const void *left, const void *right)
{
    const struct ste_check_span *a = left, *b = right;
    return ORDER(a->sha64, b->sha64);
}

static void sort(struct ste_check_list *list, int (*compare)(const void *, const void *))
{
    if (list->count > 1)
        qsort(list->items, list->count, list->item_bytes, compare);
}

/* ---- naming ---- */

static const char *const fault_names[STE_CHECK_FAULT_COUNT] = {
    [STE_CHECK_LOST] = "lost",           [STE_CHECK_DUPLICATE] = "duplicates",
    [STE_CHECK_PHANTOM] = "phantoms",    [STE_CHECK_MISSING] = "missing",
    [STE_CHECK_MISPLACED] = "misplaced",
};

const char *ste_check_fault_name(enum ste_check_fault fault)
{
    return fault_names[fault];
}

void ste_check_blame(struct ste_check_result *result, enum ste_check_fault fault,
                     const char *format, ...)
{
    size_t at = result->named[fault].count;
    result->faults[fault]++;
    if (at >= STE_CHECK_NAMED_MAX)
        return;
    va_list args;
    va_start(args, format);
    vsnprintf(result->named[fault].names[at], STE_CHECK_NAME_BYTES, format, args);
    va_end(args);
    result->named[fault].count++;
}

static void blame_sent(const struct ste_check *check, struct ste_check_result *result,
                       const struct ste_check_sent *sent)
{
    char line[160] = "";
    if (result->named[STE_CHECK_LOST].count < STE_CHECK_NAMED_MAX && check->sent_files)
        ste_check_ledger_line(check->sent_files[sent->ledger], sent->offset, line, sizeof(line));
    ste_check_blame(result, STE_CHECK_LOST, "confirmed and nowhere: %s (delivery %016" PRIx64 ")",
                    line[0] ? line : "message", sent->delivery64);
}

static void blame_message(struct ste_check_result *result, enum ste_check_fault fault,
                          const struct ste_check_message *message, const char *why)
{
    char key[33];
    ste_hex(message->trade_key.bytes, 16, key);
    ste_check_blame(result, fault, "shard %u message %" PRIu64 " of trade %s: %s", message->shard,
                    message->id, key, why);
}

/* ---- messages ---- */

static const struct ste_check_exception *exception_of(const struct ste_check *check,
                                                      uint64_t delivery64, uint32_t index)
{
    const struct ste_check_exception wanted = {.delivery64 = delivery64, .index = index};
    if (check->exceptions.count == 0)
        return NULL;
    return bsearch(&wanted, check->exceptions.items, check->exceptions.count, sizeof(wanted),
                   by_exception);
}

/* An exception whose bytes were cut answers for the rest of its delivery. */
static bool cut_away(const struct ste_check *check, const struct ste_check_sent *sent)
{
    for (uint32_t index = sent->index + 1; index-- > 0;) {
        const struct ste_check_exception *exception = exception_of(check, sent->delivery64, index);
        if (exception && exception->cut)
            return true;
    }
    return false;
}

/* Its bytes stand in an exception: of its own delivery, refused from an earlier message on, or of
 * another delivery with the same bytes, whose row counts repetitions. */
static bool refused_elsewhere(const struct ste_check *check, const struct ste_check_sent *sent)
{
    const struct ste_check_span *spans = check->spans.items;
    size_t low = 0, high = check->spans.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (spans[middle].sha64 < sent->sha64)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < check->spans.count && spans[low].sha64 == sent->sha64; low++) {
        if (spans[low].repeats > 0 ||
            (spans[low].delivery64 == sent->delivery64 && spans[low].index <= sent->index))
            return true;
    }
    return false;
}

static bool is_refused(const struct ste_check *check, const struct ste_check_sent *sent)
{
    return exception_of(check, sent->delivery64, sent->index) || refused_elsewhere(check, sent) ||
           cut_away(check, sent);
}

static bool is_new(const struct ste_check_message *rows, size_t count, uint64_t sha64, size_t at)
{
    for (size_t i = 0; i < at; i++) {
        if (rows[i].sha64 == sha64)
            return false;
    }
    return at < count;
}

/* All that was sent under one sender, trade and reference, and all rows of it. */
static void judge_group(const struct ste_check *check, struct ste_check_result *result,
                        const struct ste_check_sent *sent, size_t sent_count,
                        const struct ste_check_message *rows, size_t row_count)
{
    bool stored_seen = false;
    for (size_t i = 0; i < sent_count; i++) {
        bool same = false;
        for (size_t k = 0; k < row_count && !same; k++)
            same = rows[k].sha64 == sent[i].sha64;
        if (same && !stored_seen)
            stored_seen = true;
        else if (same)
            result->repeats++;
        else if (is_refused(check, &sent[i]))
            result->exceptions++;
        else if (row_count > 0)
            result->repeats_other++;
        else
            blame_sent(check, result, &sent[i]);
    }
    for (size_t k = 0; k < row_count; k++) {
        if (k > 0)
            blame_message(result, STE_CHECK_DUPLICATE, &rows[k],
                          is_new(rows, row_count, rows[k].sha64, k)
                              ? "a second row of this sender and reference"
                              : "a copy of a stored row");
        if (sent_count == 0)
            blame_message(result, STE_CHECK_PHANTOM, &rows[k], "nobody sent it");
        else if (k == 0 && !stored_seen)
            blame_message(result, STE_CHECK_PHANTOM, &rows[k], "its bytes are not those sent");
        if (exception_of(check, rows[k].delivery64, rows[k].index))
            blame_message(result, STE_CHECK_DUPLICATE, &rows[k], "stored and refused at once");
        if (rows[k].misplaced)
            blame_message(result, STE_CHECK_MISPLACED, &rows[k],
                          "its bytes or its slot give another place");
    }
}

static int compare_groups(const struct ste_check_sent *sent, const struct ste_check_message *row)
{
    int order = ste_hash_compare(sent->trade_key, row->trade_key);
    return order ? order : ORDER(sent->message64, row->message64);
}

static void judge_messages(const struct ste_check *check, struct ste_check_result *result)
{
    const struct ste_check_sent *sent = check->sent.items;
    const struct ste_check_message *rows = check->messages.items;
    size_t s = 0, r = 0;
    while (s < check->sent.count || r < check->messages.count) {
        int order = s == check->sent.count       ? 1
                    : r == check->messages.count ? -1
                                                 : compare_groups(&sent[s], &rows[r]);
        size_t s_end = s, r_end = r;
        while (order <= 0 && s_end < check->sent.count &&
               sent[s_end].message64 == sent[s].message64 &&
               ste_hash_equal(sent[s_end].trade_key, sent[s].trade_key))
            s_end++;
        while (order >= 0 && r_end < check->messages.count &&
               rows[r_end].message64 == rows[r].message64 &&
               ste_hash_equal(rows[r_end].trade_key, rows[r].trade_key))
            r_end++;
        judge_group(check, result, sent ? sent + s : NULL, s_end - s, rows ? rows + r : NULL,
                    r_end - r);
        s = s_end;
        r = r_end;
    }
}

/* ---- trades and their CLS ---- */

struct trade_view { /* one trade key in all lists */
    struct ste_hash key;
    const struct ste_check_message *rows;
    size_t row_count;
    const struct ste_check_trade *trades;
    size_t trade_count;
    const struct ste_check_cls *cls;
    size_t cls_count;
};

static bool has_row(const struct trade_view *view, enum ste_type type, uint64_t account64)
{
    for (size_t i = 0; i < view->row_count; i++) {
        if (view->rows[i].type == type && view->rows[i].account64 == account64)
            return true;
    }
    return false;
}

/* *ret_some: a NOE and one account with ALB, NPR and SET: less cannot have cleared. Returns whether
 * every allocated account has its three and the quantities add up: then it must have been compared.
 */
static bool is_complete(const struct trade_view *view, bool *ret_some)
{
    int64_t executed = -1, allocated = 0;
    bool some = false, all = true, sums = true;
    for (size_t i = 0; i < view->row_count; i++) {
        const struct ste_check_message *row = &view->rows[i];
        if (row->type == STE_TYPE_NOE)
            executed = row->quantity;
        if (row->type != STE_TYPE_ALB)
            continue;
        bool leg = has_row(view, STE_TYPE_NPR, row->account64) &&
                   has_row(view, STE_TYPE_SET, row->account64);
        some = some || leg;
        all = all && leg;
        sums = sums && row->quantity >= 0 &&
               !__builtin_add_overflow(allocated, row->quantity, &allocated);
    }
    bool noe = false;
    for (size_t i = 0; i < view->row_count; i++)
        noe = noe || view->rows[i].type == STE_TYPE_NOE;
    *ret_some = noe && some;
    return noe && some && all && sums && executed >= 0 && executed == allocated;
}

static void judge_cls(struct ste_check_result *result, const struct trade_view *view,
                      const char *key, bool some)
{
    uint32_t version = 0;
    for (size_t i = 0; i < view->trade_count; i++) {
        if (view->trades[i].cls_version > version)
            version = view->trades[i].cls_version;
    }
    for (size_t i = 0; i < view->cls_count; i++) {
        uint64_t mine = view->cls[i].version;
        if (i > 0 && mine == view->cls[i - 1].version) {
            result->cls_again++;
            continue;
        }
        result->cls++;
        if (view->trade_count == 0)
            ste_check_blame(result, STE_CHECK_PHANTOM, "CLS %s.%" PRIu64 ": no such trade", key,
                            mine);
        else if (mine == 0 || mine > version)
            ste_check_blame(result, STE_CHECK_PHANTOM, "CLS %s.%" PRIu64 ": the trade has only %u",
                            key, mine, version);
        else if (!some)
            ste_check_blame(result, STE_CHECK_PHANTOM,
                            "CLS %s.%" PRIu64 ": its messages are not stored", key, mine);
    }
}

static void judge_rows(struct ste_check_result *result, const struct trade_view *view,
                       const char *key)
{
    for (size_t i = 0; i < view->trade_count; i++) {
        const struct ste_check_trade *trade = &view->trades[i];
        if (trade->misplaced)
            ste_check_blame(result, STE_CHECK_MISPLACED,
                            "shard %u trade %s: its key gives another "
                            "place",
                            trade->shard, key);
        if (i > 0)
            ste_check_blame(result, STE_CHECK_DUPLICATE, "shard %u trade %s: a second row",
                            trade->shard, key);
        if (trade->placeholder || view->row_count == 0)
            ste_check_blame(result, STE_CHECK_PHANTOM, "shard %u trade %s: without messages",
                            trade->shard, key);
    }
    for (size_t i = 0; i < view->row_count; i++) {
        bool beside = false;
        for (size_t k = 0; k < view->trade_count; k++)
            beside = beside || view->trades[k].shard == view->rows[i].shard;
        if (!beside && !view->rows[i].misplaced)
            blame_message(result, STE_CHECK_MISPLACED, &view->rows[i],
                          "its trade is not on this shard");
    }
}

static void judge_trade(struct ste_check_result *result, const struct trade_view *view)
{
    char key[33];
    bool some = false, complete = is_complete(view, &some);
    unsigned status = view->trade_count ? view->trades[0].status : 0;
    ste_hex(view->key.bytes, 16, key);
    result->trades += view->row_count > 0;
    result->cleared += view->row_count > 0 && view->cls_count > 0;
    judge_cls(result, view, key, some);
    judge_rows(result, view, key);
    if (view->cls_count > 0)
        return;
    if (status == TRADE_CLEARED)
        ste_check_blame(result, STE_CHECK_MISSING, "trade %s: cleared, and no CLS arrived", key);
    else if (complete && status == TRADE_UNMATCHED)
        result->unmatched++;
    else if (complete)
        ste_check_blame(result, STE_CHECK_MISSING, "trade %s: complete, and no CLS arrived", key);
}

/* The smallest key at the three cursors; one of them at least has not come to its end (NULL). */
static struct ste_hash next_key(const struct ste_check_message *row,
                                const struct ste_check_trade *trade,
                                const struct ste_check_cls *cls)
{
    struct ste_hash key;
    memset(key.bytes, 0xFF, sizeof(key.bytes));
    if (row && ste_hash_compare(row->trade_key, key) < 0)
        key = row->trade_key;
    if (trade && ste_hash_compare(trade->trade_key, key) < 0)
        key = trade->trade_key;
    if (cls && ste_hash_compare(cls->trade_key, key) < 0)
        key = cls->trade_key;
    return key;
}

static void judge_trades(const struct ste_check *check, struct ste_check_result *result)
{
    const struct ste_check_message *rows = check->messages.items;
    const struct ste_check_trade *trades = check->trades.items;
    const struct ste_check_cls *cls = check->cls.items;
    size_t r = 0, t = 0, c = 0;
    const size_t r_end = check->messages.count, t_end = check->trades.count,
                 c_end = check->cls.count;
    while (r < r_end || t < t_end || c < c_end) {
        struct trade_view view = {.key = next_key(r < r_end ? &rows[r] : NULL,
                                                  t < t_end ? &trades[t] : NULL,
                                                  c < c_end ? &cls[c] : NULL)};
        view.rows = rows ? rows + r : NULL;
        view.trades = trades ? trades + t : NULL;
        view.cls = cls ? cls + c : NULL;
        for (; r < r_end && ste_hash_equal(rows[r].trade_key, view.key); r++)
            view.row_count++;
        for (; t < t_end && ste_hash_equal(trades[t].trade_key, view.key); t++)
            view.trade_count++;
        for (; c < c_end && ste_hash_equal(cls[c].trade_key, view.key); c++)
            view.cls_count++;
        judge_trade(result, &view);
    }
}

static void judge_exceptions(const struct ste_check *check, struct ste_check_result *result)
{
    const struct ste_check_exception *rows = check->exceptions.items;
    for (size_t i = 0; i < check->exceptions.count; i++) {
        if (rows[i].misplaced)
            ste_check_blame(result, STE_CHECK_MISPLACED,
                            "shard %u exception %s of delivery %016" PRIx64
                            " index %u: its slot gives another place",
                            rows[i].shard, rows[i].code, rows[i].delivery64, rows[i].index);
    }
}

void ste_check_compare(struct ste_check *check, struct ste_check_result *ret)
{
    *ret = (struct ste_check_result){.sent = check->sent.count,
                                     .stored = check->messages.count,
                                     .exception_rows = check->exceptions.count,
                                     .queued = check->queued,
                                     .outbox = check->outbox};
    sort(&check->sent, by_sent);
    sort(&check->messages, by_message);
    sort(&check->trades, by_trade);
    sort(&check->cls, by_cls);
    sort(&check->exceptions, by_exception);
    sort(&check->spans, by_span);
    judge_messages(check, ret);
    judge_trades(check, ret);
    judge_exceptions(check, ret);
}

bool ste_check_clean(const struct ste_check_result *result)
{
    for (unsigned i = 0; i < STE_CHECK_FAULT_COUNT; i++) {
        if (result->faults[i] > 0)
            return false;
    }
    return true;
}
