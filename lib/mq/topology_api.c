/* SPDX-License-Identifier: Apache-2.0 */
#include "mq/topology_api.h"

#include <string.h>

enum { REQUEST_MS = 15000, PASSWORD_BYTES = 512 };

enum ste_code ste_api_open(const struct ste_cluster *cluster, struct ste_api *api,
                           struct ste_error *err)
{
    const struct ste_login *login = &cluster->broker.users[STE_ROLE_ADMIN];
    char password[PASSWORD_BYTES];

    *api = (struct ste_api){.user = login->user};
    if (!login->user)
        return ste_error_set(err, STE_E_CONFIG, "broker.users.admin is not in the map");
    enum ste_code rc = ste_secret_read(login->password_file, password, sizeof password, err);
    if (rc == STE_OK)
        rc = ste_http_open(cluster->broker.management, login->user, password, REQUEST_MS,
                           &api->http, err);
    explicit_bzero(password, sizeof password);
    return rc;
}

void ste_api_close(struct ste_api *api)
{
    ste_http_close(api->http);
    ste_buf_deinit(&api->answer);
    *api = (struct ste_api){0};
}

/* The broker's own words, or the start of whatever came. */
static enum ste_code refused(struct ste_api *api, const char *path, unsigned status,
                             struct ste_error *err)
{
    enum ste_code code = status >= 500 ? STE_E_HTTP : STE_E_MQ_REFUSED;
    struct ste_json *answer = NULL;
    if (status == 401 || status == 403)
        return ste_error_set(err, code,
                             "broker management refused user %s (%u): it needs its right password "
                             "and the tag administrator",
                             api->user, status);
    if (ste_json_parse(ste_buf_bytes(&api->answer), 0, &answer, NULL) != STE_OK)
        answer = NULL;
    const char *reason = ste_json_text(ste_json_get(answer, "reason"));
    if (reason)
        ste_error_set(err, code, "broker management refused %s (%u): %s", path, status, reason);
    else
        ste_error_set(err, code, "broker management refused %s (%u): %.*s", path, status,
                      (int)(api->answer.len < 200 ? api->answer.len : 200),
                      api->answer.at ? api->answer.at : "");
    ste_json_free(answer);
    return code;
}

static enum ste_code request(struct ste_api *api, enum ste_http_method method,
                             const char *const *path, struct ste_bytes body, unsigned *ret_status,
                             struct ste_error *err)
{
    enum ste_code rc;
    struct ste_buf url = {0};
    ste_buf_append_cstr(&url, "/api");
    for (size_t i = 0; path[i]; i++) {
        if (path[i][0] == '?') {
            ste_buf_append_cstr(&url, path[i]);
            continue;
        }
        ste_buf_append_cstr(&url, "/");
        ste_http_escape(&url, path[i]);
    }
    ste_buf_append(&url, "", 1);
    if (url.failed)
        rc = ste_error_set(err, STE_E_NOMEM, "no memory for a request");
    else
        rc = ste_http_request(api->http, method, url.at, body, ret_status, &api->answer, err);
    if (rc == STE_OK && *ret_status >= 300 && !(*ret_status == 404 && method == STE_HTTP_GET))
        rc = refused(api, url.at, *ret_status, err);
    ste_buf_deinit(&url);
    return rc;
}

enum ste_code ste_api_get(struct ste_api *api, const char *const *path, struct ste_json **ret,
                          struct ste_error *err)
{
    unsigned status = 0;
    enum ste_code rc = request(api, STE_HTTP_GET, path, (struct ste_bytes){0}, &status, err);
    if (rc != STE_OK)
        return rc;
    if (status == 404) {
        *ret = NULL;
        return STE_OK;
    }
    return ste_json_parse(ste_buf_bytes(&api->answer), 0, ret, err);
}

enum ste_code ste_api_send(struct ste_api *api, enum ste_http_method method,
                           const char *const *path, struct ste_bytes body, struct ste_error *err)
{
    unsigned status = 0;
    return request(api, method, path, body, &status, err);
}

bool ste_json_is(const struct ste_json *object, const char *key, const char *text)
{
    const char *found = ste_json_text(ste_json_get(object, key));
    return found && strcmp(found, text) == 0;
}

const struct ste_json *ste_reconcile_find(const struct ste_json *list, const char *key,
                                          const char *text)
{
    const struct ste_json *item = ste_json_first(list);
    while (item && !ste_json_is(item, key, text))
        item = ste_json_next(item);
    return item;
}
