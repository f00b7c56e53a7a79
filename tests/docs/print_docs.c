/* SPDX-License-Identifier: Apache-2.0
 * ste-print-docs config|errors: docs/CONFIG.md and docs/ERRORS.md, from the tables that the code
 * runs on, so that page and code cannot differ. */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "conf/cluster.h"
#include "ref/conditions.h"
#include "ref/ref.h"

/* A cell of a table: a bar would end it. */
static void put_cell(const char *text)
{
    for (; *text; text++) {
        if (*text == '|')
            putchar('\\');
        putchar(*text);
    }
}

static void put_uint_range(const struct ste_rule_row *row)
{
    printf("number %llu–%llu", (unsigned long long)row->min, (unsigned long long)row->max);
    if (row->unit)
        printf(", %s", row->unit);
}

static void put_type(const struct ste_rule_row *row)
{
    switch (row->type) {
    case STE_VALUE_UINT:
        put_uint_range(row);
        return;
    case STE_VALUE_TEXT:
        printf(row->max ? "text, up to %llu bytes" : "text", (unsigned long long)row->max);
        break;
    case STE_VALUE_BOOL:
        printf("`true` or `false`");
        break;
    case STE_VALUE_DATE:
        printf("date `YYYY-MM-DD`");
        break;
    case STE_VALUE_PATH:
        printf("path");
        break;
    case STE_VALUE_CHOICE:
        printf("one of ");
        for (const char *at = row->choices; *at; at++)
            printf(*at == ' ' ? ", " : "%c", *at);
        break;
    case STE_VALUE_LIST:
        printf("list");
        break;
    case STE_VALUE_MAP:
        printf("map");
        break;
    }
    if (row->unit)
        printf(", %s", row->unit);
}

static void put_table(const struct ste_rule_table *table)
{
    if (table->section[0] != '\0')
        printf("\n## %s\n\n", table->section);
    else
        printf("\n## The map\n\n");
    if (table->help[0] != '\0')
        printf("%s\n\n", table->help);
    printf("| key | value | default | |\n|---|---|---|---|\n");
    for (size_t i = 0; i < table->row_count; i++) {
        const struct ste_rule_row *row = &table->rows[i];
        printf("| `%s` | ", row->key);
        put_type(row);
        printf(" | ");
        if (row->required)
            printf("**required**");
        else if (row->default_text)
            printf("`%s`", row->default_text);
        printf(" | ");
        put_cell(row->help);
        printf(" |\n");
    }
}

static const char *level_name(enum ste_level level)
{
    switch (level) {
    case STE_LEVEL_OFF:
        return "off";
    case STE_LEVEL_WARN:
        return "warn";
    case STE_LEVEL_REJECT:
        return "reject";
    }
    return "?";
}

static void put_profile_names(void)
{
    printf("\n## Names in profiles[].conditions\n\n| element | condition | compared, unless the "
           "profile says otherwise |\n|---|---|---|\n");
    for (unsigned id = 1; id < STE_CONDITION_COUNT; id++) {
        const struct ste_condition *condition = &ste_conditions[id];
        printf("| `%s` | %u, %s | %s |\n", condition->element, id,
               ste_msg_code_name(condition->code), condition->rule);
    }
    printf("\n## Names in profiles[].checks\n\n| check | default | |\n|---|---|---|\n");
#define X(id, name, level, help)                                                                   \
    printf("| `%s` | `%s` | ", name, level_name(level));                                           \
    put_cell(help);                                                                                \
    printf(" |\n");
#include "ref/checks.def"
#undef X
}

static void put_config(void)
{
    size_t count = 0;
    printf("<!-- Printed by `ste-print-docs config` from lib/conf/sections.c and lib/ref: do not "
           "edit. "
           "-->\n"
           "# Configuration\n\n"
           "Every program reads one cluster map, `--config cluster.yaml`; `cluster.example.yaml` "
           "beside this page is a whole\none. `--check-config` shows every fault at once, one a "
           "line, in the order of the file:\n\n"
           "    cluster.yaml:42:7: shards[3].port: 70000 is above 65535\n\n"
           "Paths are relative to the folder of the file they stand in. Unknown and repeated keys, "
           "anchors, aliases and tags are\nfaults; numbers stand without quotes. Secrets stand in "
           "files of their own, never here.\n");
    const struct ste_rule_table *tables = ste_cluster_rules(&count);
    for (size_t i = 0; i < count; i++)
        put_table(&tables[i]);
    tables = ste_ref_rules(&count);
    for (size_t i = 0; i < count; i++)
        put_table(&tables[i]);
    put_profile_names();
}

static void put_errors(void)
{
    printf("<!-- Printed by `ste-print-docs errors` from lib/base/errors.def and "
           "lib/msg/codes.def: do "
           "not edit. -->\n"
           "# Errors\n\n"
           "## Technical failures\n\n"
           "What a library returns and a program logs (`code=`). The class says what happens next: "
           "*retry* is the outside world,\nthe same is done again later; *reject* is this input, "
           "which is set aside; *stop* ends the process, a person must act.\n\n"
           "| code | class | |\n|---|---|---|\n");
    for (int code = 1; code < STE_CODE_COUNT; code++) {
        printf("| `%s` | %s | ", ste_code_name((enum ste_code)code),
               ste_class_name(ste_code_class((enum ste_code)code)));
        put_cell(ste_code_text((enum ste_code)code));
        printf(" |\n");
    }
    printf("\n## Codes in answers\n\n"
           "What a trade message does wrong is an answer, not a failure: these stand in ACK, REJ, "
           "EXC and NMA.\nMESSAGES.md says when each is given.\n\n"
           "| code | |\n|---|---|\n");
#define X(name, text)                                                                              \
    printf("| `" #name "` | ");                                                                    \
    put_cell(text);                                                                                \
    printf(" |\n");
#include "msg/codes.def"
#undef X
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "config") == 0) {
        put_config();
    } else if (argc == 2 && strcmp(argv[1], "errors") == 0) {
        put_errors();
    } else {
        fprintf(stderr, "usage: ste-print-docs config|errors\n");
        return 2;
    }
    return fflush(stdout) == 0 && !ferror(stdout) ? 0 : 1;
}
