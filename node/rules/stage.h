/* SPDX-License-Identifier: Apache-2.0
 * One evaluation of one stage: its messages, what they differ in, and the NMA that says so. */
#ifndef STE_NODE_RULES_STAGE_H
#define STE_NODE_RULES_STAGE_H

#include "node/rules/compare.h"
#include "node/rules/decision.h"

struct ste_stage {
    enum ste_stage_bit bit;
    struct ste_bytes name;    /* "BLOCK" */
    struct ste_bytes account; /* LEG, ACCOUNT; else absent */
    uint16_t leg;             /* LEG, ACCOUNT; else STE_NO_LEG */
    uint8_t type;             /* ACCOUNT: of the message; else 0 */
    const struct ste_profile *profile;
    const struct ste_held **messages; /* those compared; their senders are told */
    size_t message_count;
    const struct ste_held *lender;    /* LEG: the NOE, which lends its conditions 8 and 17 */
    struct ste_said *said;            /* room for message_count + 1 */
    struct ste_reply_reason *reasons; /* room for STE_CONDITION_COUNT */
    size_t reason_count;
};

/* Room for `message_count` messages and the profile of the place. False: out of memory. */
bool ste_stage_init(struct ste_stage *stage, struct ste_decision *decision, enum ste_stage_bit bit,
                    struct ste_bytes name, size_t message_count_max, struct ste_bytes place);
/* Compares every condition of the stage, in the order of the table. True: all agree. */
bool ste_stage_judge(struct ste_stage *stage, struct ste_decision *decision);
/* A reason with the first `count` of said. `text` absent: the code's own. */
void ste_stage_add_reason(struct ste_stage *stage, struct ste_decision *decision,
                          const struct ste_condition *condition, size_t count,
                          struct ste_bytes text);
/* One NMA to each sender of its messages, and to `also` if that is another; unless the last NMA of
 * this stage said the same. */
void ste_stage_tell(struct ste_stage *stage, struct ste_decision *decision, struct ste_bytes also);

/* stage_block.c: the sum of the allocations against the NOE, and the units of the first `count` of
 * said. */
bool ste_block_quantity_agrees(const struct ste_stage *stage, const struct ste_decision *decision,
                               size_t count);
struct ste_bytes ste_block_quantity_text(struct ste_decision *decision);

/* The reason's text for a difference: the code's, without what a refusal adds to it. */
struct ste_bytes ste_difference_text(enum ste_msg_code code);
/* Sorted by value, then reference. */
void ste_sort_values(struct ste_reply_value *values, size_t count);

#endif
