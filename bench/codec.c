/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/codec.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "bench/points.h"
#include "msg/xml.h"

const struct ste_codec *const ste_codecs[STE_CODEC_COUNT] = {
    &ste_codec_xml, &ste_codec_strstr, &ste_codec_record, &ste_codec_record_bare, &ste_codec_json,
};

enum ste_type ste_codec_type_of(struct ste_bytes name)
{
    for (int type = STE_TYPE_NONE + 1; type < STE_TYPE_COUNT; type++) {
        if (ste_bytes_equal(name, ste_bytes_of(ste_type_name((enum ste_type)type))))
            return (enum ste_type)type;
    }
    return STE_TYPE_NONE;
}

enum ste_function ste_codec_function_of(struct ste_bytes name)
{
    for (int function = STE_FUNCTION_NEWM; function <= STE_FUNCTION_TRIA; function++) {
        if (ste_bytes_equal(name, ste_bytes_of(ste_function_name((enum ste_function)function))))
            return (enum ste_function)function;
    }
    return STE_FUNCTION_NONE;
}

const char *ste_codec_difference(const struct ste_message *a, const struct ste_message *b)
{
    if (a->type != b->type)
        return "type";
    if (a->function != b->function)
        return "function";
    for (int id = STE_F_NONE + 1; id < STE_FIELD_COUNT; id++) {
        if (!ste_bytes_equal(a->fields[id].value, b->fields[id].value))
            return ste_field_element((enum ste_field_id)id);
    }
    return NULL;
}

/* ---- texts ---- */

void ste_codec_texts_deinit(struct ste_codec_texts *texts)
{
    ste_buf_deinit(&texts->all);
    free(texts->ends);
    *texts = (struct ste_codec_texts){0};
}

bool ste_codec_texts_add(struct ste_codec_texts *texts, struct ste_bytes text)
{
    if (texts->count == texts->capacity) {
        size_t capacity = texts->capacity ? texts->capacity * 2 : 1024;
        size_t *ends = realloc(texts->ends, capacity * sizeof *ends);
        if (!ends)
            return false;
        texts->ends = ends;
        texts->capacity = capacity;
    }
    ste_buf_append_bytes(&texts->all, text);
    ste_buf_u8(&texts->all, 0);
    if (texts->all.failed)
        return false;
    texts->ends[texts->count++] = texts->all.len - 1;
    return true;
}

struct ste_bytes ste_codec_text(const struct ste_codec_texts *texts, size_t at)
{
    size_t start = at > 0 ? texts->ends[at - 1] + 1 : 0;
    return (struct ste_bytes){texts->all.at + start, texts->ends[at] - start};
}

/* ---- the sample ---- */

struct part {
    const struct ste_codec *codec;
    void *state;
    struct ste_codec_texts encoded;
    const struct ste_codec_texts *to_decode; /* the sample's own, or `encoded` */
};
struct ste_codec_sample {
    const struct ste_codec_texts *texts;
    const struct ste_message **messages; /* one a text, in `arena` and `texts` */
    struct ste_arena *arena;
    struct ste_buf out; /* where encoding is timed */
    struct part *parts;
    size_t part_count;
};

static enum ste_code no_memory(struct ste_error *err)
{
    return ste_error_set(err, STE_E_NOMEM, "out of memory for a sample of messages");
}

static enum ste_code decode_texts(struct ste_codec_sample *sample, struct ste_error *err)
{
    struct ste_xml *xml = ste_xml_new();
    enum ste_code rc = xml ? STE_OK : no_memory(err);
    for (size_t i = 0; i < sample->texts->count && rc == STE_OK; i++) {
        struct ste_message *messages = NULL;
        size_t count = 0;
        rc = ste_xml_decode(xml, ste_codec_text(sample->texts, i), sample->arena, &messages, &count,
                            err);
        if (rc == STE_OK && (count != 1 || messages->exc.code != STE_C_NONE))
            rc = ste_error_set(err, STE_E_PARSE,
                               "message %zu of the sample is not one good message", i);
        sample->messages[i] = messages;
    }
    ste_xml_free(xml);
    return rc;
}

static enum ste_code compare(const struct part *part, size_t at, struct ste_bytes encoded,
                             const struct ste_message *expected, struct ste_error *err)
{
    const struct ste_message *read = part->codec->decode(part->state, encoded);
    const char *differs = read ? ste_codec_difference(read, expected) : "not readable";
    if (!differs)
        return STE_OK;
    return ste_error_set(err, STE_E_PARSE, "codec %s, message %zu of the sample: %s%s",
                         part->codec->name, at, differs, read ? " differs" : "");
}

/* Writes every message, and reads back what was written and what participants write. */
static enum ste_code check_part(struct ste_codec_sample *sample, struct part *part,
                                struct ste_error *err)
{
    for (size_t i = 0; i < sample->texts->count; i++) {
        const struct ste_message *message = sample->messages[i];
        ste_buf_clear(&sample->out);
        if (!part->codec->encode(part->state, message, &sample->out) ||
            !ste_codec_texts_add(&part->encoded, ste_buf_bytes(&sample->out)))
            return no_memory(err);
        enum ste_code rc = compare(part, i, ste_codec_text(&part->encoded, i), message, err);
        if (rc == STE_OK && part->codec->native)
            rc = compare(part, i, ste_codec_text(sample->texts, i), message, err);
        if (rc != STE_OK)
            return rc;
    }
    part->to_decode = part->codec->native ? sample->texts : &part->encoded;
    return STE_OK;
}

enum ste_code ste_codec_sample_new(const struct ste_codec *const *codecs, size_t codec_count,
                                   const struct ste_codec_texts *texts,
                                   struct ste_codec_sample **ret, struct ste_error *err)
{
    struct ste_codec_sample *sample = calloc(1, sizeof *sample);
    if (!sample)
        return no_memory(err);
    sample->texts = texts;
    sample->arena = ste_arena_new(0);
    sample->messages = calloc(texts->count + 1, sizeof *sample->messages);
    sample->parts = calloc(codec_count, sizeof *sample->parts);
    enum ste_code rc = sample->arena && sample->messages && sample->parts ? STE_OK : no_memory(err);
    if (rc == STE_OK)
        rc = decode_texts(sample, err);
    for (size_t i = 0; i < codec_count && rc == STE_OK; i++) {
        struct part *part = &sample->parts[i];
        *part = (struct part){.codec = codecs[i], .state = codecs[i]->open()};
        sample->part_count++;
        rc = part->state ? check_part(sample, part, err) : no_memory(err);
    }
    if (rc == STE_OK)
        *ret = sample;
    else
        ste_codec_sample_free(sample);
    return rc;
}

void ste_codec_sample_free(struct ste_codec_sample *sample)
{
    if (!sample)
        return;
    for (size_t i = 0; i < sample->part_count; i++) {
        if (sample->parts[i].state)
            sample->parts[i].codec->close(sample->parts[i].state);
        ste_codec_texts_deinit(&sample->parts[i].encoded);
    }
    free(sample->parts);
    free(sample->messages);
    ste_arena_free(sample->arena);
    ste_buf_deinit(&sample->out);
    free(sample);
}

/* ---- timing ---- */

/* The whole sample once; false: what went well in the check now failed. */
static bool pass(struct ste_codec_sample *sample, const struct part *part,
                 enum ste_codec_direction direction)
{
    size_t count = sample->texts->count;
    bool good = true;
    if (direction == STE_CODEC_ENCODE) {
        for (size_t i = 0; i < count && good; i++) {
            ste_buf_clear(&sample->out);
            good = part->codec->encode(part->state, sample->messages[i], &sample->out);
        }
    } else {
        for (size_t i = 0; i < count && good; i++)
            good = part->codec->decode(part->state, ste_codec_text(part->to_decode, i)) != NULL;
    }
    return good;
}

/* The first pass warms the caches and does not count. */
static bool time_cell(struct ste_codec_sample *sample, const struct part *part,
                      enum ste_codec_direction direction, uint64_t cell_ns, double *ret_ns)
{
    if (!pass(sample, part, direction))
        return false;
    uint64_t passes = 0, start_ns = ste_clock_thread_cpu_ns(), spent_ns = 0;
    do {
        if (!pass(sample, part, direction))
            return false;
        passes++;
        spent_ns = ste_clock_thread_cpu_ns() - start_ns;
    } while (spent_ns < cell_ns);
    *ret_ns = (double)spent_ns / ((double)passes * (double)sample->texts->count);
    return true;
}

static double bytes_per_message(const struct ste_codec_texts *texts)
{
    return (double)(texts->all.len - texts->count) / (double)texts->count;
}

enum ste_code ste_codec_time(struct ste_codec_sample *sample, unsigned rounds, uint64_t cell_ns,
                             struct ste_codec_times *ret, struct ste_error *err)
{
    if (sample->texts->count == 0 || rounds == 0 || rounds > STE_CODEC_ROUNDS_MAX)
        return ste_error_set(err, STE_E_ARGUMENT, "wants messages, and 1 to %d rounds",
                             STE_CODEC_ROUNDS_MAX);
    for (unsigned round = 0; round < rounds; round++) {
        for (size_t i = 0; i < sample->part_count; i++) {
            size_t at = (i + round) % sample->part_count;
            const struct part *part = &sample->parts[at];
            for (int d = 0; d < STE_CODEC_DIRECTIONS; d++) {
                if (!time_cell(sample, part, (enum ste_codec_direction)d, cell_ns,
                               &ret[at].ns[d][round]))
                    return ste_error_set(err, STE_E_NOMEM, "codec %s failed while it was timed",
                                         part->codec->name);
            }
        }
    }
    for (size_t i = 0; i < sample->part_count; i++)
        ret[i].bytes_per_message = bytes_per_message(&sample->parts[i].encoded);
    return STE_OK;
}

struct ste_codec_spread ste_codec_spread_of(double *values, size_t count)
{
    const double median = ste_median(values, count);
    return (struct ste_codec_spread){median, values[0], values[count - 1]};
}
