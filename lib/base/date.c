/* SPDX-License-Identifier: Apache-2.0
 * Years are counted from March, so that the leap day is the last of its year; 400-year eras all
 * have the same 146,097 days. */
#include "base/date.h"

#include <string.h>

enum {
    DAYS_PER_ERA = 146097,
    DAYS_BEFORE_1970 = 719468, /* from 0000-03-01 */
    YEAR_MIN = 1900,
    YEAR_MAX = 2199,
};

static ste_date days_of(int year, int month, int day)
{
    int march_year = month <= 2 ? year - 1 : year;
    int march_month = (month + 9) % 12;
    int era = march_year / 400, year_of_era = march_year % 400;
    int day_of_year = (153 * march_month + 2) / 5 + day - 1;
    int day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    return era * DAYS_PER_ERA + day_of_era - DAYS_BEFORE_1970;
}

static int month_days(int year, int month)
{
    static const char days[12] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    return month == 2 && leap ? 29 : days[month - 1];
}

/* -1 when one of the `count` characters is no digit. */
static int digits(const char *at, int count)
{
    int value = 0;
    for (int i = 0; i < count; i++) {
        if (at[i] < '0' || at[i] > '9')
            return -1;
        value = value * 10 + (at[i] - '0');
    }
    return value;
}

bool ste_date_parse(struct ste_bytes text, ste_date *ret)
{
    if (text.len != STE_DATE_TEXT_BYTES - 1 || text.at[4] != '-' || text.at[7] != '-')
        return false;
    int year = digits(text.at, 4), month = digits(text.at + 5, 2), day = digits(text.at + 8, 2);
    if (year < YEAR_MIN || year > YEAR_MAX || month < 1 || month > 12)
        return false;
    if (day < 1 || day > month_days(year, month))
        return false;
    *ret = days_of(year, month, day);
    return true;
}

static void put_digits(char *out, int value, int count)
{
    for (int i = count; i-- > 0; value /= 10)
        out[i] = (char)('0' + value % 10);
}

void ste_date_format(ste_date date, char *out)
{
    /* What no parse can give (STE_DATE_NONE first of all) has a text of the same width. */
    const ste_date first = days_of(0, 3, 1), last = days_of(9999, 12, 31);
    if (date < first || date > last) {
        memcpy(out, "----------", STE_DATE_TEXT_BYTES);
        return;
    }
    int days = date + DAYS_BEFORE_1970;
    int era = days / DAYS_PER_ERA, day_of_era = days % DAYS_PER_ERA;
    int year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
    int day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    int march_month = (5 * day_of_year + 2) / 153;
    int month = march_month < 10 ? march_month + 3 : march_month - 9;
    put_digits(out, era * 400 + year_of_era + (month <= 2), 4);
    out[4] = '-';
    put_digits(out + 5, month, 2);
    out[7] = '-';
    put_digits(out + 8, day_of_year - (153 * march_month + 2) / 5 + 1, 2);
    out[10] = '\0';
}

int ste_date_weekday(ste_date date)
{
    int since_monday = (int)(((int64_t)date + 3) % 7); /* 1970-01-01 was a Thursday */
    return since_monday < 0 ? since_monday + 8 : since_monday + 1;
}
