/* SPDX-License-Identifier: Apache-2.0
 * What the files of lib/mq share; nobody else includes it. README.md has the rules. */
#ifndef STE_MQ_INTERNAL_H
#define STE_MQ_INTERNAL_H

#include "mq/confirms.h"
#include "mq/mq.h"
#include "mq/rabbitmq.h"

enum {
    STE_MQ_CHANNEL = 1,
    STE_MQ_FRAME_MAX = 131072,
    STE_MQ_FRAME_OVERHEAD = 8, /* type, channel, size, end */
    STE_MQ_IN_BYTES = 2 * STE_MQ_FRAME_MAX,
    STE_MQ_OUT_HIGH_BYTES = 256 * 1024,  /* no publish is taken while more waits for the socket */
    STE_MQ_OUT_KEEP_BYTES = 1024 * 1024, /* a larger buffer is given back when it is empty */
    STE_MQ_GATHER_BYTES = 32 * 1024,
    STE_MQ_METHOD_BYTES = 1024,        /* basic.deliver at its longest is 788 */
    STE_MQ_BODY_BYTES_MAX = 512 << 20, /* RabbitMQ's own hard limit */
    STE_MQ_OPEN_MS = 5000,
    STE_MQ_CALL_MS = 10000,
    STE_MQ_CLOSE_MS = 1000,
    STE_MQ_SILENT_HEARTBEATS = 2,  /* intervals without a byte: the broker is gone */
    STE_MQ_STALLED_HEARTBEATS = 3, /* intervals in which the broker read nothing of ours */
};

enum ste_mq_frame_type {
    STE_FRAME_METHOD = 1,
    STE_FRAME_HEADER,
    STE_FRAME_BODY,
    STE_FRAME_HEARTBEAT = 8
};

/* A delivery and the memory its views point into: method payload, header payload, body. */
struct ste_mq_node {
    struct ste_mq_node *next;
    struct ste_mq_delivery delivery;
    char bytes[];
};

/* A message on its way in: method, then header, then bodies until `missing_bytes` is 0. */
enum ste_mq_content { STE_CONTENT_NONE, STE_CONTENT_DELIVER, STE_CONTENT_GET, STE_CONTENT_RETURN };
struct ste_mq_assembly {
    enum ste_mq_content content;
    bool header_seen;
    size_t method_len;
    char method[STE_MQ_METHOD_BYTES]; /* payload of basic.deliver or basic.get-ok */
    struct ste_mq_node *node;         /* NULL for a return: its body is dropped */
    char *body_at;
    uint64_t missing_bytes;
};

/* The answer that a call waits for; `wanted` 0: none. */
struct ste_mq_reply {
    amqp_method_number_t wanted, got;
    uint16_t channel_max, heartbeat_s; /* connection.tune */
    uint32_t frame_max;
    uint32_t message_count; /* queue.declare-ok */
};

struct ste_mq {
    int fd;
    uint64_t generation;
    enum ste_mq_purpose purpose;
    bool gather, blocked;
    bool broken;  /* for good */
    bool in_step; /* broken or not, the byte stream is whole: a polite close is possible */
    char broken_text[STE_ERROR_TEXT_BYTES];

    uint32_t frame_max;
    uint64_t heartbeat_ns; /* 0 until the broker agreed */
    uint64_t next_heartbeat_ns, received_ns, sent_ns;

    char *in; /* bytes begin..end are received and not handled */
    size_t in_begin, in_end;
    bool drained; /* the last recv() took all there was */
    struct ste_buf out;
    size_t out_begin;

    amqp_pool_t pool; /* of amqp_decode_method, emptied after each frame */
    struct ste_mq_reply reply;
    struct ste_mq_assembly assembly;
    struct ste_mq_node *ready_first, *ready_last, *got;

    struct ste_mq_confirms confirms;
    ste_mq_settled *settled;
    void *settled_context;
};

/* io.c: the socket. Nothing here blocks unless it says so. */
enum ste_code ste_mq_connect(struct ste_mq *mq, const char *host, unsigned port,
                             uint64_t deadline_ns, struct ste_error *err);
/* Sends what waits in `out`, as far as the socket takes it. */
enum ste_code ste_mq_flush(struct ste_mq *mq, struct ste_error *err);
/* Heartbeat, flush, then one recv(); *ret_got false: nothing there. */
enum ste_code ste_mq_fill(struct ste_mq *mq, bool *ret_got, struct ste_error *err);
/* Blocks until the socket can be read (or written, if something waits) or the deadline has come. */
enum ste_code ste_mq_block(struct ste_mq *mq, uint64_t deadline_ns, struct ste_error *err);
/* A whole frame lies in `in`. */
bool ste_mq_frame_ready(const struct ste_mq *mq);

/* frame.c: one frame in, one method out. */
enum ste_code ste_mq_handle_frame(struct ste_mq *mq, bool *ret_handled, struct ste_error *err);
enum ste_code ste_mq_put_method(struct ste_mq *mq, uint16_t channel, amqp_method_number_t id,
                                void *method, struct ste_error *err);
/* Sends a method and blocks until its answer `wanted` is there, at most until the deadline. */
enum ste_code ste_mq_call(struct ste_mq *mq, uint16_t channel, amqp_method_number_t id,
                          void *method, amqp_method_number_t wanted, uint64_t deadline_ns,
                          struct ste_error *err);
/* Blocks for `wanted` alone. */
enum ste_code ste_mq_await(struct ste_mq *mq, amqp_method_number_t wanted, uint64_t deadline_ns,
                           struct ste_error *err);
/* View of a NUL-ended text. */
amqp_bytes_t ste_mq_amqp_bytes(const char *text);

/* connection.c */
/* Without a socket yet; NULL when out of memory. Freed by ste_mq_close. */
struct ste_mq *ste_mq_new(enum ste_mq_purpose purpose, size_t window);
/* Breaks the connection for good; the first reason is kept. Returns `code`. */
enum ste_code ste_mq_fail(struct ste_mq *mq, struct ste_error *err, enum ste_code code,
                          const char *format, ...) STE_PRINTF(4, 5);
/* STE_OK, or STE_E_MQ_DOWN with the first reason. */
enum ste_code ste_mq_usable(const struct ste_mq *mq, struct ste_error *err);
uint64_t ste_mq_deadline(int timeout_ms); /* from now */

#endif
