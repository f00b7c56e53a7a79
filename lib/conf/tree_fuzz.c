/* SPDX-License-Identifier: Apache-2.0
 * Any bytes as a document: read, then checked as a cluster map. Every node must be sound, and what
 * one reading says the next says too. */
#include <stdlib.h>
#include <string.h>

#include "conf/sections.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define HOLDS(condition)                                                                           \
    do {                                                                                           \
        if (!(condition))                                                                          \
            abort();                                                                               \
    } while (0)

static size_t walk(const struct ste_yaml *node, unsigned depth)
{
    size_t nodes = 1, children = 0;
    HOLDS(depth <= STE_TREE_DEPTH_MAX);
    HOLDS(node->line > 0 && node->column > 0 && node->file);
    HOLDS((node->kind == STE_NODE_SCALAR) == (node->scalar != NULL));
    HOLDS(node->kind != STE_NODE_SCALAR || !node->child);
    for (const struct ste_yaml *child = node->child; child; child = child->next) {
        HOLDS((node->kind == STE_NODE_MAP) == (child->key != NULL));
        if (child->key)
            HOLDS(ste_yaml_get(node, child->key) == child); /* keys are unique */
        nodes += walk(child, depth + 1);
        children++;
    }
    HOLDS(children == node->child_count);
    return nodes;
}

static struct ste_tree *read_once(struct ste_bytes text, struct ste_faults *faults)
{
    struct ste_tree *tree = NULL;
    struct ste_error err = {0};
    enum ste_code rc = ste_tree_parse("fuzz.yaml", text, faults, &tree, &err);
    HOLDS(rc == STE_OK || rc == STE_E_CONFIG);
    HOLDS((rc == STE_OK) == (tree != NULL));
    HOLDS(rc == STE_OK || ste_faults_any(faults));
    if (tree)
        ste_cluster_check(ste_tree_root(tree), faults);
    for (size_t i = 0; i < faults->count; i++)
        HOLDS(!strpbrk(faults->lines[i], "\r\n"));
    return tree;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ste_bytes text = {(const char *)data, size};
    struct ste_faults first = {0}, second = {0};
    struct ste_tree *tree = read_once(text, &first), *again = read_once(text, &second);
    HOLDS(!tree == !again);
    HOLDS(first.count == second.count);
    for (size_t i = 0; i < first.count; i++)
        HOLDS(strcmp(first.lines[i], second.lines[i]) == 0);
    if (tree)
        HOLDS(walk(ste_tree_root(tree), 0) == walk(ste_tree_root(again), 0));
    ste_tree_free(tree);
    ste_tree_free(again);
    ste_faults_deinit(&first);
    ste_faults_deinit(&second);
    return 0;
}
