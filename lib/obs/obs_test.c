/* SPDX-License-Identifier: Apache-2.0
 * The endpoint over its real socket. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/clock.h"
#include "obs/obs.h"

enum { ANSWER_BYTES = 65536, ENDPOINT_CONNECTIONS = 8 };

static int set_up(void **state)
{
    struct ste_obs *obs = NULL;
    struct ste_error err;
    if (ste_obs_start("router", "router-1", 0, 2, &obs, &err) != STE_OK)
        return -1;
    *state = obs;
    return 0;
}

static int tear_down(void **state)
{
    ste_obs_stop(*state);
    return 0;
}

static int connect_to(uint32_t host, unsigned port)
{
    struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr.s_addr = htonl(host)};
    struct timeval limit = {.tv_sec = 10};
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    assert_true(fd >= 0);
    assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit), 0);
    if (connect(fd, (struct sockaddr *)&address, sizeof address) == 0)
        return fd;
    close(fd);
    return -1;
}

/* The status, 0 when the connection was closed without one; the whole answer in `answer`. */
static unsigned try_ask(unsigned port, const char *request, char *answer)
{
    unsigned status = 0;
    size_t len = 0;
    ssize_t got;
    int fd = connect_to(INADDR_LOOPBACK, port);
    assert_true(fd >= 0);
    if (send(fd, request, strlen(request), MSG_NOSIGNAL) == (ssize_t)strlen(request)) {
        while ((got = recv(fd, answer + len, ANSWER_BYTES - 1 - len, 0)) > 0)
            len += (size_t)got;
    }
    close(fd);
    answer[len] = '\0';
    return sscanf(answer, "HTTP/1.%*c %u", &status) == 1 ? status : 0;
}

static unsigned ask(unsigned port, const char *request, char *answer)
{
    unsigned status = try_ask(port, request, answer);
    if (status == 0)
        fail_msg("no status in: %s", answer);
    return status;
}

static void test_metrics(void **state)
{
    struct ste_obs *obs = *state;
    char answer[ANSWER_BYTES];
    ste_obs_add(ste_obs_worker(obs, 1), STE_M_RECORDS, 64);
    assert_int_equal(ask(ste_obs_port(obs), "GET /metrics HTTP/1.0\r\n\r\n", answer), 200);
    assert_non_null(strstr(answer, "Content-Type: text/plain; version=0.0.4"));
    assert_non_null(strstr(
        answer, "\nste_stage_records_total{proc=\"router\",name=\"router-1\",worker=\"1\"} 64\n"));
    const char *fds = strstr(answer, "\nprocess_open_fds{proc=\"router\",name=\"router-1\"} ");
    const char *start = strstr(answer, "\nprocess_start_time_seconds{");
    unsigned long long count = 0, start_s = 0;
    assert_non_null(strstr(answer, "\n# TYPE process_cpu_seconds_total counter\n"));
    assert_non_null(strstr(answer, "\nprocess_resident_memory_bytes{"));
    assert_true(fds && sscanf(fds, "%*[^}]} %llu", &count) == 1 && count > 4 && count < 1000);
    assert_true(start && sscanf(start, "%*[^}]} %llu", &start_s) == 1);
    assert_in_range(start_s, ste_clock_wall_us() / 1000000 - 60, ste_clock_wall_us() / 1000000);
}

static void test_live_ready_and_the_rest(void **state)
{
    struct ste_obs *obs = *state;
    unsigned port = ste_obs_port(obs);
    char answer[ANSWER_BYTES];
    assert_int_equal(ask(port, "GET /livez HTTP/1.0\r\n\r\n", answer), 200);
    assert_int_equal(ask(port, "GET /readyz HTTP/1.0\r\n\r\n", answer), 200);
    ste_obs_not_ready(ste_obs_worker(obs, 0), "shard 3 is down");
    assert_int_equal(ask(port, "GET /readyz HTTP/1.0\r\n\r\n", answer), 503);
    assert_non_null(strstr(answer, "worker=\"0\": shard 3 is down\n"));
    assert_int_equal(ask(port, "GET /livez HTTP/1.0\r\n\r\n", answer), 200);
    assert_int_equal(ask(port, "GET / HTTP/1.0\r\n\r\n", answer), 404);
    assert_int_equal(ask(port, "POST /livez HTTP/1.0\r\nContent-Length: 0\r\n\r\n", answer), 405);
    assert_int_equal(ask(port, "DELETE /livez HTTP/1.0\r\n\r\n", answer), 405);
}

static void test_probe(void **state)
{
    struct ste_obs *obs = *state;
    unsigned port = ste_obs_port(obs);
    char reasons[256];
    struct ste_error err;
    assert_int_equal(ste_obs_probe(port, reasons, sizeof reasons, &err), STE_OK);
    assert_string_equal(reasons, "");
    ste_obs_not_ready(ste_obs_worker(obs, 1), "broker blocks publishers");
    assert_int_equal(ste_obs_probe(port, reasons, sizeof reasons, &err), STE_E_HTTP);
    assert_string_equal(reasons, "worker=\"1\": broker blocks publishers\n");
    assert_int_equal(ste_obs_probe(1, reasons, sizeof reasons, &err), STE_E_HTTP);
    assert_string_equal(reasons, "");
}

static void test_a_taken_port_is_an_error(void **state)
{
    struct ste_obs *obs = *state, *second = NULL;
    struct ste_error err;
    assert_int_equal(ste_obs_start("router", "x", ste_obs_port(obs), 1, &second, &err),
                     STE_E_CONFIG);
    assert_non_null(strstr(err.text, "could not listen on 127.0.0.1"));
    assert_null(second);
}

static void test_loopback_only(void **state)
{
    struct ste_obs *obs = *state;
    /* 127.0.0.2 is this machine as well; only a listener on 0.0.0.0 would answer there. */
    assert_int_equal(connect_to(INADDR_LOOPBACK + 1, ste_obs_port(obs)), -1);
}

/* Connections beyond the limit are closed, and those held open for nothing time out: the endpoint
 * answers again. */
static void test_idle_connections_do_not_block_it(void **state)
{
    struct ste_obs *obs = *state;
    unsigned port = ste_obs_port(obs);
    int held[ENDPOINT_CONNECTIONS + 1];
    char byte, answer[ANSWER_BYTES];
    for (int i = 0; i < ENDPOINT_CONNECTIONS; i++)
        assert_true((held[i] = connect_to(INADDR_LOOPBACK, port)) >= 0);
    held[ENDPOINT_CONNECTIONS] = connect_to(INADDR_LOOPBACK, port);
    uint64_t begun_ns = ste_clock_mono_ns();
    assert_true(recv(held[ENDPOINT_CONNECTIONS], &byte, 1, 0) <= 0); /* turned away, at once */
    assert_true(ste_clock_mono_ns() - begun_ns < 3000000000u);
    for (int i = 0; i < ENDPOINT_CONNECTIONS; i++)
        assert_int_equal(recv(held[i], &byte, 1, 0), 0); /* timed out */
    for (int i = 0; i <= ENDPOINT_CONNECTIONS; i++)
        close(held[i]);
    /* We may hear of the last close before the endpoint has counted it. */
    unsigned status = 0;
    for (int turn = 0; turn < 500 && status == 0; turn++) {
        ste_clock_sleep_ms(turn > 0 ? 10 : 0);
        status = try_ask(port, "GET /livez HTTP/1.0\r\n\r\n", answer);
    }
    assert_int_equal(status, 200);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(test_metrics),       TEST(test_live_ready_and_the_rest),
        TEST(test_probe),         TEST(test_a_taken_port_is_an_error),
        TEST(test_loopback_only), TEST(test_idle_connections_do_not_block_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
