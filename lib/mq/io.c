/* SPDX-License-Identifier: Apache-2.0
 * The socket of a connection: bytes out, bytes in, heartbeats, waiting. The socket never blocks;
 * whoever waits does so in poll() with a deadline. Here is where TLS would go in. */
#include "mq/internal.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"

/* Rounded up, so that a wait never ends just before its deadline. */
static int ms_until(uint64_t deadline_ns, uint64_t now_ns)
{
    if (deadline_ns <= now_ns)
        return 0;
    uint64_t ms = (deadline_ns - now_ns + STE_NS_PER_MS - 1) / STE_NS_PER_MS;
    return ms > INT32_MAX ? INT32_MAX : (int)ms;
}

static void set_options(int fd)
{
    /* A refused option costs speed, not correctness: heartbeats find a dead peer as well. */
    int on = 1;
    unsigned unacked_ms = 20000;
    (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    (void)setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &unacked_ms, sizeof unacked_ms);
}

/* A connected socket, or -1 with errno. */
static int connect_to(const struct addrinfo *address, uint64_t deadline_ns)
{
    int fd = socket(address->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return -1;
    set_options(fd);
    int fault = 0;
    if (connect(fd, address->ai_addr, address->ai_addrlen) != 0 && errno != EINPROGRESS)
        fault = errno;
    while (fault == 0) {
        struct pollfd poller = {.fd = fd, .events = POLLOUT};
        int ready = poll(&poller, 1, ms_until(deadline_ns, ste_clock_mono_ns()));
        socklen_t len = sizeof fault;
        if (ready > 0 && getsockopt(fd, SOL_SOCKET, SO_ERROR, &fault, &len) == 0 && fault == 0)
            return fd;
        if (ready == 0)
            fault = ETIMEDOUT;
        else if (ready < 0 && errno != EINTR)
            fault = errno;
    }
    close(fd);
    errno = fault;
    return -1;
}

enum ste_code ste_mq_connect(struct ste_mq *mq, const char *host, unsigned port,
                             uint64_t deadline_ns, struct ste_error *err)
{
    struct addrinfo hints = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM};
    struct addrinfo *addresses = NULL;
    char service[16];
    int fault = 0;

    snprintf(service, sizeof service, "%u", port);
    int looked_up = getaddrinfo(host, service, &hints, &addresses);
    if (looked_up != 0)
        return ste_mq_fail(mq, err, STE_E_MQ_DOWN, "could not find broker host %s: %s", host,
                           gai_strerror(looked_up));
    for (const struct addrinfo *a = addresses; a && mq->fd < 0; a = a->ai_next) {
        mq->fd = connect_to(a, deadline_ns);
        fault = errno;
    }
    freeaddrinfo(addresses);
    if (mq->fd < 0)
        return ste_mq_fail(mq, err, STE_E_MQ_DOWN, "could not connect to broker %s:%u: %s", host,
                           port, strerror(fault));
    return STE_OK;
}

static size_t pending(const struct ste_mq *mq)
{
    return mq->out.len - mq->out_begin;
}

/* The socket takes nothing now. An alarm may last; without one the broker must read on. */
static enum ste_code flush_stalled(struct ste_mq *mq, bool progress, struct ste_error *err)
{
    uint64_t now_ns = ste_clock_mono_ns();
    if (progress || mq->sent_ns == 0 || mq->blocked)
        mq->sent_ns = now_ns;
    else if (mq->heartbeat_ns > 0 &&
             now_ns - mq->sent_ns > STE_MQ_STALLED_HEARTBEATS * mq->heartbeat_ns)
        return ste_mq_fail(mq, err, STE_E_MQ_DOWN, "broker reads nothing any more");
    memmove(mq->out.at, mq->out.at + mq->out_begin, pending(mq));
    mq->out.len = pending(mq);
    mq->out_begin = 0;
    return STE_OK;
}

enum ste_code ste_mq_flush(struct ste_mq *mq, struct ste_error *err)
{
    bool progress = false;
    while (pending(mq) > 0) {
        ssize_t sent =
            send(mq->fd, mq->out.at + mq->out_begin, pending(mq), MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent > 0) {
            mq->out_begin += (size_t)sent;
            progress = true;
        } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
            return flush_stalled(mq, progress, err);
        } else if (errno != EINTR) {
            mq->in_step = false;
            return ste_mq_fail(mq, err, STE_E_MQ_DOWN, "could not send to the broker: %s",
                               strerror(errno));
        }
    }
    mq->sent_ns = 0;
    mq->out_begin = 0;
    ste_buf_clear(&mq->out);
    if (mq->out.capacity > STE_MQ_OUT_KEEP_BYTES)
        ste_buf_deinit(&mq->out);
    return STE_OK;
}

/* The broker wants to hear us within each interval, whatever else we send. */
static enum ste_code beat(struct ste_mq *mq, uint64_t now_ns, struct ste_error *err)
{
    static const char heartbeat[STE_MQ_FRAME_OVERHEAD] = {STE_FRAME_HEARTBEAT, 0, 0, 0, 0, 0, 0,
                                                          (char)0xce};
    if (mq->heartbeat_ns == 0 || now_ns < mq->next_heartbeat_ns)
        return STE_OK;
    mq->next_heartbeat_ns = now_ns + mq->heartbeat_ns / 2;
    if (pending(mq) > 0)
        return STE_OK;
    ste_buf_append(&mq->out, heartbeat, sizeof heartbeat);
    if (mq->out.failed)
        return ste_mq_fail(mq, err, STE_E_NOMEM, "no memory for a heartbeat");
    return STE_OK;
}

/* What has to be done now and then: heartbeats and output that waits. */
static enum ste_code service(struct ste_mq *mq, uint64_t now_ns, struct ste_error *err)
{
    enum ste_code rc = beat(mq, now_ns, err);
    if (rc == STE_OK && pending(mq) > 0)
        rc = ste_mq_flush(mq, err);
    return rc;
}

enum ste_code ste_mq_fill(struct ste_mq *mq, bool *ret_got, struct ste_error *err)
{
    uint64_t now_ns = ste_clock_mono_ns();
    enum ste_code rc = service(mq, now_ns, err);
    if (rc != STE_OK)
        return rc;
    if (mq->in_begin > 0) { /* less than a frame is left: cheap */
        memmove(mq->in, mq->in + mq->in_begin, mq->in_end - mq->in_begin);
        mq->in_end -= mq->in_begin;
        mq->in_begin = 0;
    }
    size_t room = STE_MQ_IN_BYTES - mq->in_end;
    ssize_t received;
    do {
        received = recv(mq->fd, mq->in + mq->in_end, room, MSG_DONTWAIT);
    } while (received < 0 && errno == EINTR);
    if (received > 0) {
        mq->in_end += (size_t)received;
        mq->received_ns = now_ns;
        mq->drained = (size_t)received < room;
        *ret_got = true;
        return STE_OK;
    }
    mq->drained = true;
    if (received == 0 || (errno != EAGAIN && errno != EWOULDBLOCK)) {
        mq->in_step = false;
        return ste_mq_fail(mq, err, STE_E_MQ_DOWN, "broker connection lost: %s",
                           received == 0 ? "closed by the broker" : strerror(errno));
    }
    /* Only now: after a long pause of ours the kernel may have held the broker's heartbeats. */
    if (mq->heartbeat_ns > 0 &&
        now_ns - mq->received_ns > STE_MQ_SILENT_HEARTBEATS * mq->heartbeat_ns) {
        mq->in_step = false;
        return ste_mq_fail(mq, err, STE_E_MQ_DOWN, "broker silent for %u s",
                           (unsigned)((now_ns - mq->received_ns) / (1000 * STE_NS_PER_MS)));
    }
    *ret_got = false;
    return STE_OK;
}

static struct pollfd poller_of(const struct ste_mq *mq)
{
    short events = POLLIN;
    if (pending(mq) > 0)
        events |= POLLOUT;
    return (struct pollfd){.fd = mq->fd, .events = events};
}

static uint64_t earlier(uint64_t a_ns, uint64_t b_ns)
{
    return a_ns < b_ns ? a_ns : b_ns;
}

enum ste_code ste_mq_block(struct ste_mq *mq, uint64_t deadline_ns, struct ste_error *err)
{
    struct pollfd poller = poller_of(mq);
    if (mq->heartbeat_ns > 0)
        deadline_ns = earlier(deadline_ns, mq->next_heartbeat_ns);
    if (poll(&poller, 1, ms_until(deadline_ns, ste_clock_mono_ns())) < 0 && errno != EINTR)
        return ste_mq_fail(mq, err, STE_E_MQ_DOWN, "could not wait for the broker: %s",
                           strerror(errno));
    return STE_OK;
}

/* Something can be had from this connection without waiting; if only the news that it is broken. */
static bool readable_now(const struct ste_mq *mq)
{
    return mq->broken || mq->ready_first || ste_mq_frame_ready(mq);
}

/* Services all; *ret_now: one of them need not be waited for. */
static uint64_t service_all(struct ste_mq *const *mqs, size_t count, uint64_t now_ns,
                            uint64_t deadline_ns, bool *ret_now)
{
    for (size_t i = 0; i < count; i++) {
        if (!mqs[i])
            continue;
        if (!mqs[i]->broken && service(mqs[i], now_ns, NULL) == STE_OK && mqs[i]->heartbeat_ns > 0)
            deadline_ns = earlier(deadline_ns, mqs[i]->next_heartbeat_ns);
        *ret_now |= readable_now(mqs[i]);
    }
    return deadline_ns;
}

enum ste_code ste_mq_wait(struct ste_mq *const *mqs, size_t count, int wake_fd, int timeout_ms,
                          struct ste_error *err)
{
    struct pollfd pollers[STE_MQ_WAIT_MAX + 1];
    uint64_t deadline_ns = ste_mq_deadline(timeout_ms);

    if (count > STE_MQ_WAIT_MAX)
        return ste_error_set(err, STE_E_ARGUMENT, "waiting for %zu connections, at most %d", count,
                             STE_MQ_WAIT_MAX);
    for (;;) {
        bool now = false;
        uint64_t now_ns = ste_clock_mono_ns();
        uint64_t wake_ns = service_all(mqs, count, now_ns, deadline_ns, &now);
        if (now)
            return STE_OK;
        pollers[0] = (struct pollfd){.fd = wake_fd, .events = POLLIN};
        for (size_t i = 0; i < count; i++)
            pollers[i + 1] = mqs[i] ? poller_of(mqs[i]) : (struct pollfd){.fd = -1};
        int ready = poll(pollers, count + 1, ms_until(wake_ns, now_ns));
        if (ready < 0 && errno != EINTR)
            return ste_error_set(err, STE_E_MQ_DOWN, "could not wait for the broker: %s",
                                 strerror(errno));
        for (size_t i = 0; ready > 0 && i <= count; i++)
            if (pollers[i].revents & ~POLLOUT)
                return STE_OK;
        if (ste_clock_mono_ns() >= deadline_ns)
            return STE_OK;
    }
}
