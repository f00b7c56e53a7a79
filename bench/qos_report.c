/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/qos_report.h"

#include <math.h>

#include "bench/compare.h"

enum { NAME_BYTES = 128 };

static const struct ste_table_column columns[] = {
    {"round", NULL, 0},          {"kind", NULL, -1},
    {"size_bytes", "size B", 0}, {"demand_per_s", "demand 1/s", -1},
    {"senders", NULL, 0},        {"receivers", NULL, 0},
    {"keys", NULL, 0},           {"time_s", "time s", 2},
    {"sent", NULL, 0},           {"received", NULL, 0},
    {"sent_per_s", "sent/s", 1}, {"received_per_s", "received/s", 1},
    {"p50_ms", "p50 ms", 2},     {"p99_ms", "p99 ms", 2},
    {"lost", NULL, 0},
};

/* "1000", or "full". */
static void demand_text(const struct ste_qos_point *point, char out[NAME_BYTES])
{
    if (point->demand == STE_QOS_FULL)
        (void)snprintf(out, NAME_BYTES, "full");
    else
        (void)snprintf(out, NAME_BYTES, "%llu", (unsigned long long)point->demand);
}

static void add_row(struct ste_table *table, const struct ste_qos_result *result)
{
    char demand[NAME_BYTES];
    demand_text(&result->point, demand);
    ste_table_number(table, (double)result->round);
    ste_table_text(table, ste_qos_kind_names[result->point.kind]);
    ste_table_number(table, (double)result->point.bytes);
    ste_table_text(table, demand);
    ste_table_number(table, (double)result->point.senders);
    ste_table_number(table, (double)result->point.receivers);
    ste_table_number(table, (double)result->point.keys);
    ste_table_number(table, result->time_s);
    ste_table_number(table, (double)result->sent);
    ste_table_number(table, (double)result->balance.received);
    ste_table_number(table, result->sent_per_s);
    ste_table_number(table, result->received_per_s);
    ste_table_number(table, result->p50_ms);
    ste_table_number(table, result->p99_ms);
    ste_table_number(table, (double)result->balance.lost);
    ste_table_end_row(table);
}

enum ste_code ste_qos_report_table(const struct ste_qos_report *report, struct ste_table **ret,
                                   struct ste_error *err)
{
    struct ste_table *table = NULL;
    enum ste_code rc = ste_table_new(columns, sizeof columns / sizeof *columns, &table, err);
    if (rc != STE_OK)
        return rc;
    for (size_t i = 0; i < report->count; i++)
        add_row(table, &report->results[i]);
    if (!ste_table_complete(table)) {
        ste_table_free(table);
        return ste_error_set(err, STE_E_NOMEM, "no memory for a table");
    }
    *ret = table;
    return STE_OK;
}

static const struct ste_qos_result *base_of(const struct ste_qos_report *report, uint64_t round,
                                            uint64_t bytes, enum ste_qos_kind kind)
{
    for (size_t i = 0; i < report->count; i++) {
        const struct ste_qos_point *p = &report->results[i].point;
        if (report->results[i].round == round && p->kind == kind && p->bytes == bytes &&
            p->demand == STE_QOS_FULL && p->senders == 1 && p->receivers == 1 && p->keys == 1)
            return &report->results[i];
    }
    return NULL;
}

bool ste_qos_report_ratio(const struct ste_qos_report *report, uint64_t round, uint64_t bytes,
                          double *ret)
{
    const struct ste_qos_result *durable = base_of(report, round, bytes, STE_QOS_DURABLE);
    const struct ste_qos_result *transient = base_of(report, round, bytes, STE_QOS_VOLATILE);
    if (!durable || !transient || transient->received_per_s <= 0)
        return false;
    *ret = durable->received_per_s / transient->received_per_s;
    return true;
}

/* Whether result `at` is the durable one of a pair, so that each pair is told once; its ratio. */
static bool pair_at(const struct ste_qos_report *report, size_t at, double *ret)
{
    const struct ste_qos_result *result = &report->results[at];
    uint64_t bytes = result->point.bytes;
    return base_of(report, result->round, bytes, STE_QOS_DURABLE) == result &&
           ste_qos_report_ratio(report, result->round, bytes, ret);
}

static void print_ratio(const struct ste_qos_report *report, uint64_t bytes, FILE *out)
{
    struct ste_compare_values ratios = {0};
    for (size_t i = 0; i < report->count && ratios.count < STE_COMPARE_VALUES_MAX; i++) {
        double ratio = 0;
        if (report->results[i].point.bytes == bytes && pair_at(report, i, &ratio))
            ratios.values[ratios.count++] = ratio;
    }
    struct ste_compare_summary summary = ste_compare_summarise(&ratios);
    fprintf(out, "%llu B %.2f", (unsigned long long)bytes, summary.median);
    if (summary.count > 1)
        fprintf(out, " (%.2f-%.2f)", summary.min, summary.max);
}

void ste_qos_report_closing(const struct ste_qos_report *report, FILE *out)
{
    const char *before = ": ";
    double ratio = NAN;
    fputs("durable / volatile at full speed, 1 sender, 1 receiver", out);
    for (size_t i = 0; i < report->count; i++) {
        if (report->results[i].round != 1 || !pair_at(report, i, &ratio))
            continue;
        fputs(before, out);
        print_ratio(report, report->results[i].point.bytes, out);
        before = ", ";
    }
    fputs(isnan(ratio) ? ": not measured\n" : "\n", out);
}

static void point_name(const struct ste_qos_point *p, char out[NAME_BYTES])
{
    char demand[NAME_BYTES], keys[NAME_BYTES] = "";
    demand_text(p, demand);
    if (p->keys > 1)
        (void)snprintf(keys, sizeof keys, ", %llu keys", (unsigned long long)p->keys);
    (void)snprintf(out, NAME_BYTES, "%s, %llu B, %.20s, %llu to %llu%.24s",
                   ste_qos_kind_names[p->kind], (unsigned long long)p->bytes, demand,
                   (unsigned long long)p->senders, (unsigned long long)p->receivers, keys);
}

bool ste_qos_report_losses(const struct ste_qos_report *report, FILE *out)
{
    bool good = true;
    for (size_t i = 0; i < report->count; i++) {
        const struct ste_qos_result *result = &report->results[i];
        char name[NAME_BYTES];
        if (result->balance.lost + result->balance.surplus == 0)
            continue;
        point_name(&result->point, name);
        fprintf(out, "%s: of %llu messages %llu lost, %llu more than once\n", name,
                (unsigned long long)result->balance.expected,
                (unsigned long long)result->balance.lost,
                (unsigned long long)result->balance.surplus);
        good = good && result->point.kind != STE_QOS_DURABLE;
    }
    return good;
}

static void put_run(const struct ste_qos_report *report, uint64_t round,
                    struct ste_json_writer *writer)
{
    ste_json_put_object(writer, NULL);
    for (size_t i = 0; i < report->count; i++) {
        const struct ste_qos_result *result = &report->results[i];
        char name[NAME_BYTES], figure[2 * NAME_BYTES];
        if (result->round != round)
            continue;
        point_name(&result->point, name);
        (void)snprintf(figure, sizeof figure, "%s: received_per_s", name);
        ste_json_put_double(writer, figure, result->received_per_s, 1);
        (void)snprintf(figure, sizeof figure, "%s: p99_ms", name);
        ste_json_put_double(writer, figure, result->p99_ms, 3);
    }
    ste_json_put_end(writer);
}

static void put_ratios(const struct ste_qos_report *report, uint64_t round,
                       struct ste_json_writer *writer)
{
    ste_json_put_object(writer, NULL);
    for (size_t i = 0; i < report->count; i++) {
        char figure[NAME_BYTES];
        double ratio = NAN;
        if (report->results[i].round != round || !pair_at(report, i, &ratio))
            continue;
        (void)snprintf(figure, sizeof figure, "durable / volatile, %llu B",
                       (unsigned long long)report->results[i].point.bytes);
        ste_json_put_double(writer, figure, ratio, 4);
    }
    ste_json_put_end(writer);
}

/* Of a result that holds no round: 0. Rounds are measured one behind the other. */
static uint64_t last_round(const struct ste_qos_report *report)
{
    return report->count > 0 ? report->results[report->count - 1].round : 0;
}

static void put_figures(const struct ste_qos_report *report, struct ste_json_writer *writer)
{
    ste_json_put_list(writer, "runs");
    for (uint64_t round = 1; round <= last_round(report); round++)
        put_run(report, round, writer);
    ste_json_put_end(writer);
    ste_json_put_list(writer, "ratios");
    for (uint64_t round = 1; round <= last_round(report); round++)
        put_ratios(report, round, writer);
    ste_json_put_end(writer);
}

bool ste_qos_report_json(const struct ste_qos_report *report, const struct ste_table *table,
                         struct ste_buf *out)
{
    struct ste_json_writer writer;
    ste_json_begin(&writer, out);
    ste_json_put_object(&writer, NULL);
    ste_json_put_cstr(&writer, "experiment", "qos");
    ste_json_put_cstr(&writer, "mode", report->options->mode == STE_QOS_WORK ? "work" : "topic");
    ste_json_put_uint(&writer, "seconds", report->options->seconds);
    ste_json_put_bool(&writer, "complete", report->complete);
    ste_table_json(table, &writer, "points");
    put_figures(report, &writer);
    ste_json_put_end(&writer);
    ste_buf_append_cstr(out, "\n");
    return ste_json_complete(&writer) && !out->failed;
}
