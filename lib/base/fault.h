/* SPDX-License-Identifier: Apache-2.0
 * Named kill points for fault tests: STE_FAULT=<point>:<n> in the environment kills the process
 * with SIGKILL when it passes the point for the n-th time. Nothing of it is in a release
 * (STE_FAULTS=OFF). Points: router-before-ack, node-before-load, node-before-commit,
 * node-before-ack, node-before-delete; and poison=<Reference>, which kills whenever that message is
 * decided. */
#ifndef STE_BASE_FAULT_H
#define STE_BASE_FAULT_H

#include "base/bytes.h"

#ifdef STE_FAULTS
void ste_fault_pass(const char *point);
void ste_fault_poison(struct ste_bytes reference);
#define STE_FAULT_POINT(point) ste_fault_pass(point)
#define STE_FAULT_POISON(reference) ste_fault_poison(reference)
#else
#define STE_FAULT_POINT(point) ((void)0)
#define STE_FAULT_POISON(reference) ((void)0)
#endif

#endif
