/* SPDX-License-Identifier: Apache-2.0
 * What the sub-commands share: options from one table each, the cluster map, threads with an end.
 */
#ifndef STE_BENCH_COMMAND_H
#define STE_BENCH_COMMAND_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "ref/ref.h"

enum ste_bench_exit {
    STE_BENCH_OK = 0,
    STE_BENCH_FAILURE = 1,
    STE_BENCH_USAGE = 2,
    STE_BENCH_TIMED_OUT = 3,
};

/* argv[0] is the sub-command's name; the value returned is the exit status. */
int ste_bench_gen(int argc, char **argv);
int ste_bench_drive(int argc, char **argv);
int ste_bench_pool(int argc, char **argv);
int ste_bench_run(int argc, char **argv);
int ste_bench_ceiling(int argc, char **argv);
int ste_bench_model(int argc, char **argv);
int ste_bench_monitor(int argc, char **argv);
int ste_bench_qos(int argc, char **argv);
int ste_bench_compare(int argc, char **argv);
int ste_bench_codec(int argc, char **argv);
int ste_bench_report(int argc, char **argv);

enum ste_bench_option_kind {
    STE_OPTION_TEXT,
    STE_OPTION_OUT, /* a file that will be written, "-": standard output */
    STE_OPTION_NUMBER,
    STE_OPTION_FLAG,
};
struct ste_bench_option {
    const char *name, *value_name; /* "trades", "N"; value_name NULL for a flag */
    enum ste_bench_option_kind kind;
    const char **text;
    uint64_t *number;
    bool *flag;
    uint64_t min, max;
    bool required;
    const char *help;
};
/* Fills in what is given; everything else keeps the caller's default. A file to be written is tried
 * now, not when the work is done. -1: go on; else the exit status (--help, --version, wrong usage).
 */
int ste_bench_options(int argc, char **argv, const char *what,
                      const struct ste_bench_option *options, size_t count);
#define STE_TEXT_OPTION(name_, value_, target_, required_, help_)                                  \
    {                                                                                              \
        .name = name_, .value_name = value_, .kind = STE_OPTION_TEXT, .text = target_,             \
        .required = required_, .help = help_                                                       \
    }
#define STE_OUT_OPTION(name_, target_, help_)                                                      \
    {                                                                                              \
        .name = name_, .value_name = "FILE", .kind = STE_OPTION_OUT, .text = target_,              \
        .help = help_                                                                              \
    }
#define STE_NUMBER_OPTION(name_, value_, target_, min_, max_, required_, help_)                    \
    {                                                                                              \
        .name = name_, .value_name = value_, .kind = STE_OPTION_NUMBER, .number = target_,         \
        .min = min_, .max = max_, .required = required_, .help = help_                             \
    }
#define STE_FLAG_OPTION(name_, target_, help_)                                                     \
    {                                                                                              \
        .name = name_, .kind = STE_OPTION_FLAG, .flag = target_, .help = help_                     \
    }

/* "ste-bench: <what>: <place>: <text>" on stderr. */
void ste_bench_complain(const char *what, const struct ste_error *err);

struct ste_bench_map {
    struct ste_cluster *cluster;
    struct ste_ref *ref; /* NULL unless asked for */
};
/* Loads the map, and the reference data if asked; faults go to stderr. False: exit FAILURE. */
bool ste_bench_map_load(struct ste_bench_map *map, const char *config, bool with_ref);
void ste_bench_map_deinit(struct ste_bench_map *map);

/* Threads that work until they are done, a signal comes, or one of them fails. */
struct ste_bench_jobs {
    _Atomic bool stopping;
    _Atomic unsigned running;
    _Atomic bool broker_away; /* and told: reach.h */
    int wake_fd;              /* readable once stopping */
};
struct ste_bench_job {
    enum ste_code (*run)(void *context, struct ste_bench_jobs *jobs, struct ste_error *err);
    void *context;
    const char *what; /* for complaints */
    enum ste_code result;
    struct ste_error err;
    uint64_t cpu_ns; /* of its thread, once that has ended */
    struct ste_bench_jobs *jobs;
    pthread_t thread;
};
static inline bool ste_bench_stopping(struct ste_bench_jobs *jobs)
{
    return atomic_load_explicit(&jobs->stopping, memory_order_relaxed);
}
/* One of them gave up: STE_E_TIMEOUT. */
bool ste_bench_timed_out(const struct ste_bench_job *jobs, size_t count);
void ste_bench_stop(struct ste_bench_jobs *jobs);
/* Runs all jobs, calling `watch` (may be NULL) every 100 ms meanwhile in the calling thread.
 * SIGTERM and SIGINT stop them. Complains about every job that failed; true when none did. */
bool ste_bench_jobs_run(struct ste_bench_job *jobs, size_t count, void (*watch)(void *context),
                        void *watch_context, bool *ret_interrupted);

#endif
