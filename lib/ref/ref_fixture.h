/* SPDX-License-Identifier: Apache-2.0
 * For tests: a snapshot of the shipped reference data and the lab's participants. */
#ifndef STE_REF_REF_FIXTURE_H
#define STE_REF_REF_FIXTURE_H

#include <stdio.h>

#include "ref/ref.h"

enum { STE_FIXTURE_YAML_BYTES = 8192 };

#define STE_FIXTURE_DATA STE_SOURCE_DIR "/deploy/reference/"
#define STE_FIXTURE_REFERENCE(participants)                                                        \
    "reference:\n"                                                                                 \
    "  currencies: " STE_FIXTURE_DATA "currencies.csv\n"                                           \
    "  countries: " STE_FIXTURE_DATA "countries.csv\n"                                             \
    "  instruments: " STE_FIXTURE_DATA "instruments.csv\n"                                         \
    "  participants: " STE_SOURCE_DIR "/lib/ref/testdata/" participants "\n"                       \
    "  calendars: " STE_FIXTURE_DATA "calendars\n"                                                 \
    "  rates: " STE_FIXTURE_DATA "rates.csv\n"

/* `faults` are those of `expected` (an array of parts of their lines), in order. Wants cmocka. */
#define assert_faults(faults, expected)                                                            \
    do {                                                                                           \
        const size_t wanted_ = sizeof(expected) / sizeof((expected)[0]);                           \
        for (size_t i_ = 0; i_ < (faults).count; i_++)                                             \
            if (i_ >= wanted_ || !strstr((faults).lines[i_], (expected)[i_]))                      \
                print_error("%s\n", (faults).lines[i_]);                                           \
        assert_int_equal((faults).count, wanted_);                                                 \
        for (size_t i_ = 0; i_ < wanted_; i_++)                                                    \
            assert_non_null(strstr((faults).lines[i_], (expected)[i_]));                           \
    } while (0)

/* Loads YAML text as if it stood in "map.yaml". The caller looks at rc and faults. */
static inline enum ste_code ste_fixture_load(const char *yaml, const char *business_date,
                                             struct ste_faults *faults, struct ste_ref **ret)
{
    struct ste_error err = {0};
    struct ste_tree *tree = NULL;
    ste_date date = 0;
    if (!ste_date_parse(ste_bytes_of(business_date), &date))
        return STE_E_ARGUMENT;
    enum ste_code rc = ste_tree_parse("map.yaml", ste_bytes_of(yaml), faults, &tree, &err);
    if (rc == STE_OK)
        rc = ste_ref_load_tree(ste_tree_root(tree), date, faults, ret, &err);
    ste_tree_free(tree);
    return rc;
}

/* The shipped data with a `profiles` section (or ""); NULL after printing the faults. */
static inline struct ste_ref *ste_fixture_ref(const char *profiles, const char *business_date)
{
    char yaml[STE_FIXTURE_YAML_BYTES];
    struct ste_faults faults = {0};
    struct ste_ref *ref = NULL;
    snprintf(yaml, sizeof(yaml), "%s%s", profiles, STE_FIXTURE_REFERENCE("participants.yaml"));
    if (ste_fixture_load(yaml, business_date, &faults, &ref) != STE_OK)
        ste_faults_print(&faults, stderr);
    ste_faults_deinit(&faults);
    return ref;
}

#endif
