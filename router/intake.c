/* SPDX-License-Identifier: Apache-2.0 */
#include "router/intake.h"

#include <assert.h>

static inline size_t place_of(uint64_t sequence)
{
    return (size_t)(sequence & (STE_INTAKE_DELIVERIES_MAX - 1));
}

bool ste_intake_full(const struct ste_intake *intake)
{
    return intake->next - intake->first == STE_INTAKE_DELIVERIES_MAX;
}

uint64_t ste_intake_take(struct ste_intake *intake, uint64_t tag, size_t bytes)
{
    assert(!ste_intake_full(intake));
    const uint64_t sequence = intake->next++;
    intake->ring[place_of(sequence)].tag = tag;
    intake->ring[place_of(sequence)].pending = 1;
    intake->ring[place_of(sequence)].bytes = (uint32_t)bytes;
    intake->held_bytes += bytes;
    return sequence;
}

void ste_intake_add(struct ste_intake *intake, uint64_t sequence)
{
    intake->ring[place_of(sequence)].pending++;
}

void ste_intake_decoded(struct ste_intake *intake, uint64_t sequence)
{
    ste_intake_confirm(intake, sequence, 1);
}

void ste_intake_confirm(struct ste_intake *intake, uint64_t sequence, uint32_t records)
{
    assert(sequence >= intake->first && sequence < intake->next);
    assert(intake->ring[place_of(sequence)].pending >= records);
    intake->ring[place_of(sequence)].pending -= records;
}

bool ste_intake_ackable(struct ste_intake *intake, uint64_t *ret_tag)
{
    bool any = false;
    while (intake->first != intake->next && intake->ring[place_of(intake->first)].pending == 0) {
        *ret_tag = intake->ring[place_of(intake->first)].tag;
        intake->held_bytes -= intake->ring[place_of(intake->first)].bytes;
        intake->first++;
        any = true;
    }
    return any;
}

void ste_intake_forget(struct ste_intake *intake)
{
    intake->first = intake->next;
    intake->held_bytes = 0;
}
