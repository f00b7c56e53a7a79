/* SPDX-License-Identifier: Apache-2.0
 * A cluster map made of database sockets, for tests and benchmarks against real servers: its own
 * database and logins, dropped at the end. The login that makes them is STE_TEST_SHARD_USER (root
 * unless set) with the password in STE_TEST_SHARD_PASSWORD_FILE (unset: socket authentication). */
#ifndef STE_DBSHARD_SHARD_LAB_H
#define STE_DBSHARD_SHARD_LAB_H

#include "dbshard/shard.h"

struct ste_shard_lab {
    struct ste_cluster cluster;
    char folder[64], database[32], node_user[32], checker_user[32];
    char secret_file[96];
};

/* Makes the map and migrates every shard. */
STE_MUST_CHECK enum ste_code ste_shard_lab_init(struct ste_shard_lab *lab,
                                                const char *const *sockets, unsigned count,
                                                ste_date business_date, struct ste_error *err);
void ste_shard_lab_deinit(struct ste_shard_lab *lab);
#endif
