/* SPDX-License-Identifier: Apache-2.0
 * Deliveries taken and not yet acked. Each counts its records that are not confirmed; deliveries
 * are acked at zero, lowest contiguous prefix first. Forgotten whole when the connection is
 * rebuilt. */
#ifndef STE_ROUTER_INTAKE_H
#define STE_ROUTER_INTAKE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { STE_INTAKE_DELIVERIES_MAX = 8192 }; /* power of two, above every prefetch */

struct ste_intake {
    struct {
        uint64_t tag;
        uint32_t pending; /* records without their confirm, + 1 while being decoded */
        uint32_t bytes;
    } ring[STE_INTAKE_DELIVERIES_MAX];
    uint64_t first, next; /* sequence numbers: first is the oldest not acked */
    uint64_t held_bytes;
};

bool ste_intake_full(const struct ste_intake *intake);
/* Takes a delivery; returns its sequence number. It stays unackable until ste_intake_decoded. */
uint64_t ste_intake_take(struct ste_intake *intake, uint64_t tag, size_t bytes);
void ste_intake_add(struct ste_intake *intake, uint64_t sequence); /* one more record to confirm */
void ste_intake_decoded(struct ste_intake *intake, uint64_t sequence);
void ste_intake_confirm(struct ste_intake *intake, uint64_t sequence, uint32_t records);
/* The tag up to which everything is confirmed; false when nothing new is. The caller acks it. */
bool ste_intake_ackable(struct ste_intake *intake, uint64_t *ret_tag);
void ste_intake_forget(struct ste_intake *intake);

#endif
