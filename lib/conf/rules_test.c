/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "conf/tree.h"

static const struct ste_rule_row rows[] = {
    {"name", STE_VALUE_TEXT, true, 0, 8, NULL, NULL, NULL, ""},
    {"port", STE_VALUE_UINT, false, 1, 65535, "5672", NULL, NULL, ""},
    {"big", STE_VALUE_UINT, false, 0, UINT64_MAX, NULL, NULL, NULL, ""},
    {"on", STE_VALUE_BOOL, false, 0, 0, "true", NULL, NULL, ""},
    {"day", STE_VALUE_DATE, false, 0, 0, NULL, NULL, NULL, ""},
    {"file", STE_VALUE_PATH, false, 0, 0, NULL, NULL, NULL, ""},
    {"level", STE_VALUE_CHOICE, false, 0, 0, "warn", NULL, "off warn reject", ""},
    {"list", STE_VALUE_LIST, false, 0, 0, NULL, NULL, NULL, ""},
    {"map", STE_VALUE_MAP, false, 0, 0, NULL, NULL, NULL, ""},
};
enum { ROW_COUNT = sizeof(rows) / sizeof(rows[0]) };

/* Checks `yaml` as the map at "m" and compares the faults, without their file. */
static void assert_faults(const char *yaml, const char *expected)
{
    struct ste_faults faults = {0};
    struct ste_tree *tree = NULL;
    struct ste_buf lines = {0};
    struct ste_error err;
    assert_int_equal(ste_tree_parse("f", ste_bytes_of(yaml), &faults, &tree, &err), STE_OK);
    ste_buf_clear(&lines);
    ste_faults_deinit(&faults);
    ste_rules_check(ste_tree_root(tree), "m", rows, ROW_COUNT, &faults);
    for (size_t i = 0; i < faults.count; i++)
        ste_buf_printf(&lines, "%s\n", faults.lines[i] + strlen("f:"));
    ste_buf_u8(&lines, '\0');
    assert_string_equal(lines.at, expected);
    ste_buf_deinit(&lines);
    ste_faults_deinit(&faults);
    ste_tree_free(tree);
}

static void good_values_pass(void **state)
{
    (void)state;
    assert_faults("name: x", "");
    assert_faults("{name: 12345678, port: 1, big: 18446744073709551615, on: false, "
                  "day: '2026-11-30', file: a/b, level: \"reject\", list: [], map: {}}",
                  "");
    assert_faults("{name: x, port: 65535, day: 2026-11-30, level: off}", "");
    ste_rules_check(NULL, "m", rows, ROW_COUNT, NULL);
}

static void every_type_has_its_faults(void **state)
{
    (void)state;
    assert_faults("port: 1", "1:1: m.name: is missing\n");
    assert_faults("[1]", "1:1: m: a map is wanted\n");
    assert_faults("name:", "1:6: m.name: is empty\n");
    assert_faults("name: ''", "1:7: m.name: is empty\n");
    assert_faults("name: 123456789", "1:7: m.name: 9 bytes are more than 8\n");
    assert_faults("name: \"a\\tb\"", "1:7: m.name: holds a control character\n");
    assert_faults("name: [x]", "1:7: m.name: a single value is wanted, not a list\n");
    assert_faults("{name: x, port: 0}", "1:17: m.port: 0 is below 1\n");
    assert_faults("{name: x, port: 65536}", "1:17: m.port: 65536 is above 65535\n");
    assert_faults("{name: x, port: '1'}",
                  "1:17: m.port: a number is wanted: take the quotes off\n");
    assert_faults("{name: x, port: -1}", "1:17: m.port: -1 is not a whole number\n");
    assert_faults("{name: x, port: 1.0}", "1:17: m.port: 1.0 is not a whole number\n");
    assert_faults("{name: x, port: 0x1}", "1:17: m.port: 0x1 is not a whole number\n");
    assert_faults("{name: x, port: {}}", "1:17: m.port: a single value is wanted, not a map\n");
    assert_faults("{name: x, big: 18446744073709551616}",
                  "1:16: m.big: 18446744073709551616 is not a whole number\n");
    assert_faults("{name: x, on: yes}", "1:15: m.on: yes is not true or false\n");
    assert_faults("{name: x, on: 'true'}", "1:15: m.on: true is not true or false\n");
    assert_faults("{name: x, day: 2026-02-29}",
                  "1:16: m.day: 2026-02-29 is not a date YYYY-MM-DD\n");
    assert_faults("{name: x, level: war}", "1:18: m.level: war is not one of: off warn reject\n");
    assert_faults("{name: x, level: warn reject}",
                  "1:18: m.level: warn reject is not one of: off warn reject\n");
    assert_faults("{name: x, list: {}}", "1:17: m.list: a list is wanted\n");
    assert_faults("{name: x, map: y}", "1:16: m.map: a map is wanted\n");
    assert_faults("{name: x, prot: 1}", "1:11: m.prot: unknown key (known: name, port, big, on, "
                                        "day, file, level, list, map)\n");
}

static void an_alias_is_not_reported_twice(void **state)
{
    (void)state;
    assert_faults("{name: &x y, port: *x, map: *x}", "");
}

static void defaults_fill_in_and_absent_is_not_zero(void **state)
{
    (void)state;
    struct ste_faults faults = {0};
    struct ste_tree *tree = NULL;
    struct ste_error err;
    assert_int_equal(ste_tree_parse("f", STE_BYTES("{name: n, big: 0}"), &faults, &tree, &err),
                     STE_OK);
    const struct ste_yaml *map = ste_tree_root(tree);
    assert_string_equal(ste_value_text(map, rows, ROW_COUNT, "name"), "n");
    assert_string_equal(ste_value_text(map, rows, ROW_COUNT, "level"), "warn");
    assert_null(ste_value_text(map, rows, ROW_COUNT, "file"));
    assert_true(ste_value_uint(map, rows, ROW_COUNT, "port") == 5672);
    assert_true(ste_value_uint(map, rows, ROW_COUNT, "big") == 0);
    assert_true(ste_value_uint(NULL, rows, ROW_COUNT, "port") == 5672);
    assert_ptr_equal(ste_rules_row(rows, ROW_COUNT, "port"), &rows[1]);
    assert_null(ste_rules_row(rows, ROW_COUNT, "por"));
    assert_false(ste_value_check(ste_yaml_get(map, "name"), "", &rows[1], NULL));
    assert_true(ste_value_check(ste_yaml_get(map, "big"), "", &rows[2], NULL));
    ste_tree_free(tree);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(good_values_pass),
        cmocka_unit_test(every_type_has_its_faults),
        cmocka_unit_test(an_alias_is_not_reported_twice),
        cmocka_unit_test(defaults_fill_in_and_absent_is_not_zero),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
