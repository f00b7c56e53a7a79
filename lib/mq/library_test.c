/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "mq/library.h"

static void test_revisions(void **state)
{
    (void)state;
    const struct {
        const char *version;
        bool old;
    } cases[] = {
        {"0.11.0-1", true},         {"0.11.0-1+b1", true},       {"0.11.0-1+deb12u1", true},
        {"0.11.0-1+deb12u2", true}, {"0.11.0-1+deb12u3", false}, {"0.11.0-1+deb12u10", false},
        {"0.15.0-1", false},        {"0.11.0-10", false},        {"", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char status[512], line[256] = "";
        snprintf(status, sizeof status,
                 "Package: other\nVersion: 0.11.0-1\n\nPackage: librabbitmq4\nStatus: install ok\n"
                 "Version: %s\n\nPackage: next\nVersion: 0.11.0-1\n",
                 cases[i].version);
        bool old = ste_mq_library_judge(ste_bytes_of(status), line, sizeof line);
        if (old != cases[i].old)
            fail_msg("%s", cases[i].version);
        assert_int_equal(old, strstr(line, "security") != NULL);
    }
}

static void test_absent_or_cut(void **state)
{
    (void)state;
    char line[256];
    assert_false(ste_mq_library_judge((struct ste_bytes){0}, line, sizeof line));
    assert_false(ste_mq_library_judge(STE_BYTES("Package: librabbitmq4\n"), line, sizeof line));
    assert_false(ste_mq_library_judge(
        STE_BYTES("Package: librabbitmq4\n\nPackage: x\nVersion: 0.11.0-1\n"), line, sizeof line));
    assert_true(ste_mq_library_judge(STE_BYTES("Package: librabbitmq4\nVersion: 0.11.0-1"), line,
                                     sizeof line));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_revisions),
        cmocka_unit_test(test_absent_or_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
