/* SPDX-License-Identifier: Apache-2.0
 * Drivers side by side: what they share, and their jobs. */
#include <stdio.h>
#include <stdlib.h>

#include "bench/drive_command.h"
#include "mq/names.h"

bool ste_drive_run_id_is_good(const char *command, const struct ste_drive_options *o)
{
    if (!o->run_id || ste_ledger_run_id_is_good(o->run_id))
        return true;
    fprintf(stderr, "ste-bench %s: --run-id wants 1 to %d of A-Z, a-z, 0-9, dot, _ and -\n",
            command, STE_RUN_ID_MAX);
    return false;
}

bool ste_drive_prepare(struct ste_drive *drive, const struct ste_drive_options *o,
                       const struct ste_bench_map *map, char *key_id, char *run_id)
{
    if (!ste_drive_key_id(map->cluster, o->key, key_id))
        return false;
    if (!o->run_id)
        ste_drive_run_id(run_id);
    map->cluster->broker.window = (unsigned)o->in_flight;
    *drive = (struct ste_drive){.cluster = map->cluster,
                                .ref = map->ref,
                                .role = STE_ROLE_SUBMITTER,
                                .exchange = STE_EXCHANGE_IN,
                                .routing_key = "in",
                                .key_id = key_id,
                                .run_id = o->run_id ? o->run_id : run_id,
                                .batch = (unsigned)o->batch,
                                .in_flight = (unsigned)o->in_flight,
                                .transient = o->transient,
                                .patience_s = (unsigned)o->patience_s};
    return true;
}

static enum ste_code open_shared(struct ste_fleet *fleet, const struct ste_drive_options *o,
                                 const struct ste_input *input, struct ste_error *err)
{
    unsigned batch = (unsigned)o->batch;
    size_t made_ahead = 1024 / batch + 2;
    enum ste_code rc = STE_OK;
    if (o->ledger)
        rc = ste_ledger_open(o->ledger, &fleet->ledger, err);
    if (rc == STE_OK && o->resume)
        rc = ste_ledger_done(o->ledger, o->run_id, ste_input_deliveries(input, batch), &fleet->done,
                             err);
    if (rc == STE_OK)
        rc = ste_input_source(input, batch, fleet->done, o->drivers * o->in_flight + made_ahead,
                              &fleet->source, err);
    return rc;
}

bool ste_fleet_open(struct ste_fleet *fleet, const char *command, const struct ste_drive_options *o,
                    const struct ste_bench_map *map, const struct ste_input *input,
                    struct ste_flow *flow, uint64_t outstanding_max)
{
    struct ste_error err = {0};
    struct ste_drive drive;
    *fleet = (struct ste_fleet){.count = (unsigned)o->drivers, .schedule.rate = o->rate};
    if (!ste_drive_prepare(&drive, o, map, fleet->key_id, fleet->run_id))
        return false;
    if (open_shared(fleet, o, input, &err) != STE_OK) {
        ste_bench_complain(command, &err);
        (void)ste_fleet_close(fleet, command);
        return false;
    }
    drive.source = fleet->source;
    drive.schedule = &fleet->schedule;
    drive.ledger = fleet->ledger;
    drive.flow = flow;
    drive.outstanding_max = outstanding_max;
    for (unsigned i = 0; i < fleet->count; i++)
        fleet->drives[i] = drive;
    return true;
}

void ste_fleet_jobs(struct ste_fleet *fleet, struct ste_bench_job *jobs)
{
    for (unsigned i = 0; i < fleet->count; i++)
        jobs[i] = (struct ste_bench_job){
            .run = ste_drive_run, .context = &fleet->drives[i], .what = "drive"};
}

uint64_t ste_fleet_confirmed(const struct ste_fleet *fleet)
{
    uint64_t sum = 0;
    for (unsigned i = 0; i < fleet->count; i++)
        sum += atomic_load(&fleet->drives[i].confirmed_messages);
    return sum;
}

bool ste_fleet_close(struct ste_fleet *fleet, const char *command)
{
    struct ste_error err = {0};
    ste_source_close(fleet->source);
    fleet->source = NULL;
    free(fleet->done);
    fleet->done = NULL;
    enum ste_code rc = ste_ledger_close(fleet->ledger, &err);
    fleet->ledger = NULL;
    if (rc != STE_OK)
        ste_bench_complain(command, &err);
    return rc == STE_OK;
}
