/* SPDX-License-Identifier: Apache-2.0
 * What is written is what is read: trades, siblings, messages, exceptions, outbox. */
#include <pthread.h>

#include "dbshard/migrate.h"
#include "dbshard/shard_live_test.h"

/* ---- trades ---- */

void test_trade_there_and_back(void **state)
{
    struct live *live = *state;
    struct ste_shard *shard = live_open(live);
    struct ste_error err = {0};
    struct ste_trade_row rows[3];
    struct ste_trade_save save;
    char every[256];
    for (size_t i = 0; i < sizeof(every); i++)
        every[i] = (char)i;
    struct ste_trade_key_row keys[3] = {live_key(live, 10), live_key(live, 11), live_key(live, 12)};
    keys[0].trade_date -= 3; /* two dates: two statements */
    memcpy(keys[1].trade_key.bytes, "\0\0\0\x0b'\\\0\xff\"\n\x1a%_;--", 16);
    live_ok(ste_shard_begin(shard, &err), &err);
    live_ok(ste_shard_lock_and_load(shard, keys, 3, live->arena, rows, &err), &err);
    for (size_t i = 0; i < 3; i++) {
        assert_null(rows[i].state.at);
        assert_int_equal(rows[i].status, 0);
        assert_int_equal(rows[i].trade_date, keys[i].trade_date);
        assert_true(ste_bytes_equal(rows[i].identity, keys[i].identity));
    }
    save = live_save(&keys[1], (struct ste_bytes){every, sizeof(every)});
    save.status = 3;
    live_ok(ste_shard_save_trades(shard, &save, 1, &err), &err);
    live_ok(ste_shard_delete_trades(shard, keys, 3, &err), &err); /* not the one with a state */
    live_ok(ste_shard_commit(shard, &err), &err);
    assert_int_equal(live_number(shard, "SELECT COUNT(*) FROM trade WHERE slot IN (10,11,12)"), 1);

    live_ok(ste_shard_begin(shard, &err), &err);
    live_ok(ste_shard_lock_and_load(shard, keys, 3, live->arena, rows, &err), &err);
    assert_null(rows[0].state.at);
    assert_true(ste_bytes_equal(rows[1].state, (struct ste_bytes){every, sizeof(every)}));
    assert_int_equal(rows[1].status, 3);
    assert_true(ste_hash_equal(rows[1].trade_key, keys[1].trade_key));
    ste_shard_rollback(shard);
    assert_int_equal(live_number(shard, "SELECT COUNT(*) FROM trade WHERE slot IN (10,11,12)"), 1);
    assert_int_equal(live_number(shard, "SELECT COUNT(*) FROM trade WHERE slot=11 AND "
                                        "settlement_date=trade_date+INTERVAL 2 DAY AND "
                                        "broker='BROKSGSG' AND instrument='SG1L01001701'"),
                     1);
    ste_shard_close(shard);
}

void test_siblings(void **state)
{
    struct live *live = *state;
    struct ste_shard *shard = live_open(live);
    struct ste_error err = {0};
    struct ste_trade_row *found = NULL, rows[2];
    size_t count = 0;
    struct ste_trade_key_row stored[3] = {live_key(live, 20), live_key(live, 21),
                                          live_key(live, 22)};
    stored[0].trade_date -= 8; /* too far */
    stored[1].trade_date -= 7;
    for (size_t i = 0; i < 3; i++)
        stored[i].match_hash = live_key(live, 29).match_hash;
    live_store(live, shard, stored, 3, STE_BYTES("sibling"));

    struct ste_trade_key_row keys[2] = {live_key(live, 23), live_key(live, 24)};
    keys[0].match_hash = stored[0].match_hash;
    live_ok(ste_shard_begin(shard, &err), &err);
    live_ok(ste_shard_lock_and_load(shard, keys, 2, live->arena, rows, &err), &err);
    live_ok(ste_shard_load_siblings(shard, keys, 2, live->arena, &found, &count, &err), &err);
    unsigned seen[30] = {0};
    for (size_t i = 0; i < count; i++)
        seen[found[i].trade_key.bytes[3]]++;
    assert_int_equal(count, 4); /* 21, 22, and the placeholders 23 and 24 */
    assert_int_equal(seen[20], 0);
    assert_true(seen[21] == 1 && seen[22] == 1 && seen[23] == 1 && seen[24] == 1);
    ste_shard_rollback(shard);
    ste_shard_close(shard);
}

struct maker { /* makes trade `n` with a match hash that another maker uses at the same time */
    struct live *live;
    uint32_t n;
    pthread_barrier_t *inserted;
    size_t redone, others;
    enum ste_code rc;
    struct ste_error err;
};

static enum ste_code make_once(struct maker *self, struct ste_shard *shard, struct ste_arena *arena,
                               bool meet)
{
    struct ste_trade_key_row key = live_key(self->live, self->n);
    struct ste_trade_row row, *found = NULL;
    size_t count = 0;
    key.match_hash = live_key(self->live, 39).match_hash;
    enum ste_code rc = ste_shard_begin(shard, &self->err);
    if (rc == STE_OK)
        rc = ste_shard_lock_and_load(shard, &key, 1, arena, &row, &self->err);
    if (meet)
        pthread_barrier_wait(self->inserted);
    if (rc == STE_OK)
        rc = ste_shard_load_siblings(shard, &key, 1, arena, &found, &count, &self->err);
    struct ste_trade_save save = live_save(&key, STE_BYTES("made"));
    if (rc == STE_OK)
        rc = ste_shard_save_trades(shard, &save, 1, &self->err);
    if (rc == STE_OK)
        rc = ste_shard_commit(shard, &self->err);
    if (rc == STE_OK)
        self->others = count - 1;
    return rc;
}

static void *make(void *context)
{
    struct maker *self = context;
    struct ste_shard *shard = live_open(self->live);
    struct ste_arena *arena = ste_arena_new(0);
    self->rc = make_once(self, shard, arena, true);
    for (; self->rc == STE_E_SHARD_DEADLOCK && self->redone < 10; self->redone++)
        self->rc = make_once(self, shard, arena, false);
    ste_arena_free(arena);
    ste_shard_close(shard);
    return NULL;
}

/* Two siblings made at the same time: one sees the other, after a deadlock. */
void test_siblings_made_at_once(void **state)
{
    pthread_barrier_t inserted;
    pthread_t threads[2];
    pthread_barrier_init(&inserted, NULL, 2);
    struct maker makers[2] = {{.live = *state, .n = 31, .inserted = &inserted},
                              {.live = *state, .n = 32, .inserted = &inserted}};
    for (int i = 0; i < 2; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, make, &makers[i]), 0);
    for (int i = 0; i < 2; i++) {
        pthread_join(threads[i], NULL);
        live_ok(makers[i].rc, &makers[i].err);
    }
    pthread_barrier_destroy(&inserted);
    assert_int_equal(makers[0].redone + makers[1].redone, 1);
    assert_int_equal(makers[0].others + makers[1].others, 1);
}

/* ---- messages ---- */

struct writer {
    struct live *live;
    uint32_t base;
    size_t packet_max; /* 0: as the server says, so that prepared statements take most rows */
    struct ste_error err;
    enum ste_code rc;
};

enum { WRITER_BATCHES = 40, WRITER_ROWS = 57 };

/* slot is the row's number: ids as returned must lead to the row they were given for. */
static void *write_many(void *context)
{
    struct writer *self = context;
    struct ste_shard *shard = live_open(self->live);
    struct ste_message_row rows[WRITER_ROWS];
    uint64_t ids[WRITER_ROWS];
    if (self->packet_max)
        shard->packet_max = self->packet_max;
    for (uint32_t b = 0; self->rc == STE_OK && b < WRITER_BATCHES; b++) {
        for (uint32_t i = 0; i < WRITER_ROWS; i++)
            rows[i] = live_message(self->live, self->base + b * WRITER_ROWS + i, STE_BYTES("body"));
        self->rc = ste_shard_begin(shard, &self->err);
        if (self->rc == STE_OK)
            self->rc = ste_shard_insert_messages(shard, rows, WRITER_ROWS, ids, &self->err);
        if (self->rc == STE_OK)
            self->rc = ste_shard_commit(shard, &self->err);
        for (uint32_t i = 0; self->rc == STE_OK && i < WRITER_ROWS; i++) {
            char sql[96];
            snprintf(sql, sizeof(sql), "SELECT slot FROM message WHERE id=%llu",
                     (unsigned long long)ids[i]);
            if (live_number(shard, sql) != rows[i].slot)
                self->rc = ste_error_set(&self->err, STE_E_SHARD_ROW, "id %llu is another row's",
                                         (unsigned long long)ids[i]);
        }
    }
    ste_shard_close(shard);
    return NULL;
}

void test_message_ids_of_two_writers(void **state)
{
    struct writer writers[2] = {
        {.live = *state, .base = 100000},
        {.live = *state, .base = 200000, .packet_max = 4096}}; /* several statements of text */
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, write_many, &writers[i]), 0);
    for (int i = 0; i < 2; i++) {
        pthread_join(threads[i], NULL);
        live_ok(writers[i].rc, &writers[i].err);
    }
}

enum { BODIES = 57 }; /* 32 and 16 prepared, 9 as text */

struct body_back {
    const struct ste_message_row *rows;
    unsigned encoding;
    size_t seen;
};

static enum ste_code body_row(void *context, char **values, const unsigned long *lengths,
                              struct ste_error *err)
{
    struct body_back *back = context;
    struct ste_packer packer = {0};
    struct ste_buf unpacked = {0};
    struct ste_bytes body;
    const struct ste_message_row *row =
        &back->rows[ste_shard_value_u64(values, lengths, 2) - back->rows[0].slot];
    assert_int_equal(ste_shard_value_u64(values, lengths, 0), back->encoding);
    live_ok(ste_body_unpack(back->encoding, ste_shard_value(values, lengths, 1), &packer, &unpacked,
                            &body, err),
            err);
    assert_true(ste_bytes_equal(body, row->body));
    assert_true(ste_bytes_equal(ste_shard_value(values, lengths, 3), row->reference));
    assert_int_equal(ste_shard_value_date(values, lengths, 4), row->trade_date);
    struct ste_hash key = ste_shard_value_hash(values, lengths, 5);
    assert_true(ste_hash_equal(key, row->trade_key));
    assert_int_equal(ste_shard_value_u64(values, lengths, 6), row->received_us);
    back->seen++;
    ste_packer_deinit(&packer);
    ste_buf_deinit(&unpacked);
    return STE_OK;
}

/* Every byte value comes back, by prepared statements and by text, compressed or not. */
void test_bodies(void **state)
{
    struct live *live = *state;
    struct ste_shard *shard = live_open(live);
    struct ste_error err = {0};
    static char text[BODIES][1500];
    struct ste_message_row rows[BODIES];
    uint64_t ids[BODIES];
    char sql[160];
    for (uint32_t compress = 0; compress < 2; compress++) {
        for (uint32_t i = 0; i < BODIES; i++) {
            for (size_t k = 0; k < sizeof(text[i]); k++)
                text[i][k] = (char)(k < 256 ? k + i : 'x');
            rows[i] = live_message(live, 400000 + compress * 1000 + i,
                                   (struct ste_bytes){text[i], sizeof(text[i])});
            rows[i].received_us = UINT64_MAX - i;
        }
        ste_shard_compress(shard, compress);
        live_ok(ste_shard_begin(shard, &err), &err);
        live_ok(ste_shard_insert_messages(shard, rows, BODIES, ids, &err), &err);
        struct body_back back = {rows, compress, 0};
        snprintf(sql, sizeof(sql),
                 "SELECT encoding,body,slot,reference,trade_date,trade_key,"
                 "received_us FROM message WHERE slot BETWEEN %u AND %u",
                 rows[0].slot, rows[BODIES - 1].slot);
        live_ok(ste_shard_select(shard, ste_bytes_of(sql), "read", body_row, &back, &err), &err);
        assert_int_equal(back.seen, BODIES);
        live_ok(ste_shard_commit(shard, &err), &err);
    }
    ste_shard_close(shard);
}

/* A prepared statement meets a bad row, and partitions that were added since. */
void test_prepared_failures(void **state)
{
    struct live *live = *state;
    struct ste_shard *shard = live_open(live);
    struct ste_error err = {0};
    struct ste_message_row rows[16];
    uint64_t ids[16];
    const ste_date day = live->lab.cluster.business_date + 40;
    for (uint32_t i = 0; i < 16; i++)
        rows[i] = live_message(live, 500000 + i, STE_BYTES("body"));
    rows[7].trade_date = day;
    live_ok(ste_shard_begin(shard, &err), &err);
    assert_int_equal(ste_shard_insert_messages(shard, rows, 16, ids, &err), STE_E_SHARD_ROW);
    live_ok(ste_day_change(&live->lab.cluster, STE_DAY_OPEN, day, &err), &err);
    live_ok(ste_shard_begin(shard, &err), &err);
    live_ok(ste_shard_insert_messages(shard, rows, 16, ids, &err), &err);
    live_ok(ste_shard_commit(shard, &err), &err);
    assert_int_equal(live_number(shard, "SELECT COUNT(*) FROM message WHERE slot BETWEEN 500000 "
                                        "AND 500015"),
                     16);
    live_kill(live, mysql_thread_id(shard->db));
    live_ok(ste_shard_begin(shard, &err), &err);
    assert_int_equal(ste_shard_insert_messages(shard, rows, 16, ids, &err), STE_E_SHARD_DOWN);
    assert_int_equal(ste_shard_insert_messages(shard, rows, 16, ids, &err), STE_E_SHARD_DOWN);
    ste_shard_close(shard);
}

/* ---- exceptions ---- */

static struct ste_exception_row exception_of(const struct live *live, uint8_t n,
                                             const char *delivery, uint32_t index)
{
    static const uint8_t sha256[32] = {9};
    static const char long_text[5000] = "longer than its column";
    return (struct ste_exception_row){.business_day = live->lab.cluster.business_date,
                                      .hash = {{n}},
                                      .slot = 50u + n,
                                      .code = STE_BYTES("XWEL"),
                                      .place = STE_BYTES("1:2"),
                                      .text = {long_text, sizeof(long_text)},
                                      .findings = STE_BYTES("XWEL 1:2"),
                                      .trade_reference = {long_text, sizeof(long_text)},
                                      .delivery_id = ste_bytes_of(delivery),
                                      .delivery_index = index,
                                      .type = 5,
                                      .received_us = 1,
                                      .raw = STE_BYTES("<broken"),
                                      .raw_bytes_total = 7,
                                      .signed_sha256 = sha256};
}

static void insert_exceptions(struct ste_shard *shard, const struct ste_exception_row *rows,
                              size_t count)
{
    struct ste_error err = {0};
    live_ok(ste_shard_begin(shard, &err), &err);
    live_ok(ste_shard_insert_exceptions(shard, rows, count, &err), &err);
    live_ok(ste_shard_commit(shard, &err), &err);
}

void test_exceptions_are_counted(void **state)
{
    struct live *live = *state;
    struct ste_shard *shard = live_open(live);
    static const char repeats[] = "SELECT repeats FROM exception WHERE slot=51";
    struct ste_exception_row rows[3] = {exception_of(live, 3, "a", 0),
                                        exception_of(live, 1, "a", 1),
                                        exception_of(live, 1, "b", 0)};
    insert_exceptions(shard, rows, 2);
    assert_int_equal(live_number(shard, repeats), 0);
    insert_exceptions(shard, &rows[1], 1); /* redelivered */
    assert_int_equal(live_number(shard, repeats), 0);
    insert_exceptions(shard, &rows[2], 1);
    assert_int_equal(live_number(shard, repeats), 1);
    insert_exceptions(shard, &rows[2], 1); /* redelivered */
    insert_exceptions(shard, &rows[1], 1);
    assert_int_equal(live_number(shard, repeats), 1);
    assert_int_equal(live_number(shard, "SELECT COUNT(*) FROM exception WHERE delivery_id='a' AND "
                                        "LENGTH(text)=512 AND LENGTH(trade_reference)=255"),
                     2);
    ste_shard_close(shard);
}

struct refuser { /* inserts the same exceptions as another one, in its own order */
    struct live *live;
    pthread_barrier_t *start;
    bool backwards;
    size_t deadlocks;
    enum ste_code rc;
    struct ste_error err;
};

enum { REFUSED = 40, REFUSALS = 100 };

static void *refuse(void *context)
{
    struct refuser *self = context;
    struct ste_shard *shard = live_open(self->live);
    struct ste_exception_row rows[REFUSED];
    for (int round = 0; self->rc == STE_OK && round < REFUSALS; round++) {
        for (unsigned i = 0; i < REFUSED; i++) {
            unsigned n = self->backwards ? REFUSED - 1 - i : i;
            rows[i] = exception_of(self->live, (uint8_t)(100 + n), "c", n);
        }
        pthread_barrier_wait(self->start);
        self->rc = ste_shard_begin(shard, &self->err);
        if (self->rc == STE_OK)
            self->rc = ste_shard_insert_exceptions(shard, rows, REFUSED, &self->err);
        if (self->rc == STE_OK)
            self->rc = ste_shard_commit(shard, &self->err);
        if (self->rc == STE_E_SHARD_DEADLOCK) {
            self->deadlocks++;
            self->rc = STE_OK;
        }
    }
    ste_shard_close(shard);
    return NULL;
}

/* Rows go in key order, whatever order they came in: nobody waits in a circle. */
void test_exceptions_never_deadlock(void **state)
{
    pthread_barrier_t start;
    pthread_t threads[2];
    pthread_barrier_init(&start, NULL, 2);
    struct refuser refusers[2] = {{.live = *state, .start = &start},
                                  {.live = *state, .start = &start, .backwards = true}};
    for (int i = 0; i < 2; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, refuse, &refusers[i]), 0);
    for (int i = 0; i < 2; i++) {
        pthread_join(threads[i], NULL);
        live_ok(refusers[i].rc, &refusers[i].err);
    }
    pthread_barrier_destroy(&start);
    assert_int_equal(refusers[0].deadlocks + refusers[1].deadlocks, 0);
}

/* ---- outbox ---- */

void test_outbox(void **state)
{
    struct live *live = *state;
    struct ste_shard *shard = live_open(live), *other = live_open(live);
    struct ste_error err = {0};
    const struct ste_bytes bcc[2] = {STE_BYTES("reply.AAAASGSG"), STE_BYTES("reply.BBBBSGSG")};
    const struct ste_outbox_row rows[2] = {{.routing_key = STE_BYTES("cls.00"),
                                            .message_id = STE_BYTES("k.1"),
                                            .record_count = 1,
                                            .body = STE_BYTES("<cls/>")},
                                           {.routing_key = STE_BYTES("reply.CCCCSGSG"),
                                            .bcc = bcc,
                                            .bcc_count = 2,
                                            .message_id = STE_BYTES("k.2"),
                                            .record_count = 3,
                                            .body = STE_BYTES("it's")}};
    uint64_t ids[2] = {0};
    struct ste_outbox_swept *swept = NULL;
    size_t count = 99;
    live_ok(ste_shard_begin(shard, &err), &err);
    live_ok(ste_shard_insert_outbox(shard, 7, rows, 2, ids, &err), &err);
    live_ok(ste_shard_commit(shard, &err), &err);
    assert_int_equal(ids[1], ids[0] + 1);

    live_ok(ste_shard_sweep_outbox(shard, 60000, 10, live->arena, &swept, &count, &err), &err);
    assert_int_equal(count, 0); /* too young */
    ste_shard_rollback(shard);
    live_ok(ste_shard_sweep_outbox(shard, 0, 1, live->arena, &swept, &count, &err), &err);
    assert_int_equal(count, 1);
    assert_int_equal(swept[0].id, ids[0]);
    /* another sweeper skips what this one holds */
    live_ok(ste_shard_sweep_outbox(other, 0, 10, live->arena, &swept, &count, &err), &err);
    assert_int_equal(count, 1);
    assert_int_equal(swept[0].id, ids[1]);
    assert_int_equal(swept[0].row.bcc_count, 2);
    assert_true(ste_bytes_equal(swept[0].row.bcc[0], bcc[0]));
    assert_true(ste_bytes_equal(swept[0].row.bcc[1], bcc[1]));
    assert_true(ste_bytes_equal(swept[0].row.body, rows[1].body));
    assert_true(ste_bytes_equal(swept[0].row.routing_key, rows[1].routing_key));
    assert_true(ste_bytes_equal(swept[0].row.message_id, rows[1].message_id));
    assert_int_equal(swept[0].row.record_count, 3);
    live_ok(ste_shard_delete_outbox(other, &ids[1], 1, &err), &err);
    live_ok(ste_shard_commit(other, &err), &err);
    ste_shard_rollback(shard);
    assert_int_equal(live_number(shard, "SELECT COUNT(*) FROM outbox"), 1);
    live_ok(ste_shard_delete_outbox(shard, ids, 2, &err), &err); /* a transaction of its own */
    assert_int_equal(live_number(other, "SELECT COUNT(*) FROM outbox"), 0);
    ste_shard_close(shard);
    ste_shard_close(other);
}
