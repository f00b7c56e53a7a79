/* SPDX-License-Identifier: Apache-2.0
 * Days: their partitions and their rows in table `day`, which alone says what is taken. */
#include "dbshard/migrate.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/retry.h"
#include "dbshard/schema.h"

enum { DDL_ATTEMPTS_MAX = 60, DDL_PAUSE_MS = 20, DDL_PAUSE_LIMIT_MS = 500 };

/* A session that waits for a table's metadata lock holds up everybody behind it, so each wait is
 * short (lock_wait_timeout=1) and the pauses let the others through. */
enum ste_code ste_shard_run_ddl(struct ste_shard *shard, struct ste_bytes sql, const char *what,
                                struct ste_error *err)
{
    struct ste_retry retry;
    enum ste_code rc = STE_OK;
    ste_retry_init(&retry, DDL_PAUSE_MS, DDL_PAUSE_LIMIT_MS, ste_clock_mono_ns());
    for (int attempt = 0; attempt < DDL_ATTEMPTS_MAX; attempt++) {
        rc = ste_shard_run(shard, sql, what, err);
        if (rc != STE_E_SHARD_LOCK_TIMEOUT && rc != STE_E_SHARD_DEADLOCK)
            return rc;
        ste_clock_sleep_ms(ste_retry_next_ms(&retry));
    }
    return rc;
}

static enum ste_code first_number(void *context, char **values, const unsigned long *lengths,
                                  struct ste_error *err)
{
    uint64_t *ret = context;
    (void)err;
    *ret = ste_shard_value_u64(values, lengths, 0);
    return STE_OK;
}

enum ste_code ste_shard_number_of(struct ste_shard *shard, struct ste_bytes sql, const char *what,
                                  uint64_t *ret, struct ste_error *err)
{
    *ret = 0;
    return ste_shard_select(shard, sql, what, first_number, ret, err);
}

enum ste_code ste_shard_day_state(struct ste_shard *shard, ste_date date, unsigned *ret_state,
                                  struct ste_error *err)
{
    uint64_t state = 0;
    ste_buf_clear(&shard->sql);
    ste_buf_append_cstr(&shard->sql, "SELECT state FROM day WHERE trade_date=");
    ste_sql_date(&shard->sql, date);
    enum ste_code rc =
        ste_shard_number_of(shard, ste_buf_bytes(&shard->sql), "read a day", &state, err);
    if (rc == STE_OK)
        *ret_state = (unsigned)state;
    return rc;
}

enum ste_code ste_shard_has_partition(struct ste_shard *shard, const char *table, ste_date date,
                                      bool *ret_has, struct ste_error *err)
{
    char name[16];
    uint64_t count = 0;
    ste_schema_partition_name(date, name);
    ste_buf_clear(&shard->sql);
    ste_buf_printf(&shard->sql,
                   "SELECT COUNT(*) FROM information_schema.partitions WHERE "
                   "table_schema=DATABASE() AND table_name='%s' AND partition_name='%s'",
                   table, name);
    enum ste_code rc =
        ste_shard_number_of(shard, ste_buf_bytes(&shard->sql), "look for a partition", &count, err);
    if (rc == STE_OK)
        *ret_has = count > 0;
    return rc;
}

struct partition_set { /* which dates have one */
    ste_date first;
    bool has[STE_DAYS_MAX];
};

static enum ste_code partition_row(void *context, char **values, const unsigned long *lengths,
                                   struct ste_error *err)
{
    struct partition_set *set = context;
    struct ste_bytes name = ste_shard_value(values, lengths, 0);
    char text[STE_DATE_TEXT_BYTES];
    ste_date date;
    (void)err;
    if (name.len != strlen("p20261130"))
        return STE_OK;
    snprintf(text, sizeof(text), "%.4s-%.2s-%.2s", name.at + 1, name.at + 5, name.at + 7);
    if (ste_date_parse(ste_bytes_of(text), &date) && date >= set->first &&
        date - set->first < STE_DAYS_MAX)
        set->has[date - set->first] = true;
    return STE_OK;
}

static enum ste_code add_partitions(struct ste_shard *shard, const char *table, ste_date first,
                                    ste_date last, struct ste_error *err)
{
    struct partition_set set = {.first = first};
    struct ste_buf *sql = &shard->sql;
    bool any = false;
    ste_buf_clear(sql);
    ste_buf_printf(sql,
                   "SELECT partition_name FROM information_schema.partitions WHERE "
                   "table_schema=DATABASE() AND table_name='%s' AND partition_name IS NOT NULL",
                   table);
    enum ste_code rc =
        ste_shard_select(shard, ste_buf_bytes(sql), "list partitions", partition_row, &set, err);
    if (rc != STE_OK)
        return rc;
    ste_buf_clear(sql);
    ste_buf_printf(sql, "ALTER TABLE %s ADD PARTITION (", table);
    for (ste_date date = first; date <= last; date++) {
        if (set.has[date - first])
            continue;
        if (any)
            ste_sql_comma(sql);
        ste_schema_partition(sql, date);
        any = true;
    }
    ste_buf_u8(sql, ')');
    if (sql->failed)
        return ste_error_set(err, STE_E_NOMEM, "no memory for a statement");
    return any ? ste_shard_run_ddl(shard, ste_buf_bytes(sql), "add partitions", err) : STE_OK;
}

enum ste_code ste_shard_add_days(struct ste_shard *shard, ste_date first, ste_date last,
                                 struct ste_error *err)
{
    struct ste_buf *sql = &shard->sql;
    if (last - first >= STE_DAYS_MAX)
        return ste_error_set(err, STE_E_ARGUMENT, "%d days at once are too many", last - first + 1);
    for (size_t i = 0; i < STE_DAY_TABLE_COUNT; i++) {
        enum ste_code rc = add_partitions(shard, ste_day_tables[i], first, last, err);
        if (rc != STE_OK)
            return rc;
    }
    ste_buf_clear(sql);
    ste_buf_append_cstr(sql, "INSERT INTO day (trade_date,state) VALUES ");
    for (ste_date date = first; date <= last; date++) {
        ste_buf_append_cstr(sql, date > first ? ",(" : "(");
        ste_sql_date(sql, date);
        ste_buf_printf(sql, ",%d)", STE_DAY_IS_OPEN);
    }
    ste_buf_append_cstr(sql, " ON DUPLICATE KEY UPDATE state=state");
    if (sql->failed)
        return ste_error_set(err, STE_E_NOMEM, "no memory for a statement");
    return ste_shard_run(shard, ste_buf_bytes(sql), "open days", err);
}

/* ---- open, close, purge ---- */

static enum ste_code set_state(struct ste_shard *shard, ste_date date, enum ste_day_state state,
                               struct ste_error *err)
{
    ste_buf_clear(&shard->sql);
    ste_buf_printf(&shard->sql, "UPDATE day SET state=%d WHERE trade_date=", state);
    ste_sql_date(&shard->sql, date);
    return ste_shard_run(shard, ste_buf_bytes(&shard->sql), "change a day", err);
}

static enum ste_code drop_partitions(struct ste_shard *shard, ste_date date, struct ste_error *err)
{
    char name[16], sql[96];
    ste_schema_partition_name(date, name);
    for (size_t i = 0; i < STE_DAY_TABLE_COUNT; i++) {
        bool has = false;
        enum ste_code rc = ste_shard_has_partition(shard, ste_day_tables[i], date, &has, err);
        if (rc == STE_OK && has) {
            snprintf(sql, sizeof(sql), "ALTER TABLE %s DROP PARTITION %s", ste_day_tables[i], name);
            rc = ste_shard_run_ddl(shard, ste_bytes_of(sql), "drop a partition", err);
        }
        if (rc != STE_OK)
            return rc;
    }
    return STE_OK;
}

static enum ste_code change(struct ste_shard *shard, enum ste_day_action action, ste_date date,
                            struct ste_error *err)
{
    char text[STE_DATE_TEXT_BYTES];
    unsigned state = 0;
    ste_date_format(date, text);
    enum ste_code rc = ste_shard_day_state(shard, date, &state, err);
    if (rc != STE_OK)
        return rc;
    if (action == STE_DAY_PURGE && state == STE_DAY_IS_PURGED)
        return STE_OK;
    if (state == STE_DAY_IS_PURGED)
        return ste_error_set(err, STE_E_ARGUMENT,
                             "shard %u: day %s is purged: what came in before would be taken anew",
                             shard->number, text);
    if (action == STE_DAY_OPEN) {
        rc = ste_shard_add_days(shard, date, date, err);
        return rc == STE_OK ? set_state(shard, date, STE_DAY_IS_OPEN, err) : rc;
    }
    if (state == 0)
        return ste_error_set(err, STE_E_ARGUMENT, "shard %u: day %s was never opened",
                             shard->number, text);
    rc = set_state(shard, date, STE_DAY_IS_CLOSING, err);
    if (rc == STE_OK && action == STE_DAY_PURGE) {
        rc = drop_partitions(shard, date, err);
        if (rc == STE_OK)
            rc = set_state(shard, date, STE_DAY_IS_PURGED, err);
    }
    return rc;
}

enum ste_code ste_day_change(const struct ste_cluster *cluster, enum ste_day_action action,
                             ste_date date, struct ste_error *err)
{
    for (unsigned i = 0; i < cluster->shard_count; i++) {
        struct ste_shard *shard = NULL;
        enum ste_code rc = ste_shard_open(cluster, i, STE_DB_MIGRATOR, &shard, err);
        if (rc == STE_OK)
            rc = ste_shard_check_identity(shard, cluster, err);
        if (rc == STE_OK)
            rc = change(shard, action, date, err);
        ste_shard_close(shard);
        if (rc != STE_OK)
            return rc;
    }
    return STE_OK;
}
