/* SPDX-License-Identifier: Apache-2.0
 * ste-submit: files of messages in, signed deliveries out, answers back as lines. One thread. */
#ifndef STE_BRIDGE_SUBMIT_H
#define STE_BRIDGE_SUBMIT_H

#include <stdio.h>

#include "base/retry.h"
#include "bridge/expect.h"
#include "conf/cluster.h"
#include "mq/mq.h"
#include "msg/reply.h"
#include "msg/xml.h"
#include "ref/ref.h"

/* ---- options (main.c) ---- */
struct ste_submit_options {
    const char *config, *keys_dir, *hub; /* hub: "<participant>/<key id>" */
    unsigned batch;                      /* messages a delivery; 0: as the file has it */
    unsigned wait_s;
    bool wait, json, check;
    char **files;
    int file_count;
};

/* ---- who signs (keys.c) ---- */
struct ste_signing_key {
    const struct ste_key *key;
    struct ste_signer *signer;
};
struct ste_keyring {
    const struct ste_ref *ref;
    ste_date business_date;
    const char *dir;
    struct ste_signing_key hub;   /* signer NULL: each Sender signs for itself */
    struct ste_signing_key **own; /* each stays where it is while others are added */
    size_t own_count;
};
/* The hub's key, or a folder of `<participant>/<key id>` files. Blocks on files. */
STE_MUST_CHECK enum ste_code ste_keyring_open(struct ste_keyring *ring,
                                              const struct ste_cluster *cluster,
                                              const struct ste_ref *ref,
                                              const struct ste_submit_options *options,
                                              struct ste_error *err);
void ste_keyring_close(struct ste_keyring *ring);
/* The key that signs for this Sender; of a Sender that the participants file does not know, which
 * is refused whoever signs, any key. STE_E_SIGNATURE when there is none. Borrowed until close. */
STE_MUST_CHECK enum ste_code ste_keyring_pick(struct ste_keyring *ring, struct ste_bytes sender,
                                              const struct ste_signing_key **ret,
                                              struct ste_error *err);

/* ---- out (publish.c) ---- */
struct ste_publisher {
    const struct ste_cluster *cluster;
    struct ste_mq *mq;
    struct ste_outgoing *unconfirmed; /* list, oldest first */
    size_t unconfirmed_count, unconfirmed_bytes;
    size_t confirmed_count; /* messages */
    bool refused;           /* ste.in nacked since the last pump */
};
STE_MUST_CHECK enum ste_code ste_publisher_open(struct ste_publisher *publisher,
                                                const struct ste_cluster *cluster,
                                                struct ste_error *err);
void ste_publisher_close(struct ste_publisher *publisher);
/* So much is unconfirmed that nothing more may be published before the next pump. */
bool ste_publisher_full(const struct ste_publisher *publisher);
/* Stop 1 of the path: signs `body` and sends it to ste.in. A refused delivery is sent again under
 * the same id until it is taken. */
STE_MUST_CHECK enum ste_code ste_submit_publish(struct ste_publisher *publisher,
                                                const struct ste_signing_key *key,
                                                struct ste_bytes body, struct ste_bytes message_id,
                                                size_t message_count, struct ste_error *err);
/* Confirms in, refused ones out again; waits at most timeout_ms. Reconnects by itself. */
STE_MUST_CHECK enum ste_code ste_publisher_pump(struct ste_publisher *publisher, int timeout_ms,
                                                struct ste_error *err);

/* ---- back (answers.c; what is waited for: expect.h) ---- */
struct ste_answers;
/* Opens its own exclusive reply queue, named after the broker user and a random text. */
STE_MUST_CHECK enum ste_code ste_answers_open(const struct ste_cluster *cluster, bool json,
                                              struct ste_answers **ret, struct ste_error *err);
void ste_answers_close(struct ste_answers *answers);
/* Takes the replies for this party too, from now on. */
STE_MUST_CHECK enum ste_code ste_answers_bind(struct ste_answers *answers, struct ste_bytes bic8,
                                              struct ste_error *err);
struct ste_expect *ste_answers_expect(struct ste_answers *answers);
/* Takes and prints what has come, waiting at most timeout_ms for the first. */
STE_MUST_CHECK enum ste_code ste_answers_take(struct ste_answers *answers, int timeout_ms,
                                              struct ste_error *err);

/* ---- lines (print.c) ---- */
/* `reference` is what the answered message called itself, for answers that do not say. STE_E_NOMEM,
 * STE_E_FILE. */
STE_MUST_CHECK enum ste_code ste_print_reply(const struct ste_reply *reply,
                                             struct ste_bytes reference, bool json, FILE *out,
                                             struct ste_error *err);
STE_MUST_CHECK enum ste_code ste_print_summary(const struct ste_summary *summary, bool json,
                                               bool waited, FILE *out, struct ste_error *err);

/* ---- files (source.c) and the dry look (check.c) ---- */
struct ste_submission {
    const struct ste_submit_options *options;
    struct ste_keyring *ring;
    struct ste_publisher *publisher;
    struct ste_answers *answers; /* NULL: nobody waits */
    struct ste_xml *xml;
    struct ste_arena *arena;
    struct ste_summary summary;
    char id_prefix[48];
    uint64_t deliveries;
};
/* Sends one file: byte for byte where it is within the limits, cut into deliveries otherwise. */
STE_MUST_CHECK enum ste_code ste_submit_file(struct ste_submission *submission, const char *path,
                                             struct ste_error *err);
/* What was decoded from `body` is one refusal of the whole for its size or number of messages: it
 * has to be cut. */
bool ste_submit_is_too_large(struct ste_bytes body, const struct ste_message *messages,
                             size_t count);
/* Explains files without a broker, to `out`. Returns the exit status: 0 nothing refused, else 1. */
int ste_submit_check(const struct ste_submit_options *options, FILE *out);

#endif
