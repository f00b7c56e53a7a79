/* SPDX-License-Identifier: Apache-2.0
 * One pass over the bytes sets the limits before cJSON, which is recursive, sees them. */
#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"
#include "json/json.h"

static const cJSON *node_of(const struct ste_json *node)
{
    return (const cJSON *)node;
}

static enum ste_code refuse(struct ste_error *err, enum ste_code code, size_t offset,
                            const char *text)
{
    char place[32];
    snprintf(place, sizeof(place), "byte %zu", offset);
    return ste_error_at(err, code, place, "json: %s", text);
}

/* UTF-8, nesting and NULs; whether it is JSON is cJSON's business. */
static enum ste_code scan(struct ste_bytes text, struct ste_error *err)
{
    bool in_text = false;
    unsigned depth = 0;
    size_t at = 0;
    while (at < text.len) {
        size_t len = ste_utf8_bytes(text.at + at, text.at + text.len);
        char c = text.at[at];
        if (len == 0)
            return refuse(err, STE_E_PARSE, at, "not utf-8");
        if (c == '\0')
            return refuse(err, STE_E_PARSE, at, "a nul byte");
        if (in_text && c == '\\') {
            if (text.len - at >= 6 && memcmp(text.at + at + 1, "u0000", 5) == 0)
                return refuse(err, STE_E_PARSE, at, "a nul character");
            len = text.len - at >= 2 && text.at[at + 1] > 0 ? 2 : 1;
        } else if (c == '"') {
            in_text = !in_text;
        } else if (!in_text && (c == '{' || c == '[')) {
            if (++depth > STE_JSON_DEPTH_MAX)
                return refuse(err, STE_E_LIMIT, at, "nested too deep");
        } else if (!in_text && (c == '}' || c == ']')) {
            depth -= depth > 0;
        }
        at += len;
    }
    return STE_OK;
}

enum ste_code ste_json_parse(struct ste_bytes text, size_t max_bytes, struct ste_json **ret,
                             struct ste_error *err)
{
    size_t limit = max_bytes && max_bytes < STE_JSON_BYTES_MAX ? max_bytes : STE_JSON_BYTES_MAX;
    const char *end = NULL;
    if (text.len > limit)
        return refuse(err, STE_E_LIMIT, limit, "too large");
    enum ste_code rc = scan(text, err);
    if (rc != STE_OK)
        return rc;
    const char *start = text.at ? text.at : "";
    cJSON *root = cJSON_ParseWithLengthOpts(start, text.len, &end, false);
    size_t offset = end ? (size_t)(end - start) : 0;
    if (!root)
        return refuse(err, STE_E_PARSE, offset, "malformed");
    struct ste_bytes rest = {start + offset, text.len - offset};
    if (ste_bytes_trim(rest).len > 0) {
        cJSON_Delete(root);
        return refuse(err, STE_E_PARSE, offset, "something follows the document");
    }
    *ret = (struct ste_json *)root;
    return STE_OK;
}

void ste_json_free(struct ste_json *root)
{
    cJSON_Delete((cJSON *)root);
}

enum ste_json_kind ste_json_kind(const struct ste_json *node)
{
    const cJSON *item = node_of(node);
    if (cJSON_IsBool(item))
        return STE_JSON_BOOL;
    if (cJSON_IsNumber(item))
        return STE_JSON_NUMBER;
    if (cJSON_IsString(item))
        return STE_JSON_TEXT;
    if (cJSON_IsArray(item))
        return STE_JSON_LIST;
    return cJSON_IsObject(item) ? STE_JSON_OBJECT : STE_JSON_NULL;
}

const struct ste_json *ste_json_get(const struct ste_json *object, const char *key)
{
    if (!cJSON_IsObject(node_of(object)))
        return NULL;
    return (const struct ste_json *)cJSON_GetObjectItemCaseSensitive(node_of(object), key);
}

const struct ste_json *ste_json_first(const struct ste_json *node)
{
    enum ste_json_kind kind = ste_json_kind(node);
    if (kind != STE_JSON_LIST && kind != STE_JSON_OBJECT)
        return NULL;
    return (const struct ste_json *)node_of(node)->child;
}

const struct ste_json *ste_json_next(const struct ste_json *node)
{
    return node ? (const struct ste_json *)node_of(node)->next : NULL;
}

size_t ste_json_count(const struct ste_json *node)
{
    size_t count = 0;
    for (const struct ste_json *child = ste_json_first(node); child; child = ste_json_next(child))
        count++;
    return count;
}

const char *ste_json_key(const struct ste_json *node)
{
    return node ? node_of(node)->string : NULL;
}

const char *ste_json_text(const struct ste_json *node)
{
    return cJSON_IsString(node_of(node)) ? node_of(node)->valuestring : NULL;
}

bool ste_json_uint(const struct ste_json *node, uint64_t *ret)
{
    const cJSON *item = node_of(node);
    if (cJSON_IsString(item))
        return ste_bytes_u64(ste_bytes_of(item->valuestring), ret);
    if (!cJSON_IsNumber(item) || !(item->valuedouble >= 0) ||
        item->valuedouble > (double)STE_JSON_INTEGER_MAX ||
        item->valuedouble != floor(item->valuedouble))
        return false;
    *ret = (uint64_t)item->valuedouble;
    return true;
}

bool ste_json_double(const struct ste_json *node, double *ret)
{
    if (!cJSON_IsNumber(node_of(node)) || !isfinite(node_of(node)->valuedouble))
        return false;
    *ret = node_of(node)->valuedouble;
    return true;
}

bool ste_json_bool(const struct ste_json *node, bool *ret)
{
    if (!cJSON_IsBool(node_of(node)))
        return false;
    *ret = cJSON_IsTrue(node_of(node));
    return true;
}
