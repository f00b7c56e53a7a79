/* SPDX-License-Identifier: Apache-2.0
 * Schema, shard identity and days: `ste-admin migrate` and `ste-admin day`. */
#ifndef STE_DBSHARD_MIGRATE_H
#define STE_DBSHARD_MIGRATE_H

#include "dbshard/shard.h"

/* Makes or upgrades the schema of every shard, writes shard_identity where there is none (a
 * different one is STE_E_SHARD_IDENTITY), grants the roles their rights, opens the days from
 * business date -30 to +7. Safe to repeat. */
STE_MUST_CHECK enum ste_code ste_migrate(const struct ste_cluster *cluster, struct ste_error *err);

/* Compares without changing; every difference is one line in *ret_report (heap, caller's, freed
 * with free(); empty when all is as it should be). */
STE_MUST_CHECK enum ste_code ste_migrate_check(const struct ste_cluster *cluster, char **ret_report,
                                               struct ste_error *err);

enum ste_day_action { STE_DAY_OPEN, STE_DAY_CLOSE, STE_DAY_PURGE };
/* On every shard. A purge sets `closing` first, then drops the partitions; DDL with
 * lock_wait_timeout=1 and bounded retries. */
STE_MUST_CHECK enum ste_code ste_day_change(const struct ste_cluster *cluster,
                                            enum ste_day_action action, ste_date date,
                                            struct ste_error *err);
#endif
