/* SPDX-License-Identifier: Apache-2.0
 * A driver: signs the deliveries of a source, sends them to ste.in, keeps a window of unconfirmed
 * ones, and writes each into the ledger once it is confirmed. What is refused, or unknown because
 * the connection went, is sent again with the same message-id. One thread and one connection;
 * drivers that work side by side share source, schedule, ledger and flow. */
#ifndef STE_BENCH_DRIVE_H
#define STE_BENCH_DRIVE_H

#include "bench/command.h"
#include "bench/facts.h"
#include "bench/flow.h"
#include "bench/ledger.h"
#include "bench/schedule.h"
#include "bench/source.h"

struct ste_drive {
    /* Given. */
    struct ste_cluster *cluster;
    const struct ste_ref *ref;
    struct ste_source *source;
    struct ste_schedule *schedule;
    struct ste_ledger *ledger; /* NULL: none is kept */
    struct ste_flow *flow;     /* NULL: nobody watches the trades */
    enum ste_role role;        /* who publishes */
    const char *exchange, *routing_key;
    const char *key_id;       /* "STEHSGSG/hub"; NULL: nothing is signed */
    const char *run_id;       /* first part of every message-id */
    unsigned batch;           /* messages a delivery */
    unsigned in_flight;       /* deliveries not confirmed */
    uint64_t outstanding_max; /* messages between publish and CLS, with flow; 0: no bound */
    unsigned patience_s;      /* without any confirm */
    bool transient;           /* delivery mode 1 */
    /* Found. */
    _Atomic uint64_t confirmed_messages;
    _Atomic uint64_t published_messages; /* confirmed or not, those sent again too */
    uint64_t deliveries, bytes, nacked, returned, reconnects;
    uint64_t lost; /* unconfirmed when their connection went: sent again, as the refused ones */
    uint64_t first_publish_ns, last_confirm_ns, cpu_ns;
    /* Its own. */
    struct ste_drive_state *state;
};

/* Returns when everything is confirmed, or the jobs stop (then what is on its way is still waited
 * for, 5 s at most). Errors: STE_E_TIMEOUT after patience_s, or STE_REACH_FIRST_S without a
 * first connection; STE_E_MQ_REFUSED at that, STE_E_FILE of ledger or key. A struct ste_bench_job's
 * run. */
enum ste_code ste_drive_run(void *drive, struct ste_bench_jobs *jobs, struct ste_error *err);
double ste_drive_seconds(const struct ste_drive *drive);
/* What `count` drivers found, as if one had: sums, first publish, last confirm. */
void ste_drive_sum(const struct ste_drive *drives, size_t count, struct ste_drive *ret);
/* The drivers' own figures. */
void ste_drive_put(const struct ste_drive *sum, struct ste_facts *facts);

/* The hub's key: `name` alone is a key of the participant of submit.hub; NULL: submit.hub itself.
 * False, with a line on stderr, when there is none. out needs 128 bytes. */
bool ste_drive_key_id(const struct ste_cluster *cluster, const char *name, char *out);
/* A run's name: 10 hex digits that no two runs share. out needs 16 bytes. */
void ste_drive_run_id(char *out);

#endif
