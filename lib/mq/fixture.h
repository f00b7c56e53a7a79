/* SPDX-License-Identifier: Apache-2.0
 * For the tests of lib/mq: a connection on one end of a socket pair, the test as broker on the
 * other. */
#ifndef STE_MQ_FIXTURE_H
#define STE_MQ_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/clock.h"
#include "mq/internal.h"
#include "mq/wire.h"

enum { SCRIPT_BYTES = 1 << 20, TEST_FRAME_MAX = 4096 };

struct fixture {
    struct ste_mq *mq;
    int broker;
    char *script, *at; /* what the broker says next */
    size_t settled_count;
    enum ste_mq_outcome settled[16];
    uint64_t cookies[16];
};

int set_up(void **state); /* *state: a struct fixture */
int tear_down(void **state);

/* What the broker says next; sent by say(). */
void frame(struct fixture *f, unsigned type, unsigned channel, struct ste_bytes payload);
void method(struct fixture *f, unsigned channel, amqp_method_number_t id, void *fields);
void confirm(struct fixture *f, amqp_method_number_t id, uint64_t tag, bool multiple);
/* Header frame with ste-seq, then the body in frames of at most `chunk` bytes. */
void content(struct fixture *f, uint64_t seq, struct ste_bytes body, size_t chunk);
void deliver(struct fixture *f, uint64_t tag, struct ste_bytes body, size_t chunk);
void returned(struct fixture *f, uint64_t seq, struct ste_bytes body);
void say(struct fixture *f);

/* Our side: `count` publishes with cookies from 100 on. */
void publish(struct fixture *f, unsigned count);

#endif
