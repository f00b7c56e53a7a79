/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "conf/tree.h"

static void lines_stand_in_the_order_of_their_places(void **state)
{
    (void)state;
    struct ste_faults faults = {0};
    struct ste_yaml node = {.file = "a.yaml", .line = 42, .column = 7};
    assert_false(ste_faults_any(&faults));
    ste_faults_add(&faults, &node, "x", "third");
    node.line = 9;
    node.column = 10;
    ste_faults_add(&faults, &node, "x", "%s", "second");
    node.column = 2;
    ste_faults_add(&faults, &node, "", "first");
    node.file = "b.yaml";
    ste_faults_add(&faults, &node, "x", "fifth");
    node.file = "a.yaml";
    node.line = 100;
    ste_faults_add(&faults, &node, "x", "fourth");
    char out[256];
    FILE *file = fmemopen(out, sizeof(out), "w");
    ste_faults_print(&faults, file);
    fclose(file);
    assert_string_equal(out, "a.yaml:9:2: first\na.yaml:9:10: x: second\na.yaml:42:7: x: third\n"
                             "a.yaml:100:2: x: fourth\nb.yaml:9:2: x: fifth\n");
    assert_true(ste_faults_any(&faults));
    ste_faults_deinit(&faults);
    ste_faults_deinit(&faults);
    ste_faults_add(NULL, &node, "x", "nobody asks");
}

static void hostile_values_stay_one_bounded_line(void **state)
{
    (void)state;
    char huge[5000];
    struct ste_faults faults = {0};
    struct ste_yaml node = {.file = huge, .line = 1, .column = 1};
    memset(huge, 'h', sizeof(huge) - 1);
    huge[sizeof(huge) - 1] = '\0';
    ste_faults_add(&faults, &node, huge, "%s", huge);
    ste_faults_add(&faults, NULL, "a\nb", "c\x1b[31m\r\n%s", "d");
    assert_int_equal(faults.count, 2);
    assert_string_equal(faults.lines[0], "a?b: c?[31m??d");
    assert_true(strlen(faults.lines[1]) < 1024);
    ste_faults_deinit(&faults);
}

static void there_is_a_last_fault(void **state)
{
    (void)state;
    struct ste_faults faults = {0};
    for (unsigned i = 0; i < 3 * STE_FAULTS_MAX; i++) {
        struct ste_yaml node = {.file = "a.yaml", .line = 3 * STE_FAULTS_MAX - i, .column = 1};
        ste_faults_add(&faults, &node, "x", "bad");
    }
    assert_int_equal(faults.count, STE_FAULTS_MAX + 1);
    assert_string_equal(faults.lines[STE_FAULTS_MAX], "further faults are not shown");
    assert_string_equal(faults.lines[0], "a.yaml:2001:1: x: bad");
    ste_faults_deinit(&faults);
}

static void lost_faults_are_faults(void **state)
{
    (void)state;
    struct ste_faults faults = {.nomem = true};
    char out[128];
    assert_true(ste_faults_any(&faults));
    FILE *file = fmemopen(out, sizeof(out), "w");
    ste_faults_print(&faults, file);
    fclose(file);
    assert_string_equal(out, "out of memory: further faults are not shown\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_stand_in_the_order_of_their_places),
        cmocka_unit_test(hostile_values_stay_one_bounded_line),
        cmocka_unit_test(there_is_a_last_fault),
        cmocka_unit_test(lost_faults_are_faults),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
