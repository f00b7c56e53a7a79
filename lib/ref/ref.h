/* SPDX-License-Identifier: Apache-2.0
 * Reference data as one immutable snapshot: sorted arrays, built whole, swapped at a batch boundary
 * (MESSAGES sections 3, 6, 7, 10). Everything handed out lives as long as the snapshot. Pure
 * look-ups. */
#ifndef STE_REF_REF_H
#define STE_REF_REF_H

#include "base/date.h"
#include "base/decimal.h"
#include "conf/cluster.h"
#include "msg/message.h"
#include "msg/signature.h"
#include "ref/profile.h"

enum ste_participant_role {
    STE_PARTICIPANT_BROKER = 1,
    STE_PARTICIPANT_MANAGER = 2,
    STE_PARTICIPANT_CUSTODIAN = 4,
    STE_PARTICIPANT_CSD = 8,
    STE_PARTICIPANT_OPERATOR = 16,
};
enum ste_replies { STE_REPLIES_ALL, STE_REPLIES_EXCEPTIONS, STE_REPLIES_NONE };

struct ste_participant {
    char bic8[STE_BIC8_BYTES + 1];
    unsigned roles;
    bool active;
    bool sends_for_all;
    const char (*sends_for)[STE_BIC8_BYTES + 1]; /* sorted */
    size_t sends_for_count;
    enum ste_replies replies;
    const char *broker_password_file; /* participants.yaml: broker_password_file, or NULL */
};
struct ste_key {
    const char *id; /* `<participant>/<key>`, unique: what ste-key-id carries */
    const struct ste_participant *participant;
    enum ste_algorithm algorithm;
    const struct ste_verifier *verifier;
    ste_date valid_from, valid_to; /* both included; STE_DATE_NONE: open */
};
struct ste_currency {
    char code[4];
    uint8_t minor_units;
};
struct ste_rate { /* units of this currency per EUR */
    char code[4];
    struct ste_decimal per_eur;
};

struct ste_ref;
/* Reads profiles and reference of the cluster's tree and every file they name; every fault goes to
 * `faults` with its place. */
STE_MUST_CHECK enum ste_code ste_ref_load(const struct ste_cluster *cluster,
                                          struct ste_faults *faults, struct ste_ref **ret,
                                          struct ste_error *err);
/* The same from a tree alone, whose root holds the two sections. */
STE_MUST_CHECK enum ste_code ste_ref_load_tree(const struct ste_yaml *root, ste_date business_date,
                                               struct ste_faults *faults, struct ste_ref **ret,
                                               struct ste_error *err);
void ste_ref_free(struct ste_ref *ref);
/* The tables behind docs/CONFIG.md. */
const struct ste_rule_table *ste_ref_rules(size_t *ret_count);
/* Warnings to log at start (a place without calendar …), one per line; "" for none. */
const char *ste_ref_warnings(const struct ste_ref *ref);

/* NULL when not found. `bic` of 8 or 11 characters: the first 8 count. */
const struct ste_participant *ste_ref_participant(const struct ste_ref *ref, struct ste_bytes bic);
size_t ste_ref_participants(const struct ste_ref *ref, const struct ste_participant **ret);
const struct ste_key *ste_ref_key(const struct ste_ref *ref, struct ste_bytes key_id);
size_t ste_ref_keys(const struct ste_ref *ref, const struct ste_key **ret); /* all, sorted by id */
bool ste_participant_may_send_for(const struct ste_participant *signer,
                                  struct ste_bytes sender_bic);
const struct ste_currency *ste_ref_currency(const struct ste_ref *ref, struct ste_bytes code);
bool ste_ref_country(const struct ste_ref *ref, struct ste_bytes code);
bool ste_ref_instrument(const struct ste_ref *ref, struct ste_bytes isin);
bool ste_ref_has_instruments(const struct ste_ref *ref); /* false: the map names no list */
const struct ste_rate *ste_ref_rate(const struct ste_ref *ref, struct ste_bytes currency);

/* Calendars: "SG", "US", "GB", "TARGET", "JP", "HK". Euro countries map to TARGET. Outside of the
 * years that a calendar covers only its weekends are known. EUR has rate 1. */
enum ste_business { STE_BUSINESS_DAY, STE_BUSINESS_HOLIDAY, STE_BUSINESS_NO_CALENDAR };
enum ste_business ste_ref_business(const struct ste_ref *ref, struct ste_bytes country,
                                   ste_date date);
/* The n-th business day after `from`; STE_DATE_NONE without calendar. */
ste_date ste_ref_business_add(const struct ste_ref *ref, struct ste_bytes country, ste_date from,
                              unsigned days);

/* The profile of a trade: pair of parties, else place of settlement, else default. */
const struct ste_profile *ste_ref_profile(const struct ste_ref *ref, struct ste_bytes broker,
                                          struct ste_bytes manager, struct ste_bytes place);

#endif
