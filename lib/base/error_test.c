/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "base/error.h"

static void every_code_has_name_text_and_class(void **state)
{
    (void)state;
    for (int code = 1; code < STE_CODE_COUNT; code++) {
        assert_memory_equal(ste_code_name((enum ste_code)code), "STE_E_", 6);
        assert_true(strlen(ste_code_text((enum ste_code)code)) > 3);
        assert_int_not_equal(ste_code_class((enum ste_code)code), STE_CLASS_NONE);
    }
    assert_int_equal(ste_code_class(STE_OK), STE_CLASS_NONE);
    assert_string_equal(ste_code_name(STE_E_MQ_DOWN), "STE_E_MQ_DOWN");
    assert_int_equal(ste_code_class(STE_E_MQ_DOWN), STE_CLASS_RETRY);
    assert_string_equal(ste_code_text(STE_E_NOMEM), "out of memory");
}

static void an_unknown_code_stops(void **state)
{
    (void)state;
    assert_int_equal(ste_code_class((enum ste_code)9999), STE_CLASS_STOP);
    assert_string_equal(ste_code_name((enum ste_code) - 1), "STE_E_UNKNOWN");
}

static void set_fills_and_returns(void **state)
{
    (void)state;
    struct ste_error err;
    memset(&err, 'x', sizeof(err));
    assert_int_equal(ste_error_set(&err, STE_E_FILE, "could not open %s", "a"), STE_E_FILE);
    assert_int_equal(err.code, STE_E_FILE);
    assert_string_equal(err.text, "could not open a");
    assert_string_equal(err.place, "");
    assert_int_equal(ste_error_at(&err, STE_E_PARSE, "f:1:2", "bad"), STE_E_PARSE);
    assert_string_equal(err.place, "f:1:2");
    assert_int_equal(ste_error_set(NULL, STE_E_NOMEM, "gone"), STE_E_NOMEM);
    assert_int_equal(ste_error_at(NULL, STE_E_NOMEM, NULL, "gone"), STE_E_NOMEM);
}

static void an_error_may_wrap_itself(void **state)
{
    (void)state;
    struct ste_error err;
    (void)ste_error_at(&err, STE_E_FILE, "map:1:1", "refused");
    (void)ste_error_at(&err, STE_E_CONFIG, err.place, "shard 3: %s", err.text);
    assert_string_equal(err.text, "shard 3: refused");
    assert_string_equal(err.place, "map:1:1");
}

static void long_texts_are_cut(void **state)
{
    (void)state;
    char text[2 * STE_ERROR_TEXT_BYTES];
    struct ste_error err;
    memset(text, 'y', sizeof(text) - 1);
    text[sizeof(text) - 1] = '\0';
    (void)ste_error_at(&err, STE_E_FILE, text, "%s", text);
    assert_int_equal(strlen(err.text), STE_ERROR_TEXT_BYTES - 1);
    assert_int_equal(strlen(err.place), STE_ERROR_PLACE_BYTES - 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_code_has_name_text_and_class),
        cmocka_unit_test(an_unknown_code_stops),
        cmocka_unit_test(set_fills_and_returns),
        cmocka_unit_test(an_error_may_wrap_itself),
        cmocka_unit_test(long_texts_are_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
