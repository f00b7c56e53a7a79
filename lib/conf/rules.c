/* SPDX-License-Identifier: Apache-2.0 */
#include "conf/tree.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/date.h"

enum { PATH_BYTES = 512, TEXT_BYTES_MAX = 255 };

const struct ste_rule_row *ste_rules_row(const struct ste_rule_row *rows, size_t row_count,
                                         const char *key)
{
    for (size_t i = 0; i < row_count; i++) {
        if (strcmp(rows[i].key, key) == 0)
            return &rows[i];
    }
    return NULL;
}

static const char *join(char *out, const char *path, const char *key)
{
    snprintf(out, PATH_BYTES, "%s%s%s", path, path[0] ? "." : "", key);
    return out;
}

/* One of the blank-separated words. */
static bool is_choice(const char *choices, const char *text)
{
    size_t len = strlen(text);
    for (const char *at = choices; at; at = strchr(at, ' ')) {
        at += *at == ' ';
        if (len && !strchr(text, ' ') && strncmp(at, text, len) == 0 &&
            (at[len] == ' ' || at[len] == '\0'))
            return true;
    }
    return false;
}

/* Adds a fault and says no, so that a check ends in one line. */
#define BAD(node, path, faults, ...) (ste_faults_add((faults), (node), (path), __VA_ARGS__), false)

static bool check_uint(const struct ste_yaml *node, const char *path,
                       const struct ste_rule_row *row, struct ste_faults *faults)
{
    uint64_t value = 0;
    if (node->quoted)
        return BAD(node, path, faults, "a number is wanted: take the quotes off");
    if (!ste_bytes_u64(ste_bytes_of(node->scalar), &value))
        return BAD(node, path, faults, "%.60s is not a whole number", node->scalar);
    if (value < row->min)
        return BAD(node, path, faults, "%llu is below %llu", (unsigned long long)value,
                   (unsigned long long)row->min);
    if (value > row->max)
        return BAD(node, path, faults, "%llu is above %llu", (unsigned long long)value,
                   (unsigned long long)row->max);
    return true;
}

static bool check_text(const struct ste_yaml *node, const char *path,
                       const struct ste_rule_row *row, struct ste_faults *faults)
{
    size_t limit = row->max ? (size_t)row->max : TEXT_BYTES_MAX;
    size_t len = strlen(node->scalar);
    if (len > limit)
        return BAD(node, path, faults, "%zu bytes are more than %zu", len, limit);
    for (const char *at = node->scalar; *at; at++) {
        if ((unsigned char)*at < 0x20 || *at == 0x7f)
            return BAD(node, path, faults, "holds a control character");
    }
    return true;
}

static bool check_scalar(const struct ste_yaml *node, const char *path,
                         const struct ste_rule_row *row, struct ste_faults *faults)
{
    ste_date date;
    if (node->kind != STE_NODE_SCALAR)
        return BAD(node, path, faults, "a single value is wanted, not a %s",
                   node->kind == STE_NODE_LIST ? "list" : "map");
    if (node->scalar[0] == '\0')
        return BAD(node, path, faults, "is empty");
    switch (row->type) {
    case STE_VALUE_UINT:
        return check_uint(node, path, row, faults);
    case STE_VALUE_BOOL:
        if (!node->quoted && is_choice("true false", node->scalar))
            return true;
        return BAD(node, path, faults, "%.60s is not true or false", node->scalar);
    case STE_VALUE_DATE:
        if (ste_date_parse(ste_bytes_of(node->scalar), &date))
            return true;
        return BAD(node, path, faults, "%.60s is not a date YYYY-MM-DD", node->scalar);
    case STE_VALUE_CHOICE:
        if (is_choice(row->choices, node->scalar))
            return true;
        return BAD(node, path, faults, "%.60s is not one of: %s", node->scalar, row->choices);
    default:
        return check_text(node, path, row, faults);
    }
}

bool ste_value_check(const struct ste_yaml *node, const char *path, const struct ste_rule_row *row,
                     struct ste_faults *faults)
{
    if (node->refused)
        return false;
    if (row->type == STE_VALUE_LIST)
        return node->kind == STE_NODE_LIST || BAD(node, path, faults, "a list is wanted");
    if (row->type == STE_VALUE_MAP)
        return node->kind == STE_NODE_MAP || BAD(node, path, faults, "a map is wanted");
    return check_scalar(node, path, row, faults);
}

static void unknown_key(const struct ste_yaml *node, const char *path,
                        const struct ste_rule_row *rows, size_t row_count,
                        struct ste_faults *faults)
{
    struct ste_yaml place = *node;
    struct ste_buf known = {0};
    place.line = node->key_line;
    place.column = node->key_column;
    for (size_t i = 0; i < row_count; i++)
        ste_buf_printf(&known, "%s%s", i ? ", " : "", rows[i].key);
    struct ste_bytes text = ste_buf_bytes(&known);
    ste_faults_add(faults, &place, path, "unknown key (known: %.*s)", (int)text.len, text.at);
    ste_buf_deinit(&known);
}

void ste_rules_check(const struct ste_yaml *map, const char *path, const struct ste_rule_row *rows,
                     size_t row_count, struct ste_faults *faults)
{
    char full[PATH_BYTES];
    if (!map || map->refused)
        return;
    if (map->kind != STE_NODE_MAP) {
        ste_faults_add(faults, map, path, "a map is wanted");
        return;
    }
    for (const struct ste_yaml *child = map->child; child; child = child->next) {
        const struct ste_rule_row *row = ste_rules_row(rows, row_count, child->key);
        join(full, path, child->key);
        if (row)
            (void)ste_value_check(child, full, row, faults);
        else
            unknown_key(child, full, rows, row_count, faults);
    }
    for (size_t i = 0; i < row_count; i++) {
        if (rows[i].required && !ste_yaml_get(map, rows[i].key))
            ste_faults_add(faults, map, join(full, path, rows[i].key), "is missing");
    }
}

const char *ste_value_text(const struct ste_yaml *map, const struct ste_rule_row *rows,
                           size_t row_count, const char *key)
{
    const struct ste_rule_row *row = ste_rules_row(rows, row_count, key);
    const char *text = ste_yaml_scalar(map, key);
    assert(row); /* the caller names a key of its own table */
    return text ? text : row ? row->default_text : NULL;
}

uint64_t ste_value_uint(const struct ste_yaml *map, const struct ste_rule_row *rows,
                        size_t row_count, const char *key)
{
    uint64_t value = 0;
    const char *text = ste_value_text(map, rows, row_count, key);
    return text && ste_bytes_u64(ste_bytes_of(text), &value) ? value : 0;
}
