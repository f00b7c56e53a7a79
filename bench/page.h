/* SPDX-License-Identifier: Apache-2.0
 * The report as one HTML page: text, tables and figures inside it, nothing fetched, no script. */
#ifndef STE_BENCH_PAGE_H
#define STE_BENCH_PAGE_H

#include "bench/figure.h"
#include "bench/table.h"

struct ste_page {
    const struct ste_figures *figures;
    const struct ste_samples *samples;       /* of the run that the figures show; NULL: none */
    const struct ste_analysis *analysis;     /* the same */
    const struct ste_table *stages, *bounds; /* NULL: none */
};
/* The template page.html with its {{places}} filled in. Errors: STE_E_NOMEM. */
STE_MUST_CHECK enum ste_code ste_page_write(const struct ste_page *page, struct ste_buf *out,
                                            struct ste_error *err);
/* A figure's SVG for a page: colours of style.gp become variables, so that a dark page has its own;
 * ids get the figure's name in front, as several stand on one page. */
void ste_page_svg(const struct ste_figure *figure, struct ste_buf *out);

#endif
