/* SPDX-License-Identifier: Apache-2.0
 * A sum or product that does not fit is tried once more with the trailing zeros dropped: overflow
 * means that the value itself has no room, not the way it was written. */
#include "base/decimal.h"

#include <string.h>

typedef unsigned __int128 wide_unsigned;

enum { POWER_MAX = 38, MIN_DECIMALS_MAX = 18 };

static const uint64_t powers_64[STE_DECIMAL_DIGITS_MAX + 1] = {
    UINT64_C(1),
    UINT64_C(10),
    UINT64_C(100),
    UINT64_C(1000),
    UINT64_C(10000),
    UINT64_C(100000),
    UINT64_C(1000000),
    UINT64_C(10000000),
    UINT64_C(100000000),
    UINT64_C(1000000000),
    UINT64_C(10000000000),
    UINT64_C(100000000000),
    UINT64_C(1000000000000),
    UINT64_C(10000000000000),
    UINT64_C(100000000000000),
    UINT64_C(1000000000000000),
    UINT64_C(10000000000000000),
    UINT64_C(100000000000000000),
    UINT64_C(1000000000000000000),
};

/* 10^power for 0..38, all below 2^127. */
static __int128 power_of_ten(unsigned power)
{
    __int128 value = 1;
    while (power > STE_DECIMAL_DIGITS_MAX) {
        value *= (__int128)powers_64[STE_DECIMAL_DIGITS_MAX];
        power -= STE_DECIMAL_DIGITS_MAX;
    }
    return value * (__int128)powers_64[power];
}

bool ste_decimal_parse(struct ste_bytes text, bool allow_negative, struct ste_decimal *ret)
{
    bool negative = false;
    int64_t value = 0;
    if (text.len == 0)
        return false;
    const char *at = text.at, *end = at + text.len, *point = NULL;
    if (*at == '-') {
        if (!allow_negative)
            return false;
        negative = true;
        at++;
    }
    const char *first = at;
    if (end - at > STE_DECIMAL_DIGITS_MAX + 1)
        return false;
    for (; at < end; at++) {
        unsigned digit = (unsigned)(unsigned char)*at - '0';
        if (digit <= 9)
            value = value * 10 + (int64_t)digit; /* at most 19 digits: fits */
        else if (*at == '.' && !point)
            point = at;
        else
            return false;
    }
    ptrdiff_t decimals = point ? end - point - 1 : 0;
    ptrdiff_t digit_count = end - first - (point ? 1 : 0);
    if (digit_count < 1 || digit_count > STE_DECIMAL_DIGITS_MAX)
        return false;
    if (point && (point == first || decimals == 0))
        return false;
    ret->coefficient = negative ? -value : value;
    ret->decimals = (uint8_t)decimals;
    return true;
}

void ste_decimal_format(struct ste_decimal value, uint8_t min_decimals, char *out)
{
    ste_wide_format(ste_wide_of(value), min_decimals, out);
}

struct ste_wide ste_wide_of(struct ste_decimal value)
{
    return (struct ste_wide){value.coefficient, value.decimals};
}

static struct ste_wide without_zeros(struct ste_wide value)
{
    while (value.decimals > 0 && value.coefficient % 10 == 0) {
        value.coefficient /= 10;
        value.decimals--;
    }
    return value;
}

/* The same value with more decimals. False: it needs more than 127 bits. */
static bool rescale(struct ste_wide value, unsigned decimals, __int128 *ret)
{
    unsigned more = decimals - value.decimals;
    if (more > POWER_MAX) {
        *ret = 0;
        return value.coefficient == 0;
    }
    return !__builtin_mul_overflow(value.coefficient, power_of_ten(more), ret);
}

/* -2^127 has no positive twin: it counts as overflow, so that every result can be negated. */
static bool in_range(__int128 value)
{
    return value != (__int128)((wide_unsigned)1 << 127);
}

static bool try_mul(struct ste_wide a, struct ste_wide b, struct ste_wide *ret)
{
    __int128 product;
    unsigned decimals = (unsigned)a.decimals + b.decimals;
    if (decimals > STE_WIDE_DECIMALS_MAX ||
        __builtin_mul_overflow(a.coefficient, b.coefficient, &product) || !in_range(product))
        return false;
    *ret = (struct ste_wide){product, (uint8_t)decimals};
    return true;
}

bool ste_wide_mul(struct ste_wide a, struct ste_wide b, struct ste_wide *ret)
{
    return try_mul(a, b, ret) || try_mul(without_zeros(a), without_zeros(b), ret);
}

static bool try_add(struct ste_wide a, struct ste_wide b, struct ste_wide *ret)
{
    __int128 left, right, sum;
    unsigned decimals = a.decimals > b.decimals ? a.decimals : b.decimals;
    if (!rescale(a, decimals, &left) || !rescale(b, decimals, &right) ||
        __builtin_add_overflow(left, right, &sum) || !in_range(sum))
        return false;
    *ret = (struct ste_wide){sum, (uint8_t)decimals};
    return true;
}

bool ste_wide_add(struct ste_wide a, struct ste_wide b, struct ste_wide *ret)
{
    return try_add(a, b, ret) || try_add(without_zeros(a), without_zeros(b), ret);
}

bool ste_wide_sub(struct ste_wide a, struct ste_wide b, struct ste_wide *ret)
{
    return ste_wide_add(a, (struct ste_wide){-b.coefficient, b.decimals}, ret);
}

struct ste_wide ste_wide_abs(struct ste_wide a)
{
    return (struct ste_wide){a.coefficient < 0 ? -a.coefficient : a.coefficient, a.decimals};
}

/* Where the one with fewer decimals cannot be written with those of the other, its size is above
 * all that 127 bits hold at that scale: its sign alone decides. */
int ste_wide_compare(struct ste_wide a, struct ste_wide b)
{
    __int128 left = a.coefficient, right = b.coefficient;
    if (a.decimals < b.decimals && !rescale(a, b.decimals, &left))
        return a.coefficient > 0 ? 1 : -1;
    if (b.decimals < a.decimals && !rescale(b, a.decimals, &right))
        return b.coefficient > 0 ? -1 : 1;
    return (left > right) - (left < right);
}

/* Digits of `value`, last one first; at least `least` of them. */
static unsigned digits_backwards(wide_unsigned value, unsigned least, char *out)
{
    unsigned count = 0;
    while (value > UINT64_MAX) {
        out[count++] = (char)('0' + (unsigned)(value % 10));
        value /= 10;
    }
    for (uint64_t small = (uint64_t)value; small; small /= 10) /* 64-bit division is far cheaper */
        out[count++] = (char)('0' + small % 10);
    while (count < least)
        out[count++] = '0';
    return count;
}

void ste_wide_format(struct ste_wide value, uint8_t min_decimals, char *out)
{
    char digits[64];
    bool negative = value.coefficient < 0;
    wide_unsigned size =
        negative ? -(wide_unsigned)value.coefficient : (wide_unsigned)value.coefficient;
    unsigned decimals = value.decimals, least = min_decimals;
    if (least > MIN_DECIMALS_MAX)
        least = MIN_DECIMALS_MAX;
    if (decimals > STE_WIDE_DECIMALS_MAX)
        decimals = STE_WIDE_DECIMALS_MAX;
    unsigned count = digits_backwards(size, decimals + 1, digits);
    unsigned dropped = 0;
    while (dropped < decimals && digits[dropped] == '0') /* those wanted are put back below */
        dropped++;
    if (negative)
        *out++ = '-';
    while (count > decimals)
        *out++ = digits[--count];
    unsigned written = decimals - dropped;
    if (written || least)
        *out++ = '.';
    while (count > dropped)
        *out++ = digits[--count];
    for (; written < least; written++)
        *out++ = '0';
    *out = '\0';
}
