/* SPDX-License-Identifier: Apache-2.0
 * Table trade: the one safe sequence of path stop 6, and what is written at stop 8. */
#include <string.h>

#include "dbshard/internal.h"

enum { FIRST_SIBLINGS = 64 };

/* ---- lock ---- */

static void lock_row(struct ste_sql_value *at, const void *rows, size_t index)
{
    const struct ste_trade_key_row *key = (const struct ste_trade_key_row *)rows + index;
    at = ste_put_date(at, key->trade_date);
    at = ste_put_hash(at, &key->trade_key);
    at = ste_put_hash(at, &key->match_hash);
    at = ste_put_u64(at, key->slot);
    at = ste_put_u64(at, 0);
    ste_put_bytes(at, key->identity);
}

/* Locks rows that are there and rows that are not: what SELECT … FOR UPDATE cannot do. A row that
 * is there keeps every value. */
static const struct ste_rows_sql lock_sql = {
    .head = "INSERT INTO trade (trade_date,trade_key,match_hash,slot,status,identity) VALUES ",
    .tail = " ON DUPLICATE KEY UPDATE status=status",
    .columns = 6,
    .fill = lock_row};

/* ---- load ---- */

struct load {
    const struct ste_trade_key_row *keys;
    size_t count;
    struct ste_arena *arena;
    struct ste_trade_row *rows;
    size_t found;
};

static bool copy_value(struct ste_arena *arena, char **values, const unsigned long *lengths,
                       unsigned column, struct ste_bytes *ret)
{
    struct ste_bytes value = ste_shard_value(values, lengths, column);
    *ret = (struct ste_bytes){NULL, 0};
    if (!value.at)
        return true;
    *ret = ste_arena_dup(arena, value);
    return ret->at != NULL;
}

/* Columns: trade_key, match_hash, status, identity, state. */
static bool read_trade(struct ste_arena *arena, char **values, const unsigned long *lengths,
                       struct ste_trade_row *row)
{
    row->trade_key = ste_shard_value_hash(values, lengths, 0);
    row->match_hash = ste_shard_value_hash(values, lengths, 1);
    row->status = (unsigned)ste_shard_value_u64(values, lengths, 2);
    return copy_value(arena, values, lengths, 3, &row->identity) &&
           copy_value(arena, values, lengths, 4, &row->state);
}

static enum ste_code load_row(void *context, char **values, const unsigned long *lengths,
                              struct ste_error *err)
{
    struct load *load = context;
    struct ste_hash key = ste_shard_value_hash(values, lengths, 0);
    size_t low = 0, high = load->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (ste_hash_compare(load->keys[middle].trade_key, key) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == load->count || !ste_hash_equal(load->keys[low].trade_key, key))
        return STE_OK;
    struct ste_trade_row *row = &load->rows[low];
    row->trade_date = load->keys[low].trade_date;
    if (!read_trade(load->arena, values, lengths, row))
        return ste_error_set(err, STE_E_NOMEM, "no memory for the trades of a batch");
    load->found++;
    return STE_OK;
}

static void append_keys(struct ste_buf *sql, const struct ste_trade_key_row *keys, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (i)
            ste_sql_comma(sql);
        ste_sql_hash(sql, keys[i].trade_key);
    }
    ste_buf_u8(sql, ')');
}

/* How many of `keys` share the first one's date, at most STE_KEYS_PER_SELECT: with two dates in one
 * statement the server would look up dates × keys. */
static size_t same_date(const struct ste_trade_key_row *keys, size_t count)
{
    size_t run = 1;
    while (run < count && run < STE_KEYS_PER_SELECT && keys[run].trade_date == keys[0].trade_date)
        run++;
    return run;
}

static enum ste_code load_date(struct ste_shard *shard, struct load *load, bool for_update,
                               struct ste_error *err)
{
    struct ste_buf *sql = &shard->sql;
    ste_buf_clear(sql);
    ste_buf_append_cstr(sql, "SELECT trade_key,match_hash,status,identity,state FROM trade "
                             "WHERE trade_date=");
    ste_sql_date(sql, load->keys[0].trade_date);
    ste_buf_append_cstr(sql, " AND trade_key IN (");
    append_keys(sql, load->keys, load->count);
    if (for_update)
        ste_buf_append_cstr(sql, " FOR UPDATE");
    if (sql->failed)
        return ste_error_set(err, STE_E_NOMEM, "no memory for a statement");
    return ste_shard_select(shard, ste_buf_bytes(sql), "load trades", load_row, load, err);
}

enum ste_code ste_shard_load_only(struct ste_shard *shard, const struct ste_trade_key_row *keys,
                                  size_t count, bool for_update, struct ste_arena *arena,
                                  struct ste_trade_row *rows, struct ste_error *err)
{
    for (size_t first = 0, run; first < count; first += run) {
        run = same_date(keys + first, count - first);
        struct load load = {keys + first, run, arena, rows + first, 0};
        memset(load.rows, 0, run * sizeof(*rows));
        enum ste_code rc = load_date(shard, &load, for_update, err);
        if (rc != STE_OK)
            return rc;
        if (!for_update && load.found != run)
            return ste_error_set(err, STE_E_SHARD_REFUSED,
                                 "shard %u: %zu of %zu locked trades are there", shard->number,
                                 load.found, run);
    }
    return STE_OK;
}

enum ste_code ste_shard_lock_and_load(struct ste_shard *shard, const struct ste_trade_key_row *keys,
                                      size_t count, struct ste_arena *arena,
                                      struct ste_trade_row *rows, struct ste_error *err)
{
    enum ste_code rc = ste_shard_write_prepared(shard, STE_PREPARED_LOCK, &lock_sql, keys, count,
                                                NULL, "lock trades", err);
    return rc == STE_OK ? ste_shard_load_only(shard, keys, count, false, arena, rows, err) : rc;
}

/* ---- siblings ---- */

struct siblings {
    struct ste_arena *arena;
    struct ste_trade_row *rows;
    size_t count, capacity;
};

/* Columns as load, then trade_date. */
static enum ste_code sibling_row(void *context, char **values, const unsigned long *lengths,
                                 struct ste_error *err)
{
    struct siblings *list = context;
    struct ste_trade_row row = {.trade_date = ste_shard_value_date(values, lengths, 5)};
    struct ste_hash key = ste_shard_value_hash(values, lengths, 0);
    for (size_t i = 0; i < list->count; i++) {
        /* Two dates of one batch ask about overlapping weeks. */
        if (list->rows[i].trade_date == row.trade_date &&
            ste_hash_equal(list->rows[i].trade_key, key))
            return STE_OK;
    }
    if (list->count == list->capacity) {
        size_t capacity = list->capacity ? 2 * list->capacity : FIRST_SIBLINGS;
        struct ste_trade_row *rows = STE_ARENA_ARRAY(list->arena, struct ste_trade_row, capacity);
        if (!rows)
            return ste_error_set(err, STE_E_NOMEM, "no memory for the siblings of a batch");
        if (list->count)
            memcpy(rows, list->rows, list->count * sizeof(*rows));
        list->rows = rows;
        list->capacity = capacity;
    }
    if (!read_trade(list->arena, values, lengths, &row))
        return ste_error_set(err, STE_E_NOMEM, "no memory for the siblings of a batch");
    list->rows[list->count++] = row;
    return STE_OK;
}

static enum ste_code siblings_of_date(struct ste_shard *shard, const struct ste_trade_key_row *keys,
                                      size_t count, struct siblings *list, struct ste_error *err)
{
    struct ste_buf *sql = &shard->sql;
    ste_buf_clear(sql);
    ste_buf_append_cstr(sql, "SELECT trade_key,match_hash,status,identity,state,trade_date "
                             "FROM trade FORCE INDEX (trade_match) WHERE match_hash IN (");
    for (size_t i = 0; i < count; i++) {
        if (i)
            ste_sql_comma(sql);
        ste_sql_hash(sql, keys[i].match_hash);
    }
    ste_buf_append_cstr(sql, ") AND trade_date BETWEEN ");
    ste_sql_date(sql, keys[0].trade_date - STE_SIBLING_DAYS);
    ste_buf_append_cstr(sql, " AND ");
    ste_sql_date(sql, keys[0].trade_date + STE_SIBLING_DAYS);
    /* Locking: a plain read never sees a sibling that is made at the same time; this one waits for
     * it or meets 1213, and sees it when the batch is done again. */
    ste_buf_append_cstr(sql, " LOCK IN SHARE MODE");
    if (sql->failed)
        return ste_error_set(err, STE_E_NOMEM, "no memory for a statement");
    return ste_shard_select(shard, ste_buf_bytes(sql), "find siblings", sibling_row, list, err);
}

enum ste_code ste_shard_load_siblings(struct ste_shard *shard, const struct ste_trade_key_row *keys,
                                      size_t count, struct ste_arena *arena,
                                      struct ste_trade_row **ret, size_t *ret_count,
                                      struct ste_error *err)
{
    struct siblings list = {.arena = arena};
    for (size_t first = 0, run; first < count; first += run) {
        run = same_date(keys + first, count - first);
        enum ste_code rc = siblings_of_date(shard, keys + first, run, &list, err);
        if (rc != STE_OK)
            return rc;
    }
    *ret = list.rows;
    *ret_count = list.count;
    return STE_OK;
}

/* ---- save and delete ---- */

static void save_row(struct ste_sql_value *at, const void *rows, size_t index)
{
    const struct ste_trade_save *row = (const struct ste_trade_save *)rows + index;
    at = ste_put_date(at, row->trade_date);
    at = ste_put_hash(at, &row->trade_key);
    at = ste_put_hash(at, &row->match_hash);
    at = ste_put_u64(at, row->slot);
    at = ste_put_u64(at, row->status);
    at = ste_put_u64(at, row->message_count);
    at = ste_put_u64(at, row->account_count);
    at = ste_put_u64(at, row->cls_version);
    at = ste_put_date(at, row->settlement_date);
    at = ste_put_bytes(at, row->identity);
    at = ste_put_bytes(at, row->trade_reference);
    at = ste_put_bytes(at, row->broker8);
    at = ste_put_bytes(at, row->manager8);
    at = ste_put_bytes(at, row->instrument);
    ste_put_bytes(at, row->state);
}

/* Every row is there and locked already; the upsert is the portable way to update many at once.
 * Key, slot and identity never change. */
static const struct ste_rows_sql save_sql = {
    .head = "INSERT INTO trade (trade_date,trade_key,match_hash,slot,status,message_count,"
            "account_count,cls_version,settlement_date,identity,trade_reference,broker,manager,"
            "instrument,state) VALUES ",
    .tail = " ON DUPLICATE KEY UPDATE status=VALUES(status),message_count=VALUES(message_count),"
            "account_count=VALUES(account_count),cls_version=VALUES(cls_version),"
            "settlement_date=VALUES(settlement_date),trade_reference=VALUES(trade_reference),"
            "broker=VALUES(broker),manager=VALUES(manager),instrument=VALUES(instrument),"
            "state=VALUES(state)",
    .columns = 15,
    .fill = save_row};

enum ste_code ste_shard_save_trades(struct ste_shard *shard, const struct ste_trade_save *rows,
                                    size_t count, struct ste_error *err)
{
    return ste_shard_write_prepared(shard, STE_PREPARED_SAVE, &save_sql, rows, count, NULL,
                                    "write trades", err);
}

enum ste_code ste_shard_delete_trades(struct ste_shard *shard, const struct ste_trade_key_row *keys,
                                      size_t count, struct ste_error *err)
{
    struct ste_buf *sql = &shard->sql;
    for (size_t first = 0, run; first < count; first += run) {
        run = same_date(keys + first, count - first);
        ste_buf_clear(sql);
        ste_buf_append_cstr(sql, "DELETE FROM trade WHERE trade_date=");
        ste_sql_date(sql, keys[first].trade_date);
        ste_buf_append_cstr(sql, " AND state IS NULL AND trade_key IN (");
        append_keys(sql, keys + first, run);
        if (sql->failed)
            return ste_error_set(err, STE_E_NOMEM, "no memory for a statement");
        enum ste_code rc = ste_shard_run(shard, ste_buf_bytes(sql), "delete empty trades", err);
        if (rc != STE_OK)
            return rc;
    }
    return STE_OK;
}
