/* SPDX-License-Identifier: Apache-2.0
 * What a process has used, from /proc. */
#ifndef STE_BASE_PROCESS_H
#define STE_BASE_PROCESS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct ste_process {
    uint64_t cpu_ns; /* user and system, all threads; as fine as the kernel's ticks */
    uint64_t resident_bytes;
    uint64_t started_after_ns; /* since boot */
};

/* pid 0: this process. False: there is none, or /proc tells something else. */
bool ste_process_read(pid_t pid, struct ste_process *ret);
/* Counts them, which takes the longer the more there are; 0: not ours to see. */
unsigned ste_process_open_fds(pid_t pid);
/* The text of /proc/<pid>/stat, whose second field may hold blanks and brackets; fills in all. */
bool ste_process_parse(const char *stat, uint64_t ticks_per_s, uint64_t page_bytes,
                       struct ste_process *ret);

#endif
