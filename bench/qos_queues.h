/* SPDX-License-Identifier: Apache-2.0
 * Exchange and queues of a quality-of-service point, all named ste.qos…, made and removed over the
 * management API. One sweep at a time on a broker, since it removes what an earlier one left: while
 * it runs, a connection holds the exclusive queue STE_QOS_LOCK. */
#ifndef STE_BENCH_QOS_QUEUES_H
#define STE_BENCH_QOS_QUEUES_H

#include "bench/qos_plan.h"
#include "mq/topology_api.h"

#define STE_QOS_EXCHANGE "ste.qos"
#define STE_QOS_LOCK "ste.bench-qos" /* not one of those that are removed */
enum { STE_QOS_NAME_BYTES = 32 };

void ste_qos_queue_name(enum ste_qos_mode mode, uint64_t receiver, char out[STE_QOS_NAME_BYTES]);
void ste_qos_key_name(uint64_t key, char out[STE_QOS_NAME_BYTES]);
/* The receivers of a volatile topic make their queues themselves: exclusive, gone with them. */
bool ste_qos_queues_are_exclusive(const struct ste_qos_point *point, enum ste_qos_mode mode);

/* The exchange, and the queues with their bindings unless they are exclusive. Blocks for one
 * request each. Errors: those of ste_api_send. */
STE_MUST_CHECK enum ste_code ste_qos_queues_make(struct ste_api *api, const char *vhost,
                                                 const struct ste_qos_point *point,
                                                 enum ste_qos_mode mode, struct ste_error *err);
/* Removes whatever is named ste.qos…, and waits until exclusive queues are gone with their
 * connections: up to 10 s in which nothing goes, 2 min in all. Errors: those of ste_api_get,
 * STE_E_TIMEOUT. */
STE_MUST_CHECK enum ste_code ste_qos_queues_remove(struct ste_api *api, const char *vhost,
                                                   struct ste_error *err);

#endif
