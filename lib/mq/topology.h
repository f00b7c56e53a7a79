/* SPDX-License-Identifier: Apache-2.0
 * Exchanges, queues, bindings, policies, users and rights (DESIGN sections 5 and 6, FAULTS section
 * 4): made through the management API by `ste-admin topology`, safe to repeat. Library target
 * ste_topology, apart from ste_mq, so that daemons do not carry an HTTP client. */
#ifndef STE_MQ_TOPOLOGY_H
#define STE_MQ_TOPOLOGY_H

#include "conf/cluster.h"

struct ste_topology_participant {
    char bic8[9];
    const char *password_file; /* NULL: this participant has no broker user of its own */
    bool hub;                  /* may read every reply key */
};

/* Makes everything that is missing and corrects policies, passwords and rights that differ. The
 * map's admin login needs the administrator tag. Reply queues are made for every participant.
 * Blocks, some seconds. *ret_report (heap, the caller's, also set on failure once the broker was
 * reached; else untouched): a line per thing made or corrected, "warning: …" lines for what a
 * person should know (queues smaller than the outage allowance because the disk is). Errors:
 * STE_E_HTTP (retry), STE_E_MQ_REFUSED (login, or something exists that cannot be changed, like a
 * queue of another type), STE_E_CONFIG (the broker's disk is too small), STE_E_FILE. */
STE_MUST_CHECK enum ste_code ste_topology_apply(const struct ste_cluster *cluster,
                                                const struct ste_topology_participant *participants,
                                                size_t participant_count, char **ret_report,
                                                struct ste_error *err);
/* Compares without changing; every difference is one line in *ret_report (heap, caller's; empty
 * when all is as it should be). */
STE_MUST_CHECK enum ste_code ste_topology_check(const struct ste_cluster *cluster,
                                                const struct ste_topology_participant *participants,
                                                size_t participant_count, char **ret_report,
                                                struct ste_error *err);
#endif
