/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/figure.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/embedded.h"
#include "bench/table.h"

static void fail(struct ste_figures *figures, enum ste_code rc)
{
    if (figures->rc == STE_OK)
        figures->rc = rc;
}

static void no_memory(struct ste_figures *figures)
{
    if (figures->rc == STE_OK)
        fail(figures, ste_error_set(figures->err, STE_E_NOMEM, "no memory for the figures"));
}

const char *ste_figure_say(struct ste_figures *figures, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *text = NULL, *kept = NULL;
    int len = vasprintf(&text, format, arguments);
    va_end(arguments);
    if (len >= 0) {
        kept = ste_arena_printf(figures->arena, "%s", text);
        free(text);
    }
    if (!kept)
        no_memory(figures);
    return kept ? kept : "";
}

double *ste_figure_doubles(struct ste_figures *figures, size_t count)
{
    double *values = STE_ARENA_ARRAY(figures->arena, double, count);
    if (!values)
        no_memory(figures);
    return values;
}

static void write_file(struct ste_figures *figures, const char *name, struct ste_bytes text)
{
    const char *path = ste_figure_say(figures, "%s/%s", figures->dir, name);
    if (figures->rc == STE_OK)
        fail(figures, ste_bench_write_file(path, text, figures->err));
}

enum ste_code ste_figures_begin(struct ste_figures *figures, const char *dir,
                                struct ste_arena *arena, struct ste_error *err)
{
    *figures = (struct ste_figures){.dir = dir, .arena = arena, .err = err};
    for (const struct ste_embedded *file = ste_embedded_files; file->name; file++) {
        const char *ending = strrchr(file->name, '.');
        if (ending && strcmp(ending, ".gp") == 0)
            write_file(figures, file->name, (struct ste_bytes){file->text, file->bytes});
    }
    return figures->rc;
}

struct ste_figure *ste_figure_add(struct ste_figures *figures, const char *id, const char *title,
                                  const char *reading)
{
    if (figures->count == STE_FIGURES_MAX) {
        if (figures->rc == STE_OK)
            fail(figures,
                 ste_error_set(figures->err, STE_E_LIMIT, "more than %d figures", STE_FIGURES_MAX));
        return &figures->items[figures->count - 1];
    }
    struct ste_figure *figure = &figures->items[figures->count++];
    *figure = (struct ste_figure){.id = id, .title = title, .reading = reading, .sentence = ""};
    return figure;
}

/* *ret_good: its exit status is 0. `dir` NULL: here, and what it prints is thrown away. */
static enum ste_code gnuplot(char *const argv[], const char *dir, bool *ret_good,
                             struct ste_error *err)
{
    posix_spawn_file_actions_t actions;
    pid_t pid = 0;
    int status = 0;
    int cause = posix_spawn_file_actions_init(&actions);
    if (cause == 0) {
        cause = dir ? posix_spawn_file_actions_addchdir_np(&actions, dir)
                    : posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null",
                                                       O_WRONLY, 0);
        if (cause == 0)
            cause = posix_spawnp(&pid, argv[0], &actions, NULL, argv, environ);
        (void)posix_spawn_file_actions_destroy(&actions);
    }
    if (cause == ENOENT)
        return ste_error_set(err, STE_E_FILE,
                             "gnuplot is not installed: apt-get install gnuplot-nox");
    if (cause != 0)
        return ste_error_set(err, STE_E_FILE, "could not start gnuplot: %s", strerror(cause));
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            return ste_error_set(err, STE_E_FILE, "could not wait for gnuplot: %s",
                                 strerror(errno));
    *ret_good = WIFEXITED(status) && WEXITSTATUS(status) == 0;
    return STE_OK;
}

enum ste_code ste_figures_check(struct ste_error *err)
{
    char *argv[] = {(char *)"gnuplot", (char *)"--version", NULL};
    bool good = false;
    const enum ste_code rc = gnuplot(argv, NULL, &good, err);
    return rc != STE_OK || good ? rc : ste_error_set(err, STE_E_FILE, "gnuplot does not run");
}

static enum ste_code run_gnuplot(const struct ste_figures *figures, const char *id)
{
    char *argv[] = {(char *)"gnuplot", (char *)"-c", (char *)"draw.gp", (char *)id, NULL};
    bool good = false;
    const enum ste_code rc = gnuplot(argv, figures->dir, &good, figures->err);
    if (rc != STE_OK)
        return rc;
    if (!good)
        return ste_error_set(figures->err, STE_E_FILE,
                             "gnuplot could not draw figure %s (in %s: gnuplot -c draw.gp %s)", id,
                             figures->dir, id);
    return STE_OK;
}

/* The <svg> element without what stands before it. */
static enum ste_code load_svg(struct ste_figures *figures, struct ste_figure *figure)
{
    const char *path = ste_figure_say(figures, "%s/%s.svg", figures->dir, figure->id);
    FILE *file = fopen(path, "re");
    struct ste_buf text = {0};
    char room[16384];
    if (!file)
        return ste_error_set(figures->err, STE_E_FILE, "gnuplot left no %s: %s", path,
                             strerror(errno));
    for (size_t len; (len = fread(room, 1, sizeof room, file)) > 0;)
        ste_buf_append(&text, room, len);
    (void)fclose(file);
    ste_buf_append(&text, "", 1);
    enum ste_code rc = STE_OK;
    const char *start = text.failed ? NULL : strstr(text.at, "<svg");
    if (!start || !strstr(start, "_plot_1"))
        rc = ste_error_set(figures->err, STE_E_FILE, "gnuplot drew nothing into %s", path);
    else
        figure->svg = ste_arena_dup(figures->arena, ste_bytes_of(start));
    if (rc == STE_OK && !figure->svg.at)
        rc = ste_error_set(figures->err, STE_E_NOMEM, "no memory for the figures");
    ste_buf_deinit(&text);
    return rc;
}

void ste_figure_draw(struct ste_figures *figures, struct ste_figure *figure, struct ste_buf *csv,
                     struct ste_buf *values)
{
    if (csv->failed || values->failed)
        no_memory(figures);
    write_file(figures, ste_figure_say(figures, "%s.csv", figure->id), ste_buf_bytes(csv));
    write_file(figures, ste_figure_say(figures, "%s-values.gp", figure->id), ste_buf_bytes(values));
    if (figures->rc == STE_OK)
        fail(figures, run_gnuplot(figures, figure->id));
    if (figures->rc == STE_OK)
        fail(figures, load_svg(figures, figure));
    ste_buf_deinit(csv);
    ste_buf_deinit(values);
}
