/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/gen.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "bench/random.h"
#include "msg/signature.h"

/* Message `index` of the trade at `offset` from the first. */
struct place {
    uint32_t offset, index;
};

/* What a run over a plan holds: one block of places, one trade, one message. */
struct run {
    const struct ste_gen_plan *plan;
    struct place *block;
    size_t count, capacity;
    uint64_t blocks_done, messages_done;
    struct ste_gen_trade *trade;
    uint64_t trade_offset; /* of *trade; UINT64_MAX: none yet */
    struct ste_buf message;
    ste_gen_taker *take;
    void *context;
    struct ste_progress *progress;
};

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
    enum ste_code rc =
        run->take(run->context, run->trade, place.index, ste_buf_bytes(&run->message), err);
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
    return run->count >= run->plan->shuffle_window ? end_block(run, err) : STE_OK;
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
    for (uint64_t offset = 0; offset < plan->trades && rc == STE_OK; offset++) {
        draw(&run, offset);
        unsigned count = ste_gen_message_count(run.trade);
        for (unsigned index = 0; index < count && rc == STE_OK; index++)
            rc = add(&run, (struct place){(uint32_t)offset, index}, err);
        /* A full block draws other trades, but the count was taken before. */
    }
    if (rc == STE_OK)
        rc = end_block(&run, err);
    free(run.block);
    free(run.trade);
    ste_buf_deinit(&run.message);
    return rc;
}

struct set_run {
    const struct ste_gen_plan *plan;
    struct ste_set_writer writer;
};

static enum ste_code take_into_set(void *context, const struct ste_gen_trade *trade, unsigned index,
                                   struct ste_bytes message, struct ste_error *err)
{
    struct set_run *run = context;
    struct ste_set_entry entry;
    uint8_t sha256[32];
    ste_gen_message_entry(&run->plan->gen, trade, index, &entry);
    ste_sha256(message, sha256);
    memcpy(entry.sha256_start, sha256, sizeof entry.sha256_start);
    entry.trade = (uint32_t)(trade->number - run->plan->first_trade);
    return ste_set_add(&run->writer, message, &entry, err);
}

enum ste_code ste_gen_set(const struct ste_gen_plan *plan, const char *folder,
                          struct ste_progress *progress, struct ste_error *err)
{
    struct set_run run = {.plan = plan};
    struct ste_set_header header = {.trade_date = plan->gen.data->trade_date,
                                    .seed = plan->gen.seed,
                                    .shuffle_window = plan->shuffle_window,
                                    .first_trade = plan->first_trade};
    enum ste_code rc = ste_set_create(&run.writer, folder, &header, err);
    if (rc == STE_OK)
        rc = ste_gen_run(plan, take_into_set, &run, progress, err);
    if (rc == STE_OK)
        rc = ste_set_finish(&run.writer, plan->trades, err);
    ste_set_abandon(&run.writer);
    return rc;
}

static enum ste_code take_into_file(void *context, const struct ste_gen_trade *trade,
                                    unsigned index, struct ste_bytes message, struct ste_error *err)
{
    (void)trade;
    (void)index;
    FILE *file = context;
    if (fwrite(message.at, message.len, 1, file) != 1 || fputc('\n', file) == EOF)
        return ste_error_set(err, STE_E_FILE, "could not write the file: %s", strerror(errno));
    return STE_OK;
}

enum ste_code ste_gen_file(const struct ste_gen_plan *plan, const char *path,
                           struct ste_progress *progress, struct ste_error *err)
{
    FILE *file = strcmp(path, "-") == 0 ? stdout : fopen(path, "we");
    if (!file)
        return ste_error_set(err, STE_E_FILE, "could not open %s: %s", path, strerror(errno));
    enum ste_code rc = STE_OK;
    if (fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
              "<TradeMessages xmlns=\"urn:ste:trade:1\">\n",
              file) == EOF)
        rc = ste_error_set(err, STE_E_FILE, "could not write %s: %s", path, strerror(errno));
    if (rc == STE_OK)
        rc = ste_gen_run(plan, take_into_file, file, progress, err);
    if (rc == STE_OK && (fputs("</TradeMessages>\n", file) == EOF || fflush(file) != 0))
        rc = ste_error_set(err, STE_E_FILE, "could not write %s: %s", path, strerror(errno));
    if (file != stdout && fclose(file) != 0 && rc == STE_OK)
        rc = ste_error_set(err, STE_E_FILE, "could not close %s: %s", path, strerror(errno));
    return rc;
}
