/* SPDX-License-Identifier: Apache-2.0
 * Inside lib/conf: the tables of the cluster map, and its checks. */
#ifndef STE_CONF_SECTIONS_H
#define STE_CONF_SECTIONS_H

#include "conf/cluster.h"

enum ste_section_id {
    STE_SECTION_TOP,
    STE_SECTION_CLUSTER,
    STE_SECTION_BROKER,
    STE_SECTION_BROKER_USERS,
    STE_SECTION_DATABASE,
    STE_SECTION_DATABASE_USERS,
    STE_SECTION_LOGIN,
    STE_SECTION_SHARD,
    STE_SECTION_HOST,
    STE_SECTION_COMPONENTS,
    STE_SECTION_ROUTER,
    STE_SECTION_NODE,
    STE_SECTION_ASSIGNMENT,
    STE_SECTION_SUBMIT,
    STE_SECTION_COUNT
};
extern const struct ste_rule_table ste_sections[STE_SECTION_COUNT];

extern const char *const ste_role_keys[STE_ROLE_COUNT];       /* keys of broker.users */
extern const char *const ste_db_role_keys[STE_DB_ROLE_COUNT]; /* keys of database.users */

enum { STE_HOST_COUNT_MAX = 256, STE_COMPONENT_COUNT_MAX = 512 };

/* Short forms of ste_value_… over the section's table. */
const char *ste_section_text(enum ste_section_id id, const struct ste_yaml *map, const char *key);
unsigned ste_section_uint(enum ste_section_id id, const struct ste_yaml *map, const char *key);
/* The bits of an assignment's `types`; words that are none are left out. */
unsigned ste_assignment_types(const struct ste_yaml *assignment);

/* Every fault of the sections that lib/conf owns. */
void ste_cluster_check(const struct ste_yaml *root, struct ste_faults *faults);

#endif
