/* SPDX-License-Identifier: Apache-2.0
 * Table message: what was sent, append-only. */
#include "dbshard/body.h"
#include "dbshard/internal.h"

struct message_rows { /* what message_row needs besides the rows */
    struct ste_shard *shard;
    const struct ste_message_row *rows;
};

static void message_row(struct ste_buf *sql, const void *context, size_t index)
{
    const struct message_rows *all = context;
    const struct ste_message_row *row = &all->rows[index];
    const struct ste_bytes texts[] = {row->sender8, row->reference, row->account, row->key_id,
                                      row->delivery_id};
    const struct ste_bytes sha256 = {(const char *)row->signed_sha256, 32};
    struct ste_bytes body = row->body;
    unsigned encoding = STE_BODY_AS_SENT;
    if (all->shard->compress)
        encoding = ste_body_pack(&all->shard->zstd, &all->shard->packed, &body);
    ste_buf_u8(sql, '(');
    ste_sql_date(sql, row->trade_date);
    ste_sql_comma(sql);
    ste_sql_hash(sql, row->trade_key);
    ste_sql_comma(sql);
    ste_sql_u64(sql, row->slot);
    ste_sql_comma(sql);
    ste_sql_u64(sql, row->type);
    ste_sql_comma(sql);
    ste_sql_u64(sql, row->function);
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        ste_sql_comma(sql);
        ste_sql_bytes(sql, texts[i]);
    }
    ste_sql_comma(sql);
    ste_sql_u64(sql, row->delivery_index);
    ste_sql_comma(sql);
    ste_sql_bytes(sql, sha256);
    ste_sql_comma(sql);
    ste_sql_u64(sql, row->received_us);
    ste_sql_comma(sql);
    ste_sql_u64(sql, encoding);
    ste_sql_comma(sql);
    ste_sql_bytes(sql, body);
    ste_buf_u8(sql, ')');
}

static const struct ste_rows_text message_text = {
    "INSERT INTO message (trade_date,trade_key,slot,type,`function`,sender,reference,account,key_id,"
    "delivery_id,delivery_index,signed_sha256,received_us,encoding,body) VALUES ",
    "", message_row, 0};

enum ste_code ste_shard_insert_messages(struct ste_shard *shard, const struct ste_message_row *rows,
                                        size_t count, uint64_t *ret_ids, struct ste_error *err)
{
    const struct message_rows all = {shard, rows};
    return ste_shard_write_rows(shard, &message_text, &all, count, ret_ids, "write messages", err);
}
