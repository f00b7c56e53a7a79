/* SPDX-License-Identifier: Apache-2.0
 * For the tests of this folder: reference data of tests/cases, messages made in a line, and trades
 * that records are applied to. Failures end the test. */
#ifndef STE_NODE_RULES_FIXTURE_H
#define STE_NODE_RULES_FIXTURE_H

#include "node/rules/decision.h"
#include "ref/ref.h"

struct ste_fixture {
    struct ste_cluster *cluster;
    struct ste_ref *ref;
    struct ste_rules rules;
    struct ste_arena *arena;
    struct ste_effects effects;
    struct ste_trade_id id;    /* of the last record sent */
    struct ste_trade *trade;   /* that records are applied to; NULL: a new one */
    struct ste_trade *sibling; /* for stage KEY, or NULL */
    struct ste_buf state;
    bool coded; /* the trade goes through its encoding before every record */
    unsigned delivery_count;
};

/* cmocka set-up and tear-down: *state is the fixture. */
int ste_fixture_open(void **state);
int ste_fixture_close(void **state);
/* No trade, no effects; memory used again. */
void ste_fixture_clear(struct ste_fixture *fixture);
int ste_fixture_begin(void **state); /* the same as cmocka's set-up of one test */

/* A message of the standard trade: "NOE", "ALB-1" … "SET-2". Changed by pairs "Element=value" up to
 * NULL; attributes as "Quantity@unit=FAMT"; "Price=" takes it away. */
struct ste_record *ste_fixture_record(struct ste_fixture *fixture, const char *name, ...)
    __attribute__((sentinel));
/* The same for any account, with its share of the quantity. */
struct ste_record *ste_fixture_leg_record(struct ste_fixture *fixture, enum ste_type type,
                                          const char *account, const char *quantity,
                                          const char *amount);
void ste_fixture_set(struct ste_fixture *fixture, struct ste_record *record, const char *pair);
/* Applies it, as found good by every check. */
void ste_fixture_send(struct ste_fixture *fixture, const struct ste_record *record);
void ste_fixture_send_checked(struct ste_fixture *fixture, const struct ste_record *record,
                              const struct ste_checked *checked);

size_t ste_fixture_count(const struct ste_fixture *fixture, enum ste_reply_kind kind);
/* The n-th reply of the kind, from 0; fails when there is none. */
const struct ste_reply *ste_fixture_reply(const struct ste_fixture *fixture,
                                          enum ste_reply_kind kind, size_t n);
/* The NMA of a stage to a receiver; NULL when there is none. */
const struct ste_reply *ste_fixture_nma(const struct ste_fixture *fixture, const char *stage,
                                        const char *account, const char *to);
void ste_assert_text(struct ste_bytes got, const char *wanted);

#endif
