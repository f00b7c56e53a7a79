/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/model_words.h"

#include <stdlib.h>
#include <string.h>

bool ste_model_number(const char *text, double min, double max, double *ret)
{
    char *end;
    if (text[strspn(text, "0123456789.")] != '\0' || strpbrk(text, "0123456789") == NULL)
        return false;
    const double value = strtod(text, &end);
    if (*end != '\0' || !(value >= min && value <= max))
        return false;
    *ret = value;
    return true;
}

/* A whole number at *at, which moves behind it. */
static bool take_number(const char **at, unsigned max, unsigned *ret)
{
    unsigned value = 0;
    const char *const start = *at;
    for (; **at >= '0' && **at <= '9'; ++*at) {
        value = value * 10 + (unsigned)(**at - '0');
        if (value > max)
            return false;
    }
    *ret = value;
    return *at > start && value >= 1;
}

bool ste_model_list(const char *text, unsigned max, unsigned *ret, size_t room, size_t *ret_count)
{
    size_t count = 0;
    for (;;) {
        unsigned first, last;
        if (max > UINT32_MAX / 10 - 1 || !take_number(&text, max, &first))
            return false;
        last = first;
        if (*text == '-') {
            text++;
            if (!take_number(&text, max, &last) || last < first)
                return false;
        }
        for (unsigned value = first; value <= last; value++) {
            if (count == room)
                return false;
            ret[count++] = value;
        }
        if (*text == '\0')
            break;
        if (*text++ != ',')
            return false;
    }
    *ret_count = count;
    return true;
}

bool ste_model_scales(const char *text, double ret[static STE_PART_COUNT])
{
    char word[64];
    while (*text != '\0') {
        const size_t len = strcspn(text, ",");
        if (len >= sizeof word)
            return false;
        memcpy(word, text, len);
        word[len] = '\0';
        char *const value = strchr(word, '=');
        if (value == NULL)
            return false;
        *value = '\0';
        enum ste_model_part part = 0;
        while (part < STE_PART_COUNT && strcmp(ste_model_part_name(part), word) != 0)
            part++;
        if (part == STE_PART_COUNT || !ste_model_number(value + 1, 0, 1000, &ret[part]))
            return false;
        text += len;
        if (*text == ',' && *++text == '\0')
            return false;
    }
    return true;
}
