/* SPDX-License-Identifier: Apache-2.0
 * The only place that reads a clock. Business dates never come from here. */
#ifndef STE_BASE_CLOCK_H
#define STE_BASE_CLOCK_H

#include <stdint.h>

#define STE_NS_PER_US UINT64_C(1000)
#define STE_NS_PER_MS UINT64_C(1000000)
#define STE_NS_PER_S UINT64_C(1000000000)

uint64_t ste_clock_mono_ns(void); /* timers and durations; never jumps */
uint64_t ste_clock_wall_us(void); /* UTC microseconds since 1970, for stamps only */
uint64_t ste_clock_thread_cpu_ns(void);
uint64_t ste_clock_boot_ns(void); /* since boot, sleep of the machine included */
void ste_clock_sleep_ms(uint32_t ms);
/* "2026-11-30T09:15:02.123456Z"; out needs STE_CLOCK_TEXT_BYTES. */
enum { STE_CLOCK_TEXT_BYTES = 28 };
void ste_clock_format_us(uint64_t wall_us, char *out);

#endif
