/* SPDX-License-Identifier: Apache-2.0
 * Any bytes are a delivery: they decode, every entry is sound, and each can be recorded and read
 * back. A parser that was used before finds what a fresh one finds. */
#include <stdlib.h>

#include "msg/record.h"
#include "msg/xml.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool right)
{
    if (!right)
        abort();
}

static void check_inside(struct ste_bytes body, struct ste_bytes part)
{
    check(part.len == 0 || (part.at >= body.at && part.at + part.len <= body.at + body.len));
}

static void check_entry(struct ste_bytes body, const struct ste_message *message, size_t index)
{
    check(message->index == index);
    check((message->type == STE_TYPE_EXC) == (message->exc.code != STE_C_NONE));
    check(message->type > STE_TYPE_NONE && message->type < STE_TYPE_COUNT);
    check_inside(body, message->original);
    check(message->finding_count <= STE_FINDINGS_MAX);
    for (size_t i = 0; i < message->finding_count; i++)
        check(message->findings[i].code != STE_C_NONE && message->findings[i].place.len > 0);
    if (message->type == STE_TYPE_EXC) {
        check(message->exc.place.len > 0 && message->finding_count == 0);
        return;
    }
    ste_date date = 0;
    check(ste_is_bic(ste_value(message, STE_F_SENDER)));
    check(ste_is_bic(ste_value(message, STE_F_BROKER)));
    check(ste_is_bic(ste_value(message, STE_F_MANAGER)));
    check(ste_is_reference(ste_value(message, STE_F_REFERENCE)));
    check(ste_is_reference(ste_value(message, STE_F_TRADE_REFERENCE)));
    check(ste_date_parse(ste_value(message, STE_F_TRADE_DATE), &date));
}

/* All entries as records, one after the other. */
static void record_all(struct ste_buf *buf, struct ste_bytes body, struct ste_xml *xml,
                       struct ste_arena *arena)
{
    struct ste_message *messages = NULL;
    size_t count = 0;
    const char *element = "TradeReference";
    struct ste_match_key key;
    check(ste_match_key_init(&key, &element, 1));
    check(ste_xml_decode(xml, body, arena, &messages, &count, NULL) == STE_OK);
    check(count > 0 && count <= STE_DELIVERY_MESSAGES_MAX + 1);
    for (size_t i = 0; i < count; i++) {
        struct ste_record record = {.message = messages[i]};
        struct ste_trade_id id = {0};
        check_entry(body, &messages[i], i);
        if (messages[i].type != STE_TYPE_EXC)
            check(ste_trade_identify(&messages[i], &key, arena, &id));
        record.slot = id.slot;
        check(ste_record_encode(buf, &record));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct ste_xml *used;
    struct ste_bytes body = {(const char *)data, size};
    struct ste_arena *arena = ste_arena_new(0);
    struct ste_xml *fresh = ste_xml_new();
    struct ste_buf first = {0}, second = {0};
    if (!used)
        used = ste_xml_new();
    record_all(&first, body, used, arena);
    record_all(&second, body, fresh, arena);
    check(ste_bytes_equal(ste_buf_bytes(&first), ste_buf_bytes(&second)));
    struct ste_reader reader = ste_reader_of(ste_buf_bytes(&first));
    for (bool done = false; !done;) {
        struct ste_record record;
        check(ste_record_decode(&reader, arena, &record, &done, NULL) == STE_OK);
    }
    ste_buf_deinit(&first);
    ste_buf_deinit(&second);
    ste_xml_free(fresh);
    ste_arena_free(arena);
    return 0;
}
