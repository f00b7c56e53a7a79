/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/gen.h"

#include <stdlib.h>
#include <string.h>

#include "bench/random.h"

/* Message `index` of the trade at `offset` from the first. */
struct place {
    uint32_t offset;
    uint16_t index, flags; /* STE_SET_REPEAT, STE_SET_LATE */
};

/* Places that wait until `due` places have been added; first in, first out, since all wait as long.
 */
struct waiting {
    struct {
        struct place place;
        uint64_t due;
    } * ring;
    size_t head, count, capacity;
};

/* What a run over a plan holds: one block of places, one trade, one message. */
struct run {
    const struct ste_gen_plan *plan;
    struct place *block;
    size_t count, capacity;
    uint64_t blocks_done, messages_done, added;
    struct waiting waiting;
    struct ste_gen_trade *trade;
    uint64_t trade_offset; /* of *trade; UINT64_MAX: none yet */
    struct ste_buf message;
    ste_gen_taker *take;
    void *context;
    struct ste_progress *progress;
};

uint64_t ste_gen_late_messages(const struct ste_gen_plan *plan)
{
    if (plan->shuffle_window == STE_GEN_SHUFFLE_ALL)
        return UINT64_MAX;
    return plan->shuffle_window > STE_GEN_SHUFFLE_DEFAULT ? 2 * plan->shuffle_window
                                                          : 2 * STE_GEN_SHUFFLE_DEFAULT;
}

static void draw(struct run *run, uint64_t offset)
{
    if (run->trade_offset == offset)
        return;
    ste_gen_trade_draw(&run->plan->gen, run->plan->first_trade + offset, run->trade);
    run->trade_offset = offset;
}

static enum ste_code emit(struct run *run, struct place place, struct ste_error *err)
{
    draw(run, place.offset);
    ste_buf_clear(&run->message);
    ste_gen_message_write(&run->plan->gen, run->trade, place.index, &run->message);
    if (run->message.failed)
        return ste_error_set(err, STE_E_NOMEM, "out of memory");
    const struct ste_gen_item item = {run->trade, place.index, place.flags,
                                      ste_buf_bytes(&run->message)};
    enum ste_code rc = run->take(run->context, &item, err);
    run->messages_done++;
    if (run->progress)
        ste_progress_update(run->progress, run->messages_done);
    return rc;
}

/* Fisher-Yates over the block, then out with it. */
static enum ste_code end_block(struct run *run, struct ste_error *err)
{
    struct ste_random random =
        ste_random_of(run->plan->gen.seed ^ run->plan->first_trade, run->blocks_done++, UINT64_MAX);
    for (size_t i = run->count; run->plan->shuffle_window > 0 && i > 1; i--) {
        size_t other = (size_t)ste_random_below(&random, i);
        struct place kept = run->block[i - 1];
        run->block[i - 1] = run->block[other];
        run->block[other] = kept;
    }
    enum ste_code rc = STE_OK;
    for (size_t i = 0; i < run->count && rc == STE_OK; i++)
        rc = emit(run, run->block[i], err);
    run->count = 0;
    return rc;
}

static enum ste_code add(struct run *run, struct place place, struct ste_error *err)
{
    if (run->count == run->capacity) {
        size_t capacity = run->capacity ? run->capacity * 2 : STE_GEN_SHUFFLE_DEFAULT;
        struct place *more = realloc(run->block, capacity * sizeof *more);
        if (!more)
            return ste_error_set(err, STE_E_NOMEM, "out of memory for the order of the set");
        run->block = more;
        run->capacity = capacity;
    }
    run->block[run->count++] = place;
    run->added++;
    return run->count >= run->plan->shuffle_window ? end_block(run, err) : STE_OK;
}

static enum ste_code wait_place(struct run *run, struct place place, struct ste_error *err)
{
    struct waiting *waiting = &run->waiting;
    if (waiting->count == waiting->capacity) {
        size_t capacity = waiting->capacity ? waiting->capacity * 2 : 64;
        void *more = calloc(capacity, sizeof waiting->ring[0]);
        if (!more)
            return ste_error_set(err, STE_E_NOMEM, "out of memory for what comes late");
        struct waiting old = *waiting;
        waiting->ring = more;
        waiting->head = 0;
        waiting->capacity = capacity;
        for (size_t i = 0; i < old.count; i++)
            waiting->ring[i] = old.ring[(old.head + i) % old.capacity];
        free(old.ring);
    }
    uint64_t late = ste_gen_late_messages(run->plan);
    size_t tail = (waiting->head + waiting->count++) % waiting->capacity;
    waiting->ring[tail].place = place;
    waiting->ring[tail].due = late > UINT64_MAX - run->added ? UINT64_MAX : run->added + late;
    return STE_OK;
}

static enum ste_code add_waiting(struct run *run, uint64_t due, struct ste_error *err)
{
    struct waiting *waiting = &run->waiting;
    enum ste_code rc = STE_OK;
    while (rc == STE_OK && waiting->count > 0 && waiting->ring[waiting->head].due <= due) {
        struct place place = waiting->ring[waiting->head].place;
        waiting->head = (waiting->head + 1) % waiting->capacity;
        waiting->count--;
        rc = add(run, place, err);
    }
    return rc;
}

/* A full block draws other trades: all that is asked of this one is asked before anything is added.
 */
static enum ste_code add_trade(struct run *run, uint64_t offset, struct ste_error *err)
{
    const struct ste_gen *gen = &run->plan->gen;
    uint8_t repeated[1 + 3 * STE_ACCOUNTS_MAX] = {0};
    draw(run, offset);
    unsigned count = ste_gen_message_count(run->trade), late_at = run->trade->flaw.late_at;
    for (unsigned index = 0; gen->shares.duplicate && index < count; index++)
        repeated[index] = ste_gen_is_repeated(gen, run->trade, index);
    enum ste_code rc = STE_OK;
    for (unsigned index = 0; index < count && rc == STE_OK; index++) {
        struct place place = {(uint32_t)offset, (uint16_t)index, 0};
        if (index == late_at) {
            place.flags = STE_SET_LATE;
            rc = wait_place(run, place, err);
        } else {
            rc = add(run, place, err);
        }
        place.flags = STE_SET_REPEAT;
        if (rc == STE_OK && repeated[index])
            rc = wait_place(run, place, err);
        if (rc == STE_OK)
            rc = add_waiting(run, run->added, err);
    }
    return rc;
}

enum ste_code ste_gen_run(const struct ste_gen_plan *plan, ste_gen_taker *take, void *context,
                          struct ste_progress *progress, struct ste_error *err)
{
    if (plan->trades > UINT32_MAX)
        return ste_error_set(err, STE_E_ARGUMENT, "more than 4,294,967,295 trades in one set");
    struct run run = {.plan = plan,
                      .trade = calloc(1, sizeof *run.trade),
                      .trade_offset = UINT64_MAX,
                      .take = take,
                      .context = context,
                      .progress = progress};
    enum ste_code rc = STE_OK;
    if (!run.trade)
        rc = ste_error_set(err, STE_E_NOMEM, "out of memory");
    for (uint64_t offset = 0; offset < plan->trades && rc == STE_OK; offset++)
        rc = add_trade(&run, offset, err);
    if (rc == STE_OK)
        rc = end_block(&run, err); /* so that no repeat shares a block with what it repeats */
    if (rc == STE_OK)
        rc = add_waiting(&run, UINT64_MAX, err);
    if (rc == STE_OK)
        rc = end_block(&run, err);
    free(run.waiting.ring);
    free(run.block);
    free(run.trade);
    ste_buf_deinit(&run.message);
    return rc;
}
