/* SPDX-License-Identifier: Apache-2.0 */
#include "ref/ref_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

static void who_may_send(void **state)
{
    struct ste_faults faults = {0};
    struct ste_ref *ref = NULL;
    const struct ste_participant *all = NULL;
    (void)state;
    assert_int_equal(
        ste_fixture_load(STE_FIXTURE_REFERENCE("keyed.yaml"), "2026-11-30", &faults, &ref), STE_OK);
    assert_int_equal(ste_ref_participants(ref, &all), 2);
    assert_string_equal(all[0].bic8, "AGENSGSG"); /* sorted */
    const struct ste_participant *agent = ste_ref_participant(ref, STE_BYTES("AGENSGSG"));
    const struct ste_participant *broker = ste_ref_participant(ref, STE_BYTES("BROKSGSGXXX"));
    assert_non_null(agent);
    assert_non_null(broker);
    assert_null(ste_ref_participant(ref, STE_BYTES("INVMSGSG")));
    assert_null(ste_ref_participant(ref, STE_BYTES("BROKSG")));
    assert_int_equal(broker->roles, STE_PARTICIPANT_BROKER | STE_PARTICIPANT_CUSTODIAN);
    assert_true(broker->active);
    assert_int_equal(broker->replies, STE_REPLIES_EXCEPTIONS);
    assert_string_equal(broker->broker_password_file, STE_SOURCE_DIR "/lib/ref/testdata/keys/hub");
    assert_false(agent->active);
    assert_int_equal(agent->replies, STE_REPLIES_NONE);
    assert_null(agent->broker_password_file);
    assert_true(ste_participant_may_send_for(broker, STE_BYTES("BROKSGSGXXX")));
    assert_false(ste_participant_may_send_for(broker, STE_BYTES("INVMSGSG")));
    assert_true(ste_participant_may_send_for(agent, STE_BYTES("INVMSGSG")));
    assert_true(ste_participant_may_send_for(agent, STE_BYTES("BROKSGSG")));
    assert_true(ste_participant_may_send_for(agent, STE_BYTES("AGENSGSG")));
    assert_false(ste_participant_may_send_for(agent, STE_BYTES("CUSTSGSG")));
    assert_false(ste_participant_may_send_for(agent, STE_BYTES("")));
    ste_ref_free(ref);
    ste_faults_deinit(&faults);
}

static void keys_by_their_id(void **state)
{
    struct ste_faults faults = {0};
    struct ste_ref *ref = NULL;
    ste_date from = 0, to = 0;
    (void)state;
    assert_int_equal(
        ste_fixture_load(STE_FIXTURE_REFERENCE("keyed.yaml"), "2026-11-30", &faults, &ref), STE_OK);
    assert_true(ste_date_parse(STE_BYTES("2020-01-01"), &from));
    assert_true(ste_date_parse(STE_BYTES("2019-12-31"), &to));
    const struct ste_key *signing = ste_ref_key(ref, STE_BYTES("BROKSGSG/k1"));
    const struct ste_key *old = ste_ref_key(ref, STE_BYTES("BROKSGSG/k0"));
    assert_non_null(signing);
    assert_non_null(old);
    assert_ptr_equal(signing->participant, ste_ref_participant(ref, STE_BYTES("BROKSGSG")));
    assert_int_equal(signing->algorithm, STE_ED25519); /* when none is named */
    assert_non_null(signing->verifier);
    assert_int_equal(signing->valid_from, from);
    assert_int_equal(old->algorithm, STE_HMAC_SHA256);
    assert_int_equal(old->valid_from, STE_DATE_NONE);
    assert_int_equal(old->valid_to, to);
    assert_null(ste_ref_key(ref, STE_BYTES("BROKSGSG/k")));
    assert_null(ste_ref_key(ref, STE_BYTES("k1")));
    assert_null(ste_ref_key(ref, STE_BYTES("")));
    ste_ref_free(ref);
    ste_faults_deinit(&faults);
}

static void a_hub_sends_for_all(void **state)
{
    struct ste_ref *ref = ste_fixture_ref("", "2026-11-30");
    (void)state;
    assert_non_null(ref);
    const struct ste_participant *hub = ste_ref_participant(ref, STE_BYTES("STEHSGSG"));
    assert_true(hub->sends_for_all);
    assert_true(ste_participant_may_send_for(hub, STE_BYTES("ANYBFRPP")));
    assert_null(ste_ref_key(ref, STE_BYTES("STEHSGSG/hub")));
    ste_ref_free(ref);
}

static void every_fault_at_once(void **state)
{
    static const char *const expected[] = {
        ":2:9: participants[0]: id: not a BIC of 8 characters",
        ":3:21: participants[0].roles[1]: not one of: broker, manager",
        ":5:30: participants[0].keys[0].algorithm: rot13 is not one of: ed25519 hmac-sha256",
        ":6:45: participants[0].keys[1]: file: ",
        ":7:9: participants[0].keys[2]: id: stands twice",
        ":7:81: participants[0].keys[2]: to: is before from",
        ":9:12: participants[1]: roles: at least one is wanted",
        ":10:27: participants[1].sends_for[1]: not a BIC of 8 characters, nor \"*\"",
        ":11:14: participants[1].replies: sometimes is not one of: all exceptions none",
        ":12:5: participants[2].id: INVMSGSG stands in line 8 already",
        ":12:39: participants[2].colour: unknown key",
    };
    struct ste_faults faults = {0};
    struct ste_ref *ref = NULL;
    (void)state;
    assert_int_equal(
        ste_fixture_load(STE_FIXTURE_REFERENCE("faulty.yaml"), "2026-11-30", &faults, &ref),
        STE_E_CONFIG);
    assert_null(ref);
    assert_faults(faults, expected);
    ste_faults_deinit(&faults);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_may_send),
        cmocka_unit_test(keys_by_their_id),
        cmocka_unit_test(a_hub_sends_for_all),
        cmocka_unit_test(every_fault_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
