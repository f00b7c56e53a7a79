/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/clock.h"
#include "node/batch.h"

enum { BYTES_MAX = STE_BATCH_RECORDS_FEWEST * STE_BATCH_RECORD_BYTES };

static int open_batch(void **state)
{
    struct ste_batch *const batch = calloc(1, sizeof(*batch));
    struct ste_error err = {0};
    *state = batch;
    return batch != NULL && ste_batch_init(batch, &err) == STE_OK ? 0 : -1;
}

static int close_batch(void **state)
{
    ste_batch_deinit(*state);
    free(*state);
    return 0;
}

static void put_record(struct ste_buf *body, uint32_t index, size_t bytes)
{
    static char text[BYTES_MAX];
    const struct ste_record record = {.version = STE_RECORD_VERSION,
                                      .slot = 5,
                                      .delivery_id = STE_BYTES("sub.1.0"),
                                      .message = {.type = STE_TYPE_NOE,
                                                  .function = STE_FUNCTION_NEWM,
                                                  .index = index,
                                                  .original = {text, bytes}}};
    assert_true(ste_record_encode(body, &record));
}

/* A delivery that owns a copy of `body`, which is emptied. */
static struct ste_mq_delivery delivery_of(struct ste_buf *body)
{
    char *const owner = malloc(body->len + 1);
    assert_non_null(owner);
    if (body->len > 0)
        memcpy(owner, body->at, body->len);
    const struct ste_mq_delivery delivery = {.owner = owner, .body = {owner, body->len}};
    ste_buf_deinit(body);
    return delivery;
}

static enum ste_code add(struct ste_batch *batch, struct ste_mq_delivery delivery)
{
    struct ste_error err = {0};
    return ste_batch_add(batch, &delivery, &err);
}

static void add_records(struct ste_batch *batch, uint32_t count, size_t bytes)
{
    struct ste_buf body = {0};
    for (uint32_t i = 0; i < count; i++)
        put_record(&body, i, bytes);
    assert_int_equal(add(batch, delivery_of(&body)), STE_OK);
}

static void test_records_in_queue_order(void **state)
{
    struct ste_batch *const batch = *state;
    add_records(batch, 3, 10);
    add_records(batch, 1, 10);
    add_records(batch, 2, 10);
    static const uint32_t indexes[] = {0, 1, 2, 0, 0, 1};
    assert_int_equal(batch->delivery_count, 3);
    assert_int_equal(batch->work_count, 6);
    for (size_t i = 0; i < 6; i++) {
        const struct ste_work *const work = batch->works[i];
        assert_int_equal(work->record.message.index, indexes[i]);
        assert_int_equal(work->record.message.type, STE_TYPE_NOE);
        assert_int_equal(work->record.slot, 5);
        assert_false(work->needs_trade); /* until it is checked */
    }
    assert_false(ste_batch_full(batch));
}

static void test_packed_deliveries(void **state)
{
    struct ste_batch *const batch = *state;
    struct ste_packer packer = {0};
    struct ste_buf plain = {0}, packed = {0};
    for (uint32_t i = 0; i < 3; i++)
        put_record(&plain, i, 5000);
    const size_t plain_bytes = plain.len;
    assert_true(ste_pack(&packer, STE_PACK_FAST, ste_buf_bytes(&plain), &packed));
    assert_int_equal(add(batch, delivery_of(&packed)), STE_OK);
    assert_int_equal(batch->work_count, 3);
    assert_int_equal(batch->works[2]->record.message.index, 2);
    assert_int_equal(batch->works[2]->record.message.original.len, 5000);
    assert_int_equal(batch->body_bytes, plain_bytes); /* the bound is on what is unpacked */
    /* damaged: one exception that holds all of it */
    assert_true(ste_pack(&packer, STE_PACK_FAST, ste_buf_bytes(&plain), &packed));
    packed.len /= 2;
    const size_t half_bytes = packed.len;
    assert_int_equal(add(batch, delivery_of(&packed)), STE_OK);
    assert_int_equal(batch->work_count, 4);
    assert_int_equal(batch->works[3]->record.message.exc.code, STE_C_XCRS);
    assert_int_equal(batch->works[3]->record.message.original.len, half_bytes);
    ste_buf_deinit(&plain);
    ste_packer_deinit(&packer);
}

/* A frame of a few bytes may claim many: the room it was given counts, though it is damaged. */
static void test_damaged_frame_fills_by_its_claim(void **state)
{
    struct ste_batch *const batch = *state;
    struct ste_packer packer = {0};
    struct ste_buf plain = {0}, packed = {0};
    assert_true(ste_buf_reserve(&plain, 4 * BYTES_MAX));
    memset(plain.at, 0, 4 * BYTES_MAX);
    plain.len = 4 * BYTES_MAX;
    assert_true(ste_pack(&packer, STE_PACK_FAST, ste_buf_bytes(&plain), &packed));
    packed.len--;
    assert_true(packed.len < 1024);
    assert_int_equal(add(batch, delivery_of(&packed)), STE_OK);
    assert_true(batch->body_bytes >= plain.len);
    assert_true(ste_batch_full(batch));
    ste_buf_deinit(&plain);
    ste_packer_deinit(&packer);
}

/* No row of table exception holds it whole: its start is kept, and how long it was. */
static void test_large_damaged_record_is_cut(void **state)
{
    struct ste_batch *const batch = *state;
    for (size_t more = 0; more < 2; more++) {
        const size_t bytes = STE_DELIVERY_BYTES_MAX + more;
        struct ste_buf body = {0};
        assert_true(ste_buf_reserve(&body, bytes));
        memset(body.at, 0xff, bytes);
        body.len = bytes;
        assert_int_equal(add(batch, delivery_of(&body)), STE_OK);
        const struct ste_record *const record = &batch->works[more]->record;
        assert_int_equal(record->message.exc.code, STE_C_XCRS);
        assert_int_equal(record->message.original.len, more ? STE_EXC_RAW_BYTES_MAX : bytes);
        assert_int_equal(record->signed_bytes, more ? bytes : 0);
    }
}

/* A router that kept a damaged delivery as one exception may have kept all of it. */
static void test_large_exception_is_cut(void **state)
{
    struct ste_batch *const batch = *state;
    const size_t bytes = STE_DELIVERY_BYTES_MAX + 1;
    char *const text = calloc(1, bytes);
    struct ste_buf body = {0};
    assert_non_null(text);
    const struct ste_record large = {
        .version = STE_RECORD_VERSION,
        .delivery_id = STE_BYTES("sub.1.0"),
        .message = {.type = STE_TYPE_EXC,
                    .original = {text, bytes},
                    .exc = {.code = STE_C_XCRS, .level = STE_LEVEL_REJECT}}};
    assert_true(ste_record_encode(&body, &large));
    assert_int_equal(add(batch, delivery_of(&body)), STE_OK);
    assert_int_equal(batch->works[0]->record.message.original.len, STE_EXC_RAW_BYTES_MAX);
    assert_int_equal(batch->works[0]->record.signed_bytes, bytes);
    free(text);
}

static void test_full_by_records(void **state)
{
    struct ste_batch *const batch = *state;
    add_records(batch, STE_BATCH_RECORDS_FEWEST - 1, 1);
    assert_false(ste_batch_full(batch));
    add_records(batch, 64, 1); /* a delivery is never cut: a batch may end above its limit */
    assert_true(ste_batch_full(batch));
    assert_int_equal(batch->work_count, STE_BATCH_RECORDS_FEWEST + 63);
}

/* Wider after quick and full transactions, narrower after slow ones, never outside the bounds. */
static void test_adapts_to_the_database(void **state)
{
    struct ste_batch *const batch = *state;
    const uint64_t quick_ns = (STE_BATCH_QUICK_MS - 1) * STE_NS_PER_MS;
    const uint64_t slow_ns = (STE_BATCH_SLOW_MS + 1) * STE_NS_PER_MS;
    assert_int_equal(batch->records_max, STE_BATCH_RECORDS_FEWEST);
    add_records(batch, STE_BATCH_RECORDS_FEWEST - 1, 1);
    ste_batch_adapt(batch, quick_ns); /* not full */
    assert_int_equal(batch->records_max, STE_BATCH_RECORDS_FEWEST);
    add_records(batch, 1, 1);
    ste_batch_adapt(batch, quick_ns);
    assert_int_equal(batch->records_max, 2 * STE_BATCH_RECORDS_FEWEST);
    assert_false(ste_batch_full(batch));
    ste_batch_clear(batch);
    assert_int_equal(batch->records_max, 2 * STE_BATCH_RECORDS_FEWEST);
    add_records(batch, 4 * STE_BATCH_RECORDS_MOST, 1);
    for (unsigned i = 0; i < 9; i++)
        ste_batch_adapt(batch, quick_ns);
    assert_int_equal(batch->records_max, STE_BATCH_RECORDS_MOST);
    ste_batch_adapt(batch, slow_ns - 2 * STE_NS_PER_MS); /* neither quick nor slow */
    assert_int_equal(batch->records_max, STE_BATCH_RECORDS_MOST);
    ste_batch_adapt(batch, slow_ns);
    assert_int_equal(batch->records_max, STE_BATCH_RECORDS_MOST / 2);
    for (unsigned i = 0; i < 9; i++)
        ste_batch_adapt(batch, slow_ns);
    assert_int_equal(batch->records_max, STE_BATCH_RECORDS_FEWEST);
}

static void test_lingers_for_wide_deliveries(void **state)
{
    struct ste_batch *const batch = *state;
    assert_int_equal(ste_batch_linger_ns(batch), 0);
    add_records(batch, 1, 10);
    assert_int_equal(ste_batch_linger_ns(batch), 2 * STE_NS_PER_MS);
    add_records(batch, 8, 10); /* 4.5 on average */
    assert_int_equal(ste_batch_linger_ns(batch), 9 * STE_NS_PER_MS);
    add_records(batch, 60, 10); /* 23 */
    assert_int_equal(ste_batch_linger_ns(batch), 30 * STE_NS_PER_MS);
    ste_batch_clear(batch);
    assert_int_equal(ste_batch_linger_ns(batch), 0);
}

static void test_full_by_bytes(void **state)
{
    struct ste_batch *const batch = *state;
    add_records(batch, 1, BYTES_MAX / 2);
    assert_false(ste_batch_full(batch));
    add_records(batch, 1, BYTES_MAX / 2);
    assert_true(ste_batch_full(batch));
}

/* Their records were all another shard's and have been sent on. */
static void test_full_by_deliveries(void **state)
{
    struct ste_batch *const batch = *state;
    for (size_t i = 0; i < STE_BATCH_DELIVERIES_MAX; i++) {
        assert_false(ste_batch_full(batch));
        add_records(batch, 1, 10);
        batch->work_count = 0;
        batch->body_bytes = 0;
    }
    assert_true(ste_batch_full(batch));
}

static void assert_given_up(const struct ste_work *work, const char *rest, size_t rest_bytes)
{
    const struct ste_message *const message = &work->record.message;
    assert_int_equal(message->type, STE_TYPE_EXC);
    assert_int_equal(message->exc.code, STE_C_XCRS);
    assert_int_equal(message->exc.level, STE_LEVEL_REJECT);
    assert_true(ste_bytes_equal(message->exc.text, STE_BYTES("record damaged in its queue")));
    assert_true(ste_bytes_equal(message->original, (struct ste_bytes){rest, rest_bytes}));
    assert_false(work->needs_trade);
}

/* What stands before the damage is taken; the rest, with its first byte, is one exception. */
static void test_damaged_rest(void **state)
{
    struct ste_batch *const batch = *state;
    struct ste_buf body = {0};
    put_record(&body, 0, 10);
    const size_t first = body.len;
    put_record(&body, 1, 10);
    put_record(&body, 2, 10);
    body.at[first + 4 + 1] = 99; /* the second record's type */
    const struct ste_mq_delivery delivery = delivery_of(&body);
    assert_int_equal(add(batch, delivery), STE_OK);
    add_records(batch, 1, 10);
    assert_int_equal(batch->work_count, 3);
    assert_int_equal(batch->works[0]->record.message.type, STE_TYPE_NOE);
    assert_given_up(batch->works[1], delivery.body.at + first, delivery.body.len - first);
    assert_int_equal(batch->works[2]->record.message.type, STE_TYPE_NOE);
    assert_false(batch->newer_version);
}

static void test_an_empty_delivery_is_kept(void **state)
{
    struct ste_batch *const batch = *state;
    struct ste_buf body = {0};
    assert_int_equal(add(batch, delivery_of(&body)), STE_OK);
    add_records(batch, 1, 10);
    assert_int_equal(batch->work_count, 2);
    assert_given_up(batch->works[0], "", 0);
    assert_int_equal(batch->works[1]->record.message.type, STE_TYPE_NOE);
}

/* Two different ones must never be taken for repetitions of each other, the same one must. */
static void test_damaged_records_have_ids(void **state)
{
    struct ste_batch *const batch = *state;
    static const char *const bodies[] = {"garbage", "garbage", "other", "x"};
    for (size_t i = 0; i < 4; i++) {
        struct ste_buf body = {0};
        ste_buf_append_cstr(&body, bodies[i]);
        struct ste_mq_delivery delivery = delivery_of(&body);
        if (i == 3)
            delivery.message_id = STE_BYTES("its own");
        assert_int_equal(add(batch, delivery), STE_OK);
        assert_given_up(batch->works[i], bodies[i], strlen(bodies[i]));
    }
    struct ste_work **const works = batch->works;
    assert_true(works[0]->record.delivery_id.len > 0);
    assert_true(ste_bytes_equal(works[0]->record.delivery_id, works[1]->record.delivery_id));
    assert_false(ste_bytes_equal(works[0]->record.delivery_id, works[2]->record.delivery_id));
    assert_true(ste_bytes_equal(works[3]->record.delivery_id, STE_BYTES("its own")));
}

/* An exception record can be placed, encoded and read again, wherever it belongs. */
static void test_a_damaged_record_can_be_sent_on(void **state)
{
    struct ste_batch *const batch = *state;
    struct ste_buf body = {0}, again = {0};
    ste_buf_append_cstr(&body, "garbage");
    assert_int_equal(add(batch, delivery_of(&body)), STE_OK);
    assert_true(ste_record_encode(&again, &batch->works[0]->record));
    assert_int_equal(add(batch, delivery_of(&again)), STE_OK);
    assert_int_equal(batch->work_count, 2);
    assert_int_equal(batch->works[1]->record.message.exc.code, STE_C_XCRS);
    assert_true(ste_bytes_equal(batch->works[1]->record.message.original, STE_BYTES("garbage")));
}

static void test_give_up(void **state)
{
    struct ste_batch *const batch = *state;
    char why[] = "shard 3: could not write";
    add_records(batch, 1, 10);
    struct ste_work *const work = batch->works[0];
    work->needs_trade = true;
    ste_work_give_up(work, batch->arena, why);
    memset(why, 'x', sizeof(why)); /* the error's text does not outlive the attempt */
    assert_false(work->needs_trade);
    assert_int_equal(work->record.message.type, STE_TYPE_EXC);
    assert_int_equal(work->record.message.exc.code, STE_C_XCRS);
    assert_true(
        ste_bytes_equal(work->record.message.exc.text, STE_BYTES("shard 3: could not write")));
    assert_true(ste_bytes_equal(work->record.delivery_id, STE_BYTES("sub.1.0")));
}

static void test_newer_version(void **state)
{
    struct ste_batch *const batch = *state;
    struct ste_buf body = {0};
    put_record(&body, 0, 10);
    body.at[4] = STE_RECORD_VERSION + 1;
    assert_int_equal(add(batch, delivery_of(&body)), STE_E_RECORD_VERSION);
    assert_true(batch->newer_version);
    assert_int_equal(batch->work_count, 0); /* it is left in its queue */
    assert_int_equal(batch->delivery_count, 1);
}

static void test_used_again_and_again(void **state)
{
    struct ste_batch *const batch = *state;
    for (int round = 0; round < 5; round++) {
        for (int i = 0; i < 20; i++)
            add_records(batch, 40, 100);
        assert_int_equal(batch->work_count, 800);
        ste_batch_clear(batch);
        assert_int_equal(batch->work_count, 0);
        assert_int_equal(batch->delivery_count, 0);
        assert_int_equal(batch->body_bytes, 0);
        assert_int_equal(ste_arena_used(batch->arena), 0);
        assert_false(ste_batch_full(batch));
    }
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, open_batch, close_batch)
    const struct CMUnitTest tests[] = {
        TEST(test_records_in_queue_order),
        TEST(test_packed_deliveries),
        TEST(test_damaged_frame_fills_by_its_claim),
        TEST(test_large_damaged_record_is_cut),
        TEST(test_large_exception_is_cut),
        TEST(test_full_by_records),
        TEST(test_adapts_to_the_database),
        TEST(test_lingers_for_wide_deliveries),
        TEST(test_full_by_bytes),
        TEST(test_full_by_deliveries),
        TEST(test_damaged_rest),
        TEST(test_an_empty_delivery_is_kept),
        TEST(test_damaged_records_have_ids),
        TEST(test_a_damaged_record_can_be_sent_on),
        TEST(test_give_up),
        TEST(test_newer_version),
        TEST(test_used_again_and_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
