/* SPDX-License-Identifier: Apache-2.0 */
#include "ref/csv.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

struct file {
    char path[64];
    struct ste_faults faults;
    struct ste_csv csv;
    bool opened;
};

static const struct ste_yaml named = {.file = "map.yaml", .line = 3, .column = 5};

static void open_text(struct file *file, const char *header, const char *text)
{
    memset(file, 0, sizeof(*file));
    strcpy(file->path, "/tmp/ste-csv-XXXXXX");
    int fd = mkstemp(file->path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    close(fd);
    file->opened = ste_csv_open(&file->csv, file->path, header, &named, &file->faults);
}

static void close_text(struct file *file)
{
    ste_csv_close(&file->csv);
    ste_faults_deinit(&file->faults);
    unlink(file->path);
}

static void assert_cell(const struct file *file, size_t cell, const char *text)
{
    assert_int_equal(file->csv.cells[cell].len, strlen(text));
    assert_memory_equal(file->csv.cells[cell].at, text, strlen(text));
}

static void assert_fault(const struct file *file, size_t index, const char *place, const char *text)
{
    assert_true(index < file->faults.count);
    const char *line = file->faults.lines[index];
    assert_int_equal(strncmp(line, file->path, strlen(file->path)), 0);
    assert_int_equal(strncmp(line + strlen(file->path), place, strlen(place)), 0);
    assert_non_null(strstr(line, text));
}

static void rows_as_files_come(void **state)
{
    struct file file;
    (void)state;
    open_text(&file, "a,b",
              "\xef\xbb\xbf# note\r\n\r\na,b\r\n1, x \r\n# note\n\"p, \"\"q\"\"\",\n2,3");
    assert_true(file.opened);
    assert_true(ste_csv_next(&file.csv));
    assert_int_equal(file.csv.line, 4);
    assert_cell(&file, 0, "1");
    assert_cell(&file, 1, "x");
    assert_int_equal(file.csv.columns[1], 3);
    assert_true(ste_csv_next(&file.csv));
    assert_int_equal(file.csv.line, 6);
    assert_cell(&file, 0, "p, \"q\"");
    assert_cell(&file, 1, "");
    assert_true(ste_csv_next(&file.csv));
    assert_cell(&file, 1, "3");
    assert_false(ste_csv_next(&file.csv));
    assert_false(ste_faults_any(&file.faults));
    close_text(&file);
}

static void faults_have_their_place(void **state)
{
    struct file file;
    (void)state;
    open_text(&file, "one,two", "one,two\n1\n1,2,3\n\"1,2\n\"1\"x,2\n4,5\n");
    assert_true(file.opened);
    assert_true(ste_csv_next(&file.csv));
    assert_cell(&file, 0, "4");
    ste_csv_fault(&file.csv, 1, "%d is odd", 5);
    assert_false(ste_csv_next(&file.csv));
    assert_int_equal(file.faults.count, 5);
    assert_fault(&file, 0, ":2:1: ", "fewer cells than the 2");
    assert_fault(&file, 1, ":3:1: ", "more cells than the 2");
    assert_fault(&file, 2, ":4:1: one: ", "quotes do not close");
    assert_fault(&file, 3, ":5:1: one: ", "quotes do not close");
    assert_fault(&file, 4, ":6:3: two: ", "5 is odd");
    close_text(&file);
}

static void wrong_header(void **state)
{
    static const char *const texts[] = {"", "a;b\n", "# a,b\n", "a,b,c\n"};
    (void)state;
    for (size_t i = 0; i < 4; i++) {
        struct file file;
        open_text(&file, "a,b", texts[i]);
        assert_false(file.opened);
        assert_int_equal(file.faults.count, 1);
        assert_fault(&file, 0, ":1:1: ", "the first line must be a,b");
        close_text(&file);
    }
}

static void no_such_file(void **state)
{
    struct ste_csv csv;
    struct ste_faults faults = {0};
    (void)state;
    assert_false(ste_csv_open(&csv, "/nowhere/at/all.csv", "a,b", &named, &faults));
    assert_int_equal(faults.count, 1);
    assert_string_equal(
        faults.lines[0],
        "map.yaml:3:5: could not read /nowhere/at/all.csv: No such file or directory");
    ste_csv_close(&csv);
    ste_faults_deinit(&faults);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_as_files_come),
        cmocka_unit_test(faults_have_their_place),
        cmocka_unit_test(wrong_header),
        cmocka_unit_test(no_such_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
