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

#include "bench/ledger.h"

static char path[] = "/tmp/ste-ledger-XXXXXX";

static int make_file(void **state)
{
    (void)state;
    memcpy(path + sizeof path - 7, "XXXXXX", 6);
    int fd = mkstemp(path);
    return fd < 0 ? -1 : close(fd);
}

static int remove_file(void **state)
{
    (void)state;
    return unlink(path);
}

struct counts {
    uint64_t deliveries, messages, cls, last_us, message_sum;
    char last_id[64], last_reference[64], last_key[64], last_sha[32], last_sender[16];
};

static void keep(char *out, size_t bytes, struct ste_bytes value)
{
    (void)snprintf(out, bytes, "%.*s", (int)value.len, value.at);
}

static void on_delivery(void *context, struct ste_bytes id, uint64_t count, uint64_t us)
{
    struct counts *counts = context;
    counts->deliveries++;
    counts->message_sum += count;
    counts->last_us = us;
    keep(counts->last_id, sizeof counts->last_id, id);
}

static void on_message(void *context, uint64_t index, struct ste_bytes sender, struct ste_bytes key,
                       struct ste_bytes reference, struct ste_bytes sha)
{
    struct counts *counts = context;
    (void)index;
    counts->messages++;
    keep(counts->last_sender, sizeof counts->last_sender, sender);
    keep(counts->last_key, sizeof counts->last_key, key);
    keep(counts->last_reference, sizeof counts->last_reference, reference);
    keep(counts->last_sha, sizeof counts->last_sha, sha);
}

static void on_cls(void *context, struct ste_bytes id, uint64_t us)
{
    struct counts *counts = context;
    counts->cls++;
    counts->last_us = us;
    keep(counts->last_id, sizeof counts->last_id, id);
}

static enum ste_code read_back(struct counts *counts)
{
    *counts = (struct counts){0};
    struct ste_ledger_reader reader = {counts, on_delivery, on_message, on_cls};
    struct ste_error err = {0};
    return ste_ledger_read(path, &reader, &err);
}

static void test_round_trip(void **state)
{
    (void)state;
    struct ste_ledger *ledger = NULL;
    struct ste_error err = {0};
    struct ste_set_entry entries[3] = {
        [2] = {.trade_key = {{0x69, 0xbe}},
               .sha256_start = {0xab, 1, 2, 3, 4, 5, 6, 0xff},
               .sender8 = "BROKSGS", /* eight bytes with the next one */
               .reference = "A B-1",
               .reference_len = 5},
    };
    entries[2].sender8[7] = 'G';
    assert_int_equal(ste_ledger_open(path, &ledger, &err), STE_OK);
    assert_int_equal(ste_ledger_delivery(ledger, "run-1", entries, 3, 123456789, &err), STE_OK);
    assert_int_equal(ste_ledger_sync(ledger, &err), STE_OK);
    struct counts counts;
    assert_int_equal(read_back(&counts), STE_OK);
    assert_int_equal(counts.deliveries, 1);
    assert_int_equal(counts.messages, 3);
    assert_int_equal(counts.last_us, 123456789);
    assert_string_equal(counts.last_id, "run-1");
    assert_string_equal(counts.last_sender, "BROKSGSG");
    assert_string_equal(counts.last_reference, "A%20B-1");
    assert_string_equal(counts.last_key, "69be0000000000000000000000000000");
    assert_string_equal(counts.last_sha, "ab010203040506ff");
    assert_int_equal(ste_ledger_cls(ledger, STE_BYTES("69be.1"), 77, &err), STE_OK);
    assert_int_equal(ste_ledger_close(ledger, &err), STE_OK);
    assert_int_equal(read_back(&counts), STE_OK);
    assert_int_equal(counts.cls, 1);
    assert_string_equal(counts.last_id, "69be.1");
}

/* A stranger in ste.cls may name its message as it likes. */
static void test_any_id_stays_in_its_line(void **state)
{
    (void)state;
    struct ste_ledger *ledger = NULL;
    struct ste_error err = {0};
    struct counts counts;
    assert_int_equal(ste_ledger_open(path, &ledger, &err), STE_OK);
    assert_int_equal(ste_ledger_cls(ledger, STE_BYTES("x\ny\r\t z"), 77, &err), STE_OK);
    assert_int_equal(ste_ledger_close(ledger, &err), STE_OK);
    assert_int_equal(read_back(&counts), STE_OK);
    assert_int_equal(counts.cls, 1);
    assert_string_equal(counts.last_id, "x%0Ay%0D%09%20z");
    const struct ste_set_entry entry = {.sender8 = "BROKSGS", .reference = "R", .reference_len = 1};
    assert_int_equal(ste_ledger_open(path, &ledger, &err), STE_OK);
    assert_int_equal(ste_ledger_delivery(ledger, "a b\nc-0", &entry, 1, 5, &err), STE_OK);
    assert_int_equal(ste_ledger_close(ledger, &err), STE_OK);
    assert_int_equal(read_back(&counts), STE_OK);
    assert_string_equal(counts.last_id, "a%20b%0Ac-0");
}

/* Far more than may wait for the disk: the sender is held back, nothing is dropped. */
static void test_more_than_the_buffer(void **state)
{
    (void)state;
    enum { DELIVERIES = 3000, BATCH = 64 };
    static struct ste_set_entry entries[BATCH];
    for (size_t i = 0; i < BATCH; i++)
        entries[i] = (struct ste_set_entry){.sender8 = "LBAASG2", .reference_len = 30};
    for (size_t i = 0; i < BATCH; i++)
        memset(entries[i].reference, 'R', sizeof entries[i].reference);
    struct ste_ledger *ledger = NULL;
    struct ste_error err = {0};
    assert_int_equal(ste_ledger_open(path, &ledger, &err), STE_OK);
    for (uint64_t i = 0; i < DELIVERIES; i++)
        assert_int_equal(ste_ledger_delivery(ledger, "run-x", entries, BATCH, i, &err), STE_OK);
    assert_int_equal(ste_ledger_close(ledger, &err), STE_OK);
    struct counts counts;
    assert_int_equal(read_back(&counts), STE_OK);
    assert_int_equal(counts.deliveries, DELIVERIES);
    assert_int_equal(counts.messages, DELIVERIES * BATCH);
    assert_int_equal(counts.message_sum, DELIVERIES * BATCH);
    assert_int_equal(counts.last_us, DELIVERIES - 1);
}

static void test_half_a_line_is_cut_off_and_the_rest_kept(void **state)
{
    (void)state;
    FILE *file = fopen(path, "we");
    assert_non_null(file);
    fputs("C a.1 5\nC b.", file);
    fclose(file);
    struct counts counts;
    assert_int_equal(read_back(&counts), STE_E_PARSE);
    struct ste_ledger *ledger = NULL;
    struct ste_error err = {0};
    assert_int_equal(ste_ledger_open(path, &ledger, &err), STE_OK);
    assert_int_equal(ste_ledger_cls(ledger, STE_BYTES("c.1"), 6, &err), STE_OK);
    assert_int_equal(ste_ledger_close(ledger, &err), STE_OK);
    assert_int_equal(read_back(&counts), STE_OK);
    assert_int_equal(counts.cls, 2);
    assert_string_equal(counts.last_id, "c.1");
}

/* What was killed goes on where it was: a delivery whose lines are not all there is not done. */
static void test_done_deliveries(void **state)
{
    (void)state;
    uint8_t *done = NULL;
    struct ste_error err = {0};
    FILE *file = fopen(path, "we");
    assert_non_null(file);
    fputs("D run-0 1 5\nM 0 A k r s\nD other-1 1 5\nM 0 A k r s\nD run-9 2 5\nM 0 A k r s\n"
          "M 1 A k r s\nD run-12 1 5\nM 0 A k r s\nD run-3 2 5\nM 0 A k r s\n",
          file);
    fclose(file);
    assert_int_equal(ste_ledger_done(path, "run", 12, &done, &err), STE_OK);
    assert_int_equal(done[0], 1 << 0);
    assert_int_equal(done[1], 1 << 1);
    free(done);
    done = NULL;
    assert_int_equal(ste_ledger_done("/nonexistent/ledger", "run", 12, &done, &err), STE_OK);
    assert_int_equal(done[0] + done[1], 0);
    free(done);
}

static void test_run_ids(void **state)
{
    (void)state;
    static const char forty[] = "0123456789ABCDEFghij0123456789.-_zyxwvut";
    static const char *const good[] = {"1", "shares1796114567890", "a.b_c-d", "-", forty};
    static const char *const bad[] = {
        "",    "a b", " a",       "a%20b",
        "a\n", "a/b", "\xc3\xa9", "0123456789ABCDEFghij0123456789.-_zyxwvuts"};
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++)
        assert_true(ste_ledger_run_id_is_good(good[i]));
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_false(ste_ledger_run_id_is_good(bad[i]));
}

static void test_a_full_disk_is_an_error(void **state)
{
    (void)state;
    if (access("/dev/full", W_OK) != 0) {
        print_message("skipped: no /dev/full here\n");
        skip();
    }
    struct ste_ledger *ledger = NULL;
    struct ste_error err = {0};
    assert_int_equal(ste_ledger_open("/dev/full", &ledger, &err), STE_OK);
    assert_int_equal(ste_ledger_cls(ledger, STE_BYTES("c.1"), 6, &err), STE_OK);
    assert_int_equal(ste_ledger_sync(ledger, &err), STE_E_FILE);
    assert_int_equal(ste_ledger_cls(ledger, STE_BYTES("c.1"), 6, &err), STE_E_FILE);
    assert_int_equal(ste_ledger_close(ledger, &err), STE_E_FILE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_round_trip, make_file, remove_file),
        cmocka_unit_test_setup_teardown(test_any_id_stays_in_its_line, make_file, remove_file),
        cmocka_unit_test_setup_teardown(test_more_than_the_buffer, make_file, remove_file),
        cmocka_unit_test_setup_teardown(test_half_a_line_is_cut_off_and_the_rest_kept, make_file,
                                        remove_file),
        cmocka_unit_test_setup_teardown(test_done_deliveries, make_file, remove_file),
        cmocka_unit_test(test_run_ids),
        cmocka_unit_test_setup_teardown(test_a_full_disk_is_an_error, make_file, remove_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
