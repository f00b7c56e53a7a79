/* SPDX-License-Identifier: Apache-2.0
 * Reads every row of a shard by the checker's own SQL, streaming. Each row is judged by its own
 * bytes while it passes: where it belongs, and under which trade. */
#include <stdlib.h>
#include <string.h>

#include "admin/check.h"
#include "dbshard/read.h"

enum { SCRATCH_BYTES = 1 << 20 };

struct scan {
    struct ste_check *check;
    struct ste_match_key match_key;
    struct ste_arena *arena; /* of one row */
    struct ste_packer packer;
    struct ste_buf unpacked;
    unsigned shard, shard_count;
};

static enum ste_code no_memory(const struct scan *scan, struct ste_error *err)
{
    return ste_error_set(err, STE_E_NOMEM, "no memory for the rows of shard %u", scan->shard);
}

static bool slot_is_here(const struct scan *scan, uint64_t slot)
{
    return slot < STE_SLOT_COUNT &&
           ste_shard_of_slot((uint32_t)slot, scan->shard_count) == scan->shard;
}

/* Columns: trade_key, slot, status, cls_version, identity, match_hash, trade_date, no state. */
static enum ste_code trade_row(void *context, char **values, const unsigned long *lengths,
                               struct ste_error *err)
{
    struct scan *scan = context;
    struct ste_trade_id id;
    struct ste_check_trade *trade = ste_check_add(&scan->check->trades, sizeof(*trade));
    if (!trade)
        return no_memory(scan, err);
    ste_arena_reset(scan->arena);
    trade->trade_key = ste_shard_value_hash(values, lengths, 0);
    trade->shard = (uint8_t)scan->shard;
    trade->status = (uint8_t)ste_shard_value_u64(values, lengths, 2);
    trade->cls_version = (uint32_t)ste_shard_value_u64(values, lengths, 3);
    trade->placeholder = ste_shard_value_u64(values, lengths, 7) != 0;
    const uint64_t slot = ste_shard_value_u64(values, lengths, 1);
    const struct ste_hash match_hash = ste_shard_value_hash(values, lengths, 5);
    trade->misplaced = !ste_check_identify_row(ste_shard_value(values, lengths, 4),
                                               &scan->match_key, scan->arena, &id) ||
                       !slot_is_here(scan, slot) || id.slot != slot ||
                       !ste_hash_equal(id.trade_key, trade->trade_key) ||
                       !ste_hash_equal(id.match_hash, match_hash) ||
                       id.trade_date != ste_shard_value_date(values, lengths, 6);
    return STE_OK;
}

/* Columns: trade_key, slot, type, sender, reference, account, delivery_id, delivery_index, id,
 * encoding, body, trade_date. */
static enum ste_code message_row(void *context, char **values, const unsigned long *lengths,
                                 struct ste_error *err)
{
    struct scan *scan = context;
    struct ste_trade_id id;
    struct ste_bytes body;
    enum ste_code rc = ste_body_unpack((unsigned)ste_shard_value_u64(values, lengths, 9),
                                       ste_shard_value(values, lengths, 10), &scan->packer,
                                       &scan->unpacked, &body, err);
    if (rc != STE_OK)
        return rc;
    struct ste_check_message *row = ste_check_add(&scan->check->messages, sizeof(*row));
    if (!row)
        return no_memory(scan, err);
    ste_arena_reset(scan->arena);
    const uint64_t slot = ste_shard_value_u64(values, lengths, 1);
    row->trade_key = ste_shard_value_hash(values, lengths, 0);
    row->message64 = ste_check_message64(ste_shard_value(values, lengths, 3),
                                         ste_shard_value(values, lengths, 4));
    row->sha64 = ste_check_sha64(body);
    row->delivery64 = ste_hash64_of(ste_shard_value(values, lengths, 6));
    row->index = (uint32_t)ste_shard_value_u64(values, lengths, 7);
    row->id = ste_shard_value_u64(values, lengths, 8);
    row->account64 = ste_hash64_of(ste_shard_value(values, lengths, 5));
    row->type = (uint8_t)ste_shard_value_u64(values, lengths, 2);
    row->shard = (uint8_t)scan->shard;
    row->quantity = ste_check_quantity(ste_check_element(body, "Quantity"));
    row->misplaced = !slot_is_here(scan, slot);
    if (ste_check_identify(body, &scan->match_key, scan->arena, &id))
        row->misplaced = row->misplaced || id.slot != slot ||
                         !ste_hash_equal(id.trade_key, row->trade_key) ||
                         id.trade_date != ste_shard_value_date(values, lengths, 11);
    return STE_OK;
}

/* Columns: slot, code, delivery_id, delivery_index, repeats, raw_bytes_total, raw. */
static enum ste_code exception_row(void *context, char **values, const unsigned long *lengths,
                                   struct ste_error *err)
{
    struct scan *scan = context;
    const struct ste_bytes raw = ste_shard_value(values, lengths, 6);
    const struct ste_bytes code = ste_shard_value(values, lengths, 1);
    struct ste_check_exception *row = ste_check_add(&scan->check->exceptions, sizeof(*row));
    struct ste_bytes message;
    size_t at = 0;
    if (!row)
        return no_memory(scan, err);
    *row = (struct ste_check_exception){
        .delivery64 = ste_hash64_of(ste_shard_value(values, lengths, 2)),
        .index = (uint32_t)ste_shard_value_u64(values, lengths, 3),
        .repeats = (uint32_t)ste_shard_value_u64(values, lengths, 4),
        .shard = (uint8_t)scan->shard,
        .misplaced = !slot_is_here(scan, ste_shard_value_u64(values, lengths, 0)),
        .cut = ste_shard_value_u64(values, lengths, 5) > raw.len};
    memcpy(row->code, code.at ? code.at : "", code.len < 4 ? code.len : 4);
    while (ste_check_next_span(raw, &at, &message)) {
        struct ste_check_span *span = ste_check_add(&scan->check->spans, sizeof(*span));
        if (!span)
            return no_memory(scan, err);
        *span = (struct ste_check_span){ste_check_sha64(message), row->delivery64, row->index,
                                        row->repeats};
    }
    return STE_OK;
}

static enum ste_code read_all(struct scan *scan, struct ste_shard *shard, struct ste_error *err)
{
    enum ste_code rc = ste_shard_select(
        shard,
        STE_BYTES("SELECT trade_key,slot,status,cls_version,identity,match_hash,trade_date,"
                  "state IS NULL FROM trade"),
        "read trades", trade_row, scan, err);
    if (rc == STE_OK)
        rc = ste_shard_select(
            shard,
            STE_BYTES("SELECT trade_key,slot,type,sender,reference,account,delivery_id,"
                      "delivery_index,id,encoding,body,trade_date FROM message"),
            "read messages", message_row, scan, err);
    if (rc == STE_OK)
        rc = ste_shard_select(shard,
                              STE_BYTES("SELECT slot,code,delivery_id,delivery_index,repeats,"
                                        "raw_bytes_total,raw FROM exception"),
                              "read exceptions", exception_row, scan, err);
    return rc;
}

enum ste_code ste_check_read_shard(struct ste_check *check, const struct ste_cluster *cluster,
                                   unsigned number, struct ste_error *err)
{
    struct scan scan = {.check = check, .shard = number, .shard_count = cluster->shard_count};
    struct ste_shard *shard = NULL;
    enum ste_code rc = STE_OK;
    if (!ste_match_key_init(&scan.match_key, cluster->match_key, cluster->match_key_count))
        return ste_error_set(err, STE_E_CONFIG, "the map's match_key names no exact fields");
    scan.arena = ste_arena_new(SCRATCH_BYTES);
    if (!scan.arena)
        rc = no_memory(&scan, err);
    if (rc == STE_OK)
        rc = ste_shard_open(cluster, number, STE_DB_CHECKER, &shard, err);
    if (rc == STE_OK)
        rc = read_all(&scan, shard, err);
    ste_shard_close(shard);
    ste_arena_free(scan.arena);
    ste_packer_deinit(&scan.packer);
    ste_buf_deinit(&scan.unpacked);
    return rc;
}

static enum ste_code count_row(void *context, char **values, const unsigned long *lengths,
                               struct ste_error *err)
{
    (void)err;
    *(uint64_t *)context += ste_shard_value_u64(values, lengths, 0);
    return STE_OK;
}

enum ste_code ste_check_read_outbox(const struct ste_cluster *cluster, uint64_t *ret_rows,
                                    struct ste_error *err)
{
    uint64_t rows = 0;
    for (unsigned i = 0; i < cluster->shard_count; i++) {
        struct ste_shard *shard = NULL;
        enum ste_code rc = ste_shard_open(cluster, i, STE_DB_CHECKER, &shard, err);
        if (rc == STE_OK)
            rc = ste_shard_select(shard, STE_BYTES("SELECT COUNT(*) FROM outbox"),
                                  "count the outbox", count_row, &rows, err);
        ste_shard_close(shard);
        if (rc != STE_OK)
            return rc;
    }
    *ret_rows = rows;
    return STE_OK;
}
