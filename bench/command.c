/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/command.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/signals.h"

enum { WATCH_EVERY_MS = 100, HELP_COLUMNS = 24 };

/* Of UTF-8: bytes that are no character of their own, and so take no column. */
static size_t further_bytes(const char *text)
{
    size_t count = 0;
    for (; *text; text++)
        count += ((unsigned char)*text & 0xC0) == 0x80;
    return count;
}

static void print_help(const char *command, const char *what,
                       const struct ste_bench_option *options, size_t count)
{
    printf("Usage: ste-bench %s [OPTION]…\n%s\n", command, what);
    for (size_t i = 0; i < count; i++) {
        char left[64];
        (void)snprintf(left, sizeof left, "--%s%s%s", options[i].name,
                       options[i].value_name ? " " : "",
                       options[i].value_name ? options[i].value_name : "");
        printf("  %-*s %s%s\n", HELP_COLUMNS + (int)further_bytes(left), left, options[i].help,
               options[i].required ? " (required)" : "");
    }
    printf("  %-*s %s\n  %-*s %s\n", HELP_COLUMNS, "--help", "this text", HELP_COLUMNS, "--version",
           "the version");
    puts("Exit status: 0 done, nothing missing; 1 failed, or something is missing; 2 wrong usage;\n"
         "3 gave up waiting");
}

static bool parse_number(const char *text, uint64_t min, uint64_t max, uint64_t *ret)
{
    uint64_t value = 0;
    if (!ste_bytes_u64(ste_bytes_of(text), &value) || value < min || value > max)
        return false;
    *ret = value;
    return true;
}

static int usage(const char *command, const char *option, const char *why)
{
    fprintf(stderr, "ste-bench %s: %s: %s (see ste-bench %s --help)\n", command, option, why,
            command);
    return STE_BENCH_USAGE;
}

static int take_value(const char *command, const struct ste_bench_option *option, const char *value)
{
    if (option->kind == STE_OPTION_TEXT || option->kind == STE_OPTION_OUT) {
        *option->text = value;
        return -1;
    }
    if (parse_number(value, option->min, option->max, option->number))
        return -1;
    char why[96];
    (void)snprintf(why, sizeof why, "wants a whole number from %llu to %llu",
                   (unsigned long long)option->min, (unsigned long long)option->max);
    return usage(command, option->name, why);
}

/* One argument "--name", "--name=value", or "--name" before its value; *at moves to the last word
 * used. */
static int take(int argc, char **argv, int *at, const struct ste_bench_option *options,
                size_t count, bool *given)
{
    const char *word = argv[*at];
    if (strncmp(word, "--", 2) != 0)
        return usage(argv[0], word, "not an option");
    const char *equals = strchr(word, '=');
    size_t len = equals ? (size_t)(equals - word) - 2 : strlen(word) - 2;
    for (size_t i = 0; i < count; i++) {
        if (strlen(options[i].name) != len || strncmp(options[i].name, word + 2, len) != 0)
            continue;
        given[i] = true;
        if (options[i].kind == STE_OPTION_FLAG) {
            *options[i].flag = true;
            return equals ? usage(argv[0], word, "takes no value") : -1;
        }
        if (!equals && *at + 1 >= argc)
            return usage(argv[0], word, "wants a value");
        return take_value(argv[0], &options[i], equals ? equals + 1 : argv[++*at]);
    }
    return usage(argv[0], word, "unknown option");
}

/* Leaves no file where there was none, and what is there as it is. */
static bool may_write(const char *path)
{
    struct stat is;
    if (strcmp(path, "-") == 0)
        return true;
    if (lstat(path, &is) != 0) {
        const int made = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (made >= 0) {
            (void)close(made); /* nothing was written */
            (void)unlink(path);
        }
        return made >= 0;
    }
    if (!S_ISREG(is.st_mode) && !S_ISDIR(is.st_mode))
        return true; /* a pipe, a device or a link: to open it may mean something there */
    const int fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd >= 0)
        (void)close(fd);
    return fd >= 0;
}

static int check(const char *command, const struct ste_bench_option *option, bool given)
{
    if (option->required && !given) {
        fprintf(stderr, "ste-bench %s: --%s is required (see ste-bench %s --help)\n", command,
                option->name, command);
        return STE_BENCH_USAGE;
    }
    if (given && option->kind == STE_OPTION_OUT && !may_write(*option->text)) {
        fprintf(stderr, "ste-bench %s: --%s: %s: %s\n", command, option->name, *option->text,
                strerror(errno));
        return STE_BENCH_FAILURE;
    }
    return -1;
}

int ste_bench_options(int argc, char **argv, const char *what,
                      const struct ste_bench_option *options, size_t count)
{
    bool given[64] = {false};
    if (count > sizeof given / sizeof given[0])
        return STE_BENCH_FAILURE;
    for (int at = 1; at < argc; at++) {
        if (strcmp(argv[at], "--help") == 0) {
            print_help(argv[0], what, options, count);
            return STE_BENCH_OK;
        }
        if (strcmp(argv[at], "--version") == 0) {
            puts("ste-bench " STE_VERSION);
            return STE_BENCH_OK;
        }
        int status = take(argc, argv, &at, options, count, given);
        if (status >= 0)
            return status;
    }
    for (size_t i = 0; i < count; i++) {
        const int status = check(argv[0], &options[i], given[i]);
        if (status >= 0)
            return status;
    }
    return -1;
}

void ste_bench_complain(const char *what, const struct ste_error *err)
{
    fprintf(stderr, "ste-bench: %s: %s%s%s\n", what, err->place, err->place[0] ? ": " : "",
            err->text[0] ? err->text : ste_code_text(err->code));
}

bool ste_bench_map_load(struct ste_bench_map *map, const char *config, bool with_ref)
{
    struct ste_faults faults = {0};
    struct ste_error err = {0};
    *map = (struct ste_bench_map){0};
    enum ste_code rc = ste_cluster_load(config, &faults, &map->cluster, &err);
    if (rc == STE_OK && with_ref)
        rc = ste_ref_load(map->cluster, &faults, &map->ref, &err);
    ste_faults_print(&faults, stderr);
    ste_faults_deinit(&faults);
    if (rc == STE_OK)
        return true;
    ste_bench_complain("map", &err); /* its text names the file */
    ste_bench_map_deinit(map);
    return false;
}

void ste_bench_map_deinit(struct ste_bench_map *map)
{
    ste_ref_free(map->ref);
    ste_cluster_free(map->cluster);
    *map = (struct ste_bench_map){0};
}

void ste_bench_stop(struct ste_bench_jobs *jobs)
{
    uint64_t one = 1;
    atomic_store(&jobs->stopping, true);
    /* A full counter is readable already. */
    if (write(jobs->wake_fd, &one, sizeof one) < 0)
        return;
}

bool ste_bench_timed_out(const struct ste_bench_job *jobs, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (jobs[i].result == STE_E_TIMEOUT)
            return true;
    }
    return false;
}

static void *run_job(void *argument)
{
    struct ste_bench_job *job = argument;
    job->result = job->run(job->context, job->jobs, &job->err);
    job->cpu_ns = ste_clock_thread_cpu_ns();
    if (job->result != STE_OK)
        ste_bench_stop(job->jobs);
    atomic_fetch_sub(&job->jobs->running, 1);
    return NULL;
}

static void watch_jobs(struct ste_bench_jobs *shared, int signal_fd, void (*watch)(void *context),
                       void *watch_context, bool *ret_interrupted)
{
    while (atomic_load(&shared->running) > 0) {
        if (ste_signals_wait(signal_fd, WATCH_EVERY_MS) != 0) {
            *ret_interrupted = true;
            ste_bench_stop(shared);
        }
        if (watch)
            watch(watch_context);
    }
}

bool ste_bench_jobs_run(struct ste_bench_job *jobs, size_t count, void (*watch)(void *context),
                        void *watch_context, bool *ret_interrupted)
{
    struct ste_error err = {0};
    int signal_fd = -1;
    struct ste_bench_jobs shared = {.wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
    *ret_interrupted = false;
    if (shared.wake_fd < 0 || ste_signals_open(&signal_fd, &err) != STE_OK) {
        fprintf(stderr, "ste-bench: could not prepare to stop: %s\n", strerror(errno));
        if (shared.wake_fd >= 0)
            (void)close(shared.wake_fd);
        return false;
    }
    bool good = true;
    size_t started = 0;
    for (; started < count; started++) {
        jobs[started].jobs = &shared;
        atomic_fetch_add(&shared.running, 1);
        if (pthread_create(&jobs[started].thread, NULL, run_job, &jobs[started]) != 0) {
            atomic_fetch_sub(&shared.running, 1);
            fprintf(stderr, "ste-bench: %s: could not start a thread\n", jobs[started].what);
            good = false;
            ste_bench_stop(&shared);
            break;
        }
    }
    watch_jobs(&shared, signal_fd, watch, watch_context, ret_interrupted);
    for (size_t i = 0; i < started; i++) {
        (void)pthread_join(jobs[i].thread, NULL);
        if (jobs[i].result != STE_OK) {
            ste_bench_complain(jobs[i].what, &jobs[i].err);
            good = false;
        }
    }
    (void)close(signal_fd);
    (void)close(shared.wake_fd);
    return good;
}
