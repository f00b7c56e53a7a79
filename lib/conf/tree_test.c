/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/tree.h"

/* Parses `yaml` as "t.yaml" and asserts the faults, one a line. NULL where no tree is given. */
static struct ste_tree *parse(struct ste_bytes yaml, const char *expected_faults)
{
    struct ste_faults faults = {0};
    struct ste_tree *tree = NULL;
    struct ste_error err = {0};
    struct ste_buf lines = {0};
    enum ste_code rc = ste_tree_parse("t.yaml", yaml, &faults, &tree, &err);
    for (size_t i = 0; i < faults.count; i++)
        ste_buf_printf(&lines, "%s\n", faults.lines[i]);
    ste_buf_u8(&lines, '\0');
    assert_string_equal(lines.at, expected_faults);
    assert_int_equal(rc, tree ? STE_OK : STE_E_CONFIG);
    ste_buf_deinit(&lines);
    ste_faults_deinit(&faults);
    return tree;
}

static void assert_broken(struct ste_bytes yaml, const char *expected_faults)
{
    assert_null(parse(yaml, expected_faults));
}

static void nodes_know_their_place(void **state)
{
    (void)state;
    struct ste_tree *tree = parse(STE_BYTES("# comment\n"
                                            "shards:\n"
                                            "  - { number: 0, port: '3306' }\n"
                                            "  - number: 1\n"
                                            "empty:\n"
                                            "text: |\n"
                                            "  two\n"
                                            "  lines\n"),
                                  "");
    const struct ste_yaml *root = ste_tree_root(tree), *shards = ste_yaml_get(root, "shards");
    assert_int_equal(root->kind, STE_NODE_MAP);
    assert_int_equal(root->child_count, 3);
    assert_int_equal(shards->kind, STE_NODE_LIST);
    assert_int_equal(shards->key_line, 2);
    assert_int_equal(shards->key_column, 1);
    assert_int_equal(shards->line, 3);
    assert_int_equal(shards->column, 3);
    assert_null(shards->scalar);
    const struct ste_yaml *port = ste_yaml_get(shards->child, "port");
    assert_string_equal(port->scalar, "3306");
    assert_true(port->quoted);
    assert_string_equal(port->file, "t.yaml");
    assert_int_equal(port->line, 3);
    assert_int_equal(port->column, 24);
    assert_int_equal(port->key_column, 18);
    assert_false(ste_yaml_get(shards->child, "number")->quoted);
    assert_string_equal(ste_yaml_scalar(shards->child->next, "number"), "1");
    assert_null(shards->child->next->next);
    assert_string_equal(ste_yaml_scalar(root, "empty"), "");
    assert_string_equal(ste_yaml_scalar(root, "text"), "two\nlines\n");
    assert_null(ste_yaml_scalar(root, "shards"));
    assert_null(ste_yaml_get(root, "other"));
    assert_null(ste_yaml_get(shards, "number"));
    assert_null(ste_yaml_get(NULL, "number"));
    ste_tree_free(tree);
    ste_tree_free(NULL);
}

static void columns_count_characters(void **state)
{
    (void)state;
    struct ste_tree *tree = parse(STE_BYTES("{\xe4\xba\xa4\xe6\x98\x93: x, b: y}\n"), "");
    assert_int_equal(ste_yaml_get(ste_tree_root(tree), "b")->column, 12);
    ste_tree_free(tree);
}

static void duplicate_keys_are_faults_and_the_first_stands(void **state)
{
    (void)state;
    struct ste_tree *tree = parse(STE_BYTES("a: 1\n"
                                            "list:\n"
                                            "  - x: 1\n"
                                            "  - { b: 1, c: 2, b: 3, b: 4 }\n"
                                            "a: 2\n"),
                                  "t.yaml:4:19: list[1].b: duplicate key, first on line 4\n"
                                  "t.yaml:4:25: list[1].b: duplicate key, first on line 4\n"
                                  "t.yaml:5:1: a: duplicate key, first on line 1\n");
    const struct ste_yaml *root = ste_tree_root(tree), *list = ste_yaml_get(root, "list");
    assert_int_equal(root->child_count, 2);
    assert_string_equal(ste_yaml_scalar(root, "a"), "1");
    assert_int_equal(list->child->next->child_count, 2);
    assert_string_equal(ste_yaml_scalar(list->child->next, "b"), "1");
    assert_string_equal(ste_yaml_scalar(list->child->next, "c"), "2");
    ste_tree_free(tree);
}

static void anchors_aliases_and_tags_are_faults(void **state)
{
    (void)state;
    struct ste_tree *tree = parse(STE_BYTES("a: &x 1\n"
                                            "b: *x\n"
                                            "c: !!int 5\n"
                                            "d: &y [1]\n"
                                            "e: !m { f: [*y] }\n"),
                                  "t.yaml:1:4: a: anchors are not taken: &x\n"
                                  "t.yaml:2:4: b: aliases are not taken: *x\n"
                                  "t.yaml:3:4: c: tags are not taken: tag:yaml.org,2002:int\n"
                                  "t.yaml:4:4: d: anchors are not taken: &y\n"
                                  "t.yaml:5:4: e: tags are not taken: !m\n"
                                  "t.yaml:5:13: e.f[0]: aliases are not taken: *y\n");
    assert_true(ste_yaml_get(ste_tree_root(tree), "b")->refused);
    assert_false(ste_yaml_get(ste_tree_root(tree), "a")->refused);
    ste_tree_free(tree);
}

/* The bomb of ten aliases of ten aliases never unfolds. */
static void aliases_do_not_explode(void **state)
{
    (void)state;
    struct ste_faults faults = {0};
    struct ste_tree *tree = NULL;
    struct ste_error err;
    struct ste_buf yaml = {0};
    ste_buf_printf(&yaml, "a0: &a0 x\n");
    for (int i = 1; i < 12; i++)
        ste_buf_printf(&yaml, "a%d: &a%d [*a%d, *a%d, *a%d, *a%d]\n", i, i, i - 1, i - 1, i - 1,
                       i - 1);
    assert_int_equal(ste_tree_parse("t.yaml", ste_buf_bytes(&yaml), &faults, &tree, &err), STE_OK);
    assert_int_equal(faults.count, 12 + 11 * 4);
    ste_tree_free(tree);
    ste_buf_deinit(&yaml);
    ste_faults_deinit(&faults);
}

static void a_broken_shape_is_one_fault(void **state)
{
    (void)state;
    assert_broken(STE_BYTES(""), "t.yaml:1:1: the document is empty\n");
    assert_broken(STE_BYTES("# only a comment\n"), "t.yaml:1:1: the document is empty\n");
    assert_broken(ste_bytes_of(NULL), "t.yaml:1:1: the document is empty\n");
    assert_broken(STE_BYTES("a: 1\n---\nb: 2\n"), "t.yaml:2:1: a second document\n");
    assert_broken(STE_BYTES("a: 1\n? [x]\n: 2\n"), "t.yaml:2:3: a list or map as key\n");
    assert_broken(STE_BYTES("a: &x 1\n*x : 2\n"), "t.yaml:1:4: a: anchors are not taken: &x\n"
                                                  "t.yaml:2:1: an alias as key\n");
    assert_broken(STE_BYTES("a: \"x\\0y\"\n"), "t.yaml:1:4: a: a NUL character\n");
    assert_broken(STE_BYTES("a: 1\n b: 2\n"),
                  "t.yaml:2:3: syntax: mapping values are not allowed in this context\n");
    assert_broken(STE_BYTES("a: [1, 2\n"), "t.yaml:2:1: syntax: did not find expected ',' or ']' "
                                           "while parsing a flow sequence\n");
    assert_broken(STE_BYTES("a: x\xff\n"), "t.yaml:1:1: syntax: invalid leading UTF-8 octet\n");
}

static void repeat(struct ste_buf *buf, const char *text, size_t count)
{
    for (size_t i = 0; i < count; i++)
        ste_buf_append_cstr(buf, text);
}

static void the_limits_hold_on_both_sides(void **state)
{
    (void)state;
    struct ste_buf yaml = {0};
    repeat(&yaml, "[", STE_TREE_DEPTH_MAX);
    repeat(&yaml, "]", STE_TREE_DEPTH_MAX);
    ste_tree_free(parse(ste_buf_bytes(&yaml), ""));
    ste_buf_clear(&yaml);
    repeat(&yaml, "[", STE_TREE_DEPTH_MAX + 1);
    repeat(&yaml, "]", STE_TREE_DEPTH_MAX + 1);
    assert_broken(ste_buf_bytes(&yaml),
                  "t.yaml:1:17: [0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0]: lists and maps "
                  "nested too deep\n");
    ste_buf_clear(&yaml);
    repeat(&yaml, "- x\n", STE_TREE_NODES_MAX - 1); /* and the list itself */
    ste_tree_free(parse(ste_buf_bytes(&yaml), ""));
    repeat(&yaml, "- x\n", 1);
    assert_broken(ste_buf_bytes(&yaml),
                  "t.yaml:200000:3: [199999]: more nodes than a document may have\n");
    ste_buf_clear(&yaml);
    ste_buf_append_cstr(&yaml, "a: 1\n#");
    repeat(&yaml, "x", STE_TREE_BYTES_MAX - yaml.len);
    ste_tree_free(parse(ste_buf_bytes(&yaml), ""));
    repeat(&yaml, "x", 1);
    assert_broken(ste_buf_bytes(&yaml), "t.yaml:1:1: larger than a document may be\n");
    ste_buf_deinit(&yaml);
}

static void an_unreadable_file_is_no_fault_of_the_document(void **state)
{
    (void)state;
    struct ste_faults faults = {0};
    struct ste_tree *tree = NULL;
    struct ste_error err;
    assert_int_equal(ste_tree_load("/nonexistent/map.yaml", &faults, &tree, &err), STE_E_FILE);
    assert_string_equal(err.text,
                        "could not open /nonexistent/map.yaml: No such file or directory");
    assert_int_equal(ste_tree_load("/", &faults, &tree, &err), STE_E_FILE);
    assert_null(tree);
    assert_false(ste_faults_any(&faults));
}

static void paths_are_beside_the_file(void **state)
{
    (void)state;
    static const char *const cases[][3] = {
        {"/etc/ste/map.yaml", "keys/a", "/etc/ste/keys/a"},
        {"/etc/ste/map.yaml", "/var/keys", "/var/keys"},
        {"/map.yaml", "keys", "/keys"},
        {"map.yaml", "/keys", "/keys"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char *path = ste_path_beside(cases[i][0], cases[i][1]);
        assert_string_equal(path, cases[i][2]);
        free(path);
    }
    char working[4096], *path = ste_path_beside("conf/map.yaml", "keys");
    assert_non_null(realpath(".", working));
    assert_memory_equal(path, working, strlen(working));
    assert_string_equal(path + strlen(working), "/conf/keys");
    free(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nodes_know_their_place),
        cmocka_unit_test(columns_count_characters),
        cmocka_unit_test(duplicate_keys_are_faults_and_the_first_stands),
        cmocka_unit_test(anchors_aliases_and_tags_are_faults),
        cmocka_unit_test(aliases_do_not_explode),
        cmocka_unit_test(a_broken_shape_is_one_fault),
        cmocka_unit_test(the_limits_hold_on_both_sides),
        cmocka_unit_test(an_unreadable_file_is_no_fault_of_the_document),
        cmocka_unit_test(paths_are_beside_the_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
