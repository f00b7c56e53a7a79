/* SPDX-License-Identifier: Apache-2.0
 * One reply, one line: JSON for programs, words for people. */
#include <string.h>

#include "bridge/submit.h"
#include "json/json.h"

static bool answers_one_message(const struct ste_reply *reply)
{
    return reply->kind == STE_REPLY_ACK || reply->kind == STE_REPLY_REJ ||
           reply->kind == STE_REPLY_EXC;
}

/* What the answered message called itself. */
static struct ste_bytes reference_of(const struct ste_reply *reply, struct ste_bytes known)
{
    return reply->reference_count > 0 ? reply->references[0] : known;
}

/* ---- JSON ---- */

static void put(struct ste_json_writer *json, const char *key, struct ste_bytes text)
{
    if (text.len > 0)
        ste_json_put_text(json, key, text);
    else
        ste_json_put_null(json, key);
}

static void put_code(struct ste_json_writer *json, enum ste_msg_code code)
{
    ste_json_put_cstr(json, "code", code == STE_C_NONE ? NULL : ste_msg_code_name(code));
}

static void put_words(struct ste_json_writer *json, const char *key, struct ste_bytes words)
{
    ste_json_put_list(json, key);
    for (size_t at = 0, end; at < words.len; at = end + 1) {
        for (end = at; end < words.len && words.at[end] != ' ';)
            end++;
        if (end > at)
            ste_json_put_text(json, NULL, (struct ste_bytes){words.at + at, end - at});
    }
    ste_json_put_end(json);
}

static void put_reasons(struct ste_json_writer *json, const struct ste_reply *reply)
{
    ste_json_put_list(json, "reasons");
    for (size_t i = 0; i < reply->reason_count; i++) {
        const struct ste_reply_reason *const reason = &reply->reasons[i];
        ste_json_put_object(json, NULL);
        put_code(json, reason->code);
        put(json, "element", reason->element);
        put(json, "place", reason->place);
        put(json, "level", reason->level);
        put(json, "text", reason->text);
        ste_json_put_end(json);
    }
    ste_json_put_end(json);
}

static void put_values(struct ste_json_writer *json, const struct ste_reply_reason *reason)
{
    ste_json_put_list(json, "values");
    for (size_t i = 0; i < reason->value_count; i++) {
        ste_json_put_object(json, NULL);
        put(json, "value", reason->values[i].value);
        put(json, "sender", reason->values[i].sender);
        put(json, "reference", reason->values[i].reference);
        ste_json_put_end(json);
    }
    ste_json_put_end(json);
}

static void put_conditions(struct ste_json_writer *json, const struct ste_reply *reply)
{
    ste_json_put_list(json, "conditions");
    for (size_t i = 0; i < reply->reason_count; i++) {
        const struct ste_reply_reason *const reason = &reply->reasons[i];
        ste_json_put_object(json, NULL);
        put_code(json, reason->code);
        put(json, "element", reason->element);
        put(json, "account", reason->account);
        put(json, "text", reason->text);
        put_values(json, reason);
        ste_json_put_end(json);
    }
    ste_json_put_end(json);
}

static void put_legs(struct ste_json_writer *json, const struct ste_reply *reply)
{
    /* A MAC comes with a CLS that says NEWM, always. */
    put(json, "action", reply->kind == STE_REPLY_MAC ? STE_BYTES("NEWM") : reply->action);
    ste_json_put_uint(json, "version", reply->version);
    ste_json_put_list(json, "legs");
    for (size_t i = 0; i < reply->leg_count; i++) {
        const struct ste_reply_leg *const leg = &reply->legs[i];
        ste_json_put_object(json, NULL);
        put(json, "account", leg->account);
        put(json, "quantity", leg->quantity);
        put(json, "settlement_amount", leg->settlement_amount);
        put(json, "currency", leg->currency);
        ste_json_put_end(json);
    }
    ste_json_put_end(json);
}

/* The one reason whose code, place and text stand for the whole reply: of REJ and EXC the first
 * that refuses. */
static const struct ste_reply_reason *headline_of(const struct ste_reply *reply)
{
    static const struct ste_reply_reason none;
    if (reply->kind != STE_REPLY_REJ && reply->kind != STE_REPLY_EXC)
        return &none;
    for (size_t i = 0; i < reply->reason_count; i++)
        if (!ste_bytes_equal(reply->reasons[i].level, STE_BYTES("warn")))
            return &reply->reasons[i];
    return &none;
}

static void put_references(struct ste_json_writer *json, const struct ste_reply *reply)
{
    ste_json_put_list(json, "references");
    for (size_t i = 0; i < reply->reference_count; i++)
        ste_json_put_text(json, NULL, reply->references[i]);
    ste_json_put_end(json);
}

static void put_reply(struct ste_json_writer *json, const struct ste_reply *reply,
                      struct ste_bytes reference)
{
    const struct ste_reply_reason *const headline = headline_of(reply);
    put(json, "to", reply->to);
    ste_json_put_cstr(json, "kind", ste_reply_kind_name(reply->kind));
    put(json, "trade_reference", reply->trade_reference);
    if (answers_one_message(reply)) {
        put(json, "delivery", reply->delivery);
        ste_json_put_uint(json, "index", reply->index);
        put(json, "reference", reference_of(reply, reference));
    } else {
        put_references(json, reply);
    }
    put(json, "stage", reply->stage);
    put(json, "account", reply->account);
    put_code(json, reply->code != STE_C_NONE ? reply->code : headline->code);
    put(json, "place", headline->place);
    put(json, "text", headline->text);
    put_words(json, "then", reply->then);
    if (answers_one_message(reply))
        put_reasons(json, reply);
    if (reply->kind == STE_REPLY_NMA)
        put_conditions(json, reply);
    if (reply->kind == STE_REPLY_MAC || reply->kind == STE_REPLY_CLS)
        put_legs(json, reply);
}

static bool write_json(struct ste_buf *line, const struct ste_reply *reply,
                       struct ste_bytes reference)
{
    struct ste_json_writer json;
    ste_json_begin(&json, line);
    ste_json_put_object(&json, NULL);
    put_reply(&json, reply, reference);
    ste_json_put_end(&json);
    const bool good = ste_json_complete(&json);
    ste_buf_u8(line, '\n');
    return good;
}

/* ---- words ---- */

/* " word text", or nothing. What others wrote is shown without its control characters. */
static void say(struct ste_buf *line, const char *word, struct ste_bytes text)
{
    if (text.len == 0)
        return;
    ste_buf_append_cstr(line, word);
    for (size_t i = 0; i < text.len; i++)
        ste_buf_u8(line, (unsigned char)text.at[i] < ' ' ? '?' : (uint8_t)text.at[i]);
}

static void say_values(struct ste_buf *line, const struct ste_reply_reason *reason)
{
    for (size_t i = 0; i < reason->value_count; i++) {
        say(line, i == 0 ? ": " : " / ", reason->values[i].value);
        say(line, " (", reason->values[i].sender);
        say(line, " ", reason->values[i].reference);
        ste_buf_append_cstr(line, ")");
    }
}

static void say_leg(struct ste_buf *line, const struct ste_reply_leg *leg)
{
    say(line, "  leg ", leg->account);
    say(line, " quantity ", leg->quantity);
    say(line, " amount ", leg->settlement_amount);
    say(line, " ", leg->currency);
    ste_buf_append_cstr(line, "\n");
}

static void write_words(struct ste_buf *line, const struct ste_reply *reply,
                        struct ste_bytes reference)
{
    ste_buf_append_cstr(line, ste_reply_kind_name(reply->kind));
    say(line, " to ", reply->to);
    say(line, " trade ", reply->trade_reference);
    if (answers_one_message(reply))
        say(line, " message ", reference_of(reply, reference));
    say(line, " stage ", reply->stage);
    say(line, " account ", reply->account);
    if (reply->code != STE_C_NONE)
        ste_buf_printf(line, " %s", ste_msg_code_name(reply->code));
    if (reply->kind == STE_REPLY_MAC || reply->kind == STE_REPLY_CLS)
        ste_buf_printf(line, " version %u, %zu legs", reply->version, reply->leg_count);
    ste_buf_append_cstr(line, "\n");
    for (size_t i = 0; i < reply->reason_count; i++) {
        const struct ste_reply_reason *const reason = &reply->reasons[i];
        ste_buf_printf(line, "  %s", ste_msg_code_name(reason->code));
        say(line, " ", reason->place);
        say(line, " ", reason->element);
        say(line, " ", reason->text);
        say_values(line, reason);
        ste_buf_append_cstr(line, "\n");
    }
    for (size_t i = 0; i < reply->leg_count; i++)
        say_leg(line, &reply->legs[i]);
}

/* ---- out ---- */

static enum ste_code print(struct ste_buf *line, bool good, FILE *out, struct ste_error *err)
{
    enum ste_code rc = STE_OK;
    if (!good || line->failed)
        rc = ste_error_set(err, STE_E_NOMEM, "could not write a line");
    else if (fwrite(line->at, 1, line->len, out) != line->len || fflush(out) != 0)
        rc = ste_error_set(err, STE_E_FILE, "could not write to standard output");
    ste_buf_deinit(line);
    return rc;
}

enum ste_code ste_print_reply(const struct ste_reply *reply, struct ste_bytes reference, bool json,
                              FILE *out, struct ste_error *err)
{
    struct ste_buf line = {0};
    bool good = true;
    if (json)
        good = write_json(&line, reply, reference);
    else
        write_words(&line, reply, reference);
    return print(&line, good, out, err);
}

enum ste_code ste_print_summary(const struct ste_summary *summary, bool json, bool waited,
                                FILE *out, struct ste_error *err)
{
    const struct {
        const char *key;
        uint64_t value;
    } counts[] = {{"submitted", summary->submitted},
                  {"ack", summary->ack},
                  {"rej", summary->rej},
                  {"exc", summary->exc},
                  {"dupl", summary->dupl},
                  {"nma", summary->nma},
                  {"mac", summary->mac},
                  {"cls", summary->cls}};
    const size_t count = waited ? sizeof(counts) / sizeof(counts[0]) : 1;
    struct ste_buf line = {0};
    ste_buf_append_cstr(&line, json ? "{\"summary\": {" : "summary:");
    for (size_t i = 0; i < count; i++) {
        ste_buf_append_cstr(&line, json && i > 0 ? ", " : json ? "" : " ");
        ste_buf_printf(&line, json ? "\"%s\": %llu" : "%s %llu", counts[i].key,
                       (unsigned long long)counts[i].value);
    }
    ste_buf_append_cstr(&line, json ? "}}\n" : "\n");
    return print(&line, true, out, err);
}
