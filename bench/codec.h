/* SPDX-License-Identifier: Apache-2.0
 * What writing and reading one trade message costs in different notations, on one core. A codec
 * turns the message model into bytes and bytes into the model; all of them give the same model,
 * which is checked before anything is timed. One thread; nothing here blocks. */
#ifndef STE_BENCH_CODEC_H
#define STE_BENCH_CODEC_H

#include "base/bytes.h"
#include "msg/message.h"

/* ---- codecs ---- */

struct ste_codec {
    const char *name;
    /* Reads the sample's own bytes, which are this notation as participants write it. */
    bool native;
    void *(*open)(void); /* NULL: out of memory */
    void (*close)(void *state);
    /* Appends one message. False: out of memory. */
    bool (*encode)(void *state, const struct ste_message *message, struct ste_buf *out);
    /* `encoded` is one message, with a NUL behind it. What is returned is valid until the next
     * decode. NULL: not such a message, or out of memory. */
    const struct ste_message *(*decode)(void *state, struct ste_bytes encoded);
};
extern const struct ste_codec ste_codec_xml;    /* expat, through lib/msg, as the router does */
extern const struct ste_codec ste_codec_strstr; /* a search per field, as in 2002 */
extern const struct ste_codec ste_codec_record; /* as it travels: with the message as sent in it */
extern const struct ste_codec ste_codec_record_bare; /* the same fields alone */
extern const struct ste_codec ste_codec_json;        /* one flat object, read by cJSON */

enum { STE_CODEC_COUNT = 5 };
/* All of them; the first, XML by expat, is what the others are compared with. */
extern const struct ste_codec *const ste_codecs[STE_CODEC_COUNT];

/* By their names; NONE for any other text. */
enum ste_type ste_codec_type_of(struct ste_bytes name);
enum ste_function ste_codec_function_of(struct ste_bytes name);
/* Type, function and all fields. NULL: they agree; else the name of what differs. */
const char *ste_codec_difference(const struct ste_message *a, const struct ste_message *b);

/* ---- a sample of messages ---- */

/* Texts one behind the other, each with a NUL that its length does not count. Zero-initialise. */
struct ste_codec_texts {
    struct ste_buf all;
    size_t *ends; /* offset of each text's NUL */
    size_t count, capacity;
};
void ste_codec_texts_deinit(struct ste_codec_texts *texts);
bool ste_codec_texts_add(struct ste_codec_texts *texts, struct ste_bytes text); /* false: memory */
struct ste_bytes ste_codec_text(const struct ste_codec_texts *texts, size_t at);

/* The native texts as the model, and what each codec makes of them. */
struct ste_codec_sample;
/* Decodes every text by the first codec, then has every codec write and read it again: all fields
 * must come back. `texts` outlives the sample. *ret is the caller's. Errors: STE_E_PARSE (a text is
 * no message, or a codec loses something: err->place says which), STE_E_NOMEM. */
STE_MUST_CHECK enum ste_code ste_codec_sample_new(const struct ste_codec *const *codecs,
                                                  size_t codec_count,
                                                  const struct ste_codec_texts *texts,
                                                  struct ste_codec_sample **ret,
                                                  struct ste_error *err);
void ste_codec_sample_free(struct ste_codec_sample *sample);

/* ---- timing ---- */

enum { STE_CODEC_ROUNDS_MAX = 100 };
enum ste_codec_direction { STE_CODEC_ENCODE, STE_CODEC_DECODE, STE_CODEC_DIRECTIONS };
struct ste_codec_times {
    double ns[STE_CODEC_DIRECTIONS][STE_CODEC_ROUNDS_MAX]; /* thread CPU per message, each round */
    double bytes_per_message;                              /* encoded */
};
/* Every codec and direction once in every round, for at least cell_ns of this thread's CPU each; a
 * round starts with another codec than the one before, so that whatever disturbs the machine hits
 * all alike. ret has one element a codec. */
STE_MUST_CHECK enum ste_code ste_codec_time(struct ste_codec_sample *sample, unsigned rounds,
                                            uint64_t cell_ns, struct ste_codec_times *ret,
                                            struct ste_error *err);

/* Of `count` > 0 values, in any order; they are sorted in place. */
struct ste_codec_spread {
    double median, min, max;
};
struct ste_codec_spread ste_codec_spread_of(double *values, size_t count);

#endif
