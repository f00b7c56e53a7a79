/* SPDX-License-Identifier: Apache-2.0
 * Inside check*.c: one message while it is checked. Lives on the stack of ste_check_message;
 * nothing is allocated before the first finding. */
#ifndef STE_NODE_RULES_CHECK_FINDING_H
#define STE_NODE_RULES_CHECK_FINDING_H

#include "base/decimal.h"
#include "node/rules/rules.h"

struct ste_found {
    struct ste_finding finding;
    uint32_t line,
        column; /* where it belongs in the document; line UINT32_MAX: nowhere, at the end */
};

struct ste_check {
    const struct ste_rules *rules;
    const struct ste_message *message;
    const struct ste_profile *profile;
    struct ste_arena *arena;
    bool nomem;
    size_t found_count;
    uint64_t good; /* bit per field: present, carried, and its value is right */
    ste_date trade_date, settlement_date;        /* STE_DATE_NONE when not good */
    struct ste_decimal numbers[STE_FIELD_COUNT]; /* of good fields that are numbers */
    struct ste_found found[STE_FINDINGS_MAX];
};

static inline bool ste_check_is_good(const struct ste_check *check, enum ste_field_id id)
{
    return check->good >> id & 1;
}
static inline void ste_check_set_good(struct ste_check *check, enum ste_field_id id)
{
    check->good |= UINT64_C(1) << id;
}

/* Adds a finding about an element that is there, with `format` as its text; none when level is off.
 */
void ste_check_find(struct ste_check *check, enum ste_level level, enum ste_msg_code code,
                    enum ste_field_id id, const char *format, ...) STE_PRINTF(5, 6);
/* The element is missing: its place is its name. */
void ste_check_find_missing(struct ste_check *check, enum ste_field_id id);
/* Decoding refused the element, so that its value tells nothing. */
bool ste_check_is_refused(const struct ste_check *check, enum ste_field_id id);

/* check_value.c: every element by itself, and its attributes. Fills good, numbers and the dates. */
void ste_check_values(struct ste_check *check);
/* check_day.c: settlement date against trade date and calendar. */
void ste_check_settlement_date(struct ste_check *check);
/* check_day.c: true when the trade date is not one that can be traded: DTRD or LATE was found. */
bool ste_check_trade_day(struct ste_check *check);
/* check_sum.c: gross and net of an NPR. */
void ste_check_arithmetic(struct ste_check *check);

#endif
