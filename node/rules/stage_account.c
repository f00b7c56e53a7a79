/* SPDX-License-Identifier: Apache-2.0
 * ACCOUNT: an NPR or SET of an account that nothing was allocated to. It blocks nothing else. */
#include "node/rules/stage.h"

void ste_stage_account(struct ste_decision *decision, const struct ste_held *stray)
{
    const struct ste_condition *condition = &ste_conditions[STE_COND_ACCOUNT];
    struct ste_trade *trade = decision->trade;
    struct ste_stage stage;
    if (!ste_stage_init(&stage, decision, STE_STAGE_ACCOUNT, STE_BYTES("ACCOUNT"), 1,
                        ste_held_value(trade, stray, STE_F_PLACE_OF_SETTLEMENT)) ||
        stage.profile->conditions[condition->id].compare == STE_COMPARE_NOT_USED)
        return;
    stage.leg = stray->leg;
    stage.type = stray->type;
    stage.account = ste_held_value(trade, stray, STE_F_ACCOUNT);
    stage.messages[stage.message_count++] = stray;
    if (!ste_say(trade, stray, condition, &stage.said[0]))
        return;
    ste_stage_add_reason(&stage, decision, condition, 1, (struct ste_bytes){NULL, 0});
    ste_stage_tell(&stage, decision, trade->manager8);
}
