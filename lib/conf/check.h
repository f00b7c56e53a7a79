/* SPDX-License-Identifier: Apache-2.0
 * Inside lib/conf: what the checks of the sections have in common. */
#ifndef STE_CONF_CHECK_H
#define STE_CONF_CHECK_H

#include <stdio.h>

#include "conf/sections.h"

enum { STE_CHECK_PATH_BYTES = 512 };

struct ste_checker {
    const struct ste_yaml *root;
    struct ste_faults *faults;
    unsigned shard_count; /* 0: faulty itself */
};

/* A map against the section's table. */
void ste_check_section(struct ste_checker *checker, enum ste_section_id id,
                       const struct ste_yaml *map, const char *path);
/* The child where it is a non-empty single value; else NULL: the table has a fault for it. */
const struct ste_yaml *ste_check_value(const struct ste_yaml *map, const char *key);
/* The number, or its default, where it is a good one. */
bool ste_check_number(enum ste_section_id id, const struct ste_yaml *map, const char *key,
                      unsigned *ret);
/* Letters, digits and the characters of `more`; node may be NULL. */
void ste_check_characters(struct ste_checker *checker, const struct ste_yaml *node,
                          const char *path, const char *more);
/* A list of at most `limit` entries; else NULL, and the fault stands. */
const struct ste_yaml *ste_check_list(struct ste_checker *checker, const struct ste_yaml *map,
                                      const char *key, const char *path, size_t limit);
/* The entries of a list are words of `choices` (blank-separated), at least one, none twice. False:
 * an entry is none of them. */
bool ste_check_choices(struct ste_checker *checker, const struct ste_yaml *list, const char *path,
                       const char *choices);
/* Both maps have this value and it is the same. */
bool ste_check_same(const struct ste_yaml *a, const struct ste_yaml *b, const char *key);

void ste_check_components(struct ste_checker *checker);

#endif
