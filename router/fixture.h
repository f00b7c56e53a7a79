/* SPDX-License-Identifier: Apache-2.0
 * For the tests of this folder: keys made for the run, and a few participants that hold them. */
#ifndef STE_ROUTER_FIXTURE_H
#define STE_ROUTER_FIXTURE_H

#include "base/arena.h"
#include "base/testing.h"
#include "mq/mq.h"
#include "msg/testkeys.h"
#include "ref/ref.h"

#define assert_code(finding, expected)                                                             \
    assert_string_equal(ste_msg_code_name((finding).code), (expected))

/* Business date of every test; the keys' dates are set around it. */
#define FIXTURE_DATE "2026-11-30"

struct fixture {
    struct testkeys keys;
    char participants[96];
    struct ste_ref *ref;
    struct ste_signer *hmac, *ed25519;
    struct ste_arena *arena;
    ste_date business_date;
};

static inline bool fixture_write_participants(struct fixture *fixture)
{
    FILE *const file = fopen(fixture->participants, "we");
    if (file == NULL)
        return false;
    const char *const secret = fixture->keys.secret, *const open = fixture->keys.public_pem;
    fprintf(file,
            "participants:\n"
            "  - id: BROKSGSG\n"
            "    roles: [broker]\n"
            "    keys:\n"
            "      - { id: mac, algorithm: hmac-sha256, file: %s }\n"
            "      - { id: ed, algorithm: ed25519, file: %s }\n"
            "      - { id: today, algorithm: hmac-sha256, file: %s, from: " FIXTURE_DATE
            ", to: " FIXTURE_DATE " }\n"
            "      - { id: old, algorithm: hmac-sha256, file: %s, to: 2026-11-29 }\n"
            "      - { id: new, algorithm: hmac-sha256, file: %s, from: 2026-12-01 }\n"
            "  - id: STEHSGSG\n"
            "    roles: [operator]\n"
            "    sends_for: [\"*\"]\n"
            "    keys: [{ id: hub, algorithm: hmac-sha256, file: %s }]\n"
            "  - id: AGENSGSG\n"
            "    roles: [custodian]\n"
            "    sends_for: [INVMSGSG]\n"
            "    keys: [{ id: mac, algorithm: hmac-sha256, file: %s }]\n"
            "  - id: GONESGSG\n"
            "    roles: [broker]\n"
            "    active: false\n"
            "    keys: [{ id: mac, algorithm: hmac-sha256, file: %s }]\n",
            secret, open, secret, secret, secret, secret, secret, secret);
    return fclose(file) == 0;
}

static inline bool fixture_load_ref(struct fixture *fixture)
{
    char yaml[1024];
    struct ste_faults faults = {0};
    struct ste_tree *tree = NULL;
    struct ste_error err = {0};
    snprintf(yaml, sizeof(yaml),
             "reference:\n  currencies: %s/currencies.csv\n  countries: %s/countries.csv\n"
             "  participants: %s\n",
             STE_SOURCE_DIR "/deploy/reference", STE_SOURCE_DIR "/deploy/reference",
             fixture->participants);
    enum ste_code rc = ste_tree_parse("map.yaml", ste_bytes_of(yaml), &faults, &tree, &err);
    if (rc == STE_OK)
        rc = ste_ref_load_tree(ste_tree_root(tree), fixture->business_date, &faults, &fixture->ref,
                               &err);
    ste_faults_print(&faults, stderr);
    ste_faults_deinit(&faults);
    ste_tree_free(tree);
    return rc == STE_OK;
}

static inline int fixture_open(void **state)
{
    struct fixture *const fixture = calloc(1, sizeof(*fixture));
    struct ste_error err = {0};
    *state = fixture;
    if (fixture == NULL || !testkeys_make(&fixture->keys) ||
        !ste_date_parse(STE_BYTES(FIXTURE_DATE), &fixture->business_date))
        return -1;
    snprintf(fixture->participants, sizeof(fixture->participants), "%s/participants.yaml",
             fixture->keys.folder);
    fixture->arena = ste_arena_new(0);
    const bool good =
        fixture->arena != NULL && fixture_write_participants(fixture) &&
        fixture_load_ref(fixture) &&
        ste_signer_load(STE_HMAC_SHA256, fixture->keys.secret, &fixture->hmac, &err) == STE_OK &&
        ste_signer_load(STE_ED25519, fixture->keys.private_pem, &fixture->ed25519, &err) == STE_OK;
    return good ? 0 : -1;
}

static inline int fixture_close(void **state)
{
    struct fixture *const fixture = *state;
    ste_signer_free(fixture->hmac);
    ste_signer_free(fixture->ed25519);
    ste_ref_free(fixture->ref);
    ste_arena_free(fixture->arena);
    unlink(fixture->participants);
    testkeys_remove(&fixture->keys);
    free(fixture);
    return 0;
}

/* A delivery as a participant would send it; `signature` is the caller's room for one. */
static inline struct ste_mq_delivery fixture_sign(struct ste_signer *signer, const char *key_id,
                                                  struct ste_bytes body, char *signature)
{
    struct ste_error err = {0};
    if (ste_sign(signer, body, signature, &err) != STE_OK)
        fail_msg("%s", err.text);
    return (struct ste_mq_delivery){.body = body,
                                    .key_id = ste_bytes_of(key_id),
                                    .signature = ste_bytes_of(signature),
                                    .message_id = STE_BYTES("sub.1.0")};
}

#endif
