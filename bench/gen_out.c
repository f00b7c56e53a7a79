/* SPDX-License-Identifier: Apache-2.0
 * A plan's messages as a set or as a file, and what a set says of itself. */
#include "bench/gen.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "msg/signature.h"
#include "ref/conditions.h"

void ste_gen_entry(const struct ste_gen_plan *plan, const struct ste_gen_item *item,
                   struct ste_set_entry *ret)
{
    uint8_t sha256[32];
    ste_gen_message_entry(&plan->gen, item->trade, item->index, ret);
    ste_sha256(item->message, sha256);
    memcpy(ret->sha256_start, sha256, sizeof ret->sha256_start);
    ret->trade = (uint32_t)(item->trade->number - plan->first_trade);
    ret->flags |= (uint8_t)item->flags;
}

static void count_trade(const struct ste_gen_plan *plan, const struct ste_gen_trade *trade,
                        struct ste_set_header *header)
{
    unsigned count = ste_gen_message_count(trade);
    header->trades++;
    header->cls += ste_gen_clears(trade);
    header->mismatched += trade->flaw.condition != 0;
    for (unsigned index = 0; index < count; index++) {
        enum ste_gen_refusal refusal = ste_gen_refusal_of(&plan->gen, trade, index);
        ste_set_count(header, (refusal != STE_GEN_GOOD ? STE_SET_REFUSED : 0) |
                                  (refusal == STE_GEN_BROKEN_XML ? STE_SET_ALONE : 0) |
                                  (index == trade->flaw.late_at ? STE_SET_LATE : 0));
        if (ste_gen_is_repeated(&plan->gen, trade, index))
            ste_set_count(header, STE_SET_REPEAT);
    }
}

enum ste_code ste_gen_header(const struct ste_gen_plan *plan, struct ste_set_header *ret,
                             void (*each)(void *context, uint32_t offset,
                                          const struct ste_gen_trade *trade),
                             void *context, struct ste_error *err)
{
    struct ste_gen_trade *trade = calloc(1, sizeof *trade);
    if (!trade)
        return ste_error_set(err, STE_E_NOMEM, "out of memory");
    struct ste_set_header header = {.trade_date = plan->gen.data->trade_date,
                                    .seed = plan->gen.seed,
                                    .shuffle_window = plan->shuffle_window,
                                    .first_trade = plan->first_trade};
    for (uint64_t offset = 0; offset < plan->trades; offset++) {
        ste_gen_trade_draw(&plan->gen, plan->first_trade + offset, trade);
        count_trade(plan, trade, &header);
        if (each)
            each(context, (uint32_t)offset, trade);
    }
    if (plan->gen.shares.late || plan->gen.shares.duplicate)
        header.late_messages = ste_gen_late_messages(plan);
    free(trade);
    *ret = header;
    return STE_OK;
}

/* Why messages are refused and trades do not match, by code, for set.json. */
struct reasons {
    uint64_t refused[STE_GEN_REFUSAL_COUNT], differs[STE_CONDITION_COUNT];
};
struct set_run {
    const struct ste_gen_plan *plan;
    struct ste_set_writer writer;
    struct reasons reasons;
};

static void count_reason(void *context, uint32_t offset, const struct ste_gen_trade *trade)
{
    struct set_run *run = context;
    (void)offset;
    run->reasons.differs[trade->flaw.condition]++;
    unsigned count = trade->flaw.refused_count ? ste_gen_message_count(trade) : 0;
    for (unsigned index = 0; index < count; index++)
        run->reasons.refused[ste_gen_refusal_of(&run->plan->gen, trade, index)]++;
}

static void put_reasons(const void *context, struct ste_json_writer *json)
{
    const struct reasons *reasons = context;
    ste_json_put_object(json, "refused_by");
    for (unsigned i = STE_GEN_GOOD + 1; i < STE_GEN_REFUSAL_COUNT; i++) {
        if (reasons->refused[i])
            ste_json_put_uint(json, ste_gen_refusal_code(i), reasons->refused[i]);
    }
    ste_json_put_end(json);
    ste_json_put_object(json, "mismatched_by");
    for (unsigned i = 1; i < STE_CONDITION_COUNT; i++) {
        if (reasons->differs[i])
            ste_json_put_uint(json, ste_msg_code_name(ste_conditions[i].code), reasons->differs[i]);
    }
    ste_json_put_end(json);
}

static enum ste_code take_into_set(void *context, const struct ste_gen_item *item,
                                   struct ste_error *err)
{
    struct set_run *run = context;
    struct ste_set_entry entry;
    ste_gen_entry(run->plan, item, &entry);
    return ste_set_add(&run->writer, item->message, &entry, err);
}

/* The header's sums are written, and must be those that the messages gave: else the plan is not
 * what was generated. */
static enum ste_code finish_set(struct set_run *run, const struct ste_set_header *planned,
                                struct ste_error *err)
{
    struct ste_set_header written = run->writer.header;
    memcpy(written.magic, planned->magic, sizeof written.magic);
    written.version = planned->version;
    written.bytes = planned->bytes;
    if (memcmp(&written, planned, sizeof written) != 0)
        return ste_error_set(err, STE_E_PARSE, "the set is not what its plan says");
    return ste_set_finish(&run->writer, put_reasons, &run->reasons, err);
}

enum ste_code ste_gen_set(const struct ste_gen_plan *plan, const char *folder,
                          struct ste_progress *progress, struct ste_error *err)
{
    struct set_run run = {.plan = plan};
    struct ste_set_header planned;
    enum ste_code rc = ste_gen_header(plan, &planned, count_reason, &run, err);
    if (rc != STE_OK)
        return rc;
    struct ste_set_header header = planned;
    header.messages = header.stored = header.refused = header.repeats = 0;
    header.late = header.alone = 0;
    rc = ste_set_create(&run.writer, folder, &header, err);
    if (rc == STE_OK)
        rc = ste_gen_run(plan, take_into_set, &run, progress, err);
    if (rc == STE_OK)
        rc = finish_set(&run, &planned, err);
    ste_set_abandon(&run.writer);
    return rc;
}

static enum ste_code take_into_file(void *context, const struct ste_gen_item *item,
                                    struct ste_error *err)
{
    FILE *file = context;
    if (fwrite(item->message.at, item->message.len, 1, file) != 1 || fputc('\n', file) == EOF)
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
