/* SPDX-License-Identifier: Apache-2.0 */
#include "msg/testing.h"

#include "msg/signature.h"
#include "msg/testkeys.h"

struct signing {
    struct testkeys keys;
    struct ste_verify_context *context;
};

static int setup(void **state)
{
    struct signing *signing = calloc(1, sizeof(*signing));
    if (!signing)
        return -1;
    *state = signing;
    signing->context = ste_verify_context_new();
    return signing->context && testkeys_make(&signing->keys) ? 0 : -1;
}

static int teardown(void **state)
{
    struct signing *signing = *state;
    testkeys_remove(&signing->keys);
    ste_verify_context_free(signing->context);
    free(signing);
    return 0;
}

static struct ste_verifier *verifier_of(enum ste_algorithm algorithm, const char *file)
{
    struct ste_verifier *verifier = NULL;
    struct ste_error err = {0};
    if (ste_verifier_load(algorithm, file, &verifier, &err) != STE_OK)
        fail_msg("%s", err.text);
    return verifier;
}

static void sign(enum ste_algorithm algorithm, const char *file, struct ste_bytes body, char *out)
{
    struct ste_signer *signer = NULL;
    struct ste_error err = {0};
    if (ste_signer_load(algorithm, file, &signer, &err) != STE_OK)
        fail_msg("%s", err.text);
    assert_int_equal(ste_sign(signer, body, out, &err), STE_OK);
    ste_signer_free(signer);
}

static void algorithms(void **state)
{
    (void)state;
    enum ste_algorithm algorithm = STE_ED25519;
    assert_true(ste_algorithm_of("hmac-sha256", &algorithm));
    assert_int_equal(algorithm, STE_HMAC_SHA256);
    assert_true(ste_algorithm_of("ed25519", &algorithm));
    assert_int_equal(algorithm, STE_ED25519);
    assert_false(ste_algorithm_of("none", &algorithm));
    assert_false(ste_algorithm_of("", &algorithm));
}

/* python3: base64(hmac.new(b"key of twenty-one bytes", b"ste1\n<TradeMessage/>", "sha256")) */
static void hmac_vector(void **state)
{
    struct signing *signing = *state;
    char signature[STE_SIGNATURE_TEXT_BYTES];
    size_t bad = 99;
    sign(STE_HMAC_SHA256, signing->keys.secret, STE_BYTES("<TradeMessage/>"), signature);
    assert_string_equal(signature, "YgF5eKqYUfs/ADaoHaITF8ccBOmcmCrAroSGn+qu89Y=");
    struct ste_verifier *verifier = verifier_of(STE_HMAC_SHA256, signing->keys.secret);
    assert_true(ste_verify(signing->context, verifier, STE_BYTES("<TradeMessage/>"),
                           ste_bytes_of(signature), &bad));
    assert_int_equal(bad, 0);
    ste_verifier_free(verifier);
}

/* Every changed bit of body or signature is found, and the key may be used again after it. */
static void changes_are_found(struct signing *signing, enum ste_algorithm algorithm,
                              const char *private_file, const char *public_file)
{
    char body[] = "<TradeMessage type=\"NOE\"/>", signature[STE_SIGNATURE_TEXT_BYTES];
    struct ste_bytes view = {body, sizeof(body) - 1};
    struct ste_verifier *verifier = verifier_of(algorithm, public_file);
    size_t bad = 0;
    sign(algorithm, private_file, view, signature);
    assert_true(ste_verify(signing->context, verifier, view, ste_bytes_of(signature), &bad));
    for (size_t at = 0; at < view.len; at++) {
        body[at] ^= 1;
        assert_false(ste_verify(signing->context, verifier, view, ste_bytes_of(signature), &bad));
        assert_int_equal(bad, 0);
        body[at] ^= 1;
    }
    for (size_t at = 0; at < strlen(signature); at++) {
        char right = signature[at];
        signature[at] = right == 'B' ? 'C' : 'B';
        assert_false(ste_verify(signing->context, verifier, view, ste_bytes_of(signature), &bad));
        signature[at] = right;
    }
    assert_true(ste_verify(signing->context, verifier, view, ste_bytes_of(signature), &bad));
    ste_verifier_free(verifier);
}

static void hmac_changes(void **state)
{
    struct signing *signing = *state;
    changes_are_found(signing, STE_HMAC_SHA256, signing->keys.secret, signing->keys.secret);
}

static void ed25519_changes(void **state)
{
    struct signing *signing = *state;
    changes_are_found(signing, STE_ED25519, signing->keys.private_pem, signing->keys.public_pem);
}

/* The signed text is "ste1\n" and the body: OpenSSL alone agrees. */
static void ed25519_signs_the_prefix_too(void **state)
{
    struct signing *signing = *state;
    char signature[STE_SIGNATURE_TEXT_BYTES];
    unsigned char plain[64];
    size_t len = sizeof(plain);
    FILE *stream = fopen(signing->keys.private_pem, "re");
    assert_non_null(stream);
    EVP_PKEY *pkey = PEM_read_PrivateKey(stream, NULL, NULL, NULL);
    EVP_MD_CTX *ctx = EVP_MD_CTX_new();
    assert_int_equal(EVP_DigestSignInit(ctx, NULL, NULL, NULL, pkey), 1);
    assert_int_equal(EVP_DigestSign(ctx, plain, &len, (const unsigned char *)"ste1\nabc", 8), 1);
    unsigned char text[96];
    EVP_EncodeBlock(text, plain, 64);
    sign(STE_ED25519, signing->keys.private_pem, STE_BYTES("abc"), signature);
    assert_string_equal(signature, (const char *)text);
    EVP_MD_CTX_free(ctx);
    EVP_PKEY_free(pkey);
    fclose(stream);
}

static void bad_signatures(void **state)
{
    struct signing *signing = *state;
    static const struct {
        const char *text;
        size_t bad_offset;
    } rows[] = {{"", 0},
                {"AAAA", 0},
                {"AA*A", 2},
                {"AAAAA", 5},
                {"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA!", 43}};
    struct ste_verifier *verifiers[] = {verifier_of(STE_HMAC_SHA256, signing->keys.secret),
                                        verifier_of(STE_ED25519, signing->keys.public_pem)};
    for (size_t i = 0; i < COUNT_OF(rows) * 2; i++) {
        size_t bad = 99;
        assert_false(ste_verify(signing->context, verifiers[i % 2], STE_BYTES("abc"),
                                ste_bytes_of(rows[i / 2].text), &bad));
        assert_int_equal(bad, rows[i / 2].bad_offset);
    }
    ste_verifier_free(verifiers[0]);
    ste_verifier_free(verifiers[1]);
}

static void keys_do_not_mix(void **state)
{
    struct signing *signing = *state;
    char signature[STE_SIGNATURE_TEXT_BYTES];
    size_t bad = 0;
    sign(STE_HMAC_SHA256, signing->keys.secret, STE_BYTES("abc"), signature);
    assert_true(testkeys_write(signing->keys.secret, "b3RoZXIga2V5IG9mIGVub3VnaCBieXRlcw=="));
    struct ste_verifier *verifier = verifier_of(STE_HMAC_SHA256, signing->keys.secret);
    assert_false(
        ste_verify(signing->context, verifier, STE_BYTES("abc"), ste_bytes_of(signature), &bad));
    ste_verifier_free(verifier);
}

static void bad_key_files(void **state)
{
    struct signing *signing = *state;
    struct ste_verifier *verifier = NULL;
    struct ste_signer *signer = NULL;
    struct ste_error err = {0};
    const struct testkeys *keys = &signing->keys;
    assert_int_equal(ste_verifier_load(STE_ED25519, "/nowhere/key", &verifier, &err), STE_E_FILE);
    assert_non_null(strstr(err.text, "/nowhere/key"));
    assert_int_equal(ste_verifier_load(STE_ED25519, keys->secret, &verifier, &err), STE_E_CONFIG);
    assert_int_equal(ste_signer_load(STE_ED25519, keys->public_pem, &signer, &err), STE_E_CONFIG);
    assert_int_equal(ste_verifier_load(STE_HMAC_SHA256, keys->public_pem, &verifier, &err),
                     STE_E_CONFIG);
    assert_true(testkeys_write(keys->secret, "c2hvcnQ=\n"));
    assert_int_equal(ste_signer_load(STE_HMAC_SHA256, keys->secret, &signer, &err), STE_E_CONFIG);
    assert_null(strstr(err.text, "c2hvcnQ")); /* the secret is in no text */
    assert_true(testkeys_write(keys->secret, ""));
    assert_int_equal(ste_signer_load(STE_HMAC_SHA256, keys->secret, &signer, &err), STE_E_CONFIG);
    assert_null(verifier);
    assert_null(signer);
    ste_verifier_free(NULL);
    ste_signer_free(NULL);
    ste_verify_context_free(NULL);
}

static void sha256(void **state)
{
    struct signing *signing = *state;
    uint8_t digest[32], again[32];
    char hex[65];
    assert_true(ste_verify_sha256(signing->context, STE_BYTES("abc"), digest));
    ste_hex(digest, sizeof(digest), hex);
    assert_string_equal(hex, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    ste_sha256(STE_BYTES("abc"), again);
    assert_memory_equal(digest, again, 32);
    ste_sha256((struct ste_bytes){NULL, 0}, again);
    assert_true(ste_verify_sha256(signing->context, (struct ste_bytes){NULL, 0}, digest));
    assert_memory_equal(digest, again, 32);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(algorithms), TEST(hmac_vector),    TEST(hmac_changes),
        TEST(ed25519_changes),        TEST(bad_signatures), TEST(ed25519_signs_the_prefix_too),
        TEST(keys_do_not_mix),        TEST(bad_key_files),  TEST(sha256),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
