/* SPDX-License-Identifier: Apache-2.0
 * Prints docs/METRICS.md from the tables. */
#include "obs/internal.h"

#include <stdio.h>

static void print_rows(const struct ste_metric *metrics, size_t count)
{
    for (size_t i = 0; i < count; i++)
        printf("| `%s` | %s | %s |\n", metrics[i].name, ste_metric_type(metrics[i].kind),
               metrics[i].help);
}

int main(void)
{
    printf(
        "<!-- Printed from lib/obs/metrics.def and process.def by ste-print-metrics; do not edit. "
        "-->\n"
        "# Metrics\n\n"
        "Every daemon serves `/metrics` (Prometheus text), `/livez` and `/readyz` on its "
        "`health_port`,\non 127.0.0.1 alone. Each line carries the labels `proc` (router, node), "
        "`name` (of the component)\nand `worker` (from 0), a node's also `shard`; `ste_type_…` "
        "also `type` (NOE, ALB, NPR, SET, EXC: the queue\nthat carried the message); `process_…` "
        "none of a worker.\n\n"
        "| metric | type | what |\n|---|---|---|\n");
    print_rows(ste_metrics, STE_METRIC_COUNT);
    print_rows(ste_process_metrics, STE_PROCESS_METRIC_COUNT);
    return fflush(stdout) == 0 ? 0 : 1;
}
