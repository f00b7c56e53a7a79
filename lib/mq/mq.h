/* SPDX-License-Identifier: Apache-2.0
 * AMQP 0-9-1 as the engine needs it: one connection a thread, manual acks, mandatory publishes with
 * confirms. The only user of rabbitmq-c. Publishing and consuming use separate connections, so that
 * a broker that blocks publishers never stops acks.
 *
 * A connection is broken for good after its first error: every later call returns STE_E_MQ_DOWN;
 * the owner closes it and opens another. Deliveries of a closed connection come again; their tags
 * must be forgotten (each connection has its own `generation`). */
#ifndef STE_MQ_MQ_H
#define STE_MQ_MQ_H

#include "base/bytes.h"
#include "base/error.h"
#include "conf/cluster.h"

struct ste_mq; /* one connection with one channel */

enum ste_mq_purpose { STE_MQ_CONSUME, STE_MQ_PUBLISH };
enum { STE_MQ_WAIT_MAX = 16 }; /* connections that one ste_mq_wait takes */

/* Connects, logs in, opens the channel; PUBLISH selects confirms. Blocks up to 5 s.
 * Errors: STE_E_MQ_DOWN (retry), STE_E_MQ_REFUSED (stop: password, vhost, rights), STE_E_FILE. */
STE_MUST_CHECK enum ste_code ste_mq_open(const struct ste_cluster *cluster, enum ste_role role,
                                         enum ste_mq_purpose purpose, const char *name,
                                         struct ste_mq **ret, struct ste_error *err);
/* The same for a login that is not a role's: a participant. */
STE_MUST_CHECK enum ste_code ste_mq_open_as(const struct ste_cluster *cluster,
                                            const struct ste_login *login,
                                            enum ste_mq_purpose purpose, const char *name,
                                            struct ste_mq **ret, struct ste_error *err);
void ste_mq_close(struct ste_mq *mq); /* NULL is fine; never blocks longer than 1 s */
uint64_t ste_mq_generation(const struct ste_mq *mq); /* unique per connection in this process */
bool ste_mq_blocked(const struct ste_mq *mq);        /* connection.blocked was received */

/* Waits until one of the connections can be read without blocking, or timeout_ms passed, or
 * wake_fd (-1: none) is readable. Takes frames that the library already holds into account. NULL
 * entries are skipped; a broken connection counts as readable, its next call says why. Sends what
 * the connections still hold, and their heartbeats. */
STE_MUST_CHECK enum ste_code ste_mq_wait(struct ste_mq *const *mqs, size_t count, int wake_fd,
                                         int timeout_ms, struct ste_error *err);

/* ---- consuming ---- */
struct ste_mq_delivery {
    uint64_t tag;
    uint64_t generation;
    bool redelivered;
    unsigned delivery_count;       /* x-delivery-count, 0 when absent */
    unsigned record_count;         /* header n, 1 when absent */
    struct ste_bytes consumer_tag; /* tells which queue it came from */
    struct ste_bytes exchange, routing_key;
    struct ste_bytes message_id, user_id, correlation_id, content_type;
    struct ste_bytes key_id, signature;         /* headers ste-key-id, ste-signature */
    struct ste_bytes death_queue, death_reason; /* first entry of x-death, else absent */
    struct ste_bytes body;
    void *owner; /* memory behind the views */
};

/* basic.qos + basic.consume with manual ack; consumer_tag names the queue in deliveries.
 * STE_E_MQ_REFUSED: no such queue or no right. */
STE_MUST_CHECK enum ste_code ste_mq_consume(struct ste_mq *mq, const char *queue, unsigned prefetch,
                                            const char *consumer_tag, bool exclusive,
                                            struct ste_error *err);
/* Deliveries that came before the cancel are still received. */
STE_MUST_CHECK enum ste_code ste_mq_cancel(struct ste_mq *mq, const char *consumer_tag,
                                           struct ste_error *err);
/* One delivery, waiting at most timeout_ms (0: only what is there). *ret_got false: none came.
 * The delivery is the caller's until ste_mq_delivery_free; acking does not need it any more. */
STE_MUST_CHECK enum ste_code ste_mq_receive(struct ste_mq *mq, int timeout_ms,
                                            struct ste_mq_delivery *ret, bool *ret_got,
                                            struct ste_error *err);
void ste_mq_delivery_free(struct ste_mq_delivery *delivery);
STE_MUST_CHECK enum ste_code ste_mq_ack(struct ste_mq *mq, uint64_t tag, bool multiple,
                                        struct ste_error *err);
STE_MUST_CHECK enum ste_code ste_mq_reject(struct ste_mq *mq, uint64_t tag, bool requeue,
                                           struct ste_error *err);
/* basic.get of one message, for tools and the checker. */
STE_MUST_CHECK enum ste_code ste_mq_get(struct ste_mq *mq, const char *queue,
                                        struct ste_mq_delivery *ret, bool *ret_got,
                                        struct ste_error *err);

/* ---- publishing ---- */
enum ste_mq_outcome { STE_MQ_CONFIRMED, STE_MQ_NACKED, STE_MQ_RETURNED };

struct ste_mq_message {
    const char *exchange;
    struct ste_bytes routing_key;
    struct ste_bytes message_id, user_id; /* absent: not sent */
    struct ste_bytes key_id, signature;   /* headers, absent: not sent */
    const struct ste_bytes *bcc; /* header BCC: further routing keys, never seen by readers */
    size_t bcc_count;
    unsigned record_count; /* header n; 0: not sent */
    bool transient;        /* delivery mode 1 */
    struct ste_bytes body;
};

/* Called from ste_mq_pump (and any other call that reads the connection), once per publish, in no
 * fixed order. A returned message counts as RETURNED only (the confirm that follows it is
 * swallowed). It may call ste_mq_publish, nothing else of this connection. */
typedef void ste_mq_settled(void *context, uint64_t cookie, enum ste_mq_outcome outcome);
void ste_mq_on_settled(struct ste_mq *mq, ste_mq_settled *settled, void *context);

/* Always mandatory and persistent (unless transient). Does not wait for the confirm.
 * STE_E_MQ_WINDOW: the window of unconfirmed publishes is full, nothing was sent: pump first.
 * STE_E_MQ_BLOCKED: the broker blocks us, nothing was sent. STE_E_MQ_DOWN: unknown whether it was.
 */
STE_MUST_CHECK enum ste_code ste_mq_publish(struct ste_mq *mq, const struct ste_mq_message *message,
                                            uint64_t cookie, struct ste_error *err);
size_t ste_mq_unconfirmed(const struct ste_mq *mq);
/* For publishers of many small messages: publishes wait in our buffer until 32 kB are together, or
 * ste_mq_pump or ste_mq_wait is called (pump with 0 is enough). Off at first: sent at once. */
void ste_mq_gather(struct ste_mq *mq, bool gather);
/* Reads what the broker has sent (confirms, returns, blocked, heartbeats), waiting at most
 * timeout_ms for something; also to be called while a CONSUME connection idles, for its heartbeats
 * (ste_mq_receive does it too). */
STE_MUST_CHECK enum ste_code ste_mq_pump(struct ste_mq *mq, int timeout_ms, struct ste_error *err);

/* ---- queues a client makes for itself ---- */
/* Exclusive, auto-deleted classic queue; the caller binds it to ste.out with each key. */
STE_MUST_CHECK enum ste_code ste_mq_declare_reply_queue(struct ste_mq *mq, const char *queue,
                                                        struct ste_error *err);
STE_MUST_CHECK enum ste_code ste_mq_bind(struct ste_mq *mq, const char *queue, const char *exchange,
                                         const char *key, struct ste_error *err);
/* Passive declare: ready messages, or STE_E_MQ_REFUSED when there is no such queue (the connection
 * is then broken). What was just published, requeued or acked may be counted a little later, and
 * unacked deliveries never are. */
STE_MUST_CHECK enum ste_code ste_mq_queue_length(struct ste_mq *mq, const char *queue,
                                                 uint32_t *ret_ready, struct ste_error *err);

#endif
