/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "dbshard/statement.h"

static void assert_sql(struct ste_buf *sql, const char *wanted)
{
    ste_buf_u8(sql, '\0');
    assert_false(sql->failed);
    assert_string_equal(sql->at, wanted);
    ste_buf_clear(sql);
}

static void test_literals(void **state)
{
    (void)state;
    struct ste_buf sql = {0};
    ste_date date;
    ste_sql_bytes(&sql, STE_BYTES("plain"));
    assert_sql(&sql, "'plain'");
    ste_sql_bytes(&sql, (struct ste_bytes){NULL, 0});
    assert_sql(&sql, "''");
    ste_sql_bytes(&sql, STE_BYTES("it's a \\ and a \"\0\"!"));
    assert_sql(&sql, "'it\\'s a \\\\ and a \"\\0\"!'");
    ste_sql_u64(&sql, 0);
    ste_sql_comma(&sql);
    ste_sql_u64(&sql, UINT64_MAX);
    assert_sql(&sql, "0,18446744073709551615");
    assert_true(ste_date_parse(STE_BYTES("2026-11-30"), &date));
    ste_sql_date(&sql, date);
    ste_sql_comma(&sql);
    ste_sql_date(&sql, STE_DATE_NONE);
    assert_sql(&sql, "'2026-11-30',NULL");
    ste_buf_deinit(&sql);
}

/* What the server's lexer makes of a literal: the way back. */
static size_t unescape(const char *at, size_t len, char *out)
{
    size_t used = 0;
    assert_true(len >= 2 && at[0] == '\'' && at[len - 1] == '\'');
    for (size_t i = 1; i < len - 1; i++) {
        assert_int_not_equal(at[i], '\'');
        if (at[i] == '\\') {
            i++;
            assert_true(i < len - 1);
            out[used++] = at[i] == '0' ? '\0' : at[i];
        } else {
            assert_int_not_equal(at[i], '\0');
            out[used++] = at[i];
        }
    }
    return used;
}

/* Each special byte at each place around the blocks that are copied whole. */
static void test_escape_at_every_place(void **state)
{
    (void)state;
    struct ste_buf sql = {0};
    static const char special[] = {'\'', '\\', '\0', 'x'};
    char body[101], back[2 * sizeof(body)];
    for (size_t len = 0; len < sizeof(body); len++) {
        for (size_t place = 0; place <= len; place++) {
            for (size_t s = 0; s < sizeof(special); s++) {
                memset(body, 0xe4, sizeof(body));
                if (place < len)
                    body[place] = special[s];
                ste_buf_clear(&sql);
                ste_sql_bytes(&sql, (struct ste_bytes){body, len});
                assert_int_equal(unescape(sql.at, sql.len, back), len);
                assert_memory_equal(back, body, len);
            }
        }
    }
    ste_buf_deinit(&sql);
}

struct seen {
    struct ste_buf *sql;
    char texts[8][64];
    size_t firsts[8], counts[8], statements;
    enum ste_code answer;
};

static enum ste_code see(void *context, size_t first, size_t count, struct ste_error *err)
{
    struct seen *seen = context;
    assert_true(seen->statements < 8 && seen->sql->len < 64);
    memcpy(seen->texts[seen->statements], seen->sql->at, seen->sql->len);
    seen->texts[seen->statements][seen->sql->len] = '\0';
    seen->firsts[seen->statements] = first;
    seen->counts[seen->statements++] = count;
    return seen->answer == STE_OK ? STE_OK : ste_error_set(err, seen->answer, "told to fail");
}

static void word_row(struct ste_sql_value *at, const void *rows, size_t index)
{
    ste_put_bytes(at, ((const struct ste_bytes *)rows)[index]);
}

static const struct ste_bytes words[] = {{"aa", 2}, {"bb", 2}, {"cc", 2}, {"dd", 2}, {"ee", 2}};

static void test_splits_by_bytes(void **state)
{
    (void)state;
    struct ste_buf sql = {0};
    struct seen seen = {.sql = &sql};
    struct ste_error err = {0};
    const struct ste_rows_sql text = {.head = "I ", .tail = " T", .columns = 1, .fill = word_row};
    /* head 2, rows 6 and a comma, tail 2: two rows are 17 bytes, three 24 */
    assert_int_equal(ste_rows_build(&sql, &text, words, 0, 5, 23, see, &seen, &err), STE_OK);
    assert_int_equal(seen.statements, 3);
    assert_string_equal(seen.texts[0], "I ('aa'),('bb') T");
    assert_string_equal(seen.texts[1], "I ('cc'),('dd') T");
    assert_string_equal(seen.texts[2], "I ('ee') T");
    assert_int_equal(seen.firsts[2], 4);
    assert_int_equal(seen.counts[1], 2);

    seen.statements = 0;
    assert_int_equal(ste_rows_build(&sql, &text, words, 0, 5, 24, see, &seen, &err), STE_OK);
    assert_int_equal(seen.statements, 2);
    assert_string_equal(seen.texts[0], "I ('aa'),('bb'),('cc') T");

    seen.statements = 0;
    assert_int_equal(ste_rows_build(&sql, &text, words, 0, 5, 10, see, &seen, &err), STE_OK);
    assert_int_equal(seen.statements, 5);

    seen.statements = 0;
    assert_int_equal(ste_rows_build(&sql, &text, words, 0, 5, 9, see, &seen, &err),
                     STE_E_SHARD_ROW);
    assert_int_equal(seen.statements, 0);
    assert_non_null(strstr(err.text, "row 0"));
    ste_buf_deinit(&sql);
}

static void test_splits_by_rows_and_stops_at_a_failure(void **state)
{
    (void)state;
    struct ste_buf sql = {0};
    struct seen seen = {.sql = &sql};
    struct ste_error err = {0};
    const struct ste_rows_sql text = {
        .head = "I ", .tail = "", .columns = 1, .rows_max = 2, .fill = word_row};
    assert_int_equal(ste_rows_build(&sql, &text, words, 0, 5, 1000, see, &seen, &err), STE_OK);
    assert_int_equal(seen.statements, 3);
    assert_string_equal(seen.texts[0], "I ('aa'),('bb')");
    assert_int_equal(seen.counts[2], 1);
    assert_int_equal(ste_rows_build(&sql, &text, words, 0, 0, 1000, see, &seen, &err), STE_OK);
    assert_int_equal(seen.statements, 3);
    seen.statements = 0;
    assert_int_equal(ste_rows_build(&sql, &text, words, 3, 5, 1000, see, &seen, &err), STE_OK);
    assert_int_equal(seen.statements, 1);
    assert_string_equal(seen.texts[0], "I ('dd'),('ee')");
    assert_int_equal(seen.firsts[0], 3);
    seen.statements = 0;
    seen.answer = STE_E_SHARD_DEADLOCK;
    assert_int_equal(ste_rows_build(&sql, &text, words, 0, 5, 1000, see, &seen, &err),
                     STE_E_SHARD_DEADLOCK);
    assert_int_equal(seen.statements, 1);
    ste_buf_deinit(&sql);
}

static void mixed_row(struct ste_sql_value *at, const void *rows, size_t index)
{
    (void)rows;
    at = ste_put_u64(at, index);
    at = ste_put_date(at, 0);
    at = ste_put_date(at, STE_DATE_NONE);
    ste_put_bytes(at, STE_BYTES("it's"));
}

static void test_kinds_and_placeholders(void **state)
{
    (void)state;
    struct ste_buf sql = {0};
    struct seen seen = {.sql = &sql};
    struct ste_error err = {0};
    const struct ste_rows_sql mixed = {.head = "I ", .tail = " T", .columns = 4, .fill = mixed_row};
    const struct ste_rows_sql bare = {
        .head = "D (", .tail = ")", .columns = 1, .bare = true, .fill = word_row};
    assert_int_equal(ste_rows_build(&sql, &mixed, NULL, 7, 8, 1000, see, &seen, &err), STE_OK);
    assert_string_equal(seen.texts[0], "I (7,'1970-01-01',NULL,'it\\'s') T");
    assert_int_equal(ste_rows_build(&sql, &bare, words, 0, 2, 1000, see, &seen, &err), STE_OK);
    assert_string_equal(seen.texts[1], "D ('aa','bb')");
    ste_rows_placeholders(&sql, &mixed, 2);
    assert_sql(&sql, "I (?,?,?,?),(?,?,?,?) T");
    ste_buf_deinit(&sql);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_literals),
        cmocka_unit_test(test_escape_at_every_place),
        cmocka_unit_test(test_splits_by_bytes),
        cmocka_unit_test(test_splits_by_rows_and_stops_at_a_failure),
        cmocka_unit_test(test_kinds_and_placeholders),
    };
    return cmocka_run_group_tests_name("statement", tests, NULL, NULL);
}
