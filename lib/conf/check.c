/* SPDX-License-Identifier: Apache-2.0 */
#include "conf/check.h"

#include <string.h>

void ste_check_section(struct ste_checker *checker, enum ste_section_id id,
                       const struct ste_yaml *map, const char *path)
{
    ste_rules_check(map, path, ste_sections[id].rows, ste_sections[id].row_count, checker->faults);
}

const struct ste_yaml *ste_check_value(const struct ste_yaml *map, const char *key)
{
    const struct ste_yaml *node = ste_yaml_get(map, key);
    return node && node->scalar && node->scalar[0] && !node->refused ? node : NULL;
}

bool ste_check_number(enum ste_section_id id, const struct ste_yaml *map, const char *key,
                      unsigned *ret)
{
    const struct ste_yaml *node = ste_yaml_get(map, key);
    const struct ste_rule_row *row =
        ste_rules_row(ste_sections[id].rows, ste_sections[id].row_count, key);
    if (node ? !ste_value_check(node, "", row, NULL) : !row->default_text)
        return false;
    *ret = ste_section_uint(id, map, key);
    return true;
}

void ste_check_characters(struct ste_checker *checker, const struct ste_yaml *node,
                          const char *path, const char *more)
{
    static const char letters_digits[] = "abcdefghijklmnopqrstuvwxyz"
                                         "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
    for (const char *at = node ? node->scalar : ""; *at; at++) {
        if (!strchr(letters_digits, *at) && !strchr(more, *at)) {
            ste_faults_add(checker->faults, node, path, "%.60s: only letters, digits and %s",
                           node->scalar, more);
            return;
        }
    }
}

const struct ste_yaml *ste_check_list(struct ste_checker *checker, const struct ste_yaml *map,
                                      const char *key, const char *path, size_t limit)
{
    const struct ste_yaml *list = ste_yaml_get(map, key);
    if (!list || list->kind != STE_NODE_LIST)
        return NULL;
    if (list->child_count <= limit)
        return list;
    ste_faults_add(checker->faults, list, path, "%zu entries are more than %zu", list->child_count,
                   limit);
    return NULL;
}

bool ste_check_choices(struct ste_checker *checker, const struct ste_yaml *list, const char *path,
                       const char *choices)
{
    const struct ste_rule_row row = {.type = STE_VALUE_CHOICE, .choices = choices};
    char full[STE_CHECK_PATH_BYTES];
    size_t index = 0;
    bool good = true;
    if (list->child_count == 0) {
        ste_faults_add(checker->faults, list, path, "at least one of: %s", choices);
        return false;
    }
    for (const struct ste_yaml *one = list->child; one; one = one->next, index++) {
        snprintf(full, sizeof(full), "%s[%zu]", path, index);
        if (!ste_value_check(one, full, &row, checker->faults)) {
            good = false;
            continue;
        }
        for (const struct ste_yaml *other = list->child; other != one; other = other->next) {
            if (other->scalar && strcmp(other->scalar, one->scalar) == 0) {
                ste_faults_add(checker->faults, one, full, "%s stands twice", one->scalar);
                break;
            }
        }
    }
    return good;
}

bool ste_check_same(const struct ste_yaml *a, const struct ste_yaml *b, const char *key)
{
    const struct ste_yaml *left = ste_check_value(a, key), *right = ste_check_value(b, key);
    return left && right && strcmp(left->scalar, right->scalar) == 0;
}
