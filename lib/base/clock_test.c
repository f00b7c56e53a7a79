/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/clock.h"

static void stamps_are_rfc_3339(void **state)
{
    (void)state;
    char out[28];
    ste_clock_format_us(0, out);
    assert_string_equal(out, "1970-01-01T00:00:00.000000Z");
    ste_clock_format_us(UINT64_C(1796030102123456), out); /* date -u -d @1796030102 */
    assert_string_equal(out, "2026-11-30T09:15:02.123456Z");
    ste_clock_format_us(UINT64_C(951868799999999), out);
    assert_string_equal(out, "2000-02-29T23:59:59.999999Z");
}

static void time_goes_on(void **state)
{
    (void)state;
    uint64_t mono = ste_clock_mono_ns(), wall = ste_clock_wall_us();
    ste_clock_sleep_ms(3);
    assert_true(ste_clock_mono_ns() - mono >= 3000000);
    assert_true(wall > UINT64_C(1700000000000000)); /* microseconds, not seconds */
}

static void sleeping_costs_no_cpu_and_working_does(void **state)
{
    (void)state;
    uint64_t cpu = ste_clock_thread_cpu_ns();
    ste_clock_sleep_ms(50);
    uint64_t slept = ste_clock_thread_cpu_ns() - cpu;
    assert_true(slept < 25000000);
    volatile unsigned work = 0;
    for (unsigned i = 0; i < 3000000; i++)
        work += i;
    assert_int_not_equal(work, 1); /* read, so that the work is done */
    assert_true(ste_clock_thread_cpu_ns() > cpu + slept);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stamps_are_rfc_3339),
        cmocka_unit_test(time_goes_on),
        cmocka_unit_test(sleeping_costs_no_cpu_and_working_does),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
