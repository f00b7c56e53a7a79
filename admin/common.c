/* SPDX-License-Identifier: Apache-2.0 */
#include "admin/admin.h"

#include <stdio.h>

void ste_admin_complain(const char *what, const struct ste_error *err)
{
    fprintf(stderr, "ste-admin: %s: %s%s%s\n", what, err->place, err->place[0] ? ": " : "",
            err->text);
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
