/* SPDX-License-Identifier: Apache-2.0
 * What still waits in the broker, by the management API: it also counts what a consumer holds. */
#include <string.h>

#include "admin/check.h"
#include "http/http.h"
#include "json/json.h"
#include "mq/names.h"

enum { REQUEST_TIMEOUT_MS = 10000, SECRET_BYTES = 256 };

/* Queues on the way from the submitter to a shard, and ste.cls. What is for participants and
 * operators to read (ste.reply.*, ste.exception) may rest where it is. */
static bool is_on_the_way(const char *name)
{
    static const char *const whole[] = {STE_QUEUE_IN, STE_QUEUE_CLS, STE_QUEUE_DEAD};
    for (size_t i = 0; i < sizeof(whole) / sizeof(whole[0]); i++) {
        if (strcmp(name, whole[i]) == 0)
            return true;
    }
    if (strncmp(name, "ste.suspect.", strlen("ste.suspect.")) == 0)
        return true;
    for (size_t i = 0; i < sizeof(ste_queue_types) / sizeof(ste_queue_types[0]); i++) {
        size_t len = strlen(ste_queue_types[i]);
        if (strncmp(name, "ste.", 4) == 0 && strncmp(name + 4, ste_queue_types[i], len) == 0 &&
            name[4 + len] == '.')
            return true;
    }
    return false;
}

static enum ste_code sum_queues(struct ste_bytes answer, uint64_t *ret_messages,
                                struct ste_error *err)
{
    struct ste_json *root = NULL;
    uint64_t sum = 0;
    bool in_seen = false;
    enum ste_code rc = ste_json_parse(answer, 0, &root, err);
    if (rc != STE_OK)
        return rc;
    for (const struct ste_json *queue = ste_json_first(root); queue; queue = ste_json_next(queue)) {
        const char *name = ste_json_text(ste_json_get(queue, "name"));
        uint64_t messages = 0;
        if (!name || !is_on_the_way(name))
            continue;
        /* A queue that was made just now has no count yet, and no messages either. */
        if (ste_json_uint(ste_json_get(queue, "messages"), &messages))
            sum += messages;
        in_seen = in_seen || strcmp(name, STE_QUEUE_IN) == 0;
    }
    ste_json_free(root);
    if (!in_seen)
        return ste_error_set(err, STE_E_HTTP, "the broker has no queue %s: run ste-admin topology",
                             STE_QUEUE_IN);
    *ret_messages = sum;
    return STE_OK;
}

enum ste_code ste_check_read_queues(const struct ste_cluster *cluster, uint64_t *ret_messages,
                                    struct ste_error *err)
{
    const struct ste_login *login = &cluster->broker.users[STE_ROLE_ADMIN];
    char secret[SECRET_BYTES];
    struct ste_http *http = NULL;
    struct ste_buf path = {0}, answer = {0};
    unsigned status = 0;
    enum ste_code rc = ste_secret_read(login->password_file, secret, sizeof(secret), err);
    if (rc != STE_OK)
        return rc;
    rc = ste_http_open(cluster->broker.management, login->user, secret, REQUEST_TIMEOUT_MS, &http,
                       err);
    explicit_bzero(secret, sizeof(secret));
    if (rc != STE_OK)
        goto out;
    ste_buf_append_cstr(&path, "/api/queues/");
    ste_http_escape(&path, cluster->broker.vhost);
    ste_buf_append_cstr(&path, "?columns=name,messages");
    ste_buf_u8(&path, '\0');
    if (path.failed) {
        rc = ste_error_set(err, STE_E_NOMEM, "no memory for a request");
        goto out;
    }
    rc = ste_http_request(http, STE_HTTP_GET, path.at, (struct ste_bytes){NULL, 0}, &status,
                          &answer, err);
    if (rc == STE_OK && status != 200)
        rc = ste_error_set(err, STE_E_HTTP, "the broker answers %u to %s", status, path.at);
    if (rc == STE_OK)
        rc = sum_queues(ste_buf_bytes(&answer), ret_messages, err);
out:
    ste_http_close(http);
    ste_buf_deinit(&path);
    ste_buf_deinit(&answer);
    return rc;
}
