/* SPDX-License-Identifier: Apache-2.0
 * The schema's text and the days' partitions, for migrate.c and day.c. */
#ifndef STE_DBSHARD_SCHEMA_H
#define STE_DBSHARD_SCHEMA_H

#include "dbshard/internal.h"

enum { STE_DAYS_BACK = 30, STE_DAYS_AHEAD = 7, STE_DAYS_MAX = 400 };
enum ste_day_state { STE_DAY_IS_OPEN = 1, STE_DAY_IS_CLOSING = 2, STE_DAY_IS_PURGED = 3 };

/* sql/001_schema.sql, as it was when this program was built. */
struct ste_bytes ste_schema_text(void);
/* The next statement of `text` without its semicolon, {days} replaced; false at the end. Comment
 * lines are left out. */
bool ste_schema_next(struct ste_bytes *text, ste_date first, ste_date last, struct ste_buf *sql);
/* "PARTITION p20261130 VALUES IN ('2026-11-30')" */
void ste_schema_partition(struct ste_buf *sql, ste_date date);
void ste_schema_partition_name(ste_date date, char out[static 16]); /* "p20261130" */

/* Tables with one partition a day. */
enum { STE_DAY_TABLE_COUNT = 3 };
extern const char *const ste_day_tables[STE_DAY_TABLE_COUNT];

/* Adds what is missing between first and last: partitions, then rows of `day`. A day that is there
 * keeps its state. */
STE_MUST_CHECK enum ste_code ste_shard_add_days(struct ste_shard *shard, ste_date first,
                                                ste_date last, struct ste_error *err);
/* DDL: tried again, with pauses, while it meets somebody's lock. */
STE_MUST_CHECK enum ste_code ste_shard_run_ddl(struct ste_shard *shard, struct ste_bytes sql,
                                               const char *what, struct ste_error *err);
/* state of a day, 0 when it has no row. */
STE_MUST_CHECK enum ste_code ste_shard_day_state(struct ste_shard *shard, ste_date date,
                                                 unsigned *ret_state, struct ste_error *err);
STE_MUST_CHECK enum ste_code ste_shard_has_partition(struct ste_shard *shard, const char *table,
                                                     ste_date date, bool *ret_has,
                                                     struct ste_error *err);
/* The first column of the first row as a number; 0 when there is no row. */
STE_MUST_CHECK enum ste_code ste_shard_number_of(struct ste_shard *shard, struct ste_bytes sql,
                                                 const char *what, uint64_t *ret,
                                                 struct ste_error *err);
#endif
