/* SPDX-License-Identifier: Apache-2.0
 * Exchanges, queues, bindings, policies, users and rights (DESIGN sections 5 and 6, FAULTS section
 * 4): made through the management API by `ste-admin topology`, safe to repeat. */
#ifndef STE_MQ_TOPOLOGY_H
#define STE_MQ_TOPOLOGY_H

#include "conf/cluster.h"

struct ste_topology_participant {
    char bic8[9];
    const char *password_file; /* NULL: this participant has no broker user of its own */
    bool hub;                  /* may read every reply key */
};

/* Makes everything that is missing and corrects policies and rights that differ. `admin` is a login
 * with the administrator tag. Reply queues are made for every participant. Blocks, some seconds. */
STE_MUST_CHECK enum ste_code ste_topology_apply(const struct ste_cluster *cluster,
                                                const struct ste_topology_participant *participants,
                                                size_t participant_count, struct ste_error *err);
/* Compares without changing; every difference is one line in *ret_report (heap, caller's; empty
 * when all is as it should be). */
STE_MUST_CHECK enum ste_code ste_topology_check(const struct ste_cluster *cluster,
                                                const struct ste_topology_participant *participants,
                                                size_t participant_count, char **ret_report,
                                                struct ste_error *err);
#endif
