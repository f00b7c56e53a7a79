/* SPDX-License-Identifier: Apache-2.0
 * Random trades of up to 200 accounts in random order, against a model that is told what was
 * spoiled: which stages must fail, whether there is a CLS, and what it holds. */
#include "node/rules/fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

enum { TRADES = 400, SENT_MAX = 3 * STE_ACCOUNTS_MAX + 1, TEXT_BYTES = 40 };

/* How one message of a leg is spoiled, and what its leg must then report. */
static const struct spoil {
    const char *pair;
    enum ste_msg_code code; /* of LEG; NONE: no difference */
    bool spoils_block;      /* when it is an ALB */
    bool set_alone;         /* only the SET has it unless it is spoiled elsewhere */
} spoils[] = {
    {"SettlementDate=2026-12-03", STE_C_DDAT, true, false},
    {"Direction=SELL", STE_C_DELN, true, false},
    {"Instrument=SG1S04926220", STE_C_DSEC, true, false},
    {"DeliveringAgent=CUSTGB2L", STE_C_DEAG, false, true},
    {"PlaceOfSettlement=CRSTGB22", STE_C_DEPT, false, true},
    {"SettlementAmount=1.00", STE_C_DMON, false, false},
    {"PlaceOfSettlement=CDPLSGSGXXX", STE_C_NONE, false, false},
    {"DeliveringAgent=BROKSGSG", STE_C_NONE, false, false},
    {"Narrative=nothing", STE_C_NONE, false, false},
};
enum { SPOIL_COUNT = sizeof(spoils) / sizeof(spoils[0]) };

struct model {
    size_t account_count;
    enum ste_msg_code leg_codes[STE_ACCOUNTS_MAX];
    bool block_fails, stray;
    size_t sent_count;
    struct ste_record *sent[SENT_MAX + 1];
};

static uint64_t next_random(uint64_t *seed)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *seed >> 33;
}

static const char *account_name(size_t i, char out[static TEXT_BYTES])
{
    snprintf(out, TEXT_BYTES, "ACC-%03zu", i);
    return out;
}

static void spoil_leg(struct ste_fixture *fixture, struct model *model, size_t account,
                      struct ste_record *const leg[static 3], uint64_t *seed)
{
    const struct spoil *spoil = &spoils[next_random(seed) % SPOIL_COUNT];
    size_t which = next_random(seed) % 3;
    ste_fixture_set(fixture, leg[which], spoil->pair);
    model->leg_codes[account] = spoil->set_alone && which == 2 ? STE_C_NONE : spoil->code;
    if (which == 0 && spoil->spoils_block)
        model->block_fails = true;
    if (which == 0 && spoil->code == STE_C_DMON)
        ste_fixture_set(fixture, leg[which], "SettlementAmount@currency=SGD");
}

/* Quantities with up to three decimals that sum exactly to the NOE's. */
static void make_trade(struct ste_fixture *fixture, struct model *model, uint64_t *seed)
{
    static const enum ste_type types[] = {STE_TYPE_ALB, STE_TYPE_NPR, STE_TYPE_SET};
    uint64_t total_thousandths = 0;
    bool is_large = next_random(seed) % 20 == 0;
    *model = (struct model){.account_count = 1 + next_random(seed) % (is_large ? 200 : 8)};
    for (size_t i = 0; i < model->account_count; i++) {
        char account[TEXT_BYTES], quantity[TEXT_BYTES];
        struct ste_record *leg[3];
        uint64_t thousandths = 1 + next_random(seed) % 1000000;
        total_thousandths += thousandths;
        snprintf(quantity, sizeof(quantity), "%llu.%03llu",
                 (unsigned long long)(thousandths / 1000),
                 (unsigned long long)(thousandths % 1000));
        for (size_t j = 0; j < 3; j++)
            leg[j] = model->sent[model->sent_count++] = ste_fixture_leg_record(
                fixture, types[j], account_name(i, account), quantity, "22534.51");
        if (next_random(seed) % 4 == 0 && next_random(seed) % model->account_count < 4)
            spoil_leg(fixture, model, i, leg, seed);
    }
    char total[TEXT_BYTES];
    snprintf(total, sizeof(total), "Quantity=%llu.%03llu",
             (unsigned long long)(total_thousandths / 1000),
             (unsigned long long)(total_thousandths % 1000));
    model->sent[model->sent_count++] = ste_fixture_record(fixture, "NOE", total, NULL);
    if (next_random(seed) % 8 == 0 && model->account_count < STE_ACCOUNTS_MAX) {
        model->stray = true;
        model->sent[model->sent_count++] =
            ste_fixture_leg_record(fixture, STE_TYPE_SET, "STRAY", "5", "1.00");
    }
    for (size_t i = model->sent_count - 1; i > 0; i--) {
        size_t j = next_random(seed) % (i + 1);
        struct ste_record *swap = model->sent[i];
        model->sent[i] = model->sent[j];
        model->sent[j] = swap;
    }
}

static bool is_spoiled(const struct model *model)
{
    bool spoiled = model->block_fails;
    for (size_t i = 0; i < model->account_count; i++)
        spoiled = spoiled || model->leg_codes[i] != STE_C_NONE;
    return spoiled;
}

static void check_legs(const struct ste_fixture *fixture, const struct model *model)
{
    for (size_t i = 0; i < model->account_count; i++) {
        char account[TEXT_BYTES];
        const struct ste_reply *nma =
            ste_fixture_nma(fixture, "LEG", account_name(i, account), "CUSTSGSG");
        assert_int_equal(nma != NULL, model->leg_codes[i] != STE_C_NONE);
        if (!nma)
            continue;
        assert_int_equal(nma->reason_count, 1);
        assert_int_equal(nma->reasons[0].code, model->leg_codes[i]);
    }
}

static void check_outcome(const struct ste_fixture *fixture, const struct model *model)
{
    assert_int_equal(ste_fixture_count(fixture, STE_REPLY_ACK), model->sent_count);
    assert_int_equal(ste_fixture_nma(fixture, "BLOCK", "", "INVMSGSG") != NULL, model->block_fails);
    assert_int_equal(ste_fixture_nma(fixture, "ACCOUNT", "STRAY", "INVMSGSG") != NULL,
                     model->stray);
    check_legs(fixture, model);
    assert_int_equal(fixture->effects.clearing_count, is_spoiled(model) ? 0 : 1);
    if (is_spoiled(model))
        return;
    const struct ste_reply *cls = &fixture->effects.clearings[0];
    struct ste_wide sum = {0, 0};
    assert_int_equal(cls->leg_count, model->account_count);
    assert_int_equal(cls->reference_count, 3 * model->account_count + 1);
    for (size_t i = 0; i < cls->leg_count; i++) {
        char account[TEXT_BYTES];
        ste_assert_text(cls->legs[i].account, account_name(i, account));
        assert_true(ste_wide_add(sum, ste_number_of(cls->legs[i].quantity), &sum));
    }
    assert_int_equal(ste_wide_compare(sum, ste_number_of(cls->quantity)), 0);
}

static void test_random_trades(void **state)
{
    struct ste_fixture *fixture = *state;
    struct model *model = test_malloc(sizeof(*model));
    const char *wish = getenv("STE_SEED");
    uint64_t seed = wish ? strtoull(wish, NULL, 10) : 20261130;
    size_t cleared = 0, failed = 0;
    print_message("STE_SEED=%llu\n", (unsigned long long)seed);
    for (int n = 0; n < TRADES; n++) {
        ste_fixture_clear(fixture);
        fixture->coded = n % 3 != 0;
        make_trade(fixture, model, &seed);
        for (size_t i = 0; i < model->sent_count; i++)
            ste_fixture_send(fixture, model->sent[i]);
        check_outcome(fixture, model);
        cleared += fixture->effects.clearing_count;
        failed += is_spoiled(model);
    }
    assert_true(cleared > TRADES / 10 && failed > TRADES / 10); /* both kinds were met */
    test_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random_trades)};
    return cmocka_run_group_tests(tests, ste_fixture_open, ste_fixture_close);
}
