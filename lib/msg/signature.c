/* SPDX-License-Identifier: Apache-2.0
 * Signatures over "ste1\n" and the exact body, by OpenSSL. What is dear (fetching an algorithm,
 * making a context) happens once per key or per thread. */
#include "msg/signature.h"
#include "msg/base64.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/params.h>
#include <openssl/pem.h>

#define SIGNED_PREFIX "ste1\n"

enum {
    PREFIX_BYTES = sizeof(SIGNED_PREFIX) - 1,
    ED25519_BYTES = 64,
    HMAC_BYTES = 32,
    SIGNATURE_BYTES_MAX = 64,
    SECRET_BYTES_MIN = 16,
    SECRET_BYTES_MAX = 256,
    SECRET_TEXT_BYTES_MAX = 4 * ((SECRET_BYTES_MAX + 2) / 3) + 2, /* a line end and NUL */
};

/* Either half of a key; `pkey` for Ed25519, `secret` for HMAC. */
struct key {
    enum ste_algorithm algorithm;
    EVP_PKEY *pkey;
    unsigned char secret[SECRET_BYTES_MAX];
    size_t secret_len;
};

struct ste_verifier {
    struct key key;
};

struct ste_verify_context {
    EVP_MAC *mac;
    EVP_MAC_CTX *mac_ctx;
    EVP_MD *sha256;
    EVP_MD_CTX *md_ctx;
    struct ste_buf text; /* Ed25519 takes prefix and body in one piece */
};

struct ste_signer {
    struct key key;
    struct ste_verify_context *context;
};

bool ste_algorithm_of(const char *name, enum ste_algorithm *ret)
{
    if (strcmp(name, "ed25519") == 0)
        *ret = STE_ED25519;
    else if (strcmp(name, "hmac-sha256") == 0)
        *ret = STE_HMAC_SHA256;
    else
        return false;
    return true;
}

/* ---- keys ---- */

/* The file's one line, without its end. */
static enum ste_code read_secret(struct key *key, FILE *stream, const char *file,
                                 struct ste_error *err)
{
    char line[SECRET_TEXT_BYTES_MAX];
    size_t bad = 0;
    enum ste_code rc = STE_OK;
    if (!fgets(line, sizeof(line), stream))
        line[0] = '\0';
    struct ste_bytes text = ste_bytes_trim(ste_bytes_of(line));
    if (!ste_base64_decode(text, key->secret, sizeof(key->secret), &key->secret_len, &bad))
        rc = ste_error_set(err, STE_E_CONFIG, "key file %s: no base64 at byte %zu", file, bad);
    else if (key->secret_len < SECRET_BYTES_MIN)
        rc = ste_error_set(err, STE_E_CONFIG, "key file %s: secret of %zu bytes is below %d", file,
                           key->secret_len, SECRET_BYTES_MIN);
    OPENSSL_cleanse(line, sizeof(line));
    return rc;
}

static enum ste_code read_pem(struct key *key, FILE *stream, const char *file, bool is_private,
                              struct ste_error *err)
{
    char no_passphrase[] = ""; /* never ask on a terminal */
    key->pkey = is_private ? PEM_read_PrivateKey(stream, NULL, NULL, no_passphrase)
                           : PEM_read_PUBKEY(stream, NULL, NULL, no_passphrase);
    ERR_clear_error();
    if (!key->pkey || !EVP_PKEY_is_a(key->pkey, "ED25519"))
        return ste_error_set(err, STE_E_CONFIG, "key file %s: no Ed25519 %s key in PEM", file,
                             is_private ? "private" : "public");
    return STE_OK;
}

static enum ste_code key_read(struct key *key, enum ste_algorithm algorithm, const char *file,
                              bool is_private, struct ste_error *err)
{
    FILE *stream = fopen(file, "re");
    if (!stream)
        return ste_error_set(err, STE_E_FILE, "could not open key file %s: %s", file,
                             strerror(errno));
    key->algorithm = algorithm;
    enum ste_code rc = algorithm == STE_ED25519 ? read_pem(key, stream, file, is_private, err)
                                                : read_secret(key, stream, file, err);
    fclose(stream);
    return rc;
}

static void key_deinit(struct key *key)
{
    EVP_PKEY_free(key->pkey);
    OPENSSL_cleanse(key->secret, sizeof(key->secret));
}

enum ste_code ste_verifier_load(enum ste_algorithm algorithm, const char *file,
                                struct ste_verifier **ret, struct ste_error *err)
{
    struct ste_verifier *verifier = calloc(1, sizeof(*verifier));
    if (!verifier)
        return ste_error_set(err, STE_E_NOMEM, "no memory for key file %s", file);
    enum ste_code rc = key_read(&verifier->key, algorithm, file, false, err);
    if (rc == STE_OK) {
        *ret = verifier;
        verifier = NULL;
    }
    ste_verifier_free(verifier);
    return rc;
}

void ste_verifier_free(struct ste_verifier *verifier)
{
    if (!verifier)
        return;
    key_deinit(&verifier->key);
    free(verifier);
}

enum ste_code ste_signer_load(enum ste_algorithm algorithm, const char *file,
                              struct ste_signer **ret, struct ste_error *err)
{
    enum ste_code rc = STE_E_NOMEM;
    struct ste_signer *signer = calloc(1, sizeof(*signer));
    if (signer)
        signer->context = ste_verify_context_new();
    if (!signer || !signer->context) {
        rc = ste_error_set(err, STE_E_NOMEM, "no memory for key file %s", file);
        goto out;
    }
    rc = key_read(&signer->key, algorithm, file, true, err);
    if (rc != STE_OK)
        goto out;
    *ret = signer;
    signer = NULL;
out:
    ste_signer_free(signer);
    return rc;
}

void ste_signer_free(struct ste_signer *signer)
{
    if (!signer)
        return;
    key_deinit(&signer->key);
    ste_verify_context_free(signer->context);
    free(signer);
}

/* ---- contexts ---- */

struct ste_verify_context *ste_verify_context_new(void)
{
    char digest[] = "SHA256";
    OSSL_PARAM params[] = {
        OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, digest, 0),
        OSSL_PARAM_construct_end(),
    };
    struct ste_verify_context *context = calloc(1, sizeof(*context));
    if (!context)
        return NULL;
    context->mac = EVP_MAC_fetch(NULL, "HMAC", NULL);
    context->mac_ctx = context->mac ? EVP_MAC_CTX_new(context->mac) : NULL;
    context->sha256 = EVP_MD_fetch(NULL, digest, NULL);
    context->md_ctx = EVP_MD_CTX_new();
    if (!context->mac_ctx || !context->sha256 || !context->md_ctx ||
        !EVP_MAC_CTX_set_params(context->mac_ctx, params)) {
        ste_verify_context_free(context);
        return NULL;
    }
    return context;
}

void ste_verify_context_free(struct ste_verify_context *context)
{
    if (!context)
        return;
    EVP_MAC_CTX_free(context->mac_ctx);
    EVP_MAC_free(context->mac);
    EVP_MD_CTX_free(context->md_ctx);
    EVP_MD_free(context->sha256);
    ste_buf_deinit(&context->text);
    free(context);
}

/* ---- signing and verifying ---- */

static bool hmac(struct ste_verify_context *context, const struct key *key, struct ste_bytes body,
                 unsigned char out[static HMAC_BYTES])
{
    size_t len = 0;
    return EVP_MAC_init(context->mac_ctx, key->secret, key->secret_len, NULL) &&
           EVP_MAC_update(context->mac_ctx, (const unsigned char *)SIGNED_PREFIX, PREFIX_BYTES) &&
           EVP_MAC_update(context->mac_ctx, (const unsigned char *)body.at, body.len) &&
           EVP_MAC_final(context->mac_ctx, out, &len, HMAC_BYTES) && len == HMAC_BYTES;
}

static bool prefixed(struct ste_verify_context *context, struct ste_bytes body,
                     struct ste_bytes *ret)
{
    ste_buf_clear(&context->text);
    ste_buf_append(&context->text, SIGNED_PREFIX, PREFIX_BYTES);
    ste_buf_append_bytes(&context->text, body);
    *ret = ste_buf_bytes(&context->text);
    return !context->text.failed;
}

static bool ed25519_fits(struct ste_verify_context *context, const struct key *key,
                         struct ste_bytes body, const unsigned char *signature, size_t len)
{
    struct ste_bytes text;
    bool fits = prefixed(context, body, &text) &&
                EVP_DigestVerifyInit(context->md_ctx, NULL, NULL, NULL, key->pkey) == 1 &&
                EVP_DigestVerify(context->md_ctx, signature, len, (const unsigned char *)text.at,
                                 text.len) == 1;
    EVP_MD_CTX_reset(context->md_ctx);
    ERR_clear_error();
    return fits;
}

bool ste_verify(struct ste_verify_context *context, const struct ste_verifier *verifier,
                struct ste_bytes body, struct ste_bytes signature, size_t *ret_bad_offset)
{
    unsigned char given[SIGNATURE_BYTES_MAX], wanted[HMAC_BYTES];
    const struct key *key = &verifier->key;
    size_t len = 0;
    *ret_bad_offset = 0;
    if (!ste_base64_decode(signature, given, sizeof(given), &len, ret_bad_offset))
        return false;
    if (key->algorithm == STE_ED25519)
        return len == ED25519_BYTES && ed25519_fits(context, key, body, given, len);
    return len == HMAC_BYTES && hmac(context, key, body, wanted) &&
           CRYPTO_memcmp(given, wanted, HMAC_BYTES) == 0;
}

static bool ed25519_sign(struct ste_verify_context *context, const struct key *key,
                         struct ste_bytes body, unsigned char out[static ED25519_BYTES])
{
    struct ste_bytes text;
    size_t len = ED25519_BYTES;
    bool made =
        prefixed(context, body, &text) &&
        EVP_DigestSignInit(context->md_ctx, NULL, NULL, NULL, key->pkey) == 1 &&
        EVP_DigestSign(context->md_ctx, out, &len, (const unsigned char *)text.at, text.len) == 1 &&
        len == ED25519_BYTES;
    EVP_MD_CTX_reset(context->md_ctx);
    ERR_clear_error();
    return made;
}

enum ste_code ste_sign(struct ste_signer *signer, struct ste_bytes body, char *out,
                       struct ste_error *err)
{
    unsigned char signature[SIGNATURE_BYTES_MAX];
    bool ed25519 = signer->key.algorithm == STE_ED25519;
    bool made = ed25519 ? ed25519_sign(signer->context, &signer->key, body, signature)
                        : hmac(signer->context, &signer->key, body, signature);
    if (!made)
        return ste_error_set(err, STE_E_NOMEM, "could not sign %zu bytes", body.len);
    ste_base64_encode(signature, ed25519 ? ED25519_BYTES : HMAC_BYTES, out);
    return STE_OK;
}

bool ste_verify_sha256(struct ste_verify_context *context, struct ste_bytes body,
                       uint8_t out[static 32])
{
    bool made = EVP_DigestInit_ex2(context->md_ctx, context->sha256, NULL) == 1 &&
                EVP_DigestUpdate(context->md_ctx, body.at, body.len) == 1 &&
                EVP_DigestFinal_ex(context->md_ctx, out, NULL) == 1;
    return made;
}

void ste_sha256(struct ste_bytes body, uint8_t out[static 32])
{
    if (!EVP_Q_digest(NULL, "SHA256", NULL, body.at, body.len, out, NULL))
        memset(out, 0, 32); /* out of memory: equal to nothing that was ever signed */
}
