/* SPDX-License-Identifier: Apache-2.0 */
#include "base/fault.h"

#ifdef STE_FAULTS

#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The one function static that changes: fault builds only, and the count spans all workers. */
void ste_fault_pass(const char *point)
{
    static _Atomic unsigned long passed;
    const char *const wanted = getenv("STE_FAULT");
    const size_t len = strlen(point);
    if (wanted == NULL || strncmp(wanted, point, len) != 0 || wanted[len] != ':')
        return;
    if (atomic_fetch_add(&passed, 1) + 1 == strtoul(wanted + len + 1, NULL, 10))
        kill(getpid(), SIGKILL);
}

void ste_fault_poison(struct ste_bytes reference)
{
    static const char prefix[] = "poison=";
    const char *const wanted = getenv("STE_FAULT");
    if (wanted == NULL || strncmp(wanted, prefix, sizeof(prefix) - 1) != 0)
        return;
    if (ste_bytes_equal(reference, ste_bytes_of(wanted + sizeof(prefix) - 1)))
        kill(getpid(), SIGKILL);
}

#else

/* ISO C wants a declaration in every file. */
typedef int ste_fault_nothing;

#endif
