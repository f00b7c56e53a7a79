/* SPDX-License-Identifier: Apache-2.0
 * Borrowed runs of bytes, and a growing buffer. */
#ifndef STE_BASE_BYTES_H
#define STE_BASE_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* A view: owns nothing, need not end in NUL. len 0 means absent; `at` may then be NULL. */
struct ste_bytes {
    const char *at;
    size_t len;
};

#define STE_BYTES(literal) ((struct ste_bytes){(literal), sizeof(literal) - 1})

struct ste_bytes ste_bytes_of(const char *cstring); /* NULL gives an empty view */
bool ste_bytes_equal(struct ste_bytes a, struct ste_bytes b);
/* memcmp order, shorter first on a tie: <0, 0, >0. */
int ste_bytes_compare(struct ste_bytes a, struct ste_bytes b);
struct ste_bytes ste_bytes_trim(struct ste_bytes text); /* XML white space off both ends */
/* One or more decimal digits and nothing else, leading zeros allowed. False, nothing written: not
 * such a text, or above 64 bits. */
bool ste_bytes_u64(struct ste_bytes text, uint64_t *ret);

/* Heap buffer. Zero-initialise, ste_buf_deinit at the end. A failed append leaves it unchanged and
 * sets `failed`, so that a run of appends is checked once at its end; until ste_buf_clear all later
 * appends fail as well, so that no text ever has a hole. */
struct ste_buf {
    char *at;
    size_t len, capacity;
    bool failed;
};

void ste_buf_deinit(struct ste_buf *buf);
void ste_buf_clear(struct ste_buf *buf); /* keeps the memory */
bool ste_buf_reserve(struct ste_buf *buf, size_t more_bytes);
void ste_buf_append(struct ste_buf *buf, const void *data, size_t len);
void ste_buf_append_bytes(struct ste_buf *buf, struct ste_bytes bytes);
void ste_buf_append_cstr(struct ste_buf *buf, const char *text);
void ste_buf_printf(struct ste_buf *buf, const char *format, ...) STE_PRINTF(2, 3);
struct ste_bytes ste_buf_bytes(const struct ste_buf *buf); /* valid until the next append */

/* Little-endian integers and LEB128 varints, as records and states use them. */
void ste_buf_u8(struct ste_buf *buf, uint8_t value);
void ste_buf_u32(struct ste_buf *buf, uint32_t value);
void ste_buf_u64(struct ste_buf *buf, uint64_t value);
void ste_buf_varint(struct ste_buf *buf, uint64_t value);
void ste_buf_block(struct ste_buf *buf, struct ste_bytes bytes); /* varint length, then bytes */

/* A reader over a view. Reading past the end, or a varint above 64 bits or longer than it need be,
 * sets `failed` and gives zeros from then on: check once at the end. */
struct ste_reader {
    const char *at, *end;
    bool failed;
};
struct ste_reader ste_reader_of(struct ste_bytes bytes);
uint8_t ste_read_u8(struct ste_reader *reader);
uint32_t ste_read_u32(struct ste_reader *reader);
uint64_t ste_read_u64(struct ste_reader *reader);
uint64_t ste_read_varint(struct ste_reader *reader);
struct ste_bytes ste_read_bytes(struct ste_reader *reader, size_t len);
struct ste_bytes ste_read_block(struct ste_reader *reader);

/* Lower-case hex; out needs 2*len+1 bytes. */
void ste_hex(const void *data, size_t len, char *out);

#endif
