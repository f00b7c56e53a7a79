/* SPDX-License-Identifier: Apache-2.0
 * From the monitor's raw samples to the Buzen-Denning table: for the whole system and each of its
 * stages what arrived, what was completed, how long its servers worked and how many messages were
 * there, and what follows from it (oa/laws.h). Pure: samples in, figures out.
 *
 * The number present comes from counters, not from queue lengths: typed queues count deliveries,
 * not messages. In the whole system: confirmed by the driver - messages of cleared trades. At the
 * router: confirmed by the driver - published by the router. At the nodes, by type: published by
 * the routers - committed by the nodes. Each is counted from 0 at the first sample; should the
 * completions run ahead of the arrivals by more than half an interval's, as many were there at the
 * start. At the shards, as a part of what is at the nodes: the workers' time in database calls,
 * times the records of a transaction; an interval without a commit counts none. Of one process of
 * several, and of one type at the router, only what is in hand is known.
 */
#ifndef STE_BENCH_ANALYSIS_H
#define STE_BENCH_ANALYSIS_H

#include "base/arena.h"
#include "bench/samples.h"
#include "oa/bounds.h"
#include "oa/laws.h"

enum ste_stage_kind {
    STE_STAGE_SYSTEM,
    STE_STAGE_DRIVER,
    STE_STAGE_ROUTER,
    STE_STAGE_NODE,
    STE_STAGE_SHARD,
    STE_STAGE_BROKER,
    STE_STAGE_POOL,
};
enum { STE_STAGES_MAX = 512, STE_STATIONS_MAX = 8, STE_STAGE_TYPE_COUNT = 5 };
extern const char ste_stage_type_names[STE_STAGE_TYPE_COUNT][4]; /* NOE ALB NPR SET EXC */

struct ste_stage {
    enum ste_stage_kind kind;
    char name[STE_SAMPLES_NAME_BYTES]; /* "system", "router", "node", "node-1", "shard-0" … */
    char type[4];                      /* "" for all */
    const char *unit;                  /* what A, C and N count */
    bool part;                         /* one process of several, or one type: a share of another */
    struct ste_oa_counts counts;       /* NAN where it is not known */
    struct ste_oa_laws laws;           /* NAN where it does not follow */
    double visits, demand;             /* V, D in seconds a message of the system */
    double processors, cpu_use;        /* it may use; share of them it did. NAN: not known */
    const double *arrived, *done;      /* since the first sample, at each time; NULL: not known */
    const double *present;             /* at each time; NULL: not known */
};

/* A place where messages queue. m servers are one server m times as fast and a delay for the rest
 * (A. Seidmann, P. J. Schweitzer, S. Shalev-Oren 1987), so that the bounds hold for them too. */
struct ste_station {
    const struct ste_stage *stage;
    double demand, servers; /* D in seconds, m */
};

struct ste_analysis {
    double from_s, to_s, interval_s; /* from the first sample; the mean time between samples */
    size_t time_count, first, last;  /* times_s[first] = from_s, times_s[last] = to_s */
    const double *times_s;
    size_t stage_count;
    struct ste_stage *stages;
    double cores;
    double foreign; /* share of the machine's busy time that no sampled process had; NAN: unknown */
    double residence_s;    /* measured by driver and pool, NAN where it was not */
    double little_present; /* X × residence */
    double little_apart;   /* (N - that) / that */
    /* Highest ste_stage_use; highest D. NULL: none is known. */
    const struct ste_stage *busiest, *costliest;
    size_t station_count;
    struct ste_station stations[STE_STATIONS_MAX];
    double demands[STE_STATIONS_MAX];
    struct ste_oa_system system; /* D/m as demands, the delays as think time */
    double ceiling; /* 1/s, from processors: the machine's, or a process's held share */
    const struct ste_stage *ceiling_by;
};

/* from_s and to_s NAN: from the last sample before anything arrived to the first at which all was
 * completed. *ret borrows from `arena` and `samples`. Errors: STE_E_ARGUMENT: nothing was
 * completed, fewer than two samples, or no such times, which the text tells; STE_E_NOMEM. */
STE_MUST_CHECK enum ste_code ste_analyse(const struct ste_samples *samples, double from_s,
                                         double to_s, struct ste_arena *arena,
                                         struct ste_analysis *ret, struct ste_error *err);
/* U, or the use of its processors where that is higher: how near to its end a stage is. */
double ste_stage_use(const struct ste_stage *stage);
/* The stage of this kind for all processes; type "" for all types. NULL: not there. */
const struct ste_stage *ste_analysis_find(const struct ste_analysis *analysis,
                                          enum ste_stage_kind kind, const char *type);
/* Bounds with the ceiling worked in. */
struct ste_oa_bounds ste_analysis_bounds(const struct ste_analysis *analysis, double n,
                                         bool balanced);
/* Throughput that n messages in the system would have by exact mean value analysis of the stations
 * (lib/oa/mva.h), at most the ceiling. NAN: no station, or n too large. O(n · stations). */
double ste_analysis_mva(const struct ste_analysis *analysis, double n);
/* Completions of a stage a second between times[at - 1] and times[at]. */
double ste_stage_rate(const struct ste_analysis *analysis, const struct ste_stage *stage,
                      size_t at);

/* Growth of the series that fit, summed, from the first sample to each of the times: names are
 * `name` itself, or it with "-…" or "/…" behind; name or type "" fits all. NULL: no series fits, or
 * lack of memory. */
struct ste_growth {
    const struct ste_samples *samples;
    const double *times;
    size_t count;
    struct ste_arena *arena;
};
const double *ste_growth_of(const struct ste_growth *growth, enum ste_quantity quantity,
                            const char *name, const char *type);
bool ste_name_fits(const char *have, const char *name);

#endif
