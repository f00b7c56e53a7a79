/* SPDX-License-Identifier: Apache-2.0
 * SQL text from bytes, and the one function that builds multi-row statements. Pure: it calls `run`
 * for each statement that is full. Literals are binary strings: the connection's character set is
 * `binary`, so the server converts and checks nothing. */
#ifndef STE_DBSHARD_STATEMENT_H
#define STE_DBSHARD_STATEMENT_H

#include "base/bytes.h"
#include "base/date.h"
#include "base/hash.h"

/* Appends. Quoted and escaped for a session whose sql_mode has no NO_BACKSLASH_ESCAPES. */
void ste_sql_bytes(struct ste_buf *sql, struct ste_bytes value);
void ste_sql_u64(struct ste_buf *sql, uint64_t value);
void ste_sql_date(struct ste_buf *sql, ste_date date); /* STE_DATE_NONE: NULL */
void ste_sql_hash(struct ste_buf *sql, struct ste_hash hash);
static inline void ste_sql_comma(struct ste_buf *sql)
{
    ste_buf_u8(sql, ',');
}

/* head row,row,… tail: "INSERT INTO t (a,b) VALUES " … " ON DUPLICATE KEY UPDATE …", or
 * "DELETE FROM t WHERE id IN (" … ")". */
struct ste_rows_text {
    const char *head, *tail;
    void (*row)(struct ste_buf *sql, const void *rows, size_t index);
    size_t rows_max; /* of one statement; 0: only the bytes bound it */
};
/* Runs the statement in `sql`, which holds `count` rows from `first` on. */
typedef enum ste_code ste_rows_run(void *context, size_t first, size_t count, struct ste_error *err);

/* Builds in `sql` (cleared first) as few statements as max_bytes and rows_max allow, each run before
 * the next is built. STE_E_SHARD_ROW when one row alone is too large, STE_E_NOMEM, what run says. */
STE_MUST_CHECK enum ste_code ste_rows_build(struct ste_buf *sql, const struct ste_rows_text *text,
                                            const void *rows, size_t count, size_t max_bytes,
                                            ste_rows_run *run, void *context,
                                            struct ste_error *err);
#endif
