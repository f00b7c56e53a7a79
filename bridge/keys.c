/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bridge/submit.h"

static enum ste_code load(const char *dir, const struct ste_key *key, struct ste_signing_key *ret,
                          struct ste_error *err)
{
    char path[4096];
    snprintf(path, sizeof(path), "%s/%s", dir, key->id);
    struct ste_signer *signer = NULL;
    const enum ste_code rc = ste_signer_load(key->algorithm, path, &signer, err);
    if (rc == STE_OK)
        *ret = (struct ste_signing_key){.key = key, .signer = signer};
    return rc;
}

enum ste_code ste_keyring_open(struct ste_keyring *ring, const struct ste_cluster *cluster,
                               const struct ste_ref *ref, const struct ste_submit_options *options,
                               struct ste_error *err)
{
    *ring = (struct ste_keyring){.ref = ref, .business_date = cluster->business_date};
    ring->dir = options->keys_dir != NULL ? options->keys_dir : cluster->submit_keys_dir;
    if (ring->dir == NULL)
        return ste_error_set(err, STE_E_CONFIG, "no folder of keys: submit.keys, or --keys");
    if (options->keys_dir != NULL)
        return STE_OK;
    const char *const hub = options->hub != NULL ? options->hub : cluster->submit_hub;
    if (hub == NULL)
        return ste_error_set(err, STE_E_CONFIG, "no key: submit.hub, --hub or --keys");
    const struct ste_key *const key = ste_ref_key(ref, ste_bytes_of(hub));
    if (key == NULL)
        return ste_error_set(err, STE_E_CONFIG, "no key %s in the participants file", hub);
    return load(ring->dir, key, &ring->hub, err);
}

void ste_keyring_close(struct ste_keyring *ring)
{
    ste_signer_free(ring->hub.signer);
    for (size_t i = 0; i < ring->own_count; i++) {
        ste_signer_free(ring->own[i]->signer);
        free(ring->own[i]);
    }
    free(ring->own);
    *ring = (struct ste_keyring){0};
}

static bool valid_on(const struct ste_key *key, ste_date date)
{
    return (key->valid_from == STE_DATE_NONE || key->valid_from <= date) &&
           (key->valid_to == STE_DATE_NONE || key->valid_to >= date);
}

/* The first key of the participant (NULL: of anybody) that is valid and whose private half is in
 * the folder. */
static const struct ste_key *find_key(const struct ste_keyring *ring,
                                      const struct ste_participant *participant)
{
    const struct ste_key *keys = NULL;
    const size_t count = ste_ref_keys(ring->ref, &keys);
    for (size_t i = 0; i < count; i++) {
        char path[4096];
        snprintf(path, sizeof(path), "%s/%s", ring->dir, keys[i].id);
        if ((participant == NULL || keys[i].participant == participant) &&
            keys[i].participant->active && valid_on(&keys[i], ring->business_date) &&
            access(path, R_OK) == 0)
            return &keys[i];
    }
    return NULL;
}

/* Each stays where it is while others are added. */
static enum ste_code add_key(struct ste_keyring *ring, const struct ste_key *key,
                             const struct ste_signing_key **ret, struct ste_error *err)
{
    void *const own = realloc(ring->own, (ring->own_count + 1) * sizeof(*ring->own));
    if (own != NULL)
        ring->own = own;
    struct ste_signing_key *const mine = own != NULL ? calloc(1, sizeof(*mine)) : NULL;
    if (mine == NULL)
        return ste_error_set(err, STE_E_NOMEM, "could not keep a key");
    const enum ste_code rc = load(ring->dir, key, mine, err);
    if (rc != STE_OK) {
        free(mine);
        return rc;
    }
    ring->own[ring->own_count++] = mine;
    *ret = mine;
    return STE_OK;
}

enum ste_code ste_keyring_pick(struct ste_keyring *ring, struct ste_bytes sender,
                               const struct ste_signing_key **ret, struct ste_error *err)
{
    if (ring->hub.signer != NULL) {
        *ret = &ring->hub;
        return STE_OK;
    }
    const struct ste_participant *const participant = ste_ref_participant(ring->ref, sender);
    for (size_t i = 0; i < ring->own_count; i++) {
        if (participant == NULL || ring->own[i]->key->participant == participant) {
            *ret = ring->own[i];
            return STE_OK;
        }
    }
    const struct ste_key *const key = find_key(ring, participant);
    if (key == NULL)
        return ste_error_set(err, STE_E_SIGNATURE, "no key for sender %.*s in %s", (int)sender.len,
                             sender.len > 0 ? sender.at : "", ring->dir);
    return add_key(ring, key, ret, err);
}
