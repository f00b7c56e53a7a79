/* SPDX-License-Identifier: Apache-2.0
 * YAML as a read-only tree whose nodes know their file, line and column; checks that collect every
 * fault instead of stopping at the first. Duplicate keys, aliases, anchors and tags are faults.
 * The only user of libyaml. */
#ifndef STE_CONF_TREE_H
#define STE_CONF_TREE_H

#include <stdio.h>

#include "base/bytes.h"
#include "base/error.h"

enum ste_yaml_kind { STE_NODE_SCALAR, STE_NODE_LIST, STE_NODE_MAP };
enum { STE_TREE_DEPTH_MAX = 16, STE_TREE_NODES_MAX = 200000, STE_TREE_BYTES_MAX = 16 << 20 };

struct ste_yaml {
    enum ste_yaml_kind kind;
    const char *file;
    unsigned line, column;         /* from 1 */
    const char *key;               /* in a map: this child's key, else NULL */
    unsigned key_line, key_column; /* in a map: where the key stands */
    const char *scalar;            /* STE_NODE_SCALAR: the text, else NULL */
    bool quoted;                   /* a quoted scalar is always text */
    bool refused;                  /* an alias: a fault stands already, say no more about it */
    const struct ste_yaml *child;  /* first child */
    const struct ste_yaml *next;   /* next sibling */
    size_t child_count;
};

struct ste_tree;

/* Zero-initialise, ste_faults_deinit at the end. Kept in the order of file, line and column. Past
 * STE_FAULTS_MAX the last line says that more were left out. */
enum { STE_FAULTS_MAX = 1000 };
struct ste_faults {
    char **lines; /* "cluster.yaml:42:7: shards[3].port: 70000 is above 65535" */
    size_t count, capacity;
    bool nomem; /* a fault could not be kept: ste_faults_any is true all the same */
};
void ste_faults_deinit(struct ste_faults *faults);
bool ste_faults_any(const struct ste_faults *faults);
/* `path` is the dotted place in the document, e.g. "shards[3].port", "" for the whole of it. node
 * may be NULL: then the line has no file. Control characters are shown as '?'. faults may be NULL.
 */
void ste_faults_add(struct ste_faults *faults, const struct ste_yaml *node, const char *path,
                    const char *format, ...) STE_PRINTF(4, 5);
/* One line each, sorted by file, line and column. */
void ste_faults_print(const struct ste_faults *faults, FILE *file);

/* A syntax fault is added to faults and returns STE_E_CONFIG; an unreadable file STE_E_FILE. After
 * duplicate keys (the first stands), aliases, anchors and tags the tree is given all the same, so
 * that the faults of its content can be found too: look at ste_faults_any before it is used. */
STE_MUST_CHECK enum ste_code ste_tree_load(const char *path, struct ste_faults *faults,
                                           struct ste_tree **ret, struct ste_error *err);
STE_MUST_CHECK enum ste_code ste_tree_parse(const char *name, struct ste_bytes yaml,
                                            struct ste_faults *faults, struct ste_tree **ret,
                                            struct ste_error *err);
void ste_tree_free(struct ste_tree *tree);
const struct ste_yaml *ste_tree_root(const struct ste_tree *tree);

const struct ste_yaml *ste_yaml_get(const struct ste_yaml *map, const char *key); /* or NULL */
const char *ste_yaml_scalar(const struct ste_yaml *map, const char *key);         /* or NULL */

/* The file that a text in `base_file` means: itself when absolute, else beside base_file, as an
 * absolute path. Heap; NULL when out of memory. Reads the working folder, opens nothing. */
char *ste_path_beside(const char *base_file, const char *text);

/* One row per key of a section: what it must be, and its line in docs/CONFIG.md. */
enum ste_value_type {
    STE_VALUE_TEXT,
    STE_VALUE_UINT,
    STE_VALUE_BOOL,
    STE_VALUE_DATE,
    STE_VALUE_PATH,   /* text that names a file: ste_path_beside makes it absolute */
    STE_VALUE_CHOICE, /* one of `choices`, blank-separated */
    STE_VALUE_LIST,   /* checked by its own table */
    STE_VALUE_MAP,
};
struct ste_rule_row {
    const char *key;
    enum ste_value_type type;
    bool required;
    uint64_t min, max;        /* STE_VALUE_UINT; max also: bytes of a text, 0 is 255 */
    const char *default_text; /* NULL: none; absent is not zero */
    const char *unit;         /* "s", "min", "messages/s" or NULL */
    const char *choices;
    const char *help;
};
const struct ste_rule_row *ste_rules_row(const struct ste_rule_row *rows, size_t row_count,
                                         const char *key); /* or NULL */
/* Checks one value, of a map or a list, against a row; true when it is good. faults NULL: only
 * asks. */
bool ste_value_check(const struct ste_yaml *node, const char *path, const struct ste_rule_row *row,
                     struct ste_faults *faults);
/* A section and its rows, as docs/CONFIG.md shows it. */
struct ste_rule_table {
    const char *section; /* "cluster", "shards[]" */
    const char *help;    /* sentences */
    const struct ste_rule_row *rows;
    size_t row_count;
};
/* Checks one map against its rows (unknown keys, missing ones, types, ranges). `path` is the map's
 * own, "" for the whole document. map NULL: nothing to check. */
void ste_rules_check(const struct ste_yaml *map, const char *path, const struct ste_rule_row *rows,
                     size_t row_count, struct ste_faults *faults);
/* Values of a map (NULL: all absent) that passed ste_rules_check, defaults filled in; text is
 * borrowed. Without value or default: NULL and 0. */
const char *ste_value_text(const struct ste_yaml *map, const struct ste_rule_row *rows,
                           size_t row_count, const char *key);
uint64_t ste_value_uint(const struct ste_yaml *map, const struct ste_rule_row *rows,
                        size_t row_count, const char *key);

#endif
