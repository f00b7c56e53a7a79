/* SPDX-License-Identifier: Apache-2.0
 * What is true of the whole run: rows of kind meta. */
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "bench/machine.h"
#include "bench/monitor_parts.h"

enum { SHARES_BYTES = 512, PATH_BYTES = 4096 };

static void put_number(struct ste_samples_writer *writer, const char *quantity, uint64_t value)
{
    char text[24];
    snprintf(text, sizeof text, "%llu", (unsigned long long)value);
    ste_samples_meta(writer, quantity, text);
}

/* "node=0.08 shard=0.15" becomes node_cpu_share and shard_cpu_share; no file, no row. */
static void put_shares(struct ste_samples_writer *writer, const char *lab)
{
    char path[PATH_BYTES], text[SHARES_BYTES], *rest = NULL;
    snprintf(path, sizeof path, "%s/cpu-shares", lab);
    if (!ste_machine_read_file(path, text, sizeof text))
        return;
    for (char *word = strtok_r(text, " \t\n", &rest); word; word = strtok_r(NULL, " \t\n", &rest)) {
        char quantity[STE_SAMPLES_NAME_BYTES];
        char *equals = strchr(word, '=');
        if (!equals)
            continue;
        snprintf(quantity, sizeof quantity, "%.*s_cpu_share", (int)(equals - word), word);
        ste_samples_meta(writer, quantity, equals + 1);
    }
}

void ste_monitor_meta(const struct ste_monitor_options *options, const char *lab,
                      struct ste_samples_writer *writer)
{
    const struct ste_cluster *cluster = options->cluster;
    char text[STE_MACHINE_TEXT_BYTES];
    uint64_t workers = 0, router_workers = 0;
    for (size_t i = 0; i < cluster->node_count; i++)
        for (size_t j = 0; j < cluster->nodes[i].assignment_count; j++)
            workers += cluster->nodes[i].assignments[j].workers;
    for (size_t i = 0; i < cluster->router_count; i++)
        router_workers += cluster->routers[i].workers;
    ste_clock_format_us(ste_clock_wall_us(), text);
    ste_samples_meta(writer, "started_at", text);
    put_number(writer, "interval_ms", options->interval_ms);
    ste_samples_meta(writer, "cluster", cluster->id);
    put_number(writer, "shards", cluster->shard_count);
    put_number(writer, "routers", cluster->router_count);
    put_number(writer, "router_workers", router_workers);
    put_number(writer, "nodes", cluster->node_count);
    put_number(writer, "workers", workers);
    put_number(writer, "cores", ste_machine_cores());
    ste_machine_model(text);
    ste_samples_meta(writer, "machine", text);
    ste_machine_kernel(text);
    ste_samples_meta(writer, "kernel", text);
    ste_samples_meta(writer, "version", STE_VERSION);
    if (lab)
        put_shares(writer, lab);
}
