/* SPDX-License-Identifier: Apache-2.0
 * How many bytes each kind of queue may hold: from the design rate and the outage allowance, cut to
 * what the broker's disk can take. Pure. */
#ifndef STE_MQ_TOPOLOGY_SIZES_H
#define STE_MQ_TOPOLOGY_SIZES_H

#include "conf/cluster.h"

struct ste_topology_sizes { /* max-length-bytes of one queue of each kind */
    uint64_t in, work, suspect, cls, reply, exception, dead;
};

enum {
    STE_TOPOLOGY_STEPS = 80, /* of shrinking: 1, 15/16 … 9/16, then their halves, quarters … */
    STE_TOPOLOGY_NO_STEP = STE_TOPOLOGY_STEPS,
    STE_TOPOLOGY_FILL_PERCENT = 60, /* of the free disk, for queues sized anew */
    STE_TOPOLOGY_FILL_MAX_PERCENT =
        85, /* and what an earlier sizing may take before it is redone */
    STE_TOPOLOGY_FILL_MIN_PERCENT = 30, /* below it an earlier, shrunk sizing is redone too */
};

/* step 0 is the whole allowance; each further one is a little less. */
struct ste_topology_sizes ste_topology_sizes_of(const struct ste_cluster *cluster,
                                                size_t participant_count, unsigned step);
/* All queues full at once. */
uint64_t ste_topology_sizes_sum(const struct ste_cluster *cluster, size_t participant_count,
                                const struct ste_topology_sizes *sizes);
/* Share of the outage allowance that is left at a step, in minutes. */
unsigned ste_topology_minutes(const struct ste_cluster *cluster, unsigned step);
/* The step to use. disk_bytes: free above the broker's own limit, counting what our queues hold
 * now. in_bytes: the limit ste.in has now, 0 for none: a sizing that still fits is kept, so that a
 * disk that fills and empties does not change the queues each time. STE_TOPOLOGY_NO_STEP: none
 * fits. */
unsigned ste_topology_step(const struct ste_cluster *cluster, size_t participant_count,
                           uint64_t disk_bytes, uint64_t in_bytes);

#endif
