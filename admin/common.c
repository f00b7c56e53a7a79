/* SPDX-License-Identifier: Apache-2.0 */
#include "admin/admin.h"

#include <getopt.h>
#include <stdio.h>

void ste_admin_complain(const char *what, const struct ste_error *err)
{
    fprintf(stderr, "ste-admin: %s: %s%s%s\n", what, err->place, err->place[0] ? ": " : "",
            err->text);
}

int ste_admin_options(int argc, char **argv, void (*usage)(FILE *to), int words,
                      const char **ret_config, bool *ret_check)
{
    static const struct option options[] = {{"config", required_argument, NULL, 'c'},
                                            {"check", no_argument, NULL, 'k'},
                                            {"help", no_argument, NULL, 'h'},
                                            {NULL, 0, NULL, 0}};
    for (int c; (c = getopt_long(argc, argv, "", options, NULL)) != -1;) {
        if (c == 'c') {
            *ret_config = optarg;
        } else if (c == 'k' && ret_check) {
            *ret_check = true;
        } else {
            usage(c == 'h' ? stdout : stderr);
            return c == 'h' ? STE_ADMIN_OK : STE_ADMIN_USAGE;
        }
    }
    if (*ret_config && argc - optind == words)
        return -1;
    usage(stderr);
    return STE_ADMIN_USAGE;
}

struct ste_cluster *ste_admin_load(const char *config)
{
    struct ste_faults faults = {0};
    struct ste_cluster *cluster = NULL;
    struct ste_error err = {0};

    if (ste_cluster_load(config, &faults, &cluster, &err) != STE_OK) {
        ste_faults_print(&faults, stderr);
        if (faults.count == 0)
            ste_admin_complain("could not read the cluster map", &err);
    }
    ste_faults_deinit(&faults);
    return cluster;
}
