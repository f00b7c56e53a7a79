/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "bench/facts.h"

static void read_whole(const char *path, char *out, size_t out_bytes)
{
    FILE *file = fopen(path, "re");
    assert_non_null(file);
    out[fread(out, 1, out_bytes - 1, file)] = '\0';
    (void)fclose(file);
    (void)unlink(path);
}

static void test_told_once_written_twice(void **state)
{
    (void)state;
    char json[] = "/tmp/ste-facts-json-XXXXXX", csv[] = "/tmp/ste-facts-csv-XXXXXX", text[512];
    int json_fd = mkstemp(json), csv_fd = mkstemp(csv);
    assert_true(json_fd >= 0 && csv_fd >= 0);
    struct ste_facts facts;
    struct ste_error err = {0};
    ste_facts_init(&facts);
    ste_facts_bool(&facts, "passed", true);
    ste_facts_text(&facts, "run_id", "a \"quoted\", one");
    ste_facts_uint(&facts, "big", UINT64_MAX);
    ste_facts_group(&facts, "latency_ms");
    ste_facts_double(&facts, "p50", 1.25, 3);
    ste_facts_end_group(&facts);
    ste_facts_double(&facts, "seconds", 2, 1);
    assert_int_equal(ste_facts_write(&facts, json, csv, &err), STE_OK);
    ste_facts_deinit(&facts);
    read_whole(json, text, sizeof text);
    struct ste_json *root = NULL;
    uint64_t big = 0;
    double p50 = 0;
    assert_int_equal(ste_json_parse(ste_bytes_of(text), 0, &root, &err), STE_OK);
    assert_string_equal(ste_json_text(ste_json_get(root, "run_id")), "a \"quoted\", one");
    assert_true(ste_json_uint(ste_json_get(root, "big"), &big) && big == UINT64_MAX);
    assert_true(ste_json_double(ste_json_get(ste_json_get(root, "latency_ms"), "p50"), &p50) &&
                p50 == 1.25);
    ste_json_free(root);
    read_whole(csv, text, sizeof text);
    assert_string_equal(text, "passed,run_id,big,latency_ms_p50,seconds\r\n"
                              "true,\"a \"\"quoted\"\", one\",18446744073709551615,1.250,2.0\r\n");
    (void)close(json_fd);
    (void)close(csv_fd);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_told_once_written_twice)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
