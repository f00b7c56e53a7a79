/* SPDX-License-Identifier: Apache-2.0
 * Stop 9: outbox rows out to the broker. The committing worker publishes its rows from memory;
 * confirmed rows are deleted in its next transaction. What was not sent or not confirmed stays in
 * the table and is swept later, with the same message-id. The publishing connection also carries
 * records that belong elsewhere (strangers, suspects). */
#ifndef STE_NODE_RELAY_H
#define STE_NODE_RELAY_H

#include "node/settle.h"
#include "obs/obs.h"

struct ste_relay {
    struct ste_mq *publish;
    const struct ste_ref *ref;
    struct ste_obs_worker *counters;
    struct ste_settle settle;
};

STE_MUST_CHECK enum ste_code ste_relay_open(struct ste_relay *relay,
                                            const struct ste_cluster *cluster,
                                            const struct ste_ref *ref, const char *name,
                                            struct ste_obs_worker *counters, struct ste_error *err);
void ste_relay_close(struct ste_relay *relay);
/* Publishes committed rows without waiting for confirms; rows that find the window full for long,
 * or the broker blocking, stay for the sweeper. */
STE_MUST_CHECK enum ste_code ste_relay_send(struct ste_relay *relay,
                                            const struct ste_outbox_row *rows, const uint64_t *ids,
                                            size_t count, struct ste_error *err);
/* Rows nobody confirmed for 5 s, whoever wrote them; its own transaction. *ret_more: so many were
 * sent that there may be others. */
STE_MUST_CHECK enum ste_code ste_relay_sweep(struct ste_relay *relay, struct ste_shard *shard,
                                             struct ste_arena *arena, bool *ret_more,
                                             struct ste_error *err);
/* Publishes and is counted as awaited until it is settled. */
STE_MUST_CHECK enum ste_code ste_relay_forward(struct ste_relay *relay, const char *routing_key,
                                               struct ste_bytes body, struct ste_error *err);
/* Waits until nothing is awaited. STE_E_MQ_DOWN when one was refused, STE_E_TIMEOUT after 5 s. */
STE_MUST_CHECK enum ste_code ste_relay_await(struct ste_relay *relay, struct ste_error *err);

#endif
