/* SPDX-License-Identifier: Apache-2.0
 * Schema, identity, rights and days of every shard. Each step is safe to repeat. */
#include "dbshard/migrate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dbshard/schema.h"

enum { SECRET_BYTES = 256 };

/* A name from the map inside backticks. */
static void append_name(struct ste_buf *sql, const char *name)
{
    ste_buf_u8(sql, '`');
    for (; *name; name++) {
        if (*name == '`')
            ste_buf_u8(sql, '`');
        ste_buf_u8(sql, (uint8_t)*name);
    }
    ste_buf_u8(sql, '`');
}

static enum ste_code run_buf(struct ste_shard *shard, const char *what, struct ste_error *err)
{
    if (shard->sql.failed)
        return ste_error_set(err, STE_E_NOMEM, "no memory for a statement");
    return ste_shard_run_ddl(shard, ste_buf_bytes(&shard->sql), what, err);
}

static enum ste_code choose_database(struct ste_shard *shard, const char *name,
                                     struct ste_error *err)
{
    ste_buf_clear(&shard->sql);
    ste_buf_append_cstr(&shard->sql, "CREATE DATABASE IF NOT EXISTS ");
    append_name(&shard->sql, name);
    ste_buf_append_cstr(&shard->sql, " CHARACTER SET utf8mb4 COLLATE utf8mb4_bin");
    enum ste_code rc = run_buf(shard, "create the database", err);
    if (rc != STE_OK)
        return rc;
    ste_buf_clear(&shard->sql);
    ste_buf_append_cstr(&shard->sql, "USE ");
    append_name(&shard->sql, name);
    return run_buf(shard, "use the database", err);
}

/* A shard that is somebody else's, or of a newer program, is left as it is. */
static enum ste_code has_identity(struct ste_shard *shard, bool *ret, struct ste_error *err)
{
    uint64_t count = 0;
    enum ste_code rc = ste_shard_number_of(
        shard,
        STE_BYTES("SELECT COUNT(*) FROM information_schema.tables WHERE table_schema=DATABASE() "
                  "AND table_name='shard_identity'"),
        "look for shard_identity", &count, err);
    if (rc == STE_OK && count > 0)
        rc = ste_shard_number_of(shard, STE_BYTES("SELECT COUNT(*) FROM shard_identity"),
                                 "read shard_identity", &count, err);
    if (rc == STE_OK)
        *ret = count > 0;
    return rc;
}

static enum ste_code make_tables(struct ste_shard *shard, ste_date first, ste_date last,
                                 struct ste_error *err)
{
    struct ste_bytes text = ste_schema_text();
    while (ste_schema_next(&text, first, last, &shard->sql)) {
        enum ste_code rc = run_buf(shard, "make the schema", err);
        if (rc != STE_OK)
            return rc;
    }
    ste_buf_clear(&shard->sql);
    ste_buf_printf(&shard->sql,
                   "INSERT INTO schema_version (version) VALUES (%d) "
                   "ON DUPLICATE KEY UPDATE version=version",
                   STE_SCHEMA_VERSION);
    return run_buf(shard, "write schema_version", err);
}

static enum ste_code write_identity(struct ste_shard *shard, const struct ste_cluster *cluster,
                                    struct ste_error *err)
{
    char keys[256];
    struct ste_buf *sql = &shard->sql;
    ste_shard_key_list(cluster, keys, sizeof(keys));
    ste_buf_clear(sql);
    ste_buf_append_cstr(sql, "INSERT INTO shard_identity (id,cluster,shard_number,shard_count,"
                             "match_key,map_epoch,schema_version) VALUES (1,");
    ste_sql_bytes(sql, ste_bytes_of(cluster->id));
    ste_buf_printf(sql, ",%u,%u,", shard->number, cluster->shard_count);
    ste_sql_bytes(sql, ste_bytes_of(keys));
    ste_buf_printf(sql, ",%u,%d)", cluster->map_epoch, STE_SCHEMA_VERSION);
    return run_buf(shard, "write shard_identity", err);
}

/* ---- rights: what is not listed is refused ---- */

static const struct {
    enum ste_db_role role;
    const char *rights, *table;
} grants[] = {
    {STE_DB_NODE, "SELECT,INSERT,UPDATE,DELETE", "trade"},
    {STE_DB_NODE, "SELECT,INSERT", "message"},
    {STE_DB_NODE, "SELECT,INSERT,UPDATE", "exception"},
    {STE_DB_NODE, "SELECT,INSERT,DELETE", "outbox"},
    {STE_DB_NODE, "SELECT", "day"},
    {STE_DB_NODE, "SELECT", "shard_identity"},
    {STE_DB_NODE, "SELECT", "schema_version"},
    {STE_DB_CHECKER, "SELECT", "trade"},
    {STE_DB_CHECKER, "SELECT", "message"},
    {STE_DB_CHECKER, "SELECT", "exception"},
    {STE_DB_CHECKER, "SELECT", "outbox"},
    {STE_DB_CHECKER, "SELECT", "day"},
    {STE_DB_CHECKER, "SELECT", "shard_identity"},
    {STE_DB_CHECKER, "SELECT", "schema_version"},
};

/* Makes the role's login where it is missing. A migrator that may not do that is no failure here:
 * the GRANT that follows fails if the login is not there. */
static enum ste_code make_user(struct ste_shard *shard, const struct ste_login *login,
                               struct ste_error *err)
{
    char secret[SECRET_BYTES];
    enum ste_code rc = ste_secret_read(login->password_file, secret, sizeof(secret), err);
    if (rc != STE_OK)
        return rc;
    struct ste_buf *sql = &shard->sql;
    ste_buf_clear(sql);
    ste_buf_append_cstr(sql, "CREATE USER IF NOT EXISTS ");
    ste_sql_bytes(sql, ste_bytes_of(login->user));
    ste_buf_append_cstr(sql, "@'%' IDENTIFIED BY ");
    ste_sql_bytes(sql, ste_bytes_of(secret));
    rc = run_buf(shard, "create a login", err);
    explicit_bzero(secret, sizeof(secret));
    if (sql->at)
        explicit_bzero(sql->at, sql->len);
    return rc == STE_E_SHARD_REFUSED ? STE_OK : rc;
}

static enum ste_code grant_rights(struct ste_shard *shard, const struct ste_cluster *cluster,
                                  struct ste_error *err)
{
    struct ste_buf *sql = &shard->sql;
    enum ste_code rc = make_user(shard, &cluster->database.users[STE_DB_NODE], err);
    if (rc == STE_OK)
        rc = make_user(shard, &cluster->database.users[STE_DB_CHECKER], err);
    for (size_t i = 0; rc == STE_OK && i < sizeof(grants) / sizeof(grants[0]); i++) {
        ste_buf_clear(sql);
        ste_buf_printf(sql, "GRANT %s ON ", grants[i].rights);
        append_name(sql, cluster->database.name);
        ste_buf_printf(sql, ".%s TO ", grants[i].table);
        ste_sql_bytes(sql, ste_bytes_of(cluster->database.users[grants[i].role].user));
        ste_buf_append_cstr(sql, "@'%'");
        rc = run_buf(shard, "grant rights", err);
    }
    return rc;
}

static enum ste_code migrate_shard(const struct ste_cluster *cluster, unsigned number,
                                   struct ste_error *err)
{
    const ste_date first = cluster->business_date - STE_DAYS_BACK;
    const ste_date last = cluster->business_date + STE_DAYS_AHEAD;
    struct ste_shard *shard = NULL;
    bool known = false;
    enum ste_code rc = ste_shard_connect(cluster, number, STE_DB_MIGRATOR, NULL, &shard, err);
    if (rc == STE_OK)
        rc = choose_database(shard, cluster->database.name, err);
    if (rc == STE_OK)
        rc = has_identity(shard, &known, err);
    if (rc == STE_OK && known)
        rc = ste_shard_check_identity(shard, cluster, err);
    if (rc == STE_OK)
        rc = make_tables(shard, first, last, err);
    if (rc == STE_OK && !known)
        rc = write_identity(shard, cluster, err);
    if (rc == STE_OK)
        rc = grant_rights(shard, cluster, err);
    if (rc == STE_OK)
        rc = ste_shard_add_days(shard, first, last, err);
    ste_shard_close(shard);
    return rc;
}

enum ste_code ste_migrate(const struct ste_cluster *cluster, struct ste_error *err)
{
    for (unsigned i = 0; i < cluster->shard_count; i++) {
        enum ste_code rc = migrate_shard(cluster, i, err);
        if (rc != STE_OK)
            return rc;
    }
    return STE_OK;
}

/* ---- check ---- */

/* A day that was closed or purged on purpose is as it should be. */
static enum ste_code check_day(struct ste_shard *shard, ste_date date, struct ste_buf *report,
                               struct ste_error *err)
{
    char text[STE_DATE_TEXT_BYTES];
    unsigned state = 0;
    ste_date_format(date, text);
    enum ste_code rc = ste_shard_day_state(shard, date, &state, err);
    if (rc == STE_OK && state == 0)
        ste_buf_printf(report, "shard %u: day %s is not open\n", shard->number, text);
    if (rc != STE_OK || state != STE_DAY_IS_OPEN)
        return rc;
    for (size_t i = 0; rc == STE_OK && i < STE_DAY_TABLE_COUNT; i++) {
        bool has = false;
        rc = ste_shard_has_partition(shard, ste_day_tables[i], date, &has, err);
        if (rc == STE_OK && !has)
            ste_buf_printf(report, "shard %u: table %s has no partition for %s\n", shard->number,
                           ste_day_tables[i], text);
    }
    return rc;
}

/* What differs, as one line; what cannot be told, as an error. */
static enum ste_code check_shard(const struct ste_cluster *cluster, unsigned number,
                                 struct ste_buf *report, struct ste_error *err)
{
    struct ste_shard *shard = NULL;
    enum ste_code rc = ste_shard_open(cluster, number, STE_DB_MIGRATOR, &shard, err);
    if (rc == STE_OK)
        rc = ste_shard_check_identity(shard, cluster, err);
    if (rc == STE_E_SHARD_IDENTITY || rc == STE_E_SHARD_SCHEMA) {
        ste_buf_printf(report, "%s\n", err->text);
        rc = STE_OK;
        goto out;
    }
    for (ste_date date = cluster->business_date - STE_DAYS_BACK;
         rc == STE_OK && date <= cluster->business_date + STE_DAYS_AHEAD; date++)
        rc = check_day(shard, date, report, err);
    if (rc == STE_OK && ste_shard_warning(shard))
        ste_buf_printf(report, "shard %u: %s\n", number, ste_shard_warning(shard));
out:
    ste_shard_close(shard);
    return rc;
}

enum ste_code ste_migrate_check(const struct ste_cluster *cluster, char **ret_report,
                                struct ste_error *err)
{
    struct ste_buf report = {0};
    enum ste_code rc = STE_OK;
    for (unsigned i = 0; rc == STE_OK && i < cluster->shard_count; i++)
        rc = check_shard(cluster, i, &report, err);
    ste_buf_u8(&report, '\0');
    if (rc == STE_OK && report.failed)
        rc = ste_error_set(err, STE_E_NOMEM, "no memory for the report");
    if (rc == STE_OK) {
        *ret_report = report.at;
        report = (struct ste_buf){0};
    }
    ste_buf_deinit(&report);
    return rc;
}
