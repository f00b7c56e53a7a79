/* SPDX-License-Identifier: Apache-2.0
 * The machine, and the processes of a lab that serve no metrics themselves: broker and shards, by
 * run/NAME.pid, which holds the process id and when it was started (clock ticks since boot). */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/process.h"
#include "bench/machine.h"
#include "bench/monitor_parts.h"

enum { PATH_BYTES = 4096, PID_TEXT_BYTES = 64 };

static void put_process(const char *name, pid_t pid, const struct ste_process *process,
                        bool with_fds, struct ste_samples_writer *writer)
{
    const unsigned fds = with_fds ? ste_process_open_fds(pid) : 0;
    ste_samples_put(writer, STE_Q_PROCESS_CPU, name, "", (double)process->cpu_ns / 1e9);
    ste_samples_put(writer, STE_Q_PROCESS_MEMORY, name, "", (double)process->resident_bytes);
    if (fds > 0)
        ste_samples_put(writer, STE_Q_PROCESS_FDS, name, "", fds);
}

/* A recycled id is another process: its start differs. */
static void sample_lab_process(const char *lab, const char *name, bool with_fds,
                               struct ste_samples_writer *writer)
{
    char path[PATH_BYTES], text[PID_TEXT_BYTES];
    long pid = 0;
    unsigned long long started = 0;
    struct ste_process process;
    snprintf(path, sizeof path, "%s/run/%s.pid", lab, name);
    if (!ste_machine_read_file(path, text, sizeof text) ||
        sscanf(text, "%ld %llu", &pid, &started) != 2 || pid <= 0 ||
        !ste_process_read((pid_t)pid, &process))
        return;
    const uint64_t tick_ns = STE_NS_PER_S / (uint64_t)sysconf(_SC_CLK_TCK);
    if (process.started_after_ns == started * tick_ns)
        put_process(name, (pid_t)pid, &process, with_fds, writer);
}

static void sample_machine(const char *lab, struct ste_samples_writer *writer)
{
    double busy_s = 0;
    struct statvfs disk;
    if (ste_machine_busy(&busy_s))
        ste_samples_put(writer, STE_Q_MACHINE_BUSY, "machine", "", busy_s);
    ste_samples_put(writer, STE_Q_MACHINE_CORES, "machine", "", ste_machine_cores());
    if (lab && statvfs(lab, &disk) == 0)
        ste_samples_put(writer, STE_Q_MACHINE_DISK_FREE, "machine", "",
                        (double)disk.f_bavail * (double)disk.f_frsize);
}

void ste_monitor_processes_sample(const char *lab, const struct ste_cluster *cluster,
                                  const char *self, bool with_fds,
                                  struct ste_samples_writer *writer)
{
    struct ste_process own;
    sample_machine(lab, writer);
    if (ste_process_read(0, &own))
        put_process(self, 0, &own, with_fds, writer);
    if (!lab)
        return;
    sample_lab_process(lab, "broker", with_fds, writer);
    for (unsigned number = 0; number < cluster->shard_count; number++) {
        char name[STE_SAMPLES_NAME_BYTES];
        snprintf(name, sizeof name, "shard-%u", number);
        sample_lab_process(lab, name, with_fds, writer);
    }
}

/* What the files of one folder take on the disk; false: it cannot be read. */
static bool folder_bytes(const char *folder, double *ret)
{
    DIR *dir = opendir(folder);
    struct stat file;
    if (!dir)
        return false;
    *ret = 0;
    for (const struct dirent *entry; (entry = readdir(dir));)
        if (fstatat(dirfd(dir), entry->d_name, &file, AT_SYMLINK_NOFOLLOW) == 0 &&
            S_ISREG(file.st_mode))
            *ret += (double)file.st_blocks * 512;
    (void)closedir(dir);
    return true;
}

void ste_monitor_data_sample(const char *lab, const struct ste_cluster *cluster,
                             struct ste_samples_writer *writer)
{
    for (unsigned number = 0; lab && number < cluster->shard_count; number++) {
        char name[STE_SAMPLES_NAME_BYTES], path[PATH_BYTES];
        double bytes = 0;
        snprintf(name, sizeof name, "shard-%u", number);
        snprintf(path, sizeof path, "%s/%s/data/%s", lab, name, cluster->database.name);
        if (folder_bytes(path, &bytes))
            ste_samples_put(writer, STE_Q_SHARD_DATA_BYTES, name, "", bytes);
    }
}

bool ste_monitor_is_lab(const char *folder)
{
    char path[PATH_BYTES];
    struct stat conf;
    snprintf(path, sizeof path, "%s/lab.conf", folder);
    return stat(path, &conf) == 0;
}
