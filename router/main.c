/* SPDX-License-Identifier: Apache-2.0
 * ste-router, path stops 2 to 4: takes deliveries from ste.in, verifies, decodes, places them. */
#include <stdio.h>
#include <stdlib.h>

#include "daemon/daemon.h"
#include "router/worker.h"

static enum ste_code run(struct ste_daemon *daemon, const void *component, struct ste_error *err)
{
    const struct ste_router_conf *const conf = component;
    struct ste_worker_slot *const slots = calloc(conf->workers + 1, sizeof(*slots));
    if (slots == NULL)
        return ste_error_set(err, STE_E_NOMEM, "could not make %u workers", conf->workers);
    for (unsigned i = 0; i < conf->workers; i++) {
        slots[i].run = ste_router_run;
        slots[i].job = conf;
        slots[i].number = i;
        snprintf(slots[i].labels, sizeof(slots[i].labels), "worker=\"%u\"", i);
    }
    const enum ste_code rc = ste_daemon_run(daemon, conf->health_port, slots, conf->workers, err);
    free(slots);
    return rc;
}

static const void *find(const struct ste_cluster *cluster, const char *name,
                        unsigned *ret_health_port)
{
    const struct ste_router_conf *const conf = ste_cluster_router(cluster, name);
    if (conf != NULL)
        *ret_health_port = conf->health_port;
    return conf;
}

int main(int argc, char **argv)
{
    return ste_daemon_main("router", find, run, argc, argv);
}
