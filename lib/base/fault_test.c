/* SPDX-License-Identifier: Apache-2.0
 * Kill points, each tried in a child process. In a build without them there is nothing to kill. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/fault.h"

enum { NOT_KILLED = 0 };

/* How a child ends that does `work` under STE_FAULT=`fault`: the signal, or NOT_KILLED. */
static int signal_of(const char *fault, void (*work)(void))
{
    const pid_t child = fork();
    int status = 0;
    assert_true(child >= 0);
    if (child == 0) {
        if (fault != NULL)
            setenv("STE_FAULT", fault, 1);
        else
            unsetenv("STE_FAULT");
        work();
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    if (WIFSIGNALED(status))
        return WTERMSIG(status);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    return NOT_KILLED;
}

#ifdef STE_FAULTS
enum { KILLED = SIGKILL };
#else
enum { KILLED = NOT_KILLED };
#endif

static void pass_three_times(void)
{
    for (int i = 0; i < 3; i++) {
        STE_FAULT_POINT("node-before-ack");
        STE_FAULT_POINT("node-before-commit");
    }
}

static void test_the_nth_pass_kills(void **state)
{
    (void)state;
    assert_int_equal(signal_of("node-before-ack:1", pass_three_times), KILLED);
    assert_int_equal(signal_of("node-before-ack:3", pass_three_times), KILLED);
    assert_int_equal(signal_of("node-before-ack:4", pass_three_times), NOT_KILLED);
    assert_int_equal(signal_of("node-before-commit:3", pass_three_times), KILLED);
}

static void test_other_points_do_not_count(void **state)
{
    (void)state;
    assert_int_equal(signal_of(NULL, pass_three_times), NOT_KILLED);
    assert_int_equal(signal_of("", pass_three_times), NOT_KILLED);
    assert_int_equal(signal_of("node-before:1", pass_three_times), NOT_KILLED);
    assert_int_equal(signal_of("node-before-ack-twice:1", pass_three_times), NOT_KILLED);
    assert_int_equal(signal_of("node-before-ack/1", pass_three_times), NOT_KILLED);
    assert_int_equal(signal_of("router-before-ack:1", pass_three_times), NOT_KILLED);
    assert_int_equal(signal_of("node-before-ack:0", pass_three_times), NOT_KILLED);
}

static void *pass_once(void *unused)
{
    STE_FAULT_POINT("node-before-ack");
    return unused;
}

static void pass_in_four_threads(void)
{
    pthread_t threads[4];
    for (int i = 0; i < 4; i++)
        if (pthread_create(&threads[i], NULL, pass_once, NULL) != 0)
            _exit(1);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
}

/* The count spans all workers of the process. */
static void test_threads_count_together(void **state)
{
    (void)state;
    assert_int_equal(signal_of("node-before-ack:4", pass_in_four_threads), KILLED);
    assert_int_equal(signal_of("node-before-ack:5", pass_in_four_threads), NOT_KILLED);
}

static void decide_some(void)
{
    STE_FAULT_POISON(STE_BYTES("R-1"));
    STE_FAULT_POISON(((struct ste_bytes){NULL, 0}));
    STE_FAULT_POISON(STE_BYTES("R-2"));
}

static void test_poison_is_one_reference(void **state)
{
    (void)state;
    assert_int_equal(signal_of("poison=R-2", decide_some), KILLED);
    assert_int_equal(signal_of("poison=R-1", decide_some), KILLED);
    assert_int_equal(signal_of("poison=R-", decide_some), NOT_KILLED);
    assert_int_equal(signal_of("poison=R-22", decide_some), NOT_KILLED);
    assert_int_equal(signal_of("poison:R-1", decide_some), NOT_KILLED);
    assert_int_equal(signal_of("R-1", decide_some), NOT_KILLED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_nth_pass_kills),
        cmocka_unit_test(test_other_points_do_not_count),
        cmocka_unit_test(test_threads_count_together),
        cmocka_unit_test(test_poison_is_one_reference),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
