/* SPDX-License-Identifier: Apache-2.0
 * HTTP/1.0: the answer ends where the connection does. */
#include "bench/scrape.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"

enum { SCRAPES_MAX = 256, READ_BYTES = 16 << 10, ANSWER_BYTES_MAX = 4 << 20 };

static void end(struct ste_scrape *scrape, enum ste_code result)
{
    scrape->result = result;
    if (scrape->fd >= 0)
        (void)close(scrape->fd);
    scrape->fd = -1;
}

static void start(struct ste_scrape *scrape)
{
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_port = htons((uint16_t)scrape->port),
                                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    ste_buf_clear(&scrape->answer);
    scrape->page = (struct ste_bytes){0};
    scrape->sent = false;
    scrape->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (scrape->fd < 0 || (connect(scrape->fd, (struct sockaddr *)&address, sizeof address) != 0 &&
                           errno != EINPROGRESS))
        end(scrape, STE_E_HTTP);
}

/* The body of a 200. */
static void judge(struct ste_scrape *scrape)
{
    static const char blank_line[] = "\r\n\r\n";
    const struct ste_bytes answer = ste_buf_bytes(&scrape->answer);
    const char *body =
        answer.len > 0 ? memmem(answer.at, answer.len, blank_line, sizeof blank_line - 1) : NULL;
    if (!body || answer.len < 12 || strncmp(answer.at, "HTTP/1.", 7) != 0 ||
        strncmp(answer.at + 8, " 200", 4) != 0) {
        end(scrape, STE_E_HTTP);
        return;
    }
    body += sizeof blank_line - 1;
    scrape->page = (struct ste_bytes){body, answer.len - (size_t)(body - answer.at)};
    end(scrape, STE_OK);
}

/* It can be written or read now. */
static void go_on(struct ste_scrape *scrape)
{
    static const char request[] = "GET /metrics HTTP/1.0\r\nHost: localhost\r\n\r\n";
    if (!scrape->sent) {
        scrape->sent = true; /* an empty socket takes so little whole */
        if (send(scrape->fd, request, sizeof request - 1, MSG_NOSIGNAL) !=
            (ssize_t)sizeof request - 1)
            end(scrape, STE_E_HTTP);
        return;
    }
    struct ste_buf *answer = &scrape->answer;
    if (answer->len > ANSWER_BYTES_MAX || !ste_buf_reserve(answer, READ_BYTES)) {
        end(scrape, STE_E_HTTP);
        return;
    }
    ssize_t got = recv(scrape->fd, answer->at + answer->len, READ_BYTES, 0);
    if (got > 0)
        answer->len += (size_t)got;
    else if (got == 0)
        judge(scrape);
    else if (errno != EAGAIN && errno != EINTR)
        end(scrape, STE_E_HTTP);
}

static size_t gather(struct ste_scrape *scrapes, size_t count, struct pollfd *fds,
                     struct ste_scrape **owners)
{
    size_t open = 0;
    for (size_t i = 0; i < count; i++) {
        if (scrapes[i].fd < 0)
            continue;
        fds[open] =
            (struct pollfd){.fd = scrapes[i].fd, .events = scrapes[i].sent ? POLLIN : POLLOUT};
        owners[open++] = &scrapes[i];
    }
    return open;
}

static void scrape_some(struct ste_scrape *scrapes, size_t count, uint64_t limit_ns)
{
    struct pollfd fds[SCRAPES_MAX];
    struct ste_scrape *owners[SCRAPES_MAX];
    for (size_t i = 0; i < count; i++)
        start(&scrapes[i]);
    for (size_t open; (open = gather(scrapes, count, fds, owners)) > 0;) {
        const uint64_t now_ns = ste_clock_mono_ns();
        if (now_ns >= limit_ns)
            break;
        if (poll(fds, (nfds_t)open, (int)((limit_ns - now_ns) / STE_NS_PER_MS) + 1) <= 0)
            continue;
        for (size_t i = 0; i < open; i++)
            if (fds[i].revents != 0)
                go_on(owners[i]);
    }
    for (size_t i = 0; i < count; i++)
        if (scrapes[i].fd >= 0)
            end(&scrapes[i], STE_E_HTTP);
}

void ste_scrape_all(struct ste_scrape *scrapes, size_t count, unsigned timeout_ms)
{
    const uint64_t limit_ns = ste_clock_mono_ns() + timeout_ms * STE_NS_PER_MS;
    for (size_t first = 0; first < count; first += SCRAPES_MAX)
        scrape_some(scrapes + first, count - first < SCRAPES_MAX ? count - first : SCRAPES_MAX,
                    limit_ns);
}

void ste_scrape_deinit(struct ste_scrape *scrape)
{
    ste_buf_deinit(&scrape->answer);
    *scrape = (struct ste_scrape){.fd = -1};
}
