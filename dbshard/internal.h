/* SPDX-License-Identifier: Apache-2.0
 * What the files of dbshard share. Rules: one owner thread; after a failure of the connection
 * (`broken`) nothing more is sent; after any other failure inside a transaction ROLLBACK has been
 * sent; every statement goes through ste_shard_run or ste_shard_select. */
#ifndef STE_DBSHARD_INTERNAL_H
#define STE_DBSHARD_INTERNAL_H

#include <mysql.h>

#include "dbshard/read.h"
#include "dbshard/shard.h"
#include "dbshard/statement.h"
#include "pack/pack.h"

enum { STE_KEYS_PER_SELECT = 500 }; /* below MariaDB's in_predicate_conversion_threshold (1000) */

/* Multi-row statements that are prepared once per size. */
enum ste_prepared_use {
    STE_PREPARED_LOCK,
    STE_PREPARED_MESSAGE,
    STE_PREPARED_SAVE,
    STE_PREPARED_OUTBOX,
    STE_PREPARED_COUNT
};
enum { STE_LADDER_STEPS = 5 }; /* 16, 32, 64, 128, 256 rows */

struct ste_shard {
    MYSQL *db;
    unsigned number;
    enum ste_db_role role;
    bool broken;       /* the connection's state is unknown */
    bool in_tx;        /* ste_shard_begin was called */
    bool compress;     /* message bodies by zstd */
    size_t packet_max; /* bytes of one statement */
    uint64_t wait_ns;
    struct ste_buf sql;    /* the statement being built; kept for its memory */
    struct ste_buf packed; /* compressed bodies, or the outbox's joined keys */
    struct ste_packer packer;
    MYSQL_STMT *prepared[STE_PREPARED_COUNT][STE_LADDER_STEPS];
    MYSQL_BIND *binds;            /* of the largest statement so far */
    struct ste_sql_value *values; /* what they point to */
    size_t bind_count;
    char warning[256];
};

/* Connects and sets the session; no identity check. `database` NULL: none chosen. */
STE_MUST_CHECK enum ste_code ste_shard_connect(const struct ste_cluster *cluster, unsigned number,
                                               enum ste_db_role role, const char *database,
                                               struct ste_shard **ret, struct ste_error *err);
/* Compares shard_identity and schema_version with the map. */
STE_MUST_CHECK enum ste_code ste_shard_check_identity(struct ste_shard *shard,
                                                      const struct ste_cluster *cluster,
                                                      struct ste_error *err);
/* "TradeReference,Broker": the key list as shard_identity holds it. */
void ste_shard_key_list(const struct ste_cluster *cluster, char *out, size_t out_bytes);

/* A statement without a result set. `what` names it in errors: "write trade rows". */
STE_MUST_CHECK enum ste_code ste_shard_run(struct ste_shard *shard, struct ste_bytes sql,
                                           const char *what, struct ste_error *err);
/* Multi-row statements for the rows first to end − 1; ret_ids (may be NULL) gets the AUTO_INCREMENT
 * id of each row at the row's own index. */
STE_MUST_CHECK enum ste_code ste_shard_write_rows(struct ste_shard *shard,
                                                  const struct ste_rows_sql *shape,
                                                  const void *rows, size_t first, size_t end,
                                                  uint64_t *ret_ids, const char *what,
                                                  struct ste_error *err);
/* The same for all rows by prepared statements, as far as they come in sizes of the ladder; what is
 * left goes as text. */
STE_MUST_CHECK enum ste_code
ste_shard_write_prepared(struct ste_shard *shard, enum ste_prepared_use use,
                         const struct ste_rows_sql *shape, const void *rows, size_t count,
                         uint64_t *ret_ids, const char *what, struct ste_error *err);
void ste_shard_drop_prepared(struct ste_shard *shard);
/* A statement failed with this server error: classifies it, rolls back or gives the connection up.
 */
enum ste_code ste_shard_failed(struct ste_shard *shard, unsigned number, const char *text,
                               const char *what, struct ste_error *err);
/* Ends what a read outside a transaction has opened (node sessions have autocommit off). */
STE_MUST_CHECK enum ste_code ste_shard_end_read(struct ste_shard *shard, struct ste_error *err);

/* Stop 6 without its locking statement: only for the test that shows what it is there for. */
STE_MUST_CHECK enum ste_code ste_shard_load_only(struct ste_shard *shard,
                                                 const struct ste_trade_key_row *keys, size_t count,
                                                 bool for_update, struct ste_arena *arena,
                                                 struct ste_trade_row *rows, struct ste_error *err);
#endif
