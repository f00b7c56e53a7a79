/* SPDX-License-Identifier: Apache-2.0
 * Table exception: what was refused, once per content and day, repetitions counted. */
#include <stdlib.h>

#include "dbshard/internal.h"

/* Searchable copies are cut to their columns; `raw` holds everything. */
enum { TEXT_BYTES = 512, NAME_BYTES = 255, BIC_BYTES = 11, BIC8_BYTES = 8, CODE_BYTES = 4 };

static void cut(struct ste_buf *sql, struct ste_bytes value, size_t bytes)
{
    ste_sql_comma(sql);
    ste_sql_bytes(sql, (struct ste_bytes){value.at, value.len < bytes ? value.len : bytes});
}

static void number(struct ste_buf *sql, uint64_t value)
{
    ste_sql_comma(sql);
    ste_sql_u64(sql, value);
}

static void exception_row(struct ste_buf *sql, const void *rows, size_t index)
{
    const struct ste_exception_row *row = ((const struct ste_exception_row *const *)rows)[index];
    const struct ste_bytes sha256 = {(const char *)row->signed_sha256, 32};
    ste_buf_u8(sql, '(');
    ste_sql_date(sql, row->business_day);
    ste_sql_comma(sql);
    ste_sql_hash(sql, row->hash);
    number(sql, row->slot);
    number(sql, row->kind);
    number(sql, row->type);
    cut(sql, row->code, CODE_BYTES);
    cut(sql, row->place, NAME_BYTES);
    cut(sql, row->text, TEXT_BYTES);
    cut(sql, row->findings, row->findings.len);
    cut(sql, row->signer8, BIC8_BYTES);
    cut(sql, row->sender8, BIC_BYTES);
    cut(sql, row->reference, NAME_BYTES);
    cut(sql, row->trade_reference, NAME_BYTES);
    cut(sql, row->key_id, NAME_BYTES);
    cut(sql, row->delivery_id, NAME_BYTES);
    number(sql, row->delivery_index);
    cut(sql, row->delivery_id, NAME_BYTES);
    number(sql, row->delivery_index);
    number(sql, row->received_us);
    cut(sql, sha256, sha256.len);
    number(sql, row->raw_bytes_total);
    cut(sql, row->raw, row->raw.len);
    ste_buf_u8(sql, ')');
}

/* Assignments run from left to right: repeats is judged by the delivery counted last. */
static const struct ste_rows_text exception_text = {
    "INSERT INTO exception (business_day,hash,slot,kind,type,code,place,text,findings,signer,sender,"
    "reference,trade_reference,key_id,delivery_id,delivery_index,last_delivery_id,"
    "last_delivery_index,received_us,signed_sha256,raw_bytes_total,raw) VALUES ",
    " ON DUPLICATE KEY UPDATE repeats=repeats+IF((last_delivery_id=VALUES(last_delivery_id) AND "
    "last_delivery_index=VALUES(last_delivery_index)) OR (delivery_id=VALUES(delivery_id) AND "
    "delivery_index=VALUES(delivery_index)),0,1),"
    "last_delivery_id=VALUES(last_delivery_id),last_delivery_index=VALUES(last_delivery_index)",
    exception_row, 0};

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
    enum ste_code rc = ste_shard_write_rows(shard, &exception_text, sorted, count, NULL,
                                            "write exceptions", err);
    free(sorted);
    return rc;
}
