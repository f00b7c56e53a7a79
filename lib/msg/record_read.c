/* SPDX-License-Identifier: Apache-2.0
 * Reads the canonical record. A record has one encoding: whatever the writer would not have written
 * is refused, so that a damaged one is not half believed. */
#include "msg/record.h"
#include "msg/record_format.h"

#include <string.h>

static uint32_t read_varint32(struct ste_reader *reader)
{
    uint64_t value = ste_read_varint(reader);
    if (value > UINT32_MAX) {
        reader->failed = true;
        return 0;
    }
    return (uint32_t)value;
}

static void read_field(struct ste_reader *reader, struct ste_message *message, unsigned *last_id)
{
    unsigned head = ste_read_u8(reader), id = head & ~(unsigned)STE_RECORD_FIELD_IN_ORIGINAL;
    uint32_t line = read_varint32(reader) + message->line, column = read_varint32(reader);
    struct ste_bytes value = {NULL, 0};
    if (head & STE_RECORD_FIELD_IN_ORIGINAL) {
        uint64_t offset = ste_read_varint(reader), len = ste_read_varint(reader);
        if (offset <= message->original.len && len <= message->original.len - offset)
            value = (struct ste_bytes){message->original.at + offset, len};
    } else {
        value = ste_read_block(reader);
    }
    if (id <= *last_id || id >= STE_FIELD_COUNT || value.len == 0) {
        reader->failed = true;
        return;
    }
    *last_id = id;
    message->fields[id] = (struct ste_field){value, line, column};
}

static void read_finding(struct ste_reader *reader, struct ste_finding *ret)
{
    unsigned code = ste_read_u8(reader), level = ste_read_u8(reader);
    struct ste_bytes element = ste_read_block(reader), place = ste_read_block(reader);
    struct ste_bytes text = ste_read_block(reader);
    if (code == STE_C_NONE || code >= STE_MSG_CODE_COUNT || level > STE_LEVEL_REJECT) {
        reader->failed = true;
        return;
    }
    *ret = (struct ste_finding){.code = (enum ste_msg_code)code,
                                .level = (enum ste_level)level,
                                .element = element,
                                .place = place,
                                .text = text};
}

/* False: out of memory. */
static bool read_findings(struct ste_reader *reader, struct ste_arena *arena,
                          struct ste_message *message)
{
    size_t count = ste_read_u8(reader), left = (size_t)(reader->end - reader->at);
    if (count > STE_FINDINGS_MAX || count > left / STE_RECORD_FINDING_BYTES_MIN)
        reader->failed = true;
    if (count && !reader->failed) {
        message->findings = STE_ARENA_ARRAY(arena, struct ste_finding, count);
        if (!message->findings)
            return false;
        for (size_t i = 0; i < count; i++)
            read_finding(reader, &message->findings[i]);
        message->finding_count = count;
    }
    unsigned has_exc = ste_read_u8(reader);
    if (has_exc > 1)
        reader->failed = true;
    else if (has_exc)
        read_finding(reader, &message->exc);
    return true;
}

static void read_head(struct ste_reader *reader, struct ste_record *record)
{
    struct ste_message *message = &record->message;
    unsigned type = ste_read_u8(reader), function = ste_read_u8(reader);
    record->map_epoch = ste_read_u32(reader);
    record->slot = ste_read_u32(reader);
    record->received_us = ste_read_u64(reader);
    struct ste_bytes sha256 = ste_read_bytes(reader, STE_RECORD_SHA256_BYTES);
    if (sha256.len)
        memcpy(record->signed_sha256, sha256.at, sha256.len);
    record->signed_bytes = read_varint32(reader);
    record->delivery_id = ste_read_block(reader);
    message->index = read_varint32(reader);
    record->key_id = ste_read_block(reader);
    record->signer = ste_read_block(reader);
    message->line = read_varint32(reader);
    message->column = read_varint32(reader);
    message->original = ste_read_block(reader);
    if (type == STE_TYPE_NONE || type >= STE_TYPE_COUNT || function > STE_FUNCTION_TRIA ||
        record->slot >= STE_SLOT_COUNT) {
        reader->failed = true;
        return;
    }
    message->type = (enum ste_type)type;
    message->function = (enum ste_function)function;
}

/* The record without its length; false: out of memory. */
static bool read_record(struct ste_reader *reader, struct ste_arena *arena,
                        struct ste_record *record)
{
    read_head(reader, record);
    unsigned count = ste_read_u8(reader), last_id = STE_F_NONE;
    for (unsigned i = 0; i < count && !reader->failed; i++)
        read_field(reader, &record->message, &last_id);
    if (!read_findings(reader, arena, &record->message))
        return false;
    bool is_exc = record->message.type == STE_TYPE_EXC;
    if (reader->at != reader->end || is_exc != (record->message.exc.code != STE_C_NONE))
        reader->failed = true;
    return true;
}

enum ste_code ste_record_decode(struct ste_reader *reader, struct ste_arena *arena,
                                struct ste_record *ret, bool *ret_done, struct ste_error *err)
{
    if (!reader->failed && reader->at == reader->end) {
        *ret_done = true;
        return STE_OK;
    }
    uint32_t len = ste_read_u32(reader);
    struct ste_reader inner = ste_reader_of(ste_read_bytes(reader, len));
    struct ste_record record = {.version = ste_read_u8(&inner)};
    if (reader->failed || inner.failed || record.version == 0)
        return ste_error_set(err, STE_E_RECORD_BAD, "record is cut short or has no version");
    if (record.version > STE_RECORD_VERSION)
        return ste_error_set(err, STE_E_RECORD_VERSION,
                             "record has version %u, this program reads "
                             "up to %d",
                             record.version, STE_RECORD_VERSION);
    if (!read_record(&inner, arena, &record))
        return ste_error_set(err, STE_E_NOMEM, "no memory for the findings of a record");
    if (inner.failed)
        return ste_error_set(err, STE_E_RECORD_BAD, "record of %u bytes is damaged", len);
    *ret = record;
    *ret_done = false;
    return STE_OK;
}
