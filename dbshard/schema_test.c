/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "dbshard/body.h"
#include "dbshard/schema.h"

static void test_statements(void **state)
{
    (void)state;
    static const char *const tables[] = {"schema_version", "shard_identity", "day",   "trade",
                                         "message",        "exception",      "outbox"};
    struct ste_bytes text = ste_schema_text();
    struct ste_buf sql = {0};
    ste_date first;
    size_t count = 0, with_days = 0;
    assert_true(ste_date_parse(STE_BYTES("2028-02-28"), &first));
    for (; ste_schema_next(&text, first, first + 2, &sql); count++) {
        char head[80];
        ste_buf_u8(&sql, '\0');
        assert_false(sql.failed);
        assert_true(count < 7);
        snprintf(head, sizeof(head), "CREATE TABLE IF NOT EXISTS %s (", tables[count]);
        assert_memory_equal(sql.at, head, strlen(head));
        assert_null(strchr(sql.at, ';'));
        assert_null(strstr(sql.at, "{days}"));
        assert_null(strstr(sql.at, "--"));
        with_days += strstr(sql.at, "(PARTITION p20280228 VALUES IN ('2028-02-28'),"
                                    "PARTITION p20280229 VALUES IN ('2028-02-29'),"
                                    "PARTITION p20280301 VALUES IN ('2028-03-01'))") != NULL;
    }
    assert_int_equal(count, 7);
    assert_int_equal(with_days, 3);
    ste_buf_deinit(&sql);
}

static void test_body_there_and_back(void **state)
{
    (void)state;
    char text[4000];
    struct ste_packer packer = {0};
    struct ste_buf packed = {0}, unpacked = {0};
    struct ste_error err = {0};
    struct ste_bytes back, sent = {text, sizeof(text)};
    memset(text, 'x', sizeof(text));
    struct ste_body first = ste_body_pack(&packer, &packed, sent);
    assert_int_equal(first.encoding, STE_BODY_ZSTD);
    assert_true(first.bytes.len < 100);
    assert_int_equal(ste_body_unpack(STE_BODY_ZSTD, first.bytes, &packer, &unpacked, &back, &err),
                     STE_OK);
    assert_true(ste_bytes_equal(back, sent));
    /* what does not get smaller stays as it is */
    struct ste_body small = ste_body_pack(&packer, &packed, STE_BYTES("a"));
    assert_int_equal(small.encoding, STE_BODY_AS_SENT);
    assert_int_equal(ste_body_unpack(small.encoding, small.bytes, &packer, &unpacked, &back, &err),
                     STE_OK);
    assert_true(ste_bytes_equal(back, STE_BYTES("a")));
    /* damaged */
    struct ste_bytes half = {packed.at, first.bytes.len / 2};
    assert_int_equal(ste_body_unpack(STE_BODY_ZSTD, half, &packer, &unpacked, &back, &err),
                     STE_E_STATE_BAD);
    assert_int_equal(
        ste_body_unpack(STE_BODY_ZSTD, STE_BYTES("junk"), &packer, &unpacked, &back, &err),
        STE_E_STATE_BAD);
    assert_int_equal(ste_body_unpack(7, sent, &packer, &unpacked, &back, &err), STE_E_STATE_BAD);
    ste_packer_deinit(&packer);
    ste_buf_deinit(&packed);
    ste_buf_deinit(&unpacked);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_statements),
        cmocka_unit_test(test_body_there_and_back),
    };
    return cmocka_run_group_tests_name("schema", tests, NULL, NULL);
}
