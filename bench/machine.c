/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/machine.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

enum { STAT_BYTES = 256, CPUINFO_BYTES = 4096 };

bool ste_machine_parse_busy(const char *stat, uint64_t ticks_per_s, double *ret_s)
{
    uint64_t user, nice, system, idle, iowait, irq, softirq;
    if (ticks_per_s == 0 || sscanf(stat,
                                   "cpu  %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64
                                   " %" SCNu64 " %" SCNu64,
                                   &user, &nice, &system, &idle, &iowait, &irq, &softirq) != 7)
        return false;
    *ret_s = (double)(user + nice + system + irq + softirq) / (double)ticks_per_s;
    return true;
}

void ste_machine_parse_model(const char *cpuinfo, char out[static STE_MACHINE_TEXT_BYTES])
{
    static const char *const keys[] = {"model name", "Model"};
    snprintf(out, STE_MACHINE_TEXT_BYTES, "unknown");
    for (const char *line = cpuinfo; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
            const char *rest = line + strlen(keys[i]);
            if (strncmp(line, keys[i], strlen(keys[i])) != 0)
                continue;
            rest += strspn(rest, " \t");
            if (*rest != ':')
                continue;
            rest += 1 + strspn(rest + 1, " \t");
            snprintf(out, STE_MACHINE_TEXT_BYTES, "%.*s", (int)strcspn(rest, "\n"), rest);
            return;
        }
    }
}

bool ste_machine_read_file(const char *path, char *out, size_t bytes)
{
    FILE *file = fopen(path, "re");
    if (!file)
        return false;
    size_t len = fread(out, 1, bytes - 1, file);
    bool good = ferror(file) == 0;
    (void)fclose(file);
    out[len] = '\0';
    return good;
}

bool ste_machine_busy(double *ret_s)
{
    char stat[STAT_BYTES];
    return ste_machine_read_file("/proc/stat", stat, sizeof stat) &&
           ste_machine_parse_busy(stat, (uint64_t)sysconf(_SC_CLK_TCK), ret_s);
}

unsigned ste_machine_cores(void)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    return cores > 0 ? (unsigned)cores : 1;
}

void ste_machine_model(char out[static STE_MACHINE_TEXT_BYTES])
{
    char cpuinfo[CPUINFO_BYTES] = "";
    (void)ste_machine_read_file("/proc/cpuinfo", cpuinfo, sizeof cpuinfo);
    ste_machine_parse_model(cpuinfo, out);
}

void ste_machine_kernel(char out[static STE_MACHINE_TEXT_BYTES])
{
    struct utsname name;
    if (uname(&name) == 0)
        snprintf(out, STE_MACHINE_TEXT_BYTES, "%.40s %.80s", name.sysname, name.release);
    else
        snprintf(out, STE_MACHINE_TEXT_BYTES, "unknown");
}
