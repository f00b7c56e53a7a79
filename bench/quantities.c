/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/samples.h"

static const struct {
    const char *kind, *name;
    bool counter;
} quantities[STE_Q_COUNT] = {
#define X(id, kind, quantity, counter, unit, help) {kind, quantity, counter},
#include "bench/quantities.def"
#undef X
};

const char *ste_quantity_kind(enum ste_quantity quantity)
{
    return quantities[quantity].kind;
}

const char *ste_quantity_name(enum ste_quantity quantity)
{
    return quantities[quantity].name;
}
