/* SPDX-License-Identifier: Apache-2.0
 * How far apart two values of a condition may be (MESSAGES section 3). Pure, exact, unrounded. */
#ifndef STE_REF_TOLERANCE_H
#define STE_REF_TOLERANCE_H

#include "base/decimal.h"
#include "ref/ref.h"

/* Whether largest - smallest is allowed; both in one currency. rate: of that currency, for a band;
 * NULL: none is known, the band is then exact. EXACT, IF_PRESENT and NOT_USED allow no difference:
 * whether a condition is compared at all is the caller's matter. What does not fit 128 bits counts
 * as too far apart. */
bool ste_tolerance_passes(const struct ste_tolerance *tolerance, const struct ste_rate *rate,
                          struct ste_wide smallest, struct ste_wide largest);

#endif
