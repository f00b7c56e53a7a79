/* SPDX-License-Identifier: Apache-2.0
 * Prints docs/METRICS.md from the table. */
#include "obs/internal.h"

#include <stdio.h>

int main(void)
{
    printf(
        "<!-- Printed from lib/obs/metrics.def by ste-print-metrics; do not edit. -->\n"
        "# Metrics\n\n"
        "Every daemon serves `/metrics` (Prometheus text), `/livez` and `/readyz` on its "
        "`health_port`,\non 127.0.0.1 alone. Each line carries the labels `proc` (router, node), "
        "`name` (of the component)\nand those of the worker.\n\n"
        "| metric | type | what |\n|---|---|---|\n");
    for (size_t i = 0; i < STE_METRIC_COUNT; i++)
        printf("| `%s` | %s | %s |\n", ste_metrics[i].name, ste_metric_type(ste_metrics[i].kind),
               ste_metrics[i].help);
    return fflush(stdout) == 0 ? 0 : 1;
}
