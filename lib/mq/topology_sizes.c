/* SPDX-License-Identifier: Apache-2.0 */
#include "mq/topology_sizes.h"

enum {
    MESSAGE_BYTES = 2000, /* a message in a queue, with what the queue adds */
    QUEUE_TYPES = 5,
    MIB = 1 << 20,
};

static uint64_t scaled(uint64_t bytes, unsigned step)
{
    return bytes / 16 * (16 - step % 8) >> (step / 8);
}

static uint64_t at_least(uint64_t bytes, uint64_t least)
{
    return bytes > least ? bytes : least;
}

/* A standard trade has 1 NOE and 2 each of ALB, NPR, SET: no type has more than 2/7 of the traffic.
 * Intake needs less: it fills only after the typed queues have. */
struct ste_topology_sizes ste_topology_sizes_of(const struct ste_cluster *cluster,
                                                size_t participant_count, unsigned step)
{
    uint64_t all = scaled(
        (uint64_t)cluster->design_rate * cluster->outage_allowance_min * 60 * MESSAGE_BYTES, step);
    uint64_t parties = at_least(participant_count, 1);
    struct ste_topology_sizes sizes = {
        .in = at_least(all / 4, 32 * MIB),
        .work = at_least(all * 2 / 7 / cluster->shard_count, 16 * MIB),
        .suspect = at_least(all / 64 / cluster->shard_count, 8 * MIB),
        .cls = at_least(all / 4, 16 * MIB),
        .reply = at_least(all / 8 / parties, 1 * MIB),
        .exception = at_least(all / 64, 8 * MIB),
        .dead = at_least(all / 64, 8 * MIB),
    };
    return sizes;
}

uint64_t ste_topology_sizes_sum(const struct ste_cluster *cluster, size_t participant_count,
                                const struct ste_topology_sizes *sizes)
{
    return sizes->in + sizes->cls + sizes->exception + sizes->dead +
           cluster->shard_count * (QUEUE_TYPES * sizes->work + sizes->suspect) +
           participant_count * sizes->reply;
}

unsigned ste_topology_minutes(const struct ste_cluster *cluster, unsigned step)
{
    return (unsigned)scaled((uint64_t)cluster->outage_allowance_min * 1024, step) / 1024;
}

static bool fits(const struct ste_cluster *cluster, size_t participant_count, unsigned step,
                 uint64_t disk_bytes, unsigned percent)
{
    struct ste_topology_sizes sizes = ste_topology_sizes_of(cluster, participant_count, step);
    return ste_topology_sizes_sum(cluster, participant_count, &sizes) <= disk_bytes / 100 * percent;
}

unsigned ste_topology_step(const struct ste_cluster *cluster, size_t participant_count,
                           uint64_t disk_bytes, uint64_t in_bytes)
{
    unsigned best = 0;
    while (best < STE_TOPOLOGY_STEPS &&
           !fits(cluster, participant_count, best, disk_bytes, STE_TOPOLOGY_FILL_PERCENT))
        best++;
    for (unsigned step = 0; in_bytes > 0 && step < STE_TOPOLOGY_STEPS; step++) {
        if (ste_topology_sizes_of(cluster, participant_count, step).in != in_bytes)
            continue;
        bool roomy = step > best && fits(cluster, participant_count, step, disk_bytes,
                                         STE_TOPOLOGY_FILL_MIN_PERCENT);
        if (!roomy &&
            fits(cluster, participant_count, step, disk_bytes, STE_TOPOLOGY_FILL_MAX_PERCENT))
            return step;
        break;
    }
    return best;
}
