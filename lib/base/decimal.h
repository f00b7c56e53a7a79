/* SPDX-License-Identifier: Apache-2.0
 * Exact decimals: value = coefficient / 10^decimals. Never binary floating point, never rounded
 * silently (MESSAGES section 1). */
#ifndef STE_BASE_DECIMAL_H
#define STE_BASE_DECIMAL_H

#include "base/bytes.h"

enum { STE_DECIMAL_DIGITS_MAX = 18 };

struct ste_decimal {
    int64_t coefficient;
    uint8_t decimals; /* 0..18, as written */
};

/* digits[.digits]; a leading '-' only if allow_negative; at most 18 digits as written (leading and
 * trailing zeros count). False: not such a number, nothing written. */
bool ste_decimal_parse(struct ste_bytes text, bool allow_negative, struct ste_decimal *ret);
/* Exact text, `min_decimals` (up to 18) at least (money: the minor units); trailing zeros beyond
 * them dropped. out needs STE_DECIMAL_TEXT_BYTES. */
enum { STE_DECIMAL_TEXT_BYTES = 64 };
void ste_decimal_format(struct ste_decimal value, uint8_t min_decimals, char *out);

/* Sums, products and comparisons are made in 128 bits: |coefficient| < 2^127, decimals 0..38. */
enum { STE_WIDE_DECIMALS_MAX = 38 };
struct ste_wide {
    __int128 coefficient;
    uint8_t decimals;
};
struct ste_wide ste_wide_of(struct ste_decimal value);
bool ste_wide_mul(struct ste_wide a, struct ste_wide b, struct ste_wide *ret); /* false: overflow */
bool ste_wide_add(struct ste_wide a, struct ste_wide b, struct ste_wide *ret);
bool ste_wide_sub(struct ste_wide a, struct ste_wide b, struct ste_wide *ret);
struct ste_wide ste_wide_abs(struct ste_wide a);
/* By value (4.50 = 4.5): <0, 0, >0. Never overflows. */
int ste_wide_compare(struct ste_wide a, struct ste_wide b);
/* Exact text, trailing zeros dropped beyond min_decimals (up to 18); out needs
 * STE_DECIMAL_TEXT_BYTES. */
void ste_wide_format(struct ste_wide value, uint8_t min_decimals, char *out);

#endif
