/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "dbshard/failure.h"

static void test_each_kind(void **state)
{
    (void)state;
    static const struct {
        unsigned number;
        enum ste_code code;
    } rows[] = {
        {1213, STE_E_SHARD_DEADLOCK},
        {1020, STE_E_SHARD_DEADLOCK},
        {1205, STE_E_SHARD_LOCK_TIMEOUT},
        {1969, STE_E_SHARD_LOCK_TIMEOUT},
        {1114, STE_E_SHARD_FULL},
        {1290, STE_E_SHARD_FULL},
        {1030, STE_E_SHARD_FULL},
        {1062, STE_E_SHARD_ROW},
        {1526, STE_E_SHARD_ROW},
        {1406, STE_E_SHARD_ROW},
        {2020, STE_E_SHARD_ROW},
        {2002, STE_E_SHARD_DOWN},
        {2003, STE_E_SHARD_DOWN},
        {2006, STE_E_SHARD_DOWN},
        {2013, STE_E_SHARD_DOWN},
        {2026, STE_E_SHARD_DOWN},
        {1053, STE_E_SHARD_DOWN},
        {1927, STE_E_SHARD_DOWN},
        {1040, STE_E_SHARD_DOWN},
        {5014, STE_E_SHARD_DOWN},
        {2008, STE_E_NOMEM},
        {1045, STE_E_SHARD_REFUSED},
        {1142, STE_E_SHARD_REFUSED},
        {1064, STE_E_SHARD_REFUSED},
        {1146, STE_E_SHARD_REFUSED},
        {2059, STE_E_SHARD_REFUSED},
        {3000, STE_E_SHARD_REFUSED},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        assert_int_equal(ste_shard_classify(rows[i].number), rows[i].code);
}

/* A worker does the same again for these, and only for these. */
static void test_what_is_tried_again(void **state)
{
    (void)state;
    static const unsigned again[] = {1213, 1205, 1114, 1290, 2006, 2013, 1053};
    static const unsigned never[] = {1062, 1526, 1406, 1045, 1064};
    for (size_t i = 0; i < sizeof(again) / sizeof(again[0]); i++)
        assert_int_equal(ste_code_class(ste_shard_classify(again[i])), STE_CLASS_RETRY);
    for (size_t i = 0; i < sizeof(never) / sizeof(never[0]); i++)
        assert_int_not_equal(ste_code_class(ste_shard_classify(never[i])), STE_CLASS_RETRY);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_kind),
        cmocka_unit_test(test_what_is_tried_again),
    };
    return cmocka_run_group_tests_name("failure", tests, NULL, NULL);
}
