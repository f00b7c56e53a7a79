/* SPDX-License-Identifier: Apache-2.0
 * The page's template and the gnuplot scripts, inside the program. */
#ifndef STE_BENCH_EMBEDDED_H
#define STE_BENCH_EMBEDDED_H

#include <stddef.h>

struct ste_embedded {
    const char *name, *text; /* "page.html"; the text ends in NUL as well */
    size_t bytes;
};
extern const struct ste_embedded ste_embedded_files[]; /* ends with a name of NULL */

#endif
