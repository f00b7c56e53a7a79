/* SPDX-License-Identifier: Apache-2.0 */
#include "msg/testing.h"

static void types(void **state)
{
    (void)state;
    assert_string_equal(ste_type_name(STE_TYPE_NOE), "NOE");
    assert_string_equal(ste_type_name(STE_TYPE_STQ), "STQ");
    assert_string_equal(ste_type_name(STE_TYPE_NONE), "");
    assert_string_equal(ste_type_name(STE_TYPE_COUNT), "");
    assert_int_equal(ste_type_queue(STE_TYPE_NOE), 0);
    assert_int_equal(ste_type_queue(STE_TYPE_ALB), 1);
    assert_int_equal(ste_type_queue(STE_TYPE_NPR), 2);
    assert_int_equal(ste_type_queue(STE_TYPE_SET), 3);
    assert_int_equal(ste_type_queue(STE_TYPE_EXC), 4);
    assert_int_equal(ste_type_queue(STE_TYPE_AFF), 2);
    assert_int_equal(ste_type_queue(STE_TYPE_NAF), 2);
    assert_int_equal(ste_type_queue(STE_TYPE_STQ), 0);
    assert_string_equal(ste_function_name(STE_FUNCTION_AMND), "AMND");
    assert_string_equal(ste_function_name(STE_FUNCTION_NONE), "");
}

static void codes_have_a_name_and_a_text(void **state)
{
    (void)state;
    for (int code = STE_C_NONE + 1; code < STE_MSG_CODE_COUNT; code++) {
        const char *name = ste_msg_code_name((enum ste_msg_code)code);
        assert_int_equal(strlen(name), 4);
        assert_true(strlen(ste_msg_code_text((enum ste_msg_code)code)) > 0);
        assert_int_equal(ste_msg_code_of(ste_bytes_of(name)), code); /* so no name twice */
    }
    assert_int_equal(ste_msg_code_of(STE_BYTES("DDA")), STE_C_NONE);
    assert_int_equal(ste_msg_code_of(STE_BYTES("")), STE_C_NONE);
    assert_string_equal(ste_msg_code_name(STE_MSG_CODE_COUNT), "");
}

static void fields_are_found_by_element(void **state)
{
    (void)state;
    for (int id = STE_F_NONE + 1; id < STE_FIELD_COUNT; id++) {
        const char *element = ste_field_element((enum ste_field_id)id);
        enum ste_field_id found = ste_field_of(ste_bytes_of(element));
        assert_string_equal(ste_field_element(found), element);
        assert_null(ste_field_attribute(found));
        if (!ste_field_attribute((enum ste_field_id)id))
            assert_int_equal(found, id);
    }
    assert_int_equal(ste_field_of(STE_BYTES("Pric")), STE_F_NONE);
    assert_int_equal(ste_field_of(STE_BYTES("price")), STE_F_NONE);
    assert_int_equal(ste_field_of(STE_BYTES("")), STE_F_NONE);
    assert_string_equal(ste_field_element(STE_F_PRICE_TYPE), "Price");
    assert_string_equal(ste_field_attribute(STE_F_PRICE_TYPE), "type");
    assert_string_equal(ste_field_element(STE_F_NONE), "");
}

/* MESSAGES sections 1 and 3. */
static void carried(void **state)
{
    (void)state;
    static const enum ste_field_id not_by_noe[] = {
        STE_F_ACCOUNT,          STE_F_SETTLEMENT_AMOUNT, STE_F_COMMISSION,
        STE_F_ACCRUED_INTEREST, STE_F_DELIVERING_AGENT,  STE_F_RECEIVING_AGENT,
    };
    for (size_t i = 0; i < COUNT_OF(not_by_noe); i++) {
        assert_false(ste_type_carries(STE_TYPE_NOE, not_by_noe[i]));
        assert_true(ste_type_carries(STE_TYPE_ALB, not_by_noe[i]));
        assert_true(ste_type_carries(STE_TYPE_NPR, not_by_noe[i]));
        assert_true(ste_type_carries(STE_TYPE_SET, not_by_noe[i]));
    }
    assert_true(ste_type_carries(STE_TYPE_SET, STE_F_PRICE));
    assert_true(ste_type_carries(STE_TYPE_NOE, STE_F_PLACE_OF_SETTLEMENT));
    assert_true(ste_type_carries(STE_TYPE_NOE, STE_F_SETTLEMENT_CURRENCY));
    assert_true(ste_type_carries(STE_TYPE_STQ, STE_F_TRADE_DATE));
    assert_false(ste_type_carries(STE_TYPE_STQ, STE_F_PREVIOUS_REFERENCE));
    assert_true(ste_type_carries(STE_TYPE_AFF, STE_F_PREVIOUS_REFERENCE));
    assert_false(ste_type_carries(STE_TYPE_AFF, STE_F_PRICE));
    assert_false(ste_type_carries(STE_TYPE_EXC, STE_F_REFERENCE));
    assert_false(ste_type_carries(STE_TYPE_NONE, STE_F_REFERENCE));
    assert_false(ste_type_carries(STE_TYPE_NOE, STE_F_NONE));
    assert_false(ste_type_carries(STE_TYPE_NOE, STE_FIELD_COUNT));
}

static void codes_of_bad_values(void **state)
{
    (void)state;
    static const struct {
        enum ste_field_id id;
        const char *code;
    } rows[] = {
        {STE_F_DIRECTION, "DELN"},
        {STE_F_PAYMENT, "FRAP"},
        {STE_F_INSTRUMENT, "DSEC"},
        {STE_F_TRADE_DATE, "DTRD"},
        {STE_F_SETTLEMENT_DATE, "DDAT"},
        {STE_F_QUANTITY, "DQUA"},
        {STE_F_QUANTITY_UNIT, "DQUA"},
        {STE_F_PRICE, "DDEA"},
        {STE_F_PRICE_TYPE, "DDEA"},
        {STE_F_PRICE_CURRENCY, "DDEA"},
        {STE_F_SETTLEMENT_CURRENCY, "NCRR"},
        {STE_F_SETTLEMENT_AMOUNT, "DMON"},
        {STE_F_SETTLEMENT_AMOUNT_CURRENCY, "DMON"},
        {STE_F_COMMISSION_CURRENCY, "EXEC"},
        {STE_F_ACCRUED_INTEREST_CURRENCY, "ACRU"},
        {STE_F_BROKER, "IEXE"},
        {STE_F_MANAGER, "INVE"},
        {STE_F_ACCOUNT, "SAFE"},
        {STE_F_DELIVERING_AGENT, "DEAG"},
        {STE_F_RECEIVING_AGENT, "REAG"},
        {STE_F_PLACE_OF_SETTLEMENT, "DEPT"},
        {STE_F_RECEIVER, "XFMT"},
        {STE_F_CREATED_AT, "XFMT"},
        {STE_F_FACTOR, "XFMT"},
        {STE_F_GROSS_AMOUNT, "XFMT"},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        assert_string_equal(ste_msg_code_name(ste_field_code(rows[i].id)), rows[i].code);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(types),
        cmocka_unit_test(codes_have_a_name_and_a_text),
        cmocka_unit_test(fields_are_found_by_element),
        cmocka_unit_test(carried),
        cmocka_unit_test(codes_of_bad_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
