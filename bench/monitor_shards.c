/* SPDX-License-Identifier: Apache-2.0
 * Shards, by two statements each. As a node and not as the checker: a node's calls end after 5 s,
 * and a shard that hangs must not hold the samples up for longer. */
#include <stdio.h>
#include <stdlib.h>

#include "bench/monitor_parts.h"
#include "dbshard/status.h"

struct ste_monitor_shards {
    const struct ste_cluster *cluster;
    struct {
        struct ste_shard *shard; /* NULL: away */
        struct ste_outage outage;
    } shards[STE_SHARD_COUNT_MAX];
};

static const enum ste_quantity quantities[STE_STATUS_COUNT] = {
    [STE_STATUS_COMMITS] = STE_Q_SHARD_COMMITS,
    [STE_STATUS_ROWS_INSERTED] = STE_Q_SHARD_ROWS_IN,
    [STE_STATUS_ROWS_UPDATED] = STE_Q_SHARD_ROWS_UPDATED,
    [STE_STATUS_ROWS_READ] = STE_Q_SHARD_ROWS_READ,
    [STE_STATUS_FSYNCS] = STE_Q_SHARD_FSYNCS,
    [STE_STATUS_BYTES_WRITTEN] = STE_Q_SHARD_BYTES_WRITTEN,
    [STE_STATUS_POOL_READS] = STE_Q_SHARD_POOL_READS,
    [STE_STATUS_MESSAGES] = STE_Q_SHARD_MESSAGES,
};

enum ste_code ste_monitor_shards_open(const struct ste_cluster *cluster,
                                      struct ste_monitor_shards **ret, struct ste_error *err)
{
    struct ste_monitor_shards *shards = calloc(1, sizeof *shards);
    if (!shards)
        return ste_error_set(err, STE_E_NOMEM, "no memory for the monitor");
    shards->cluster = cluster;
    *ret = shards;
    return STE_OK;
}

/* A server closes a node's session that was idle for 10 s: an open one may be opened once more. */
static enum ste_code ask(struct ste_monitor_shards *shards, unsigned number,
                         struct ste_shard_status *ret, struct ste_error *err)
{
    struct ste_shard **shard = &shards->shards[number].shard;
    enum ste_code rc = STE_E_SHARD_DOWN;
    if (*shard)
        rc = ste_shard_status(*shard, ret, err);
    if (rc != STE_E_SHARD_DOWN)
        return rc;
    ste_shard_close(*shard);
    *shard = NULL;
    rc = ste_shard_open(shards->cluster, number, STE_DB_NODE, shard, err);
    return rc == STE_OK ? ste_shard_status(*shard, ret, err) : rc;
}

bool ste_monitor_shards_sample(struct ste_monitor_shards *shards, struct ste_samples_writer *writer)
{
    bool any = false;
    for (unsigned number = 0; number < shards->cluster->shard_count; number++) {
        char name[STE_SAMPLES_NAME_BYTES];
        struct ste_shard_status status;
        struct ste_error err = {0};
        snprintf(name, sizeof name, "shard-%u", number);
        if (ask(shards, number, &status, &err) != STE_OK) {
            ste_outage_tell(&shards->shards[number].outage, name, &err);
            continue;
        }
        any = true;
        shards->shards[number].outage.told = false;
        for (unsigned i = 0; i < STE_STATUS_COUNT; i++)
            if (status.known[i])
                ste_samples_put(writer, quantities[i], name, "", (double)status.values[i]);
    }
    return any;
}

void ste_monitor_shards_close(struct ste_monitor_shards *shards)
{
    if (!shards)
        return;
    for (unsigned number = 0; number < shards->cluster->shard_count; number++)
        ste_shard_close(shards->shards[number].shard);
    free(shards);
}
