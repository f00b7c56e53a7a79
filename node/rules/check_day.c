/* SPDX-License-Identifier: Apache-2.0
 * Days: which trade dates can still be traded, and which settlement dates are business days
 * (MESSAGES sections 5 and 6). */
#include "node/rules/check_finding.h"

enum { TRADE_AGE_DAYS_MAX = 30 };

bool ste_day_is_open(const struct ste_days *days, ste_date date)
{
    size_t low = 0, high = days->open_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (days->open[middle] == date)
            return true;
        if (days->open[middle] < date)
            low = middle + 1;
        else
            high = middle;
    }
    return false;
}

bool ste_check_trade_day(struct ste_check *check)
{
    const struct ste_rules *rules = check->rules;
    char text[STE_DATE_TEXT_BYTES];
    ste_date date = check->trade_date;
    if (date == STE_DATE_NONE || rules->business_date == STE_DATE_NONE)
        return false;
    ste_date_format(rules->business_date, text);
    if (date > rules->business_date)
        ste_check_find(check, STE_LEVEL_REJECT, STE_C_DTRD, STE_F_TRADE_DATE,
                       "the trade date is after the business date %s", text);
    else if (date < rules->business_date - TRADE_AGE_DAYS_MAX)
        ste_check_find(check, STE_LEVEL_REJECT, STE_C_LATE, STE_F_TRADE_DATE,
                       "the trade date is more than %d days before the business date %s",
                       TRADE_AGE_DAYS_MAX, text);
    else if (rules->days && !ste_day_is_open(rules->days, date))
        ste_check_find(check, STE_LEVEL_REJECT, STE_C_LATE, STE_F_TRADE_DATE,
                       "the trade date is not open any more");
    else
        return false;
    return true;
}

/* The place's country where a calendar of it is loaded, else the element Country. */
static enum ste_business business_of(const struct ste_check *check, struct ste_bytes *ret_country)
{
    const struct ste_message *message = check->message;
    enum ste_business business = STE_BUSINESS_NO_CALENDAR;
    if (ste_check_is_good(check, STE_F_PLACE_OF_SETTLEMENT) &&
        ste_value(message, STE_F_PLACE_OF_SETTLEMENT).len >= STE_BIC8_BYTES) {
        *ret_country = (struct ste_bytes){ste_value(message, STE_F_PLACE_OF_SETTLEMENT).at + 4, 2};
        business = ste_ref_business(check->rules->ref, *ret_country, check->settlement_date);
    }
    if (business == STE_BUSINESS_NO_CALENDAR && ste_check_is_good(check, STE_F_COUNTRY)) {
        *ret_country = ste_value(message, STE_F_COUNTRY);
        business = ste_ref_business(check->rules->ref, *ret_country, check->settlement_date);
    }
    return business;
}

void ste_check_settlement_date(struct ste_check *check)
{
    const enum ste_level *levels = check->profile->checks;
    struct ste_bytes country = {NULL, 0};
    if (check->settlement_date == STE_DATE_NONE)
        return;
    if (check->trade_date != STE_DATE_NONE && check->settlement_date < check->trade_date)
        ste_check_find(check, levels[STE_CHECK_DATES], STE_C_DDAT, STE_F_SETTLEMENT_DATE,
                       "the settlement date is before the trade date");
    if (check->rules->ref && levels[STE_CHECK_BUSINESS_DAY] != STE_LEVEL_OFF &&
        business_of(check, &country) == STE_BUSINESS_HOLIDAY)
        ste_check_find(check, levels[STE_CHECK_BUSINESS_DAY], STE_C_DDAT, STE_F_SETTLEMENT_DATE,
                       "the settlement date is not a business day in %.2s", country.at);
}
