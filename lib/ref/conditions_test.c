/* SPDX-License-Identifier: Apache-2.0 */
#include "ref/conditions.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

static void rows_stand_at_their_number(void **state)
{
    (void)state;
    for (int i = 1; i < STE_CONDITION_COUNT; i++) {
        const struct ste_condition *condition = &ste_conditions[i];
        assert_int_equal(condition->id, i);
        assert_string_equal(condition->element, ste_field_element(condition->field));
        assert_null(ste_field_attribute(condition->field));
        assert_int_equal(condition->code, ste_field_code(condition->field));
        assert_true(condition->stages != 0);
    }
}

/* A condition that a type does not carry is a field that it does not carry, and the other way. */
static void presence_is_what_types_carry(void **state)
{
    (void)state;
    for (int i = 1; i < STE_CONDITION_COUNT; i++) {
        const struct ste_condition *condition = &ste_conditions[i];
        assert_int_equal(condition->noe != STE_NOT_CARRIED,
                         ste_type_carries(STE_TYPE_NOE, condition->field));
        assert_int_equal(condition->alb != STE_NOT_CARRIED,
                         ste_type_carries(STE_TYPE_ALB, condition->field));
        assert_int_equal(condition->npr != STE_NOT_CARRIED,
                         ste_type_carries(STE_TYPE_NPR, condition->field));
        assert_int_equal(condition->set != STE_NOT_CARRIED,
                         ste_type_carries(STE_TYPE_SET, condition->field));
    }
    assert_int_equal(ste_conditions[STE_COND_ACCRUED_INTEREST].npr, STE_MANDATORY_FAMT);
    assert_int_equal(ste_conditions[STE_COND_PRICE].set, STE_OPTIONAL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_stand_at_their_number),
        cmocka_unit_test(presence_is_what_types_carry),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
