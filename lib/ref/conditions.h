/* SPDX-License-Identifier: Apache-2.0
 * The 17 conditions of MESSAGES section 3; lib/ref/conditions.def is the one table. Pure. */
#ifndef STE_REF_CONDITIONS_H
#define STE_REF_CONDITIONS_H

#include "msg/message.h"

enum ste_condition_id {
#define X(id, number, field, noe, alb, npr, set, stages, rule, code) id = number,
#include "ref/conditions.def"
#undef X
    STE_CONDITION_COUNT /* 18: index 0 is not used */
};
enum ste_presence { STE_NOT_CARRIED, STE_OPTIONAL, STE_MANDATORY, STE_MANDATORY_FAMT };
enum ste_stage_bit {
    STE_STAGE_KEY = 1,
    STE_STAGE_BLOCK = 2,
    STE_STAGE_LEG = 4,
    STE_STAGE_ACCOUNT = 8,
};

struct ste_condition {
    enum ste_condition_id id;
    const char *element;
    enum ste_field_id field;
    enum ste_presence noe, alb, npr, set;
    unsigned stages;
    const char *rule; /* how it is compared when the profile says nothing, in words */
    enum ste_msg_code code;
};
extern const struct ste_condition ste_conditions[STE_CONDITION_COUNT];

/* Whether messages of this type must, may or cannot say it; types that are no notice of a trade say
 * nothing. */
static inline enum ste_presence ste_condition_presence(const struct ste_condition *condition,
                                                       enum ste_type type)
{
    switch (type) {
    case STE_TYPE_NOE:
        return condition->noe;
    case STE_TYPE_ALB:
        return condition->alb;
    case STE_TYPE_NPR:
        return condition->npr;
    case STE_TYPE_SET:
        return condition->set;
    default:
        return STE_NOT_CARRIED;
    }
}
/* Amounts of a leg, 9 to 11: what a FREE payment does without. */
static inline bool ste_condition_is_money(enum ste_condition_id id)
{
    return id == STE_COND_SETTLEMENT_AMOUNT || id == STE_COND_COMMISSION ||
           id == STE_COND_ACCRUED_INTEREST;
}

#endif
