/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static double per_second(const struct ste_report *report)
{
    return report->seconds > 0 ? (double)report->messages / report->seconds : 0;
}

static void write_json(const struct ste_report *report, FILE *out)
{
    fprintf(out, "{\"passed\": %s, ", report->passed ? "true" : "false");
    if (report->set)
        fprintf(out, "\"trades\": %llu, ", (unsigned long long)report->set->header->trades);
    fprintf(out, "\"messages\": %llu, \"seconds\": %.3f, \"msg_per_s\": %.1f",
            (unsigned long long)report->messages, report->seconds, per_second(report));
    if (report->pool) {
        fputs(", ", out);
        ste_pool_json(report->pool, out);
    }
    if (report->drive) {
        fputs(", ", out);
        ste_drive_json(report->drive, out);
    }
    if (report->latency.count > 0) {
        fputs(", \"latency_ms\": ", out);
        ste_histogram_json(&report->latency, out);
    }
    fputs("}\n", out);
}

enum ste_code ste_report_json(const struct ste_report *report, const char *path,
                              struct ste_error *err)
{
    if (!path)
        return STE_OK;
    bool standard = strcmp(path, "-") == 0;
    FILE *out = standard ? stdout : fopen(path, "we");
    if (!out)
        return ste_error_set(err, STE_E_FILE, "could not open %s: %s", path, strerror(errno));
    write_json(report, out);
    bool good = fflush(out) == 0 && !ferror(out);
    if (!standard && fclose(out) != 0)
        good = false;
    return good ? STE_OK
                : ste_error_set(err, STE_E_FILE, "could not write %s: %s", path, strerror(errno));
}

static double percentile_ms(const struct ste_report *report, double percent)
{
    return (double)ste_histogram_percentile_us(&report->latency, percent) / 1000.0;
}

void ste_report_print(const struct ste_report *report, FILE *out)
{
    fprintf(out, "%llu messages in %.2f s: %.0f msg/s\n", (unsigned long long)report->messages,
            report->seconds, per_second(report));
    if (report->drive) {
        double seconds = ste_drive_seconds(report->drive);
        uint64_t sent = atomic_load(&report->drive->confirmed_messages);
        fprintf(
            out,
            "sent    %llu messages in %llu deliveries, %.0f msg/s; refused %llu, returned %llu, "
            "lost with a connection %llu\n",
            (unsigned long long)sent, (unsigned long long)report->drive->deliveries,
            seconds > 0 ? (double)sent / seconds : 0.0, (unsigned long long)report->drive->nacked,
            (unsigned long long)report->drive->returned, (unsigned long long)report->drive->lost);
    }
    if (report->pool)
        fprintf(out, "cleared %llu trades; repeats %llu, conflicts %llu, not ours %llu\n",
                (unsigned long long)atomic_load(&report->pool->seen_trades),
                (unsigned long long)report->pool->repeats,
                (unsigned long long)report->pool->conflicts,
                (unsigned long long)(report->pool->unknown + report->pool->malformed));
    if (report->latency.count > 0)
        fprintf(
            out,
            "latency p50 %.1f  p90 %.1f  p99 %.1f  p99.9 %.1f  max %.1f ms (last confirm to CLS)\n",
            percentile_ms(report, 50), percentile_ms(report, 90), percentile_ms(report, 99),
            percentile_ms(report, 99.9), percentile_ms(report, 100));
}
