/* SPDX-License-Identifier: Apache-2.0
 * Options, the map and its faults, workers that stop together: through main() of a daemon whose
 * component is a test. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/clock.h"
#include "daemon/daemon.h"

enum { ARGUMENTS_MAX = 12, WORKERS = 3, TEXT_BYTES = 16384 };

/* What a run left behind. */
struct result {
    int status;
    char out[TEXT_BYTES], err[TEXT_BYTES];
};

/* What the stubs saw, and what they shall do. */
static struct {
    unsigned found, ran, health_port, workers_ended;
    bool seen_map;
    enum ste_code worker_rc; /* of the worker that ends the daemon */
    int signal;              /* … or what it sends */
} stub;

static char map_file[64];

/* ---- a component ---- */

static const void *find_component(const struct ste_cluster *cluster, const char *name,
                                  unsigned *ret_health_port)
{
    stub.found++;
    stub.seen_map = cluster != NULL && strcmp(cluster->id, "cases") == 0;
    *ret_health_port = stub.health_port;
    return strcmp(name, "test-1") == 0 ? &stub : NULL;
}

static enum ste_code end_daemon(struct ste_error *err)
{
    if (stub.signal != 0)
        kill(getpid(), stub.signal);
    if (stub.worker_rc != STE_OK)
        return ste_error_set(err, stub.worker_rc, "a test failed on purpose");
    return STE_OK;
}

static enum ste_code run_worker(struct ste_worker_slot *slot, struct ste_error *err)
{
    const unsigned first = 0;
    enum ste_code rc = STE_OK;
    assert_true(strcmp(slot->labels, slot->counters->labels) == 0);
    if (slot->number == first)
        rc = end_daemon(err);
    if (rc != STE_OK)
        return rc;
    while (!ste_daemon_stopping(slot->daemon))
        ste_daemon_pause(slot->daemon, 60000);
    __atomic_fetch_add(&stub.workers_ended, 1, __ATOMIC_SEQ_CST);
    return rc;
}

static enum ste_code run_component(struct ste_daemon *daemon, const void *component,
                                   struct ste_error *err)
{
    struct ste_worker_slot slots[WORKERS] = {0};
    stub.ran++;
    if (component != &stub || daemon->ref == NULL || strcmp(daemon->name, "test-1") != 0)
        return ste_error_set(err, STE_E_ARGUMENT, "not the component that was found");
    for (unsigned i = 0; i < WORKERS; i++) {
        slots[i].run = run_worker;
        slots[i].number = i;
        snprintf(slots[i].labels, sizeof(slots[i].labels), "worker=\"%u\",test=\"1\"", i);
    }
    return ste_daemon_run(daemon, 0, slots, WORKERS, err);
}

/* ---- running main() ---- */

static void read_back(FILE *file, int fd, int saved, char *text)
{
    fflush(file);
    const off_t bytes = lseek(fd, 0, SEEK_CUR);
    const ssize_t got = pread(fd, text, TEXT_BYTES - 1, 0);
    text[got > 0 ? got : 0] = '\0';
    dup2(saved, fileno(file));
    close(saved);
    close(fd);
    assert_true(bytes < TEXT_BYTES);
}

static int redirect(FILE *file, int *ret_saved)
{
    char name[] = "/tmp/ste-daemon-test-XXXXXX";
    fflush(file);
    const int fd = mkstemp(name);
    unlink(name);
    *ret_saved = dup(fileno(file));
    dup2(fd, fileno(file));
    return fd;
}

/* Arguments up to NULL. */
static struct result *run_main(const char *first, ...)
{
    static struct result result;
    char words[ARGUMENTS_MAX][128], *arguments[ARGUMENTS_MAX + 1] = {words[0]};
    int count = 1, saved_out, saved_err;
    snprintf(words[0], sizeof(words[0]), "ste-test");
    va_list args;
    va_start(args, first);
    for (const char *word = first; word != NULL; word = va_arg(args, const char *)) {
        snprintf(words[count], sizeof(words[0]), "%s", word);
        arguments[count] = words[count];
        count++;
    }
    va_end(args);
    optind = 0; /* glibc: begin again */
    stub.found = stub.ran = stub.workers_ended = 0;
    const int out = redirect(stdout, &saved_out), err = redirect(stderr, &saved_err);
    result.status = ste_daemon_main("test", find_component, run_component, count, arguments);
    read_back(stdout, out, saved_out, result.out);
    read_back(stderr, err, saved_err, result.err);
    return &result;
}

static void assert_has(const char *text, const char *part)
{
    if (strstr(text, part) == NULL)
        fail_msg("\"%s\" is not in \"%s\"", part, text);
}

static size_t count_lines(const char *text, const char *part)
{
    size_t count = 0;
    for (const char *at = text; (at = strstr(at, part)) != NULL; at += strlen(part))
        count++;
    return count;
}

/* The map of tests/cases as it would be elsewhere; `find` becomes `put`. */
static void write_map(const char *find, const char *put)
{
    static char text[TEXT_BYTES];
    FILE *const from = fopen(STE_SOURCE_DIR "/tests/cases/cluster.yaml", "re");
    FILE *const to = fopen(map_file, "we");
    assert_true(from != NULL && to != NULL);
    text[fread(text, 1, sizeof(text) - 1, from)] = '\0';
    fclose(from);
    for (const char *at = text; *at != '\0';) {
        const char *put_here = NULL;
        size_t skip = 0;
        if (strncmp(at, "../../deploy", 12) == 0) {
            put_here = STE_SOURCE_DIR "/deploy";
            skip = 12;
        } else if (strncmp(at, "participants.yaml", 17) == 0) {
            put_here = STE_SOURCE_DIR "/tests/cases/participants.yaml";
            skip = 17;
        } else if (find != NULL && strncmp(at, find, strlen(find)) == 0) {
            put_here = put;
            skip = strlen(find);
        }
        if (put_here != NULL)
            fputs(put_here, to);
        else
            fputc(*at, to);
        at += put_here != NULL ? skip : 1;
    }
    assert_int_equal(fclose(to), 0);
}

static int set_up(void **state)
{
    (void)state;
    memset(&stub, 0, sizeof(stub));
    snprintf(map_file, sizeof(map_file), "/tmp/ste-daemon-map-%d.yaml", (int)getpid());
    write_map(NULL, NULL);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    return unlink(map_file);
}

/* ---- options ---- */

static void test_help_and_version(void **state)
{
    (void)state;
    const struct result *result = run_main("--help", NULL);
    assert_int_equal(result->status, 0);
    assert_has(result->out, "Usage: ste-test --config FILE");
    assert_string_equal(result->err, "");
    result = run_main("--version", NULL);
    assert_int_equal(result->status, 0);
    assert_string_equal(result->out, "ste-test " STE_VERSION "\n");
    assert_int_equal(stub.found + stub.ran, 0);
}

static void test_wrong_usage(void **state)
{
    static const char *const usages[][6] = {
        {NULL},
        {"--config", map_file, NULL},
        {"--name", "test-1", NULL},
        {"--config", map_file, "--name", "test-1", "more", NULL},
        {"--config", NULL},
        {"--nonsense", NULL},
        {"--config", map_file, "--log-level", "loud", NULL},
        {"--check-config", NULL},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(usages) / sizeof(usages[0]); i++) {
        const char *const *const u = usages[i];
        const struct result *const result =
            u[0] == NULL ? run_main(NULL, NULL) : run_main(u[0], u[1], u[2], u[3], u[4], NULL);
        if (result->status != 2)
            fail_msg("usage %zu: %d", i, result->status);
        assert_true(result->err[0] != '\0');
        assert_int_equal(stub.found + stub.ran, 0);
    }
}

/* ---- the map ---- */

static void test_a_good_map(void **state)
{
    (void)state;
    const struct result *const result = run_main("--config", map_file, "--check-config", NULL);
    if (result->status != 0)
        fail_msg("%s", result->err);
    assert_int_equal(count_lines(result->err, map_file), 0);
    assert_int_equal(stub.ran, 0);
}

/* Each fault a line with its place, those of the map and those of what it names; nothing else. */
static void test_every_fault_at_once(void **state)
{
    (void)state;
    write_map("instruments.csv", "nothing.csv");
    FILE *const more = fopen(map_file, "ae");
    assert_non_null(more);
    fputs("stray: 1\nother: 2\n", more);
    fclose(more);
    const struct result *const result = run_main("--config", map_file, "--check-config", NULL);
    assert_int_equal(result->status, 1);
    assert_has(result->err, "stray");
    assert_has(result->err, "other");
    assert_has(result->err, "nothing.csv");
    assert_int_equal(count_lines(result->err, "\n"), 3);
    const size_t file = strlen(map_file);
    for (const char *at = result->err; *at != '\0'; at = strchr(at, '\n') + 1) {
        unsigned line = 0, column = 0;
        if (strncmp(at, map_file, file) != 0 || sscanf(at + file, ":%u:%u:", &line, &column) != 2 ||
            line == 0 || column == 0)
            fail_msg("no file:line:column: %.*s", (int)strcspn(at, "\n"), at);
    }
    assert_int_equal(stub.found + stub.ran, 0);
}

static void test_a_faulty_map_does_not_run(void **state)
{
    (void)state;
    write_map("shard_count: 4", "shard_count: 40");
    const struct result *const result = run_main("--config", map_file, "--name", "test-1", NULL);
    assert_int_equal(result->status, 1);
    assert_has(result->err, "cluster.shard_count");
    assert_has(result->err, "event=daemon.failed");
    assert_int_equal(stub.ran, 0);
}

static void test_no_such_file_and_no_such_name(void **state)
{
    (void)state;
    const struct result *result =
        run_main("--config", "/nonexistent.yaml", "--name", "test-1", NULL);
    assert_int_equal(result->status, 1);
    assert_has(result->err, "/nonexistent.yaml");
    result = run_main("--config", "/nonexistent.yaml", "--check-config", NULL);
    assert_int_equal(result->status, 1);
    assert_has(result->err, "/nonexistent.yaml");
    result = run_main("--config", map_file, "--name", "nobody", NULL);
    assert_int_equal(result->status, 1);
    assert_has(result->err, "no test nobody in the map");
    assert_true(stub.seen_map);
    assert_int_equal(stub.ran, 0);
    /* Who names a component means it to be there. */
    result = run_main("--config", map_file, "--check-config", "--name", "nobody", NULL);
    assert_int_equal(result->status, 1);
    result = run_main("--config", map_file, "--check-config", "--name", "test-1", NULL);
    assert_int_equal(result->status, 0);
    assert_int_equal(stub.ran, 0);
}

/* ---- workers ---- */

static void assert_stops(int signal_number)
{
    stub.signal = signal_number;
    const struct result *const result = run_main("--config", map_file, "--name", "test-1", NULL);
    if (result->status != 0)
        fail_msg("%s", result->err);
    assert_int_equal(stub.ran, 1);
    assert_int_equal(stub.workers_ended, WORKERS);
    assert_has(result->err, "event=daemon.started name=test-1");
    assert_has(result->err, "event=daemon.stopped clean=yes");
}

static void test_signals_stop_all_workers(void **state)
{
    (void)state;
    assert_stops(SIGTERM);
    assert_stops(SIGINT);
}

static void test_a_failed_worker_stops_the_others(void **state)
{
    (void)state;
    stub.worker_rc = STE_E_NOMEM;
    const struct result *const result = run_main("--config", map_file, "--name", "test-1", NULL);
    assert_int_equal(result->status, 1);
    assert_int_equal(stub.workers_ended, WORKERS - 1);
    assert_has(result->err, "event=worker.failed");
    assert_has(result->err, "a test failed on purpose");
    assert_has(result->err, "clean=no");
}

/* A worker that was stopped in the middle of something has not failed. */
static void test_a_stopped_worker_has_not_failed(void **state)
{
    (void)state;
    stub.signal = SIGTERM;
    stub.worker_rc = STE_E_STOPPING;
    const struct result *const result = run_main("--config", map_file, "--name", "test-1", NULL);
    assert_int_equal(result->status, 0);
    assert_int_equal(count_lines(result->err, "worker.failed"), 0);
}

static void test_log_level(void **state)
{
    (void)state;
    stub.signal = SIGTERM;
    const struct result *const result =
        run_main("--config", map_file, "--name", "test-1", "--log-level", "error", NULL);
    assert_int_equal(result->status, 0);
    assert_string_equal(result->err, "");
}

static void test_pause_ends_when_the_daemon_stops(void **state)
{
    (void)state;
    struct ste_daemon daemon = {.wake_fd = -1};
    const uint64_t start_ns = ste_clock_mono_ns();
    ste_daemon_pause(&daemon, 30);
    assert_true(ste_clock_mono_ns() - start_ns >= 29 * 1000000ull);
    /* run_worker pauses for a minute: assert_stops would wait for it if nothing woke it. */
    assert_stops(SIGTERM);
    assert_true(ste_clock_mono_ns() - start_ns < 30ull * 1000000000);
}

/* ---- --health ---- */

static void test_health(void **state)
{
    (void)state;
    struct ste_obs *obs = NULL;
    struct ste_error failure = {0};
    assert_int_equal(ste_obs_start("test", "test-1", 0, 1, &obs, &failure), STE_OK);
    stub.health_port = ste_obs_port(obs);
    ste_obs_not_ready(ste_obs_worker(obs, 0), "not connected to the broker");
    const struct result *result =
        run_main("--config", map_file, "--name", "test-1", "--health", NULL);
    assert_int_equal(result->status, 1);
    assert_has(result->err, "not ready");
    assert_has(result->err, "not connected to the broker");
    ste_obs_not_ready(ste_obs_worker(obs, 0), NULL);
    result = run_main("--config", map_file, "--name", "test-1", "--health", NULL);
    assert_int_equal(result->status, 0);
    ste_obs_stop(obs);
    result = run_main("--config", map_file, "--name", "test-1", "--health", NULL);
    assert_int_equal(result->status, 1);
    assert_has(result->err, "not ready");
    assert_int_equal(stub.ran, 0);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(test_help_and_version),
        TEST(test_wrong_usage),
        TEST(test_a_good_map),
        TEST(test_every_fault_at_once),
        TEST(test_a_faulty_map_does_not_run),
        TEST(test_no_such_file_and_no_such_name),
        TEST(test_signals_stop_all_workers),
        TEST(test_a_failed_worker_stops_the_others),
        TEST(test_a_stopped_worker_has_not_failed),
        TEST(test_log_level),
        TEST(test_pause_ends_when_the_daemon_stops),
        TEST(test_health),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
