/* SPDX-License-Identifier: Apache-2.0
 * ste-admin day: opens, closes or purges one trade date on every shard. */
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "admin/admin.h"
#include "dbshard/migrate.h"

static void usage(FILE *to)
{
    fprintf(to, "Usage: ste-admin --config FILE day open|close|purge YYYY-MM-DD\n"
                "  open   takes messages of that trade date (again)\n"
                "  close  refuses them from now on; what is stored stays\n"
                "  purge  closes, then drops the day's trades, messages and exceptions for good\n"
                "Exit status: 0 done on every shard; 1 failed; 2 wrong usage\n");
}

static bool action_of(const char *name, enum ste_day_action *ret)
{
    static const char *const names[] = {
        [STE_DAY_OPEN] = "open", [STE_DAY_CLOSE] = "close", [STE_DAY_PURGE] = "purge"};
    for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (strcmp(name, names[i]) == 0) {
            *ret = (enum ste_day_action)i;
            return true;
        }
    }
    return false;
}

int ste_admin_day(int argc, char **argv)
{
    const char *config = NULL;
    enum ste_day_action action = STE_DAY_OPEN;
    struct ste_error err = {0};
    ste_date date = STE_DATE_NONE;
    int code = ste_admin_options(argc, argv, usage, 2, &config, NULL);
    if (code >= 0)
        return code;
    if (!action_of(argv[optind], &action) ||
        !ste_date_parse(ste_bytes_of(argv[optind + 1]), &date)) {
        usage(stderr);
        return STE_ADMIN_USAGE;
    }
    struct ste_cluster *cluster = ste_admin_load(config);
    if (!cluster)
        return STE_ADMIN_FAILURE;
    enum ste_code rc = ste_day_change(cluster, action, date, &err);
    if (rc != STE_OK)
        ste_admin_complain("could not change the day", &err);
    ste_cluster_free(cluster);
    return rc == STE_OK ? STE_ADMIN_OK : STE_ADMIN_FAILURE;
}
