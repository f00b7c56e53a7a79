/* SPDX-License-Identifier: Apache-2.0 */
#include "ref/ref.h"

#include <stdlib.h>
#include <string.h>

#include "ref/snapshot.h"

const char *ste_ref_path(struct ste_ref_loader *loader, const struct ste_yaml *node)
{
    char *path = ste_path_beside(node->file, node->scalar);
    const char *kept = path ? ste_arena_dup(loader->ref->arena, ste_bytes_of(path)).at : NULL;
    free(path);
    return kept;
}

/* Warnings end in NUL, so that they can be handed out as text. */
static bool load_sections(struct ste_ref_loader *loader, const struct ste_yaml *root)
{
    if (root->kind != STE_NODE_MAP) {
        ste_faults_add(loader->faults, root, "", "a map is wanted");
        return true;
    }
    const struct ste_yaml *reference = ste_yaml_get(root, "reference");
    if (!reference)
        ste_faults_add(loader->faults, root, "reference", "is missing");
    ste_rules_check(reference, "reference", ste_reference_rows, STE_REFERENCE_ROW_COUNT,
                    loader->faults);
    bool ok = ste_ref_load_profiles(loader, ste_yaml_get(root, "profiles"));
    if (ok && reference && reference->kind == STE_NODE_MAP)
        ok = ste_ref_load_tables(loader, reference) &&
             ste_ref_load_calendars(loader, ste_yaml_get(reference, "calendars")) &&
             ste_ref_load_participants(loader, ste_yaml_get(reference, "participants")) &&
             ste_ref_warn_calendars(loader);
    ste_buf_u8(&loader->ref->warnings, '\0');
    return ok && !loader->ref->warnings.failed;
}

enum ste_code ste_ref_load_tree(const struct ste_yaml *root, ste_date business_date,
                                struct ste_faults *faults, struct ste_ref **ret,
                                struct ste_error *err)
{
    enum ste_code rc = STE_OK;
    struct ste_ref *ref = calloc(1, sizeof(*ref));
    struct ste_ref_loader loader = {ref, faults, business_date};
    if (ref)
        ref->arena = ste_arena_new(0);
    if (!ref || !ref->arena || !load_sections(&loader, root))
        rc = ste_error_set(err, STE_E_NOMEM, "could not load reference data: out of memory");
    else if (ste_faults_any(faults))
        rc = ste_error_set(err, STE_E_CONFIG, "could not load reference data: %zu faults",
                           faults->count);
    if (rc == STE_OK) {
        *ret = ref;
        ref = NULL;
    }
    ste_ref_free(ref);
    return rc;
}

enum ste_code ste_ref_load(const struct ste_cluster *cluster, struct ste_faults *faults,
                           struct ste_ref **ret, struct ste_error *err)
{
    return ste_ref_load_tree(ste_cluster_tree(cluster), cluster->business_date, faults, ret, err);
}

void ste_ref_free(struct ste_ref *ref)
{
    if (!ref)
        return;
    for (size_t i = 0; i < ref->key_count; i++)
        ste_verifier_free((struct ste_verifier *)ref->keys[i].verifier);
    ste_buf_deinit(&ref->warnings);
    ste_arena_free(ref->arena);
    free(ref);
}

const char *ste_ref_warnings(const struct ste_ref *ref)
{
    return ref->warnings.at;
}

/* ---- looking up ---- */

const void *ste_sorted_find(const void *items, size_t count, size_t item_bytes, const char *key,
                            size_t key_bytes)
{
    const char *base = items;
    while (count > 0) {
        const char *middle = base + (count / 2) * item_bytes;
        int order = memcmp(key, middle, key_bytes);
        if (order == 0)
            return middle;
        if (order > 0) {
            base = middle + item_bytes;
            count -= count / 2 + 1;
        } else {
            count /= 2;
        }
    }
    return NULL;
}

const struct ste_participant *ste_ref_participant(const struct ste_ref *ref, struct ste_bytes bic)
{
    if (bic.len < STE_BIC8_BYTES)
        return NULL;
    return ste_sorted_find(ref->participants, ref->participant_count, sizeof(*ref->participants),
                           bic.at, STE_BIC8_BYTES);
}

size_t ste_ref_keys(const struct ste_ref *ref, const struct ste_key **ret)
{
    *ret = ref->keys;
    return ref->key_count;
}

size_t ste_ref_participants(const struct ste_ref *ref, const struct ste_participant **ret)
{
    *ret = ref->participants;
    return ref->participant_count;
}

static int compare_key_id(const void *left, const void *right)
{
    const struct ste_bytes *id = left;
    const struct ste_key *key = right;
    return ste_bytes_compare(*id, ste_bytes_of(key->id));
}

const struct ste_key *ste_ref_key(const struct ste_ref *ref, struct ste_bytes key_id)
{
    return ref->key_count
               ? bsearch(&key_id, ref->keys, ref->key_count, sizeof(*ref->keys), compare_key_id)
               : NULL;
}

bool ste_participant_may_send_for(const struct ste_participant *signer, struct ste_bytes sender_bic)
{
    if (sender_bic.len < STE_BIC8_BYTES)
        return false;
    return signer->sends_for_all || memcmp(signer->bic8, sender_bic.at, STE_BIC8_BYTES) == 0 ||
           ste_sorted_find(signer->sends_for, signer->sends_for_count, sizeof(*signer->sends_for),
                           sender_bic.at, STE_BIC8_BYTES);
}

const struct ste_currency *ste_ref_currency(const struct ste_ref *ref, struct ste_bytes code)
{
    return code.len == 3 ? ste_sorted_find(ref->currencies, ref->currency_count,
                                           sizeof(*ref->currencies), code.at, 3)
                         : NULL;
}

bool ste_ref_country(const struct ste_ref *ref, struct ste_bytes code)
{
    return code.len == 2 &&
           ste_sorted_find(ref->countries, ref->country_count, sizeof(*ref->countries), code.at, 2);
}

bool ste_ref_instrument(const struct ste_ref *ref, struct ste_bytes isin)
{
    return isin.len == 12 && ste_sorted_find(ref->instruments, ref->instrument_count,
                                             sizeof(*ref->instruments), isin.at, 12);
}

bool ste_ref_has_instruments(const struct ste_ref *ref)
{
    return ref->instrument_count > 0;
}

const struct ste_rate *ste_ref_rate(const struct ste_ref *ref, struct ste_bytes currency)
{
    return currency.len == 3
               ? ste_sorted_find(ref->rates, ref->rate_count, sizeof(*ref->rates), currency.at, 3)
               : NULL;
}

/* ---- documentation ---- */

const struct ste_rule_table *ste_ref_rules(size_t *ret_count)
{
    static const struct ste_rule_table tables[] = {
        {"profiles[]", "How conditions are compared and how strictly messages are checked.",
         ste_profile_rows, STE_PROFILE_ROW_COUNT},
        {"profiles[].conditions.ELEMENT", "How one of the 17 conditions is compared.",
         ste_tolerance_rows, STE_TOLERANCE_ROW_COUNT},
        {"reference", "Files of reference data, read at start.", ste_reference_rows,
         STE_REFERENCE_ROW_COUNT},
        {"participants[]", "In the participants file.", ste_participant_rows,
         STE_PARTICIPANT_ROW_COUNT},
        {"participants[].keys[]", "In the participants file.", ste_key_rows, STE_KEY_ROW_COUNT},
    };
    *ret_count = sizeof(tables) / sizeof(tables[0]);
    return tables;
}
