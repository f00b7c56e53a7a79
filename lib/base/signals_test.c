/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <signal.h>
#include <unistd.h>

#include "base/signals.h"

static void signals_are_read_one_by_one(void **state)
{
    (void)state;
    struct ste_error err;
    int fd = -1;
    assert_int_equal(ste_signals_open(&fd, &err), STE_OK);
    assert_int_equal(ste_signals_wait(fd, 0), 0);
    static const int sent[] = {SIGTERM, SIGINT, SIGHUP};
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(kill(getpid(), sent[i]), 0);
        assert_int_equal(ste_signals_wait(fd, 5000), sent[i]);
    }
    assert_int_equal(ste_signals_wait(fd, 0), 0);
    close(fd);
}

static void a_broken_pipe_is_an_error_of_the_write(void **state)
{
    (void)state;
    struct ste_error err;
    int fd = -1, ends[2];
    assert_int_equal(ste_signals_open(&fd, &err), STE_OK);
    assert_int_equal(pipe(ends), 0);
    close(ends[0]);
    assert_int_equal(write(ends[1], "x", 1), -1);
    assert_int_equal(errno, EPIPE);
    assert_int_equal(ste_signals_wait(fd, 0), 0);
    close(ends[1]);
    close(fd);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(signals_are_read_one_by_one),
        cmocka_unit_test(a_broken_pipe_is_an_error_of_the_write),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
