/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "json/json.h"

static struct ste_json *must_parse(const char *text)
{
    struct ste_json *root = NULL;
    struct ste_error err;
    assert_int_equal(ste_json_parse(ste_bytes_of(text), 0, &root, &err), STE_OK);
    assert_non_null(root);
    return root;
}

static void assert_refused(struct ste_bytes text, size_t limit, enum ste_code code,
                           const char *place)
{
    struct ste_json *root = NULL;
    struct ste_error err;
    assert_int_equal(ste_json_parse(text, limit, &root, &err), code);
    assert_null(root);
    assert_string_equal(err.place, place);
}

static void a_document_is_read(void **state)
{
    (void)state;
    struct ste_json *root = must_parse(
        " {\"name\":\"ste.in\",\"messages\":42,\"list\":[1,\"zwei\",true,null,{}],\"x\":1.5} \n");
    uint64_t number = 0;
    double real = 0;
    bool yes = false;
    assert_int_equal(ste_json_kind(root), STE_JSON_OBJECT);
    assert_string_equal(ste_json_text(ste_json_get(root, "name")), "ste.in");
    assert_null(ste_json_get(root, "NAME"));
    assert_true(ste_json_uint(ste_json_get(root, "messages"), &number));
    assert_true(number == 42);
    assert_true(ste_json_double(ste_json_get(root, "x"), &real));
    assert_true(real == 1.5);
    assert_false(ste_json_uint(ste_json_get(root, "x"), &number));
    const struct ste_json *list = ste_json_get(root, "list");
    assert_int_equal(ste_json_count(list), 5);
    const struct ste_json *item = ste_json_first(list);
    assert_int_equal(ste_json_kind(item), STE_JSON_NUMBER);
    item = ste_json_next(item);
    assert_string_equal(ste_json_text(item), "zwei");
    item = ste_json_next(item);
    assert_true(ste_json_bool(item, &yes) && yes);
    item = ste_json_next(item);
    assert_int_equal(ste_json_kind(item), STE_JSON_NULL);
    item = ste_json_next(item);
    assert_int_equal(ste_json_count(item), 0);
    assert_null(ste_json_next(item));
    assert_string_equal(ste_json_key(ste_json_first(root)), "name");
    ste_json_free(root);
}

static void a_missing_value_is_asked_in_peace(void **state)
{
    (void)state;
    uint64_t number = 7;
    double real = 7;
    bool yes = true;
    assert_null(ste_json_get(ste_json_get(NULL, "a"), "b"));
    assert_null(ste_json_text(NULL));
    assert_null(ste_json_key(NULL));
    assert_null(ste_json_first(NULL));
    assert_null(ste_json_next(NULL));
    assert_int_equal(ste_json_count(NULL), 0);
    assert_false(ste_json_uint(NULL, &number) || ste_json_double(NULL, &real) ||
                 ste_json_bool(NULL, &yes));
    assert_true(number == 7 && real == 7 && yes);
    ste_json_free(NULL);
}

static void large_integers_travel_as_text(void **state)
{
    (void)state;
    uint64_t number = 0;
    struct ste_json *root =
        must_parse("[9007199254740992,\"18446744073709551615\",9007199254740994,"
                   "-1,\"18446744073709551616\",\"1x\",\"\",1e400]");
    const struct ste_json *item = ste_json_first(root);
    assert_true(ste_json_uint(item, &number) && number == STE_JSON_INTEGER_MAX);
    item = ste_json_next(item);
    assert_true(ste_json_uint(item, &number) && number == UINT64_MAX);
    for (item = ste_json_next(item); item; item = ste_json_next(item))
        assert_false(ste_json_uint(item, &number));
    ste_json_free(root);
}

static void the_limits_hold_on_both_sides(void **state)
{
    (void)state;
    char deep[2 * STE_JSON_DEPTH_MAX + 3];
    struct ste_error err;
    struct ste_json *root = NULL;
    memset(deep, '[', STE_JSON_DEPTH_MAX);
    memset(deep + STE_JSON_DEPTH_MAX, ']', STE_JSON_DEPTH_MAX);
    assert_int_equal(
        ste_json_parse((struct ste_bytes){deep, 2 * STE_JSON_DEPTH_MAX}, 0, &root, &err), STE_OK);
    ste_json_free(root);
    memset(deep, '[', STE_JSON_DEPTH_MAX + 1);
    memset(deep + STE_JSON_DEPTH_MAX + 1, ']', STE_JSON_DEPTH_MAX + 1);
    assert_refused((struct ste_bytes){deep, 2 * STE_JSON_DEPTH_MAX + 2}, 0, STE_E_LIMIT, "byte 32");
    ste_json_free(must_parse("\"[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[ \\\" [\""));
    assert_int_equal(ste_json_parse(STE_BYTES("[1,2]"), 5, &root, &err), STE_OK);
    ste_json_free(root);
    assert_refused(STE_BYTES("[1,2]"), 4, STE_E_LIMIT, "byte 4");
    char *large = malloc(STE_JSON_BYTES_MAX + 1);
    memset(large, ' ', STE_JSON_BYTES_MAX + 1);
    large[0] = '1';
    assert_int_equal(
        ste_json_parse((struct ste_bytes){large, STE_JSON_BYTES_MAX}, SIZE_MAX, &root, &err),
        STE_OK);
    ste_json_free(root);
    assert_refused((struct ste_bytes){large, STE_JSON_BYTES_MAX + 1}, SIZE_MAX, STE_E_LIMIT,
                   "byte 16777216");
    free(large);
}

static void what_is_no_document_is_refused(void **state)
{
    (void)state;
    assert_refused(STE_BYTES(""), 0, STE_E_PARSE, "byte 0");
    assert_refused(ste_bytes_of(NULL), 0, STE_E_PARSE, "byte 0");
    assert_refused(STE_BYTES("{} {}"), 0, STE_E_PARSE, "byte 2");
    assert_refused(STE_BYTES("[\"a\xff\"]"), 0, STE_E_PARSE, "byte 3");
    assert_refused(STE_BYTES("[\"\xed\xa0\x80\"]"), 0, STE_E_PARSE, "byte 2"); /* a surrogate */
    assert_refused(STE_BYTES("[\"\xc0\xaf\"]"), 0, STE_E_PARSE, "byte 2");     /* overlong */
    assert_refused(STE_BYTES("[\"a\\u0000b\"]"), 0, STE_E_PARSE, "byte 3");
    assert_refused(STE_BYTES("[1]\0"), 0, STE_E_PARSE, "byte 3");
    ste_json_free(must_parse("[\"a\\\\u0000b\"]")); /* an escaped backslash, then text */
    static const char *const bad[] = {"[1", "{\"a\"}", "[1 2]", "nul", "\"abc", "\"abc\\", "{a:1}"};
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        struct ste_json *root = NULL;
        assert_int_equal(ste_json_parse(ste_bytes_of(bad[i]), 0, &root, NULL), STE_E_PARSE);
        assert_null(root);
    }
}

static void objects_are_written_in_order(void **state)
{
    (void)state;
    struct ste_buf out = {0};
    struct ste_json_writer writer;
    ste_json_begin(&writer, &out);
    assert_false(ste_json_complete(&writer));
    ste_json_put_object(&writer, NULL);
    ste_json_put_cstr(&writer, "kind", "NMA");
    ste_json_put_cstr(&writer, "stage", NULL);
    ste_json_put_list(&writer, "conditions");
    ste_json_put_object(&writer, NULL);
    ste_json_put_uint(&writer, "n", 3);
    ste_json_put_end(&writer);
    ste_json_put_list(&writer, NULL);
    ste_json_put_end(&writer);
    ste_json_put_bool(&writer, NULL, true);
    ste_json_put_null(&writer, NULL);
    ste_json_put_end(&writer);
    ste_json_put_object(&writer, "summary");
    ste_json_put_int(&writer, "ack", -1);
    assert_false(ste_json_complete(&writer));
    ste_json_put_end(&writer);
    ste_json_put_bool(&writer, "ok", false);
    ste_json_put_end(&writer);
    assert_true(ste_json_complete(&writer));
    ste_buf_u8(&out, '\0');
    assert_string_equal(out.at,
                        "{\"kind\":\"NMA\",\"stage\":null,\"conditions\":[{\"n\":3},[],true,"
                        "null],\"summary\":{\"ack\":-1},\"ok\":false}");
    ste_json_free(must_parse(out.at));
    ste_buf_deinit(&out);
}

static void assert_written_text(struct ste_bytes text, const char *expected)
{
    struct ste_buf out = {0};
    struct ste_json_writer writer;
    ste_json_begin(&writer, &out);
    ste_json_put_text(&writer, NULL, text);
    assert_true(ste_json_complete(&writer));
    ste_buf_u8(&out, '\0');
    assert_string_equal(out.at, expected);
    ste_json_free(must_parse(out.at));
    ste_buf_deinit(&out);
}

static void texts_are_escaped_and_always_utf8(void **state)
{
    (void)state;
    assert_written_text(STE_BYTES(""), "\"\"");
    assert_written_text(ste_bytes_of(NULL), "\"\"");
    assert_written_text(STE_BYTES("a\"b\\c\n\r\t/"), "\"a\\\"b\\\\c\\n\\r\\t/\"");
    assert_written_text(STE_BYTES("\x01\x1f\x7f"), "\"\\u0001\\u001f\\u007f\"");
    assert_written_text(STE_BYTES("\xe4\xba\xa4\xe6\x98\x93 \xf0\x9f\x98\x80"),
                        "\"\xe4\xba\xa4\xe6\x98\x93 \xf0\x9f\x98\x80\"");
    assert_written_text(STE_BYTES("a\xff"
                                  "b\xe4\xba"),
                        "\"a\\ufffdb\\ufffd\\ufffd\"");
    assert_written_text(STE_BYTES("\xf4\x90\x80\x80"), "\"\\ufffd\\ufffd\\ufffd\\ufffd\"");
}

static void assert_written(void (*put)(struct ste_json_writer *), const char *expected)
{
    struct ste_buf out = {0};
    struct ste_json_writer writer;
    ste_json_begin(&writer, &out);
    put(&writer);
    assert_true(ste_json_complete(&writer));
    assert_true(ste_bytes_equal(ste_buf_bytes(&out), ste_bytes_of(expected)));
    ste_buf_deinit(&out);
}

static void put_numbers(struct ste_json_writer *writer)
{
    ste_json_put_list(writer, NULL);
    ste_json_put_uint(writer, NULL, STE_JSON_INTEGER_MAX);
    ste_json_put_uint(writer, NULL, STE_JSON_INTEGER_MAX + 1);
    ste_json_put_uint(writer, NULL, UINT64_MAX);
    ste_json_put_int(writer, NULL, -(int64_t)STE_JSON_INTEGER_MAX);
    ste_json_put_int(writer, NULL, INT64_MIN);
    ste_json_put_double(writer, NULL, 3.25, 3);
    ste_json_put_double(writer, NULL, 7734.0, 3);
    ste_json_put_double(writer, NULL, 1200.0, 0);
    ste_json_put_double(writer, NULL, -0.0001, 2);
    ste_json_put_double(writer, NULL, (double)NAN, 2);
    ste_json_put_double(writer, NULL, (double)INFINITY, 2);
    ste_json_put_end(writer);
}

static void numbers_keep_their_digits(void **state)
{
    (void)state;
    assert_written(put_numbers,
                   "[9007199254740992,\"9007199254740993\",\"18446744073709551615\","
                   "-9007199254740992,\"-9223372036854775808\",3.25,7734,1200,0,null,null]");
}

static void misuse_fails_instead_of_writing_nonsense(void **state)
{
    (void)state;
    struct ste_buf out = {0};
    struct ste_json_writer writer;
    ste_json_begin(&writer, &out);
    ste_json_put_object(&writer, NULL);
    ste_json_put_uint(&writer, NULL, 1); /* a member without key */
    ste_json_put_end(&writer);
    assert_false(ste_json_complete(&writer));
    ste_buf_clear(&out);
    ste_json_begin(&writer, &out);
    ste_json_put_uint(&writer, "key", 1); /* a key at the top */
    assert_false(ste_json_complete(&writer));
    ste_buf_clear(&out);
    ste_json_begin(&writer, &out);
    ste_json_put_end(&writer);
    assert_true(out.failed);
    ste_buf_clear(&out);
    ste_json_begin(&writer, &out);
    ste_json_put_uint(&writer, NULL, 1);
    ste_json_put_uint(&writer, NULL, 2); /* two documents */
    assert_true(out.failed);
    ste_buf_clear(&out);
    ste_json_begin(&writer, &out);
    for (int i = 0; i <= STE_JSON_DEPTH_MAX; i++)
        ste_json_put_list(&writer, NULL);
    assert_true(out.failed);
    ste_buf_deinit(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_document_is_read),
        cmocka_unit_test(a_missing_value_is_asked_in_peace),
        cmocka_unit_test(large_integers_travel_as_text),
        cmocka_unit_test(the_limits_hold_on_both_sides),
        cmocka_unit_test(what_is_no_document_is_refused),
        cmocka_unit_test(objects_are_written_in_order),
        cmocka_unit_test(texts_are_escaped_and_always_utf8),
        cmocka_unit_test(numbers_keep_their_digits),
        cmocka_unit_test(misuse_fails_instead_of_writing_nonsense),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
