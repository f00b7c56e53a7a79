/* SPDX-License-Identifier: Apache-2.0
 * ste-bench report: from raw samples and points of experiments to tables, figures and one page. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench/command.h"
#include "bench/page.h"
#include "bench/report_table.h"

enum { RUNS_MAX = 64, POINTS_COUNT = 4 };

struct run {
    const char *path;
    struct ste_samples samples;
    struct ste_analysis analysis;
};

struct report {
    const char *samples, *json, *csv, *html, *from, *to;
    const char *scale, *volume, *qos, *latency;
    double from_s, to_s;
    size_t run_count;
    struct run runs[RUNS_MAX];
    struct ste_points points[POINTS_COUNT];
    struct ste_experiments experiments;
    struct ste_table *stages, *bounds;
    struct ste_arena *arena;
    struct ste_figures figures;
    bool drawn;
};

/* --samples may come several times; the option table keeps the last only. */
static bool collect_samples(int argc, char **argv, struct report *report)
{
    static const char option[] = "--samples";
    for (int i = 1; i < argc; i++) {
        const char *path = NULL;
        if (strcmp(argv[i], option) == 0 && i + 1 < argc)
            path = argv[++i];
        else if (strncmp(argv[i], "--samples=", sizeof "--samples=" - 1) == 0)
            path = argv[i] + sizeof "--samples=" - 1;
        if (!path)
            continue;
        if (report->run_count == RUNS_MAX) {
            fprintf(stderr, "ste-bench report: more than %d times --samples\n", RUNS_MAX);
            return false;
        }
        report->runs[report->run_count++].path = path;
    }
    return true;
}

static bool parse_seconds(const char *name, const char *text, double *ret)
{
    *ret = NAN;
    if (!text)
        return true;
    char *end = NULL;
    double value = strtod(text, &end);
    if (end == text || *end != '\0' || !isfinite(value) || value < 0) {
        fprintf(stderr, "ste-bench report: --%s: \"%s\" is no time in seconds\n", name, text);
        return false;
    }
    *ret = value;
    return true;
}

static enum ste_code read_points(struct report *report, const char *path,
                                 const char *const *columns, struct ste_points *room,
                                 const struct ste_points **ret, struct ste_error *err)
{
    if (!path)
        return STE_OK;
    enum ste_code rc = ste_points_read(path, report->arena, room, err);
    if (rc == STE_OK)
        rc = ste_points_check(room, columns, err);
    if (rc == STE_OK)
        *ret = room;
    return rc;
}

/* What the figures of each need. */
static enum ste_code read_experiments(struct report *report, struct ste_error *err)
{
    static const char *const scale[] = {"nodes", "shards", "msg_per_s", NULL},
                             *const volume[] = {"stored_messages", "msg_per_s", NULL},
                             *const latency[] = {"load_share", "p50_ms", "p99_ms", NULL},
                             *const qos[] = {"receivers", "received_per_s", NULL};
    struct ste_experiments *found = &report->experiments;
    const struct {
        const char *path, *const *columns;
        const struct ste_points **ret;
    } wanted[POINTS_COUNT] = {{report->scale, scale, &found->scale},
                              {report->volume, volume, &found->volume},
                              {report->latency, latency, &found->latency},
                              {report->qos, qos, &found->qos}};
    enum ste_code rc = STE_OK;
    for (size_t i = 0; rc == STE_OK && i < POINTS_COUNT; i++)
        rc = read_points(report, wanted[i].path, wanted[i].columns, &report->points[i],
                         wanted[i].ret, err);
    return rc;
}

static enum ste_code read_all(struct report *report, struct ste_error *err)
{
    enum ste_code rc = STE_OK;
    for (size_t i = 0; rc == STE_OK && i < report->run_count; i++) {
        struct run *run = &report->runs[i];
        rc = ste_samples_read(run->path, &run->samples, err);
        if (rc != STE_OK)
            return rc;
        rc = ste_analyse(&run->samples, report->from_s, report->to_s, report->arena, &run->analysis,
                         err);
        if (rc != STE_OK && err->place[0] == '\0')
            (void)snprintf(err->place, sizeof err->place, "%s", run->path);
    }
    return rc == STE_OK ? read_experiments(report, err) : rc;
}

static enum ste_code fill_tables(struct report *report, struct ste_error *err)
{
    enum ste_code rc = ste_stage_table_new(&report->stages, err);
    if (rc == STE_OK)
        rc = ste_bounds_table_new(&report->bounds, err);
    for (size_t i = 0; rc == STE_OK && i < report->run_count; i++) {
        ste_stage_table_add(report->stages, &report->runs[i].analysis, (double)(i + 1));
        ste_bounds_table_add(report->bounds, &report->runs[i].analysis, (double)(i + 1));
    }
    if (rc == STE_OK &&
        (!ste_table_complete(report->stages) || !ste_table_complete(report->bounds)))
        rc = ste_error_set(err, STE_E_NOMEM, "no memory for the tables");
    return rc;
}

/* The figures show the first run. */
static enum ste_code draw_figures(struct report *report, const char *dir, struct ste_error *err)
{
    enum ste_code rc = ste_figures_begin(&report->figures, dir, report->arena, err);
    if (rc != STE_OK)
        return rc;
    struct ste_figures *figures = &report->figures;
    if (report->run_count > 0) {
        const struct run *run = &report->runs[0];
        ste_figures_network(figures, &run->analysis);
        ste_figures_run(figures, &run->analysis, &run->samples);
        const struct ste_analysis *runs[RUNS_MAX];
        for (size_t i = 0; i < report->run_count; i++)
            runs[i] = &report->runs[i].analysis;
        ste_figures_laws(figures, runs, report->run_count);
    } else {
        ste_figure_add(figures, "run", "Everything about one run", "")->missing =
            "no samples were given (--samples)";
    }
    ste_figures_experiments(figures, &report->experiments);
    report->drawn = figures->rc == STE_OK;
    return figures->rc;
}

static enum ste_code write_page(struct report *report, const char *path, struct ste_error *err)
{
    struct ste_page page = {.figures = &report->figures,
                            .samples = report->run_count ? &report->runs[0].samples : NULL,
                            .analysis = report->run_count ? &report->runs[0].analysis : NULL,
                            .stages = report->stages,
                            .bounds = report->bounds};
    struct ste_buf out = {0};
    enum ste_code rc = ste_page_write(&page, &out, err);
    if (rc == STE_OK)
        rc = ste_bench_write_file(path, ste_buf_bytes(&out), err);
    ste_buf_deinit(&out);
    return rc;
}

static enum ste_code make_dir(const char *path, struct ste_error *err)
{
    if (mkdir(path, 0777) != 0 && errno != EEXIST)
        return ste_error_set(err, STE_E_FILE, "could not make folder %s: %s", path,
                             strerror(errno));
    return STE_OK;
}

/* FILE.html: the page, and its figures in FILE.figures beside it. Else a folder with index.html and
 * figures/. */
static enum ste_code write_html(struct report *report, struct ste_error *err)
{
    size_t len = strlen(report->html);
    bool is_file = len > 5 && strcmp(report->html + len - 5, ".html") == 0;
    const char *dir = ste_arena_printf(report->arena, is_file ? "%.*s.figures" : "%.*s/figures",
                                       (int)(is_file ? len - 5 : len), report->html);
    const char *page =
        is_file ? report->html : ste_arena_printf(report->arena, "%s/index.html", report->html);
    if (!dir || !page)
        return ste_error_set(err, STE_E_NOMEM, "no memory for the page");
    enum ste_code rc = is_file ? STE_OK : make_dir(report->html, err);
    if (rc == STE_OK)
        rc = make_dir(dir, err);
    if (rc == STE_OK)
        rc = draw_figures(report, dir, err);
    if (rc == STE_OK)
        rc = write_page(report, page, err);
    if (rc == STE_OK)
        fprintf(stderr, "page        %s\nfigures     %s/*.svg, *.png, *.csv\n", page, dir);
    return rc;
}

static void put_figures(const struct report *report, struct ste_json_writer *writer)
{
    ste_json_put_list(writer, "figures");
    for (size_t i = 0; report->drawn && i < report->figures.count; i++) {
        const struct ste_figure *figure = &report->figures.items[i];
        ste_json_put_object(writer, NULL);
        ste_json_put_cstr(writer, "id", figure->id);
        ste_json_put_cstr(writer, "title", figure->title);
        ste_json_put_cstr(writer, "shows", figure->missing ? NULL : figure->sentence);
        ste_json_put_cstr(writer, "left_out_because", figure->missing);
        ste_json_put_end(writer);
    }
    ste_json_put_end(writer);
}

static enum ste_code write_json(const struct report *report, struct ste_error *err)
{
    struct ste_buf out = {0};
    struct ste_json_writer writer;
    ste_json_begin(&writer, &out);
    ste_json_put_object(&writer, NULL);
    ste_json_put_list(&writer, "runs");
    for (size_t i = 0; i < report->run_count; i++) {
        const struct run *run = &report->runs[i];
        ste_json_put_object(&writer, NULL);
        ste_json_put_cstr(&writer, "samples", run->path);
        ste_json_put_object(&writer, "meta");
        for (size_t m = 0; m < run->samples.meta_count; m++)
            ste_json_put_cstr(&writer, run->samples.meta[m].name, run->samples.meta[m].value);
        ste_json_put_end(&writer);
        ste_analysis_json(&run->analysis, &writer);
        ste_json_put_end(&writer);
    }
    ste_json_put_end(&writer);
    ste_table_json(report->stages, &writer, "stages");
    ste_table_json(report->bounds, &writer, "bounds");
    put_figures(report, &writer);
    ste_json_put_end(&writer);
    ste_buf_append_cstr(&out, "\n");
    enum ste_code rc = ste_json_complete(&writer)
                           ? ste_bench_write_file(report->json, ste_buf_bytes(&out), err)
                           : ste_error_set(err, STE_E_NOMEM, "no memory for the report");
    ste_buf_deinit(&out);
    return rc;
}

static enum ste_code write_csv(const struct report *report, struct ste_error *err)
{
    struct ste_buf out = {0};
    ste_table_csv(report->stages, &out);
    enum ste_code rc = out.failed ? ste_error_set(err, STE_E_NOMEM, "no memory for the table")
                                  : ste_bench_write_file(report->csv, ste_buf_bytes(&out), err);
    ste_buf_deinit(&out);
    return rc;
}

/* Where a machine's text goes to standard output, people's goes to standard error. */
static void print_report(const struct report *report)
{
    bool taken = (report->json && strcmp(report->json, "-") == 0) ||
                 (report->csv && strcmp(report->csv, "-") == 0);
    FILE *out = taken ? stderr : stdout;
    if (report->run_count == 0)
        return;
    ste_table_print(report->stages, out);
    for (size_t i = 0; i < report->run_count; i++) {
        fprintf(out, "\nrun %zu       %s\n", i + 1, report->runs[i].path);
        ste_analysis_print(&report->runs[i].analysis, out);
    }
    if (ste_table_rows(report->bounds) > 0) {
        fputs("\nThroughput that N messages in the system allow:\n", out);
        ste_table_print(report->bounds, out);
    }
    fputs("\nHow to read it:\n", out);
    for (size_t i = 0; i < STE_SYMBOL_COUNT; i++)
        fprintf(out, "  %s, %s: %s\n", ste_symbols[i].symbol, ste_symbols[i].name,
                ste_symbols[i].how);
    (void)fflush(out);
}

static enum ste_code make_report(struct report *report, struct ste_error *err)
{
    enum ste_code rc = report->html ? ste_figures_check(err) : STE_OK;
    if (rc == STE_OK)
        rc = read_all(report, err);
    if (rc == STE_OK)
        rc = fill_tables(report, err);
    if (rc == STE_OK)
        print_report(report);
    if (rc == STE_OK && report->csv)
        rc = write_csv(report, err);
    if (rc == STE_OK && report->html)
        rc = write_html(report, err);
    if (rc == STE_OK && report->json)
        rc = write_json(report, err);
    return rc;
}

static void report_free(struct report *report)
{
    for (size_t i = 0; i < report->run_count; i++)
        ste_samples_deinit(&report->runs[i].samples);
    ste_table_free(report->stages);
    ste_table_free(report->bounds);
    ste_arena_free(report->arena);
    free(report);
}

static int check(struct report *report, int argc, char **argv)
{
    const struct ste_bench_option options[] = {
        STE_TEXT_OPTION(
            "samples", "FILE", &report->samples, false,
            "the monitor's samples; again for more runs (figures over time show the first)"),
        STE_TEXT_OPTION("from", "S", &report->from, false,
                        "begin S seconds after the first sample (default: where messages begin)"),
        STE_TEXT_OPTION("to", "S", &report->to, false,
                        "end there (default: where all is completed)"),
        STE_TEXT_OPTION("scale", "FILE", &report->scale, false,
                        "points: nodes,shards,run,msg_per_s[,predicted]"),
        STE_TEXT_OPTION("volume", "FILE", &report->volume, false,
                        "points: stored_messages,msg_per_s,bytes_per_message,run"),
        STE_TEXT_OPTION("latency", "FILE", &report->latency, false,
                        "points: load_share,rate,p50_ms,p99_ms,run"),
        STE_TEXT_OPTION("qos", "FILE", &report->qos, false,
                        "points of ste-bench qos: kind,size_bytes,demand_per_s,receivers,…"),
        STE_OUT_OPTION("json", &report->json, "all figures as JSON"),
        STE_OUT_OPTION("csv", &report->csv, "the table as CSV"),
        STE_TEXT_OPTION("html", "DIR|FILE", &report->html, false,
                        "one page, and its pictures as SVG and PNG; wants gnuplot"),
    };
    int status = ste_bench_options(argc, argv, "Computes the Buzen-Denning table and draws it.",
                                   options, sizeof options / sizeof options[0]);
    if (status >= 0)
        return status;
    if (!collect_samples(argc, argv, report) ||
        !parse_seconds("from", report->from, &report->from_s) ||
        !parse_seconds("to", report->to, &report->to_s))
        return STE_BENCH_USAGE;
    if (report->run_count == 0 && !report->scale && !report->volume && !report->latency &&
        !report->qos) {
        fputs("ste-bench report: nothing to report: give --samples or points of an experiment "
              "(see ste-bench report --help)\n",
              stderr);
        return STE_BENCH_USAGE;
    }
    return -1;
}

int ste_bench_report(int argc, char **argv)
{
    struct report *report = calloc(1, sizeof *report);
    if (report)
        report->arena = ste_arena_new(0);
    if (!report || !report->arena) {
        fputs("ste-bench report: out of memory\n", stderr);
        free(report);
        return STE_BENCH_FAILURE;
    }
    int status = check(report, argc, argv);
    struct ste_error err = {0};
    if (status < 0) {
        status = STE_BENCH_OK;
        if (make_report(report, &err) != STE_OK) {
            ste_bench_complain("report", &err);
            status = STE_BENCH_FAILURE;
        }
    }
    report_free(report);
    return status;
}
