/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/gen_data.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GEN_SETTLEMENT_DAYS = 2 };

/* The snapshot answers look-ups only; 17,576 and 676 of them find every code in order. */
static void find_currencies(const struct ste_ref *ref, struct ste_gen_data *data)
{
    for (unsigned i = 0; i < 26 * 26 * 26 && data->currency_count < STE_GEN_CURRENCIES_MAX; i++) {
        char code[3] = {(char)('A' + i / 676), (char)('A' + i / 26 % 26), (char)('A' + i % 26)};
        const struct ste_currency *found =
            ste_ref_currency(ref, (struct ste_bytes){code, sizeof code});
        if (found)
            data->currencies[data->currency_count++] = *found;
    }
}

static void find_countries(const struct ste_ref *ref, struct ste_gen_data *data)
{
    for (unsigned i = 0; i < STE_GEN_COUNTRIES_MAX; i++) {
        char code[3] = {(char)('A' + i / 26), (char)('A' + i % 26), 0};
        if (ste_ref_country(ref, (struct ste_bytes){code, 2}))
            memcpy(data->countries[data->country_count++], code, sizeof code);
    }
}

/* A lab's participants generated for load are named L<role>…; where there are none, all with the
 * role take part. So load never fills the queues of the participants that tests speak for. */
static bool is_for_load(const struct ste_participant *participant, char letter)
{
    return participant->bic8[0] == 'L' && participant->bic8[1] == letter;
}

static enum ste_code find_parties(const struct ste_ref *ref, unsigned role, char letter,
                                  const char *what, struct ste_gen_parties *parties,
                                  struct ste_error *err)
{
    const struct ste_participant *all = NULL;
    size_t count = ste_ref_participants(ref, &all);
    parties->list = calloc(count + 1, sizeof *parties->list);
    if (!parties->list)
        return ste_error_set(err, STE_E_NOMEM, "out of memory");
    for (int for_load = 1; for_load >= 0 && parties->count == 0; for_load--) {
        for (size_t i = 0; i < count; i++) {
            if (all[i].active && (all[i].roles & role) && !all[i].sends_for_all &&
                (!for_load || is_for_load(&all[i], letter)))
                memcpy(parties->list[parties->count++].bic8, all[i].bic8, STE_BIC8_BYTES + 1);
        }
    }
    if (parties->count == 0)
        return ste_error_set(err, STE_E_CONFIG, "the participants file has no %s", what);
    return STE_OK;
}

/* Depositories whose country has a calendar: a trade settles on one of their business days. */
static enum ste_code find_places(const struct ste_ref *ref, struct ste_gen_data *data,
                                 struct ste_error *err)
{
    const struct ste_participant *all = NULL;
    size_t count = ste_ref_participants(ref, &all);
    for (size_t i = 0; i < count && data->place_count < STE_GEN_PLACES_MAX; i++) {
        if (!all[i].active || !(all[i].roles & STE_PARTICIPANT_CSD))
            continue;
        struct ste_gen_place *place = &data->places[data->place_count];
        struct ste_bytes country = {all[i].bic8 + 4, 2};
        place->settlement_date =
            ste_ref_business_add(ref, country, data->trade_date, GEN_SETTLEMENT_DAYS);
        if (place->settlement_date == STE_DATE_NONE)
            continue;
        place->later_date =
            ste_ref_business_add(ref, country, data->trade_date, GEN_SETTLEMENT_DAYS + 1);
        memcpy(place->bic8, all[i].bic8, sizeof place->bic8);
        data->place_count++;
    }
    if (data->place_count == 0)
        return ste_error_set(err, STE_E_CONFIG,
                             "the participants file has no csd whose country has a calendar");
    return STE_OK;
}

static bool add_isin(struct ste_gen_isins *isins, struct ste_bytes isin)
{
    /* Grows at 0, 64, 128, 256 …: whenever the count is a power of two that is large enough. */
    if (isins->count == 0 || (isins->count >= 64 && (isins->count & (isins->count - 1)) == 0)) {
        size_t capacity = isins->count ? isins->count * 2 : 64;
        void *more = realloc(isins->list, capacity * sizeof isins->list[0]);
        if (!more)
            return false;
        isins->list = more;
    }
    memcpy(isins->list[isins->count], isin.at, STE_GEN_ISIN_BYTES);
    isins->list[isins->count++][STE_GEN_ISIN_BYTES] = '\0';
    return true;
}

/* The first column of each line, where it is an ISIN that the snapshot knows; the second says FAMT
 * for a bond. */
static enum ste_code read_isins(FILE *file, const struct ste_ref *ref, struct ste_gen_data *data,
                                struct ste_error *err)
{
    char *line = NULL;
    size_t line_bytes = 0;
    enum ste_code rc = STE_OK;
    while (rc == STE_OK && getline(&line, &line_bytes, file) > 0) {
        struct ste_bytes isin = {line, strcspn(line, ",\r\n")};
        if (!ste_is_isin(isin) || !ste_ref_instrument(ref, isin))
            continue;
        bool bond = strncmp(line + isin.len, ",FAMT", 5) == 0;
        if (!add_isin(bond ? &data->bonds : &data->shares, isin))
            rc = ste_error_set(err, STE_E_NOMEM, "out of memory");
    }
    free(line);
    if (rc == STE_OK && data->shares.count + data->bonds.count == 0)
        rc = ste_error_set(err, STE_E_CONFIG, "the instruments file has no valid ISIN");
    return rc;
}

static enum ste_code find_isins(const struct ste_cluster *cluster, const struct ste_ref *ref,
                                struct ste_gen_data *data, struct ste_error *err)
{
    const struct ste_yaml *section = ste_yaml_get(ste_cluster_tree(cluster), "reference");
    const char *name = section ? ste_yaml_scalar(section, "instruments") : NULL;
    if (!name)
        return ste_error_set(err, STE_E_CONFIG, "the map names no reference.instruments");
    char *path = NULL;
    if (asprintf(&path, "%s%s%s", name[0] == '/' ? "" : cluster->folder, name[0] == '/' ? "" : "/",
                 name) < 0)
        return ste_error_set(err, STE_E_NOMEM, "out of memory");
    FILE *file = fopen(path, "re");
    enum ste_code rc =
        file ? read_isins(file, ref, data, err)
             : ste_error_set(err, STE_E_FILE, "could not open %s: %s", path, strerror(errno));
    if (file)
        (void)fclose(file);
    free(path);
    return rc;
}

enum ste_code ste_gen_data_load(const struct ste_cluster *cluster, const struct ste_ref *ref,
                                struct ste_gen_data *ret, struct ste_error *err)
{
    *ret = (struct ste_gen_data){.trade_date = cluster->business_date};
    find_currencies(ref, ret);
    find_countries(ref, ret);
    enum ste_code rc = STE_OK;
    if (ret->currency_count == 0 || ret->country_count == 0)
        rc = ste_error_set(err, STE_E_CONFIG, "the reference data have no currency or no country");
    if (rc == STE_OK)
        rc = find_isins(cluster, ref, ret, err);
    if (rc == STE_OK)
        rc = find_parties(ref, STE_PARTICIPANT_BROKER, 'B', "broker", &ret->brokers, err);
    if (rc == STE_OK)
        rc = find_parties(ref, STE_PARTICIPANT_MANAGER, 'M', "manager", &ret->managers, err);
    if (rc == STE_OK)
        rc = find_parties(ref, STE_PARTICIPANT_CUSTODIAN, 'C', "custodian", &ret->custodians, err);
    if (rc == STE_OK)
        rc = find_places(ref, ret, err);
    if (rc != STE_OK)
        ste_gen_data_deinit(ret);
    return rc;
}

void ste_gen_data_deinit(struct ste_gen_data *data)
{
    free(data->shares.list);
    free(data->bonds.list);
    free(data->brokers.list);
    free(data->managers.list);
    free(data->custodians.list);
    *data = (struct ste_gen_data){0};
}
