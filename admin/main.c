/* SPDX-License-Identifier: Apache-2.0
 * ste-admin: one sub-command a line of the table below. */
#include "admin/admin.h"

#include <stdio.h>
#include <string.h>

struct command {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *help;
};

static const struct command commands[] = {
    {"topology", ste_admin_topology, "make exchanges, queues, policies, users and rights"},
    {"migrate", ste_admin_migrate, "make schema, identity, rights and open days on every shard"},
    {"day", ste_admin_day, "open, close or purge a trade date on every shard"},
    {"check", ste_admin_check, "compare ledgers with every row of every shard"},
};

enum { ARGUMENTS_MAX = 64 };

static void usage(FILE *to)
{
    fprintf(to, "Usage: ste-admin --config FILE COMMAND [OPTION]…\n"
                "       ste-admin --help | --version\n"
                "Commands (each has its own --help, with its exit status):\n");
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        fprintf(to, "  %-10s %s\n", commands[i].name, commands[i].help);
}

static const struct command *find(const char *name)
{
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        if (strcmp(commands[i].name, name) == 0)
            return &commands[i];
    return NULL;
}

/* Takes `--config FILE` or `--config=FILE` at argv[*at]; false when it is something else. */
static bool take_config(int argc, char **argv, int *at, char **ret)
{
    static const char with_file[] = "--config=";
    const size_t len = sizeof(with_file) - 1;
    if (strncmp(argv[*at], with_file, len) == 0)
        *ret = argv[*at] + len;
    else if (strcmp(argv[*at], "--config") == 0 && *at + 1 < argc)
        *ret = argv[++*at];
    else
        return false;
    return true;
}

int main(int argc, char **argv)
{
    char config_option[] = "--config"; /* argv is not const */
    const struct command *command = NULL;
    char *rest[ARGUMENTS_MAX + 1] = {NULL, config_option, NULL};
    int count = 3;

    for (int i = 1; i < argc; i++) {
        if (take_config(argc, argv, &i, &rest[2]))
            continue;
        if (!command && strcmp(argv[i], "--help") == 0) {
            usage(stdout);
            return STE_ADMIN_OK;
        } else if (!command && strcmp(argv[i], "--version") == 0) {
            printf("ste-admin %s\n", STE_VERSION);
            return STE_ADMIN_OK;
        } else if (!command) {
            command = find(argv[i]);
            if (!command) {
                fprintf(stderr, "ste-admin: unknown command or option %s\n", argv[i]);
                usage(stderr);
                return STE_ADMIN_USAGE;
            }
            rest[0] = argv[i];
        } else if (count < ARGUMENTS_MAX) {
            rest[count++] = argv[i];
        } else {
            fprintf(stderr, "ste-admin: more than %d arguments\n", ARGUMENTS_MAX);
            return STE_ADMIN_USAGE;
        }
    }
    if (!command) {
        usage(stderr);
        return STE_ADMIN_USAGE;
    }
    if (!rest[2]) { /* no map named: the sub-command says so, unless it is asked for its help */
        memmove(&rest[1], &rest[3], sizeof rest - 3 * sizeof *rest);
        count -= 2;
    }
    rest[count] = NULL;
    return command->run(count, rest);
}
