/* SPDX-License-Identifier: Apache-2.0
 * A line on stderr that tells a person how far it is. Drawn at most five times a second. */
#ifndef STE_BENCH_PROGRESS_H
#define STE_BENCH_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

struct ste_progress {
    const char *what; /* "sent", "cleared" */
    const char *unit; /* "msg", "trades" */
    uint64_t total;   /* 0: not known */
    uint64_t steps;   /* of the total, which is no number for people: told instead, and no rate */
    uint64_t start_ns, drawn_ns, drawn_done;
    double rate; /* smoothed; at the end the mean of the whole */
    bool shown;  /* else every call returns at once */
};

/* Shown when stderr is a terminal, or `always`. */
void ste_progress_start(struct ste_progress *progress, const char *what, const char *unit,
                        uint64_t total, bool always);
void ste_progress_update(struct ste_progress *progress, uint64_t done);
void ste_progress_end(struct ste_progress *progress, uint64_t done);

#endif
