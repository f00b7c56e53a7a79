/* SPDX-License-Identifier: Apache-2.0 */
#include "base/testing.h"

#include "router/gather.h"

static const struct ste_route noe_0 = {0, 0}, noe_1 = {0, 1}, exc_15 = {4, 15};

static int open_gather(void **state)
{
    *state = calloc(1, sizeof(struct ste_gather));
    return *state == NULL;
}

static int close_gather(void **state)
{
    ste_gather_deinit(*state);
    free(*state);
    return 0;
}

/* Adds one record whose message has `bytes` bytes. */
static void add_bytes(struct ste_gather *gather, struct ste_route route, uint64_t sequence,
                      uint64_t now_ns, size_t bytes)
{
    static char body[2 * STE_GATHER_BYTES_MAX];
    const struct ste_record record = {.message = {.type = STE_TYPE_NOE, .original = {body, bytes}}};
    assert_true(ste_gather_add(gather, route, &record, sequence, now_ns));
}

static void add(struct ste_gather *gather, struct ste_route route, uint64_t sequence,
                uint64_t now_ns)
{
    add_bytes(gather, route, sequence, now_ns, 10);
}

static struct ste_publication *send_next(struct ste_gather *gather)
{
    struct ste_publication *const publication = ste_gather_next(gather);
    assert_non_null(publication);
    assert_ptr_equal(ste_gather_next(gather), publication); /* first in line until it is sent */
    ste_gather_sent(gather, publication);
    return publication;
}

static size_t count_records(const struct ste_publication *publication)
{
    struct ste_arena *const arena = ste_arena_new(0);
    struct ste_packer packer = {0};
    struct ste_bytes body = {0};
    struct ste_record record;
    size_t count = 0;
    bool done = false;
    assert_non_null(arena);
    assert_ok(ste_unpack_if_packed(&packer, ste_buf_bytes(&publication->body), arena, &body, &err));
    ste_packer_deinit(&packer);
    struct ste_reader reader = ste_reader_of(body);
    while (ste_record_decode(&reader, arena, &record, &done, NULL) == STE_OK && !done)
        count++;
    assert_true(done);
    ste_arena_free(arena);
    return count;
}

static void test_full_by_records(void **state)
{
    struct ste_gather *const gather = *state;
    for (unsigned i = 1; i < STE_GATHER_RECORDS_MAX; i++)
        add(gather, noe_0, i, 1);
    assert_null(ste_gather_next(gather));
    assert_int_equal(gather->open_count, 1);
    add(gather, noe_0, 64, 1);
    assert_int_equal(gather->open_count, 0);
    const struct ste_publication *const publication = send_next(gather);
    assert_int_equal(publication->record_count, STE_GATHER_RECORDS_MAX);
    assert_int_equal(publication->source_count, STE_GATHER_RECORDS_MAX);
    assert_int_equal(count_records(publication), STE_GATHER_RECORDS_MAX);
    assert_null(ste_gather_next(gather));
}

/* What is large is packed, what is small is not; what does not get smaller is sent as it is. */
static void test_large_ones_are_packed(void **state)
{
    struct ste_gather *const gather = *state;
    add_bytes(gather, noe_0, 1, 1, STE_GATHER_PACK_BYTES_MIN);
    add(gather, noe_1, 1, 1);
    ste_gather_close(gather, 1, 1);
    const struct ste_publication *publication = send_next(gather);
    assert_true(ste_is_packed(ste_buf_bytes(&publication->body)));
    assert_true(publication->body.len < STE_GATHER_PACK_BYTES_MIN);
    assert_int_equal(count_records(publication), 1);
    publication = send_next(gather);
    assert_false(ste_is_packed(ste_buf_bytes(&publication->body)));
    assert_int_equal(count_records(publication), 1);
}

/* A queue's next publication waits for the confirm of the one before, up to the patience. */
static void test_waits_for_the_confirm(void **state)
{
    struct ste_gather *const gather = *state;
    add(gather, noe_0, 1, 10);
    ste_gather_close(gather, 10, 0);
    struct ste_publication *const first = send_next(gather);
    add(gather, noe_0, 2, 20);
    add(gather, noe_1, 3, 20); /* another queue does not wait */
    ste_gather_close(gather, 30, 19);
    assert_int_equal(send_next(gather)->route.shard, noe_1.shard);
    assert_null(ste_gather_next(gather));
    ste_gather_done(gather, first);
    ste_gather_close(gather, 30, 19);
    struct ste_publication *const second = send_next(gather);
    add(gather, noe_0, 4, 40);
    ste_gather_close(gather, 60, 39);
    assert_null(ste_gather_next(gather));
    ste_gather_close(gather, 60, 40); /* patience is at its end */
    struct ste_publication *const third = send_next(gather);
    add(gather, noe_0, 5, 70);
    ste_gather_wait(gather, second, 100); /* refused: no longer on its way, but the third is */
    ste_gather_close(gather, 80, 39);
    assert_null(ste_gather_next(gather));
    ste_gather_done(gather, third);
    ste_gather_close(gather, 80, 39);
    assert_int_equal(send_next(gather)->record_count, 1);
}

static void test_full_by_bytes(void **state)
{
    struct ste_gather *const gather = *state;
    add_bytes(gather, noe_0, 1, 1, STE_GATHER_BYTES_MAX / 2);
    assert_null(ste_gather_next(gather));
    add_bytes(gather, noe_0, 2, 1, STE_GATHER_BYTES_MAX / 2);
    assert_int_equal(send_next(gather)->record_count, 2);
    add_bytes(gather, noe_0, 3, 1, STE_GATHER_BYTES_MAX); /* alone when it is that large */
    assert_int_equal(send_next(gather)->record_count, 1);
}

static void test_queues_are_apart(void **state)
{
    struct ste_gather *const gather = *state;
    add(gather, noe_0, 1, 1);
    add(gather, exc_15, 1, 1);
    add(gather, noe_1, 2, 1);
    add(gather, noe_0, 2, 1);
    assert_int_equal(gather->open_count, 3);
    ste_gather_close(gather, 1, 1);
    unsigned records[3] = {0};
    for (int i = 0; i < 3; i++) {
        const struct ste_publication *const publication = send_next(gather);
        const struct ste_route route = publication->route;
        records[route.type == 4 ? 2 : route.shard] = publication->record_count;
        assert_true(route.type == 0 || route.shard == 15);
    }
    assert_int_equal(records[0], 2);
    assert_int_equal(records[1], 1);
    assert_int_equal(records[2], 1);
}

static void test_sources_are_runs(void **state)
{
    struct ste_gather *const gather = *state;
    const uint64_t sequences[] = {5, 5, 5, 6, 5, 7, 7};
    for (size_t i = 0; i < 7; i++)
        add(gather, noe_0, sequences[i], 1);
    ste_gather_close(gather, 1, 1);
    const struct ste_publication *const publication = send_next(gather);
    assert_int_equal(publication->source_count, 4);
    const uint64_t expected[4][2] = {{5, 3}, {6, 1}, {5, 1}, {7, 2}};
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(publication->sources[i].sequence, expected[i][0]);
        assert_int_equal(publication->sources[i].records, expected[i][1]);
    }
}

static void test_close_by_age(void **state)
{
    struct ste_gather *const gather = *state;
    add(gather, noe_0, 1, 100);
    add(gather, noe_1, 1, 200);
    add(gather, noe_0, 2, 900); /* joins the older one: its age is that of its first record */
    ste_gather_close(gather, 99, 99);
    assert_null(ste_gather_next(gather));
    ste_gather_close(gather, 100, 100);
    assert_int_equal(send_next(gather)->record_count, 2);
    assert_null(ste_gather_next(gather));
    ste_gather_close(gather, 1000, 1000);
    assert_int_equal(send_next(gather)->route.shard, 1);
    assert_int_equal(gather->open_count, 0);
}

static void test_ready_ones_keep_their_order(void **state)
{
    struct ste_gather *const gather = *state;
    struct ste_publication *sent[3];
    for (unsigned i = 0; i < 3; i++) {
        add(gather, noe_0, i, i);
        ste_gather_close(gather, i, i);
    }
    for (unsigned i = 0; i < 3; i++) {
        sent[i] = send_next(gather);
        assert_int_equal(sent[i]->sources[0].sequence, i);
    }
}

static void test_a_refused_one_waits_and_is_sent_again_itself(void **state)
{
    struct ste_gather *const gather = *state;
    add(gather, noe_0, 1, 1);
    add(gather, noe_1, 2, 1);
    ste_gather_close(gather, 1, 1);
    struct ste_publication *const refused = send_next(gather), *const good = send_next(gather);
    const size_t bytes = refused->body.len;
    ste_gather_wait(gather, refused, 500);
    ste_gather_done(gather, good);
    assert_int_equal(gather->waiting_count, 1);
    ste_gather_wake(gather, 499);
    assert_null(ste_gather_next(gather));
    ste_gather_wake(gather, 500);
    assert_int_equal(gather->waiting_count, 0);
    assert_ptr_equal(send_next(gather), refused);
    assert_int_equal(refused->body.len, bytes);
    assert_int_equal(refused->record_count, 1);
    assert_int_equal(refused->sources[0].sequence, 1);
}

static void test_done_ones_are_used_again(void **state)
{
    struct ste_gather *const gather = *state;
    for (unsigned i = 0; i < 1000; i++) {
        add(gather, noe_0, i, i);
        ste_gather_close(gather, i, i);
        struct ste_publication *const publication = send_next(gather);
        assert_int_equal(publication->record_count, 1);
        assert_int_equal(publication->source_count, 1);
        assert_int_equal(count_records(publication), 1);
        ste_gather_done(gather, publication);
    }
    assert_int_equal(gather->all_count, 1);
}

/* Else every publication would in time be as large as the largest exception. */
static void test_a_large_body_is_given_back(void **state)
{
    static char huge[STE_DELIVERY_BYTES_MAX];
    struct ste_gather *const gather = *state;
    const struct ste_record record = {
        .message = {.type = STE_TYPE_EXC,
                    .exc = {.code = STE_C_XSIG, .level = STE_LEVEL_REJECT},
                    .original = {huge, sizeof(huge)}}};
    assert_true(ste_gather_add(gather, exc_15, &record, 1, 1));
    struct ste_publication *const publication = send_next(gather);
    assert_true(publication->body.capacity > sizeof(huge));
    ste_gather_done(gather, publication);
    assert_int_equal(publication->body.capacity, 0);
}

static void test_many_at_once(void **state)
{
    struct ste_gather *const gather = *state;
    enum { MANY = 300 };
    for (unsigned i = 0; i < MANY; i++) {
        add(gather, noe_0, i, i);
        ste_gather_close(gather, i, i);
    }
    for (unsigned i = 0; i < MANY; i++)
        assert_int_equal(send_next(gather)->sources[0].sequence, i);
    assert_int_equal(gather->all_count, MANY);
}

/* The connection is gone: what was open, ready, sent or waiting comes again as new deliveries. */
static void test_forget(void **state)
{
    struct ste_gather *const gather = *state;
    for (unsigned i = 0; i < 3; i++) {
        add(gather, noe_0, i, i);
        ste_gather_close(gather, i, i);
    }
    (void)send_next(gather);
    ste_gather_wait(gather, send_next(gather), 10);
    add(gather, noe_1, 9, 9);
    ste_gather_forget(gather);
    assert_null(ste_gather_next(gather));
    assert_int_equal(gather->open_count, 0);
    assert_int_equal(gather->waiting_count, 0);
    ste_gather_wake(gather, 1000);
    ste_gather_close(gather, 1000, 1000);
    assert_null(ste_gather_next(gather));
    for (unsigned i = 0; i < 4; i++) { /* all four places are free, and empty */
        add(gather, noe_1, 20 + i, 20);
        ste_gather_close(gather, 20, 20);
    }
    for (unsigned i = 0; i < 4; i++)
        assert_int_equal(count_records(send_next(gather)), 1);
    assert_int_equal(gather->all_count, 4);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, open_gather, close_gather)
    const struct CMUnitTest tests[] = {
        TEST(test_full_by_records),
        TEST(test_large_ones_are_packed),
        TEST(test_waits_for_the_confirm),
        TEST(test_full_by_bytes),
        TEST(test_queues_are_apart),
        TEST(test_sources_are_runs),
        TEST(test_close_by_age),
        TEST(test_ready_ones_keep_their_order),
        TEST(test_a_refused_one_waits_and_is_sent_again_itself),
        TEST(test_done_ones_are_used_again),
        TEST(test_a_large_body_is_given_back),
        TEST(test_many_at_once),
        TEST(test_forget),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
