/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/table.h"

#include <math.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/testing.h"

static const struct ste_table_column columns[] = {
    {"stage", NULL, -1},
    {"throughput_per_s", "X 1/s", 1},
    {"response_s", "R s", 3},
};

static struct ste_table *filled(void)
{
    struct ste_table *table = NULL;
    assert_ok(ste_table_new(columns, COUNT_OF(columns), &table, &err));
    ste_table_text(table, "Zürich, \"λ\"");
    ste_table_number(table, 1162.02);
    ste_table_number(table, 14.97);
    ste_table_end_row(table);
    ste_table_text(table, "node");
    ste_table_number(table, 7);
    ste_table_number(table, NAN);
    ste_table_end_row(table);
    assert_true(ste_table_complete(table));
    assert_int_equal(ste_table_rows(table), 2);
    return table;
}

/* Columns line up by letters, not bytes; numbers to the right. */
static void prints_aligned(void **state)
{
    (void)state;
    struct ste_table *table = filled();
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);
    assert_non_null(out);
    ste_table_print(table, out);
    assert_int_equal(fclose(out), 0);
    assert_string_equal(text, "stage         X 1/s     R s\n"
                              "Zürich, \"λ\"  1162.0  14.970\n"
                              "node            7.0       -\n");
    free(text);
    ste_table_free(table);
}

static void writes_csv_and_json(void **state)
{
    (void)state;
    struct ste_table *table = filled();
    struct ste_buf out = {0};
    ste_table_csv(table, &out);
    assert_text(ste_buf_bytes(&out), "stage,throughput_per_s,response_s\r\n"
                                     "\"Zürich, \"\"λ\"\"\",1162.0,14.970\r\n"
                                     "node,7.0,\r\n");
    ste_buf_clear(&out);
    struct ste_json_writer writer;
    ste_json_begin(&writer, &out);
    ste_table_json(table, &writer, NULL);
    assert_true(ste_json_complete(&writer));
    struct ste_json *root = NULL;
    assert_ok(ste_json_parse(ste_buf_bytes(&out), 0, &root, &err));
    assert_int_equal(ste_json_count(root), 2);
    const struct ste_json *second = ste_json_next(ste_json_first(root));
    assert_string_equal(ste_json_text(ste_json_get(second, "stage")), "node");
    assert_int_equal(ste_json_kind(ste_json_get(second, "response_s")), STE_JSON_NULL);
    double rate = 0;
    assert_true(ste_json_double(ste_json_get(second, "throughput_per_s"), &rate));
    assert_true(fabs(rate - 7) < 1e-9);
    ste_json_free(root);
    ste_buf_deinit(&out);
    ste_table_free(table);
}

static void writes_html(void **state)
{
    (void)state;
    struct ste_table *table = NULL;
    struct ste_buf out = {0};
    assert_ok(ste_table_new(columns, COUNT_OF(columns), &table, &err));
    ste_table_text(table, "a<b & \"c\"");
    ste_table_number(table, -1234567.25);
    ste_table_number(table, NAN);
    ste_table_end_row(table);
    ste_table_html(table, &out);
    assert_text(
        ste_buf_bytes(&out),
        "<table>\n<thead><tr><th>stage</th><th class=\"n\">X 1/s</th>"
        "<th class=\"n\">R s</th></tr></thead>\n<tbody>\n"
        "<tr data-stage=\"a&lt;b &amp; &quot;c&quot;\"><td>a&lt;b &amp; &quot;c&quot;</td>"
        "<td class=\"n\">-1,234,567.2</td><td class=\"n\">-</td></tr>\n</tbody>\n</table>\n");
    ste_buf_deinit(&out);
    ste_table_free(table);
}

static void tells_a_wrong_row(void **state)
{
    (void)state;
    struct ste_table *table = NULL;
    assert_ok(ste_table_new(columns, COUNT_OF(columns), &table, &err));
    ste_table_text(table, "short");
    ste_table_end_row(table);
    assert_false(ste_table_complete(table));
    ste_table_free(table);
    table = NULL;
    assert_ok(ste_table_new(columns, COUNT_OF(columns), &table, &err));
    ste_table_number(table, 1); /* the first column holds texts */
    assert_false(ste_table_complete(table));
    ste_table_free(table);
    struct ste_error err = {0};
    assert_int_equal(ste_table_new(columns, 0, &table, &err), STE_E_ARGUMENT);
    assert_int_equal(ste_table_new(columns, STE_TABLE_COLUMNS_MAX + 1, &table, &err),
                     STE_E_ARGUMENT);
    ste_table_free(NULL);
}

static void replaces_a_file_whole(void **state)
{
    (void)state;
    char folder[] = "/tmp/ste-table-XXXXXX", path[64], gone[96], read[16] = "";
    assert_non_null(mkdtemp(folder));
    (void)snprintf(path, sizeof path, "%s/out.csv", folder);
    assert_ok(ste_bench_write_file(path, STE_BYTES("longer before"), &err));
    assert_ok(ste_bench_write_file(path, STE_BYTES("after"), &err));
    FILE *in = fopen(path, "re");
    assert_non_null(in);
    assert_int_equal(fread(read, 1, sizeof read - 1, in), 5);
    assert_int_equal(fclose(in), 0);
    assert_string_equal(read, "after");
    (void)snprintf(gone, sizeof gone, "%s/no/such.csv", folder);
    struct ste_error err = {0};
    assert_int_equal(ste_bench_write_file(gone, STE_BYTES("x"), &err), STE_E_FILE);
    assert_non_null(strstr(err.text, gone));
    assert_int_equal(unlink(path), 0);
    assert_int_equal(rmdir(folder), 0); /* nothing is left beside it */
}

static void leaves_a_device_a_device(void **state)
{
    (void)state;
    assert_ok(ste_bench_write_file("/dev/null", STE_BYTES("x"), &err));
    struct stat info;
    assert_int_equal(stat("/dev/null", &info), 0);
    assert_true(S_ISCHR(info.st_mode));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(prints_aligned),        cmocka_unit_test(writes_csv_and_json),
        cmocka_unit_test(writes_html),           cmocka_unit_test(tells_a_wrong_row),
        cmocka_unit_test(replaces_a_file_whole), cmocka_unit_test(leaves_a_device_a_device),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
