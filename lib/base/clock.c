/* SPDX-License-Identifier: Apache-2.0 */
#include "base/clock.h"

#include <errno.h>
#include <time.h>

#include "base/date.h"

static uint64_t read_ns(clockid_t clock)
{
    struct timespec now = {0};
    clock_gettime(clock, &now); /* cannot fail for the clocks below */
    return (uint64_t)now.tv_sec * STE_NS_PER_S + (uint64_t)now.tv_nsec;
}

uint64_t ste_clock_mono_ns(void)
{
    return read_ns(CLOCK_MONOTONIC);
}

uint64_t ste_clock_wall_us(void)
{
    return read_ns(CLOCK_REALTIME) / STE_NS_PER_US;
}

uint64_t ste_clock_thread_cpu_ns(void)
{
    return read_ns(CLOCK_THREAD_CPUTIME_ID);
}

uint64_t ste_clock_boot_ns(void)
{
    return read_ns(CLOCK_BOOTTIME);
}

void ste_clock_sleep_ms(uint32_t ms)
{
    struct timespec left = {.tv_sec = ms / 1000, .tv_nsec = (long)(ms % 1000 * STE_NS_PER_MS)};
    while (nanosleep(&left, &left) != 0 && errno == EINTR)
        continue;
}

static char *put_digits(char *out, uint64_t value, unsigned digits)
{
    for (unsigned i = digits; i-- > 0; value /= 10)
        out[i] = (char)('0' + value % 10);
    return out + digits;
}

void ste_clock_format_us(uint64_t wall_us, char *out)
{
    const uint64_t us_per_day = 86400u * UINT64_C(1000000);
    uint64_t us = wall_us % us_per_day;
    ste_date_format((ste_date)(wall_us / us_per_day), out);
    out += STE_DATE_TEXT_BYTES - 1;
    *out++ = 'T';
    out = put_digits(out, us / UINT64_C(3600000000), 2);
    *out++ = ':';
    out = put_digits(out, us / 60000000 % 60, 2);
    *out++ = ':';
    out = put_digits(out, us / 1000000 % 60, 2);
    *out++ = '.';
    out = put_digits(out, us % 1000000, 6);
    *out++ = 'Z';
    *out = '\0';
}
