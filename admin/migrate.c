/* SPDX-License-Identifier: Apache-2.0
 * ste-admin migrate: makes, or with --check compares, what every shard holds. */
#include <stdio.h>
#include <stdlib.h>

#include "admin/admin.h"
#include "dbshard/migrate.h"

static void usage(FILE *to)
{
    fprintf(
        to,
        "Usage: ste-admin --config FILE migrate [--check]\n"
        "Makes database, tables, identity, rights and open days (business date -30 to +7) on\n"
        "every shard; safe to repeat. A shard that is another one is left as it is.\n"
        "  --check  change nothing; print each difference\n"
        "The map's database.users.migrator owns the schema: it needs all rights on the\n"
        "database with GRANT OPTION, and CREATE USER unless the other logins exist.\n"
        "Exit status: 0 done, or nothing differs; 1 failed, or something differs; 2 wrong usage\n");
}

static int run(const struct ste_cluster *cluster, bool check)
{
    struct ste_error err = {0};
    char *report = NULL;
    enum ste_code rc =
        check ? ste_migrate_check(cluster, &report, &err) : ste_migrate(cluster, &err);
    const bool differs = report && report[0];
    if (rc != STE_OK)
        ste_admin_complain(check ? "could not compare the schema" : "could not migrate", &err);
    else if (differs)
        fputs(report, stdout);
    else
        printf("%u shards, schema version %d: %s\n", cluster->shard_count, STE_SCHEMA_VERSION,
               check ? "as they should be" : "migrated");
    free(report);
    return rc == STE_OK && !differs ? STE_ADMIN_OK : STE_ADMIN_FAILURE;
}

int ste_admin_migrate(int argc, char **argv)
{
    const char *config = NULL;
    bool check = false;
    int code = ste_admin_options(argc, argv, usage, 0, &config, &check);
    if (code >= 0)
        return code;
    struct ste_cluster *cluster = ste_admin_load(config);
    if (!cluster)
        return STE_ADMIN_FAILURE;
    code = run(cluster, check);
    ste_cluster_free(cluster);
    return code;
}
