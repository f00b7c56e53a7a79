/* SPDX-License-Identifier: Apache-2.0
 * How one condition is compared: what each message says about it, and whether that agrees
 * (MESSAGES section 3). Pure. */
#ifndef STE_NODE_RULES_COMPARE_H
#define STE_NODE_RULES_COMPARE_H

#include "node/rules/trade_state.h"
#include "ref/profile.h"
#include "ref/ref.h"

/* One message's word on one condition. */
struct ste_said {
    const struct ste_held *held;
    struct ste_bytes value;     /* as sent, or derived (condition 8) */
    struct ste_bytes qualifier; /* its unit, type or currency; may be absent */
};

/* False: the message's type does not carry the condition, or it is not there. */
bool ste_say(const struct ste_trade *trade, const struct ste_held *held,
             const struct ste_condition *condition, struct ste_said *ret);
/* True: the type of `held` may carry the condition. */
bool ste_may_say(const struct ste_held *held, const struct ste_condition *condition);

/* Do all of them agree under the profile? `might_say` is how many of the stage's messages may carry
 * the condition (for required-if-present). */
bool ste_said_agree(const struct ste_trade *trade, const struct ste_ref *ref,
                    const struct ste_tolerance *tolerance, const struct ste_condition *condition,
                    const struct ste_said *said, size_t count, size_t might_say);
/* Largest and smallest within the tolerance; a band goes by the rate of `currency` (none: exact).
 */
bool ste_within(const struct ste_ref *ref, const struct ste_tolerance *tolerance,
                struct ste_bytes currency, struct ste_wide smallest, struct ste_wide largest);
bool ste_qualifiers_agree(const struct ste_said *said, size_t count);

#endif
