/* SPDX-License-Identifier: Apache-2.0
 * What a shard's server has done since it started, for who measures. Reads only; takes no lock that
 * a batch would wait for. */
#ifndef STE_DBSHARD_STATUS_H
#define STE_DBSHARD_STATUS_H

#include "dbshard/shard.h"

enum ste_shard_status_id {
    STE_STATUS_COMMITS,
    STE_STATUS_ROWS_INSERTED,
    STE_STATUS_ROWS_UPDATED,
    STE_STATUS_ROWS_READ,
    STE_STATUS_FSYNCS,
    STE_STATUS_BYTES_WRITTEN,
    STE_STATUS_POOL_READS,
    STE_STATUS_MESSAGES, /* highest id of table message */
    STE_STATUS_COUNT
};
struct ste_shard_status {
    uint64_t values[STE_STATUS_COUNT];
    bool known[STE_STATUS_COUNT]; /* false: this server does not tell */
};
/* Two statements, and one that ends the read. Errors as of every call of shard.h. */
STE_MUST_CHECK enum ste_code ste_shard_status(struct ste_shard *shard, struct ste_shard_status *ret,
                                              struct ste_error *err);

#endif
