/* SPDX-License-Identifier: Apache-2.0
 * Calendar days of the market: no time, no zone. */
#ifndef STE_BASE_DATE_H
#define STE_BASE_DATE_H

#include "base/bytes.h"

typedef int32_t ste_date; /* days since 1970-01-01 (proleptic Gregorian); the one typedef we keep */
#define STE_DATE_NONE INT32_MIN
enum { STE_DATE_TEXT_BYTES = 11 };

/* "YYYY-MM-DD", years 1900-2199, existing days only; false otherwise. */
bool ste_date_parse(struct ste_bytes text, ste_date *ret);
void ste_date_format(ste_date date, char *out); /* needs STE_DATE_TEXT_BYTES */
int ste_date_weekday(ste_date date);            /* 1 Monday … 7 Sunday */

#endif
