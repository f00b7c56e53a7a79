/* SPDX-License-Identifier: Apache-2.0
 * ste-bench compare: two sides of result files, figure by figure, and whether B fell behind A. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/command.h"
#include "bench/compare.h"
#include "bench/table.h"

enum { TEXT_BYTES = 64, PATH_BYTES = 4096, READ_BYTES = 65536 };

struct compare_command {
    const char *files[STE_COMPARE_SIDES]; /* lists with commas */
    const char *tolerance_text, *json;
    bool ratios, absolute;
    double tolerance;
    struct ste_comparison compare;
    size_t judged, worse, better, alone;
};

static int usage(const char *option, const char *why)
{
    fprintf(stderr, "ste-bench compare: %s: %s (see ste-bench compare --help)\n", option, why);
    return STE_BENCH_USAGE;
}

/* "10%" or "0.1" */
static bool parse_tolerance(const char *text, double *ret)
{
    char *end = NULL;
    errno = 0;
    double value = strtod(text, &end);
    if (end == text || errno != 0 || !isfinite(value))
        return false;
    if (*end == '%') {
        value /= 100;
        end++;
    }
    if (*end != 0 || value < 0 || value > 10)
        return false;
    *ret = value;
    return true;
}

static int read_options(int argc, char **argv, struct compare_command *c)
{
    const struct ste_bench_option options[] = {
        STE_TEXT_OPTION("a", "FILES", &c->files[STE_COMPARE_A], false,
                        "results before, with commas"),
        STE_TEXT_OPTION("b", "FILES", &c->files[STE_COMPARE_B], false,
                        "results after, with commas"),
        STE_TEXT_OPTION("tolerance", "SHARE", &c->tolerance_text, false,
                        "what is still the same: 10% or 0.1 (default 10%)"),
        STE_FLAG_OPTION("ratios", &c->ratios, "judge by ratios within a run alone (the default)"),
        STE_FLAG_OPTION("absolute", &c->absolute, "judge by every figure"),
        STE_OUT_OPTION("json", &c->json, "write the result (- is standard output)"),
    };
    bool positional = argc >= 3 && argv[1][0] != '-' && argv[2][0] != '-';
    if (positional) {
        c->files[STE_COMPARE_A] = argv[1];
        c->files[STE_COMPARE_B] = argv[2];
        argv[2] = argv[0];
        argc -= 2;
        argv += 2;
    }
    int status = ste_bench_options(
        argc, argv,
        "       ste-bench compare A.json B.json [OPTION]…\n"
        "Compares result files: median, spread and ratio of each figure. Worse or better is what\n"
        "differs by more than the tolerance and beyond the spread of both. Exit status 1 when a\n"
        "ratio (with --absolute: any figure) is worse, 2 when there is nothing to judge.",
        options, sizeof options / sizeof options[0]);
    if (status >= 0)
        return status;
    if (!c->files[STE_COMPARE_A] || !c->files[STE_COMPARE_B])
        return usage("files", "wants A.json B.json, or --a and --b");
    if (c->ratios && c->absolute)
        return usage("absolute", "goes not with --ratios");
    if (!parse_tolerance(c->tolerance_text ? c->tolerance_text : "10%", &c->tolerance))
        return usage("tolerance", "wants a share such as 10% or 0.1");
    return -1;
}

static enum ste_code read_text(const char *path, struct ste_buf *text, struct ste_error *err)
{
    char block[READ_BYTES];
    size_t got = 0;
    FILE *file = fopen(path, "rb");
    if (!file)
        return ste_error_set(err, STE_E_FILE, "could not open it: %s", strerror(errno));
    while ((got = fread(block, 1, sizeof block, file)) > 0 && text->len <= STE_JSON_BYTES_MAX)
        ste_buf_append(text, block, got);
    bool broken = ferror(file);
    (void)fclose(file);
    if (broken)
        return ste_error_set(err, STE_E_FILE, "could not read it");
    return text->failed ? ste_error_set(err, STE_E_NOMEM, "no memory for it") : STE_OK;
}

static enum ste_code read_result(struct compare_command *c, enum ste_compare_side side,
                                 const char *path, struct ste_error *err)
{
    struct ste_buf text = {0};
    struct ste_json *root = NULL;
    enum ste_code rc = read_text(path, &text, err);
    if (rc == STE_OK)
        rc = ste_json_parse(ste_buf_bytes(&text), 0, &root, err);
    if (rc == STE_OK)
        rc = ste_compare_read(&c->compare, side, root, err);
    ste_json_free(root);
    ste_buf_deinit(&text);
    return rc;
}

/* All files of a side. */
static bool read_side(struct compare_command *c, enum ste_compare_side side)
{
    for (const char *at = c->files[side]; at;) {
        struct ste_error err = {0};
        char path[PATH_BYTES];
        const char *comma = strchr(at, ',');
        size_t len = comma ? (size_t)(comma - at) : strlen(at);
        int printed = snprintf(path, sizeof path, "%.*s", (int)len, at);
        if (printed < 0 || (size_t)printed >= sizeof path) {
            fputs("ste-bench: compare: too long a file name\n", stderr);
            return false;
        }
        if (read_result(c, side, path, &err) != STE_OK) {
            ste_bench_complain(path, &err);
            return false;
        }
        at = comma ? comma + 1 : NULL;
    }
    return true;
}

/* Four digits that matter. */
static void brief(double value, char out[TEXT_BYTES])
{
    if (isnan(value))
        (void)snprintf(out, TEXT_BYTES, "-");
    else if (fabs(value) >= 1000)
        (void)snprintf(out, TEXT_BYTES, "%.0f", value);
    else
        (void)snprintf(out, TEXT_BYTES, "%.4g", value);
}

static void put_spread(struct ste_table *table, double min, double max)
{
    char low[TEXT_BYTES], high[TEXT_BYTES], both[2 * TEXT_BYTES];
    brief(min, low);
    brief(max, high);
    (void)snprintf(both, sizeof both, "%s-%s", low, high);
    ste_table_text(table, isnan(min) && isnan(max) ? "-" : both);
}

static void put_brief(struct ste_table *table, double value)
{
    char text[TEXT_BYTES];
    brief(value, text);
    ste_table_text(table, text);
}

static void add_row(struct ste_table *table, const struct ste_compare_figure *figure,
                    const struct ste_compare_row *row, bool counts)
{
    char verdict[TEXT_BYTES];
    (void)snprintf(verdict, sizeof verdict, counts ? "%s" : "(%s)",
                   ste_compare_verdict_names[row->verdict]);
    ste_table_text(table, figure->name);
    put_brief(table, row->a.median);
    put_spread(table, row->a.min, row->a.max);
    put_brief(table, row->b.median);
    put_spread(table, row->b.min, row->b.max);
    put_brief(table, row->ratio);
    put_spread(table, row->ratio_min, row->ratio_max);
    ste_table_text(table, ste_compare_better_names[figure->better]);
    ste_table_text(table, verdict);
    ste_table_end_row(table);
}

static void put_summary(struct ste_json_writer *writer, const char *key,
                        const struct ste_compare_summary *summary)
{
    ste_json_put_object(writer, key);
    ste_json_put_double(writer, "median", summary->median, 6);
    ste_json_put_double(writer, "min", summary->min, 6);
    ste_json_put_double(writer, "max", summary->max, 6);
    ste_json_put_uint(writer, "n", summary->count);
    ste_json_put_end(writer);
}

static void put_figure(struct ste_json_writer *writer, const struct ste_compare_figure *figure,
                       const struct ste_compare_row *row, bool counts)
{
    ste_json_put_object(writer, NULL);
    ste_json_put_cstr(writer, "name", figure->name);
    ste_json_put_bool(writer, "ratio", figure->is_ratio);
    ste_json_put_bool(writer, "judged", counts);
    ste_json_put_cstr(writer, "better", ste_compare_better_names[figure->better]);
    put_summary(writer, "a", &row->a);
    put_summary(writer, "b", &row->b);
    ste_json_put_object(writer, "b_over_a");
    ste_json_put_double(writer, "median", row->ratio, 6);
    ste_json_put_double(writer, "min", row->ratio_min, 6);
    ste_json_put_double(writer, "max", row->ratio_max, 6);
    ste_json_put_end(writer);
    ste_json_put_cstr(writer, "verdict", ste_compare_verdict_names[row->verdict]);
    ste_json_put_end(writer);
}

/* Ratios first, then the rest, into both outputs. */
static void judge_all(struct compare_command *c, struct ste_table *table,
                      struct ste_json_writer *writer)
{
    for (int pass = 0; pass < 2; pass++) {
        for (size_t i = 0; i < c->compare.count; i++) {
            const struct ste_compare_figure *figure = &c->compare.figures[i];
            if (figure->is_ratio != (pass == 0))
                continue;
            struct ste_compare_row row = ste_compare_judge(figure, c->tolerance);
            bool counts = ste_compare_counts(figure, c->absolute);
            add_row(table, figure, &row, counts);
            put_figure(writer, figure, &row, counts);
            if (!counts)
                continue;
            c->alone += row.verdict == STE_COMPARE_ALONE;
            c->judged += row.verdict != STE_COMPARE_ALONE;
            c->worse += row.verdict == STE_COMPARE_WORSE;
            c->better += row.verdict == STE_COMPARE_BETTER;
        }
    }
}

static enum ste_code tell(struct compare_command *c, struct ste_error *err)
{
    static const struct ste_table_column columns[] = {
        {"figure", NULL, -1},
        {"a", "A median", -1},
        {"a_spread", "A spread", -1},
        {"b", "B median", -1},
        {"b_spread", "B spread", -1},
        {"b_over_a", "B/A", -1},
        {"b_over_a_spread", "B/A spread", -1},
        {"better", NULL, -1},
        {"verdict", NULL, -1},
    };
    struct ste_table *table = NULL;
    struct ste_buf text = {0};
    struct ste_json_writer writer;
    enum ste_code rc = ste_table_new(columns, sizeof columns / sizeof *columns, &table, err);
    if (rc != STE_OK)
        return rc;
    ste_json_begin(&writer, &text);
    ste_json_put_object(&writer, NULL);
    ste_json_put_double(&writer, "tolerance", c->tolerance, 6);
    ste_json_put_list(&writer, "figures");
    judge_all(c, table, &writer);
    ste_json_put_end(&writer);
    ste_json_put_uint(&writer, "judged", c->judged);
    ste_json_put_uint(&writer, "better", c->better);
    ste_json_put_uint(&writer, "worse", c->worse);
    ste_json_put_uint(&writer, "alone", c->alone);
    ste_json_put_end(&writer);
    ste_buf_append_cstr(&text, "\n");
    FILE *out = c->json && strcmp(c->json, "-") == 0 ? stderr : stdout;
    ste_table_print(table, out);
    fprintf(out, "judged %zu %s at %.4g %%: %zu better, %zu worse; %zu on one side alone\n",
            c->judged, c->absolute ? "figures" : "ratios", 100 * c->tolerance, c->better, c->worse,
            c->alone);
    if (!ste_table_complete(table) || text.failed || !ste_json_complete(&writer))
        rc = ste_error_set(err, STE_E_NOMEM, "no memory for the result");
    else if (c->json)
        rc = ste_bench_write_file(c->json, ste_buf_bytes(&text), err);
    ste_table_free(table);
    ste_buf_deinit(&text);
    return rc;
}

static int compare(struct compare_command *c)
{
    struct ste_error err = {0};
    if (!read_side(c, STE_COMPARE_A) || !read_side(c, STE_COMPARE_B))
        return STE_BENCH_USAGE;
    if (tell(c, &err) != STE_OK) {
        ste_bench_complain("compare", &err);
        return STE_BENCH_FAILURE;
    }
    if (c->judged == 0) {
        fprintf(stderr, "ste-bench: compare: both sides have no %s in common%s\n",
                c->absolute ? "figure" : "ratio",
                c->absolute ? "" : "; --absolute judges by every figure");
        return STE_BENCH_USAGE;
    }
    return c->worse > 0 ? STE_BENCH_FAILURE : STE_BENCH_OK;
}

int ste_bench_compare(int argc, char **argv)
{
    struct compare_command c = {0};
    int status = read_options(argc, argv, &c);
    if (status < 0)
        status = compare(&c);
    ste_comparison_deinit(&c.compare);
    return status;
}
