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

/* One value of a row. `bytes` is borrowed until the row's statement has run. */
enum ste_sql_kind { STE_SQL_BYTES, STE_SQL_U64, STE_SQL_DATE };
struct ste_sql_value {
    enum ste_sql_kind kind;
    ste_date date;
    uint64_t number;
    struct ste_bytes bytes;
    char text[STE_DATE_TEXT_BYTES]; /* room for a date's text, not the caller's */
};
static inline struct ste_sql_value *ste_put_bytes(struct ste_sql_value *at, struct ste_bytes bytes)
{
    at->kind = STE_SQL_BYTES;
    at->bytes = bytes;
    return at + 1;
}
static inline struct ste_sql_value *ste_put_hash(struct ste_sql_value *at,
                                                 const struct ste_hash *hash)
{
    return ste_put_bytes(at, (struct ste_bytes){(const char *)hash->bytes, sizeof(hash->bytes)});
}
static inline struct ste_sql_value *ste_put_u64(struct ste_sql_value *at, uint64_t number)
{
    at->kind = STE_SQL_U64;
    at->number = number;
    return at + 1;
}
static inline struct ste_sql_value *ste_put_date(struct ste_sql_value *at, ste_date date)
{
    at->kind = STE_SQL_DATE;
    at->date = date;
    return at + 1;
}

enum { STE_SQL_COLUMNS_MAX = 24 };

/* head row,row,… tail: "INSERT INTO t (a,b) VALUES " … " ON DUPLICATE KEY UPDATE …", or
 * "DELETE FROM t WHERE id IN (" … ")". */
struct ste_rows_sql {
    const char *head, *tail;
    size_t columns;
    bool bare;       /* rows are single values without parentheses */
    size_t rows_max; /* of one statement; 0: only the bytes bound it */
    /* Puts the row's `columns` values from `at` on. */
    void (*fill)(struct ste_sql_value *at, const void *rows, size_t index);
};
/* Runs the statement in `sql`, which holds `count` rows from `first` on. */
typedef enum ste_code ste_rows_run(void *context, size_t first, size_t count,
                                   struct ste_error *err);

/* Builds in `sql` (cleared first) as few statements as max_bytes and rows_max allow for the rows
 * first to end − 1, each run before the next is built. STE_E_SHARD_ROW when one row alone is too
 * large, STE_E_NOMEM, what run says. */
STE_MUST_CHECK enum ste_code ste_rows_build(struct ste_buf *sql, const struct ste_rows_sql *shape,
                                            const void *rows, size_t first, size_t end,
                                            size_t max_bytes, ste_rows_run *run, void *context,
                                            struct ste_error *err);
/* The same statement with `count` rows of placeholders, to be prepared. */
void ste_rows_placeholders(struct ste_buf *sql, const struct ste_rows_sql *shape, size_t count);

#endif
