/* SPDX-License-Identifier: Apache-2.0
 * ste-router: takes deliveries from ste.in, verifies, decodes and places them, path stops 2 to 4. */
#include <stdio.h>
#include <stdlib.h>

#include "daemon/daemon.h"
#include "router/worker.h"

static enum ste_code run(struct ste_daemon *daemon, const struct ste_router_conf *conf,
                         struct ste_error *err)
{
    struct ste_worker_slot *const slots = calloc(conf->workers, sizeof(*slots));
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

int main(int argc, char **argv)
{
    struct ste_daemon daemon;
    struct ste_error err = {0};
    int status = ste_daemon_options(&daemon, "router", argc, argv);
    if (status >= 0)
        return status;
    enum ste_code rc = ste_daemon_load(&daemon, &err);
    const struct ste_router_conf *conf = NULL;
    if (rc == STE_OK && !daemon.check_config) {
        conf = ste_cluster_router(daemon.cluster, daemon.name);
        if (conf == NULL)
            rc = ste_error_set(&err, STE_E_CONFIG, "no router %s in the map", daemon.name);
    }
    if (rc != STE_OK) {
        ste_log_error(&daemon.log, STE_LOG_ERROR, "daemon.refused", &err);
        status = 1;
    } else if (daemon.check_config) {
        status = 0;
    } else if (daemon.health) {
        status = ste_daemon_health(conf->health_port);
    } else {
        rc = run(&daemon, conf, &err);
        if (rc != STE_OK)
            ste_log_error(&daemon.log, STE_LOG_ERROR, "daemon.failed", &err);
        status = rc == STE_OK ? 0 : 1;
    }
    ste_daemon_deinit(&daemon);
    return status;
}
