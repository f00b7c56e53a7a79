/* SPDX-License-Identifier: Apache-2.0
 * The canonical record between router and nodes, with its header filled in as the router does. As
 * it travels it holds the message as sent, and a field is a place in that; bare, it holds the
 * fields alone, which is what the notation itself costs. */
#include "bench/codec.h"

#include <stdlib.h>

#include "msg/record.h"

struct record_codec {
    struct ste_arena *arena; /* of findings */
    struct ste_record out, in;
};

static void record_close(void *context)
{
    struct record_codec *codec = context;
    ste_arena_free(codec->arena);
    free(codec);
}

static void *record_open(void)
{
    struct record_codec *codec = calloc(1, sizeof *codec);
    if (!codec)
        return NULL;
    codec->arena = ste_arena_new(0);
    codec->out = (struct ste_record){.map_epoch = 1,
                                     .slot = 258,
                                     .delivery_id = STE_BYTES("0123456789abcdef-1024"),
                                     .key_id = STE_BYTES("STEHSGSG/hub"),
                                     .signer = STE_BYTES("STEHSGSG"),
                                     .signed_bytes = 1500,
                                     .received_us = UINT64_C(1796029200000000)};
    if (codec->arena)
        return codec;
    record_close(codec);
    return NULL;
}

static bool record_encode(void *context, const struct ste_message *message, struct ste_buf *out)
{
    struct record_codec *codec = context;
    codec->out.message = *message;
    return ste_record_encode(out, &codec->out);
}

static bool bare_encode(void *context, const struct ste_message *message, struct ste_buf *out)
{
    struct record_codec *codec = context;
    codec->out.message = *message;
    codec->out.message.original = (struct ste_bytes){NULL, 0};
    return ste_record_encode(out, &codec->out);
}

static const struct ste_message *record_decode(void *context, struct ste_bytes encoded)
{
    struct record_codec *codec = context;
    struct ste_reader reader = ste_reader_of(encoded);
    bool done = false;
    ste_arena_reset(codec->arena);
    if (ste_record_decode(&reader, codec->arena, &codec->in, &done, NULL) != STE_OK || done)
        return NULL;
    return &codec->in.message;
}

const struct ste_codec ste_codec_record = {
    .name = "record",
    .open = record_open,
    .close = record_close,
    .encode = record_encode,
    .decode = record_decode,
};
const struct ste_codec ste_codec_record_bare = {
    .name = "record, fields only",
    .open = record_open,
    .close = record_close,
    .encode = bare_encode,
    .decode = record_decode,
};
