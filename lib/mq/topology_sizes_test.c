/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "mq/topology_sizes.h"

static const uint64_t gb = 1000000000;

static struct ste_cluster cluster_of(unsigned rate, unsigned minutes, unsigned shards)
{
    return (struct ste_cluster){
        .design_rate = rate, .outage_allowance_min = minutes, .shard_count = shards};
}

/* 10,000/s for an hour at 2 kB are 72 GB; no type has more than 2/7 of them. */
static void test_the_whole_allowance(void **state)
{
    (void)state;
    struct ste_cluster cluster = cluster_of(10000, 60, 4);
    struct ste_topology_sizes sizes = ste_topology_sizes_of(&cluster, 10, 0);
    assert_true(sizes.work == 72 * gb * 2 / 7 / 4);
    assert_true(sizes.in == 18 * gb);
    assert_true(sizes.cls == 18 * gb);
    assert_true(sizes.reply == 9 * gb / 10);
    assert_int_equal(ste_topology_minutes(&cluster, 0), 60);
    uint64_t sum = ste_topology_sizes_sum(&cluster, 10, &sizes);
    assert_true(sum == sizes.in + sizes.cls + 10 * sizes.reply + sizes.exception + sizes.dead +
                           4 * (5 * sizes.work + sizes.suspect));
    assert_int_equal(ste_topology_step(&cluster, 10, sum * 2, 0), 0);
}

/* One queue per type of one shard alone holds the whole allowance of that shard. */
static void test_a_shard_holds_its_allowance(void **state)
{
    (void)state;
    for (unsigned shards = 1; shards <= 16; shards++) {
        struct ste_cluster cluster = cluster_of(20000, 30, shards);
        struct ste_topology_sizes sizes = ste_topology_sizes_of(&cluster, 1, 0);
        uint64_t shard_bytes = (uint64_t)20000 * 30 * 60 * 1500 / shards;
        assert_true(sizes.work > shard_bytes * 2 / 7);
    }
}

static void test_steps_shrink_steadily(void **state)
{
    (void)state;
    struct ste_cluster cluster = cluster_of(10000, 60, 2);
    struct ste_topology_sizes before = ste_topology_sizes_of(&cluster, 3, 0);
    for (unsigned step = 1; step < STE_TOPOLOGY_STEPS; step++) {
        struct ste_topology_sizes sizes = ste_topology_sizes_of(&cluster, 3, step);
        assert_true(sizes.work <= before.work && sizes.in <= before.in);
        assert_true(sizes.work >= before.work / 2);
        assert_true(ste_topology_minutes(&cluster, step) <=
                    ste_topology_minutes(&cluster, step - 1));
        before = sizes;
    }
    assert_int_equal(ste_topology_minutes(&cluster, 8), 30);
}

static void test_a_smaller_disk_gives_smaller_queues_that_fit(void **state)
{
    (void)state;
    struct ste_cluster cluster = cluster_of(10000, 60, 2);
    for (uint64_t disk = 4 * gb; disk <= 400 * gb; disk += 4 * gb) {
        unsigned step = ste_topology_step(&cluster, 100, disk, 0);
        assert_true(step < STE_TOPOLOGY_NO_STEP);
        struct ste_topology_sizes sizes = ste_topology_sizes_of(&cluster, 100, step);
        assert_true(ste_topology_sizes_sum(&cluster, 100, &sizes) <= disk / 100 * 60);
        if (step > 0) { /* not smaller than it need be */
            sizes = ste_topology_sizes_of(&cluster, 100, step - 1);
            assert_true(ste_topology_sizes_sum(&cluster, 100, &sizes) > disk / 100 * 60);
        }
    }
}

static void test_a_tiny_disk_is_refused(void **state)
{
    (void)state;
    struct ste_cluster cluster = cluster_of(10000, 60, 16);
    assert_int_equal(ste_topology_step(&cluster, 100, 1 * gb, 0), STE_TOPOLOGY_NO_STEP);
    assert_int_equal(ste_topology_step(&cluster, 100, 0, 0), STE_TOPOLOGY_NO_STEP);
}

/* What was sized once is kept while the disk fills and empties; and redone when it must be, or when
 * there is much more room. */
static void test_an_earlier_sizing_is_kept(void **state)
{
    (void)state;
    struct ste_cluster cluster = cluster_of(10000, 60, 2);
    unsigned step = ste_topology_step(&cluster, 3, 60 * gb, 0);
    uint64_t in_bytes = ste_topology_sizes_of(&cluster, 3, step).in;
    assert_int_equal(ste_topology_step(&cluster, 3, 50 * gb, in_bytes), step);
    assert_int_equal(ste_topology_step(&cluster, 3, 70 * gb, in_bytes), step);
    assert_true(ste_topology_step(&cluster, 3, 50 * gb, 0) > step);
    assert_true(ste_topology_step(&cluster, 3, 30 * gb, in_bytes) > step);
    assert_true(ste_topology_step(&cluster, 3, 300 * gb, in_bytes) < step);
    assert_int_equal(ste_topology_step(&cluster, 3, 60 * gb, 12345), step); /* not one of ours */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_whole_allowance),
        cmocka_unit_test(test_a_shard_holds_its_allowance),
        cmocka_unit_test(test_steps_shrink_steadily),
        cmocka_unit_test(test_a_smaller_disk_gives_smaller_queues_that_fit),
        cmocka_unit_test(test_a_tiny_disk_is_refused),
        cmocka_unit_test(test_an_earlier_sizing_is_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
