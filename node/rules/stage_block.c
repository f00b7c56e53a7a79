/* SPDX-License-Identifier: Apache-2.0
 * BLOCK: the NOE against all its allocations, once these reach its quantity. */
#include "node/rules/stage.h"

bool ste_block_quantity_agrees(const struct ste_stage *stage, const struct ste_decision *decision,
                               size_t count)
{
    const struct ste_trade *trade = decision->trade;
    const struct ste_tolerance *tolerance = &stage->profile->conditions[STE_COND_QUANTITY];
    struct ste_wide smallest =
        ste_number_of(ste_held_value(trade, stage->messages[0], STE_F_QUANTITY));
    struct ste_wide largest = trade->allocated;
    if (ste_wide_compare(largest, smallest) < 0) {
        largest = smallest;
        smallest = trade->allocated;
    }
    return ste_qualifiers_agree(stage->said, count) &&
           ste_within(decision->rules->ref, tolerance, (struct ste_bytes){NULL, 0}, smallest,
                      largest);
}

struct ste_bytes ste_block_quantity_text(struct ste_decision *decision)
{
    const struct ste_trade *trade = decision->trade;
    char sum[STE_DECIMAL_TEXT_BYTES], whole[STE_DECIMAL_TEXT_BYTES];
    struct ste_wide wanted =
        ste_number_of(ste_held_value(trade, ste_trade_noe(trade), STE_F_QUANTITY));
    ste_wide_format(trade->allocated, 0, sum);
    ste_wide_format(wanted, 0, whole);
    if (ste_wide_compare(trade->allocated, wanted) == 0)
        return STE_BYTES("units of the quantities differ");
    return ste_decision_text(decision, "allocations sum to %s of %s", sum, whole);
}

/* The place that picks the profile: the NOE's, else the first allocation's by account that has one,
 * so that the order of arrival does not count. */
static struct ste_bytes block_place(const struct ste_trade *trade)
{
    struct ste_bytes place = ste_held_value(trade, ste_trade_noe(trade), STE_F_PLACE_OF_SETTLEMENT);
    struct ste_bytes first = {NULL, 0};
    if (place.len)
        return place;
    for (size_t i = 0; i < trade->leg_count; i++) {
        const struct ste_held *alb = ste_leg_held(trade, &trade->legs[i], STE_TYPE_ALB);
        struct ste_bytes account = trade->values[trade->legs[i].account];
        if (!alb || !alb->values[STE_F_PLACE_OF_SETTLEMENT] ||
            (first.len && ste_bytes_compare(account, first) > 0))
            continue;
        first = account;
        place = ste_held_value(trade, alb, STE_F_PLACE_OF_SETTLEMENT);
    }
    return place;
}

void ste_stage_block(struct ste_decision *decision)
{
    struct ste_trade *trade = decision->trade;
    struct ste_stage stage;
    if (!ste_stage_init(&stage, decision, STE_STAGE_BLOCK, STE_BYTES("BLOCK"), trade->leg_count + 1,
                        block_place(trade)))
        return;
    stage.messages[stage.message_count++] = ste_trade_noe(trade);
    for (size_t i = 0; i < trade->leg_count; i++) {
        const struct ste_held *alb = ste_leg_held(trade, &trade->legs[i], STE_TYPE_ALB);
        if (alb)
            stage.messages[stage.message_count++] = alb;
    }
    bool passed = ste_stage_judge(&stage, decision);
    trade->block = passed ? STE_STAGE_PASSED : STE_STAGE_FAILED;
    ste_stage_tell(&stage, decision, (struct ste_bytes){NULL, 0});
}
