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

static void *read_mask(void *mask)
{
    (void)pthread_sigmask(SIG_BLOCK, NULL, mask);
    return NULL;
}

/* First of all, while nothing is blocked yet. */
static void a_thread_is_given_no_signal(void **state)
{
    (void)state;
    pthread_t thread;
    sigset_t of_thread, own;
    assert_true(ste_signals_start_thread(&thread, read_mask, &of_thread));
    assert_int_equal(pthread_join(thread, NULL), 0);
    (void)read_mask(&own);
    assert_int_equal(sigismember(&of_thread, SIGTERM), 1);
    assert_int_equal(sigismember(&of_thread, SIGINT), 1);
    assert_int_equal(sigismember(&own, SIGTERM), 0);
}

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
        cmocka_unit_test(a_thread_is_given_no_signal),
        cmocka_unit_test(signals_are_read_one_by_one),
        cmocka_unit_test(a_broken_pipe_is_an_error_of_the_write),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
