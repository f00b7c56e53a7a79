/* SPDX-License-Identifier: Apache-2.0
 * A small HTTP client for management interfaces: one base URL, basic auth, JSON bodies, limits. Ask
 * it from one thread. Redirects are not followed and proxies of the environment are ignored. The
 * only user of libcurl. */
#ifndef STE_HTTP_HTTP_H
#define STE_HTTP_HTTP_H

#include "base/bytes.h"
#include "base/error.h"

enum { STE_HTTP_BODY_BYTES_MAX = 16 << 20 };

enum ste_http_method { STE_HTTP_GET, STE_HTTP_PUT, STE_HTTP_POST, STE_HTTP_DELETE };

struct ste_http;

/* base_url: "http://127.0.0.1:15672", without a slash at its end. user NULL: no login. timeout_ms
 * bounds each whole request. Does not connect yet. Errors: STE_E_NOMEM, STE_E_ARGUMENT. */
STE_MUST_CHECK enum ste_code ste_http_open(const char *base_url, const char *user,
                                           const char *password, unsigned timeout_ms,
                                           struct ste_http **ret, struct ste_error *err);
void ste_http_close(struct ste_http *http); /* NULL is fine */

/* One request to base_url + path (escaped by the caller). `body`, if any, goes as application/json.
 * Any answer is success: the caller judges *ret_status; what came with it replaces the content of
 * `answer`. Blocks up to timeout_ms. Errors: STE_E_HTTP (no answer), STE_E_LIMIT (a larger answer
 * than STE_HTTP_BODY_BYTES_MAX), STE_E_NOMEM. */
STE_MUST_CHECK enum ste_code ste_http_request(struct ste_http *http, enum ste_http_method method,
                                              const char *path, struct ste_bytes body,
                                              unsigned *ret_status, struct ste_buf *answer,
                                              struct ste_error *err);

/* Appends one segment of a path: everything but A-Z a-z 0-9 - . _ ~ percent-encoded. */
void ste_http_escape(struct ste_buf *out, const char *segment);

#endif
