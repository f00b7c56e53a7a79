/* SPDX-License-Identifier: Apache-2.0
 * JSON, both ways. Reading goes through cJSON (this folder is its only user) behind limits; writing
 * appends to a buffer in the order of the calls, in constant memory. */
#ifndef STE_JSON_JSON_H
#define STE_JSON_JSON_H

#include "base/bytes.h"
#include "base/error.h"

/* ---- Reading ------------------------------------------------------------------------------- */

enum { STE_JSON_DEPTH_MAX = 32, STE_JSON_BYTES_MAX = 16 << 20 };
/* The largest integer that a JSON number carries exactly: 2^53. */
#define STE_JSON_INTEGER_MAX (UINT64_C(1) << 53)

enum ste_json_kind {
    STE_JSON_NULL,
    STE_JSON_BOOL,
    STE_JSON_NUMBER,
    STE_JSON_TEXT,
    STE_JSON_LIST,
    STE_JSON_OBJECT,
};

/* A node of a document; borrowed from the root, which the caller frees. Read-only. */
struct ste_json;

/* One whole document, white space around it allowed. Refused: more than max_bytes (0 means
 * STE_JSON_BYTES_MAX, which is also the most), deeper than STE_JSON_DEPTH_MAX, not UTF-8, a NUL in
 * a text, anything behind the document. *ret is the caller's, ste_json_free(). err->place is a byte
 * offset. Errors: STE_E_PARSE (cJSON does not tell lack of memory apart), STE_E_LIMIT (reject). */
STE_MUST_CHECK enum ste_code ste_json_parse(struct ste_bytes text, size_t max_bytes,
                                            struct ste_json **ret, struct ste_error *err);
void ste_json_free(struct ste_json *root); /* a root only */

/* All of these accept NULL and then answer as for a missing value, so that a path of them needs one
 * check at its end. */
enum ste_json_kind ste_json_kind(const struct ste_json *node); /* NULL: STE_JSON_NULL */
const struct ste_json *ste_json_get(const struct ste_json *object, const char *key); /* or NULL */
const struct ste_json *ste_json_first(const struct ste_json *list_or_object);        /* or NULL */
const struct ste_json *ste_json_next(const struct ste_json *node);                   /* or NULL */
size_t ste_json_count(const struct ste_json *list_or_object);
const char *ste_json_key(const struct ste_json *node);  /* of a member of an object, else NULL */
const char *ste_json_text(const struct ste_json *node); /* NULL when it is no text */
/* False, nothing written: not such a value. An integer is a whole number up to 2^53, or a text of
 * digits, which is how larger ones travel. */
bool ste_json_uint(const struct ste_json *node, uint64_t *ret);
bool ste_json_double(const struct ste_json *node, double *ret); /* for measurements only */
bool ste_json_bool(const struct ste_json *node, bool *ret);

/* ---- Writing ------------------------------------------------------------------------------- */

/* On the caller's stack over a buffer that outlives it; the buffer's `failed` tells of lack of
 * memory. `key` names the member inside an object and is NULL inside a list and at the top. Mixing
 * these up, more ends than begins, or more than STE_JSON_DEPTH_MAX begins are bugs: they set
 * `failed` too. */
struct ste_json_writer {
    struct ste_buf *out;
    uint64_t objects; /* bit per level: it is an object */
    unsigned depth;
    bool comma; /* something stands before at this level */
};

void ste_json_begin(struct ste_json_writer *writer, struct ste_buf *out);
/* True when every begin has its end and no append failed. */
bool ste_json_complete(const struct ste_json_writer *writer);

void ste_json_put_object(struct ste_json_writer *writer, const char *key); /* … members … */
void ste_json_put_list(struct ste_json_writer *writer, const char *key);   /* … items … */
void ste_json_put_end(struct ste_json_writer *writer);                     /* of either */
/* Escaped; bytes that are not UTF-8 become U+FFFD, so that what is written always parses. */
void ste_json_put_text(struct ste_json_writer *writer, const char *key, struct ste_bytes text);
void ste_json_put_cstr(struct ste_json_writer *writer, const char *key, const char *text_or_null);
/* A number up to 2^53, above that a text of digits. */
void ste_json_put_uint(struct ste_json_writer *writer, const char *key, uint64_t value);
void ste_json_put_int(struct ste_json_writer *writer, const char *key, int64_t value);
/* For measurements: at most `decimals` (0..9) of them, trailing zeros dropped; not finite: null. */
void ste_json_put_double(struct ste_json_writer *writer, const char *key, double value,
                         unsigned decimals);
void ste_json_put_bool(struct ste_json_writer *writer, const char *key, bool value);
void ste_json_put_null(struct ste_json_writer *writer, const char *key);

#endif
