/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/model_report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/points.h"
#include "bench/table.h"

enum { POINTS_MAX = 4096 };

struct ste_model_report {
    const struct ste_model *model;
    const struct ste_model_simulation *simulation;
    struct ste_table *points, *costs;
    size_t point_count, error_count;
    struct ste_model_answer first; /* a program that asks for one point wants no list */
    double *errors, *simulated_errors;
};

static const struct ste_table_column point_columns[] = {
    {"nodes", NULL, 0},
    {"shards", NULL, 0},
    {"node_cpu", "node cpu", 3},
    {"shard_cpu", "shard cpu", 3},
    {"msg_per_s", "X msg/s", 0},
    {"limit_msg_per_s", "at most", 0},
    {"bottleneck", NULL, -1},
    {"response_s", "R s", 3},
    {"batch", NULL, 1},
    {"publication", "pub.", 1},
    {"cycle_ms", "cycle ms", 1},
    {"lock_wait_ms", "locks ms", 1},
    {"node_use", "U node", 2},
    {"shard_use", "U shard", 2},
    {"router_use", "U router", 2},
    {"broker_use", "U broker", 2},
    {"cores_use", "U cores", 2},
    {"simulated_msg_per_s", "sim. X", 0},
    {"simulated_half_width", "±", 0},
    {"measured_msg_per_s", "measured", 0},
    {"error_percent", "error %", 1},
    {"simulated_error_percent", "sim. error %", 1},
};
static const struct ste_table_column cost_columns[] = {
    {"part", NULL, -1},
    {"transaction_us", "us/transaction", 1},
    {"record_us", "us/message", 2},
    {"delivery_us", "us/delivery", 1},
    {"idle_ms_per_s", "idle ms/s", 2},
    {"idle_worker_ms_per_s", "and per worker", 2},
};
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void fill_costs(const struct ste_model *model, struct ste_table *table)
{
    for (enum ste_model_part part = 0; part < STE_PART_COUNT; part++) {
        const struct ste_model_cost *const cost = &model->cost[part];
        ste_table_text(table, ste_model_part_name(part));
        ste_table_number(table, cost->txn_s * 1e6);
        ste_table_number(table, cost->record_s * 1e6);
        ste_table_number(table, cost->delivery_s * 1e6);
        ste_table_number(table, cost->idle * 1e3);
        ste_table_number(table, cost->idle_worker * 1e3);
        ste_table_end_row(table);
    }
}

enum ste_code ste_model_report_new(const struct ste_model *model,
                                   const struct ste_model_simulation *simulation,
                                   struct ste_model_report **ret, struct ste_error *err)
{
    struct ste_model_report *const report = calloc(1, sizeof *report);
    if (report == NULL)
        return ste_error_set(err, STE_E_NOMEM, "no memory for a report");
    report->model = model;
    report->simulation = simulation;
    report->errors = calloc(POINTS_MAX, sizeof(double));
    report->simulated_errors = calloc(POINTS_MAX, sizeof(double));
    enum ste_code rc = report->errors && report->simulated_errors
                           ? STE_OK
                           : ste_error_set(err, STE_E_NOMEM, "no memory for a report");
    if (rc == STE_OK)
        rc = ste_table_new(point_columns, COUNT(point_columns), &report->points, err);
    if (rc == STE_OK)
        rc = ste_table_new(cost_columns, COUNT(cost_columns), &report->costs, err);
    if (rc != STE_OK) {
        ste_model_report_free(report);
        return rc;
    }
    fill_costs(model, report->costs);
    *ret = report;
    return STE_OK;
}

void ste_model_report_free(struct ste_model_report *report)
{
    if (report == NULL)
        return;
    ste_table_free(report->points);
    ste_table_free(report->costs);
    free(report->errors);
    free(report->simulated_errors);
    free(report);
}

static void fill_row(struct ste_table *table, const struct ste_model_case *asked,
                     const struct ste_model_answer *answer,
                     const struct ste_model_simulated *simulated, double measured)
{
    const double before[] = {asked->nodes,
                             asked->shards,
                             asked->node_cpu > 0 ? asked->node_cpu : NAN,
                             asked->shard_cpu > 0 ? asked->shard_cpu : NAN,
                             answer->throughput,
                             answer->upper};
    const double after[] = {answer->response_s,
                            answer->batch,
                            answer->publication,
                            answer->cycle_s * 1e3,
                            answer->lock_wait_s * 1e3,
                            answer->use[STE_PART_NODE],
                            answer->use[STE_PART_SHARD],
                            answer->use[STE_PART_ROUTER],
                            answer->use[STE_PART_BROKER],
                            answer->use_cores,
                            simulated->throughput,
                            simulated->half_width,
                            measured,
                            100 * (answer->throughput / measured - 1),
                            100 * (simulated->throughput / measured - 1)};
    for (size_t i = 0; i < COUNT(before); i++)
        ste_table_number(table, before[i]);
    ste_table_text(table, answer->limit);
    for (size_t i = 0; i < COUNT(after); i++)
        ste_table_number(table, after[i]);
    ste_table_end_row(table);
}

/* A share that chores use up gives no figures, but is no reason to withhold the other points. */
static struct ste_model_answer nothing_left(void)
{
    struct ste_model_answer answer = {.throughput = 0,
                                      .upper = 0,
                                      .limit = "idle work",
                                      .batch = NAN,
                                      .publication = NAN,
                                      .cycle_s = NAN,
                                      .lock_wait_s = NAN,
                                      .response_s = NAN,
                                      .use_cores = NAN};
    for (size_t part = 0; part < STE_PART_COUNT; part++)
        answer.use[part] = NAN;
    return answer;
}

enum ste_code ste_model_report_add(struct ste_model_report *report,
                                   const struct ste_model_case *asked, double measured,
                                   struct ste_error *err)
{
    struct ste_model_answer answer;
    struct ste_model_simulated simulated = {.throughput = NAN, .half_width = NAN};
    if (report->point_count == POINTS_MAX)
        return ste_error_set(err, STE_E_LIMIT, "more than %d points", POINTS_MAX);
    enum ste_code rc = ste_model_predict(report->model, asked, &answer, err);
    const bool used_up = rc == STE_E_LIMIT;
    if (used_up) {
        answer = nothing_left();
        simulated.throughput = 0;
        rc = STE_OK;
    }
    if (rc == STE_OK && report->simulation->wanted && !used_up)
        rc = ste_model_simulate(report->model, asked, report->simulation->seconds,
                                report->simulation->seed, &simulated, err);
    if (rc != STE_OK)
        return rc;
    fill_row(report->points, asked, &answer, &simulated, measured);
    if (report->point_count++ == 0)
        report->first = answer;
    if (!isnan(measured)) {
        report->errors[report->error_count] = fabs(answer.throughput / measured - 1);
        report->simulated_errors[report->error_count++] = fabs(simulated.throughput / measured - 1);
    }
    return STE_OK;
}

/* ---- output ---- */

struct summary {
    double median, worst, simulated_median, simulated_worst;
};

static struct summary summarise(const struct ste_model_report *report)
{
    const size_t count = report->error_count;
    struct summary of = {.median = ste_median(report->errors, count),
                         .simulated_median = ste_median(report->simulated_errors, count)};
    of.worst = count > 0 ? report->errors[count - 1] : NAN;
    of.simulated_worst = count > 0 ? report->simulated_errors[count - 1] : NAN;
    return of;
}

static void print_people(const struct ste_model_report *report)
{
    const struct ste_model *const model = report->model;
    printf("learnt from %u nodes, %u shards, %u threads a pair, %.0f cores: %.0f msg/s, "
           "%.1f records a transaction, %.1f a publication\n",
           model->nodes, model->shards, model->workers, model->cores, model->throughput,
           model->batch, model->publication);
    if (model->node_cpu > 0 || model->shard_cpu > 0)
        printf("each node held to %g of a core, each shard to %g\n", model->node_cpu,
               model->shard_cpu);
    for (unsigned i = 0; i < model->note_count; i++)
        printf("- %s\n", model->notes[i]);
    puts("");
    ste_table_print(report->costs, stdout);
    puts("");
    ste_table_print(report->points, stdout);
    if (report->error_count == 0)
        return;
    const struct summary of = summarise(report);
    printf("\nerror of %zu points: median %.1f %%, worst %.1f %%\n", report->error_count,
           100 * of.median, 100 * of.worst);
    if (report->simulation->wanted)
        printf("error of the simulation: median %.1f %%, worst %.1f %%\n",
               100 * of.simulated_median, 100 * of.simulated_worst);
}

static void write_model(const struct ste_model_report *report, struct ste_json_writer *writer)
{
    const struct ste_model *const model = report->model;
    ste_json_put_object(writer, "learnt");
    ste_json_put_uint(writer, "nodes", model->nodes);
    ste_json_put_uint(writer, "shards", model->shards);
    ste_json_put_uint(writer, "workers", model->workers);
    ste_json_put_double(writer, "node_cpu", model->node_cpu, 6);
    ste_json_put_double(writer, "shard_cpu", model->shard_cpu, 6);
    ste_json_put_double(writer, "cores", model->cores, 3);
    ste_json_put_double(writer, "msg_per_s", model->throughput, 1);
    ste_json_put_double(writer, "batch", model->batch, 2);
    ste_json_put_double(writer, "publication", model->publication, 2);
    ste_json_put_double(writer, "database_wait_ms", model->database_s * 1e3, 3);
    ste_json_put_double(writer, "lock", model->lock, 3);
    ste_json_put_double(writer, "crowd", model->crowd, 3);
    ste_json_put_double(writer, "speed", model->speed, 4);
    ste_table_json(report->costs, writer, "costs");
    ste_json_put_list(writer, "notes");
    for (unsigned i = 0; i < model->note_count; i++)
        ste_json_put_cstr(writer, NULL, model->notes[i]);
    ste_json_put_end(writer);
    ste_json_put_end(writer);
}

static bool write_json(const struct ste_model_report *report, struct ste_buf *out)
{
    struct ste_json_writer writer;
    const struct summary of = summarise(report);
    ste_json_begin(&writer, out);
    ste_json_put_object(&writer, NULL);
    ste_json_put_cstr(&writer, "command", "model");
    /* Of the first point. */
    ste_json_put_double(&writer, "msg_per_s", report->first.throughput, 1);
    ste_json_put_cstr(&writer, "bottleneck", report->first.limit);
    write_model(report, &writer);
    ste_table_json(report->points, &writer, "points");
    ste_json_put_double(&writer, "error_median", of.median, 4);
    ste_json_put_double(&writer, "error_worst", of.worst, 4);
    ste_json_put_double(&writer, "simulated_error_median", of.simulated_median, 4);
    ste_json_put_double(&writer, "simulated_error_worst", of.simulated_worst, 4);
    ste_json_put_end(&writer);
    ste_buf_append_cstr(out, "\n");
    return ste_json_complete(&writer);
}

static bool to_output(const char *path)
{
    return path != NULL && strcmp(path, "-") == 0;
}

enum ste_code ste_model_report_write(const struct ste_model_report *report, const char *json,
                                     const char *csv, struct ste_error *err)
{
    struct ste_buf text = {0};
    enum ste_code rc = STE_OK;
    if (!ste_table_complete(report->points) || !ste_table_complete(report->costs))
        return ste_error_set(err, STE_E_NOMEM, "no memory for the table");
    if (!to_output(json) && !to_output(csv))
        print_people(report);
    if (json != NULL) {
        rc = write_json(report, &text) ? ste_bench_write_file(json, ste_buf_bytes(&text), err)
                                       : ste_error_set(err, STE_E_NOMEM, "no memory for JSON");
        ste_buf_clear(&text);
    }
    if (rc == STE_OK && csv != NULL) {
        ste_table_csv(report->points, &text);
        rc = text.failed ? ste_error_set(err, STE_E_NOMEM, "no memory for CSV")
                         : ste_bench_write_file(csv, ste_buf_bytes(&text), err);
    }
    ste_buf_deinit(&text);
    return rc;
}
