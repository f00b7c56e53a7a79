/* SPDX-License-Identifier: Apache-2.0 */
#include "dbshard/shard_lab.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dbshard/internal.h"
#include "dbshard/migrate.h"

static enum ste_code write_secret(const char *file, struct ste_error *err)
{
    FILE *out = fopen(file, "w");
    if (!out)
        return ste_error_set(err, STE_E_FILE, "could not write %s", file);
    fputs("only-for-this-test\n", out);
    if (fclose(out) != 0)
        return ste_error_set(err, STE_E_FILE, "could not write %s", file);
    return STE_OK;
}

static void make_map(struct ste_shard_lab *lab, const char *const *sockets, unsigned count,
                     ste_date business_date)
{
    const char *user = getenv("STE_TEST_SHARD_USER");
    const char *password_file = getenv("STE_TEST_SHARD_PASSWORD_FILE");
    struct ste_cluster *cluster = &lab->cluster;
    snprintf(lab->database, sizeof(lab->database), "ste_test_%d", (int)getpid());
    snprintf(lab->node_user, sizeof(lab->node_user), "ste_node_%d", (int)getpid());
    snprintf(lab->checker_user, sizeof(lab->checker_user), "ste_checker_%d", (int)getpid());
    snprintf(lab->secret_file, sizeof(lab->secret_file), "%s/secret", lab->folder);
    *cluster = (struct ste_cluster){.id = "shard-lab",
                                    .shard_count = count,
                                    .match_key = {"TradeReference"},
                                    .match_key_count = 1,
                                    .business_date = business_date,
                                    .map_epoch = 1};
    cluster->database.name = lab->database;
    cluster->database.users[STE_DB_NODE] = (struct ste_login){lab->node_user, lab->secret_file};
    cluster->database.users[STE_DB_CHECKER] =
        (struct ste_login){lab->checker_user, lab->secret_file};
    cluster->database.users[STE_DB_MIGRATOR] =
        (struct ste_login){user ? user : "root", password_file ? password_file : lab->secret_file};
    for (unsigned i = 0; i < count; i++)
        cluster->shards[i] =
            (struct ste_shard_conf){.number = i, .host = "localhost", .socket = sockets[i]};
}

enum ste_code ste_shard_lab_init(struct ste_shard_lab *lab, const char *const *sockets,
                                 unsigned count, ste_date business_date, struct ste_error *err)
{
    *lab = (struct ste_shard_lab){0};
    snprintf(lab->folder, sizeof(lab->folder), "%s/ste-shard-lab-XXXXXX", P_tmpdir);
    if (!mkdtemp(lab->folder))
        return ste_error_set(err, STE_E_FILE, "could not make a temporary folder");
    make_map(lab, sockets, count, business_date);
    enum ste_code rc = write_secret(lab->secret_file, err);
    if (rc == STE_OK)
        rc = ste_migrate(&lab->cluster, err);
    if (rc != STE_OK)
        ste_shard_lab_deinit(lab);
    return rc;
}

void ste_shard_lab_deinit(struct ste_shard_lab *lab)
{
    char sql[3][96];
    struct ste_error err = {0};
    snprintf(sql[0], sizeof(sql[0]), "DROP DATABASE IF EXISTS %s", lab->database);
    snprintf(sql[1], sizeof(sql[1]), "DROP USER IF EXISTS %s", lab->node_user);
    snprintf(sql[2], sizeof(sql[2]), "DROP USER IF EXISTS %s", lab->checker_user);
    for (unsigned i = 0; i < lab->cluster.shard_count; i++) {
        struct ste_shard *shard = NULL;
        enum ste_code rc = ste_shard_connect(&lab->cluster, i, STE_DB_MIGRATOR, NULL, &shard, &err);
        for (size_t k = 0; rc == STE_OK && k < 3; k++)
            rc = ste_shard_run(shard, ste_bytes_of(sql[k]), "clean up", &err);
        if (rc != STE_OK)
            fprintf(stderr, "%s\n", err.text);
        ste_shard_close(shard);
    }
    unlink(lab->secret_file);
    rmdir(lab->folder);
}
