/* SPDX-License-Identifier: Apache-2.0
 * Writes the canonical record. Room for the worst case is made once, so that the many small parts
 * are written without asking again. */
#include "msg/record.h"
#include "msg/record_format.h"

#include <endian.h>
#include <string.h>

enum {
    VARINT_BYTES_MAX = 10,
    LENGTH_BYTES = 4,
    HEAD_BYTES_MAX = 64 + STE_RECORD_SHA256_BYTES + 8 * VARINT_BYTES_MAX,
    FIELD_BYTES_MAX = 1 + 4 * VARINT_BYTES_MAX, /* besides the value */
    FINDING_BYTES_MAX = 2 + 3 * VARINT_BYTES_MAX,
};

static char *put_u8(char *at, unsigned value)
{
    *at = (char)value;
    return at + 1;
}

static char *put_u32(char *at, uint32_t value)
{
    value = htole32(value);
    memcpy(at, &value, sizeof(value));
    return at + sizeof(value);
}

static char *put_u64(char *at, uint64_t value)
{
    value = htole64(value);
    memcpy(at, &value, sizeof(value));
    return at + sizeof(value);
}

static char *put_varint(char *at, uint64_t value)
{
    while (value >= 0x80) {
        *at++ = (char)(value | 0x80);
        value >>= 7;
    }
    *at++ = (char)value;
    return at;
}

static char *put_block(char *at, struct ste_bytes bytes)
{
    at = put_varint(at, bytes.len);
    if (bytes.len)
        memcpy(at, bytes.at, bytes.len);
    return at + bytes.len;
}

static bool is_inside(struct ste_bytes whole, struct ste_bytes part)
{
    uintptr_t from = (uintptr_t)whole.at, at = (uintptr_t)part.at;
    return whole.len >= part.len && at >= from && at - from <= whole.len - part.len;
}

/* id, place, and the value: where it stands in the original, else the bytes. */
static char *put_field(char *at, const struct ste_message *message, unsigned id)
{
    const struct ste_field *field = &message->fields[id];
    bool inside = is_inside(message->original, field->value);
    at = put_u8(at, inside ? id | STE_RECORD_FIELD_IN_ORIGINAL : id);
    at = put_varint(at, (uint32_t)(field->line - message->line));
    at = put_varint(at, field->column);
    if (!inside)
        return put_block(at, field->value);
    at = put_varint(at, (size_t)(field->value.at - message->original.at));
    return put_varint(at, field->value.len);
}

static char *put_fields(char *at, const struct ste_message *message)
{
    char *count_at = at++;
    unsigned count = 0;
    for (unsigned id = STE_F_NONE + 1; id < STE_FIELD_COUNT; id++) {
        if (message->fields[id].value.len) {
            at = put_field(at, message, id);
            count++;
        }
    }
    put_u8(count_at, count);
    return at;
}

static char *put_finding(char *at, const struct ste_finding *finding)
{
    at = put_u8(at, finding->code);
    at = put_u8(at, finding->level);
    at = put_block(at, finding->element);
    at = put_block(at, finding->place);
    return put_block(at, finding->text);
}

static size_t finding_count(const struct ste_message *message)
{
    return message->finding_count < STE_FINDINGS_MAX ? message->finding_count : STE_FINDINGS_MAX;
}

static char *put_findings(char *at, const struct ste_message *message)
{
    at = put_u8(at, (unsigned)finding_count(message));
    for (size_t i = 0; i < finding_count(message); i++)
        at = put_finding(at, &message->findings[i]);
    at = put_u8(at, message->exc.code != STE_C_NONE);
    return message->exc.code != STE_C_NONE ? put_finding(at, &message->exc) : at;
}

static size_t finding_bytes(const struct ste_finding *finding)
{
    return FINDING_BYTES_MAX + finding->element.len + finding->place.len + finding->text.len;
}

static size_t bytes_max(const struct ste_record *record)
{
    const struct ste_message *message = &record->message;
    size_t bytes = HEAD_BYTES_MAX + record->delivery_id.len + record->key_id.len +
                   record->signer.len + message->original.len + finding_bytes(&message->exc);
    for (unsigned id = STE_F_NONE + 1; id < STE_FIELD_COUNT; id++)
        bytes += FIELD_BYTES_MAX + message->fields[id].value.len;
    for (size_t i = 0; i < finding_count(message); i++)
        bytes += finding_bytes(&message->findings[i]);
    return bytes;
}

bool ste_record_encode(struct ste_buf *buf, const struct ste_record *record)
{
    const struct ste_message *message = &record->message;
    if (buf->failed || !ste_buf_reserve(buf, bytes_max(record))) {
        buf->failed = true;
        return false;
    }
    char *start = buf->at + buf->len, *at = start + LENGTH_BYTES;
    at = put_u8(at, STE_RECORD_VERSION);
    bool refused = message->exc.code != STE_C_NONE;
    at = put_u8(at, refused ? STE_TYPE_EXC : message->type);
    at = put_u8(at, message->function);
    at = put_u32(at, record->map_epoch);
    at = put_u32(at, record->slot);
    at = put_u64(at, record->received_us);
    memcpy(at, record->signed_sha256, STE_RECORD_SHA256_BYTES);
    at += STE_RECORD_SHA256_BYTES;
    at = put_varint(at, record->signed_bytes);
    at = put_block(at, record->delivery_id);
    at = put_varint(at, message->index);
    at = put_block(at, record->key_id);
    at = put_block(at, record->signer);
    at = put_varint(at, message->line);
    at = put_varint(at, message->column);
    at = put_block(at, message->original);
    at = put_fields(at, message);
    at = put_findings(at, message);
    put_u32(start, (uint32_t)((size_t)(at - start) - LENGTH_BYTES));
    buf->len += (size_t)(at - start);
    return true;
}
