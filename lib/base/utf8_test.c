/* SPDX-License-Identifier: Apache-2.0 */
#include "base/utf8.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

static size_t bytes_of(const char *text)
{
    return ste_utf8_bytes(text, text + strlen(text));
}

static void characters(void **state)
{
    (void)state;
    assert_int_equal(bytes_of("a"), 1);
    assert_int_equal(bytes_of("\x7F"), 1);
    assert_int_equal(bytes_of("\xC2\x80"), 2);
    assert_int_equal(bytes_of("\xDF\xBF"), 2);
    assert_int_equal(bytes_of("\xE0\xA0\x80"), 3);
    assert_int_equal(bytes_of("\xED\x9F\xBF"), 3);
    assert_int_equal(bytes_of("\xEE\x80\x80"), 3);
    assert_int_equal(bytes_of("\xEF\xBF\xBF"), 3);
    assert_int_equal(bytes_of("\xF0\x90\x80\x80"), 4);
    assert_int_equal(bytes_of("\xF4\x8F\xBF\xBF"), 4);
    assert_int_equal(bytes_of("\xC3\xA9x"), 2); /* one character, not the text */
    const char nul = '\0';
    assert_int_equal(ste_utf8_bytes(&nul, &nul + 1), 1);
}

static void not_characters(void **state)
{
    static const char *const bad[] = {
        "\x80",             /* begins with a continuation */
        "\xC0\x80",         /* longer than it need be */
        "\xC1\xBF",         /* likewise */
        "\xE0\x9F\xBF",     /* likewise */
        "\xF0\x8F\xBF\xBF", /* likewise */
        "\xED\xA0\x80",     /* a surrogate */
        "\xF4\x90\x80\x80", /* above U+10FFFF */
        "\xF5\x80\x80\x80", /* likewise */
        "\xFF",
        "\xC2\x7F",         /* the second byte is no continuation */
        "\xE1\x80\xC0",     /* nor is the third */
        "\xF1\x80\x80\x7F", /* nor is the fourth */
    };
    (void)state;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        if (bytes_of(bad[i]) != 0)
            fail_msg("row %zu is taken for a character", i);
    }
}

static void cut_short(void **state)
{
    static const char *const whole[] = {"\xC2\x80", "\xE1\x80\x80", "\xF1\x80\x80\x80"};
    (void)state;
    for (size_t i = 0; i < sizeof(whole) / sizeof(whole[0]); i++) {
        for (size_t len = 1; len < strlen(whole[i]); len++)
            assert_int_equal(ste_utf8_bytes(whole[i], whole[i] + len), 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(characters),
        cmocka_unit_test(not_characters),
        cmocka_unit_test(cut_short),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
