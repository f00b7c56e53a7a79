/* SPDX-License-Identifier: Apache-2.0
 * Shapes of values (MESSAGES sections 1 and 6): what can be said without any list. */
#include "msg/message.h"

#include <string.h>

enum { ISIN_BYTES = 12, BIC11_BYTES = 11, BIC_PARTY_BYTES = 4, BIC_COUNTRY_END = 6 };

static bool is_upper(char c)
{
    return c >= 'A' && c <= 'Z';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_code_char(char c)
{
    return is_upper(c) || is_digit(c);
}

static bool is_reference_char(char c)
{
    return is_code_char(c) || (c >= 'a' && c <= 'z') || (c && strchr("/-?:().,'+ ", c));
}

bool ste_is_reference(struct ste_bytes text)
{
    if (text.len < 1 || text.len > STE_REFERENCE_CHARS_MAX)
        return false;
    if (text.at[0] == ' ' || text.at[text.len - 1] == ' ')
        return false;
    for (size_t i = 0; i < text.len; i++) {
        if (!is_reference_char(text.at[i]))
            return false;
    }
    return true;
}

/* ISO 9362 would allow digits in the first four; none is registered with one, and common checkers
 * refuse it: letters only. */
bool ste_is_bic(struct ste_bytes text)
{
    if (text.len != STE_BIC8_BYTES && text.len != BIC11_BYTES)
        return false;
    for (size_t i = 0; i < text.len; i++) {
        bool letter_only = i < BIC_COUNTRY_END;
        if (letter_only ? !is_upper(text.at[i]) : !is_code_char(text.at[i]))
            return false;
    }
    return true;
}

struct ste_bytes ste_bic8(struct ste_bytes bic)
{
    if (bic.len > STE_BIC8_BYTES)
        bic.len = STE_BIC8_BYTES;
    return bic;
}

/* ISO 6166: letters count as 10 to 35, then every second digit from the right doubled, digits
 * summed; the whole is a multiple of ten. */
static bool isin_sum_fits(const char *at)
{
    unsigned sum = 0;
    bool doubled = false;
    for (int i = ISIN_BYTES - 1; i >= 0; i--) {
        unsigned value = is_digit(at[i]) ? (unsigned)(at[i] - '0') : (unsigned)(at[i] - 'A' + 10);
        do {
            unsigned digit = value % 10;
            if (doubled)
                digit = digit * 2 - (digit > 4 ? 9 : 0);
            sum += digit;
            doubled = !doubled;
            value /= 10;
        } while (value);
    }
    return sum % 10 == 0;
}

bool ste_is_isin(struct ste_bytes text)
{
    if (text.len != ISIN_BYTES || !is_upper(text.at[0]) || !is_upper(text.at[1]) ||
        !is_digit(text.at[ISIN_BYTES - 1]))
        return false;
    for (size_t i = 2; i < ISIN_BYTES; i++) {
        if (!is_code_char(text.at[i]))
            return false;
    }
    return isin_sum_fits(text.at);
}

/* Two digits up to `max`. */
static bool two_digits(const char *at, int max)
{
    return is_digit(at[0]) && is_digit(at[1]) && (at[0] - '0') * 10 + (at[1] - '0') <= max;
}

/* "Z" or "+08:00". */
static bool is_offset(struct ste_bytes text)
{
    if (text.len == 1)
        return text.at[0] == 'Z' || text.at[0] == 'z';
    return text.len == 6 && (text.at[0] == '+' || text.at[0] == '-') && text.at[3] == ':' &&
           two_digits(text.at + 1, 23) && two_digits(text.at + 4, 59);
}

bool ste_is_rfc3339(struct ste_bytes text)
{
    enum { DATE_BYTES = 10, TO_SECONDS_BYTES = 19 };
    ste_date date = 0;
    if (text.len <= TO_SECONDS_BYTES)
        return false;
    const char *at = text.at;
    if (!ste_date_parse((struct ste_bytes){at, DATE_BYTES}, &date))
        return false;
    if ((at[10] != 'T' && at[10] != 't') || !two_digits(at + 11, 23) || at[13] != ':' ||
        !two_digits(at + 14, 59) || at[16] != ':' || !two_digits(at + 17, 60))
        return false;
    size_t used = TO_SECONDS_BYTES;
    if (at[used] == '.') {
        size_t first = ++used;
        while (used < text.len && is_digit(at[used]))
            used++;
        if (used == first)
            return false;
    }
    return is_offset((struct ste_bytes){at + used, text.len - used});
}

bool ste_place_parse(struct ste_bytes place, uint32_t *ret_line, uint32_t *ret_column)
{
    const char *colon = place.len ? memchr(place.at, ':', place.len) : NULL;
    uint64_t line = 0, column = 0;
    if (!colon)
        return false;
    size_t before = (size_t)(colon - place.at);
    if (!ste_bytes_u64((struct ste_bytes){place.at, before}, &line) ||
        !ste_bytes_u64((struct ste_bytes){colon + 1, place.len - before - 1}, &column) ||
        line == 0 || line > UINT32_MAX || column == 0 || column > UINT32_MAX)
        return false;
    *ret_line = (uint32_t)line;
    *ret_column = (uint32_t)column;
    return true;
}
