/* SPDX-License-Identifier: Apache-2.0
 * What drive and run have in common on the command line. */
#ifndef STE_BENCH_DRIVE_COMMAND_H
#define STE_BENCH_DRIVE_COMMAND_H

#include "bench/report.h"
#include "msg/message.h"

enum { STE_DRIVE_KEY_ID_BYTES = 128, STE_DRIVE_RUN_ID_BYTES = 16 };

struct ste_drive_options {
    const char *config, *set, *ledger, *key, *run_id, *json;
    uint64_t batch, in_flight, rate, patience_s;
    bool progress, resume;
};
#define STE_DRIVE_DEFAULTS                                                                         \
    {                                                                                              \
        .batch = 1, .in_flight = 512, .patience_s = 600                                            \
    }

#define STE_DRIVE_OPTIONS(o)                                                                       \
    STE_TEXT_OPTION("config", "FILE", &(o).config, true, "the cluster map"),                       \
        STE_TEXT_OPTION("set", "DIR", &(o).set, true, "what ste-bench gen --out made"),            \
        STE_NUMBER_OPTION("batch", "K", &(o).batch, 1, STE_DELIVERY_MESSAGES_MAX, false,           \
                          "messages in one delivery (default 1)"),                                 \
        STE_NUMBER_OPTION("in-flight", "N", &(o).in_flight, 1, 65536, false,                       \
                          "deliveries waiting for their confirm (default 512)"),                   \
        STE_NUMBER_OPTION(                                                                         \
            "rate", "R", &(o).rate, 0, 10000000, false,                                            \
            "messages a second, however the engine fares (default 0: all it takes)"),              \
        STE_TEXT_OPTION("key", "ID", &(o).key, false,                                              \
                        "hub, hub-ed or PARTICIPANT/KEY (default: the map's submit.hub)"),         \
        STE_TEXT_OPTION("run-id", "ID", &(o).run_id, false,                                        \
                        "first part of every message-id (default: a new one)"),                    \
        STE_NUMBER_OPTION("patience", "S", &(o).patience_s, 1, 86400, false,                       \
                          "give up after S seconds without a confirm (default 600)"),              \
        STE_FLAG_OPTION("progress", &(o).progress, "show progress even without a terminal"),       \
        STE_TEXT_OPTION("json", "FILE", &(o).json, false,                                          \
                        "write the result (- is standard output)")

/* Fills in a driver; key_id and run_id are the caller's memory for its names. False: complained. */
bool ste_drive_prepare(struct ste_drive *drive, const struct ste_drive_options *o,
                       const struct ste_bench_map *map, const struct ste_set *set, char *key_id,
                       char *run_id);

#endif
