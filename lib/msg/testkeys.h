/* SPDX-License-Identifier: Apache-2.0
 * Keys made for one run of a test or measurement, in files of a folder of their own: no private key
 * lives in the tree. */
#ifndef STE_MSG_TESTKEYS_H
#define STE_MSG_TESTKEYS_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <openssl/evp.h>
#include <openssl/pem.h>

struct testkeys {
    char folder[32];
    char private_pem[64], public_pem[64], secret[64];
};

static inline bool testkeys_write(const char *file, const char *text)
{
    FILE *stream = fopen(file, "we");
    bool good = stream && fputs(text, stream) >= 0;
    if (stream)
        good = fclose(stream) == 0 && good;
    return good;
}

static inline bool testkeys_pem(const struct testkeys *keys)
{
    EVP_PKEY *pkey = EVP_PKEY_Q_keygen(NULL, NULL, "ED25519");
    FILE *secret = fopen(keys->private_pem, "we"), *open = fopen(keys->public_pem, "we");
    bool good = pkey && secret && open &&
                PEM_write_PrivateKey(secret, pkey, NULL, NULL, 0, NULL, NULL) == 1 &&
                PEM_write_PUBKEY(open, pkey) == 1;
    if (secret)
        good = fclose(secret) == 0 && good;
    if (open)
        good = fclose(open) == 0 && good;
    EVP_PKEY_free(pkey);
    return good;
}

static inline bool testkeys_make(struct testkeys *keys)
{
    strcpy(keys->folder, "/tmp/ste-testkeys-XXXXXX");
    if (!mkdtemp(keys->folder))
        return false;
    snprintf(keys->private_pem, sizeof(keys->private_pem), "%s/private", keys->folder);
    snprintf(keys->public_pem, sizeof(keys->public_pem), "%s/public", keys->folder);
    snprintf(keys->secret, sizeof(keys->secret), "%s/secret", keys->folder);
    return testkeys_pem(keys) && testkeys_write(keys->secret, "a2V5IG9mIHR3ZW50eS1vbmUgYnl0ZXM=\n");
}

static inline void testkeys_remove(const struct testkeys *keys)
{
    unlink(keys->private_pem);
    unlink(keys->public_pem);
    unlink(keys->secret);
    rmdir(keys->folder);
}

#endif
