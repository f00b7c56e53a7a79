/* SPDX-License-Identifier: Apache-2.0
 * Which points of the quality-of-service sweep are measured, and who gets what at one of them. The
 * columns are those of the xmlBlaster mailing list's table: size, demand, senders, receivers, keys,
 * time, sent, received, sent/s, received/s; its base is one sender and one receiver of 4 kB. Pure.
 */
#ifndef STE_BENCH_QOS_PLAN_H
#define STE_BENCH_QOS_PLAN_H

#include "base/bytes.h"

enum {
    STE_QOS_LIST_MAX = 16,
    STE_QOS_POINTS_MAX = 1000,
    STE_QOS_BYTES_MIN = 16, /* a stamp and a number */
    STE_QOS_BYTES_MAX = 1 << 20,
    STE_QOS_DEMAND_MAX = 1000000,
    STE_QOS_SENDERS_MAX = 16,
    STE_QOS_RECEIVERS_MAX = 100,
    STE_QOS_KEYS_MAX = 1000,
    STE_QOS_FULL = 0, /* demand: as fast as it goes */
};

/* Durable: persistent messages, quorum queues. Volatile: transient messages, non-durable classic
 * queues. Both with confirms and acknowledgements. */
enum ste_qos_kind { STE_QOS_DURABLE, STE_QOS_VOLATILE, STE_QOS_KINDS };
extern const char *const ste_qos_kind_names[STE_QOS_KINDS];

/* Topic: each receiver has a queue of its own, bound to its keys. Work: all share one queue. */
enum ste_qos_mode { STE_QOS_TOPIC, STE_QOS_WORK };

struct ste_qos_point {
    enum ste_qos_kind kind;
    uint64_t bytes;  /* of a body */
    uint64_t demand; /* messages a second of all senders together, or STE_QOS_FULL */
    uint64_t senders, receivers, keys;
};

struct ste_qos_list {
    uint64_t values[STE_QOS_LIST_MAX];
    size_t count;
};
struct ste_qos_sweep {
    struct ste_qos_list kinds, bytes, demands, senders, receivers, keys;
};
struct ste_qos_plan {
    struct ste_qos_point points[STE_QOS_POINTS_MAX];
    size_t count;
};

/* "10,100,full" into *ret; "full" only where `full_allowed`. Errors: STE_E_ARGUMENT, the text tells
 * which word and why. */
STE_MUST_CHECK enum ste_code ste_qos_list_parse(const char *text, uint64_t min, uint64_t max,
                                                bool full_allowed, struct ste_qos_list *ret,
                                                struct ste_error *err);
/* "durable,volatile" */
STE_MUST_CHECK enum ste_code ste_qos_kinds_parse(const char *text, struct ste_qos_list *ret,
                                                 struct ste_error *err);
/* One thing at a time is varied round a base point: the post's (4,096 bytes, full speed, one
 * sender, one receiver, one key) where the lists hold it, else each list's first. `full_factorial`:
 * all with all. No point comes twice; the kinds of a point stand side by side, so that both meet
 * the same machine. Errors: STE_E_LIMIT (more than STE_QOS_POINTS_MAX). */
STE_MUST_CHECK enum ste_code ste_qos_plan_build(const struct ste_qos_sweep *sweep,
                                                bool full_factorial, struct ste_qos_plan *ret,
                                                struct ste_error *err);

/* Mode topic: receiver r and key k belong together when they are alike modulo the smaller of both
 * counts. So each key has a receiver and each receiver a key; with one key everybody gets
 * everything (received = sent x receivers), with as many keys as receivers everybody gets a
 * share. */
bool ste_qos_subscribes(const struct ste_qos_point *point, uint64_t receiver, uint64_t key);
/* How many receivers of mode topic get a message with that key. */
uint64_t ste_qos_fan_out(const struct ste_qos_point *point, uint64_t key);

#endif
