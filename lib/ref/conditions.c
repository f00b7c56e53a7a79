/* SPDX-License-Identifier: Apache-2.0 */
#include "ref/conditions.h"

#define M STE_MANDATORY
#define O STE_OPTIONAL
#define N STE_NOT_CARRIED
#define F STE_MANDATORY_FAMT

/* ELEMENT_STE_F_PRICE and so on: the names come from fields.def, so that none stands twice. Those
 * of attributes are made as well and simply not used. */
#define X(id, value, element, attribute, kind)                                                     \
    __attribute__((unused)) static const char ELEMENT_##id[] = element;
#include "msg/fields.def"
#undef X

const struct ste_condition ste_conditions[STE_CONDITION_COUNT] = {
#define X(id, number, field, noe, alb, npr, set, stages, rule, code)                               \
    [number] = {id, ELEMENT_##field, field, noe, alb, npr, set, stages, rule, STE_C_##code},
#include "ref/conditions.def"
#undef X
};
