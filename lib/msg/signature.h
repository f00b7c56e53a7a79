/* SPDX-License-Identifier: Apache-2.0
 * Signatures over "ste1\n" followed by the exact AMQP body (MESSAGES section 7), by OpenSSL. */
#ifndef STE_MSG_SIGNATURE_H
#define STE_MSG_SIGNATURE_H

#include "base/bytes.h"
#include "base/error.h"

enum ste_algorithm { STE_ED25519, STE_HMAC_SHA256 };
enum { STE_SIGNATURE_TEXT_BYTES = 128 }; /* base64, NUL included */

struct ste_verifier; /* a public key or shared secret, ready for use; may be shared by threads */
struct ste_signer;   /* a private key or shared secret; one thread */

bool ste_algorithm_of(const char *name, enum ste_algorithm *ret); /* "ed25519", "hmac-sha256" */
/* Ed25519: PEM files (public for verify, private for sign). HMAC: base64 of the secret on one line.
 */
STE_MUST_CHECK enum ste_code ste_verifier_load(enum ste_algorithm algorithm, const char *file,
                                               struct ste_verifier **ret, struct ste_error *err);
void ste_verifier_free(struct ste_verifier *verifier);
STE_MUST_CHECK enum ste_code ste_signer_load(enum ste_algorithm algorithm, const char *file,
                                             struct ste_signer **ret, struct ste_error *err);
void ste_signer_free(struct ste_signer *signer);

/* A context per thread, so that verifying allocates nothing. */
struct ste_verify_context *ste_verify_context_new(void);
void ste_verify_context_free(struct ste_verify_context *context);
/* True when the base64 signature fits. *ret_bad_offset: where the base64 stops making sense, else
 * 0. */
bool ste_verify(struct ste_verify_context *context, const struct ste_verifier *verifier,
                struct ste_bytes body, struct ste_bytes signature, size_t *ret_bad_offset);
/* out needs STE_SIGNATURE_TEXT_BYTES. */
STE_MUST_CHECK enum ste_code ste_sign(struct ste_signer *signer, struct ste_bytes body, char *out,
                                      struct ste_error *err);
/* SHA-256 with the thread's context; false: out of memory. ste_sha256 needs no context and costs a
 * look-up of the algorithm each time. */
bool ste_verify_sha256(struct ste_verify_context *context, struct ste_bytes body,
                       uint8_t out[static 32]);
void ste_sha256(struct ste_bytes body, uint8_t out[static 32]);

#endif
