/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/report.h"

static double per_second(const struct ste_report *report)
{
    return report->seconds > 0 ? (double)report->messages / report->seconds : 0;
}

static void put_report(const struct ste_report *report, struct ste_facts *facts)
{
    ste_facts_bool(facts, "passed", report->passed);
    if (report->header) {
        ste_facts_uint(facts, "trades", report->header->trades);
        ste_facts_uint(facts, "refused_expected", report->header->refused);
        ste_facts_uint(facts, "duplicates_expected", report->header->repeats);
        ste_facts_uint(facts, "mismatched_expected", report->header->mismatched);
    }
    ste_facts_uint(facts, "messages", report->messages);
    ste_facts_double(facts, "seconds", report->seconds, 3);
    ste_facts_double(facts, "msg_per_s", per_second(report), 1);
    if (report->pool)
        ste_pool_put(report->pool, facts);
    if (report->drive) {
        ste_facts_uint(facts, "drivers", report->drivers);
        ste_facts_uint(facts, "skipped_messages", report->skipped_messages);
        ste_drive_put(report->drive, facts);
    }
    if (report->residence_messages > 0) {
        ste_facts_double(facts, "mean_residence_ms", report->mean_residence_ms, 3);
        ste_facts_uint(facts, "residence_messages", report->residence_messages);
    }
    if (report->latency.count > 0)
        ste_histogram_put(&report->latency, "latency_ms", facts);
    if (report->scheduled.count > 0)
        ste_histogram_put(&report->scheduled, "latency_scheduled_ms", facts);
}

enum ste_code ste_report_write(const struct ste_report *report, const char *json, const char *csv,
                               struct ste_error *err)
{
    struct ste_facts facts;
    ste_facts_init(&facts);
    put_report(report, &facts);
    enum ste_code rc = ste_facts_write(&facts, json, csv, err);
    ste_facts_deinit(&facts);
    return rc;
}

static void print_drive(const struct ste_report *report, FILE *out)
{
    const struct ste_drive *drive = report->drive;
    double seconds = ste_drive_seconds(drive);
    uint64_t sent = atomic_load(&drive->confirmed_messages);
    fprintf(out,
            "sent    %llu messages in %llu deliveries by %u driver%s, %.0f msg/s; refused %llu, "
            "returned %llu, lost with a connection %llu\n",
            (unsigned long long)sent, (unsigned long long)drive->deliveries, report->drivers,
            report->drivers == 1 ? "" : "s", seconds > 0 ? (double)sent / seconds : 0.0,
            (unsigned long long)drive->nacked, (unsigned long long)drive->returned,
            (unsigned long long)drive->lost);
}

static void print_pool(const struct ste_pool *pool, FILE *out)
{
    fprintf(out, "cleared %llu trades", (unsigned long long)atomic_load(&pool->seen_trades));
    if (pool->expect > 0)
        fprintf(out, " of %llu expected, %llu missing, %llu that should not have",
                (unsigned long long)pool->expect, (unsigned long long)ste_pool_missing(pool),
                (unsigned long long)pool->unexpected);
    fprintf(out, "; repeats %llu, conflicts %llu, not ours %llu\n",
            (unsigned long long)pool->repeats, (unsigned long long)pool->conflicts,
            (unsigned long long)(pool->unknown + pool->malformed));
}

void ste_report_print(const struct ste_report *report, FILE *out)
{
    fprintf(out, "%llu messages in %.2f s: %.0f msg/s\n", (unsigned long long)report->messages,
            report->seconds, per_second(report));
    if (report->drive)
        print_drive(report, out);
    if (report->pool)
        print_pool(report->pool, out);
    if (report->latency.count > 0)
        ste_histogram_print(&report->latency, "latency from the last confirm to the CLS:", out);
    if (report->scheduled.count > 0)
        ste_histogram_print(&report->scheduled,
                            "latency from when the last message was due (corrected for coordinated "
                            "omission):",
                            out);
    if (report->residence_messages > 0)
        fprintf(out, "mean residence of a message: %.2f ms\n", report->mean_residence_ms);
}
