/* SPDX-License-Identifier: Apache-2.0
 * One connection to one shard, and the statements of a batch transaction; dbshard/README.md has the
 * rules and the figures. The only user of Connector/C. One owner thread; every call blocks at most
 * the read timeout (5 s). SQL that runs on MariaDB 10.11+ and MySQL 8.4+. Multi-row statements are
 * built from bytes by one function and split below max_allowed_packet.
 *
 * Errors of every call: STE_E_SHARD_DOWN (close and open again), STE_E_SHARD_DEADLOCK,
 * STE_E_SHARD_LOCK_TIMEOUT, STE_E_SHARD_FULL (ROLLBACK has been sent; the whole batch again),
 * STE_E_SHARD_ROW (rolled back; the batch again, one message per transaction), STE_E_SHARD_REFUSED.
 */
#ifndef STE_DBSHARD_SHARD_H
#define STE_DBSHARD_SHARD_H

#include "base/arena.h"
#include "base/date.h"
#include "base/hash.h"
#include "conf/cluster.h"

enum {
    STE_SCHEMA_VERSION = 1,
    STE_SIBLING_DAYS = 7, /* so far apart two trades of one match key are looked at together */
};

struct ste_shard;

/* Connects with the session settings, then compares `shard_identity` with the map (unless the role
 * is migrator): STE_E_SHARD_IDENTITY and STE_E_SHARD_SCHEMA name both values. */
STE_MUST_CHECK enum ste_code ste_shard_open(const struct ste_cluster *cluster, unsigned number,
                                            enum ste_db_role role, struct ste_shard **ret,
                                            struct ste_error *err);
void ste_shard_close(struct ste_shard *shard);
STE_MUST_CHECK enum ste_code ste_shard_ping(struct ste_shard *shard, struct ste_error *err);
/* Nanoseconds spent waiting for the database since open. */
uint64_t ste_shard_wait_ns(const struct ste_shard *shard);
/* What an operator should know about the server (not durable, read-only …), to be logged once after
 * open; NULL when there is nothing. */
const char *ste_shard_warning(const struct ste_shard *shard);
/* Message bodies are kept as zstd from now on; off at open. Readers take both. */
void ste_shard_compress(struct ste_shard *shard, bool on);

/* Open trade dates, sorted, in the arena. */
STE_MUST_CHECK enum ste_code ste_shard_days(struct ste_shard *shard, struct ste_arena *arena,
                                            ste_date **ret, size_t *ret_count,
                                            struct ste_error *err);

/* ---- one batch: begin, lock, load, (decide), write, commit ---- */
struct ste_trade_key_row { /* sorted by (trade_date, trade_key), unique */
    ste_date trade_date;
    struct ste_hash trade_key, match_hash;
    uint32_t slot;
    struct ste_bytes identity;
};
struct ste_trade_row { /* what is there after locking */
    ste_date trade_date;
    struct ste_hash trade_key, match_hash;
    struct ste_bytes identity, state; /* state absent: a placeholder, a new trade */
    unsigned status;
};

STE_MUST_CHECK enum ste_code ste_shard_begin(struct ste_shard *shard, struct ste_error *err);
/* The one safe sequence of path stop 6: INSERT … ON DUPLICATE KEY UPDATE status=status of all keys,
 * then a plain SELECT per trade date. rows[i] answers keys[i]; memory is the arena's. */
STE_MUST_CHECK enum ste_code
ste_shard_lock_and_load(struct ste_shard *shard, const struct ste_trade_key_row *keys, size_t count,
                        struct ste_arena *arena, struct ste_trade_row *rows, struct ste_error *err);
/* Other trades with one of these match hashes, dated within STE_SIBLING_DAYS of their date, LOCK IN
 * SHARE MODE; only asked for keys that were new. Rows of this batch's own placeholders are in the
 * answer too. */
STE_MUST_CHECK enum ste_code ste_shard_load_siblings(struct ste_shard *shard,
                                                     const struct ste_trade_key_row *keys,
                                                     size_t count, struct ste_arena *arena,
                                                     struct ste_trade_row **ret, size_t *ret_count,
                                                     struct ste_error *err);

struct ste_message_row {
    ste_date trade_date;
    struct ste_hash trade_key;
    uint32_t slot;
    unsigned type, function;
    struct ste_bytes sender8, reference, account, key_id, delivery_id;
    uint32_t delivery_index;
    const uint8_t *signed_sha256; /* 32 bytes */
    uint64_t received_us;
    struct ste_bytes body; /* the message as sent */
};
/* ids are consecutive within each statement's rows; ret_ids has `count` places. */
STE_MUST_CHECK enum ste_code ste_shard_insert_messages(struct ste_shard *shard,
                                                       const struct ste_message_row *rows,
                                                       size_t count, uint64_t *ret_ids,
                                                       struct ste_error *err);

struct ste_trade_save { /* one upsert row a trade */
    ste_date trade_date;
    struct ste_hash trade_key, match_hash;
    uint32_t slot;
    struct ste_bytes identity, state;
    unsigned status;
    struct ste_bytes trade_reference, broker8, manager8, instrument;
    ste_date settlement_date; /* STE_DATE_NONE: NULL */
    unsigned message_count, account_count, cls_version;
};
STE_MUST_CHECK enum ste_code ste_shard_save_trades(struct ste_shard *shard,
                                                   const struct ste_trade_save *rows, size_t count,
                                                   struct ste_error *err);
/* Placeholders that stayed empty. */
STE_MUST_CHECK enum ste_code ste_shard_delete_trades(struct ste_shard *shard,
                                                     const struct ste_trade_key_row *keys,
                                                     size_t count, struct ste_error *err);

struct ste_exception_row {
    ste_date business_day; /* received on */
    struct ste_hash hash;  /* of key id, first code and raw bytes */
    uint32_t slot;
    unsigned kind;                      /* 0 EXC, 1 REJ */
    struct ste_bytes code, place, text; /* first finding */
    struct ste_bytes findings;          /* all of them, one line each */
    struct ste_bytes signer8, sender8, reference, trade_reference, key_id, delivery_id;
    uint32_t delivery_index;
    unsigned type;
    uint64_t received_us;
    struct ste_bytes raw;
    uint64_t raw_bytes_total;     /* more than raw.len when only its start is kept */
    const uint8_t *signed_sha256; /* of the signed body */
};
/* known[i]: rows[i] is there already from this very delivery and index (only business_day, hash,
 * delivery_id and delivery_index of a row are looked at). */
STE_MUST_CHECK enum ste_code ste_shard_known_exceptions(struct ste_shard *shard,
                                                        const struct ste_exception_row *rows,
                                                        size_t count, bool *known,
                                                        struct ste_error *err);
/* A repetition counts in column `repeats`, unless it is the same delivery and index again. */
STE_MUST_CHECK enum ste_code ste_shard_insert_exceptions(struct ste_shard *shard,
                                                         const struct ste_exception_row *rows,
                                                         size_t count, struct ste_error *err);

struct ste_outbox_row {
    struct ste_bytes routing_key;
    const struct ste_bytes *bcc; /* further routing keys */
    size_t bcc_count;
    struct ste_bytes message_id;
    uint32_t record_count;
    struct ste_bytes body;
};
STE_MUST_CHECK enum ste_code ste_shard_insert_outbox(struct ste_shard *shard, uint64_t worker_id,
                                                     const struct ste_outbox_row *rows,
                                                     size_t count, uint64_t *ret_ids,
                                                     struct ste_error *err);
/* In the running transaction, or as one of its own when none runs. */
STE_MUST_CHECK enum ste_code ste_shard_delete_outbox(struct ste_shard *shard, const uint64_t *ids,
                                                     size_t count, struct ste_error *err);
STE_MUST_CHECK enum ste_code ste_shard_commit(struct ste_shard *shard, struct ste_error *err);
void ste_shard_rollback(struct ste_shard *shard);

/* ---- sweeper: rows that nobody confirmed for min_age_ms, FOR UPDATE SKIP LOCKED, in a transaction
 * that the caller ends with ste_shard_commit after ste_shard_delete_outbox, or rolls back ---- */
struct ste_outbox_swept {
    uint64_t id;
    struct ste_outbox_row row;
};
STE_MUST_CHECK enum ste_code ste_shard_sweep_outbox(struct ste_shard *shard, uint32_t min_age_ms,
                                                    size_t limit, struct ste_arena *arena,
                                                    struct ste_outbox_swept **ret,
                                                    size_t *ret_count, struct ste_error *err);
#endif
