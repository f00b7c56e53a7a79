/* SPDX-License-Identifier: Apache-2.0
 * LEG: ALB, NPR and SET of one account, once the NOE and all three are there. */
#include "node/rules/stage.h"

void ste_stage_leg(struct ste_decision *decision, struct ste_leg *leg)
{
    struct ste_trade *trade = decision->trade;
    const struct ste_held *set = ste_leg_held(trade, leg, STE_TYPE_SET);
    struct ste_stage stage;
    if (!ste_stage_init(&stage, decision, STE_STAGE_LEG, STE_BYTES("LEG"), STE_PLACE_COUNT,
                        ste_held_value(trade, set, STE_F_PLACE_OF_SETTLEMENT)))
        return;
    stage.leg = (uint16_t)(leg - trade->legs);
    stage.account = trade->values[leg->account];
    stage.lender = ste_trade_noe(trade);
    for (size_t place = 0; place < STE_PLACE_COUNT; place++)
        stage.messages[stage.message_count++] = &trade->held[leg->places[place] - 1];
    bool passed = ste_stage_judge(&stage, decision);
    leg->result = passed ? STE_STAGE_PASSED : STE_STAGE_FAILED;
    ste_stage_tell(&stage, decision, (struct ste_bytes){NULL, 0});
}
