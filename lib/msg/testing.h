/* SPDX-License-Identifier: Apache-2.0
 * What the tests of this folder share: cmocka, comparing views with strings, a decoder at hand. */
#ifndef STE_MSG_TESTING_H
#define STE_MSG_TESTING_H

#include "base/testing.h"
#include "msg/xml.h"

/* A parser, an arena, and what the last body gave; `body` is room for one that is put together. */
struct decoder {
    struct ste_buf body;
    struct ste_xml *xml;
    struct ste_arena *arena;
    struct ste_message *messages;
    size_t count;
};

static inline int decoder_setup(void **state)
{
    struct decoder *decoder = calloc(1, sizeof(*decoder));
    if (!decoder)
        return -1;
    decoder->xml = ste_xml_new();
    decoder->arena = ste_arena_new(0);
    *state = decoder;
    return decoder->xml && decoder->arena ? 0 : -1;
}

static inline int decoder_teardown(void **state)
{
    struct decoder *decoder = *state;
    ste_xml_free(decoder->xml);
    ste_arena_free(decoder->arena);
    ste_buf_deinit(&decoder->body);
    free(decoder);
    return 0;
}

static inline void decode_bytes(struct decoder *decoder, struct ste_bytes body)
{
    ste_arena_reset(decoder->arena);
    enum ste_code rc = ste_xml_decode(decoder->xml, body, decoder->arena, &decoder->messages,
                                      &decoder->count, NULL);
    assert_int_equal(rc, STE_OK);
    assert_true(decoder->count > 0);
    for (size_t i = 0; i < decoder->count; i++) {
        assert_int_equal(decoder->messages[i].index, i);
        assert_int_equal(decoder->messages[i].type == STE_TYPE_EXC,
                         decoder->messages[i].exc.code != STE_C_NONE);
    }
}

static inline void decode(struct decoder *decoder, const char *body)
{
    decode_bytes(decoder, ste_bytes_of(body));
}

/* The six elements without which a message is no message. */
#define NEEDED                                                                                     \
    "<Reference>R-1</Reference><Sender>BROKSGSG</Sender>"                                          \
    "<TradeReference>T-1</TradeReference><TradeDate>2026-11-30</TradeDate>"                        \
    "<Broker>BROKSGSG</Broker><Manager>INVMSGSG</Manager>"
#define NOE(inside) "<TradeMessage type=\"NOE\" function=\"NEWM\">" NEEDED inside "</TradeMessage>"
#define BATCH(inside) "<TradeMessages>" inside "</TradeMessages>"

#define assert_exc(message, expected_code, expected_place)                                         \
    do {                                                                                           \
        assert_string_equal(ste_msg_code_name((message)->exc.code), (expected_code));              \
        assert_text((message)->exc.place, (expected_place));                                       \
        assert_true((message)->exc.text.len > 0);                                                  \
        assert_int_equal((message)->exc.level, STE_LEVEL_REJECT);                                  \
        assert_int_equal((message)->finding_count, 0);                                             \
    } while (0)
#define assert_stands(message, reference)                                                          \
    do {                                                                                           \
        assert_string_equal(ste_msg_code_name((message)->exc.code), "");                           \
        assert_text(ste_value((message), STE_F_REFERENCE), (reference));                           \
    } while (0)

#endif
