/* SPDX-License-Identifier: Apache-2.0
 * ste-admin topology: makes, or with --check compares, what the broker holds. */
#include "admin/admin.h"

#include <stdio.h>
#include <stdlib.h>

#include "mq/library.h"
#include "mq/topology.h"
#include "ref/ref.h"

static void usage(FILE *to)
{
    fprintf(
        to,
        "Usage: ste-admin --config FILE topology [--check]\n"
        "Makes the exchanges, queues, policies, users and rights that the map needs, and\n"
        "corrects those that differ; safe to repeat. A line tells each thing made.\n"
        "  --check  change nothing; print each difference\n"
        "The map's broker.users.admin must exist and have the tag administrator.\n"
        "Exit status: 0 done, or nothing differs; 1 failed, or something differs; 2 wrong usage\n");
}

/* What lib/ref knows of the participants, as lib/mq takes it; NULL when out of memory. An inactive
 * participant keeps its reply queue and gets no user. */
static struct ste_topology_participant *convert(const struct ste_participant *participants,
                                                size_t count)
{
    struct ste_topology_participant *list = calloc(count + 1, sizeof *list);
    for (size_t i = 0; list && i < count; i++) {
        snprintf(list[i].bic8, sizeof list[i].bic8, "%s", participants[i].bic8);
        list[i].hub = participants[i].sends_for_all;
        if (participants[i].active)
            list[i].password_file = participants[i].broker_password_file;
    }
    return list;
}

static int run(const struct ste_cluster *cluster, const struct ste_ref *ref, bool check)
{
    struct ste_error err = {0};
    char *report = NULL;
    const struct ste_participant *participants = NULL;
    size_t count = ste_ref_participants(ref, &participants);
    struct ste_topology_participant *list = convert(participants, count);
    if (!list) {
        fprintf(stderr, "ste-admin: out of memory\n");
        return STE_ADMIN_FAILURE;
    }
    enum ste_code rc = check ? ste_topology_check(cluster, list, count, &report, &err)
                             : ste_topology_apply(cluster, list, count, &report, &err);
    if (report)
        fputs(report, stdout);
    bool differs = check && report && report[0];
    free(report);
    free(list);
    if (rc != STE_OK)
        ste_admin_complain(check ? "could not compare the topology" : "could not make the topology",
                           &err);
    return rc == STE_OK && !differs ? STE_ADMIN_OK : STE_ADMIN_FAILURE;
}

static int load_and_run(const char *config, bool check)
{
    struct ste_faults faults = {0};
    struct ste_error err = {0};
    struct ste_ref *ref = NULL;
    char warning[256];
    int exit_code = STE_ADMIN_FAILURE;
    struct ste_cluster *cluster = ste_admin_load(config);
    if (!cluster)
        return STE_ADMIN_FAILURE;
    if (ste_mq_library_warning(warning, sizeof warning))
        fprintf(stderr, "ste-admin: warning: %s\n", warning);
    if (ste_ref_load(cluster, &faults, &ref, &err) == STE_OK) {
        exit_code = run(cluster, ref, check);
    } else {
        ste_faults_print(&faults, stderr);
        if (faults.count == 0)
            ste_admin_complain("could not read the reference data", &err);
    }
    ste_faults_deinit(&faults);
    ste_ref_free(ref);
    ste_cluster_free(cluster);
    return exit_code;
}

int ste_admin_topology(int argc, char **argv)
{
    const char *config = NULL;
    bool check = false;
    int code = ste_admin_options(argc, argv, usage, 0, &config, &check);
    if (code >= 0)
        return code;
    return load_and_run(config, check);
}
