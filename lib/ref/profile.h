/* SPDX-License-Identifier: Apache-2.0
 * How the conditions are compared and how strictly messages are checked, per profile. */
#ifndef STE_REF_PROFILE_H
#define STE_REF_PROFILE_H

#include "base/decimal.h"
#include "msg/message.h"
#include "ref/conditions.h"

enum ste_compare {
    STE_COMPARE_EXACT,
    STE_COMPARE_ABSOLUTE,       /* largest - smallest <= amount */
    STE_COMPARE_PERCENT,        /* … <= percent of the smallest */
    STE_COMPARE_PERCENT_CAPPED, /* … and <= cap */
    STE_COMPARE_BAND,       /* <= low up to edge, <= high above; by the smallest; in EUR × rate */
    STE_COMPARE_IF_PRESENT, /* required-if-present: all or none carry it, then exact */
    STE_COMPARE_NOT_USED,
};
struct ste_tolerance {
    enum ste_compare compare;
    struct ste_decimal amount, percent, cap; /* amount: absolute, or the band's low */
    struct ste_decimal edge, high;
};

/* Checks with a level of their own (MESSAGES section 6); everything else always refuses. */
enum ste_check_id {
#define X(id, name, level, help) id,
#include "ref/checks.def"
#undef X
    STE_CHECK_COUNT
};

struct ste_profile {
    const char *name;
    char broker8[9], manager8[9], place8[9]; /* "" where it does not select */
    struct ste_tolerance conditions[STE_CONDITION_COUNT];
    enum ste_level checks[STE_CHECK_COUNT];
};

/* What counts where no profile of the map says otherwise. */
void ste_profile_init(struct ste_profile *profile);

#endif
