/* SPDX-License-Identifier: Apache-2.0
 * One reply, one line: JSON for programs, words for people. */
#include <stdio.h>
#include <string.h>

#include "bridge/submit.h"
#include "json/json.h"

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
        ste_json_put_list(json, "values");
        for (size_t v = 0; v < reason->value_count; v++) {
            ste_json_put_object(json, NULL);
            put(json, "value", reason->values[v].value);
            put(json, "sender", reason->values[v].sender);
            put(json, "reference", reason->values[v].reference);
            ste_json_put_end(json);
        }
        ste_json_put_end(json);
        ste_json_put_end(json);
    }
    ste_json_put_end(json);
}

static void put_legs(struct ste_json_writer *json, const struct ste_reply *reply)
{
    if (reply->kind == STE_REPLY_CLS)
        put(json, "action", reply->action);
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

static bool answers_one_message(const struct ste_reply *reply)
{
    return reply->kind == STE_REPLY_ACK || reply->kind == STE_REPLY_REJ ||
           reply->kind == STE_REPLY_EXC;
}

/* The one reason whose code, place and text stand for the whole reply: of REJ and EXC the first. */
static void put_headline(struct ste_json_writer *json, const struct ste_reply *reply)
{
    static const struct ste_reply_reason none;
    const bool refused = reply->kind == STE_REPLY_REJ || reply->kind == STE_REPLY_EXC;
    const struct ste_reply_reason *const first =
        refused && reply->reason_count > 0 ? &reply->reasons[0] : &none;
    put_code(json, reply->code != STE_C_NONE ? reply->code : first->code);
    put(json, "place", first->place);
    put(json, "text", first->text);
}

static void print_json(const struct ste_reply *reply, struct ste_bytes reference)
{
    struct ste_buf line = {0};
    struct ste_json_writer json;
    ste_json_begin(&json, &line);
    ste_json_put_object(&json, NULL);
    put(&json, "to", reply->to);
    ste_json_put_cstr(&json, "kind", ste_reply_kind_name(reply->kind));
    put(&json, "trade_reference", reply->trade_reference);
    if (answers_one_message(reply)) {
        put(&json, "delivery", reply->delivery);
        ste_json_put_uint(&json, "index", reply->index);
        put(&json, "reference", reply->reference_count > 0 ? reply->references[0] : reference);
    } else {
        ste_json_put_list(&json, "references");
        for (size_t i = 0; i < reply->reference_count; i++)
            ste_json_put_text(&json, NULL, reply->references[i]);
        ste_json_put_end(&json);
    }
    put(&json, "stage", reply->stage);
    put(&json, "account", reply->account);
    put_headline(&json, reply);
    put_words(&json, "then", reply->then);
    if (answers_one_message(reply))
        put_reasons(&json, reply);
    if (reply->kind == STE_REPLY_NMA)
        put_conditions(&json, reply);
    if (reply->kind == STE_REPLY_MAC || reply->kind == STE_REPLY_CLS)
        put_legs(&json, reply);
    ste_json_put_end(&json);
    printf("%.*s\n", (int)line.len, line.at != NULL ? line.at : "");
    ste_buf_deinit(&line);
}

static void print_values(const struct ste_reply_reason *reason)
{
    for (size_t i = 0; i < reason->value_count; i++)
        printf("%s %.*s (%.*s %.*s)", i == 0 ? ":" : " /", (int)reason->values[i].value.len,
               reason->values[i].value.at, (int)reason->values[i].sender.len,
               reason->values[i].sender.at, (int)reason->values[i].reference.len,
               reason->values[i].reference.at);
}

static void print_words(const struct ste_reply *reply, struct ste_bytes reference)
{
    printf("%s", ste_reply_kind_name(reply->kind));
    if (reply->to.len > 0)
        printf(" to %.*s", (int)reply->to.len, reply->to.at);
    if (reply->trade_reference.len > 0)
        printf(" trade %.*s", (int)reply->trade_reference.len, reply->trade_reference.at);
    if (answers_one_message(reply) && reference.len > 0)
        printf(" message %.*s", (int)reference.len, reference.at);
    if (reply->stage.len > 0)
        printf(" stage %.*s", (int)reply->stage.len, reply->stage.at);
    if (reply->account.len > 0)
        printf(" account %.*s", (int)reply->account.len, reply->account.at);
    if (reply->code != STE_C_NONE)
        printf(" %s", ste_msg_code_name(reply->code));
    if (reply->kind == STE_REPLY_MAC || reply->kind == STE_REPLY_CLS)
        printf(" version %u, %zu legs", reply->version, reply->leg_count);
    putchar('\n');
    for (size_t i = 0; i < reply->reason_count; i++) {
        const struct ste_reply_reason *const reason = &reply->reasons[i];
        printf("  %s %.*s %.*s %.*s", ste_msg_code_name(reason->code), (int)reason->place.len,
               reason->place.at, (int)reason->element.len, reason->element.at,
               (int)reason->text.len, reason->text.at);
        print_values(reason);
        putchar('\n');
    }
    for (size_t i = 0; i < reply->leg_count; i++)
        printf("  leg %.*s quantity %.*s amount %.*s %.*s\n", (int)reply->legs[i].account.len,
               reply->legs[i].account.at, (int)reply->legs[i].quantity.len,
               reply->legs[i].quantity.at, (int)reply->legs[i].settlement_amount.len,
               reply->legs[i].settlement_amount.at, (int)reply->legs[i].currency.len,
               reply->legs[i].currency.at);
}

void ste_print_reply(const struct ste_reply *reply, struct ste_bytes reference, bool json)
{
    if (json)
        print_json(reply, reference);
    else
        print_words(reply, reference);
    fflush(stdout);
}

void ste_print_summary(const struct ste_summary *summary, bool json, bool waited)
{
    const struct {
        const char *key;
        uint64_t value;
    } counts[] = {{"submitted", summary->submitted}, {"ack", summary->ack}, {"rej", summary->rej},
                  {"exc", summary->exc},             {"dupl", summary->dupl}, {"nma", summary->nma},
                  {"mac", summary->mac},             {"cls", summary->cls}};
    const size_t count = waited ? sizeof(counts) / sizeof(counts[0]) : 1;
    printf("%s", json ? "{\"summary\": {" : "summary:");
    for (size_t i = 0; i < count; i++)
        printf(json ? "%s\"%s\": %llu" : "%s %s %llu", json && i > 0 ? ", " : "", counts[i].key,
               (unsigned long long)counts[i].value);
    printf("%s\n", json ? "}}" : "");
    fflush(stdout);
}
