/* SPDX-License-Identifier: Apache-2.0
 * Stop 5, and the two detours: records of another shard, and suspects. */
#include "base/clock.h"
#include "mq/names.h"
#include "node/worker.h"

enum { SUSPECT_DELIVERY_COUNT = 3 }; /* redelivered so often: it may be what kills workers */

static bool from_suspect_queue(const struct ste_mq_delivery *delivery)
{
    return ste_bytes_equal(delivery->consumer_tag, STE_BYTES("suspect"));
}

static enum ste_code forward(struct ste_node_worker *worker, const struct ste_record *record,
                             const char *key, struct ste_error *err)
{
    struct ste_buf body = {0};
    enum ste_code rc = ste_record_encode(&body, record)
                           ? ste_relay_forward(&worker->relay, key, ste_buf_bytes(&body), err)
                           : ste_error_set(err, STE_E_NOMEM, "could not send a record on");
    ste_buf_deinit(&body);
    return rc;
}

/* Each record alone, so that only the one in hand is counted when a worker dies. */
static enum ste_code forward_suspects(struct ste_node_worker *worker, size_t first_work,
                                      struct ste_error *err)
{
    struct ste_batch *const batch = &worker->batch;
    char key[STE_MQ_NAME_BYTES];
    ste_mq_suspect_key(worker->assignment->shard, key);
    for (size_t i = first_work; i < batch->work_count; i++) {
        const enum ste_code rc = forward(worker, &batch->works[i]->record, key, err);
        if (rc != STE_OK)
            return rc;
    }
    ste_obs_add(worker->counters, STE_M_SUSPECTS, batch->work_count - first_work);
    batch->work_count = first_work;
    return STE_OK;
}

/* Placement is computed again for every record; a stranger goes to the queue it belongs to. */
static enum ste_code forward_stranger(struct ste_node_worker *worker, struct ste_work *work,
                                      unsigned shard, struct ste_error *err)
{
    char key[STE_MQ_NAME_BYTES];
    ste_mq_work_key(ste_type_queue(work->record.message.type), shard, key);
    ste_obs_add(worker->counters, STE_M_STRANGERS, 1);
    return forward(worker, &work->record, key, err);
}

static enum ste_code place(struct ste_node_worker *worker, struct ste_work *work, bool *ret_mine,
                           struct ste_error *err)
{
    const struct ste_message *const message = &work->record.message;
    const unsigned shard_count = worker->daemon->cluster->shard_count;
    uint32_t slot;
    if (message->exc.code != STE_C_NONE) {
        slot = ste_slot_of_hash(ste_hash_of(message->original));
    } else {
        if (!ste_trade_identify(message, &worker->rules.match_key, worker->batch.arena, &work->id))
            return ste_error_set(err, STE_E_NOMEM, "could not identify a trade");
        slot = work->id.slot;
    }
    work->record.slot = slot;
    const unsigned shard = ste_shard_of_slot(slot, shard_count);
    *ret_mine = shard == worker->assignment->shard;
    return *ret_mine ? STE_OK : forward_stranger(worker, work, shard, err);
}

/* Keeps the records of the last delivery that are this shard's. */
static enum ste_code sort_out(struct ste_node_worker *worker, size_t first_work,
                              struct ste_error *err)
{
    struct ste_batch *const batch = &worker->batch;
    const struct ste_mq_delivery *const delivery = &batch->deliveries[batch->delivery_count - 1];
    if (delivery->delivery_count >= SUSPECT_DELIVERY_COUNT && !from_suspect_queue(delivery))
        return forward_suspects(worker, first_work, err);
    size_t kept = first_work;
    for (size_t i = first_work; i < batch->work_count; i++) {
        bool mine = false;
        const enum ste_code rc = place(worker, batch->works[i], &mine, err);
        if (rc != STE_OK)
            return rc;
        if (mine)
            batch->works[kept++] = batch->works[i];
    }
    batch->work_count = kept;
    return STE_OK;
}

static enum ste_code next_delivery(struct ste_node_worker *worker, int wait_ms,
                                   struct ste_mq_delivery *ret, bool *ret_got,
                                   struct ste_error *err)
{
    if (!worker->has_aside)
        return ste_mq_receive(worker->consume, wait_ms, ret, ret_got, err);
    *ret = worker->aside;
    worker->has_aside = false;
    *ret_got = true;
    return STE_OK;
}

static enum ste_code take(struct ste_node_worker *worker, int wait_ms, bool *ret_got,
                          struct ste_error *err)
{
    struct ste_batch *const batch = &worker->batch;
    struct ste_mq_delivery delivery = {0};
    enum ste_code rc = next_delivery(worker, wait_ms, &delivery, ret_got, err);
    if (rc != STE_OK || !*ret_got)
        return rc;
    /* A suspect is decided alone: neither does it kill others, nor others it. Its tag is above all
     * those of the batch, so acking them does not ack it. */
    if (from_suspect_queue(&delivery) && batch->delivery_count > 0) {
        worker->aside = delivery;
        worker->has_aside = true;
        *ret_got = false;
        return STE_OK;
    }
    const size_t first_work = batch->work_count;
    rc = ste_batch_add(batch, &delivery, err);
    if (rc != STE_OK)
        return rc;
    ste_obs_add(worker->counters, STE_M_ARRIVALS, 1);
    ste_obs_add(worker->counters, STE_M_RECORDS, batch->work_count - first_work);
    ste_works_count(batch->works + first_work, batch->work_count - first_work,
                    worker->types.arrivals);
    return sort_out(worker, first_work, err);
}

/* The first delivery of a batch, and until when others may join it: where it was long in coming,
 * others are too far behind to wait for. */
static enum ste_code take_first(struct ste_node_worker *worker, int wait_ms, bool *ret_got,
                                uint64_t *ret_limit_ns, struct ste_error *err)
{
    const uint64_t start_ns = ste_clock_mono_ns();
    const uint64_t linger_ns = ste_batch_linger_ns(&worker->batch);
    ste_batch_clear(&worker->batch);
    const enum ste_code rc = take(worker, wait_ms, ret_got, err);
    const uint64_t now_ns = ste_clock_mono_ns();
    const uint64_t least_ns = now_ns + STE_BATCH_LINGER_MS * STE_NS_PER_MS;
    *ret_limit_ns = start_ns + linger_ns > least_ns ? start_ns + linger_ns : least_ns;
    return rc;
}

/* Path stop 5. */
enum ste_code ste_node_receive(struct ste_node_worker *worker, int wait_ms, struct ste_error *err)
{
    struct ste_batch *const batch = &worker->batch;
    bool got = false;
    uint64_t limit_ns = 0;
    enum ste_code rc = take_first(worker, wait_ms, &got, &limit_ns, err);
    while (rc == STE_OK && got && !ste_batch_full(batch)) {
        if (from_suspect_queue(&batch->deliveries[batch->delivery_count - 1]))
            break;
        const uint64_t now_ns = ste_clock_mono_ns();
        if (now_ns >= limit_ns)
            break;
        rc =
            take(worker, (int)((limit_ns - now_ns + STE_NS_PER_MS - 1) / STE_NS_PER_MS), &got, err);
    }
    if (rc == STE_OK && worker->relay.settle.awaited > 0)
        rc = ste_relay_await(&worker->relay, err);
    return rc;
}
