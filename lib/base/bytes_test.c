/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"

static void views_compare_as_memcmp_then_length(void **state)
{
    (void)state;
    assert_true(ste_bytes_equal(STE_BYTES("abc"), ste_bytes_of("abc")));
    assert_false(ste_bytes_equal(STE_BYTES("abc"), STE_BYTES("abd")));
    assert_false(ste_bytes_equal(STE_BYTES("abc"), STE_BYTES("ab")));
    assert_true(ste_bytes_equal(ste_bytes_of(NULL), STE_BYTES("")));
    assert_true(ste_bytes_compare(STE_BYTES("a"), STE_BYTES("b")) < 0);
    assert_true(ste_bytes_compare(STE_BYTES("ab"), STE_BYTES("a")) > 0);
    assert_true(ste_bytes_compare(STE_BYTES("a"), STE_BYTES("ab")) < 0);
    assert_true(ste_bytes_compare(STE_BYTES("\xff"), STE_BYTES("a")) > 0);
    assert_int_equal(ste_bytes_compare(ste_bytes_of(NULL), STE_BYTES("")), 0);
}

static void trim_takes_xml_white_space_only(void **state)
{
    (void)state;
    assert_true(ste_bytes_equal(ste_bytes_trim(STE_BYTES(" \t\r\n a b \n")), STE_BYTES("a b")));
    assert_int_equal(ste_bytes_trim(STE_BYTES(" \n ")).len, 0);
    assert_int_equal(ste_bytes_trim(ste_bytes_of(NULL)).len, 0);
    assert_true(ste_bytes_equal(ste_bytes_trim(STE_BYTES("\va\v")), STE_BYTES("\va\v")));
}

static void whole_numbers(void **state)
{
    static const char *const bad[] = {"",
                                      "-1",
                                      "+1",
                                      " 1",
                                      "1 ",
                                      "1.0",
                                      "0x1",
                                      "a",
                                      "18446744073709551616",
                                      "99999999999999999999"};
    (void)state;
    uint64_t value = 7;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        assert_false(ste_bytes_u64(ste_bytes_of(bad[i]), &value));
    assert_true(value == 7);
    assert_true(ste_bytes_u64(STE_BYTES("0"), &value) && value == 0);
    assert_true(ste_bytes_u64(STE_BYTES("000042"), &value) && value == 42);
    assert_true(ste_bytes_u64(STE_BYTES("18446744073709551615"), &value) && value == UINT64_MAX);
}

static void buffers_grow_and_print(void **state)
{
    (void)state;
    struct ste_buf buf = {0};
    char expected[3000];
    memset(expected, 'z', sizeof(expected));
    ste_buf_append_cstr(&buf, "n=");
    ste_buf_printf(&buf, "%d;", 42);
    ste_buf_append(&buf, expected, sizeof(expected));
    ste_buf_printf(&buf, "%.*s", (int)sizeof(expected), expected);
    assert_false(buf.failed);
    assert_int_equal(buf.len, 5 + 2 * sizeof(expected));
    assert_memory_equal(buf.at, "n=42;zz", 7);
    assert_memory_equal(buf.at + 5 + sizeof(expected), expected, sizeof(expected));
    size_t capacity = buf.capacity;
    ste_buf_clear(&buf);
    assert_int_equal(buf.len, 0);
    assert_int_equal(buf.capacity, capacity);
    ste_buf_deinit(&buf);
    assert_null(buf.at);
}

static void a_failed_append_leaves_no_hole(void **state)
{
    (void)state;
    struct ste_buf buf = {0};
    ste_buf_append_cstr(&buf, "kept");
    assert_false(ste_buf_reserve(&buf, SIZE_MAX - 2));
    assert_true(buf.failed);
    ste_buf_append_cstr(&buf, "later");
    ste_buf_u8(&buf, 1);
    ste_buf_varint(&buf, 1);
    ste_buf_printf(&buf, "x");
    assert_int_equal(buf.len, 4);
    ste_buf_clear(&buf);
    ste_buf_append_cstr(&buf, "again");
    assert_false(buf.failed);
    assert_true(ste_bytes_equal(ste_buf_bytes(&buf), STE_BYTES("again")));
    ste_buf_deinit(&buf);
}

static void integers_are_little_endian_and_come_back(void **state)
{
    (void)state;
    struct ste_buf buf = {0};
    ste_buf_u8(&buf, 0xfe);
    ste_buf_u32(&buf, 0x12345678);
    ste_buf_u64(&buf, UINT64_C(0x123456789abcdef0));
    ste_buf_block(&buf, STE_BYTES("text"));
    ste_buf_block(&buf, STE_BYTES(""));
    static const char expected[] = "\xfe\x78\x56\x34\x12\xf0\xde\xbc\x9a\x78\x56\x34\x12\x04text";
    assert_int_equal(buf.len, sizeof(expected));
    assert_memory_equal(buf.at, expected, sizeof(expected));
    struct ste_reader reader = ste_reader_of(ste_buf_bytes(&buf));
    assert_int_equal(ste_read_u8(&reader), 0xfe);
    assert_int_equal(ste_read_u32(&reader), 0x12345678);
    assert_true(ste_read_u64(&reader) == UINT64_C(0x123456789abcdef0));
    assert_true(ste_bytes_equal(ste_read_block(&reader), STE_BYTES("text")));
    assert_int_equal(ste_read_block(&reader).len, 0);
    assert_false(reader.failed);
    assert_ptr_equal(reader.at, reader.end);
    ste_buf_deinit(&buf);
}

static void varints_come_back_at_every_width(void **state)
{
    (void)state;
    struct ste_buf buf = {0};
    for (unsigned bit = 0; bit < 64; bit++) {
        for (unsigned less = 0; less < 2; less++) {
            uint64_t value = (UINT64_C(1) << bit) - less;
            ste_buf_clear(&buf);
            ste_buf_varint(&buf, value);
            struct ste_reader reader = ste_reader_of(ste_buf_bytes(&buf));
            assert_true(ste_read_varint(&reader) == value);
            assert_false(reader.failed);
            assert_ptr_equal(reader.at, reader.end);
        }
    }
    ste_buf_clear(&buf);
    ste_buf_varint(&buf, UINT64_MAX);
    assert_int_equal(buf.len, 10);
    struct ste_reader reader = ste_reader_of(ste_buf_bytes(&buf));
    assert_true(ste_read_varint(&reader) == UINT64_MAX);
    ste_buf_deinit(&buf);
}

static void assert_bad_varint(struct ste_bytes bytes)
{
    struct ste_reader reader = ste_reader_of(bytes);
    assert_true(ste_read_varint(&reader) == 0);
    assert_true(reader.failed);
    assert_int_equal(ste_read_u8(&reader), 0);
}

static void bad_varints_fail(void **state)
{
    (void)state;
    assert_bad_varint(STE_BYTES(""));
    assert_bad_varint(STE_BYTES("\x80"));
    assert_bad_varint(STE_BYTES("\x80\x00x")); /* longer than need be */
    assert_bad_varint(STE_BYTES("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02x")); /* 65 bits */
    assert_bad_varint(STE_BYTES("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x81\x01x"));
}

static void reading_past_the_end_fails_for_good(void **state)
{
    (void)state;
    struct ste_reader reader = ste_reader_of(STE_BYTES("\x01\x02\x03"));
    assert_true(ste_read_u32(&reader) == 0);
    assert_true(reader.failed);
    assert_int_equal(ste_read_u8(&reader), 0); /* no resynchronising on what is left */
    assert_true(ste_read_u64(&reader) == 0);
    reader = ste_reader_of(STE_BYTES("\x05"
                                     "abcd"));
    struct ste_bytes block = ste_read_block(&reader);
    assert_null(block.at);
    assert_int_equal(block.len, 0);
    assert_true(reader.failed);
    reader = ste_reader_of(ste_bytes_of(NULL));
    assert_int_equal(ste_read_bytes(&reader, 0).len, 0);
    assert_false(reader.failed);
}

static void hex_is_lower_case(void **state)
{
    (void)state;
    char out[9];
    ste_hex("\x00\x9f\xaf\xff", 4, out);
    assert_string_equal(out, "009fafff");
    ste_hex("", 0, out);
    assert_string_equal(out, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(views_compare_as_memcmp_then_length),
        cmocka_unit_test(trim_takes_xml_white_space_only),
        cmocka_unit_test(whole_numbers),
        cmocka_unit_test(buffers_grow_and_print),
        cmocka_unit_test(a_failed_append_leaves_no_hole),
        cmocka_unit_test(integers_are_little_endian_and_come_back),
        cmocka_unit_test(varints_come_back_at_every_width),
        cmocka_unit_test(bad_varints_fail),
        cmocka_unit_test(reading_past_the_end_fails_for_good),
        cmocka_unit_test(hex_is_lower_case),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
