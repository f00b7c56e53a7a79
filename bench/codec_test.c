/* SPDX-License-Identifier: Apache-2.0
 * Every codec gives every field back, and one that does not is found out before it is timed. */
#include "base/testing.h"

#include "bench/codec.h"
#include "bench/gen.h"
#include "bench/gen_testing.h"

static enum ste_code add(void *context, const struct ste_gen_item *item, struct ste_error *err)
{
    (void)err;
    return ste_codec_texts_add(context, item->message) ? STE_OK : STE_E_NOMEM;
}

/* 40 trades: bonds and shares, free of payment and against it, all four types. */
static void generate(struct ste_codec_texts *texts)
{
    struct ste_gen_data data = ste_gen_test_world();
    struct ste_gen_plan plan = {
        .gen = {.data = &data, .seed = 7, .accounts_min = 1, .accounts_max = 3},
        .trades = 40,
        .shuffle_window = STE_GEN_SHUFFLE_DEFAULT};
    assert_ok(ste_gen_run(&plan, add, texts, NULL, &err));
}

#define MESSAGE(inside)                                                                            \
    "<TradeMessage type=\"NOE\" function=\"NEWM\"><Reference>R-1</Reference>"                      \
    "<Sender>BROKSGSG</Sender><TradeReference>T-1</TradeReference>"                                \
    "<TradeDate>2026-11-30</TradeDate><Broker>BROKSGSG</Broker><Manager>INVMSGSG</Manager>" inside \
    "</TradeMessage>"

static enum ste_code check_one(const struct ste_codec *codec, const char *text,
                               struct ste_error *err)
{
    struct ste_codec_texts texts = {0};
    struct ste_codec_sample *sample = NULL;
    assert_true(ste_codec_texts_add(&texts, ste_bytes_of(text)));
    enum ste_code rc = ste_codec_sample_new(&codec, 1, &texts, &sample, err);
    if (rc == STE_OK)
        ste_codec_sample_free(sample);
    ste_codec_texts_deinit(&texts);
    return rc;
}

static void test_all_codecs_agree_on_generated_messages(void **state)
{
    (void)state;
    struct ste_codec_texts texts = {0};
    struct ste_codec_sample *sample = NULL;
    generate(&texts);
    assert_true(texts.count >= 160);
    assert_ok(ste_codec_sample_new(ste_codecs, STE_CODEC_COUNT, &texts, &sample, &err));
    ste_codec_sample_free(sample);
    ste_codec_texts_deinit(&texts);
}

static void test_a_writer_of_xml_needs_the_bytes_of_a_participant(void **state)
{
    (void)state;
    struct ste_codec_texts texts = {0};
    struct ste_codec_sample *sample = NULL;
    static struct ste_codec_times times[STE_CODEC_COUNT];
    generate(&texts);
    assert_ok(ste_codec_sample_new(ste_codecs, STE_CODEC_COUNT, &texts, &sample, &err));
    assert_ok(ste_codec_time(sample, 2, 1, times, &err));
    double native = (double)(texts.all.len - texts.count) / (double)texts.count;
    /* Less only where a narrative ended in a blank, which is no part of the value. */
    assert_float_equal(times[0].bytes_per_message, native, 0.1);
    assert_float_equal(times[1].bytes_per_message, native, 0.1);
    assert_true(times[2].bytes_per_message > native);
    assert_true(times[3].bytes_per_message < native);
    for (size_t i = 0; i < STE_CODEC_COUNT; i++) {
        for (int d = 0; d < STE_CODEC_DIRECTIONS; d++)
            assert_true(times[i].ns[d][0] > 0 && times[i].ns[d][1] > 0);
    }
    ste_codec_sample_free(sample);
    ste_codec_texts_deinit(&texts);
}

/* The codecs of today carry what XML can say; the search of 2002 does not, and is found out. */
static void test_entities(void **state)
{
    (void)state;
    const char *text = MESSAGE("<Narrative>bread &amp; \"butter\"</Narrative>");
    for (size_t i = 0; i < STE_CODEC_COUNT; i++) {
        struct ste_error err = {0};
        enum ste_code rc = check_one(ste_codecs[i], text, &err);
        bool searches = ste_codecs[i] == &ste_codec_strstr;
        if (rc != (searches ? STE_E_PARSE : STE_OK))
            fail_msg("%s: %s", ste_codecs[i]->name, err.text);
        if (searches)
            assert_non_null(strstr(err.text, "Narrative differs"));
    }
}

static void test_strstr_takes_text_for_a_tag(void **state)
{
    (void)state;
    struct ste_error err = {0};
    const char *text = MESSAGE("<!-- <Country>GB</Country> --><Country>SG</Country>");
    assert_int_equal(check_one(&ste_codec_xml, text, &err), STE_OK);
    assert_int_equal(check_one(&ste_codec_strstr, text, &err), STE_E_PARSE);
    assert_non_null(strstr(err.text, "Country differs"));
}

/* A codec that loses what it reads: the record's, less one field. */
static const struct ste_message *forget(void *context, struct ste_bytes encoded)
{
    static struct ste_message copy;
    const struct ste_message *read = ste_codec_record.decode(context, encoded);
    if (!read)
        return NULL;
    copy = *read;
    copy.fields[STE_F_BROKER].value = (struct ste_bytes){NULL, 0};
    return &copy;
}

static const struct ste_message *refuse(void *context, struct ste_bytes encoded)
{
    (void)context;
    (void)encoded;
    return NULL;
}

static void test_a_codec_that_loses_a_field_is_found_out(void **state)
{
    (void)state;
    struct ste_error err = {0};
    struct ste_codec codec = ste_codec_record;
    codec.decode = forget;
    assert_int_equal(check_one(&codec, MESSAGE(""), &err), STE_E_PARSE);
    assert_non_null(strstr(err.text, "Broker differs"));
    codec.decode = refuse;
    assert_int_equal(check_one(&codec, MESSAGE(""), &err), STE_E_PARSE);
    assert_non_null(strstr(err.text, "not readable"));
}

static void test_a_text_that_is_no_message(void **state)
{
    (void)state;
    struct ste_error err = {0};
    assert_int_equal(check_one(&ste_codec_json, "<TradeMessage>", &err), STE_E_PARSE);
    assert_int_equal(check_one(&ste_codec_json, "<TradeMessages></TradeMessages>", &err),
                     STE_E_PARSE);
}

static void test_spread(void **state)
{
    (void)state;
    double odd[] = {3, 1, 2}, even[] = {4, 1, 3, 2};
    struct ste_codec_spread spread = ste_codec_spread_of(odd, 3);
    assert_float_equal(spread.median, 2, 0);
    assert_float_equal(spread.min, 1, 0);
    assert_float_equal(spread.max, 3, 0);
    assert_float_equal(ste_codec_spread_of(even, 4).median, 2.5, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_codecs_agree_on_generated_messages),
        cmocka_unit_test(test_a_writer_of_xml_needs_the_bytes_of_a_participant),
        cmocka_unit_test(test_entities),
        cmocka_unit_test(test_strstr_takes_text_for_a_tag),
        cmocka_unit_test(test_a_codec_that_loses_a_field_is_found_out),
        cmocka_unit_test(test_a_text_that_is_no_message),
        cmocka_unit_test(test_spread),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
