/* SPDX-License-Identifier: Apache-2.0 */
#include "msg/testing.h"

#include "msg/xml_place.h"

static void assert_place(struct ste_bytes body, size_t offset, uint32_t line, uint32_t column)
{
    struct ste_xml_place place = ste_xml_place_start(body, ste_xml_scan_of(body));
    ste_xml_place_move(&place, offset);
    assert_int_equal(place.line, line);
    assert_int_equal(place.column, column);
    /* in steps, it comes to the same place */
    place = ste_xml_place_start(body, ste_xml_scan_of(body));
    for (size_t step = 0; step <= offset; step++)
        ste_xml_place_move(&place, step);
    assert_int_equal(place.line, line);
    assert_int_equal(place.column, column);
}

static void lines(void **state)
{
    (void)state;
    assert_place(STE_BYTES("abc\ndef"), 0, 1, 1);
    assert_place(STE_BYTES("abc\ndef"), 3, 1, 4);
    assert_place(STE_BYTES("abc\ndef"), 4, 2, 1);
    assert_place(STE_BYTES("abc\ndef"), 6, 2, 3);
    assert_place(STE_BYTES("a\r\nb\r\nc"), 6, 3, 1);
    assert_place(STE_BYTES("a\rb\r\nc\rd"), 7, 4, 1);
    assert_place(STE_BYTES("a\rb\r\nc\rd"), 2, 2, 1);
    assert_place(STE_BYTES("\n\n\r\rx"), 4, 5, 1);
}

static void columns_count_characters(void **state)
{
    (void)state;
    assert_place(STE_BYTES("\xE4\xB8\xAD\xE6\x96\x87x"), 6, 1, 3);
    assert_place(STE_BYTES("\n\xC3\xA9\xF0\x9F\x98\x80x"), 7, 2, 3);
    assert_place(STE_BYTES("\xEF\xBB\xBFx<"), 4, 1, 2); /* the byte order mark is no character */
}

static void bounds(void **state)
{
    (void)state;
    struct ste_bytes body = STE_BYTES("ab");
    struct ste_xml_place place = ste_xml_place_start(body, ste_xml_scan_of(body));
    ste_xml_place_move(&place, 100);
    assert_int_equal(place.column, 3);
    ste_xml_place_move(&place, 0);
    assert_int_equal(place.column, 3);
    struct ste_xml_scan empty = ste_xml_scan_of((struct ste_bytes){NULL, 0});
    assert_int_equal(empty.bad_offset, 0);
}

static void assert_bad(struct ste_bytes text, size_t expected)
{
    char body[64];
    for (size_t before = 0; before < 20; before++) { /* at every alignment */
        memset(body, 'x', before);
        memcpy(body + before, text.at, text.len);
        struct ste_xml_scan scan = ste_xml_scan_of((struct ste_bytes){body, before + text.len});
        assert_int_equal(scan.bad_offset, before + expected);
    }
}

static void utf8(void **state)
{
    (void)state;
    assert_bad(STE_BYTES("abc"), 3);
    assert_bad(STE_BYTES("\x7F\xC2\x80\xDF\xBF"), 5);
    assert_bad(STE_BYTES("\xE0\xA0\x80\xED\x9F\xBF\xEE\x80\x80\xEF\xBF\xBD"), 12);
    assert_bad(STE_BYTES("\xF0\x90\x80\x80\xF4\x8F\xBF\xBF"), 8);
    assert_bad(STE_BYTES("ab\0cd"), 2);
    assert_bad(STE_BYTES("a\x80z"), 1);
    assert_bad(STE_BYTES("a\xC1\xBF"), 1);         /* overlong */
    assert_bad(STE_BYTES("a\xE0\x9F\xBF"), 1);     /* overlong */
    assert_bad(STE_BYTES("a\xED\xA0\x80"), 1);     /* surrogate */
    assert_bad(STE_BYTES("a\xF0\x8F\xBF\xBF"), 1); /* overlong */
    assert_bad(STE_BYTES("a\xF4\x90\x80\x80"), 1); /* above U+10FFFF */
    assert_bad(STE_BYTES("a\xF5\x80\x80\x80"), 1);
    assert_bad(STE_BYTES("a\xE4\xB8"), 1); /* cut short */
    assert_bad(STE_BYTES("a\xE4\xB8z"), 1);
    assert_bad(STE_BYTES("abcdefgh\xFFijklmnop"), 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines),
        cmocka_unit_test(columns_count_characters),
        cmocka_unit_test(bounds),
        cmocka_unit_test(utf8),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
