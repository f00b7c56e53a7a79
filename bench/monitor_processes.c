/* SPDX-License-Identifier: Apache-2.0
 * The machine, and the processes of a lab: broker, shards, routers and nodes, by run/NAME.pid,
 * which holds the process id and when it was started (clock ticks since boot). */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/process.h"
#include "bench/machine.h"
#include "bench/monitor_parts.h"

enum { PATH_BYTES = 4096, PID_TEXT_BYTES = 64 };

struct watched {
    char name[STE_SAMPLES_NAME_BYTES]; /* of run/NAME.pid, and of its rows */
    struct ste_outage outage;
};
struct ste_monitor_processes {
    const char *lab, *self;
    const struct ste_cluster *cluster;
    struct ste_outage data[STE_SHARD_COUNT_MAX]; /* the shards' folders */
    size_t count;
    struct watched watched[];
};

static void put_process(const char *name, pid_t pid, const struct ste_process *process,
                        bool with_fds, struct ste_samples_writer *writer)
{
    const unsigned fds = with_fds ? ste_process_open_fds(pid) : 0;
    ste_samples_put(writer, STE_Q_PROCESS_CPU, name, "", (double)process->cpu_ns / 1e9);
    ste_samples_put(writer, STE_Q_PROCESS_MEMORY, name, "", (double)process->resident_bytes);
    if (fds > 0)
        ste_samples_put(writer, STE_Q_PROCESS_FDS, name, "", fds);
}

/* The process of run/NAME.pid. A recycled id is another process: its start differs. */
static bool read_lab_process(const char *lab, const char *name, pid_t *ret_pid,
                             struct ste_process *ret)
{
    char path[PATH_BYTES], text[PID_TEXT_BYTES];
    long pid = 0;
    unsigned long long started = 0;
    snprintf(path, sizeof path, "%s/run/%s.pid", lab, name);
    if (!ste_machine_read_file(path, text, sizeof text) ||
        sscanf(text, "%ld %llu", &pid, &started) != 2 || pid <= 0 ||
        !ste_process_read((pid_t)pid, ret))
        return false;
    *ret_pid = (pid_t)pid;
    return ret->started_after_ns == started * (STE_NS_PER_S / (uint64_t)sysconf(_SC_CLK_TCK));
}

static void sample_lab_process(const char *lab, struct watched *watched, bool with_fds,
                               struct ste_samples_writer *writer)
{
    pid_t pid = 0;
    struct ste_process process;
    if (read_lab_process(lab, watched->name, &pid, &process)) {
        watched->outage.told = false;
        put_process(watched->name, pid, &process, with_fds, writer);
    } else {
        struct ste_error err = {0};
        (void)ste_error_set(&err, STE_E_FILE, "run/%s.pid tells of no process that runs: no CPU",
                            watched->name);
        ste_outage_tell(&watched->outage, watched->name, &err);
    }
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

static void watch(struct ste_monitor_processes *processes, const char *name)
{
    (void)snprintf(processes->watched[processes->count++].name, STE_SAMPLES_NAME_BYTES, "%s", name);
}

static void watch_daemon(struct ste_monitor_processes *processes, const char *name)
{
    pid_t pid = 0;
    struct ste_process process;
    if (read_lab_process(processes->lab, name, &pid, &process))
        watch(processes, name);
}

enum ste_code ste_monitor_processes_open(const char *lab, const struct ste_cluster *cluster,
                                         const char *self, struct ste_monitor_processes **ret,
                                         struct ste_error *err)
{
    const size_t most = 1 + cluster->shard_count + cluster->router_count + cluster->node_count;
    struct ste_monitor_processes *processes =
        calloc(1, sizeof *processes + most * sizeof processes->watched[0]);
    if (!processes)
        return ste_error_set(err, STE_E_NOMEM, "no memory for the monitor");
    processes->lab = lab;
    processes->self = self;
    processes->cluster = cluster;
    *ret = processes;
    if (!lab)
        return STE_OK;
    watch(processes, "broker");
    for (unsigned number = 0; number < cluster->shard_count; number++) {
        char name[STE_SAMPLES_NAME_BYTES];
        snprintf(name, sizeof name, "shard-%u", number);
        watch(processes, name);
    }
    for (size_t i = 0; i < cluster->router_count; i++)
        watch_daemon(processes, cluster->routers[i].name);
    for (size_t i = 0; i < cluster->node_count; i++)
        watch_daemon(processes, cluster->nodes[i].name);
    return STE_OK;
}

void ste_monitor_processes_close(struct ste_monitor_processes *processes)
{
    free(processes);
}

bool ste_monitor_processes_have(const struct ste_monitor_processes *processes, const char *name)
{
    for (size_t i = 0; i < processes->count; i++)
        if (strcmp(processes->watched[i].name, name) == 0)
            return true;
    return false;
}

void ste_monitor_processes_sample(struct ste_monitor_processes *processes, bool with_fds,
                                  struct ste_samples_writer *writer)
{
    struct ste_process own;
    sample_machine(processes->lab, writer);
    if (ste_process_read(0, &own))
        put_process(processes->self, 0, &own, with_fds, writer);
    for (size_t i = 0; i < processes->count; i++)
        sample_lab_process(processes->lab, &processes->watched[i], with_fds, writer);
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

void ste_monitor_data_sample(struct ste_monitor_processes *processes,
                             struct ste_samples_writer *writer)
{
    const struct ste_cluster *cluster = processes->cluster;
    for (unsigned number = 0; processes->lab && number < cluster->shard_count; number++) {
        char name[STE_SAMPLES_NAME_BYTES], path[PATH_BYTES];
        double bytes = 0;
        snprintf(name, sizeof name, "shard-%u", number);
        snprintf(path, sizeof path, "%s/%s/data/%s", processes->lab, name, cluster->database.name);
        if (folder_bytes(path, &bytes)) {
            processes->data[number].told = false;
            ste_samples_put(writer, STE_Q_SHARD_DATA_BYTES, name, "", bytes);
        } else {
            struct ste_error err = {0};
            (void)ste_error_set(&err, STE_E_FILE, "could not read folder %s: %s", path,
                                strerror(errno));
            ste_outage_tell(&processes->data[number], name, &err);
        }
    }
}

bool ste_monitor_is_lab(const char *folder)
{
    char path[PATH_BYTES];
    struct stat conf;
    snprintf(path, sizeof path, "%s/lab.conf", folder);
    return stat(path, &conf) == 0;
}
