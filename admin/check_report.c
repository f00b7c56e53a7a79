/* SPDX-License-Identifier: Apache-2.0
 * The checker's answer: a table for people, JSON for programs. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "admin/check.h"
#include "json/json.h"

struct line {
    const char *key, *text;
    uint64_t value;
};
enum { LINES = 13 };

static void fill_lines(const struct ste_check_result *result, struct line lines[static LINES])
{
    const struct line all[LINES] = {
        {"sent", "confirmed messages", result->sent},
        {"stored", "rows of message", result->stored},
        {"repeats", "confirmed again, same bytes", result->repeats},
        {"repeats_other_bytes", "same sender, trade and reference, other bytes",
         result->repeats_other},
        {"exceptions", "confirmed messages that were refused", result->exceptions},
        {"exception_rows", "rows of exception", result->exception_rows},
        {"queued", "deliveries still in queues", result->queued},
        {"outbox", "outbox rows not yet confirmed", result->outbox},
        {"trades", "trades with messages", result->trades},
        {"cleared", "trades with a CLS", result->cleared},
        {"unmatched", "complete trades whose conditions differ", result->unmatched},
        {"cls", "CLS that arrived, each counted once", result->cls},
        {"cls_again", "further deliveries of the same CLS", result->cls_again},
    };
    memcpy(lines, all, sizeof(all));
}

void ste_check_print(const struct ste_check_result *result, FILE *out)
{
    struct line lines[LINES];
    fill_lines(result, lines);
    for (size_t i = 0; i < LINES; i++)
        fprintf(out, "%-20s %12" PRIu64 "  %s\n", lines[i].key, lines[i].value, lines[i].text);
    for (unsigned i = 0; i < STE_CHECK_FAULT_COUNT; i++)
        fprintf(out, "%-20s %12" PRIu64 "%s\n", ste_check_fault_name(i), result->faults[i],
                result->faults[i] ? "  FAULT" : "");
    for (unsigned i = 0; i < STE_CHECK_FAULT_COUNT; i++) {
        for (size_t k = 0; k < result->named[i].count; k++)
            fprintf(out, "%s: %s\n", ste_check_fault_name(i), result->named[i].names[k]);
        if (result->faults[i] > result->named[i].count)
            fprintf(out, "%s: and %" PRIu64 " more\n", ste_check_fault_name(i),
                    result->faults[i] - result->named[i].count);
    }
}

static void build_json(const struct ste_check_result *result, bool at_rest, struct ste_buf *out)
{
    struct ste_json_writer writer;
    struct line lines[LINES];
    fill_lines(result, lines);
    ste_json_begin(&writer, out);
    ste_json_put_object(&writer, NULL);
    for (size_t i = 0; i < LINES; i++)
        ste_json_put_uint(&writer, lines[i].key, lines[i].value);
    for (unsigned i = 0; i < STE_CHECK_FAULT_COUNT; i++)
        ste_json_put_uint(&writer, ste_check_fault_name(i), result->faults[i]);
    ste_json_put_bool(&writer, "at_rest", at_rest);
    ste_json_put_bool(&writer, "clean", ste_check_clean(result));
    ste_json_put_object(&writer, "named");
    for (unsigned i = 0; i < STE_CHECK_FAULT_COUNT; i++) {
        ste_json_put_list(&writer, ste_check_fault_name(i));
        for (size_t k = 0; k < result->named[i].count; k++)
            ste_json_put_cstr(&writer, NULL, result->named[i].names[k]);
        ste_json_put_end(&writer);
    }
    ste_json_put_end(&writer);
    ste_json_put_end(&writer);
    ste_buf_u8(out, '\n');
}

enum ste_code ste_check_write_json(const struct ste_check_result *result, bool at_rest,
                                   const char *file, struct ste_error *err)
{
    struct ste_buf json = {0};
    enum ste_code rc = STE_OK;
    build_json(result, at_rest, &json);
    FILE *out = json.failed ? NULL : fopen(file, "w");
    if (json.failed)
        rc = ste_error_set(err, STE_E_NOMEM, "no memory for the report");
    else if (!out)
        rc = ste_error_set(err, STE_E_FILE, "could not write %s: %s", file, strerror(errno));
    if (out) {
        bool written = fwrite(json.at, 1, json.len, out) == json.len;
        if (fclose(out) != 0 || !written)
            rc = ste_error_set(err, STE_E_FILE, "could not write %s: %s", file, strerror(errno));
    }
    ste_buf_deinit(&json);
    return rc;
}
