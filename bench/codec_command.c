/* SPDX-License-Identifier: Apache-2.0
 * ste-bench codec: what a message costs in XML, as record and as JSON, on one core, without broker
 * and database. */
#include <stdio.h>

#include "base/clock.h"
#include "base/decimal.h"
#include "bench/codec.h"
#include "bench/command.h"
#include "bench/gen.h"
#include "bench/set.h"
#include "bench/table.h"

/* By default small enough to stay in a core's caches, as a message that has just come in does. */
enum { MESSAGES_DEFAULT = 700, ROUNDS_DEFAULT = 7, MESSAGES_PER_TRADE = 7 };

struct codec_options {
    const char *config, *set, *seconds, *json, *csv;
    uint64_t messages, rounds;
    uint64_t cell_ns; /* from `seconds` */
};

static int read_options(int argc, char **argv, struct codec_options *o)
{
    const struct ste_bench_option options[] = {
        STE_TEXT_OPTION("config", "FILE", &o->config, false,
                        "the cluster map, whose reference data messages are made from"),
        STE_TEXT_OPTION("set", "DIR", &o->set, false, "take the messages of a set instead"),
        STE_NUMBER_OPTION("messages", "N", &o->messages, 1, 1000000, false,
                          "how many different messages (default 700)"),
        STE_TEXT_OPTION("seconds", "S", &o->seconds, false,
                        "CPU time of each cell of each round (default 0.5)"),
        STE_NUMBER_OPTION("rounds", "R", &o->rounds, 1, STE_CODEC_ROUNDS_MAX, false,
                          "how often all codecs are measured in turn (default 7)"),
        STE_OUT_OPTION("json", &o->json, "the table as JSON (- is standard output)"),
        STE_OUT_OPTION("csv", &o->csv, "the table as CSV (- is standard output)"),
    };
    return ste_bench_options(
        argc, argv, "Measures what encoding and decoding a message costs, in several notations.",
        options, sizeof options / sizeof options[0]);
}

/* "0.5": up to nine decimals, above 0, at most an hour. */
static bool parse_seconds(const char *text, uint64_t *ret_ns)
{
    struct ste_decimal value;
    if (!ste_decimal_parse(ste_bytes_of(text), false, &value) || value.decimals > 9 ||
        value.coefficient <= 0)
        return false;
    uint64_t scale = STE_NS_PER_S;
    for (unsigned i = 0; i < value.decimals; i++)
        scale /= 10;
    if ((uint64_t)value.coefficient > 3600 * STE_NS_PER_S / scale)
        return false;
    *ret_ns = (uint64_t)value.coefficient * scale;
    return true;
}

/* ---- the messages ---- */

struct taking {
    struct ste_codec_texts *texts;
    uint64_t wanted;
};

static enum ste_code take(void *context, const struct ste_gen_item *item, struct ste_error *err)
{
    struct taking *taking = context;
    if (taking->texts->count < taking->wanted && !ste_codec_texts_add(taking->texts, item->message))
        return ste_error_set(err, STE_E_NOMEM, "out of memory for the messages");
    return STE_OK;
}

static enum ste_code generate(const struct ste_bench_map *map, struct taking *taking,
                              struct ste_error *err)
{
    struct ste_gen_data data;
    enum ste_code rc = ste_gen_data_load(map->cluster, map->ref, &data, err);
    if (rc != STE_OK)
        return rc;
    struct ste_gen_plan plan = {
        .gen = {.data = &data, .seed = 1, .accounts_min = 2, .accounts_max = 2},
        .trades = (taking->wanted + MESSAGES_PER_TRADE - 1) / MESSAGES_PER_TRADE,
        .shuffle_window = STE_GEN_SHUFFLE_DEFAULT};
    rc = ste_gen_run(&plan, take, taking, NULL, err);
    ste_gen_data_deinit(&data);
    return rc;
}

static enum ste_code take_from_set(const char *folder, struct taking *taking, struct ste_error *err)
{
    struct ste_set set;
    enum ste_code rc = ste_set_open(&set, folder, err);
    if (rc != STE_OK)
        return rc;
    size_t offset = 0;
    for (struct ste_gen_item item = {.message = ste_set_next(&set, &offset)};
         item.message.len > 0 && taking->texts->count < taking->wanted && rc == STE_OK;
         item.message = ste_set_next(&set, &offset))
        rc = take(taking, &item, err);
    ste_set_close(&set);
    return rc;
}

static bool take_messages(const struct codec_options *o, struct ste_codec_texts *texts)
{
    struct ste_error err = {0};
    struct taking taking = {texts, o->messages};
    enum ste_code rc;
    if (o->set) {
        rc = take_from_set(o->set, &taking, &err);
    } else {
        struct ste_bench_map map;
        if (!ste_bench_map_load(&map, o->config, true))
            return false;
        rc = generate(&map, &taking, &err);
        ste_bench_map_deinit(&map);
    }
    if (rc != STE_OK)
        ste_bench_complain("codec", &err);
    return rc == STE_OK;
}

/* ---- the table ---- */

static const struct ste_table_column columns[] = {
    {"codec", NULL, -1},
    {"direction", NULL, -1},
    {"ns_per_message", "ns/message", 0},
    {"ns_min", "min", 0},
    {"ns_max", "max", 0},
    {"spread_percent", "spread %", 1},
    {"messages_per_s", "msg/s per core", 0},
    {"mb_per_s", "MB/s", 1},
    {"bytes_per_message", "bytes/message", 1},
    {"times_xml_expat", "times xml expat", 2},
    {"times_min", "min", 2},
    {"times_max", "max", 2},
};

/* Nanoseconds of one direction, or of both together. */
static double cell_ns(const struct ste_codec_times *times, int direction, unsigned round)
{
    return direction < STE_CODEC_DIRECTIONS
               ? times->ns[direction][round]
               : times->ns[STE_CODEC_ENCODE][round] + times->ns[STE_CODEC_DECODE][round];
}

static void add_row(struct ste_table *table, size_t codec, int direction, unsigned rounds,
                    const struct ste_codec_times *times)
{
    static const char *const names[] = {"encode", "decode", "both"};
    double ns[STE_CODEC_ROUNDS_MAX], faster[STE_CODEC_ROUNDS_MAX];
    for (unsigned round = 0; round < rounds; round++) {
        ns[round] = cell_ns(&times[codec], direction, round);
        faster[round] = cell_ns(&times[0], direction, round) / ns[round];
    }
    struct ste_codec_spread cost = ste_codec_spread_of(ns, rounds);
    struct ste_codec_spread ratio = ste_codec_spread_of(faster, rounds);
    ste_table_text(table, ste_codecs[codec]->name);
    ste_table_text(table, names[direction]);
    ste_table_number(table, cost.median);
    ste_table_number(table, cost.min);
    ste_table_number(table, cost.max);
    ste_table_number(table, 100 * (cost.max - cost.min) / cost.median);
    ste_table_number(table, 1e9 / cost.median);
    ste_table_number(table, times[codec].bytes_per_message * 1e3 / cost.median);
    ste_table_number(table, times[codec].bytes_per_message);
    ste_table_number(table, ratio.median);
    ste_table_number(table, ratio.min);
    ste_table_number(table, ratio.max);
    ste_table_end_row(table);
}

static enum ste_code write_json(const struct codec_options *o, size_t messages,
                                const struct ste_table *table, struct ste_error *err)
{
    struct ste_buf out = {0};
    struct ste_json_writer writer;
    ste_json_begin(&writer, &out);
    ste_json_put_object(&writer, NULL);
    ste_json_put_uint(&writer, "messages", messages);
    ste_json_put_uint(&writer, "rounds", o->rounds);
    ste_json_put_double(&writer, "cell_s", (double)o->cell_ns / 1e9, 9);
    ste_table_json(table, &writer, "codecs");
    ste_json_put_end(&writer);
    enum ste_code rc = STE_OK;
    if (!ste_json_complete(&writer))
        rc = ste_error_set(err, STE_E_NOMEM, "out of memory for the JSON");
    ste_buf_append_cstr(&out, "\n");
    if (rc == STE_OK)
        rc = ste_bench_write_file(o->json, ste_buf_bytes(&out), err);
    ste_buf_deinit(&out);
    return rc;
}

static enum ste_code write_csv(const struct codec_options *o, const struct ste_table *table,
                               struct ste_error *err)
{
    struct ste_buf out = {0};
    ste_table_csv(table, &out);
    enum ste_code rc = out.failed ? ste_error_set(err, STE_E_NOMEM, "out of memory for the CSV")
                                  : ste_bench_write_file(o->csv, ste_buf_bytes(&out), err);
    ste_buf_deinit(&out);
    return rc;
}

static enum ste_code report(const struct codec_options *o, size_t messages,
                            const struct ste_codec_times *times, struct ste_error *err)
{
    struct ste_table *table = NULL;
    enum ste_code rc = ste_table_new(columns, sizeof columns / sizeof columns[0], &table, err);
    if (rc != STE_OK)
        return rc;
    for (size_t codec = 0; codec < STE_CODEC_COUNT; codec++) {
        for (int direction = 0; direction <= STE_CODEC_DIRECTIONS; direction++)
            add_row(table, codec, direction, (unsigned)o->rounds, times);
    }
    if (!ste_table_complete(table))
        rc = ste_error_set(err, STE_E_NOMEM, "out of memory for the table");
    if (rc == STE_OK)
        ste_table_print(table, stderr);
    if (rc == STE_OK && o->json)
        rc = write_json(o, messages, table, err);
    if (rc == STE_OK && o->csv)
        rc = write_csv(o, table, err);
    ste_table_free(table);
    return rc;
}

static enum ste_code measure(const struct codec_options *o, const struct ste_codec_texts *texts,
                             struct ste_error *err)
{
    struct ste_codec_sample *sample = NULL;
    struct ste_codec_times times[STE_CODEC_COUNT] = {0};
    enum ste_code rc = ste_codec_sample_new(ste_codecs, STE_CODEC_COUNT, texts, &sample, err);
    if (rc != STE_OK)
        return rc;
    fprintf(stderr, "%zu messages, %.1f bytes each, are the same in all %d codecs\n", texts->count,
            (double)(texts->all.len - texts->count) / (double)texts->count, STE_CODEC_COUNT);
    rc = ste_codec_time(sample, (unsigned)o->rounds, o->cell_ns, times, err);
    ste_codec_sample_free(sample);
    return rc == STE_OK ? report(o, texts->count, times, err) : rc;
}

int ste_bench_codec(int argc, char **argv)
{
    struct codec_options o = {
        .messages = MESSAGES_DEFAULT, .rounds = ROUNDS_DEFAULT, .seconds = "0.5"};
    int status = read_options(argc, argv, &o);
    if (status >= 0)
        return status;
    const char *wrong = NULL;
    if (!o.config == !o.set)
        wrong = "wants --config or --set";
    else if (!parse_seconds(o.seconds, &o.cell_ns))
        wrong = "--seconds wants a number above 0, at most 3600";
    if (wrong) {
        fprintf(stderr, "ste-bench codec: %s (see ste-bench codec --help)\n", wrong);
        return STE_BENCH_USAGE;
    }
    struct ste_codec_texts texts = {0};
    struct ste_error err = {0};
    status = STE_BENCH_FAILURE;
    if (take_messages(&o, &texts)) {
        if (measure(&o, &texts, &err) == STE_OK)
            status = STE_BENCH_OK;
        else
            ste_bench_complain("codec", &err);
    }
    ste_codec_texts_deinit(&texts);
    return status;
}
