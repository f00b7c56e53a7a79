/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/samples.h"

#include <unistd.h>

#include "base/testing.h"

static void open_file(char path[static 32])
{
    strcpy(path, "/tmp/ste-samples-XXXXXX");
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
}

static void write_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "we");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

#define HEADING "at_us,kind,name,type,quantity,value\n"

static void test_what_is_written_is_read(void **state)
{
    (void)state;
    char path[32];
    open_file(path);
    struct ste_samples_writer *writer = NULL;
    assert_ok(ste_samples_create(path, &writer, &err));
    ste_samples_meta(writer, "map", "four shards, one machine");
    for (uint64_t second = 0; second < 5; second++) {
        ste_samples_at(writer, 7000000 + second * 1000000);
        ste_samples_put(writer, STE_Q_QUEUE_READY, "ste.noe.00", "NOE", (double)(10 * second));
        ste_samples_put(writer, STE_Q_QUEUE_READY, "ste.noe.01", "NOE", 0.1);
        if (second % 2 == 0)
            ste_samples_put(writer, STE_Q_QUEUE_BYTES, "ste.noe.00", "NOE", 1e15 + 1);
        ste_samples_put(writer, STE_Q_PROCESS_CPU, "broker", "", 0.25 * (double)second);
    }
    ste_samples_meta(writer, "messages", "70000");
    assert_ok(ste_samples_finish(writer, &err));

    struct ste_samples samples;
    assert_ok(ste_samples_read(path, &samples, &err));
    assert_string_equal(ste_samples_meta_value(&samples, "map"), "four shards  one machine");
    assert_string_equal(ste_samples_meta_value(&samples, "messages"), "70000");
    assert_null(ste_samples_meta_value(&samples, "nodes"));
    assert_int_equal(samples.series_count, 4);
    assert_int_equal(samples.sample_count, 5);
    assert_true(samples.seconds == 4);
    const struct ste_series *ready =
        ste_samples_find(&samples, STE_Q_QUEUE_READY, "ste.noe.00", "NOE");
    assert_non_null(ready);
    assert_int_equal(ready->count, 5);
    assert_true(ready->at_s[3] == 3 && ready->values[3] == 30);
    const struct ste_series *bytes = ste_samples_find(&samples, STE_Q_QUEUE_BYTES, NULL, NULL);
    assert_non_null(bytes);
    assert_int_equal(bytes->count, 3);
    assert_true(bytes->at_s[1] == 2 && bytes->values[1] == 1e15 + 1);
    assert_null(ste_samples_find(&samples, STE_Q_QUEUE_READY, NULL, "SET"));
    assert_string_equal(ste_samples_find(&samples, STE_Q_PROCESS_CPU, NULL, "")->name, "broker");
    ste_samples_deinit(&samples);
    unlink(path);
}

static void test_growth(void **state)
{
    (void)state;
    double at_s[] = {0, 1, 2, 4}, values[] = {100, 110, 3, 7};
    struct ste_series one = {.quantity = STE_Q_STAGE_ARRIVALS,
                             .type = "NOE",
                             .count = 4,
                             .at_s = at_s,
                             .values = values};
    assert_true(ste_series_growth(&one, 0, 4) == 10 + 3 + 4); /* fell at 2: began again at 0 */
    assert_true(ste_series_growth(&one, 0.5, 1) == 5);
    assert_true(ste_series_growth(&one, 2.5, 3.5) == 2);
    assert_true(ste_series_growth(&one, -10, 100) == 17);
    assert_true(ste_series_growth(&one, 4, 9) == 0);
}

static void test_faults_are_told_with_their_line(void **state)
{
    (void)state;
    static const struct {
        const char *text, *line;
    } cases[] = {
        {"", ""},
        {"at,kind\n", ":1"},
        {HEADING "1,queue,a,,ready\n", ":2"},
        {HEADING "1,queue,a,,ready,1,2\n", ":2"},
        {HEADING "x,queue,a,,ready,1\n", ":2"},
        {HEADING "1,queue,a,,ready,one\n", ":2"},
        {HEADING "1,queue,a,,ready,nan\n", ":2"},
        {HEADING "1,queue,a,NOEX,ready,1\n", ":2"},
        {HEADING "2,queue,a,,ready,1\n1,queue,a,,ready,1\n", ":3"},
        {HEADING "1,queue,a,,ready,1\n2,queue,a,,ready,1", ":3"},
    };
    char path[32];
    open_file(path);
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        write_text(path, cases[i].text);
        struct ste_samples samples;
        struct ste_error err = {0};
        char place[64];
        snprintf(place, sizeof place, "%s%s", path, cases[i].line);
        assert_int_equal(ste_samples_read(path, &samples, &err), STE_E_PARSE);
        assert_string_equal(err.place, place);
    }
    unlink(path);
    struct ste_samples samples;
    struct ste_error err = {0};
    assert_int_equal(ste_samples_read(path, &samples, &err), STE_E_FILE);
}

static void test_unknown_quantities_are_passed_over(void **state)
{
    (void)state;
    char path[32];
    open_file(path);
    write_text(path, HEADING "5,moon,full,,light,1\n5,queue,a,,ready,2\n6,moon,full,,light,1\n");
    struct ste_samples samples;
    assert_ok(ste_samples_read(path, &samples, &err));
    assert_int_equal(samples.series_count, 1);
    assert_int_equal(samples.sample_count, 2);
    assert_true(samples.series[0].values[0] == 2);
    ste_samples_deinit(&samples);
    unlink(path);
}

static void test_a_full_disk_is_told(void **state)
{
    (void)state;
    if (access("/dev/full", W_OK) != 0)
        skip();
    struct ste_samples_writer *writer = NULL;
    assert_ok(ste_samples_create("/dev/full", &writer, &err));
    ste_samples_put(writer, STE_Q_QUEUE_READY, "a", "", 1);
    struct ste_error err = {0};
    assert_int_equal(ste_samples_finish(writer, &err), STE_E_FILE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_is_written_is_read),
        cmocka_unit_test(test_growth),
        cmocka_unit_test(test_faults_are_told_with_their_line),
        cmocka_unit_test(test_unknown_quantities_are_passed_over),
        cmocka_unit_test(test_a_full_disk_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
