/* SPDX-License-Identifier: Apache-2.0 */
#include "base/process.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"

enum { PATH_BYTES = 64, STAT_BYTES = 1024 };

bool ste_process_parse(const char *stat, uint64_t ticks_per_s, uint64_t page_bytes,
                       struct ste_process *ret)
{
    /* Fields 14 utime, 15 stime, 22 starttime, 24 rss of proc(5), counted behind the name. */
    const char *name_end = strrchr(stat, ')');
    uint64_t user = 0, system = 0, start = 0, pages = 0;
    if (!name_end || ticks_per_s == 0 ||
        sscanf(name_end + 1,
               " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %" SCNu64 " %" SCNu64
               " %*d %*d %*d %*d %*d %*d %" SCNu64 " %*u %" SCNu64,
               &user, &system, &start, &pages) != 4)
        return false;
    ret->cpu_ns = (user + system) * (STE_NS_PER_S / ticks_per_s);
    ret->started_after_ns = start * (STE_NS_PER_S / ticks_per_s);
    ret->resident_bytes = pages * page_bytes;
    return true;
}

/* "/proc/self/stat", "/proc/17/fd" */
static void path_of(pid_t pid, const char *what, char path[static PATH_BYTES])
{
    if (pid == 0)
        snprintf(path, PATH_BYTES, "/proc/self/%s", what);
    else
        snprintf(path, PATH_BYTES, "/proc/%ld/%s", (long)pid, what);
}

unsigned ste_process_open_fds(pid_t pid)
{
    char path[PATH_BYTES];
    path_of(pid, "fd", path);
    DIR *dir = opendir(path);
    unsigned count = 0;
    if (!dir)
        return 0;
    for (const struct dirent *entry; (entry = readdir(dir));)
        count += entry->d_name[0] != '.';
    (void)closedir(dir);
    return pid == 0 && count > 0 ? count - 1 : count; /* without that of the counting itself */
}

bool ste_process_read(pid_t pid, struct ste_process *ret)
{
    char path[PATH_BYTES], stat[STAT_BYTES];
    path_of(pid, "stat", path);
    FILE *file = fopen(path, "re");
    if (!file)
        return false;
    size_t len = fread(stat, 1, sizeof stat - 1, file);
    (void)fclose(file);
    stat[len] = '\0';
    return ste_process_parse(stat, (uint64_t)sysconf(_SC_CLK_TCK), (uint64_t)sysconf(_SC_PAGESIZE),
                             ret);
}
