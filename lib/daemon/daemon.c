/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/daemon.h"

#include <getopt.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/signals.h"
#include "mq/library.h"

_Static_assert((int)STE_OBS_TYPE_COUNT == (int)STE_QUEUE_TYPE_COUNT,
               "a metric's type is a queue's");

static void print_help(const char *proc)
{
    printf("Usage: ste-%s --config FILE --name NAME [OPTION]…\n"
           "       ste-%s --config FILE --check-config\n"
           "  --config FILE      the cluster map\n"
           "  --name NAME        this component's name in the map\n"
           "  --check-config     show every fault of the map and of what it names, then end\n"
           "  --health           ask the running component whether it is ready\n"
           "  --log-level LEVEL  debug, info, warn or error (default info)\n"
           "  --help             this text\n"
           "  --version          the version\n"
           "Runs until SIGTERM or SIGINT, then finishes what is in hand. Events go to standard "
           "error.\n"
           "Exit status: 0 stopped as asked, map without faults, or ready; 1 failed, map with "
           "faults,\n"
           "or not ready; 2 wrong usage\n",
           proc, proc);
}

/* Returns -1 to go on, else the exit status (help, version, usage). */
static int read_options(struct ste_daemon *daemon, const char *proc, int argc, char **argv)
{
    static const struct option options[] = {
        {"config", required_argument, NULL, 'c'},    {"name", required_argument, NULL, 'n'},
        {"check-config", no_argument, NULL, 'k'},    {"health", no_argument, NULL, 'h'},
        {"log-level", required_argument, NULL, 'l'}, {"help", no_argument, NULL, 'H'},
        {"version", no_argument, NULL, 'v'},         {NULL, 0, NULL, 0}};

    *daemon = (struct ste_daemon){
        .log = {.proc = proc, .level = STE_LOG_INFO}, .signal_fd = -1, .wake_fd = -1};
    for (int c; (c = getopt_long(argc, argv, "", options, NULL)) != -1;) {
        switch (c) {
        case 'c':
            daemon->config_file = optarg;
            break;
        case 'n':
            daemon->name = optarg;
            break;
        case 'k':
            daemon->check_config = true;
            break;
        case 'h':
            daemon->health = true;
            break;
        case 'l':
            if (!ste_log_level_of(optarg, &daemon->log.level)) {
                fprintf(stderr, "ste-%s: unknown log level %s\n", proc, optarg);
                return 2;
            }
            break;
        case 'v':
            printf("ste-%s %s\n", proc, STE_VERSION);
            return 0;
        case 'H':
            print_help(proc);
            return 0;
        default:
            return 2;
        }
    }
    if (daemon->config_file == NULL ||
        (daemon->name == NULL && (!daemon->check_config || daemon->health)) || optind != argc) {
        fprintf(stderr, "ste-%s: --config and --name are needed, see --help\n", proc);
        return 2;
    }
    return -1;
}

/* The faults of what the map names, where the map itself is too faulty to be used. */
static void find_more_faults(const char *file, struct ste_faults *faults)
{
    struct ste_error ignored = {0}; /* the map's own faults are told already */
    struct ste_faults again = {0};
    struct ste_cluster *draft = NULL;
    struct ste_ref *ref = NULL;
    if (ste_cluster_draft(file, &again, &draft, &ignored) == STE_OK &&
        ste_ref_load(draft, faults, &ref, &ignored) == STE_OK)
        ste_ref_free(ref);
    ste_cluster_free(draft);
    ste_faults_deinit(&again);
}

static void log_warnings(const struct ste_log *log, const char *lines)
{
    while (*lines != '\0') {
        const size_t length = strcspn(lines, "\n");
        char line[512], quoted[640];
        snprintf(line, sizeof(line), "%.*s", (int)length, lines);
        ste_log_line(log, STE_LOG_WARN, "config.warning", "text=%s",
                     ste_log_quote(line, quoted, sizeof(quoted)));
        lines += length + (lines[length] == '\n');
    }
}

/* Prints every fault of the map and of what it names as file:line:column; *ret_shown: there were
 * some. */
static enum ste_code load(struct ste_daemon *daemon, bool *ret_shown, struct ste_error *err)
{
    struct ste_faults faults = {0};
    enum ste_code rc = ste_cluster_load(daemon->config_file, &faults, &daemon->cluster, err);
    if (rc == STE_OK)
        rc = ste_ref_load(daemon->cluster, &faults, &daemon->ref, err);
    else if (rc == STE_E_CONFIG)
        find_more_faults(daemon->config_file, &faults);
    ste_faults_print(&faults, stderr);
    *ret_shown = ste_faults_any(&faults);
    if (rc == STE_OK && *ret_shown)
        rc =
            ste_error_set(err, STE_E_CONFIG, "%zu faults in %s", faults.count, daemon->config_file);
    if (rc == STE_OK && !daemon->health) {
        log_warnings(&daemon->log, ste_cluster_warnings(daemon->cluster));
        log_warnings(&daemon->log, ste_ref_warnings(daemon->ref));
    }
    ste_faults_deinit(&faults);
    return rc;
}

/* Exit status of --health. */
static int ask_health(unsigned health_port)
{
    char reasons[512] = "";
    struct ste_error err = {0};
    if (ste_obs_probe(health_port, reasons, sizeof(reasons), &err) == STE_OK)
        return 0;
    fprintf(stderr, "not ready: %s\n", reasons[0] != '\0' ? reasons : err.text);
    return 1;
}

static void stop_all(struct ste_daemon *daemon)
{
    atomic_store(&daemon->stopping, true);
    const uint64_t one = 1;
    if (write(daemon->wake_fd, &one, sizeof(one)) < 0)
        return; /* an eventfd that is full is readable, which is all that is wanted */
}

static void *worker_main(void *argument)
{
    struct ste_worker_slot *slot = argument;
    struct ste_daemon *daemon = slot->daemon;
    struct ste_error err = {0};
    const enum ste_code rc = slot->run(slot, &err);
    if (rc != STE_OK && rc != STE_E_STOPPING) {
        ste_log_error(&daemon->log, STE_LOG_ERROR, "worker.failed", &err);
        stop_all(daemon);
        kill(getpid(), SIGTERM); /* wakes the main thread; the exit status says it failed */
        return slot;
    }
    return NULL;
}

static void wait_for_signal(struct ste_daemon *daemon)
{
    for (;;) {
        const int signal_number = ste_signals_wait(daemon->signal_fd, -1);
        if (signal_number == SIGTERM || signal_number == SIGINT)
            return;
        if (signal_number == SIGHUP)
            ste_log_line(&daemon->log, STE_LOG_INFO, "signal.ignored", "signal=SIGHUP");
    }
}

enum ste_code ste_daemon_run(struct ste_daemon *daemon, unsigned health_port,
                             struct ste_worker_slot *slots, size_t slot_count,
                             struct ste_error *err)
{
    pthread_t *threads = NULL;
    size_t started = 0;
    bool failed = false;
    enum ste_code rc = ste_signals_open(&daemon->signal_fd, err);
    if (rc != STE_OK)
        goto out;
    daemon->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    threads = calloc(slot_count + 1, sizeof(*threads));
    if (daemon->wake_fd < 0 || threads == NULL) {
        rc = ste_error_set(err, STE_E_NOMEM, "could not prepare %zu workers", slot_count);
        goto out;
    }
    rc = ste_obs_start(daemon->log.proc, daemon->name, health_port, slot_count, &daemon->obs, err);
    if (rc != STE_OK)
        goto out;
    ste_log_line(&daemon->log, STE_LOG_INFO, "daemon.started",
                 "name=%s version=%s workers=%zu health_port=%u", daemon->name, STE_VERSION,
                 slot_count, ste_obs_port(daemon->obs));
    char warning[512];
    if (ste_mq_library_warning(warning, sizeof(warning)))
        log_warnings(&daemon->log, warning);
    for (size_t i = 0; i < slot_count; i++) {
        slots[i].daemon = daemon;
        slots[i].counters = ste_obs_worker(daemon->obs, i);
        memcpy(slots[i].counters->labels, slots[i].labels, sizeof(slots[i].labels));
        ste_obs_not_ready(slots[i].counters, "starting");
        if (pthread_create(&threads[i], NULL, worker_main, &slots[i]) != 0) {
            rc = ste_error_set(err, STE_E_NOMEM, "could not start worker %zu", i);
            stop_all(daemon);
            break;
        }
        started++;
    }
    if (rc == STE_OK)
        wait_for_signal(daemon);
    stop_all(daemon);
out:
    for (size_t i = 0; i < started; i++) {
        void *result = NULL;
        pthread_join(threads[i], &result);
        failed |= result != NULL;
    }
    if (rc == STE_OK && failed)
        rc = ste_error_set(err, STE_E_STOPPING, "a worker failed");
    ste_log_line(&daemon->log, STE_LOG_INFO, "daemon.stopped", "clean=%s",
                 rc == STE_OK ? "yes" : "no");
    free(threads);
    return rc;
}

void ste_daemon_pause(struct ste_daemon *daemon, unsigned ms)
{
    struct pollfd wake = {.fd = daemon->wake_fd, .events = POLLIN};
    if (poll(&wake, 1, (int)ms) < 0)
        return; /* a signal: the caller's loop looks at `stopping` anyway */
}

static void deinit(struct ste_daemon *daemon)
{
    ste_obs_stop(daemon->obs);
    ste_ref_free(daemon->ref);
    ste_cluster_free(daemon->cluster);
    if (daemon->wake_fd >= 0)
        close(daemon->wake_fd);
    if (daemon->signal_fd >= 0)
        close(daemon->signal_fd);
}

int ste_daemon_main(const char *proc, ste_daemon_find *find, ste_daemon_start *run, int argc,
                    char **argv)
{
    struct ste_daemon daemon;
    struct ste_error err = {0};
    int status = read_options(&daemon, proc, argc, argv);
    if (status >= 0)
        return status;
    unsigned health_port = 0;
    const void *component = NULL;
    bool faults_shown = false;
    enum ste_code rc = load(&daemon, &faults_shown, &err);
    if (rc == STE_OK && daemon.name != NULL) {
        component = find(daemon.cluster, daemon.name, &health_port);
        if (component == NULL)
            rc = ste_error_set(&err, STE_E_CONFIG, "no %s %s in the map", proc, daemon.name);
    }
    if (rc == STE_OK && daemon.health)
        status = ask_health(health_port);
    else if (rc == STE_OK && !daemon.check_config)
        rc = run(&daemon, component, &err);
    if (rc != STE_OK && !(daemon.check_config && faults_shown)) /* the faults are the answer */
        ste_log_error(&daemon.log, STE_LOG_ERROR, "daemon.failed", &err);
    deinit(&daemon);
    return rc != STE_OK ? 1 : status < 0 ? 0 : status;
}
