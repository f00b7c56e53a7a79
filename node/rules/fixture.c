/* SPDX-License-Identifier: Apache-2.0 */
#include "node/rules/fixture.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

enum { ARENA_BYTES_MAX = 512 << 20, PAIR_BYTES = 160 };

int ste_fixture_open(void **state)
{
    struct ste_fixture *fixture = calloc(1, sizeof(*fixture));
    struct ste_faults faults = {0};
    struct ste_error err = {0};
    const char *match_key[] = {"TradeReference"};
    if (!fixture)
        return -1;
    fixture->arena = ste_arena_new(ARENA_BYTES_MAX);
    if (!fixture->arena ||
        ste_cluster_load(STE_SOURCE_DIR "/tests/cases/cluster.yaml", &faults, &fixture->cluster,
                         &err) != STE_OK ||
        ste_ref_load(fixture->cluster, &faults, &fixture->ref, &err) != STE_OK) {
        ste_faults_print(&faults, stderr);
        fprintf(stderr, "fixture: %s\n", err.text);
        return -1;
    }
    ste_faults_deinit(&faults);
    fixture->rules = (struct ste_rules){
        .ref = fixture->ref,
        .business_date = fixture->cluster->business_date,
        .shard_count = 1,
    };
    if (!ste_match_key_init(&fixture->rules.match_key, match_key, 1))
        return -1;
    ste_fixture_clear(fixture);
    *state = fixture;
    return 0;
}

int ste_fixture_close(void **state)
{
    struct ste_fixture *fixture = *state;
    ste_ref_free(fixture->ref);
    ste_cluster_free(fixture->cluster);
    ste_arena_free(fixture->arena);
    ste_buf_deinit(&fixture->state);
    free(fixture);
    return 0;
}

void ste_fixture_clear(struct ste_fixture *fixture)
{
    ste_arena_reset(fixture->arena);
    fixture->effects = (struct ste_effects){.arena = fixture->arena};
    fixture->trade = NULL;
    fixture->sibling = NULL;
    fixture->delivery_count = 0;
}

int ste_fixture_begin(void **state)
{
    ste_fixture_clear(*state);
    return 0;
}

/* ---- messages ---- */

static const char *const common[] = {"TradeReference=SGX20261130000123",
                                     "TradeDate=2026-11-30",
                                     "SettlementDate=2026-12-02",
                                     "Direction=BUYI",
                                     "Payment=APMT",
                                     "Instrument=SG1L01001701",
                                     "Quantity@unit=UNIT",
                                     "Price=37.52",
                                     "Price@type=ACTU",
                                     "Price@currency=SGD",
                                     "Broker=BROKSGSG",
                                     "Manager=INVMSGSG",
                                     NULL};

static const struct {
    const char *name;
    enum ste_type type;
    const char *pairs[12];
} standard[] = {
    {"NOE", STE_TYPE_NOE, {"Reference=B-N", "Sender=BROKSGSG", "Quantity=1000"}},
    {"ALB-1",
     STE_TYPE_ALB,
     {"Reference=M-A1", "Sender=INVMSGSG", "Account=SAFE-0001", "Quantity=600"}},
    {"ALB-2",
     STE_TYPE_ALB,
     {"Reference=M-A2", "Sender=INVMSGSG", "Account=SAFE-0002", "Quantity=400"}},
    {"NPR-1",
     STE_TYPE_NPR,
     {"Reference=B-P1", "Sender=BROKSGSG", "Account=SAFE-0001", "Quantity=600", "Commission=22.51",
      "Commission@currency=SGD", "SettlementAmount=22534.51", "SettlementAmount@currency=SGD"}},
    {"NPR-2",
     STE_TYPE_NPR,
     {"Reference=B-P2", "Sender=BROKSGSG", "Account=SAFE-0002", "Quantity=400", "Commission=15.01",
      "Commission@currency=SGD", "SettlementAmount=15023.01", "SettlementAmount@currency=SGD"}},
    {"SET-1",
     STE_TYPE_SET,
     {"Reference=C-S1", "Sender=CUSTSGSG", "Account=SAFE-0001", "Quantity=600",
      "Price=", "Price@type=", "Price@currency=", "SettlementAmount=22534.51",
      "SettlementAmount@currency=SGD", "DeliveringAgent=BROKSGSG", "ReceivingAgent=CUSTSGSG",
      "PlaceOfSettlement=CDPLSGSG"}},
    {"SET-2",
     STE_TYPE_SET,
     {"Reference=C-S2", "Sender=CUSBSGSG", "Account=SAFE-0002", "Quantity=400",
      "Price=", "Price@type=", "Price@currency=", "SettlementAmount=15023.01",
      "SettlementAmount@currency=SGD", "DeliveringAgent=BROKSGSG", "ReceivingAgent=CUSBSGSG",
      "PlaceOfSettlement=CDPLSGSG"}},
};

static enum ste_field_id field_named(const char *name)
{
    for (int id = 1; id < STE_FIELD_COUNT; id++) {
        const char *attribute = ste_field_attribute((enum ste_field_id)id), *at = strchr(name, '@');
        size_t len = at ? (size_t)(at - name) : strlen(name);
        const char *element = ste_field_element((enum ste_field_id)id);
        if (strlen(element) == len && memcmp(element, name, len) == 0 &&
            (attribute ? at && strcmp(at + 1, attribute) == 0 : !at))
            return (enum ste_field_id)id;
    }
    fail_msg("no field is named %s", name);
    return STE_F_NONE;
}

void ste_fixture_set(struct ste_fixture *fixture, struct ste_record *record, const char *pair)
{
    char name[PAIR_BYTES];
    const char *equals = strchr(pair, '=');
    assert_non_null(equals);
    snprintf(name, sizeof(name), "%.*s", (int)(equals - pair), pair);
    struct ste_field *field = &record->message.fields[field_named(name)];
    field->value = ste_arena_dup(fixture->arena, ste_bytes_of(equals + 1));
    if (field->line == 0)
        *field =
            (struct ste_field){field->value, 10 + (uint32_t)(field - record->message.fields), 3};
}

static struct ste_record *new_record(struct ste_fixture *fixture, enum ste_type type)
{
    struct ste_record *record = STE_ARENA_NEW(fixture->arena, struct ste_record);
    assert_non_null(record);
    *record = (struct ste_record){
        .version = STE_RECORD_VERSION,
        .message = {.type = type, .function = STE_FUNCTION_NEWM, .line = 1, .column = 1},
        .delivery_id = ste_bytes_of(
            ste_arena_printf(fixture->arena, "delivery-%u", ++fixture->delivery_count)),
        .key_id = STE_BYTES("STEHSGSG/hub"),
        .signer = STE_BYTES("STEHSGSG"),
    };
    for (size_t i = 0; common[i]; i++)
        ste_fixture_set(fixture, record, common[i]);
    return record;
}

struct ste_record *ste_fixture_record(struct ste_fixture *fixture, const char *name, ...)
{
    size_t which = 0, count = sizeof(standard) / sizeof(standard[0]);
    while (which < count && strcmp(standard[which].name, name) != 0)
        which++;
    assert_true(which < count);
    struct ste_record *record = new_record(fixture, standard[which].type);
    for (size_t i = 0; i < 12 && standard[which].pairs[i]; i++)
        ste_fixture_set(fixture, record, standard[which].pairs[i]);
    va_list args;
    va_start(args, name);
    for (const char *pair = va_arg(args, const char *); pair; pair = va_arg(args, const char *))
        ste_fixture_set(fixture, record, pair);
    va_end(args);
    return record;
}

static void set_value(struct ste_fixture *fixture, struct ste_record *record, const char *name,
                      const char *value)
{
    const char *pair = ste_arena_printf(fixture->arena, "%s=%s", name, value);
    assert_non_null(pair);
    ste_fixture_set(fixture, record, pair);
}

struct ste_record *ste_fixture_leg_record(struct ste_fixture *fixture, enum ste_type type,
                                          const char *account, const char *quantity,
                                          const char *amount)
{
    const char *name = type == STE_TYPE_ALB ? "ALB-1" : type == STE_TYPE_NPR ? "NPR-1" : "SET-1";
    struct ste_record *record = ste_fixture_record(fixture, name, NULL);
    const char *reference = ste_arena_printf(fixture->arena, "%s-%s", ste_type_name(type), account);
    set_value(fixture, record, "Reference", reference);
    set_value(fixture, record, "Account", account);
    set_value(fixture, record, "Quantity", quantity);
    if (type != STE_TYPE_ALB)
        set_value(fixture, record, "SettlementAmount", amount);
    return record;
}

/* ---- applying ---- */

static void through_encoding(struct ste_fixture *fixture)
{
    struct ste_error err = {0};
    struct ste_trade *decoded = NULL;
    if (ste_trade_is_empty(fixture->trade))
        return;
    ste_buf_clear(&fixture->state);
    assert_true(ste_trade_encode(fixture->trade, &fixture->state));
    if (ste_trade_decode(fixture->arena, ste_buf_bytes(&fixture->state), &fixture->id, &decoded,
                         &err) != STE_OK)
        fail_msg("decode: %s", err.text);
    assert_true(fixture->trade->size_bytes >= fixture->state.len);
    fixture->trade = decoded;
}

void ste_fixture_send_checked(struct ste_fixture *fixture, const struct ste_record *record,
                              const struct ste_checked *checked)
{
    struct ste_error err = {0};
    struct ste_trade *siblings[] = {fixture->sibling};
    assert_true(ste_trade_identify(&record->message, &fixture->rules.match_key, fixture->arena,
                                   &fixture->id));
    if (!fixture->trade)
        fixture->trade = ste_trade_new(fixture->arena, &fixture->id);
    else if (fixture->coded)
        through_encoding(fixture);
    assert_non_null(fixture->trade);
    if (ste_decide(&fixture->rules, fixture->trade, siblings, fixture->sibling ? 1 : 0, record,
                   &fixture->id, checked, &fixture->effects, &err) != STE_OK)
        fail_msg("decide: %s", err.text);
}

void ste_fixture_send(struct ste_fixture *fixture, const struct ste_record *record)
{
    const struct ste_checked good = {0};
    ste_fixture_send_checked(fixture, record, &good);
}

/* ---- looking ---- */

size_t ste_fixture_count(const struct ste_fixture *fixture, enum ste_reply_kind kind)
{
    size_t count = 0;
    for (size_t i = 0; i < fixture->effects.reply_count; i++)
        count += fixture->effects.replies[i].kind == kind;
    return count;
}

const struct ste_reply *ste_fixture_reply(const struct ste_fixture *fixture,
                                          enum ste_reply_kind kind, size_t n)
{
    for (size_t i = 0; i < fixture->effects.reply_count; i++)
        if (fixture->effects.replies[i].kind == kind && n-- == 0)
            return &fixture->effects.replies[i];
    fail_msg("no such %s was said", ste_reply_kind_name(kind));
    return NULL;
}

const struct ste_reply *ste_fixture_nma(const struct ste_fixture *fixture, const char *stage,
                                        const char *account, const char *to)
{
    for (size_t i = 0; i < fixture->effects.reply_count; i++) {
        const struct ste_reply *reply = &fixture->effects.replies[i];
        if (reply->kind == STE_REPLY_NMA && ste_bytes_equal(reply->stage, ste_bytes_of(stage)) &&
            ste_bytes_equal(reply->account, ste_bytes_of(account)) &&
            ste_bytes_equal(reply->to, ste_bytes_of(to)))
            return reply;
    }
    return NULL;
}

void ste_assert_text(struct ste_bytes got, const char *wanted)
{
    if (!ste_bytes_equal(got, ste_bytes_of(wanted)))
        fail_msg("\"%.*s\" is not \"%s\"", (int)got.len, got.at ? got.at : "", wanted);
}
