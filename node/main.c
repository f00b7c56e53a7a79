/* SPDX-License-Identifier: Apache-2.0
 * ste-node: shard workers, path stops 5 to 9. */
#include <stdio.h>
#include <stdlib.h>

#include "daemon/daemon.h"
#include "node/worker.h"

static enum ste_code run(struct ste_daemon *daemon, const void *component, struct ste_error *err)
{
    const struct ste_node_conf *const conf = component;
    size_t count = 0;
    for (size_t i = 0; i < conf->assignment_count; i++)
        count += conf->assignments[i].workers;
    struct ste_worker_slot *const slots = calloc(count + 1, sizeof(*slots));
    if (slots == NULL)
        return ste_error_set(err, STE_E_NOMEM, "could not make %zu workers", count);
    unsigned number = 0;
    for (size_t i = 0; i < conf->assignment_count; i++) {
        const struct ste_assignment *const assignment = &conf->assignments[i];
        for (unsigned w = 0; w < assignment->workers; w++, number++) {
            struct ste_worker_slot *const slot = &slots[number];
            slot->run = ste_node_run;
            slot->job = assignment;
            slot->number = number;
            snprintf(slot->labels, sizeof(slot->labels), "worker=\"%u\",shard=\"%u\"", number,
                     assignment->shard);
        }
    }
    const enum ste_code rc = ste_daemon_run(daemon, conf->health_port, slots, count, err);
    free(slots);
    return rc;
}

static const void *find(const struct ste_cluster *cluster, const char *name,
                        unsigned *ret_health_port)
{
    const struct ste_node_conf *const conf = ste_cluster_node(cluster, name);
    if (conf != NULL)
        *ret_health_port = conf->health_port;
    return conf;
}

int main(int argc, char **argv)
{
    return ste_daemon_main("node", find, run, argc, argv);
}
