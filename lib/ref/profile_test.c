/* SPDX-License-Identifier: Apache-2.0 */
#include "ref/ref_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

static const struct ste_bytes none = {NULL, 0};

static void without_profiles_the_defaults(void **state)
{
    struct ste_ref *ref = ste_fixture_ref("", "2026-11-30");
    (void)state;
    assert_non_null(ref);
    const struct ste_profile *profile = ste_ref_profile(ref, none, none, none);
    assert_string_equal(profile->name, "default");
    for (int i = 1; i < STE_CONDITION_COUNT; i++) {
        enum ste_compare expected = i == STE_COND_SETTLEMENT_AMOUNT ? STE_COMPARE_BAND
                                    : i == STE_COND_COMMISSION || i == STE_COND_ACCRUED_INTEREST
                                        ? STE_COMPARE_ABSOLUTE
                                        : STE_COMPARE_EXACT;
        assert_int_equal(profile->conditions[i].compare, expected);
    }
    assert_int_equal(profile->conditions[STE_COND_SETTLEMENT_AMOUNT].amount.coefficient, 2);
    assert_int_equal(profile->conditions[STE_COND_SETTLEMENT_AMOUNT].edge.coefficient, 100000);
    assert_int_equal(profile->conditions[STE_COND_SETTLEMENT_AMOUNT].high.coefficient, 25);
    assert_int_equal(profile->conditions[STE_COND_COMMISSION].amount.coefficient, 0);
    assert_int_equal(profile->checks[STE_CHECK_ISIN], STE_LEVEL_REJECT);
    assert_int_equal(profile->checks[STE_CHECK_ARITHMETIC], STE_LEVEL_WARN);
    ste_ref_free(ref);
}

static void pair_before_place_before_default(void **state)
{
    struct ste_ref *ref = ste_fixture_ref("profiles:\n"
                                          "  - { name: place, place: CDPLSGSGXXX }\n"
                                          "  - { name: pair, pair: [BROKSGSG, INVMSGSG] }\n"
                                          "  - { name: default }\n",
                                          "2026-11-30");
    struct ste_bytes broker = STE_BYTES("BROKSGSGXXX"), manager = STE_BYTES("INVMSGSG");
    struct ste_bytes place = STE_BYTES("CDPLSGSG"), other = STE_BYTES("OTHRSGSG");
    (void)state;
    assert_non_null(ref);
    assert_string_equal(ste_ref_profile(ref, broker, manager, place)->name, "pair");
    assert_string_equal(ste_ref_profile(ref, broker, manager, none)->name, "pair");
    assert_string_equal(ste_ref_profile(ref, manager, broker, place)->name, "place");
    assert_string_equal(ste_ref_profile(ref, broker, other, place)->name, "place");
    assert_string_equal(ste_ref_profile(ref, broker, other, other)->name, "default");
    assert_string_equal(ste_ref_profile(ref, broker, none, none)->name, "default");
    ste_ref_free(ref);
}

static void every_rule(void **state)
{
    struct ste_ref *ref =
        ste_fixture_ref("profiles:\n"
                        "  - name: default\n"
                        "    conditions:\n"
                        "      Price: { rule: absolute, amount: 0.005 }\n"
                        "      Commission: { rule: percent, percent: 1.5 }\n"
                        "      AccruedInterest: { rule: percent_capped, percent: 2, cap: 10.00 }\n"
                        "      SettlementAmount: { rule: band, low: 1, edge: 500, high: 7.5 }\n"
                        "      DeliveringAgent: { rule: if_present }\n"
                        "      ReceivingAgent: { rule: not_used }\n"
                        "      TradeDate: { rule: exact }\n"
                        "      Quantity: { rule: exact }\n"
                        "    checks: { isin: off, role: warn, arithmetic: reject }\n",
                        "2026-11-30");
    (void)state;
    assert_non_null(ref);
    const struct ste_profile *profile = ste_ref_profile(ref, none, none, none);
    const struct ste_tolerance *price = &profile->conditions[STE_COND_PRICE];
    assert_int_equal(price->compare, STE_COMPARE_ABSOLUTE);
    assert_int_equal(price->amount.coefficient, 5);
    assert_int_equal(price->amount.decimals, 3);
    const struct ste_tolerance *commission = &profile->conditions[STE_COND_COMMISSION];
    assert_int_equal(commission->compare, STE_COMPARE_PERCENT);
    assert_int_equal(commission->percent.coefficient, 15);
    const struct ste_tolerance *accrued = &profile->conditions[STE_COND_ACCRUED_INTEREST];
    assert_int_equal(accrued->compare, STE_COMPARE_PERCENT_CAPPED);
    assert_int_equal(accrued->percent.coefficient, 2);
    assert_int_equal(accrued->cap.coefficient, 1000);
    const struct ste_tolerance *amount = &profile->conditions[STE_COND_SETTLEMENT_AMOUNT];
    assert_int_equal(amount->compare, STE_COMPARE_BAND);
    assert_int_equal(amount->amount.coefficient, 1);
    assert_int_equal(amount->edge.coefficient, 500);
    assert_int_equal(amount->high.coefficient, 75);
    assert_int_equal(profile->conditions[STE_COND_DELIVERING_AGENT].compare,
                     STE_COMPARE_IF_PRESENT);
    assert_int_equal(profile->conditions[STE_COND_RECEIVING_AGENT].compare, STE_COMPARE_NOT_USED);
    assert_int_equal(profile->checks[STE_CHECK_ISIN], STE_LEVEL_OFF);
    assert_int_equal(profile->checks[STE_CHECK_ROLE], STE_LEVEL_WARN);
    assert_int_equal(profile->checks[STE_CHECK_ARITHMETIC], STE_LEVEL_REJECT);
    assert_int_equal(profile->checks[STE_CHECK_BIC], STE_LEVEL_REJECT);
    ste_ref_free(ref);
}

static void every_fault_at_once(void **state)
{
    static const char profiles[] =
        "profiles:\n"
        "  - name: default\n"
        "    place: CDPLSGSG\n"
        "  - name: one\n"
        "  - { name: two, pair: [BROKSGSG], checks: { isin: maybe, nose: warn } }\n"
        "  - { name: three, place: Nowhere }\n"
        "  - { name: four, pair: [BROKSGSG, INVMSGSG], place: CDPLSGSG }\n"
        "  - name: five\n"
        "    place: CRSTGB22\n"
        "    conditions:\n"
        "      Price: { rule: absolute }\n"
        "      Commission: { rule: exact, amount: 1 }\n"
        "      Quantity: { rule: percent, percent: 1 }\n"
        "      TradeDate: { rule: not_used }\n"
        "      AccruedInterest: { rule: absolute, amount: -1 }\n"
        "      SettlementAmount: { rule: roughly }\n"
        "      Sender: { rule: exact }\n"
        "  - { name: six, place: CRSTGB22XXX }\n"
        "  - { name: five, place: CDPLSGSG, mood: good }\n"
        "  - { name: default }\n";
    static const char *const expected[] = {
        "map.yaml:2:5: profiles[0]: the profile named default takes no selector",
        "map.yaml:4:5: profiles[1]: needs pair or place, or the name default",
        "map.yaml:5:24: profiles[2]: pair: [BROKER, MANAGER] is wanted",
        "map.yaml:5:52: profiles[2].checks.isin: off, warn or reject is wanted",
        "map.yaml:5:65: profiles[2].checks.nose: no check has this name",
        "map.yaml:6:27: profiles[3].place: not a BIC",
        "map.yaml:7:54: profiles[4]: pair and place exclude each other",
        "map.yaml:11:14: profiles[5].conditions.Price.amount: is missing: the rule needs it",
        "map.yaml:12:42: profiles[5].conditions.Commission.amount: means nothing to this rule",
        "map.yaml:13:17: profiles[5].conditions.Quantity: cannot be compared by rule percent",
        "map.yaml:14:18: profiles[5].conditions.TradeDate: tells which trade a message belongs to",
        "map.yaml:15:50: profiles[5].conditions.AccruedInterest.amount: a number with at most 18",
        "map.yaml:16:33: profiles[5].conditions.SettlementAmount.rule: roughly is not one of",
        "map.yaml:17:15: profiles[5].conditions.Sender: is none of the 17 conditions",
        "map.yaml:18:5: profiles[6]: selects what five selects",
        "map.yaml:19:5: profiles[7]: name: five stands twice",
        "map.yaml:19:36: profiles[7].mood: unknown key",
        "map.yaml:20:5: profiles[8]: name: default stands twice",
    };
    char yaml[STE_FIXTURE_YAML_BYTES];
    struct ste_faults faults = {0};
    struct ste_ref *ref = NULL;
    (void)state;
    snprintf(yaml, sizeof(yaml), "%s%s", profiles, STE_FIXTURE_REFERENCE("participants.yaml"));
    assert_int_equal(ste_fixture_load(yaml, "2026-11-30", &faults, &ref), STE_E_CONFIG);
    assert_faults(faults, expected);
    ste_faults_deinit(&faults);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_profiles_the_defaults),
        cmocka_unit_test(pair_before_place_before_default),
        cmocka_unit_test(every_rule),
        cmocka_unit_test(every_fault_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
