/* SPDX-License-Identifier: Apache-2.0
 * GET /metrics of several daemons on this machine, all at once. */
#ifndef STE_BENCH_SCRAPE_H
#define STE_BENCH_SCRAPE_H

#include "base/bytes.h"
#include "base/error.h"

struct ste_scrape {
    unsigned port; /* given; on 127.0.0.1 */
    /* Found. */
    enum ste_code result;  /* STE_E_HTTP: no answer in time, or another than 200 */
    struct ste_bytes page; /* valid until the next ste_scrape_all */
    /* Its own. */
    int fd;
    bool sent;
    struct ste_buf answer;
};

/* Blocks up to timeout_ms, no longer than the slowest daemon takes. */
void ste_scrape_all(struct ste_scrape *scrapes, size_t count, unsigned timeout_ms);
void ste_scrape_deinit(struct ste_scrape *scrape);

#endif
