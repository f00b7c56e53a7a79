/* SPDX-License-Identifier: Apache-2.0
 * Inside lib/ref: what a snapshot is made of, and what its parts share while it is built.
 * Everything lives in one arena but the verifiers, which OpenSSL owns. */
#ifndef STE_REF_SNAPSHOT_H
#define STE_REF_SNAPSHOT_H

#include "base/arena.h"
#include "ref/ref.h"

struct ste_calendar {
    char name[8];             /* "SG", "TARGET" */
    ste_date first, last;     /* whole years that are covered, both included */
    const ste_date *holidays; /* sorted, each once */
    size_t holiday_count;
};
struct ste_country {
    char code[4];
};
struct ste_instrument {
    char isin[16];
};

struct ste_ref {
    struct ste_arena *arena;
    struct ste_participant *participants; /* these arrays are sorted by their first member */
    size_t participant_count;
    struct ste_key *keys;
    size_t key_count;
    struct ste_currency *currencies;
    size_t currency_count;
    struct ste_country *countries;
    size_t country_count;
    struct ste_instrument *instruments;
    size_t instrument_count;
    struct ste_rate *rates;
    size_t rate_count;
    struct ste_calendar *calendars;
    size_t calendar_count;
    struct ste_profile *profiles; /* the default one first */
    size_t profile_count;
    struct ste_buf warnings;
};

/* Handed through the loading functions. Each adds its faults, and false means out of memory. */
struct ste_ref_loader {
    struct ste_ref *ref;
    struct ste_faults *faults;
    ste_date business_date;
};

/* ref/tables.c; `reference` is the section of the map and may lack any of them. */
bool ste_ref_load_tables(struct ste_ref_loader *loader, const struct ste_yaml *reference);
/* ref/calendar.c */
bool ste_ref_load_calendars(struct ste_ref_loader *loader, const struct ste_yaml *folder);
bool ste_ref_warn_calendars(struct ste_ref_loader *loader);
/* ref/participants.c */
bool ste_ref_load_participants(struct ste_ref_loader *loader, const struct ste_yaml *file);
/* ref/profile.c; `profiles` may be NULL */
bool ste_ref_load_profiles(struct ste_ref_loader *loader, const struct ste_yaml *profiles);

/* A path of the map, absolute, in the arena; NULL when out of memory. */
const char *ste_ref_path(struct ste_ref_loader *loader, const struct ste_yaml *node);
/* Binary search over items whose first key_bytes bytes are the key. NULL when not found. */
const void *ste_sorted_find(const void *items, size_t count, size_t item_bytes, const char *key,
                            size_t key_bytes);

/* Rows of the map's sections, for the checks and for docs/CONFIG.md. */
enum { STE_REFERENCE_ROW_COUNT = 6, STE_PARTICIPANT_ROW_COUNT = 7, STE_KEY_ROW_COUNT = 5 };
enum { STE_PROFILE_ROW_COUNT = 5, STE_TOLERANCE_ROW_COUNT = 7 };
extern const struct ste_rule_row ste_reference_rows[STE_REFERENCE_ROW_COUNT];
extern const struct ste_rule_row ste_participant_rows[STE_PARTICIPANT_ROW_COUNT];
extern const struct ste_rule_row ste_key_rows[STE_KEY_ROW_COUNT];
extern const struct ste_rule_row ste_profile_rows[STE_PROFILE_ROW_COUNT];
extern const struct ste_rule_row ste_tolerance_rows[STE_TOLERANCE_ROW_COUNT];

#endif
