/* SPDX-License-Identifier: Apache-2.0 */
#include "ref/tolerance.h"

/* percent of the size of `smallest`. */
static bool percent_of(struct ste_wide smallest, struct ste_decimal percent, struct ste_wide *ret)
{
    static const struct ste_wide hundredth = {1, 2};
    struct ste_wide product;
    return ste_wide_mul(ste_wide_abs(smallest), ste_wide_of(percent), &product) &&
           ste_wide_mul(product, hundredth, ret);
}

/* The figures of a band are euros: in another currency they and the edge are multiplied by its
 * rate. */
static bool band(const struct ste_tolerance *tolerance, const struct ste_rate *rate,
                 struct ste_wide smallest, struct ste_wide *ret)
{
    struct ste_wide per_eur, edge;
    if (!rate) {
        *ret = (struct ste_wide){0, 0};
        return true;
    }
    per_eur = ste_wide_of(rate->per_eur);
    if (!ste_wide_mul(ste_wide_of(tolerance->edge), per_eur, &edge))
        return false;
    bool low = ste_wide_compare(smallest, edge) <= 0;
    return ste_wide_mul(ste_wide_of(low ? tolerance->amount : tolerance->high), per_eur, ret);
}

/* The largest allowed difference. False: the product does not fit 128 bits. */
static bool limit_of(const struct ste_tolerance *tolerance, const struct ste_rate *rate,
                     struct ste_wide smallest, struct ste_wide *ret)
{
    struct ste_wide cap = ste_wide_of(tolerance->cap);
    switch (tolerance->compare) {
    case STE_COMPARE_ABSOLUTE:
        *ret = ste_wide_of(tolerance->amount);
        return true;
    case STE_COMPARE_PERCENT:
        return percent_of(smallest, tolerance->percent, ret);
    case STE_COMPARE_PERCENT_CAPPED:
        if (!percent_of(smallest, tolerance->percent, ret))
            return false;
        if (ste_wide_compare(*ret, cap) > 0)
            *ret = cap;
        return true;
    case STE_COMPARE_BAND:
        return band(tolerance, rate, smallest, ret);
    case STE_COMPARE_EXACT:
    case STE_COMPARE_IF_PRESENT:
    case STE_COMPARE_NOT_USED:
        break;
    }
    *ret = (struct ste_wide){0, 0};
    return true;
}

bool ste_tolerance_passes(const struct ste_tolerance *tolerance, const struct ste_rate *rate,
                          struct ste_wide smallest, struct ste_wide largest)
{
    struct ste_wide limit, apart;
    return limit_of(tolerance, rate, smallest, &limit) && ste_wide_sub(largest, smallest, &apart) &&
           ste_wide_compare(apart, limit) <= 0;
}
