/* SPDX-License-Identifier: Apache-2.0
 * Runs tests/cases/<behaviour>.yaml in memory; README.md there describes the files. */
#ifndef STE_TESTS_CASES_HARNESS_H
#define STE_TESTS_CASES_HARNESS_H

#include "conf/tree.h"
#include "msg/xml.h"
#include "node/rules/rules.h"

/* ---- engine.c: the path of a delivery, without broker and database ---- */

enum { STE_CASE_TRADES_MAX = 16, STE_CASE_DAYS_BACK = 30, STE_CASE_DAYS_AHEAD = 7 };

struct ste_case_trade {
    struct ste_trade_id id;
    struct ste_buf state; /* as a shard would keep it */
};
struct ste_case_engine {
    struct ste_rules rules;
    struct ste_days days;
    ste_date open[STE_CASE_DAYS_BACK + STE_CASE_DAYS_AHEAD + 1];
    struct ste_xml *xml;
    struct ste_arena *arena; /* of one run of one case */
    struct ste_case_trade trades[STE_CASE_TRADES_MAX];
    size_t trade_count;
    struct ste_effects effects;
    uint64_t row_id;
};
bool ste_case_engine_open(struct ste_case_engine *engine, const struct ste_ref *ref,
                          const struct ste_cluster *cluster);
void ste_case_engine_close(struct ste_case_engine *engine);
/* Forgets everything that was sent. */
void ste_case_engine_clear(struct ste_case_engine *engine);
/* Takes one delivery through decode, record, check and decide. False: it broke; said on stderr. */
bool ste_case_engine_send(struct ste_case_engine *engine, struct ste_bytes delivery_id,
                          struct ste_bytes body);

/* ---- render.c: the text of a message ---- */

enum { STE_CASE_LAYERS_MAX = 6 };

/* Maps of element to value; later ones count. $T stands for `trade_reference`, $N for `number`. */
struct ste_case_layers {
    const struct ste_yaml *maps[STE_CASE_LAYERS_MAX];
    size_t count;
    const char *trade_reference, *number;
};
void ste_case_layer(struct ste_case_layers *layers, const struct ste_yaml *map);
/* Appends one <TradeMessage>; then `edit`, a list of {find, put}, or NULL. False: a text to find is
 * not there. */
bool ste_case_render(struct ste_buf *out, const struct ste_case_layers *layers,
                     const struct ste_yaml *edit, bool with_namespace);
/* A raw body with $T put in and $[n*text] written out. */
void ste_case_render_body(struct ste_buf *out, const char *text, const char *trade_reference);

/* ---- expect.c: what should come out ---- */

/* One place for what went wrong in a file. */
struct ste_case_report {
    const char *name; /* of the case */
    unsigned failures;
    bool quiet; /* any_order: one order's failures are told once */
};
void ste_case_fail(struct ste_case_report *report, const struct ste_yaml *where, const char *format,
                   ...) STE_PRINTF(3, 4);

/* What was sent in one step, and where the effects stood before it. */
struct ste_case_sent {
    const struct ste_yaml *step;
    struct ste_bytes delivery_id, body;
    size_t replies_before;
};
void ste_case_expect_answers(struct ste_case_report *report, const struct ste_case_engine *engine,
                             const struct ste_case_sent *sent);
/* any_order: nothing but ACKs. */
void ste_case_expect_acks(struct ste_case_report *report, const struct ste_case_engine *engine,
                          const struct ste_yaml *where);
void ste_case_expect_outcome(struct ste_case_report *report, const struct ste_case_engine *engine,
                             const struct ste_yaml *then, const char *trade_reference,
                             const struct ste_yaml *where, bool in_order);
bool ste_case_text_is(struct ste_bytes text, const char *wanted);

#endif
