/* SPDX-License-Identifier: Apache-2.0
 * Which shard this is, and which days it takes. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "dbshard/failure.h"
#include "dbshard/internal.h"

void ste_shard_key_list(const struct ste_cluster *cluster, char *out, size_t out_bytes)
{
    size_t len = 0;
    out[0] = '\0';
    for (size_t i = 0; i < cluster->match_key_count && len < out_bytes; i++) {
        int more =
            snprintf(out + len, out_bytes - len, "%s%s", i ? "," : "", cluster->match_key[i]);
        len += more > 0 ? (size_t)more : 0;
    }
}

struct identity_check {
    const struct ste_cluster *cluster;
    unsigned number;
    bool found;
};

static enum ste_code differs(struct ste_error *err, unsigned number, const char *what,
                             struct ste_bytes stored, const char *wanted)
{
    return ste_error_set(err, STE_E_SHARD_IDENTITY, "shard %u: %s is %.*s there, %s in the map",
                         number, what, (int)stored.len, stored.at ? stored.at : "", wanted);
}

static enum ste_code identity_row(void *context, char **values, const unsigned long *lengths,
                                  struct ste_error *err)
{
    struct identity_check *check = context;
    const struct ste_cluster *cluster = check->cluster;
    char keys[256], number[16], count[16], epoch[16];
    ste_shard_key_list(cluster, keys, sizeof(keys));
    snprintf(number, sizeof(number), "%u", check->number);
    snprintf(count, sizeof(count), "%u", cluster->shard_count);
    snprintf(epoch, sizeof(epoch), "%u", cluster->map_epoch);
    const struct {
        const char *what, *wanted;
    } columns[] = {{"cluster", cluster->id},
                   {"shard number", number},
                   {"shard count", count},
                   {"match key", keys},
                   {"map epoch", epoch}};
    for (unsigned i = 0; i < sizeof(columns) / sizeof(columns[0]); i++) {
        struct ste_bytes stored = ste_shard_value(values, lengths, i);
        if (!ste_bytes_equal(stored, ste_bytes_of(columns[i].wanted)))
            return differs(err, check->number, columns[i].what, stored, columns[i].wanted);
    }
    uint64_t schema = ste_shard_value_u64(values, lengths, 5);
    if (schema != STE_SCHEMA_VERSION)
        return ste_error_set(err, STE_E_SHARD_SCHEMA,
                             "shard %u: schema version is %" PRIu64 " there, %d in this program",
                             check->number, schema, STE_SCHEMA_VERSION);
    check->found = true;
    return STE_OK;
}

enum ste_code ste_shard_check_identity(struct ste_shard *shard, const struct ste_cluster *cluster,
                                       struct ste_error *err)
{
    struct identity_check check = {cluster, shard->number, false};
    struct ste_error cause = {0};
    enum ste_code rc = ste_shard_select(
        shard,
        STE_BYTES("SELECT cluster,shard_number,shard_count,match_key,map_epoch,schema_version "
                  "FROM shard_identity WHERE id=1"),
        "read shard_identity", identity_row, &check, &cause);
    if (rc == STE_OK && !check.found)
        return ste_error_set(err, STE_E_SHARD_IDENTITY,
                             "shard %u: has no identity: run ste-admin migrate", shard->number);
    if (rc == STE_E_SHARD_REFUSED && mysql_errno(shard->db) == STE_SERVER_NO_TABLE)
        return ste_error_set(err, STE_E_SHARD_SCHEMA,
                             "shard %u: has no schema: run ste-admin migrate", shard->number);
    if (rc != STE_OK) {
        *err = cause;
        return rc;
    }
    return ste_shard_end_read(shard, err);
}

struct day_list {
    struct ste_arena *arena;
    ste_date *days;
    size_t count, capacity;
};

static enum ste_code day_row(void *context, char **values, const unsigned long *lengths,
                             struct ste_error *err)
{
    struct day_list *list = context;
    if (list->count == list->capacity) {
        size_t capacity = list->capacity ? 2 * list->capacity : 64;
        ste_date *days = STE_ARENA_ARRAY(list->arena, ste_date, capacity);
        if (!days)
            return ste_error_set(err, STE_E_NOMEM, "no memory for the open days");
        if (list->count)
            memcpy(days, list->days, list->count * sizeof(*days));
        list->days = days;
        list->capacity = capacity;
    }
    list->days[list->count++] = ste_shard_value_date(values, lengths, 0);
    return STE_OK;
}

enum ste_code ste_shard_days(struct ste_shard *shard, struct ste_arena *arena, ste_date **ret,
                             size_t *ret_count, struct ste_error *err)
{
    struct day_list list = {.arena = arena};
    enum ste_code rc = ste_shard_select(shard,
                                        STE_BYTES("SELECT trade_date FROM day WHERE state=1 "
                                                  "ORDER BY trade_date"),
                                        "read the open days", day_row, &list, err);
    if (rc == STE_OK)
        rc = ste_shard_end_read(shard, err);
    if (rc != STE_OK)
        return rc;
    *ret = list.days;
    *ret_count = list.count;
    return STE_OK;
}
