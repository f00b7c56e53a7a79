/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"

static const struct ste_log node_log = {.proc = "node", .level = STE_LOG_INFO};

struct capture {
    FILE *file;
    int stderr_before;
};

static struct capture capture_start(void)
{
    struct capture capture = {tmpfile(), dup(STDERR_FILENO)};
    assert_non_null(capture.file);
    assert_true(dup2(fileno(capture.file), STDERR_FILENO) >= 0);
    return capture;
}

static size_t capture_stop(struct capture capture, char *out, size_t out_bytes)
{
    dup2(capture.stderr_before, STDERR_FILENO);
    close(capture.stderr_before);
    rewind(capture.file);
    size_t len = fread(out, 1, out_bytes - 1, capture.file);
    out[len] = '\0';
    fclose(capture.file);
    return len;
}

static void a_line_is_key_value(void **state)
{
    (void)state;
    char out[8192];
    struct capture capture = capture_start();
    ste_log_line(&node_log, STE_LOG_DEBUG, "message.routed", "dropped=1");
    ste_log_line(&node_log, STE_LOG_INFO, "worker.start", "");
    ste_log_line(&node_log, STE_LOG_WARN, "shard.down", "shard=%d", 3);
    capture_stop(capture, out, sizeof(out));
    assert_null(strstr(out, "dropped"));
    assert_memory_equal(out, "ts=20", 5);
    char *second = strchr(out, '\n') + 1;
    assert_string_equal(strchr(second, ' '), " level=warn proc=node event=shard.down shard=3\n");
    *second = '\0';
    assert_string_equal(strchr(out, ' '), " level=info proc=node event=worker.start\n");
}

static void levels_have_names(void **state)
{
    static const char *const names[] = {"debug", "info", "warn", "error"};
    (void)state;
    enum ste_log_level level = STE_LOG_ERROR;
    assert_false(ste_log_level_of("", &level));
    assert_false(ste_log_level_of("warning", &level));
    assert_int_equal(level, STE_LOG_ERROR);
    for (int i = 0; i < 4; i++) {
        assert_true(ste_log_level_of(names[i], &level));
        assert_int_equal(level, STE_LOG_DEBUG + i);
    }
}

static void a_value_never_breaks_the_line(void **state)
{
    (void)state;
    static char out[16384], huge[9000];
    memset(huge, 'h', sizeof(huge) - 1);
    struct capture capture = capture_start();
    ste_log_line(&node_log, STE_LOG_ERROR, "input.bad", "raw=%s", "a\nb\x1b[31mc");
    ste_log_line(&node_log, STE_LOG_ERROR, "input.huge", "raw=%s", huge);
    capture_stop(capture, out, sizeof(out));
    assert_non_null(strstr(out, "raw=a?b?[31mc\n"));
    assert_non_null(strstr(out, "hhh cut=true\n"));
    assert_true(strlen(out) < 5000);
}

static void an_error_shows_all_its_parts(void **state)
{
    (void)state;
    char out[8192];
    struct ste_error err;
    struct capture capture = capture_start();
    ste_error_at(&err, STE_E_SHARD_DOWN, "shard 3", "could not open \"db\": %s", "refused");
    ste_log_error(&node_log, STE_LOG_WARN, "shard.down", &err);
    ste_error_set(&err, STE_E_NOMEM, "no room");
    ste_log_error(&node_log, STE_LOG_ERROR, "worker.stop", &err);
    capture_stop(capture, out, sizeof(out));
    assert_non_null(strstr(out,
                           "event=shard.down class=retry code=STE_E_SHARD_DOWN place=\"shard 3\""
                           " text=\"could not open \\\"db\\\": refused\"\n"));
    assert_non_null(
        strstr(out, "event=worker.stop class=stop code=STE_E_NOMEM text=\"no room\"\n"));
}

static void quoting_escapes_and_fits(void **state)
{
    (void)state;
    char out[16], tiny[3] = "xx";
    assert_string_equal(ste_log_quote("a b\"c\\d\n", out, sizeof(out)), "\"a b\\\"c\\\\d\\n\"");
    assert_string_equal(ste_log_quote("0123456789abcdefgh", out, sizeof(out)), "\"0123456789abc\"");
    assert_string_equal(ste_log_quote("0123456789ab\n", out, sizeof(out)), "\"0123456789ab\"");
    assert_string_equal(ste_log_quote("long", tiny, sizeof(tiny)), "\"\"");
    assert_string_equal(ste_log_quote("long", tiny, 2), "");
}

static void *many_lines(void *which)
{
    for (int i = 0; i < 500; i++)
        ste_log_line(&node_log, STE_LOG_INFO, "thread.line", "who=%s%s", (const char *)which,
                     (const char *)which);
    return NULL;
}

static void threads_never_mix_in_one_line(void **state)
{
    (void)state;
    static char out[500000];
    pthread_t threads[2];
    struct capture capture = capture_start();
    pthread_create(&threads[0], NULL, many_lines, "AAAA");
    pthread_create(&threads[1], NULL, many_lines, "BBBB");
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    capture_stop(capture, out, sizeof(out));
    unsigned lines = 0;
    for (char *line = out, *end; (end = strchr(line, '\n')); line = end + 1, lines++) {
        *end = '\0';
        assert_true(strstr(line, "who=AAAAAAAA") || strstr(line, "who=BBBBBBBB"));
        assert_memory_equal(line, "ts=", 3);
    }
    assert_int_equal(lines, 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_line_is_key_value),
        cmocka_unit_test(levels_have_names),
        cmocka_unit_test(a_value_never_breaks_the_line),
        cmocka_unit_test(an_error_shows_all_its_parts),
        cmocka_unit_test(quoting_escapes_and_fits),
        cmocka_unit_test(threads_never_mix_in_one_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
