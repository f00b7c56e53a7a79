/* SPDX-License-Identifier: Apache-2.0
 * The driver: signs the deliveries of a set, sends them to ste.in, keeps a window of unconfirmed
 * ones, and writes each into the ledger once it is confirmed. What is refused, or unknown because
 * the connection went, is sent again with the same message-id. One thread. */
#ifndef STE_BENCH_DRIVE_H
#define STE_BENCH_DRIVE_H

#include "bench/command.h"
#include "bench/flow.h"
#include "bench/ledger.h"

struct ste_drive {
    /* Given. */
    struct ste_cluster *cluster;
    const struct ste_ref *ref;
    const struct ste_set *set;
    struct ste_ledger *ledger;
    struct ste_flow *flow; /* NULL: nobody watches the trades */
    enum ste_role role;    /* who publishes */
    const char *exchange, *routing_key;
    const char *key_id;       /* "STEHSGSG/hub" */
    const char *run_id;       /* first part of every message-id */
    unsigned batch;           /* messages a delivery */
    unsigned in_flight;       /* deliveries not confirmed */
    uint64_t rate;            /* messages a second, open loop; 0: as fast as it goes */
    uint64_t outstanding_max; /* messages between publish and CLS, with flow; 0: no bound */
    unsigned patience_s;      /* without any confirm */
    const uint8_t *done;      /* bit per delivery: confirmed in an earlier run; NULL: none */
    /* Found. */
    _Atomic uint64_t confirmed_messages;
    uint64_t skipped_messages; /* of deliveries done before */
    uint64_t deliveries, bytes, nacked, returned, reconnects;
    uint64_t lost; /* unconfirmed when their connection went: sent again, as the refused ones */
    uint64_t first_publish_ns, last_confirm_ns, cpu_ns;
    /* Its own. */
    struct ste_drive_state *state;
};

/* Returns when everything is confirmed, or the jobs stop (then what is on its way is still waited
 * for, 5 s at most). Errors: STE_E_TIMEOUT after patience_s, STE_E_MQ_REFUSED at the first
 * connection, STE_E_FILE of ledger or key. A struct ste_bench_job's run. */
enum ste_code ste_drive_run(void *drive, struct ste_bench_jobs *jobs, struct ste_error *err);
double ste_drive_seconds(const struct ste_drive *drive);
/* "messages": …, "deliveries": … : the driver's own figures, without braces. */
void ste_drive_json(const struct ste_drive *drive, FILE *out);

/* The hub's key: `name` alone is a key of the participant of submit.hub; NULL: submit.hub itself.
 * False, with a line on stderr, when there is none. out needs 128 bytes. */
bool ste_drive_key_id(const struct ste_cluster *cluster, const char *name, char *out);
/* A run's name: 10 hex digits that no two runs share. out needs 16 bytes. */
void ste_drive_run_id(char *out);

#endif
