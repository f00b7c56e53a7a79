/* SPDX-License-Identifier: Apache-2.0
 * Reading a shard by one's own SQL, row by row as the server sends them: for programs that look at
 * what is stored without trusting the engine's statements (the checker). */
#ifndef STE_DBSHARD_READ_H
#define STE_DBSHARD_READ_H

#include "dbshard/body.h"
#include "dbshard/shard.h"

/* Called for each row; `values` are the server's texts (NULL: SQL NULL), valid during the call. An
 * error ends the reading. */
typedef enum ste_code ste_shard_row(void *context, char **values, const unsigned long *lengths,
                                    struct ste_error *err);
/* `what` names the statement in errors: "read messages". Inside a transaction a failure rolls back.
 */
STE_MUST_CHECK enum ste_code ste_shard_select(struct ste_shard *shard, struct ste_bytes sql,
                                              const char *what, ste_shard_row *row, void *context,
                                              struct ste_error *err);

static inline struct ste_bytes ste_shard_value(char **values, const unsigned long *lengths,
                                               unsigned column)
{
    return (struct ste_bytes){values[column], values[column] ? lengths[column] : 0};
}
/* 0, STE_DATE_NONE and zeros for what is NULL or has another shape. */
uint64_t ste_shard_value_u64(char **values, const unsigned long *lengths, unsigned column);
ste_date ste_shard_value_date(char **values, const unsigned long *lengths, unsigned column);
struct ste_hash ste_shard_value_hash(char **values, const unsigned long *lengths, unsigned column);

#endif
