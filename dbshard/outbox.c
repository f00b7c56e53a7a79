/* SPDX-License-Identifier: Apache-2.0
 * Table outbox: what a commit has promised to send (path stops 8 and 9). */
#include <stdlib.h>
#include <string.h>

#include "dbshard/internal.h"

struct outbox_rows {
    uint64_t worker_id;
    const struct ste_outbox_row *rows;
    const struct ste_bytes *bcc; /* of each row, one key a line */
};

static void outbox_row(struct ste_sql_value *at, const void *context, size_t index)
{
    const struct outbox_rows *all = context;
    const struct ste_outbox_row *row = &all->rows[index];
    at = ste_put_u64(at, all->worker_id);
    at = ste_put_bytes(at, row->routing_key);
    at = ste_put_bytes(at, all->bcc[index]);
    at = ste_put_bytes(at, row->message_id);
    at = ste_put_u64(at, row->record_count);
    ste_put_bytes(at, row->body);
}

static const struct ste_rows_sql outbox_sql = {
    .head = "INSERT INTO outbox (worker_id,routing_key,bcc,message_id,record_count,body) VALUES ",
    .tail = "",
    .columns = 6,
    .fill = outbox_row};

/* Joins the further keys of every row in shard->packed. NULL: no memory. */
static struct ste_bytes *join_bcc(struct ste_shard *shard, const struct ste_outbox_row *rows,
                                  size_t count)
{
    size_t room = 0;
    struct ste_buf *buf = &shard->packed;
    struct ste_bytes *bcc = calloc(count ? count : 1, sizeof(*bcc));
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < rows[i].bcc_count; k++)
            room += rows[i].bcc[k].len + 1;
    }
    ste_buf_clear(buf);
    if (!bcc || !ste_buf_reserve(buf, room + 1)) {
        free(bcc);
        return NULL;
    }
    for (size_t i = 0; i < count; i++) {
        size_t start = buf->len;
        for (size_t k = 0; k < rows[i].bcc_count; k++) {
            if (k)
                ste_buf_u8(buf, '\n');
            ste_buf_append_bytes(buf, rows[i].bcc[k]);
        }
        bcc[i] = (struct ste_bytes){buf->at + start, buf->len - start};
    }
    return bcc;
}

enum ste_code ste_shard_insert_outbox(struct ste_shard *shard, uint64_t worker_id,
                                      const struct ste_outbox_row *rows, size_t count,
                                      uint64_t *ret_ids, struct ste_error *err)
{
    struct ste_bytes *bcc = join_bcc(shard, rows, count);
    if (!bcc)
        return ste_error_set(err, STE_E_NOMEM, "no memory for the outbox");
    const struct outbox_rows all = {worker_id, rows, bcc};
    enum ste_code rc = ste_shard_write_prepared(shard, STE_PREPARED_OUTBOX, &outbox_sql, &all,
                                                count, ret_ids, "write the outbox", err);
    free(bcc);
    return rc;
}

static void id_row(struct ste_sql_value *at, const void *rows, size_t index)
{
    ste_put_u64(at, ((const uint64_t *)rows)[index]);
}

static const struct ste_rows_sql delete_sql = {.head = "DELETE FROM outbox WHERE id IN (",
                                               .tail = ")",
                                               .columns = 1,
                                               .bare = true,
                                               .rows_max = STE_KEYS_PER_SELECT,
                                               .fill = id_row};

enum ste_code ste_shard_delete_outbox(struct ste_shard *shard, const uint64_t *ids, size_t count,
                                      struct ste_error *err)
{
    const bool own = !shard->in_tx;
    enum ste_code rc = own ? ste_shard_begin(shard, err) : STE_OK;
    if (rc == STE_OK)
        rc = ste_shard_write_rows(shard, &delete_sql, ids, 0, count, NULL, "empty the outbox", err);
    if (rc == STE_OK && own)
        rc = ste_shard_commit(shard, err);
    return rc;
}

/* ---- sweeper ---- */

struct sweep {
    struct ste_arena *arena;
    struct ste_outbox_swept *rows;
    uint64_t *ids;
    size_t count, limit;
};

static enum ste_code sweep_id(void *context, char **values, const unsigned long *lengths,
                              struct ste_error *err)
{
    struct sweep *sweep = context;
    (void)err;
    if (sweep->count < sweep->limit)
        sweep->ids[sweep->count++] = ste_shard_value_u64(values, lengths, 0);
    return STE_OK;
}

/* "a\nb" as a list of views; none for an empty text. */
static bool split_keys(struct ste_arena *arena, struct ste_bytes text, struct ste_outbox_row *row)
{
    size_t count = text.len ? 1 : 0;
    for (size_t i = 0; i < text.len; i++)
        count += text.at[i] == '\n';
    row->bcc = NULL;
    row->bcc_count = count;
    if (count == 0)
        return true;
    struct ste_bytes *keys = STE_ARENA_ARRAY(arena, struct ste_bytes, count);
    if (!keys)
        return false;
    const char *at = text.at, *end = text.at + text.len;
    for (size_t i = 0; i < count; i++) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        stop = stop ? stop : end;
        keys[i] = (struct ste_bytes){at, (size_t)(stop - at)};
        at = stop + 1;
    }
    row->bcc = keys;
    return true;
}

/* Columns: id, routing_key, bcc, message_id, record_count, body. */
static enum ste_code sweep_row(void *context, char **values, const unsigned long *lengths,
                               struct ste_error *err)
{
    struct sweep *sweep = context;
    struct ste_bytes copies[4];
    static const unsigned columns[4] = {1, 2, 3, 5};
    for (size_t i = 0; i < 4; i++) {
        copies[i] = ste_arena_dup(sweep->arena, ste_shard_value(values, lengths, columns[i]));
        if (!copies[i].at)
            return ste_error_set(err, STE_E_NOMEM, "no memory for the outbox");
    }
    struct ste_outbox_swept *swept = &sweep->rows[sweep->count];
    *swept = (struct ste_outbox_swept){
        .id = ste_shard_value_u64(values, lengths, 0),
        .row = {.routing_key = copies[0],
                .message_id = copies[2],
                .record_count = (uint32_t)ste_shard_value_u64(values, lengths, 4),
                .body = copies[3]}};
    if (!split_keys(sweep->arena, copies[1], &swept->row))
        return ste_error_set(err, STE_E_NOMEM, "no memory for the outbox");
    sweep->count++;
    return STE_OK;
}

/* Which rows are old enough is found without a lock: the usual answer is none. */
static enum ste_code find_old(struct ste_shard *shard, uint32_t min_age_ms, struct sweep *sweep,
                              struct ste_error *err)
{
    struct ste_buf *sql = &shard->sql;
    ste_buf_clear(sql);
    ste_buf_printf(sql,
                   "SELECT id FROM outbox WHERE created_at<=NOW(3)-INTERVAL %u000 MICROSECOND "
                   "ORDER BY id LIMIT %zu",
                   min_age_ms, sweep->limit);
    if (sql->failed)
        return ste_error_set(err, STE_E_NOMEM, "no memory for a statement");
    return ste_shard_select(shard, ste_buf_bytes(sql), "look for old outbox rows", sweep_id, sweep,
                            err);
}

static enum ste_code lock_old(struct ste_shard *shard, struct sweep *sweep, struct ste_error *err)
{
    struct ste_buf *sql = &shard->sql;
    ste_buf_clear(sql);
    ste_buf_append_cstr(sql, "SELECT id,routing_key,bcc,message_id,record_count,body FROM outbox "
                             "WHERE id IN (");
    for (size_t i = 0; i < sweep->count; i++) {
        if (i)
            ste_sql_comma(sql);
        ste_sql_u64(sql, sweep->ids[i]);
    }
    ste_buf_append_cstr(sql, ") FOR UPDATE SKIP LOCKED");
    if (sql->failed)
        return ste_error_set(err, STE_E_NOMEM, "no memory for a statement");
    sweep->count = 0;
    return ste_shard_select(shard, ste_buf_bytes(sql), "take old outbox rows", sweep_row, sweep,
                            err);
}

enum ste_code ste_shard_sweep_outbox(struct ste_shard *shard, uint32_t min_age_ms, size_t limit,
                                     struct ste_arena *arena, struct ste_outbox_swept **ret,
                                     size_t *ret_count, struct ste_error *err)
{
    struct sweep sweep = {.arena = arena};
    sweep.limit = limit < STE_KEYS_PER_SELECT ? limit : STE_KEYS_PER_SELECT;
    sweep.ids = STE_ARENA_ARRAY(arena, uint64_t, sweep.limit);
    sweep.rows = STE_ARENA_ARRAY(arena, struct ste_outbox_swept, sweep.limit);
    if (!sweep.ids || !sweep.rows)
        return ste_error_set(err, STE_E_NOMEM, "no memory for the outbox");
    enum ste_code rc = ste_shard_begin(shard, err);
    if (rc == STE_OK)
        rc = find_old(shard, min_age_ms, &sweep, err);
    if (rc == STE_OK && sweep.count > 0)
        rc = lock_old(shard, &sweep, err);
    if (rc != STE_OK)
        return rc;
    *ret = sweep.rows;
    *ret_count = sweep.count;
    return STE_OK;
}
