/* SPDX-License-Identifier: Apache-2.0
 * Hashes of one message inside its trade (MESSAGES section 5): who sent it under which reference,
 * what it says, and which delivery brought it. */
#include "msg/identity.h"

#include <endian.h>
#include <string.h>

#include "base/decimal.h"

enum {
    LITERAL_BYTES_MAX = 64,                  /* longer values go in as their hash */
    FIELD_BYTES_MAX = 3 + LITERAL_BYTES_MAX, /* id, form, length */
    CONTENT_BYTES_MAX = 2 + STE_FIELD_COUNT * FIELD_BYTES_MAX,
};
enum value_form { FORM_TEXT, FORM_NUMBER, FORM_HASH };

/* How values of a kind of fields.def count: as text, by value, or by their first 8 characters. */
enum reading { AS_TEXT, AS_NUMBER, AS_BIC8 };
enum {
    READ_REF = AS_TEXT,
    READ_BIC = AS_BIC8,
    READ_DATE = AS_TEXT,
    READ_TIME = AS_TEXT,
    READ_CODE = AS_TEXT,
    READ_ISIN = AS_TEXT,
    READ_CCY = AS_TEXT,
    READ_CTRY = AS_TEXT,
    READ_TEXT = AS_TEXT,
    READ_QTY = AS_NUMBER,
    READ_PRICE = AS_NUMBER,
    READ_MONEY = AS_NUMBER,
    READ_SMONEY = AS_NUMBER,
    READ_FACTOR = AS_NUMBER,
};
static const enum reading readings[STE_FIELD_COUNT] = {
#define X(id, value, element, attribute, kind) [id] = (enum reading)READ_##kind,
#include "msg/fields.def"
#undef X
};

static size_t put(char *out, enum ste_field_id id, enum value_form form, const void *data,
                  size_t len)
{
    out[0] = (char)id;
    out[1] = (char)form;
    out[2] = (char)len;
    memcpy(out + 3, data, len);
    return 3 + len;
}

/* One value has one form: 4.50, 4.5 and 04.5 give the same bytes. */
static size_t put_number(char *out, enum ste_field_id id, struct ste_decimal value)
{
    char text[STE_DECIMAL_TEXT_BYTES];
    ste_decimal_format(value, 0, text);
    return put(out, id, FORM_NUMBER, text, strlen(text));
}

static size_t put_value(char *out, enum ste_field_id id, struct ste_bytes value)
{
    struct ste_decimal number;
    if (readings[id] == AS_NUMBER && ste_decimal_parse(value, true, &number))
        return put_number(out, id, number);
    if (readings[id] == AS_BIC8)
        value = ste_bic8(value);
    if (value.len <= LITERAL_BYTES_MAX)
        return put(out, id, FORM_TEXT, value.at, value.len);
    uint64_t hash = htole64(ste_hash64_of(value));
    return put(out, id, FORM_HASH, &hash, sizeof(hash));
}

uint64_t ste_message_content64(const struct ste_message *message)
{
    char content[CONTENT_BYTES_MAX];
    size_t len = 0;
    content[len++] = (char)message->type;
    content[len++] = (char)message->function;
    for (int id = STE_F_NONE + 1; id < STE_FIELD_COUNT; id++) {
        struct ste_bytes value = ste_value(message, (enum ste_field_id)id);
        if (value.len && id != STE_F_CREATED_AT)
            len += put_value(content + len, (enum ste_field_id)id, value);
    }
    return ste_hash64_of((struct ste_bytes){content, len});
}

uint64_t ste_message_identity64(const struct ste_message *message)
{
    char identity[STE_BIC8_BYTES + STE_REFERENCE_CHARS_MAX + 2];
    struct ste_bytes sender = ste_bic8(ste_value(message, STE_F_SENDER));
    struct ste_bytes reference = ste_value(message, STE_F_REFERENCE);
    size_t len = sender.len;
    if (reference.len > STE_REFERENCE_CHARS_MAX)
        reference.len = STE_REFERENCE_CHARS_MAX; /* never of a message that was accepted */
    if (sender.len)
        memcpy(identity, sender.at, sender.len);
    identity[len++] = '|';
    if (reference.len)
        memcpy(identity + len, reference.at, reference.len);
    len += reference.len;
    if (message->function == STE_FUNCTION_TRIA) /* trials have a space of their own */
        identity[len++] = '|';
    return ste_hash64_of((struct ste_bytes){identity, len});
}

uint64_t ste_delivery64(struct ste_bytes delivery_id, uint32_t index)
{
    uint64_t parts[2] = {htole64(ste_hash64_of(delivery_id)), htole64(index)};
    return ste_hash64_of((struct ste_bytes){(const char *)parts, sizeof(parts)});
}
