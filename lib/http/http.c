/* SPDX-License-Identifier: Apache-2.0 */
#include "http/http.h"

#include <curl/curl.h>
#include <stdlib.h>
#include <string.h>

struct ste_http {
    CURL *curl;
    struct curl_slist *headers;
    char *base_url;
    char fault[CURL_ERROR_SIZE];
    struct ste_buf *answer; /* of the request in hand */
    bool too_large;
};

/* Called by libcurl; a return other than the size ends the transfer. */
static size_t take(char *data, size_t one, size_t len, void *context)
{
    struct ste_http *http = context;
    (void)one; /* always 1 */
    if (http->answer->len + len > STE_HTTP_BODY_BYTES_MAX) {
        http->too_large = true;
        return 0;
    }
    ste_buf_append(http->answer, data, len);
    return http->answer->failed ? 0 : len;
}

static bool set_options(struct ste_http *http, const char *user, const char *password,
                        unsigned timeout_ms)
{
    CURL *curl = http->curl;
    CURLcode set = curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, http->fault);
    if (set == CURLE_OK)
        set = curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
    if (set == CURLE_OK)
        set = curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
    if (set == CURLE_OK)
        set = curl_easy_setopt(curl, CURLOPT_NOPROXY, "*");
    if (set == CURLE_OK)
        set = curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, (long)timeout_ms);
    if (set == CURLE_OK)
        set = curl_easy_setopt(curl, CURLOPT_HTTPHEADER, http->headers);
    if (set == CURLE_OK)
        set = curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, take);
    if (set == CURLE_OK)
        set = curl_easy_setopt(curl, CURLOPT_WRITEDATA, http);
    if (set == CURLE_OK && user)
        set = curl_easy_setopt(curl, CURLOPT_HTTPAUTH, (long)CURLAUTH_BASIC);
    if (set == CURLE_OK && user)
        set = curl_easy_setopt(curl, CURLOPT_USERNAME, user);
    if (set == CURLE_OK && user)
        set = curl_easy_setopt(curl, CURLOPT_PASSWORD, password);
    return set == CURLE_OK;
}

enum ste_code ste_http_open(const char *base_url, const char *user, const char *password,
                            unsigned timeout_ms, struct ste_http **ret, struct ste_error *err)
{
    struct ste_http *http = calloc(1, sizeof *http);
    if (http) {
        http->curl = curl_easy_init();
        http->base_url = strdup(base_url);
        http->headers = curl_slist_append(NULL, "Content-Type: application/json");
    }
    if (!http || !http->curl || !http->base_url || !http->headers ||
        !set_options(http, user, password, timeout_ms)) {
        ste_http_close(http);
        return ste_error_set(err, STE_E_NOMEM, "no memory for an http client");
    }
    *ret = http;
    return STE_OK;
}

void ste_http_close(struct ste_http *http)
{
    if (!http)
        return;
    curl_easy_cleanup(http->curl);
    curl_slist_free_all(http->headers);
    free(http->base_url);
    free(http);
}

static const char *method_name(enum ste_http_method method)
{
    switch (method) {
    case STE_HTTP_GET:
        return "GET";
    case STE_HTTP_PUT:
        return "PUT";
    case STE_HTTP_POST:
        return "POST";
    case STE_HTTP_DELETE:
        return "DELETE";
    }
    return "GET";
}

/* The body is borrowed by libcurl until the request is over. */
static bool set_request(struct ste_http *http, enum ste_http_method method, const char *url,
                        struct ste_bytes body)
{
    CURL *curl = http->curl;
    CURLcode set = curl_easy_setopt(curl, CURLOPT_URL, url);
    if (set == CURLE_OK && method == STE_HTTP_GET && body.len == 0)
        set = curl_easy_setopt(curl, CURLOPT_HTTPGET, 1L);
    else if (set == CURLE_OK)
        set = curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)body.len);
    if (set == CURLE_OK && (method != STE_HTTP_GET || body.len > 0))
        set = curl_easy_setopt(curl, CURLOPT_POSTFIELDS, body.len > 0 ? body.at : "");
    if (set == CURLE_OK)
        set = curl_easy_setopt(curl, CURLOPT_CUSTOMREQUEST, method_name(method));
    return set == CURLE_OK;
}

enum ste_code ste_http_request(struct ste_http *http, enum ste_http_method method, const char *path,
                               struct ste_bytes body, unsigned *ret_status, struct ste_buf *answer,
                               struct ste_error *err)
{
    enum ste_code rc = STE_OK;
    struct ste_buf url = {0};
    long status = 0;

    ste_buf_append_cstr(&url, http->base_url);
    ste_buf_append_cstr(&url, path);
    ste_buf_append(&url, "", 1);
    ste_buf_clear(answer);
    http->answer = answer;
    http->too_large = false;
    http->fault[0] = '\0';
    if (url.failed || !set_request(http, method, url.at, body)) {
        rc = ste_error_set(err, STE_E_NOMEM, "no memory for an http request");
        goto out;
    }
    CURLcode done = curl_easy_perform(http->curl);
    if (http->too_large)
        rc = ste_error_set(err, STE_E_LIMIT, "answer of %s is larger than %d bytes", url.at,
                           STE_HTTP_BODY_BYTES_MAX);
    else if (answer->failed)
        rc = ste_error_set(err, STE_E_NOMEM, "no memory for the answer of %s", url.at);
    else if (done != CURLE_OK)
        rc = ste_error_set(err, STE_E_HTTP, "could not %s %s: %s", method_name(method), url.at,
                           http->fault[0] ? http->fault : curl_easy_strerror(done));
    else if (curl_easy_getinfo(http->curl, CURLINFO_RESPONSE_CODE, &status) != CURLE_OK)
        rc = ste_error_set(err, STE_E_HTTP, "no status from %s", url.at);
    else
        *ret_status = (unsigned)status;
out:
    http->answer = NULL;
    ste_buf_deinit(&url);
    return rc;
}

void ste_http_escape(struct ste_buf *out, const char *segment)
{
    static const char plain[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~";
    for (; *segment; segment++) {
        if (strchr(plain, *segment))
            ste_buf_append(out, segment, 1);
        else
            ste_buf_printf(out, "%%%02X", (unsigned char)*segment);
    }
}
