/* SPDX-License-Identifier: Apache-2.0 */
#include "router/fixture.h"
#include "router/verify.h"

static const struct ste_bytes body = STE_BYTES("<TradeMessage/>");

static const struct ste_key *verify(struct fixture *fixture, const struct ste_mq_delivery *delivery,
                                    struct ste_finding *ret)
{
    struct ste_verify_context *const context = ste_verify_context_new();
    assert_non_null(context);
    *ret = (struct ste_finding){0};
    const struct ste_key *const key = ste_verify_delivery(fixture->ref, fixture->business_date,
                                                          context, delivery, fixture->arena, ret);
    ste_verify_context_free(context);
    assert_int_equal(key == NULL, ret->code != STE_C_NONE);
    return key;
}

static void assert_good(struct fixture *fixture, struct ste_signer *signer, const char *key_id,
                        const char *participant)
{
    char signature[STE_SIGNATURE_TEXT_BYTES];
    struct ste_finding refusal;
    const struct ste_mq_delivery delivery = fixture_sign(signer, key_id, body, signature);
    const struct ste_key *const key = verify(fixture, &delivery, &refusal);
    assert_non_null(key);
    assert_string_equal(key->participant->bic8, participant);
}

static void assert_refused(struct fixture *fixture, const struct ste_mq_delivery *delivery,
                           const char *code, const char *place, const char *text)
{
    struct ste_finding refusal;
    assert_null(verify(fixture, delivery, &refusal));
    assert_code(refusal, code);
    assert_text(refusal.place, place);
    assert_text(refusal.text, text);
    assert_int_equal(refusal.level, STE_LEVEL_REJECT);
}

static void test_good_signatures(void **state)
{
    struct fixture *const fixture = *state;
    assert_good(fixture, fixture->hmac, "BROKSGSG/mac", "BROKSGSG");
    assert_good(fixture, fixture->ed25519, "BROKSGSG/ed", "BROKSGSG");
    assert_good(fixture, fixture->hmac, "STEHSGSG/hub", "STEHSGSG");
    assert_good(fixture, fixture->hmac, "BROKSGSG/today", "BROKSGSG"); /* both ends included */
}

static void test_keys_that_are_not_good(void **state)
{
    static const char *const keys[][2] = {
        {"", "no ste-key-id"},
        {"BROKSGSG/none", "unknown key"},
        {"BROKSGSG", "unknown key"},
        {"BROKSGSG/old", "key has expired"},
        {"BROKSGSG/new", "key is not valid yet"},
        {"GONESGSG/mac", "participant is not active"},
    };
    struct fixture *const fixture = *state;
    char signature[STE_SIGNATURE_TEXT_BYTES];
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
        const struct ste_mq_delivery delivery =
            fixture_sign(fixture->hmac, keys[i][0], body, signature);
        assert_refused(fixture, &delivery, "XKEY", "0", keys[i][1]);
    }
}

static void test_signatures_that_do_not_fit(void **state)
{
    struct fixture *const fixture = *state;
    char signature[STE_SIGNATURE_TEXT_BYTES];
    struct ste_mq_delivery delivery = fixture_sign(fixture->hmac, "BROKSGSG/mac", body, signature);
    const struct ste_mq_delivery good = delivery;

    delivery.body = STE_BYTES("<TradeMessage />");
    assert_refused(fixture, &delivery, "XSIG", "0", "signature does not fit the body");
    delivery = good;
    delivery.signature = (struct ste_bytes){0};
    assert_refused(fixture, &delivery, "XSIG", "0", "no ste-signature");
    delivery.signature = STE_BYTES("AAAA*AAA");
    assert_refused(fixture, &delivery, "XSIG", "4", "signature does not fit the body");
    delivery = good;
    delivery.signature.len -= 4;
    assert_refused(fixture, &delivery, "XSIG", "0", "signature does not fit the body");
    /* The algorithm is the key's, whatever the signature looks like. */
    delivery = good;
    delivery.key_id = STE_BYTES("BROKSGSG/ed");
    assert_refused(fixture, &delivery, "XSIG", "0", "signature does not fit the body");
}

static void test_user_id(void **state)
{
    struct fixture *const fixture = *state;
    char signature[STE_SIGNATURE_TEXT_BYTES];
    struct ste_finding refusal;
    struct ste_mq_delivery delivery = fixture_sign(fixture->hmac, "BROKSGSG/mac", body, signature);
    delivery.user_id = STE_BYTES("BROKSGSG");
    assert_non_null(verify(fixture, &delivery, &refusal));
    delivery.user_id = STE_BYTES("STEHSGSG");
    assert_refused(fixture, &delivery, "XKEY", "0", "the broker user is not the key's participant");
}

/* ---- senders ---- */

static struct ste_message message_of(const char *sender)
{
    struct ste_message message = {.type = STE_TYPE_NOE, .function = STE_FUNCTION_NEWM};
    message.fields[STE_F_SENDER] = (struct ste_field){ste_bytes_of(sender), 4, 13};
    return message;
}

static struct ste_message check_sender(struct fixture *fixture, const char *signer,
                                       struct ste_message message)
{
    const struct ste_participant *const participant =
        ste_ref_participant(fixture->ref, ste_bytes_of(signer));
    assert_non_null(participant);
    assert_true(ste_verify_sender(participant, &message, fixture->arena));
    return message;
}

static void test_who_may_send_for_whom(void **state)
{
    static const struct {
        const char *signer, *sender;
        bool may;
    } pairs[] = {
        {"BROKSGSG", "BROKSGSG", true},  {"BROKSGSG", "BROKSGSG001", true},
        {"BROKSGSG", "INVMSGSG", false}, {"AGENSGSG", "INVMSGSG", true},
        {"AGENSGSG", "AGENSGSG", true},  {"AGENSGSG", "BROKSGSG", false},
        {"STEHSGSG", "INVMSGSG", true},  {"STEHSGSG", "NOONSGSG", true},
    };
    struct fixture *const fixture = *state;
    for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
        const struct ste_message message =
            check_sender(fixture, pairs[i].signer, message_of(pairs[i].sender));
        assert_code(message.exc, pairs[i].may ? "" : "XSND");
        assert_int_equal(message.type, pairs[i].may ? STE_TYPE_NOE : STE_TYPE_EXC);
    }
}

static void test_what_a_wrong_sender_is_told(void **state)
{
    const struct ste_message message = check_sender(*state, "BROKSGSG", message_of("INVMSGSG"));
    assert_text(message.exc.place, "4:13");
    assert_text(message.exc.element, "Sender");
    assert_text(message.exc.text, "BROKSGSG may not send for INVMSGSG");
    assert_int_equal(message.function, STE_FUNCTION_NONE);
}

/* MESSAGES section 11: limit, signature, Sender, type, Reference … : the first one is reported. */
static void test_what_is_reported_before_the_sender(void **state)
{
    static const struct {
        enum ste_msg_code code;
        const char *element, *reported;
    } others[] = {
        {STE_C_XLIM, "", "XLIM"},        {STE_C_XNSP, "", "XNSP"},
        {STE_C_XFMT, "Sender", "XFMT"},  {STE_C_XREP, "Sender", "XREP"},
        {STE_C_XTYP, "", "XSND"},        {STE_C_XMIS, "Reference", "XSND"},
        {STE_C_XFMT, "Manager", "XSND"},
    };
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        struct ste_message message = message_of("INVMSGSG");
        message.type = STE_TYPE_EXC;
        message.exc = (struct ste_finding){.code = others[i].code,
                                           .level = STE_LEVEL_REJECT,
                                           .element = ste_bytes_of(others[i].element)};
        message = check_sender(*state, "BROKSGSG", message);
        assert_code(message.exc, others[i].reported);
    }
}

static void test_no_sender_is_somebody_elses_finding(void **state)
{
    struct ste_message message = {.type = STE_TYPE_EXC};
    message.exc.code = STE_C_XMIS;
    message = check_sender(*state, "BROKSGSG", message);
    assert_code(message.exc, "XMIS");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_good_signatures),
        cmocka_unit_test(test_keys_that_are_not_good),
        cmocka_unit_test(test_signatures_that_do_not_fit),
        cmocka_unit_test(test_user_id),
        cmocka_unit_test(test_who_may_send_for_whom),
        cmocka_unit_test(test_what_a_wrong_sender_is_told),
        cmocka_unit_test(test_what_is_reported_before_the_sender),
        cmocka_unit_test(test_no_sender_is_somebody_elses_finding),
    };
    return cmocka_run_group_tests(tests, fixture_open, fixture_close);
}
