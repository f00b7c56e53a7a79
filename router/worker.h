/* SPDX-License-Identifier: Apache-2.0
 * A router worker: one thread, one consuming and one publishing connection. */
#ifndef STE_ROUTER_WORKER_H
#define STE_ROUTER_WORKER_H

#include "daemon/daemon.h"

/* Runs until the daemon stops; slot->job is the struct ste_router_conf. */
enum ste_code ste_router_run(struct ste_worker_slot *slot, struct ste_error *err);

#endif
