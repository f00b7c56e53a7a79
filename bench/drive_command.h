/* SPDX-License-Identifier: Apache-2.0
 * What drive and run have in common: options, and the drivers that work side by side. */
#ifndef STE_BENCH_DRIVE_COMMAND_H
#define STE_BENCH_DRIVE_COMMAND_H

#include "bench/input.h"
#include "bench/report.h"
#include "msg/message.h"

enum { STE_DRIVE_KEY_ID_BYTES = 128, STE_DRIVE_RUN_ID_BYTES = 16, STE_DRIVERS_MAX = 16 };

struct ste_drive_options {
    struct ste_plan_options plan;
    const char *config, *set, *ledger, *key, *run_id, *json, *csv;
    uint64_t drivers, batch, in_flight, rate, patience_s;
    bool progress, resume, transient;
};
#define STE_DRIVE_DEFAULTS                                                                         \
    {                                                                                              \
        .plan = STE_PLAN_DEFAULTS, .drivers = 1, .batch = 1, .in_flight = 512, .patience_s = 600   \
    }

#define STE_DRIVE_OPTIONS(o)                                                                       \
    STE_TEXT_OPTION("config", "FILE", &(o).config, true, "the cluster map"),                       \
        STE_TEXT_OPTION("set", "DIR", &(o).set, false,                                             \
                        "what ste-bench gen --out made; or else, made while it is sent:"),         \
        STE_PLAN_OPTIONS((o).plan, "generate"),                                                    \
        STE_NUMBER_OPTION("drivers", "D", &(o).drivers, 1, STE_DRIVERS_MAX, false,                 \
                          "drivers side by side, each with its connection (default 1)"),           \
        STE_NUMBER_OPTION("batch", "K", &(o).batch, 1, STE_DELIVERY_MESSAGES_MAX, false,           \
                          "messages in one delivery (default 1)"),                                 \
        STE_NUMBER_OPTION("in-flight", "N", &(o).in_flight, 1, 65536, false,                       \
                          "deliveries of each driver waiting for their confirm (default 512)"),    \
        STE_NUMBER_OPTION("rate", "R", &(o).rate, 0, 10000000, false,                              \
                          "messages a second of all drivers, however the engine fares (default "   \
                          "0: all it takes)"),                                                     \
        STE_FLAG_OPTION("volatile", &(o).transient,                                                \
                        "transient messages: a broker that stops may forget them"),                \
        STE_TEXT_OPTION("key", "ID", &(o).key, false,                                              \
                        "hub, hub-ed or PARTICIPANT/KEY (default: the map's submit.hub)"),         \
        STE_TEXT_OPTION("run-id", "ID", &(o).run_id, false,                                        \
                        "first part of every message-id: 1 to 40 of A-Z, a-z, 0-9, dot, _ and - "  \
                        "(default: a new one)"),                                                   \
        STE_NUMBER_OPTION("patience", "S", &(o).patience_s, 1, 86400, false,                       \
                          "give up after S seconds without a confirm (default 600)"),              \
        STE_FLAG_OPTION("progress", &(o).progress, "show progress even without a terminal"),       \
        STE_OUT_OPTION("json", &(o).json, "write the result (- is standard output)"),              \
        STE_OUT_OPTION("csv", &(o).csv, "the result as a heading and one line")

/* False: complained; that is wrong usage. */
bool ste_drive_run_id_is_good(const char *command, const struct ste_drive_options *o);
/* Fills in a driver, all but source and schedule; key_id and run_id are the caller's memory for its
 * names. False: complained. */
bool ste_drive_prepare(struct ste_drive *drive, const struct ste_drive_options *o,
                       const struct ste_bench_map *map, char *key_id, char *run_id);

struct ste_fleet {
    struct ste_drive drives[STE_DRIVERS_MAX];
    unsigned count;
    struct ste_source *source;
    struct ste_schedule schedule;
    struct ste_ledger *ledger; /* one for all; NULL: o->ledger is */
    uint8_t *done;
    char key_id[STE_DRIVE_KEY_ID_BYTES], run_id[STE_DRIVE_RUN_ID_BYTES];
};
/* Opens source and ledger. False: complained, nothing is left open. */
bool ste_fleet_open(struct ste_fleet *fleet, const char *command, const struct ste_drive_options *o,
                    const struct ste_bench_map *map, const struct ste_input *input,
                    struct ste_flow *flow, uint64_t outstanding_max);
/* One job a driver, into jobs[0 … count-1]. */
void ste_fleet_jobs(struct ste_fleet *fleet, struct ste_bench_job *jobs);
uint64_t ste_fleet_confirmed(const struct ste_fleet *fleet); /* messages; at any time */
/* Waits for the ledger; false: complained. The drivers' figures can still be read. */
bool ste_fleet_close(struct ste_fleet *fleet, const char *command);

#endif
