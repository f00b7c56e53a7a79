/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/machine.h"

#include "base/testing.h"

static void test_busy_time(void **state)
{
    (void)state;
    double busy_s = 0;
    assert_true(ste_machine_parse_busy("cpu  100 20 30 99999 888 4 6 777 50 0\ncpu0 1 2 3\n", 100,
                                       &busy_s));
    assert_true(busy_s == 1.6);
    assert_false(ste_machine_parse_busy("cpu  1 2 3\n", 100, &busy_s));
    assert_false(ste_machine_parse_busy("intr 1 2 3 4 5 6 7 8\n", 100, &busy_s));
    assert_true(busy_s == 1.6);
}

static void test_model(void **state)
{
    (void)state;
    char model[STE_MACHINE_TEXT_BYTES];
    ste_machine_parse_model("processor\t: 0\nmodel\t\t: 85\nmodel name\t: A CPU @ 2 GHz\nx : y\n",
                            model);
    assert_string_equal(model, "A CPU @ 2 GHz");
    ste_machine_parse_model("processor\t: 0\n\nModel\t\t: Board 4", model);
    assert_string_equal(model, "Board 4");
    ste_machine_parse_model("", model);
    assert_string_equal(model, "unknown");
}

static void test_this_machine(void **state)
{
    (void)state;
    double busy_s = -1;
    char text[STE_MACHINE_TEXT_BYTES];
    assert_true(ste_machine_busy(&busy_s));
    assert_true(busy_s > 0);
    assert_true(ste_machine_cores() >= 1);
    ste_machine_kernel(text);
    assert_int_equal(strncmp(text, "Linux ", 6), 0);
    assert_false(ste_machine_read_file("/nowhere", text, sizeof text));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_busy_time),
        cmocka_unit_test(test_model),
        cmocka_unit_test(test_this_machine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
