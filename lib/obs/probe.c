/* SPDX-License-Identifier: Apache-2.0
 * The `--health` of a daemon: asks a running one on loopback. */
#include "obs/obs.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

enum { ANSWER_BYTES = 8192, PROBE_S = 2 };

static enum ste_code talk(int fd, unsigned port, char *answer, struct ste_error *err)
{
    static const char request[] = "GET /readyz HTTP/1.0\r\nHost: localhost\r\n\r\n";
    struct timeval limit = {.tv_sec = PROBE_S};
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_port = htons((uint16_t)port),
                                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    size_t len = 0;

    if (setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit) != 0 ||
        setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit) != 0 ||
        connect(fd, (struct sockaddr *)&address, sizeof address) != 0 ||
        send(fd, request, sizeof request - 1, MSG_NOSIGNAL) != (ssize_t)sizeof request - 1)
        return ste_error_set(err, STE_E_HTTP, "could not ask 127.0.0.1:%u: %s", port,
                             strerror(errno));
    for (;;) {
        ssize_t got = recv(fd, answer + len, ANSWER_BYTES - 1 - len, 0);
        if (got < 0)
            return ste_error_set(err, STE_E_HTTP, "no answer from 127.0.0.1:%u: %s", port,
                                 strerror(errno));
        if (got == 0)
            break;
        len += (size_t)got;
    }
    answer[len] = '\0';
    return STE_OK;
}

/* The reasons are the body of a 503. */
static enum ste_code judge(const char *answer, unsigned port, char *reasons, size_t reasons_bytes,
                           struct ste_error *err)
{
    unsigned status = 0;
    const char *body = strstr(answer, "\r\n\r\n");
    if (sscanf(answer, "HTTP/%*[0-9.] %3u", &status) != 1 || !body)
        return ste_error_set(err, STE_E_HTTP, "127.0.0.1:%u answered what is not HTTP", port);
    snprintf(reasons, reasons_bytes, "%s", status == 200 ? "" : body + 4);
    if (status == 200)
        return STE_OK;
    return ste_error_set(err, STE_E_HTTP, "127.0.0.1:%u answered %u", port, status);
}

enum ste_code ste_obs_probe(unsigned port, char *reasons, size_t reasons_bytes,
                            struct ste_error *err)
{
    char answer[ANSWER_BYTES];
    if (reasons_bytes > 0)
        reasons[0] = '\0';
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return ste_error_set(err, STE_E_HTTP, "could not open a socket: %s", strerror(errno));
    enum ste_code rc = talk(fd, port, answer, err);
    close(fd);
    return rc == STE_OK ? judge(answer, port, reasons, reasons_bytes, err) : rc;
}
