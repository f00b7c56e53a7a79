/* SPDX-License-Identifier: Apache-2.0
 * What the sub-commands of ste-admin share. Each has one function and one line in the table of
 * main.c. argv[0] is the sub-command's name (so that getopt_long works as usual); `--config FILE`,
 * wherever it stood on the command line, comes first: { "topology", "--config", FILE, … }.
 * The return value is the exit code. */
#ifndef STE_ADMIN_ADMIN_H
#define STE_ADMIN_ADMIN_H

#include <stdio.h>

#include "conf/cluster.h"

enum ste_admin_exit { STE_ADMIN_OK = 0, STE_ADMIN_FAILURE = 1, STE_ADMIN_USAGE = 2 };

int ste_admin_topology(int argc, char **argv);
int ste_admin_migrate(int argc, char **argv);
int ste_admin_day(int argc, char **argv);
int ste_admin_check(int argc, char **argv);

/* Reads `--config FILE`, `--help` and, where ret_check is not NULL, `--check`, then just `words`
 * further words, which start at optind. Returns -1 to go on, else the exit code: usage has been
 * printed. */
int ste_admin_options(int argc, char **argv, void (*usage)(FILE *to), int words,
                      const char **ret_config, bool *ret_check);
/* Loads the map for a sub-command; faults go to stderr. NULL: the caller ends with
 * STE_ADMIN_FAILURE. The result is the caller's, ste_cluster_free(). */
struct ste_cluster *ste_admin_load(const char *config);
/* "ste-admin: <what>: <place>: <text>" on stderr. */
void ste_admin_complain(const char *what, const struct ste_error *err);

#endif
