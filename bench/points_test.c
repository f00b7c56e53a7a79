/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/points.h"

#include <math.h>
#include <unistd.h>

#include "base/testing.h"

static enum ste_code read_text(const char *text, struct ste_arena *arena, struct ste_points *ret,
                               struct ste_error *err)
{
    char *path = ste_arena_printf(arena, "/tmp/ste-points-XXXXXX"); /* points borrow it */
    assert_non_null(path);
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    assert_int_equal(close(fd), 0);
    enum ste_code rc = ste_points_read(path, arena, ret, err);
    assert_int_equal(unlink(path), 0);
    return rc;
}

static bool is_even_run(const struct ste_points *points, size_t row)
{
    return fmod(ste_points_number(points, row, "run"), 2) == 0;
}

static void gathers_runs(void **state)
{
    (void)state;
    struct ste_arena *arena = ste_arena_new(0);
    struct ste_points points;
    struct ste_point_list list;
    assert_ok(read_text("nodes,shards,run,msg_per_s,predicted\r\n2,4,1,100,99\n2,4,2,120,99\n"
                        "1,4,1,70,\n2,4,3,90,99\n\n2,1,2,50,",
                        arena, &points, &err));
    assert_ok(ste_points_gather(&points, "shards", "nodes", "msg_per_s", "predicted", NULL, arena,
                                &list, &err));
    assert_int_equal(list.count, 3);
    assert_true(list.items[0].series == 1 && list.items[0].median == 50);
    assert_true(list.items[1].x == 1 && isnan(list.items[1].predicted));
    const struct ste_point *last = &list.items[2];
    assert_true(last->median == 100 && last->least == 90 && last->most == 120);
    assert_true(last->predicted == 99 && last->runs == 3);
    assert_ok(ste_points_gather(&points, NULL, "nodes", "msg_per_s", NULL, is_even_run, arena,
                                &list, &err));
    assert_int_equal(list.count, 1);
    assert_true(list.items[0].median == 85 && list.items[0].runs == 2);
    ste_arena_free(arena);
}

static void tells_bad_files(void **state)
{
    (void)state;
    struct ste_arena *arena = ste_arena_new(0);
    struct ste_points points;
    struct ste_point_list list;
    struct ste_error err = {0};
    assert_int_equal(ste_points_read("/no/such/file", arena, &points, &err), STE_E_FILE);
    assert_int_equal(read_text("a,b\n", arena, &points, &err), STE_E_PARSE);
    assert_int_equal(read_text("a,b\n1,2,3\n", arena, &points, &err), STE_E_PARSE);
    assert_non_null(strstr(err.place, ":2"));
    assert_int_equal(read_text("a,b\n1,x\n", arena, &points, &err), STE_OK);
    assert_int_equal(ste_points_gather(&points, NULL, "a", "b", NULL, NULL, arena, &list, &err),
                     STE_E_PARSE);
    assert_int_equal(ste_points_gather(&points, NULL, "a", "c", NULL, NULL, arena, &list, &err),
                     STE_E_PARSE);
    assert_true(isnan(ste_median(NULL, 0)));
    ste_arena_free(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gathers_runs),
        cmocka_unit_test(tells_bad_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
