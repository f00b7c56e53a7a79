/* SPDX-License-Identifier: Apache-2.0
 * The endpoint: libmicrohttpd with one thread of its own, on loopback, a few short connections. */
#include "obs/internal.h"

#include <arpa/inet.h>
#include <errno.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    CONNECTIONS_MAX = 16,
    CONNECTIONS_PER_ADDRESS_MAX = 8,
    CONNECTION_MEMORY_BYTES = 16 * 1024,
    IDLE_S = 5,
    LINE_BYTES = 64, /* cache line: workers do not share one */
};

struct ste_obs {
    struct MHD_Daemon *daemon;
    char *proc, *name;
    unsigned port;
    uint64_t started_s;
    size_t worker_count;
    struct ste_obs_worker *workers[];
};

void ste_obs_not_ready(struct ste_obs_worker *worker, const char *reason)
{
    atomic_store_explicit(&worker->not_ready, reason, memory_order_release);
}

struct ste_obs_worker *ste_obs_worker(struct ste_obs *obs, size_t index)
{
    return obs->workers[index];
}

unsigned ste_obs_port(const struct ste_obs *obs)
{
    return obs->port;
}

/* Takes the buffer. */
static enum MHD_Result answer(struct MHD_Connection *connection, unsigned status, const char *type,
                              struct ste_buf *body)
{
    if (body->failed) {
        ste_buf_deinit(body);
        return MHD_NO; /* closes the connection */
    }
    struct MHD_Response *response =
        MHD_create_response_from_buffer(body->len, body->at, MHD_RESPMEM_MUST_FREE);
    if (!response) {
        ste_buf_deinit(body);
        return MHD_NO;
    }
    enum MHD_Result done = MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, type);
    if (done == MHD_YES)
        done = MHD_queue_response(connection, status, response);
    MHD_destroy_response(response);
    return done;
}

static enum MHD_Result handle(void *context, struct MHD_Connection *connection, const char *url,
                              const char *method, const char *version, const char *upload,
                              size_t *upload_bytes, void **request)
{
    struct ste_obs *obs = context;
    struct ste_buf body = {0};
    unsigned status = MHD_HTTP_OK;
    const char *type = "text/plain; charset=utf-8";
    (void)version;
    (void)upload;
    (void)request;

    if (*upload_bytes > 0 ||
        (strcmp(method, MHD_HTTP_METHOD_GET) != 0 && strcmp(method, MHD_HTTP_METHOD_HEAD) != 0)) {
        *upload_bytes = 0;
        status = MHD_HTTP_METHOD_NOT_ALLOWED;
        ste_buf_append_cstr(&body, "only GET\n");
    } else if (strcmp(url, "/metrics") == 0) {
        type = "text/plain; version=0.0.4; charset=utf-8";
        ste_obs_write_text(&body, obs->proc, obs->name, obs->workers, obs->worker_count);
        ste_obs_write_process(&body, obs->proc, obs->name, obs->started_s);
    } else if (strcmp(url, "/livez") == 0) {
        ste_buf_append_cstr(&body, "ok\n");
    } else if (strcmp(url, "/readyz") == 0) {
        if (ste_obs_write_reasons(&body, obs->workers, obs->worker_count))
            ste_buf_append_cstr(&body, "ok\n");
        else
            status = MHD_HTTP_SERVICE_UNAVAILABLE;
    } else {
        status = MHD_HTTP_NOT_FOUND;
        ste_buf_append_cstr(&body, "/metrics /livez /readyz\n");
    }
    return answer(connection, status, type, &body);
}

static enum ste_code listen_on(struct ste_obs *obs, unsigned port, struct ste_error *err)
{
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_port = htons((uint16_t)port),
                                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    obs->daemon = MHD_start_daemon(
        MHD_USE_EPOLL_INTERNAL_THREAD, 0, NULL, NULL, handle, obs, MHD_OPTION_SOCK_ADDR, &address,
        MHD_OPTION_CONNECTION_LIMIT, (unsigned)CONNECTIONS_MAX, MHD_OPTION_PER_IP_CONNECTION_LIMIT,
        (unsigned)CONNECTIONS_PER_ADDRESS_MAX, MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)IDLE_S,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)CONNECTION_MEMORY_BYTES, MHD_OPTION_END);
    if (!obs->daemon)
        return ste_error_set(err, STE_E_CONFIG, "could not listen on 127.0.0.1:%u: %s", port,
                             strerror(errno));
    const union MHD_DaemonInfo *bound = MHD_get_daemon_info(obs->daemon, MHD_DAEMON_INFO_BIND_PORT);
    obs->port = bound ? bound->port : port;
    return STE_OK;
}

static bool add_workers(struct ste_obs *obs, size_t count)
{
    size_t bytes = (sizeof(struct ste_obs_worker) + LINE_BYTES - 1) / LINE_BYTES * LINE_BYTES;
    for (; obs->worker_count < count; obs->worker_count++) {
        struct ste_obs_worker *worker = aligned_alloc(LINE_BYTES, bytes);
        if (!worker)
            return false;
        memset(worker, 0, bytes);
        snprintf(worker->labels, sizeof worker->labels, "worker=\"%zu\"", obs->worker_count);
        obs->workers[obs->worker_count] = worker;
    }
    return true;
}

enum ste_code ste_obs_start(const char *proc, const char *name, unsigned port, size_t worker_count,
                            struct ste_obs **ret, struct ste_error *err)
{
    enum ste_code rc;
    struct ste_obs *obs = calloc(1, sizeof *obs + worker_count * sizeof *obs->workers);
    if (obs) {
        obs->proc = strdup(proc);
        obs->name = strdup(name);
        obs->started_s = ste_obs_started_s();
    }
    if (!obs || !obs->proc || !obs->name || !add_workers(obs, worker_count))
        rc = ste_error_set(err, STE_E_NOMEM, "no memory for metrics");
    else
        rc = listen_on(obs, port, err);
    if (rc == STE_OK)
        *ret = obs;
    else
        ste_obs_stop(obs);
    return rc;
}

void ste_obs_stop(struct ste_obs *obs)
{
    if (!obs)
        return;
    if (obs->daemon)
        MHD_stop_daemon(obs->daemon);
    for (size_t i = 0; i < obs->worker_count; i++)
        free(obs->workers[i]);
    free(obs->proc);
    free(obs->name);
    free(obs);
}
