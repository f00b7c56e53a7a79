/* SPDX-License-Identifier: Apache-2.0 */
#include "base/signals.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

enum ste_code ste_signals_open(int *ret_fd, struct ste_error *err)
{
    sigset_t read_set, block_set;
    sigemptyset(&read_set);
    sigaddset(&read_set, SIGTERM);
    sigaddset(&read_set, SIGINT);
    sigaddset(&read_set, SIGHUP);
    block_set = read_set;
    sigaddset(&block_set, SIGPIPE);
    int failure = pthread_sigmask(SIG_BLOCK, &block_set, NULL);
    if (failure)
        return ste_error_set(err, STE_E_FILE, "could not block signals: %s", strerror(failure));
    int fd = signalfd(-1, &read_set, SFD_CLOEXEC | SFD_NONBLOCK);
    if (fd < 0)
        return ste_error_set(err, STE_E_FILE, "could not open signalfd: %s", strerror(errno));
    *ret_fd = fd;
    return STE_OK;
}

bool ste_signals_start_thread(pthread_t *ret, void *(*run)(void *context), void *context)
{
    sigset_t all, before;
    (void)sigfillset(&all);
    if (pthread_sigmask(SIG_SETMASK, &all, &before) != 0)
        return false;
    const bool good = pthread_create(ret, NULL, run, context) == 0;
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL); /* what was set before can be set again */
    return good;
}

int ste_signals_wait(int fd, int timeout_ms)
{
    struct pollfd wait = {.fd = fd, .events = POLLIN};
    struct signalfd_siginfo info;
    if (poll(&wait, 1, timeout_ms) <= 0)
        return 0; /* nothing came, or a stop and continue ended the wait: the caller's loop turns */
    if (read(fd, &info, sizeof(info)) != (ssize_t)sizeof(info))
        return 0;
    return (int)info.ssi_signo;
}
