/* SPDX-License-Identifier: Apache-2.0 */
#include "base/process.h"

#include <fcntl.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/testing.h"

static void test_stat_of_a_name_with_brackets(void **state)
{
    (void)state;
    struct ste_process process = {0};
    const char *stat = "4321 (a) b (c)) S 1 4321 4321 0 -1 4194560 100 0 0 0 150 50 7 8 20 0 21 0 "
                       "123456 99999 256 18446744073709551615 1 1\n";
    assert_true(ste_process_parse(stat, 100, 4096, &process));
    assert_int_equal(process.cpu_ns, 2 * STE_NS_PER_S);
    assert_int_equal(process.started_after_ns, UINT64_C(1234560) * STE_NS_PER_MS);
    assert_int_equal(process.resident_bytes, 256 * 4096);
}

static void test_not_a_stat(void **state)
{
    (void)state;
    struct ste_process process = {.cpu_ns = 7};
    assert_false(ste_process_parse("", 100, 4096, &process));
    assert_false(ste_process_parse("1 (x) S 1 2 3", 100, 4096, &process));
    assert_false(ste_process_parse("1 x S 1", 100, 4096, &process));
    assert_int_equal(process.cpu_ns, 7);
}

static void test_this_process(void **state)
{
    (void)state;
    struct ste_process before, after, by_pid;
    assert_true(ste_process_read(0, &before));
    const unsigned fds = ste_process_open_fds(0);
    int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
    assert_true(fd >= 0);
    assert_true(ste_process_read(0, &after));
    assert_int_equal(ste_process_open_fds(0), fds + 1);
    close(fd);
    assert_int_equal(ste_process_open_fds(0x7ffffffe), 0);
    assert_true(after.resident_bytes > 100000 && after.cpu_ns >= before.cpu_ns);
    assert_true(ste_process_read(getpid(), &by_pid));
    assert_int_equal(by_pid.started_after_ns, before.started_after_ns);
    assert_false(ste_process_read(0x7ffffffe, &by_pid));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stat_of_a_name_with_brackets),
        cmocka_unit_test(test_not_a_stat),
        cmocka_unit_test(test_this_process),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
