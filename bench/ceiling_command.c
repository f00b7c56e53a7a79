/* SPDX-License-Identifier: Apache-2.0
 * ste-bench ceiling: the figures that the engine's own are held against. */
#include <stdio.h>
#include <string.h>

#include "bench/ceiling.h"
#include "bench/table.h"

#define CEILING_SECONDS_MIN 0.5
enum { CEILING_ROWS_MAX = 8, CEILING_BATCH_MAX = 1000 };

struct ceiling_options {
    struct ste_drive_options drive;
    const char *only;
    uint64_t batch, writers;
};

struct results {
    struct {
        const char *what;
        struct ste_ceiling ceiling;
    } rows[CEILING_ROWS_MAX];
    size_t count;
};

static int read_options(int argc, char **argv, struct ceiling_options *o)
{
    const struct ste_bench_option options[] = {
        STE_TEXT_OPTION("config", "FILE", &o->drive.config, true, "the cluster map"),
        STE_TEXT_OPTION("set", "DIR", &o->drive.set, true, "what ste-bench gen --out made"),
        STE_TEXT_OPTION("only", "WHAT", &o->only, false, "broker, driver or shard (default: all)"),
        STE_NUMBER_OPTION("batch", "K", &o->batch, 1, CEILING_BATCH_MAX, false,
                          "one batch size (default: broker and driver 1 and 64, shard 64 and 256)"),
        STE_NUMBER_OPTION("writers", "N", &o->writers, 1, 16, false,
                          "connections to the shard (default 4)"),
        STE_NUMBER_OPTION("in-flight", "N", &o->drive.in_flight, 1, 65536, false,
                          "deliveries waiting for their confirm (default 512)"),
        STE_TEXT_OPTION("key", "ID", &o->drive.key, false,
                        "the key to sign with (default: the map's submit.hub)"),
        STE_OUT_OPTION("json", &o->drive.json, "write the result (- is standard output)"),
    };
    int status = ste_bench_options(
        argc, argv,
        "Measures the broker alone (a bare producer with confirms and one consumer), the driver "
        "alone\n"
        "(the same, signed and with a fsynced ledger) and a shard alone, with a set's bytes.",
        options, sizeof options / sizeof options[0]);
    if (status < 0 && o->only && strcmp(o->only, "broker") != 0 && strcmp(o->only, "driver") != 0 &&
        strcmp(o->only, "shard") != 0) {
        fputs("ste-bench ceiling: --only wants broker, driver or shard\n", stderr);
        return STE_BENCH_USAGE;
    }
    return status;
}

static double rate_of(const struct ste_ceiling *ceiling)
{
    return ceiling->seconds > 0 ? (double)ceiling->messages / ceiling->seconds : 0;
}

static enum ste_code measure(const struct ceiling_options *o, const struct ste_bench_map *map,
                             const struct ste_set *set, const char *what, unsigned batch,
                             struct results *results, struct ste_error *err)
{
    if (results->count == CEILING_ROWS_MAX)
        return ste_error_set(err, STE_E_LIMIT, "too many measurements");
    bool shard = strcmp(what, "shard") == 0, driver = strcmp(what, "driver") == 0;
    struct ste_ceiling ceiling = {.batch = batch, .writers = shard ? (unsigned)o->writers : 1};
    enum ste_code rc = shard ? ste_ceiling_shard(map, set, &ceiling, err)
                             : ste_ceiling_broker(&o->drive, map, set, driver, &ceiling, err);
    if (rc != STE_OK)
        return rc;
    results->rows[results->count].what = what;
    results->rows[results->count++].ceiling = ceiling;
    fprintf(stderr, "%-6s alone, batches of %3u, %2u writers: %8.0f msg/s%s\n", what, batch,
            ceiling.writers, rate_of(&ceiling),
            ceiling.seconds < CEILING_SECONDS_MIN ? " (in less than half a second: no figure to "
                                                    "rely on, take a larger set)"
                                                  : "");
    return STE_OK;
}

static enum ste_code measure_all(const struct ceiling_options *o, const struct ste_bench_map *map,
                                 const struct ste_set *set, struct results *results,
                                 struct ste_error *err)
{
    static const struct {
        const char *what;
        unsigned batches[2];
    } plan[] = {{"broker", {1, 64}}, {"driver", {1, 64}}, {"shard", {64, 256}}};
    for (size_t i = 0; i < sizeof plan / sizeof plan[0]; i++) {
        if (o->only && strcmp(o->only, plan[i].what) != 0)
            continue;
        for (size_t j = 0; j < 2; j++) {
            unsigned batch = o->batch ? (unsigned)o->batch : plan[i].batches[j];
            enum ste_code rc = measure(o, map, set, plan[i].what, batch, results, err);
            if (rc != STE_OK)
                return rc;
            if (o->batch)
                break;
        }
    }
    return STE_OK;
}

/* The driver's rate over the broker's, of the same batch size. */
static void put_ratios(const struct results *results, struct ste_json_writer *json)
{
    ste_json_put_list(json, "driver_of_broker");
    for (size_t i = 0; i < results->count; i++) {
        const struct ste_ceiling *driver = &results->rows[i].ceiling;
        for (size_t j = 0; j < i && strcmp(results->rows[i].what, "driver") == 0; j++) {
            const struct ste_ceiling *broker = &results->rows[j].ceiling;
            if (strcmp(results->rows[j].what, "broker") != 0 || broker->batch != driver->batch)
                continue;
            double ratio = rate_of(broker) > 0 ? rate_of(driver) / rate_of(broker) : 0;
            fprintf(stderr, "driver / broker, batches of %3u: %.2f\n", driver->batch, ratio);
            ste_json_put_object(json, NULL);
            ste_json_put_uint(json, "batch", driver->batch);
            ste_json_put_double(json, "ratio", ratio, 3);
            ste_json_put_end(json);
        }
    }
    ste_json_put_end(json);
}

static void put_results(const struct results *results, struct ste_json_writer *json)
{
    ste_json_put_object(json, NULL);
    ste_json_put_list(json, "ceilings");
    for (size_t i = 0; i < results->count; i++) {
        const struct ste_ceiling *c = &results->rows[i].ceiling;
        ste_json_put_object(json, NULL);
        ste_json_put_cstr(json, "what", results->rows[i].what);
        ste_json_put_uint(json, "batch", c->batch);
        ste_json_put_uint(json, "writers", c->writers);
        ste_json_put_uint(json, "messages", c->messages);
        ste_json_put_double(json, "seconds", c->seconds, 3);
        ste_json_put_double(json, "msg_per_s", rate_of(c), 1);
        ste_json_put_uint(json, "redone", c->redone);
        ste_json_put_end(json);
    }
    ste_json_put_end(json);
    put_ratios(results, json);
    ste_json_put_end(json);
}

/* Tells the ratios, and writes the JSON if it is asked for. */
static enum ste_code conclude(const struct results *results, const char *path,
                              struct ste_error *err)
{
    struct ste_buf text = {0};
    struct ste_json_writer json;
    ste_json_begin(&json, &text);
    put_results(results, &json);
    ste_buf_append_cstr(&text, "\n");
    enum ste_code rc = STE_OK;
    if (!ste_json_complete(&json))
        rc = ste_error_set(err, STE_E_NOMEM, "out of memory for the result");
    else if (path)
        rc = ste_bench_write_file(path, ste_buf_bytes(&text), err);
    ste_buf_deinit(&text);
    return rc;
}

int ste_bench_ceiling(int argc, char **argv)
{
    struct ceiling_options o = {.drive = STE_DRIVE_DEFAULTS, .writers = 4};
    int status = read_options(argc, argv, &o);
    if (status >= 0)
        return status;
    struct ste_bench_map map;
    struct ste_set set = {0};
    struct results results = {0};
    struct ste_error err = {0};
    if (!ste_bench_map_load(&map, o.drive.config, true))
        return STE_BENCH_FAILURE;
    enum ste_code rc = ste_set_open(&set, o.drive.set, &err);
    if (rc == STE_OK)
        rc = measure_all(&o, &map, &set, &results, &err);
    if (rc == STE_OK)
        rc = conclude(&results, o.drive.json, &err);
    if (rc != STE_OK)
        ste_bench_complain("ceiling", &err);
    ste_set_close(&set);
    ste_bench_map_deinit(&map);
    return rc == STE_OK ? STE_BENCH_OK : STE_BENCH_FAILURE;
}
