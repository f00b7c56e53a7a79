/* SPDX-License-Identifier: Apache-2.0
 * Big-endian fields of AMQP frames. Reading past the end sets `failed` and gives zeros. */
#ifndef STE_MQ_WIRE_H
#define STE_MQ_WIRE_H

#include <string.h>

#include "base/bytes.h"

struct ste_wire {
    const unsigned char *at, *end;
    bool failed;
};

static inline struct ste_wire ste_wire_of(struct ste_bytes bytes)
{
    const unsigned char *at = (const unsigned char *)bytes.at;
    return (struct ste_wire){.at = at, .end = at ? at + bytes.len : at};
}

static inline struct ste_bytes ste_wire_bytes(struct ste_wire *wire, size_t len)
{
    if (len > (size_t)(wire->end - wire->at)) {
        wire->failed = true;
        wire->at = wire->end;
        return (struct ste_bytes){0};
    }
    struct ste_bytes bytes = {(const char *)wire->at, len};
    wire->at += len;
    return bytes;
}

static inline uint64_t ste_wire_uint(struct ste_wire *wire, size_t bytes)
{
    struct ste_bytes raw = ste_wire_bytes(wire, bytes);
    uint64_t value = 0;
    for (size_t i = 0; i < raw.len; i++)
        value = value << 8 | (unsigned char)raw.at[i];
    return value;
}

static inline struct ste_bytes ste_wire_short(struct ste_wire *wire)
{
    return ste_wire_bytes(wire, (size_t)ste_wire_uint(wire, 1));
}

static inline struct ste_bytes ste_wire_long(struct ste_wire *wire)
{
    return ste_wire_bytes(wire, (size_t)ste_wire_uint(wire, 4));
}

/* Writing: the caller has reserved room. */
static inline void ste_wire_put_uint(char **at, uint64_t value, size_t bytes)
{
    for (size_t i = bytes; i-- > 0; value >>= 8)
        (*at)[i] = (char)(value & 0xff);
    *at += bytes;
}

static inline void ste_wire_put_bytes(char **at, struct ste_bytes bytes)
{
    if (bytes.len > 0)
        memcpy(*at, bytes.at, bytes.len);
    *at += bytes.len;
}

static inline void ste_wire_put_short(char **at, struct ste_bytes bytes)
{
    ste_wire_put_uint(at, bytes.len, 1);
    ste_wire_put_bytes(at, bytes);
}

static inline void ste_wire_put_long(char **at, struct ste_bytes bytes)
{
    ste_wire_put_uint(at, bytes.len, 4);
    ste_wire_put_bytes(at, bytes);
}

#endif
