/* SPDX-License-Identifier: Apache-2.0
 * Running statements, and the transaction around them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "dbshard/failure.h"
#include "dbshard/internal.h"

/* The server has dropped the whole transaction after a deadlock, but only the statement after a
 * lock wait that timed out (innodb_rollback_on_timeout is off): ROLLBACK is right after both. */
enum ste_code ste_shard_failed(struct ste_shard *shard, unsigned number, const char *text,
                               const char *what, struct ste_error *err)
{
    const enum ste_code rc = ste_shard_classify(number);
    ste_error_set(err, rc, "shard %u: could not %s: %s (%u)", shard->number, what, text, number);
    if (rc == STE_E_SHARD_DOWN || rc == STE_E_NOMEM)
        shard->broken = true;
    else if (shard->in_tx)
        ste_shard_rollback(shard);
    shard->in_tx = false;
    return rc;
}

static enum ste_code failed(struct ste_shard *shard, const char *what, struct ste_error *err)
{
    return ste_shard_failed(shard, mysql_errno(shard->db), mysql_error(shard->db), what, err);
}

static enum ste_code send_statement(struct ste_shard *shard, struct ste_bytes sql, const char *what,
                                    struct ste_error *err)
{
    if (shard->broken)
        return ste_error_set(err, STE_E_SHARD_DOWN, "shard %u: the connection was lost earlier",
                             shard->number);
    if (mysql_real_query(shard->db, sql.at, (unsigned long)sql.len) != 0)
        return failed(shard, what, err);
    return STE_OK;
}

enum ste_code ste_shard_run(struct ste_shard *shard, struct ste_bytes sql, const char *what,
                            struct ste_error *err)
{
    const uint64_t start_ns = ste_clock_mono_ns();
    enum ste_code rc = send_statement(shard, sql, what, err);
    shard->wait_ns += ste_clock_mono_ns() - start_ns;
    return rc;
}

/* Rows are read as they come, not stored first: each goes straight to where it is wanted. */
enum ste_code ste_shard_select(struct ste_shard *shard, struct ste_bytes sql, const char *what,
                               ste_shard_row *row, void *context, struct ste_error *err)
{
    MYSQL_RES *result = NULL;
    const uint64_t start_ns = ste_clock_mono_ns();
    enum ste_code rc = send_statement(shard, sql, what, err);
    if (rc != STE_OK)
        goto out;
    result = mysql_use_result(shard->db);
    if (!result) {
        rc = failed(shard, what, err);
        goto out;
    }
    for (MYSQL_ROW values; rc == STE_OK && (values = mysql_fetch_row(result)) != NULL;)
        rc = row(context, values, mysql_fetch_lengths(result), err);
    if (rc == STE_OK && mysql_errno(shard->db) != 0)
        rc = failed(shard, what, err);
out:
    mysql_free_result(result); /* reads what is left */
    if (rc != STE_OK && shard->in_tx)
        ste_shard_rollback(shard); /* `row` refused */
    shard->wait_ns += ste_clock_mono_ns() - start_ns;
    return rc;
}

struct write {
    struct ste_shard *shard;
    uint64_t *ret_ids;
    const char *what;
};

static enum ste_code write_run(void *context, size_t first, size_t count, struct ste_error *err)
{
    struct write *write = context;
    struct ste_shard *shard = write->shard;
    enum ste_code rc = ste_shard_run(shard, ste_buf_bytes(&shard->sql), write->what, err);
    if (rc != STE_OK || !write->ret_ids)
        return rc;
    /* The number of rows is known when the statement starts, so their ids are consecutive in every
     * innodb_autoinc_lock_mode, and the server reports the first. */
    uint64_t id = mysql_insert_id(shard->db);
    for (size_t i = 0; i < count; i++)
        write->ret_ids[first + i] = id + i;
    return STE_OK;
}

enum ste_code ste_shard_write_rows(struct ste_shard *shard, const struct ste_rows_sql *shape,
                                   const void *rows, size_t first, size_t end, uint64_t *ret_ids,
                                   const char *what, struct ste_error *err)
{
    struct write write = {shard, ret_ids, what};
    enum ste_code rc = ste_rows_build(&shard->sql, shape, rows, first, end, shard->packet_max,
                                      write_run, &write, err);
    if ((rc == STE_E_SHARD_ROW || rc == STE_E_NOMEM) && shard->in_tx)
        ste_shard_rollback(shard); /* the builder's own refusals */
    return rc;
}

enum ste_code ste_shard_begin(struct ste_shard *shard, struct ste_error *err)
{
    if (shard->broken)
        return ste_error_set(err, STE_E_SHARD_DOWN, "shard %u: the connection was lost earlier",
                             shard->number);
    if (shard->in_tx)
        return ste_error_set(err, STE_E_ARGUMENT, "shard %u: a transaction is running",
                             shard->number);
    shard->in_tx = true; /* the first statement begins it: autocommit is off */
    return STE_OK;
}

enum ste_code ste_shard_commit(struct ste_shard *shard, struct ste_error *err)
{
    enum ste_code rc = ste_shard_run(shard, STE_BYTES("COMMIT"), "commit", err);
    shard->in_tx = false;
    return rc;
}

void ste_shard_rollback(struct ste_shard *shard)
{
    if (!shard->broken && mysql_real_query(shard->db, "ROLLBACK", strlen("ROLLBACK")) != 0)
        shard->broken = true; /* the server rolls back when the connection goes */
    shard->in_tx = false;
}

enum ste_code ste_shard_end_read(struct ste_shard *shard, struct ste_error *err)
{
    if (shard->in_tx || shard->role != STE_DB_NODE)
        return STE_OK;
    return ste_shard_run(shard, STE_BYTES("COMMIT"), "end a read", err);
}

uint64_t ste_shard_value_u64(char **values, const unsigned long *lengths, unsigned column)
{
    uint64_t value = 0;
    for (unsigned long i = 0; values[column] && i < lengths[column]; i++) {
        char c = values[column][i];
        if (c < '0' || c > '9')
            break;
        value = value * 10 + (uint64_t)(c - '0');
    }
    return value;
}

ste_date ste_shard_value_date(char **values, const unsigned long *lengths, unsigned column)
{
    ste_date date = STE_DATE_NONE;
    if (!ste_date_parse(ste_shard_value(values, lengths, column), &date))
        return STE_DATE_NONE;
    return date;
}

struct ste_hash ste_shard_value_hash(char **values, const unsigned long *lengths, unsigned column)
{
    struct ste_hash hash = {0};
    if (values[column] && lengths[column] == sizeof(hash.bytes))
        memcpy(hash.bytes, values[column], sizeof(hash.bytes));
    return hash;
}
