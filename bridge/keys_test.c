/* SPDX-License-Identifier: Apache-2.0 */
#include "bridge/submit.h"
#include "bridge/testing.h"

#include <sys/stat.h>
#include <unistd.h>

#include "msg/testkeys.h"

enum { PARTICIPANTS = 12 };

struct setting {
    struct testkeys keys;
    char folder[64], participants[96], files[2 * PARTICIPANTS + 8][128];
    size_t file_count;
    struct ste_ref *ref;
    struct ste_cluster cluster;
    struct ste_submit_options options;
    struct ste_keyring ring;
};

/* A private key of <participant>/<id> in the folder of keys; they are all the same secret. */
static void add_file(struct setting *setting, const char *participant, const char *id)
{
    char folder[96];
    snprintf(folder, sizeof(folder), "%s/%s", setting->folder, participant);
    (void)mkdir(folder, 0700);
    char *const file = setting->files[setting->file_count++];
    snprintf(file, sizeof(setting->files[0]), "%s/%s", folder, id);
    assert_int_equal(symlink(setting->keys.secret, file), 0);
}

static void write_participants(struct setting *setting)
{
    FILE *const file = fopen(setting->participants, "we");
    const char *const secret = setting->keys.secret;
    assert_non_null(file);
    fprintf(file,
            "participants:\n"
            "  - id: STEHSGSG\n    roles: [operator]\n    sends_for: [\"*\"]\n"
            "    keys: [{ id: hub, algorithm: hmac-sha256, file: %s }]\n"
            "  - id: GONESGSG\n    roles: [broker]\n    active: false\n"
            "    keys: [{ id: k, algorithm: hmac-sha256, file: %s }]\n"
            "  - id: TWOKSGSG\n    roles: [broker]\n    keys:\n"
            "      - { id: a-old, algorithm: hmac-sha256, file: %s, to: 2026-11-29 }\n"
            "      - { id: b-new, algorithm: hmac-sha256, file: %s, from: 2026-12-01 }\n"
            "      - { id: c-missing, algorithm: hmac-sha256, file: %s }\n"
            "      - { id: d-good, algorithm: hmac-sha256, file: %s }\n"
            "  - { id: NOKESGSG, roles: [broker] }\n",
            secret, secret, secret, secret, secret, secret);
    for (int i = 0; i < PARTICIPANTS; i++)
        fprintf(file,
                "  - id: P%cAASGSG\n    roles: [custodian]\n"
                "    keys: [{ id: k, algorithm: hmac-sha256, file: %s }]\n",
                'A' + i, secret);
    assert_int_equal(fclose(file), 0);
}

static int open_setting(void **state)
{
    struct setting *const setting = calloc(1, sizeof(*setting));
    char yaml[1024], participant[16];
    struct ste_faults faults = {0};
    struct ste_tree *tree = NULL;
    struct ste_error err = {0};
    *state = setting;
    if (setting == NULL || !testkeys_make(&setting->keys) ||
        !ste_date_parse(STE_BYTES("2026-11-30"), &setting->cluster.business_date))
        return -1;
    snprintf(setting->folder, sizeof(setting->folder), "%s/keys", setting->keys.folder);
    snprintf(setting->participants, sizeof(setting->participants), "%s/participants.yaml",
             setting->keys.folder);
    write_participants(setting);
    assert_int_equal(mkdir(setting->folder, 0700), 0);
    add_file(setting, "STEHSGSG", "hub");
    add_file(setting, "GONESGSG", "k");
    add_file(setting, "TWOKSGSG", "a-old");
    add_file(setting, "TWOKSGSG", "b-new");
    add_file(setting, "TWOKSGSG", "d-good");
    for (int i = 0; i < PARTICIPANTS; i++) {
        snprintf(participant, sizeof(participant), "P%cAASGSG", 'A' + i);
        add_file(setting, participant, "k");
    }
    snprintf(yaml, sizeof(yaml),
             "reference:\n  currencies: " STE_SOURCE_DIR "/deploy/reference/currencies.csv\n"
             "  countries: " STE_SOURCE_DIR "/deploy/reference/countries.csv\n"
             "  participants: %s\n",
             setting->participants);
    enum ste_code rc = ste_tree_parse("map.yaml", ste_bytes_of(yaml), &faults, &tree, &err);
    if (rc == STE_OK)
        rc = ste_ref_load_tree(ste_tree_root(tree), setting->cluster.business_date, &faults,
                               &setting->ref, &err);
    ste_faults_print(&faults, stderr);
    ste_faults_deinit(&faults);
    ste_tree_free(tree);
    return rc == STE_OK ? 0 : -1;
}

static int close_setting(void **state)
{
    struct setting *const setting = *state;
    ste_ref_free(setting->ref);
    for (size_t i = 0; i < setting->file_count; i++) {
        unlink(setting->files[i]);
        *strrchr(setting->files[i], '/') = '\0';
        rmdir(setting->files[i]); /* the last one of a folder does it */
    }
    rmdir(setting->folder);
    unlink(setting->participants);
    testkeys_remove(&setting->keys);
    free(setting);
    return 0;
}

static enum ste_code open_ring(struct setting *setting, const char *map_keys, const char *map_hub,
                               const char *keys, const char *hub, struct ste_error *err)
{
    setting->cluster.submit_keys_dir = map_keys;
    setting->cluster.submit_hub = map_hub;
    setting->options = (struct ste_submit_options){.keys_dir = keys, .hub = hub};
    return ste_keyring_open(&setting->ring, &setting->cluster, setting->ref, &setting->options,
                            err);
}

static const struct ste_signing_key *pick(struct setting *setting, const char *sender)
{
    const struct ste_signing_key *key = NULL;
    assert_ok(ste_keyring_pick(&setting->ring, ste_bytes_of(sender), &key, &err));
    assert_true(key != NULL && key->signer != NULL);
    return key;
}

static void test_the_hub_signs_for_everybody(void **state)
{
    struct setting *const setting = *state;
    assert_ok(open_ring(setting, setting->folder, "STEHSGSG/hub", NULL, NULL, &err));
    assert_string_equal(pick(setting, "PAAASGSG")->key->id, "STEHSGSG/hub");
    assert_ptr_equal(pick(setting, "PAAASGSG"), pick(setting, ""));
    assert_ptr_equal(pick(setting, "PAAASGSG"), pick(setting, "NOONSGSG"));
    ste_keyring_close(&setting->ring);
}

static void test_a_named_hub_comes_before_the_maps(void **state)
{
    struct setting *const setting = *state;
    assert_ok(open_ring(setting, setting->folder, "STEHSGSG/hub", NULL, "PBAASGSG/k", &err));
    assert_string_equal(pick(setting, "PAAASGSG")->key->id, "PBAASGSG/k");
    ste_keyring_close(&setting->ring);
}

static void test_what_is_missing_is_told(void **state)
{
    struct setting *const setting = *state;
    struct ste_error err = {0};
    assert_int_equal(open_ring(setting, NULL, "STEHSGSG/hub", NULL, NULL, &err), STE_E_CONFIG);
    assert_non_null(strstr(err.text, "--keys"));
    assert_int_equal(open_ring(setting, setting->folder, NULL, NULL, NULL, &err), STE_E_CONFIG);
    assert_non_null(strstr(err.text, "--hub"));
    assert_int_equal(open_ring(setting, setting->folder, "STEHSGSG/none", NULL, NULL, &err),
                     STE_E_CONFIG);
    assert_non_null(strstr(err.text, "STEHSGSG/none"));
    assert_int_equal(open_ring(setting, setting->folder, NULL, NULL, "TWOKSGSG/c-missing", &err),
                     STE_E_FILE);
    ste_keyring_close(&setting->ring); /* also after a failure */
}

/* Keys stay where they are, however many others are picked meanwhile. */
static void test_each_sender_signs_for_itself(void **state)
{
    struct setting *const setting = *state;
    const struct ste_signing_key *keys[PARTICIPANTS];
    char sender[16], id[16];
    assert_ok(open_ring(setting, NULL, NULL, setting->folder, NULL, &err));
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < PARTICIPANTS; i++) {
            snprintf(sender, sizeof(sender), "P%cAASGSG%s", 'A' + i, round == 1 ? "XXX" : "");
            const struct ste_signing_key *const key = pick(setting, sender);
            if (round == 0)
                keys[i] = key;
            assert_ptr_equal(key, keys[i]);
            snprintf(id, sizeof(id), "P%cAASGSG/k", 'A' + i);
            assert_string_equal(keys[i]->key->id, id);
        }
    }
    assert_int_equal(setting->ring.own_count, PARTICIPANTS);
    ste_keyring_close(&setting->ring);
}

static void test_the_first_good_key(void **state)
{
    struct setting *const setting = *state;
    assert_ok(open_ring(setting, NULL, NULL, setting->folder, NULL, &err));
    assert_string_equal(pick(setting, "TWOKSGSG")->key->id, "TWOKSGSG/d-good");
    ste_keyring_close(&setting->ring);
}

static void test_no_key_for_a_participant(void **state)
{
    static const char *const senders[] = {"NOKESGSG", "GONESGSG"};
    struct setting *const setting = *state;
    assert_ok(open_ring(setting, NULL, NULL, setting->folder, NULL, &err));
    for (size_t i = 0; i < 2; i++) {
        const struct ste_signing_key *key = NULL;
        struct ste_error why = {0};
        assert_int_equal(ste_keyring_pick(&setting->ring, ste_bytes_of(senders[i]), &key, &why),
                         STE_E_SIGNATURE);
        assert_non_null(strstr(why.text, senders[i]));
        assert_null(key);
    }
    ste_keyring_close(&setting->ring);
}

/* A message without a sender, or of an unknown one, is refused whoever signs it: it must not keep
 * its neighbours from being sent. */
static void test_an_unknown_sender_is_signed_by_anybody(void **state)
{
    struct setting *const setting = *state;
    assert_ok(open_ring(setting, NULL, NULL, setting->folder, NULL, &err));
    const struct ste_signing_key *const any = pick(setting, "");
    assert_true(any->key->participant->active);
    assert_ptr_equal(pick(setting, "NOONSGSG"), any);
    assert_ptr_equal(pick(setting, "short"), any);
    ste_keyring_close(&setting->ring);

    assert_ok(open_ring(setting, NULL, NULL, setting->folder, NULL, &err));
    const struct ste_signing_key *const first = pick(setting, "PCAASGSG");
    assert_ptr_equal(pick(setting, ""), first); /* one signature for as many as possible */
    ste_keyring_close(&setting->ring);

    const struct ste_signing_key *key = NULL;
    struct ste_error why = {0};
    assert_ok(open_ring(setting, NULL, NULL, setting->keys.folder, NULL, &err));
    assert_int_equal(ste_keyring_pick(&setting->ring, STE_BYTES(""), &key, &why), STE_E_SIGNATURE);
    ste_keyring_close(&setting->ring);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_hub_signs_for_everybody),
        cmocka_unit_test(test_a_named_hub_comes_before_the_maps),
        cmocka_unit_test(test_what_is_missing_is_told),
        cmocka_unit_test(test_each_sender_signs_for_itself),
        cmocka_unit_test(test_the_first_good_key),
        cmocka_unit_test(test_no_key_for_a_participant),
        cmocka_unit_test(test_an_unknown_sender_is_signed_by_anybody),
    };
    return cmocka_run_group_tests(tests, open_setting, close_setting);
}
