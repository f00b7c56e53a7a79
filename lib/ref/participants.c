/* SPDX-License-Identifier: Apache-2.0
 * participants.yaml: who may send, with which keys (MESSAGES section 7). */
#include "ref/snapshot.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PATH_BYTES = 96, KEY_ID_BYTES_MAX = 40 };

const struct ste_rule_row ste_participant_rows[STE_PARTICIPANT_ROW_COUNT] = {
    {.key = "id", .type = STE_VALUE_TEXT, .required = true, .help = "BIC of 8 characters"},
    {.key = "roles",
     .type = STE_VALUE_LIST,
     .required = true,
     .help = "any of broker, manager, custodian, csd, operator"},
    {.key = "replies",
     .type = STE_VALUE_CHOICE,
     .default_text = "all",
     .choices = "all exceptions none",
     .help = "what it is told; exceptions: REJ, EXC and NMA only"},
    {.key = "active",
     .type = STE_VALUE_BOOL,
     .default_text = "true",
     .help = "whether its keys are taken"},
    {.key = "sends_for",
     .type = STE_VALUE_LIST,
     .help = "BICs of other senders that its keys may sign for; \"*\": all"},
    {.key = "broker_password_file",
     .type = STE_VALUE_PATH,
     .help = "password of its broker user, for topology"},
    {.key = "keys", .type = STE_VALUE_LIST, .help = "see below"},
};

const struct ste_rule_row ste_key_rows[STE_KEY_ROW_COUNT] = {
    {.key = "id",
     .type = STE_VALUE_TEXT,
     .required = true,
     .max = KEY_ID_BYTES_MAX,
     .help = "the header ste-key-id carries PARTICIPANT/ID"},
    {.key = "algorithm",
     .type = STE_VALUE_CHOICE,
     .default_text = "ed25519",
     .choices = "ed25519 hmac-sha256",
     .help = "how it signs"},
    {.key = "file",
     .type = STE_VALUE_PATH,
     .required = true,
     .help = "ed25519: the public key (PEM); hmac-sha256: the secret in base64"},
    {.key = "from", .type = STE_VALUE_DATE, .help = "first business date it is valid"},
    {.key = "to", .type = STE_VALUE_DATE, .help = "last business date it is valid"},
};

/* While loading a participant keeps its node, so that repetitions are shown where they stand. */
struct draft {
    struct ste_participant participant; /* first member: bic8 sorts */
    const struct ste_yaml *node;
    size_t index;
};

static bool is_bic8(const char *text)
{
    return text && strlen(text) == STE_BIC8_BYTES && ste_is_bic(ste_bytes_of(text));
}

static void load_roles(struct ste_ref_loader *loader, const struct ste_yaml *roles,
                       const char *path, struct ste_participant *participant)
{
    static const char *const names[] = {"broker", "manager", "custodian", "csd", "operator"};
    static const size_t name_count = sizeof(names) / sizeof(names[0]);
    char place[PATH_BYTES];
    size_t index = 0;
    if (!roles || roles->kind != STE_NODE_LIST)
        return; /* a fault stands already */
    for (const struct ste_yaml *role = roles->child; role; role = role->next, index++) {
        size_t i = 0;
        while (i < name_count && (!role->scalar || strcmp(names[i], role->scalar) != 0))
            i++;
        snprintf(place, sizeof(place), "%.60s.roles[%zu]", path, index);
        if (i < name_count)
            participant->roles |= 1u << i;
        else
            ste_faults_add(loader->faults, role, place,
                           "not one of: broker, manager, custodian, csd, operator");
    }
    if (!roles->child)
        ste_faults_add(loader->faults, roles, path, "roles: at least one is wanted");
}

static int compare_bic8(const void *left, const void *right)
{
    return memcmp(left, right, STE_BIC8_BYTES);
}

static bool load_sends_for(struct ste_ref_loader *loader, const struct ste_yaml *list,
                           const char *path, struct ste_participant *participant)
{
    char place[PATH_BYTES];
    size_t index = 0;
    if (!list || list->kind != STE_NODE_LIST)
        return true;
    char(*bics)[STE_BIC8_BYTES + 1] =
        ste_arena_alloc_array(loader->ref->arena, sizeof(*bics), list->child_count + 1);
    if (!bics)
        return false;
    for (const struct ste_yaml *item = list->child; item; item = item->next, index++) {
        snprintf(place, sizeof(place), "%.60s.sends_for[%zu]", path, index);
        if (item->scalar && strcmp(item->scalar, "*") == 0)
            participant->sends_for_all = true;
        else if (is_bic8(item->scalar))
            memcpy(bics[participant->sends_for_count++], item->scalar, STE_BIC8_BYTES + 1);
        else
            ste_faults_add(loader->faults, item, place, "not a BIC of 8 characters, nor \"*\"");
    }
    qsort(bics, participant->sends_for_count, sizeof(*bics), compare_bic8);
    participant->sends_for = (const char(*)[STE_BIC8_BYTES + 1]) bics;
    return true;
}

/* False: out of memory. */
static bool load_participant(struct ste_ref_loader *loader, struct draft *draft)
{
    struct ste_participant *participant = &draft->participant;
    const struct ste_yaml *node = draft->node;
    char path[PATH_BYTES];
    snprintf(path, sizeof(path), "participants[%zu]", draft->index);
    ste_rules_check(node, path, ste_participant_rows, STE_PARTICIPANT_ROW_COUNT, loader->faults);
    if (node->kind != STE_NODE_MAP)
        return true;
    const struct ste_yaml *id = ste_yaml_get(node, "id");
    const char *replies = ste_yaml_scalar(node, "replies");
    const char *active = ste_yaml_scalar(node, "active");
    if (id && is_bic8(id->scalar))
        memcpy(participant->bic8, id->scalar, sizeof(participant->bic8));
    else if (id && id->kind == STE_NODE_SCALAR)
        ste_faults_add(loader->faults, id, path, "id: not a BIC of 8 characters");
    participant->active = !active || strcmp(active, "false") != 0;
    if (replies && strcmp(replies, "exceptions") == 0)
        participant->replies = STE_REPLIES_EXCEPTIONS;
    else if (replies && strcmp(replies, "none") == 0)
        participant->replies = STE_REPLIES_NONE;
    load_roles(loader, ste_yaml_get(node, "roles"), path, participant);
    const struct ste_yaml *password = ste_yaml_get(node, "broker_password_file");
    if (password && password->scalar && password->scalar[0]) {
        participant->broker_password_file = ste_ref_path(loader, password);
        if (!participant->broker_password_file)
            return false;
    }
    return load_sends_for(loader, ste_yaml_get(node, "sends_for"), path, participant);
}

static ste_date date_of(const struct ste_yaml *node, const char *key)
{
    const char *text = ste_yaml_scalar(node, key);
    ste_date date = STE_DATE_NONE;
    bool given = text && ste_date_parse(ste_bytes_of(text), &date);
    return given ? date : STE_DATE_NONE; /* a malformed one is a fault already */
}

/* A key that could not be loaded is a fault at the line that names its file. False: out of memory.
 */
static bool load_key(struct ste_ref_loader *loader, const struct ste_yaml *node, const char *path,
                     const struct ste_participant *participant, struct ste_key *key)
{
    struct ste_error err = {0};
    struct ste_verifier *verifier = NULL;
    ste_rules_check(node, path, ste_key_rows, STE_KEY_ROW_COUNT, loader->faults);
    const char *id = ste_yaml_scalar(node, "id");
    const char *algorithm = ste_value_text(node, ste_key_rows, STE_KEY_ROW_COUNT, "algorithm");
    const struct ste_yaml *file = ste_yaml_get(node, "file");
    key->participant = participant;
    key->valid_from = date_of(node, "from");
    key->valid_to = date_of(node, "to");
    key->id = ste_arena_printf(loader->ref->arena, "%s/%s", participant->bic8, id ? id : "");
    if (!key->id)
        return false;
    if (key->valid_to != STE_DATE_NONE && key->valid_to < key->valid_from)
        ste_faults_add(loader->faults, ste_yaml_get(node, "to"), path, "to: is before from");
    if (!file || !file->scalar || !file->scalar[0] || !algorithm ||
        !ste_algorithm_of(algorithm, &key->algorithm))
        return true;
    const char *key_file = ste_ref_path(loader, file);
    if (!key_file)
        return false;
    if (ste_verifier_load(key->algorithm, key_file, &verifier, &err) != STE_OK)
        ste_faults_add(loader->faults, file, path, "file: %s", err.text);
    key->verifier = verifier;
    return err.code != STE_E_NOMEM;
}

static int compare_keys(const void *left, const void *right)
{
    const struct ste_key *a = left, *b = right;
    return strcmp(a->id, b->id);
}

static bool load_keys(struct ste_ref_loader *loader, const struct draft *drafts, size_t draft_count)
{
    struct ste_ref *ref = loader->ref;
    char path[PATH_BYTES];
    size_t capacity = 1;
    for (size_t i = 0; i < draft_count; i++) {
        const struct ste_yaml *keys = ste_yaml_get(drafts[i].node, "keys");
        capacity += keys ? keys->child_count : 0;
    }
    ref->keys = STE_ARENA_ARRAY(ref->arena, struct ste_key, capacity);
    if (!ref->keys)
        return false;
    for (size_t i = 0; i < draft_count; i++) {
        const struct ste_yaml *keys = ste_yaml_get(drafts[i].node, "keys");
        const struct ste_yaml *node = keys && keys->kind == STE_NODE_LIST ? keys->child : NULL;
        for (size_t index = 0; node; node = node->next, index++) {
            struct ste_key *key = &ref->keys[ref->key_count];
            snprintf(path, sizeof(path), "participants[%zu].keys[%zu]", drafts[i].index, index);
            if (!load_key(loader, node, path, &ref->participants[i], key))
                return false;
            ref->key_count++; /* also one without verifier: there are faults, nothing is kept */
            for (size_t other = 0; other < index; other++) {
                if (strcmp(key[-(ptrdiff_t)(other + 1)].id, key->id) == 0)
                    ste_faults_add(loader->faults, node, path, "id: stands twice");
            }
        }
    }
    qsort(ref->keys, ref->key_count, sizeof(*ref->keys), compare_keys);
    return true;
}

static int compare_drafts(const void *left, const void *right)
{
    const struct draft *a = left, *b = right;
    int order = memcmp(a->participant.bic8, b->participant.bic8, STE_BIC8_BYTES);
    return order ? order : (a->index > b->index) - (a->index < b->index);
}

/* Sorts, shows repetitions, and keeps the participants where their keys may point to them. */
static bool keep_participants(struct ste_ref_loader *loader, struct draft *drafts, size_t count)
{
    struct ste_ref *ref = loader->ref;
    char path[PATH_BYTES];
    qsort(drafts, count, sizeof(*drafts), compare_drafts);
    ref->participants = STE_ARENA_ARRAY(ref->arena, struct ste_participant, count + 1);
    if (!ref->participants)
        return false;
    for (size_t i = 0; i < count; i++) {
        ref->participants[i] = drafts[i].participant;
        snprintf(path, sizeof(path), "participants[%zu].id", drafts[i].index);
        if (i > 0 && drafts[i].participant.bic8[0] != '\0' &&
            compare_bic8(&drafts[i], &drafts[i - 1]) == 0)
            ste_faults_add(loader->faults, drafts[i].node, path, "%s stands in line %u already",
                           drafts[i].participant.bic8, drafts[i - 1].node->line);
    }
    ref->participant_count = count;
    return load_keys(loader, drafts, count);
}

static bool load_list(struct ste_ref_loader *loader, const struct ste_yaml *list)
{
    bool ok = true;
    struct draft *drafts = calloc(list->child_count + 1, sizeof(*drafts));
    size_t count = 0;
    if (!drafts)
        return false;
    for (const struct ste_yaml *node = list->child; ok && node; node = node->next, count++) {
        drafts[count].node = node;
        drafts[count].index = count;
        ok = load_participant(loader, &drafts[count]);
    }
    ok = ok && keep_participants(loader, drafts, count);
    free(drafts);
    return ok;
}

bool ste_ref_load_participants(struct ste_ref_loader *loader, const struct ste_yaml *file)
{
    static const struct ste_rule_row rows[] = {
        {.key = "participants", .type = STE_VALUE_LIST, .required = true}};
    struct ste_error err = {0};
    struct ste_tree *tree = NULL;
    if (!file || !file->scalar || !file->scalar[0])
        return true;
    const char *path = ste_ref_path(loader, file);
    if (!path)
        return false;
    enum ste_code rc = ste_tree_load(path, loader->faults, &tree, &err);
    if (rc == STE_E_FILE)
        ste_faults_add(loader->faults, file, "reference.participants", "%s", err.text);
    if (rc != STE_OK)
        return rc != STE_E_NOMEM;
    const struct ste_yaml *root = ste_tree_root(tree);
    ste_rules_check(root, "", rows, 1, loader->faults);
    const struct ste_yaml *list =
        root && root->kind == STE_NODE_MAP ? ste_yaml_get(root, "participants") : NULL;
    bool ok = !list || list->kind != STE_NODE_LIST || load_list(loader, list);
    ste_tree_free(tree);
    return ok;
}
