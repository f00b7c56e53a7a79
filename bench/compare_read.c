/* SPDX-License-Identifier: Apache-2.0
 * A result file as figures; compare.h tells the rules. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench/compare.h"

enum { PATH_BYTES = 512, LABEL_BYTES = 160 };

/* What a measurement was made with; tells rows apart and is not measured itself. */
static const char *const settings[] = {
    "batch", "batch_size", "count",  "demand",  "demand_per_s", "first",   "in_flight",
    "keys",  "messages",   "n",      "nodes",   "outstanding",  "rate",    "receivers",
    "round", "rounds",     "run",    "seconds", "seed",         "senders", "shards",
    "size",  "size_bytes", "trades", "window",  "workers",      "writers",
};
static const char *const ignored[] = {"machine", "settings"};

struct reading {
    struct ste_comparison *compare;
    enum ste_compare_side side;
    bool is_ratio;
    size_t found;
    struct ste_error *err;
};

static bool among(const char *name, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(names[i], name) == 0)
            return true;
    }
    return false;
}

static bool is_setting(const char *name)
{
    return among(name, settings, sizeof settings / sizeof *settings);
}

static enum ste_code add(struct reading *reading, const char *name, double value)
{
    reading->found++;
    return ste_compare_add(reading->compare, reading->side, reading->is_ratio, name, value,
                           reading->err);
}

/* "path.key", or "key" at the top. */
static enum ste_code join(const char *path, const char *key, char out[PATH_BYTES],
                          struct ste_error *err)
{
    int len = snprintf(out, PATH_BYTES, "%s%s%s", path, *path ? "." : "", key);
    if (len < 0 || len >= PATH_BYTES)
        return ste_error_set(err, STE_E_LIMIT, "a name of more than %d bytes", PATH_BYTES - 1);
    return STE_OK;
}

/* Texts and settings of a row, with commas; "" when it has none. */
static enum ste_code label_of(const struct ste_json *row, char out[LABEL_BYTES],
                              struct ste_error *err)
{
    size_t len = 0;
    out[0] = 0;
    for (const struct ste_json *at = ste_json_first(row); at; at = ste_json_next(at)) {
        const char *text = ste_json_text(at);
        double number = 0;
        int more = 0;
        if (text)
            more = snprintf(out + len, LABEL_BYTES - len, "%s%s", len ? "," : "", text);
        else if (is_setting(ste_json_key(at)) && ste_json_double(at, &number))
            more = snprintf(out + len, LABEL_BYTES - len, "%s%g", len ? "," : "", number);
        if (more < 0 || (size_t)more >= LABEL_BYTES - len)
            return ste_error_set(err, STE_E_LIMIT, "a row's texts of more than %d bytes",
                                 LABEL_BYTES - 1);
        len += (size_t)more;
    }
    return STE_OK;
}

static enum ste_code read_object(struct reading *reading, const char *path,
                                 const struct ste_json *object);

static enum ste_code read_item(struct reading *reading, const char *path,
                               const struct ste_json *item)
{
    char label[LABEL_BYTES], name[PATH_BYTES + LABEL_BYTES + 3];
    double value = 0;
    if (ste_json_double(item, &value))
        return add(reading, path, value);
    if (ste_json_kind(item) != STE_JSON_OBJECT)
        return STE_OK;
    enum ste_code rc = label_of(item, label, reading->err);
    if (rc != STE_OK)
        return rc;
    (void)snprintf(name, sizeof name, label[0] ? "%s[%s]" : "%s", path, label);
    return read_object(reading, name, item);
}

static enum ste_code read_member(struct reading *reading, const char *path,
                                 const struct ste_json *member)
{
    char name[PATH_BYTES];
    double value = 0;
    const char *key = ste_json_key(member);
    enum ste_code rc = join(path, key, name, reading->err);
    if (rc != STE_OK || is_setting(key))
        return rc;
    switch (ste_json_kind(member)) {
    case STE_JSON_NUMBER:
        return ste_json_double(member, &value) ? add(reading, name, value) : STE_OK;
    case STE_JSON_OBJECT:
        return read_object(reading, name, member);
    case STE_JSON_LIST:
        for (const struct ste_json *at = ste_json_first(member); at && rc == STE_OK;
             at = ste_json_next(at))
            rc = read_item(reading, name, at);
        return rc;
    default:
        return STE_OK;
    }
}

static enum ste_code read_object(struct reading *reading, const char *path,
                                 const struct ste_json *object)
{
    enum ste_code rc = STE_OK;
    for (const struct ste_json *at = ste_json_first(object); at && rc == STE_OK;
         at = ste_json_next(at))
        rc = read_member(reading, path, at);
    return rc;
}

static enum ste_code read_rounds(struct reading *reading, const struct ste_json *list,
                                 bool is_ratio)
{
    enum ste_code rc = STE_OK;
    reading->is_ratio = is_ratio;
    for (const struct ste_json *at = ste_json_first(list); at && rc == STE_OK;
         at = ste_json_next(at)) {
        if (ste_json_kind(at) == STE_JSON_OBJECT)
            rc = read_object(reading, "", at);
    }
    reading->is_ratio = false;
    return rc;
}

static bool is_ceiling(const char *name)
{
    return strstr(name, "alone") || strstr(name, "ceiling");
}

/* A positive number of a round that may stand in a ratio. */
static bool figure_of(const struct ste_json *member, double *ret)
{
    return !is_setting(ste_json_key(member)) && ste_json_kind(member) == STE_JSON_NUMBER &&
           ste_json_double(member, ret) && *ret > 0;
}

static enum ste_code make_ratios(struct reading *reading, const struct ste_json *round,
                                 const struct ste_json *ceiling, double whole)
{
    const char *below = ste_json_key(ceiling);
    enum ste_code rc = STE_OK;
    for (const struct ste_json *at = ste_json_first(round); at && rc == STE_OK;
         at = ste_json_next(at)) {
        const char *above = ste_json_key(at);
        char name[PATH_BYTES];
        double part = 0;
        if (!figure_of(at, &part) || is_ceiling(above) ||
            ste_compare_better(above) != ste_compare_better(below) || !isfinite(part / whole))
            continue;
        int len = snprintf(name, sizeof name, "%s / %s", above, below);
        if (len < 0 || len >= PATH_BYTES)
            return ste_error_set(reading->err, STE_E_LIMIT, "a name of more than %d bytes",
                                 PATH_BYTES - 1);
        rc = add(reading, name, part / whole);
    }
    return rc;
}

static enum ste_code make_all_ratios(struct reading *reading, const struct ste_json *runs)
{
    enum ste_code rc = STE_OK;
    reading->is_ratio = true;
    for (const struct ste_json *round = ste_json_first(runs); round && rc == STE_OK;
         round = ste_json_next(round)) {
        if (ste_json_kind(round) != STE_JSON_OBJECT)
            continue;
        for (const struct ste_json *at = ste_json_first(round); at && rc == STE_OK;
             at = ste_json_next(at)) {
            double whole = 0;
            if (is_ceiling(ste_json_key(at)) && figure_of(at, &whole))
                rc = make_ratios(reading, round, at, whole);
        }
    }
    reading->is_ratio = false;
    return rc;
}

static enum ste_code read_all(struct reading *reading, const struct ste_json *root)
{
    enum ste_code rc = STE_OK;
    for (const struct ste_json *at = ste_json_first(root); at && rc == STE_OK;
         at = ste_json_next(at)) {
        if (!among(ste_json_key(at), ignored, sizeof ignored / sizeof *ignored))
            rc = read_member(reading, "", at);
    }
    return rc;
}

enum ste_code ste_compare_read(struct ste_comparison *compare, enum ste_compare_side side,
                               const struct ste_json *root, struct ste_error *err)
{
    struct reading reading = {.compare = compare, .side = side, .err = err};
    const struct ste_json *runs = ste_json_get(root, "runs");
    const struct ste_json *ratios = ste_json_get(root, "ratios");
    enum ste_code rc = STE_OK;
    if (ste_json_kind(root) != STE_JSON_OBJECT)
        return ste_error_set(err, STE_E_PARSE, "a result is an object");
    if (ste_json_count(runs) + ste_json_count(ratios) == 0)
        rc = read_all(&reading, root);
    else if (ste_json_count(ratios) == 0)
        rc = make_all_ratios(&reading, runs);
    else
        rc = read_rounds(&reading, ratios, true);
    if (rc == STE_OK)
        rc = read_rounds(&reading, runs, false);
    if (rc == STE_OK && reading.found == 0)
        return ste_error_set(err, STE_E_PARSE, "no figure in it");
    return rc;
}
