/* SPDX-License-Identifier: Apache-2.0
 * Table exception: what was refused, once per content and day, repetitions counted. */
#include <stdlib.h>

#include "dbshard/internal.h"

/* Searchable copies are cut to their columns; `raw` holds everything. */
enum { TEXT_BYTES = 512, NAME_BYTES = 255, BIC_BYTES = 11, BIC8_BYTES = 8, CODE_BYTES = 4 };

static struct ste_sql_value *put_cut(struct ste_sql_value *at, struct ste_bytes value, size_t bytes)
{
    return ste_put_bytes(at, (struct ste_bytes){value.at, value.len < bytes ? value.len : bytes});
}

static void exception_row(struct ste_sql_value *at, const void *rows, size_t index)
{
    const struct ste_exception_row *row = ((const struct ste_exception_row *const *)rows)[index];
    at = ste_put_date(at, row->business_day);
    at = ste_put_hash(at, &row->hash);
    at = ste_put_u64(at, row->slot);
    at = ste_put_u64(at, row->kind);
    at = ste_put_u64(at, row->type);
    at = put_cut(at, row->code, CODE_BYTES);
    at = put_cut(at, row->place, NAME_BYTES);
    at = put_cut(at, row->text, TEXT_BYTES);
    at = ste_put_bytes(at, row->findings);
    at = put_cut(at, row->signer8, BIC8_BYTES);
    at = put_cut(at, row->sender8, BIC_BYTES);
    at = put_cut(at, row->reference, NAME_BYTES);
    at = put_cut(at, row->trade_reference, NAME_BYTES);
    at = put_cut(at, row->key_id, NAME_BYTES);
    for (int i = 0; i < 2; i++) { /* first and last delivery are the same yet */
        at = put_cut(at, row->delivery_id, NAME_BYTES);
        at = ste_put_u64(at, row->delivery_index);
    }
    at = ste_put_u64(at, row->received_us);
    at = ste_put_bytes(at, (struct ste_bytes){(const char *)row->signed_sha256, 32});
    at = ste_put_u64(at, row->raw_bytes_total);
    ste_put_bytes(at, row->raw);
}

/* Assignments run from left to right: repeats is judged by the delivery counted last. */
static const struct ste_rows_sql exception_sql = {
    .head = "INSERT INTO exception (business_day,hash,slot,kind,type,code,place,text,findings,"
            "signer,sender,reference,trade_reference,key_id,delivery_id,delivery_index,"
            "last_delivery_id,last_delivery_index,received_us,signed_sha256,raw_bytes_total,raw) "
            "VALUES ",
    .tail =
        " ON DUPLICATE KEY UPDATE repeats=repeats+IF((last_delivery_id=VALUES(last_delivery_id) "
        "AND last_delivery_index=VALUES(last_delivery_index)) OR "
        "(delivery_id=VALUES(delivery_id) AND delivery_index=VALUES(delivery_index)),0,1),"
        "last_delivery_id=VALUES(last_delivery_id),"
        "last_delivery_index=VALUES(last_delivery_index)",
    .columns = 22,
    .fill = exception_row};

static int by_key(const void *a, const void *b)
{
    const struct ste_exception_row *left = *(const struct ste_exception_row *const *)a;
    const struct ste_exception_row *right = *(const struct ste_exception_row *const *)b;
    if (left->business_day != right->business_day)
        return left->business_day < right->business_day ? -1 : 1;
    int order = ste_hash_compare(left->hash, right->hash);
    return order ? order : (left > right) - (left < right); /* equal keys stay in their order */
}

enum ste_code ste_shard_insert_exceptions(struct ste_shard *shard,
                                          const struct ste_exception_row *rows, size_t count,
                                          struct ste_error *err)
{
    if (count == 0)
        return STE_OK;
    /* In key order, so that two workers never wait for each other in a circle. */
    const struct ste_exception_row **sorted = malloc(count * sizeof(*sorted));
    if (!sorted) {
        ste_shard_rollback(shard);
        return ste_error_set(err, STE_E_NOMEM, "no memory for %zu exceptions", count);
    }
    for (size_t i = 0; i < count; i++)
        sorted[i] = &rows[i];
    qsort(sorted, count, sizeof(*sorted), by_key);
    enum ste_code rc = ste_shard_write_rows(shard, &exception_sql, sorted, 0, count, NULL,
                                            "write exceptions", err);
    free(sorted);
    return rc;
}

/* ---- what is there already ---- */

struct lookup {
    const struct ste_exception_row *rows;
    size_t count;
    bool *known;
};

static bool same_delivery(const struct ste_exception_row *row, char **values,
                          const unsigned long *lengths, unsigned column)
{
    const struct ste_bytes id = {row->delivery_id.at, row->delivery_id.len < NAME_BYTES
                                                          ? row->delivery_id.len
                                                          : (size_t)NAME_BYTES};
    return ste_bytes_equal(id, ste_shard_value(values, lengths, column)) &&
           row->delivery_index == ste_shard_value_u64(values, lengths, column + 1);
}

static enum ste_code mark_known(void *context, char **values, const unsigned long *lengths,
                                struct ste_error *err)
{
    const struct lookup *lookup = context;
    const struct ste_hash hash = ste_shard_value_hash(values, lengths, 0);
    (void)err;
    for (size_t i = 0; i < lookup->count; i++) {
        const struct ste_exception_row *row = &lookup->rows[i];
        if (ste_hash_equal(row->hash, hash) &&
            (same_delivery(row, values, lengths, 1) || same_delivery(row, values, lengths, 3)))
            lookup->known[i] = true;
    }
    return STE_OK;
}

enum ste_code ste_shard_known_exceptions(struct ste_shard *shard,
                                         const struct ste_exception_row *rows, size_t count,
                                         bool *known, struct ste_error *err)
{
    struct ste_buf *sql = &shard->sql;
    struct lookup lookup = {rows, count, known};
    ste_buf_clear(sql);
    ste_buf_append_cstr(sql, "SELECT hash,delivery_id,delivery_index,last_delivery_id,"
                             "last_delivery_index FROM exception WHERE business_day=");
    ste_sql_date(sql, rows[0].business_day); /* one business day a batch */
    ste_buf_append_cstr(sql, " AND hash IN (");
    for (size_t i = 0; i < count; i++) {
        if (i > 0)
            ste_sql_comma(sql);
        ste_sql_hash(sql, rows[i].hash);
    }
    ste_buf_append_cstr(sql, ")");
    if (sql->failed)
        return ste_error_set(err, STE_E_NOMEM, "no memory for a statement");
    return ste_shard_select(shard, ste_buf_bytes(sql), "look for known exceptions", mark_known,
                            &lookup, err);
}
