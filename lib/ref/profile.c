/* SPDX-License-Identifier: Apache-2.0
 * The section `profiles`: how conditions are compared and how strictly messages are checked, for a
 * pair of parties, for a place of settlement, or for everybody else. What a profile does not name
 * stays as MESSAGES sections 3 and 6 have it. */
#include "ref/snapshot.h"

#include <stdio.h>
#include <string.h>

enum { PATH_BYTES = 160 };

const struct ste_rule_row ste_profile_rows[STE_PROFILE_ROW_COUNT] = {
    {.key = "name",
     .type = STE_VALUE_TEXT,
     .required = true,
     .max = 40,
     .help = "unique; the one named default takes every trade that no other takes"},
    {.key = "pair",
     .type = STE_VALUE_LIST,
     .help = "[BROKER, MANAGER]: trades of these two parties"},
    {.key = "place", .type = STE_VALUE_TEXT, .help = "trades of no pair that settle at this BIC"},
    {.key = "conditions",
     .type = STE_VALUE_MAP,
     .help = "element name: how it is compared, see below"},
    {.key = "checks", .type = STE_VALUE_MAP, .help = "check name: off, warn or reject"},
};

const struct ste_rule_row ste_tolerance_rows[STE_TOLERANCE_ROW_COUNT] = {
    {.key = "rule",
     .type = STE_VALUE_CHOICE,
     .required = true,
     .choices = "exact absolute percent percent_capped band if_present not_used",
     .help =
         "if_present: all messages of the stage carry it or none; the four with figures are for "
         "Price, SettlementAmount, Commission and AccruedInterest"},
    {.key = "amount", .type = STE_VALUE_TEXT, .help = "absolute: largest difference allowed"},
    {.key = "percent", .type = STE_VALUE_TEXT, .help = "percent, percent_capped: of the smallest"},
    {.key = "cap", .type = STE_VALUE_TEXT, .help = "percent_capped: and never more than this"},
    {.key = "low",
     .type = STE_VALUE_TEXT,
     .unit = "EUR",
     .help = "band: allowed up to the edge; other currencies by reference.rates"},
    {.key = "edge", .type = STE_VALUE_TEXT, .unit = "EUR", .help = "band: by the smallest value"},
    {.key = "high", .type = STE_VALUE_TEXT, .unit = "EUR", .help = "band: allowed above the edge"},
};

/* The figures of a tolerance, as keys of the map and bits of what a rule needs. */
enum { AMOUNT = 1, PERCENT = 2, CAP = 4, LOW = 8, EDGE = 16, HIGH = 32, FIGURE_COUNT = 6 };
static const char *const figure_keys[FIGURE_COUNT] = {"amount", "percent", "cap",
                                                      "low",    "edge",    "high"};

static const struct {
    const char *name;
    enum ste_compare compare;
    unsigned needs;
} compare_rules[] = {
    {"exact", STE_COMPARE_EXACT, 0},
    {"absolute", STE_COMPARE_ABSOLUTE, AMOUNT},
    {"percent", STE_COMPARE_PERCENT, PERCENT},
    {"percent_capped", STE_COMPARE_PERCENT_CAPPED, PERCENT | CAP},
    {"band", STE_COMPARE_BAND, LOW | EDGE | HIGH},
    {"if_present", STE_COMPARE_IF_PRESENT, 0},
    {"not_used", STE_COMPARE_NOT_USED, 0},
};
enum { COMPARE_RULE_COUNT = sizeof(compare_rules) / sizeof(compare_rules[0]) };

static const char *const check_names[STE_CHECK_COUNT] = {
#define X(id, name, level, help) [id] = name,
#include "ref/checks.def"
#undef X
};

void ste_profile_init(struct ste_profile *profile)
{
    static const enum ste_level levels[STE_CHECK_COUNT] = {
#define X(id, name, level, help) [id] = level,
#include "ref/checks.def"
#undef X
    };
    *profile = (struct ste_profile){.name = "default"};
    memcpy(profile->checks, levels, sizeof(levels));
    profile->conditions[STE_COND_SETTLEMENT_AMOUNT] = (struct ste_tolerance){
        .compare = STE_COMPARE_BAND, .amount = {2, 0}, .edge = {100000, 0}, .high = {25, 0}};
    profile->conditions[STE_COND_COMMISSION].compare = STE_COMPARE_ABSOLUTE;
    profile->conditions[STE_COND_ACCRUED_INTEREST].compare = STE_COMPARE_ABSOLUTE;
}

static struct ste_decimal *figure_of(struct ste_tolerance *tolerance, unsigned index)
{
    struct ste_decimal *const figures[FIGURE_COUNT] = {&tolerance->amount, &tolerance->percent,
                                                       &tolerance->cap,    &tolerance->amount,
                                                       &tolerance->edge,   &tolerance->high};
    return figures[index];
}

static bool takes_figures(enum ste_condition_id id)
{
    return id == STE_COND_PRICE || ste_condition_is_money(id);
}

/* Conditions that say which trade, and which leg, a message belongs to: no profile changes them. */
static bool is_identity(enum ste_condition_id id)
{
    return id == STE_COND_TRADE_DATE || id == STE_COND_BROKER || id == STE_COND_MANAGER ||
           id == STE_COND_ACCOUNT;
}

static void load_figures(struct ste_ref_loader *loader, const struct ste_yaml *node,
                         const char *path, unsigned needs, struct ste_tolerance *tolerance)
{
    char place[PATH_BYTES];
    for (unsigned i = 0; i < FIGURE_COUNT; i++) {
        const struct ste_yaml *figure = ste_yaml_get(node, figure_keys[i]);
        bool needed = needs & (1u << i);
        snprintf(place, sizeof(place), "%.120s.%s", path, figure_keys[i]);
        if (needed && !figure)
            ste_faults_add(loader->faults, node, place, "is missing: the rule needs it");
        else if (!needed && figure)
            ste_faults_add(loader->faults, figure, place, "means nothing to this rule");
        else if (needed && figure->scalar && figure->scalar[0] &&
                 !ste_decimal_parse(ste_bytes_of(figure->scalar), false, figure_of(tolerance, i)))
            ste_faults_add(loader->faults, figure, place,
                           "a number with at most 18 digits is wanted");
    }
}

static void load_condition(struct ste_ref_loader *loader, const struct ste_yaml *node,
                           const char *path, enum ste_condition_id id,
                           struct ste_tolerance *tolerance)
{
    ste_rules_check(node, path, ste_tolerance_rows, STE_TOLERANCE_ROW_COUNT, loader->faults);
    const char *rule = ste_yaml_scalar(node, "rule");
    size_t i = 0;
    while (i < COMPARE_RULE_COUNT && (!rule || strcmp(compare_rules[i].name, rule) != 0))
        i++;
    if (i == COMPARE_RULE_COUNT)
        return; /* a fault stands already */
    if (is_identity(id) && compare_rules[i].compare != STE_COMPARE_EXACT)
        ste_faults_add(loader->faults, node, path,
                       "tells which trade a message belongs to and stays exact");
    else if (compare_rules[i].needs && !takes_figures(id))
        ste_faults_add(loader->faults, node, path, "cannot be compared by rule %s", rule);
    memset(tolerance, 0, sizeof(*tolerance));
    tolerance->compare = compare_rules[i].compare;
    load_figures(loader, node, path, compare_rules[i].needs, tolerance);
}

static void load_conditions(struct ste_ref_loader *loader, const struct ste_yaml *map,
                            const char *path, struct ste_profile *profile)
{
    char place[PATH_BYTES];
    if (!map || map->kind != STE_NODE_MAP)
        return;
    for (const struct ste_yaml *node = map->child; node; node = node->next) {
        size_t id = 1;
        while (id < STE_CONDITION_COUNT && strcmp(ste_conditions[id].element, node->key) != 0)
            id++;
        snprintf(place, sizeof(place), "%.60s.conditions.%.40s", path, node->key);
        if (id == STE_CONDITION_COUNT)
            ste_faults_add(loader->faults, node, place, "is none of the 17 conditions");
        else
            load_condition(loader, node, place, (enum ste_condition_id)id,
                           &profile->conditions[id]);
    }
}

static void load_checks(struct ste_ref_loader *loader, const struct ste_yaml *map, const char *path,
                        struct ste_profile *profile)
{
    static const char *const levels[] = {
        [STE_LEVEL_OFF] = "off", [STE_LEVEL_WARN] = "warn", [STE_LEVEL_REJECT] = "reject"};
    char place[PATH_BYTES];
    if (!map || map->kind != STE_NODE_MAP)
        return;
    for (const struct ste_yaml *node = map->child; node; node = node->next) {
        size_t id = 0, level = 0;
        while (id < STE_CHECK_COUNT && strcmp(check_names[id], node->key) != 0)
            id++;
        while (level < 3 && (!node->scalar || strcmp(levels[level], node->scalar) != 0))
            level++;
        snprintf(place, sizeof(place), "%.60s.checks.%.40s", path, node->key);
        if (id == STE_CHECK_COUNT)
            ste_faults_add(loader->faults, node, place, "no check has this name");
        else if (level == 3)
            ste_faults_add(loader->faults, node, place, "off, warn or reject is wanted");
        else
            profile->checks[id] = (enum ste_level)level;
    }
}

/* The first eight characters of a BIC into out. */
static void load_bic(struct ste_ref_loader *loader, const struct ste_yaml *node, const char *path,
                     const char *key, char out[static STE_BIC8_BYTES + 1])
{
    char place[PATH_BYTES];
    snprintf(place, sizeof(place), "%.60s.%s", path, key);
    if (node->scalar && ste_is_bic(ste_bytes_of(node->scalar)))
        memcpy(out, node->scalar, STE_BIC8_BYTES);
    else
        ste_faults_add(loader->faults, node, place, "not a BIC");
}

static void load_selector(struct ste_ref_loader *loader, const struct ste_yaml *node,
                          const char *path, struct ste_profile *profile)
{
    const struct ste_yaml *pair = ste_yaml_get(node, "pair"), *place = ste_yaml_get(node, "place");
    bool is_default = strcmp(profile->name, "default") == 0;
    if (is_default && (pair || place))
        ste_faults_add(loader->faults, node, path, "the profile named default takes no selector");
    else if (!is_default && !pair && !place)
        ste_faults_add(loader->faults, node, path, "needs pair or place, or the name default");
    else if (pair && place)
        ste_faults_add(loader->faults, place, path, "pair and place exclude each other");
    if (pair && pair->kind == STE_NODE_LIST && pair->child_count == 2) {
        load_bic(loader, pair->child, path, "pair[0]", profile->broker8);
        load_bic(loader, pair->child->next, path, "pair[1]", profile->manager8);
    } else if (pair) {
        ste_faults_add(loader->faults, pair, path, "pair: [BROKER, MANAGER] is wanted");
    }
    if (place)
        load_bic(loader, place, path, "place", profile->place8);
}

static bool same_selector(const struct ste_profile *a, const struct ste_profile *b)
{
    bool selects_any = a->broker8[0] != '\0' || a->place8[0] != '\0';
    return selects_any && memcmp(a->broker8, b->broker8, sizeof(a->broker8)) == 0 &&
           memcmp(a->manager8, b->manager8, sizeof(a->manager8)) == 0 &&
           memcmp(a->place8, b->place8, sizeof(a->place8)) == 0;
}

/* False: out of memory. The default profile goes to the front, the others behind it as they stand.
 */
static bool load_profile(struct ste_ref_loader *loader, const struct ste_yaml *node, size_t index)
{
    struct ste_ref *ref = loader->ref;
    struct ste_profile profile;
    char path[PATH_BYTES];
    snprintf(path, sizeof(path), "profiles[%zu]", index);
    ste_rules_check(node, path, ste_profile_rows, STE_PROFILE_ROW_COUNT, loader->faults);
    const char *name = ste_yaml_scalar(node, "name");
    if (node->kind != STE_NODE_MAP || !name)
        return true; /* a fault stands already */
    ste_profile_init(&profile);
    profile.name = ste_arena_dup(ref->arena, ste_bytes_of(name)).at;
    if (!profile.name)
        return false;
    load_selector(loader, node, path, &profile);
    load_conditions(loader, ste_yaml_get(node, "conditions"), path, &profile);
    load_checks(loader, ste_yaml_get(node, "checks"), path, &profile);
    if (strcmp(name, "default") == 0 && ref->profiles[0].name) {
        ste_faults_add(loader->faults, node, path, "name: default stands twice");
        return true;
    }
    if (strcmp(name, "default") == 0) {
        ref->profiles[0] = profile;
        return true;
    }
    for (size_t i = 1; i < ref->profile_count; i++) {
        if (strcmp(ref->profiles[i].name, name) == 0)
            ste_faults_add(loader->faults, node, path, "name: %s stands twice", name);
        else if (same_selector(&ref->profiles[i], &profile))
            ste_faults_add(loader->faults, node, path, "selects what %s selects",
                           ref->profiles[i].name);
    }
    ref->profiles[ref->profile_count++] = profile;
    return true;
}

bool ste_ref_load_profiles(struct ste_ref_loader *loader, const struct ste_yaml *profiles)
{
    struct ste_ref *ref = loader->ref;
    size_t count = profiles ? profiles->child_count : 0, index = 0;
    ref->profiles = STE_ARENA_ARRAY(ref->arena, struct ste_profile, count + 1);
    if (!ref->profiles)
        return false;
    ref->profile_count = 1;
    if (profiles && profiles->kind != STE_NODE_LIST)
        ste_faults_add(loader->faults, profiles, "profiles", "a list is wanted");
    for (const struct ste_yaml *node = profiles && profiles->kind == STE_NODE_LIST ? profiles->child
                                                                                   : NULL;
         node; node = node->next, index++) {
        if (!load_profile(loader, node, index))
            return false;
    }
    if (!ref->profiles[0].name)
        ste_profile_init(&ref->profiles[0]);
    return true;
}

/* ---- looking up ---- */

static bool selects(const char *bic8, struct ste_bytes bic)
{
    return bic8[0] != '\0' && bic.len >= STE_BIC8_BYTES &&
           memcmp(bic8, bic.at, STE_BIC8_BYTES) == 0;
}

const struct ste_profile *ste_ref_profile(const struct ste_ref *ref, struct ste_bytes broker,
                                          struct ste_bytes manager, struct ste_bytes place)
{
    const struct ste_profile *by_place = NULL;
    for (size_t i = 1; i < ref->profile_count; i++) {
        const struct ste_profile *profile = &ref->profiles[i];
        if (selects(profile->broker8, broker) && selects(profile->manager8, manager))
            return profile;
        if (selects(profile->place8, place))
            by_place = profile;
    }
    return by_place ? by_place : &ref->profiles[0];
}
