/* SPDX-License-Identifier: Apache-2.0
 * Table message: what was sent, append-only. */
#include <stdlib.h>

#include "dbshard/body.h"
#include "dbshard/internal.h"

struct message_rows { /* what message_row needs besides the rows */
    const struct ste_message_row *rows;
    const struct ste_body *packed; /* NULL: bodies go as they are */
};

static void message_row(struct ste_sql_value *at, const void *context, size_t index)
{
    const struct message_rows *all = context;
    const struct ste_message_row *row = &all->rows[index];
    struct ste_body body = {STE_BODY_AS_SENT, row->body};
    if (all->packed)
        body = all->packed[index];
    at = ste_put_date(at, row->trade_date);
    at = ste_put_hash(at, &row->trade_key);
    at = ste_put_u64(at, row->slot);
    at = ste_put_u64(at, row->type);
    at = ste_put_u64(at, row->function);
    at = ste_put_bytes(at, row->sender8);
    at = ste_put_bytes(at, row->reference);
    at = ste_put_bytes(at, row->account);
    at = ste_put_bytes(at, row->key_id);
    at = ste_put_bytes(at, row->delivery_id);
    at = ste_put_u64(at, row->delivery_index);
    at = ste_put_bytes(at, (struct ste_bytes){(const char *)row->signed_sha256, 32});
    at = ste_put_u64(at, row->received_us);
    at = ste_put_u64(at, body.encoding);
    ste_put_bytes(at, body.bytes);
}

static const struct ste_rows_sql message_sql = {
    .head = "INSERT INTO message (trade_date,trade_key,slot,type,`function`,sender,reference,"
            "account,key_id,delivery_id,delivery_index,signed_sha256,received_us,encoding,body) "
            "VALUES ",
    .tail = "",
    .columns = 15,
    .fill = message_row};

/* Compresses all bodies into shard->packed. NULL: there is no memory for it, they go as they are.
 */
static struct ste_body *pack_all(struct ste_shard *shard, const struct ste_message_row *rows,
                                 size_t count)
{
    size_t room = 0;
    struct ste_body *bodies = calloc(count ? count : 1, sizeof(*bodies));
    for (size_t i = 0; i < count; i++)
        room += ste_pack_bound(rows[i].body.len);
    ste_buf_clear(&shard->packed);
    if (!bodies || !ste_buf_reserve(&shard->packed, room)) {
        free(bodies);
        return NULL;
    }
    for (size_t i = 0; i < count; i++) /* never moves what is packed: the room is there */
        bodies[i] = ste_body_pack(&shard->packer, &shard->packed, rows[i].body);
    return bodies;
}

enum ste_code ste_shard_insert_messages(struct ste_shard *shard, const struct ste_message_row *rows,
                                        size_t count, uint64_t *ret_ids, struct ste_error *err)
{
    struct ste_body *packed = shard->compress ? pack_all(shard, rows, count) : NULL;
    const struct message_rows all = {rows, packed};
    enum ste_code rc = ste_shard_write_prepared(shard, STE_PREPARED_MESSAGE, &message_sql, &all,
                                                count, ret_ids, "write messages", err);
    free(packed);
    return rc;
}
