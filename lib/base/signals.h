/* SPDX-License-Identifier: Apache-2.0
 * Signals arrive by signalfd in the main thread. */
#ifndef STE_BASE_SIGNALS_H
#define STE_BASE_SIGNALS_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include "base/error.h"

/* Blocks SIGTERM, SIGINT, SIGHUP and SIGPIPE for this and all later threads; *ret_fd reads the
 * first three (a broken pipe is told by the write that meets it). The caller closes it. Call before
 * any thread starts. Errors: STE_E_FILE (stop). */
STE_MUST_CHECK enum ste_code ste_signals_open(int *ret_fd, struct ste_error *err);
/* Starts a thread that no signal is given to, also where the main thread has not blocked them yet.
 */
STE_MUST_CHECK bool ste_signals_start_thread(pthread_t *ret, void *(*run)(void *context),
                                             void *context);
/* Waits up to timeout_ms (-1 for ever); 0 when none came, else the signal number. */
int ste_signals_wait(int fd, int timeout_ms);

#endif
