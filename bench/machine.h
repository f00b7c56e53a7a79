/* SPDX-License-Identifier: Apache-2.0
 * The machine, from /proc. The parsing is pure. */
#ifndef STE_BENCH_MACHINE_H
#define STE_BENCH_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { STE_MACHINE_TEXT_BYTES = 128 };

/* First line of /proc/stat: CPU of all cores but idle, iowait and steal (guests are in user). */
bool ste_machine_parse_busy(const char *stat, uint64_t ticks_per_s, double *ret_s);
/* The text behind "model name" (x86) or "Model" of /proc/cpuinfo; "unknown" where there is none. */
void ste_machine_parse_model(const char *cpuinfo, char out[static STE_MACHINE_TEXT_BYTES]);

bool ste_machine_busy(double *ret_s);
unsigned ste_machine_cores(void); /* online */
void ste_machine_model(char out[static STE_MACHINE_TEXT_BYTES]);
void ste_machine_kernel(char out[static STE_MACHINE_TEXT_BYTES]); /* "Linux 6.1.0" */
/* At most bytes − 1 of a file, a NUL behind them. False: it cannot be read. */
bool ste_machine_read_file(const char *path, char *out, size_t bytes);

#endif
