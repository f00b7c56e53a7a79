/* SPDX-License-Identifier: Apache-2.0 */
#include "mq/headers.h"

#include "mq/wire.h"

enum { CLASS_BASIC = 60 };

/* Property flags of class basic, most significant first, in wire order. */
enum {
    HAS_CONTENT_TYPE = 1 << 15,
    HAS_CONTENT_ENCODING = 1 << 14,
    HAS_HEADERS = 1 << 13,
    HAS_DELIVERY_MODE = 1 << 12,
    HAS_PRIORITY = 1 << 11,
    HAS_CORRELATION_ID = 1 << 10,
    HAS_REPLY_TO = 1 << 9,
    HAS_EXPIRATION = 1 << 8,
    HAS_MESSAGE_ID = 1 << 7,
    HAS_TIMESTAMP = 1 << 6,
    HAS_TYPE = 1 << 5,
    HAS_USER_ID = 1 << 4,
    HAS_APP_ID = 1 << 3,
    HAS_CLUSTER_ID = 1 << 2,
    HAS_MORE_FLAGS = 1 << 0,
};

#define HEADER_COUNT STE_BYTES("n")
#define HEADER_SEQ STE_BYTES("ste-seq")
#define HEADER_KEY_ID STE_BYTES("ste-key-id")
#define HEADER_SIGNATURE STE_BYTES("ste-signature")
#define HEADER_BCC STE_BYTES("BCC")
#define HEADER_DELIVERY_COUNT STE_BYTES("x-delivery-count")
#define HEADER_DEATH STE_BYTES("x-death")

/* One value of a table or array. Tables and arrays are views, opened only where we look inside. */
struct field {
    unsigned char kind;
    struct ste_bytes bytes; /* S x s A F */
    uint64_t number;        /* the integer kinds; negative ones stay 0 */
    bool is_number;
};

static void number_of(struct ste_wire *wire, size_t bytes, bool is_signed, struct field *field)
{
    uint64_t raw = ste_wire_uint(wire, bytes);
    bool negative = is_signed && raw >> (bytes * 8 - 1) != 0;
    field->is_number = !negative;
    field->number = negative ? 0 : raw;
}

/* RabbitMQ's dialect: 's' is a signed short, not a short string. */
static struct field read_field(struct ste_wire *wire)
{
    struct field field = {.kind = (unsigned char)ste_wire_uint(wire, 1)};
    switch (field.kind) {
    case 'b':
        number_of(wire, 1, true, &field);
        break;
    case 'B':
        number_of(wire, 1, false, &field);
        break;
    case 's':
        number_of(wire, 2, true, &field);
        break;
    case 'u':
        number_of(wire, 2, false, &field);
        break;
    case 'I':
        number_of(wire, 4, true, &field);
        break;
    case 'i':
        number_of(wire, 4, false, &field);
        break;
    case 'l':
        number_of(wire, 8, true, &field);
        break;
    case 'L':
        number_of(wire, 8, false, &field);
        break;
    case 't':
        ste_wire_bytes(wire, 1);
        break;
    case 'f':
        ste_wire_bytes(wire, 4);
        break;
    case 'D':
        ste_wire_bytes(wire, 5);
        break;
    case 'd':
    case 'T':
        ste_wire_bytes(wire, 8);
        break;
    case 'S':
    case 'x':
    case 'A':
    case 'F':
        field.bytes = ste_wire_long(wire);
        break;
    case 'V':
        break;
    default:
        wire->failed = true;
    }
    return field;
}

static struct ste_bytes text_of(const struct field *field)
{
    return field->kind == 'S' || field->kind == 'x' ? field->bytes : (struct ste_bytes){0};
}

static unsigned count_of(const struct field *field, unsigned absent)
{
    if (!field->is_number)
        return absent;
    return field->number > UINT32_MAX ? UINT32_MAX : (unsigned)field->number;
}

/* x-death is an array of tables, the latest death first. */
static bool read_death(struct ste_bytes array, struct ste_mq_delivery *delivery)
{
    struct ste_wire deaths = ste_wire_of(array);
    if (array.len == 0)
        return true;
    struct field first = read_field(&deaths);
    if (deaths.failed || first.kind != 'F')
        return !deaths.failed;
    struct ste_wire wire = ste_wire_of(first.bytes);
    while (wire.at < wire.end && !wire.failed) {
        struct ste_bytes name = ste_wire_short(&wire);
        struct field field = read_field(&wire);
        if (ste_bytes_equal(name, STE_BYTES("queue")))
            delivery->death_queue = text_of(&field);
        else if (ste_bytes_equal(name, STE_BYTES("reason")))
            delivery->death_reason = text_of(&field);
    }
    return !wire.failed;
}

static bool read_table(struct ste_bytes table, struct ste_mq_delivery *delivery, uint64_t *ret_seq)
{
    struct ste_wire wire = ste_wire_of(table);
    while (wire.at < wire.end && !wire.failed) {
        struct ste_bytes name = ste_wire_short(&wire);
        struct field field = read_field(&wire);
        if (wire.failed)
            break;
        if (ste_bytes_equal(name, HEADER_COUNT))
            delivery->record_count = count_of(&field, 1);
        else if (ste_bytes_equal(name, HEADER_SEQ))
            *ret_seq = field.number;
        else if (ste_bytes_equal(name, HEADER_KEY_ID))
            delivery->key_id = text_of(&field);
        else if (ste_bytes_equal(name, HEADER_SIGNATURE))
            delivery->signature = text_of(&field);
        else if (ste_bytes_equal(name, HEADER_DELIVERY_COUNT))
            delivery->delivery_count = count_of(&field, 0);
        else if (ste_bytes_equal(name, HEADER_DEATH) && field.kind == 'A' &&
                 !read_death(field.bytes, delivery))
            return false;
    }
    return !wire.failed;
}

static struct ste_bytes optional_short(struct ste_wire *wire, unsigned flags, unsigned flag)
{
    return flags & flag ? ste_wire_short(wire) : (struct ste_bytes){0};
}

static bool read_properties(struct ste_wire *wire, struct ste_mq_delivery *delivery,
                            uint64_t *ret_seq)
{
    struct ste_bytes table = {0};
    unsigned flags = (unsigned)ste_wire_uint(wire, 2);
    for (unsigned more = flags; more & HAS_MORE_FLAGS && !wire->failed;)
        more = (unsigned)ste_wire_uint(wire, 2); /* class basic has none behind the first word */

    delivery->content_type = optional_short(wire, flags, HAS_CONTENT_TYPE);
    optional_short(wire, flags, HAS_CONTENT_ENCODING);
    if (flags & HAS_HEADERS)
        table = ste_wire_long(wire);
    if (flags & HAS_DELIVERY_MODE)
        ste_wire_uint(wire, 1);
    if (flags & HAS_PRIORITY)
        ste_wire_uint(wire, 1);
    delivery->correlation_id = optional_short(wire, flags, HAS_CORRELATION_ID);
    optional_short(wire, flags, HAS_REPLY_TO);
    optional_short(wire, flags, HAS_EXPIRATION);
    delivery->message_id = optional_short(wire, flags, HAS_MESSAGE_ID);
    if (flags & HAS_TIMESTAMP)
        ste_wire_uint(wire, 8);
    optional_short(wire, flags, HAS_TYPE);
    delivery->user_id = optional_short(wire, flags, HAS_USER_ID);
    optional_short(wire, flags, HAS_APP_ID);
    optional_short(wire, flags, HAS_CLUSTER_ID);
    return !wire->failed && read_table(table, delivery, ret_seq);
}

bool ste_mq_headers_parse(struct ste_bytes payload, struct ste_mq_delivery *delivery,
                          uint64_t *ret_body_bytes, uint64_t *ret_seq)
{
    struct ste_wire wire = ste_wire_of(payload);
    uint64_t class_id = ste_wire_uint(&wire, 2);
    ste_wire_uint(&wire, 2); /* weight, always 0 */
    uint64_t body_bytes = ste_wire_uint(&wire, 8);
    if (wire.failed || class_id != CLASS_BASIC)
        return false;

    delivery->record_count = 1;
    delivery->delivery_count = 0;
    struct ste_mq_delivery parsed = *delivery;
    uint64_t seq = 0;
    if (read_properties(&wire, &parsed, &seq))
        *delivery = parsed;
    else
        seq = 0;
    *ret_body_bytes = body_bytes;
    *ret_seq = seq;
    return true;
}

size_t ste_mq_headers_bound(const struct ste_mq_message *message)
{
    size_t bytes = 256 + message->key_id.len + message->signature.len + message->message_id.len +
                   message->user_id.len;
    for (size_t i = 0; i < message->bcc_count; i++)
        bytes += 5 + message->bcc[i].len;
    return bytes;
}

static void write_text(char **at, struct ste_bytes name, struct ste_bytes text)
{
    if (text.len == 0)
        return;
    ste_wire_put_short(at, name);
    *(*at)++ = 'S';
    ste_wire_put_long(at, text);
}

static void write_bcc(char **at, const struct ste_mq_message *message)
{
    if (message->bcc_count == 0)
        return;
    ste_wire_put_short(at, HEADER_BCC);
    *(*at)++ = 'A';
    char *length = *at;
    *at += 4;
    for (size_t i = 0; i < message->bcc_count; i++) {
        *(*at)++ = 'S';
        ste_wire_put_long(at, message->bcc[i]);
    }
    ste_wire_put_uint(&length, (uint64_t)(*at - length - 4), 4);
}

char *ste_mq_headers_write(char *at, const struct ste_mq_message *message, uint64_t seq)
{
    unsigned flags = HAS_HEADERS | HAS_DELIVERY_MODE;
    if (message->message_id.len > 0)
        flags |= HAS_MESSAGE_ID;
    if (message->user_id.len > 0)
        flags |= HAS_USER_ID;

    ste_wire_put_uint(&at, CLASS_BASIC, 2);
    ste_wire_put_uint(&at, 0, 2);
    ste_wire_put_uint(&at, message->body.len, 8);
    ste_wire_put_uint(&at, flags, 2);

    char *length = at;
    at += 4;
    ste_wire_put_short(&at, HEADER_SEQ);
    *at++ = 'l';
    ste_wire_put_uint(&at, seq, 8);
    if (message->record_count > 0) {
        ste_wire_put_short(&at, HEADER_COUNT);
        *at++ = 'I';
        ste_wire_put_uint(&at, message->record_count, 4);
    }
    write_text(&at, HEADER_KEY_ID, message->key_id);
    write_text(&at, HEADER_SIGNATURE, message->signature);
    write_bcc(&at, message);
    ste_wire_put_uint(&length, (uint64_t)(at - length - 4), 4);

    *at++ = message->transient ? 1 : 2;
    if (message->message_id.len > 0)
        ste_wire_put_short(&at, message->message_id);
    if (message->user_id.len > 0)
        ste_wire_put_short(&at, message->user_id);
    return at;
}
