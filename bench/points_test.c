/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/points.h"

#include <math.h>
#include <unistd.h>

#include "base/testing.h"
#include "bench/model_points.h"

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
    static const char *const good[] = {"a", NULL}, *const bad[] = {"a", "b", NULL};
    assert_int_equal(ste_points_check(&points, good, &err), STE_OK);
    assert_int_equal(ste_points_check(&points, bad, &err), STE_E_PARSE);
    assert_non_null(strstr(err.text, "column b"));
    assert_true(isnan(ste_median(NULL, 0)));
    ste_arena_free(arena);
}

static void points_to_predict_know_their_shares(void **state)
{
    (void)state;
    struct ste_arena *arena = ste_arena_new(0);
    struct ste_points points;
    struct ste_model_point *items = NULL;
    size_t count = 0;
    assert_ok(
        read_text("nodes,shards,run,msg_per_s,node_cpu,shard_cpu\n2,4,1,100,0.08,0.15\n"
                  "2,4,1,300,none,0\n2,4,2,120,0.08,0.15\n1,4,1,70,,0.15\n2,4,3,90,0.08,0.15\n",
                  arena, &points, &err));
    assert_ok(ste_model_points_of(&points, arena, &items, &count, &err));
    assert_int_equal(count, 3);
    assert_true(items[0].nodes == 1 && items[0].msg_per_s == 70);
    assert_true(isnan(items[0].node_cpu) && items[0].shard_cpu == .15);
    assert_true(items[1].msg_per_s == 300 && items[1].node_cpu == 0 && items[1].shard_cpu == 0);
    assert_true(items[2].msg_per_s == 100 && items[2].node_cpu == .08);
    assert_ok(read_text("nodes,shards,msg_per_s\n2,4,100\n2,4,110\n", arena, &points, &err));
    assert_ok(ste_model_points_of(&points, arena, &items, &count, &err));
    assert_int_equal(count, 1);
    assert_true(isnan(items[0].node_cpu) && isnan(items[0].shard_cpu));
    struct ste_error err = {0};
    assert_int_equal(
        read_text("nodes,shards,msg_per_s,node_cpu\n2,4,100,1\n2,4,9,half\n", arena, &points, &err),
        STE_OK);
    assert_int_equal(ste_model_points_of(&points, arena, &items, &count, &err), STE_E_PARSE);
    assert_non_null(strstr(err.place, "row 2"));
    assert_non_null(strstr(err.text, "node_cpu"));
    static const char *const no_points[] = {"1.5,4", "2,17", "0,1"};
    for (size_t i = 0; i < sizeof no_points / sizeof *no_points; i++) {
        char text[64];
        (void)snprintf(text, sizeof text, "nodes,shards,msg_per_s\n%s,100\n", no_points[i]);
        assert_int_equal(read_text(text, arena, &points, &err), STE_OK);
        assert_int_equal(ste_model_points_of(&points, arena, &items, &count, &err), STE_E_PARSE);
    }
    ste_arena_free(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gathers_runs),
        cmocka_unit_test(tells_bad_files),
        cmocka_unit_test(points_to_predict_know_their_shares),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
