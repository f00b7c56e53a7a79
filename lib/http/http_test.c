/* SPDX-License-Identifier: Apache-2.0
 * Against a server of one thread that answers what the test told it and keeps what it was asked. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <cmocka.h>

#include "http/http.h"

enum { ASKED_BYTES = 65536 };

struct server {
    int listener;
    char url[64];
    char asked[ASKED_BYTES];
    const char *answer; /* NULL: none, the connection stays open */
    size_t filler_bytes;
    pthread_t thread;
};

static size_t content_length(const char *head)
{
    const char *field = strstr(head, "Content-Length: ");
    return field ? strtoul(field + 16, NULL, 10) : 0;
}

static void read_request(int fd, char *asked)
{
    size_t len = 0;
    for (;;) {
        ssize_t got = recv(fd, asked + len, ASKED_BYTES - 1 - len, 0);
        if (got <= 0)
            return;
        len += (size_t)got;
        asked[len] = '\0';
        const char *end = strstr(asked, "\r\n\r\n");
        if (end && (size_t)(asked + len - (end + 4)) >= content_length(asked))
            return;
    }
}

static void *serve_one(void *context)
{
    struct server *server = context;
    char *filler = calloc(1, 65536);
    char byte;
    int fd = accept(server->listener, NULL, NULL);
    if (fd < 0 || !filler)
        return NULL;
    read_request(fd, server->asked);
    if (server->answer) {
        send(fd, server->answer, strlen(server->answer), MSG_NOSIGNAL);
        for (size_t sent = 0; sent < server->filler_bytes; sent += 65536)
            if (send(fd, filler, 65536, MSG_NOSIGNAL) < 0)
                break;
    } else {
        (void)!recv(fd, &byte, 1, 0); /* until the client gives up */
    }
    close(fd);
    free(filler);
    return NULL;
}

static int set_up(void **state)
{
    struct server *server = calloc(1, sizeof *server);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t len = sizeof address;
    if (!server)
        return -1;
    server->listener = socket(AF_INET, SOCK_STREAM, 0);
    if (bind(server->listener, (struct sockaddr *)&address, sizeof address) != 0 ||
        listen(server->listener, 4) != 0 ||
        getsockname(server->listener, (struct sockaddr *)&address, &len) != 0)
        return -1;
    snprintf(server->url, sizeof server->url, "http://127.0.0.1:%u", ntohs(address.sin_port));
    *state = server;
    return 0;
}

static int tear_down(void **state)
{
    struct server *server = *state;
    if (server->listener >= 0)
        close(server->listener);
    free(server);
    return 0;
}

static enum ste_code ask(struct server *server, const char *answer, enum ste_http_method method,
                         const char *path, struct ste_bytes body, unsigned *ret_status,
                         struct ste_buf *buf, struct ste_error *err)
{
    struct ste_http *http = NULL;
    server->answer = answer;
    assert_int_equal(pthread_create(&server->thread, NULL, serve_one, server), 0);
    assert_int_equal(ste_http_open(server->url, "ste", "secret", 1000, &http, err), STE_OK);
    enum ste_code rc = ste_http_request(http, method, path, body, ret_status, buf, err);
    ste_http_close(http);
    pthread_join(server->thread, NULL);
    return rc;
}

static void test_get(void **state)
{
    struct server *server = *state;
    struct ste_buf answer = {0};
    struct ste_error err;
    unsigned status = 0;
    ste_buf_append_cstr(&answer, "what stood there before");
    assert_int_equal(ask(server, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}", STE_HTTP_GET,
                         "/api/overview", (struct ste_bytes){0}, &status, &answer, &err),
                     STE_OK);
    assert_int_equal(status, 200);
    assert_true(ste_bytes_equal(ste_buf_bytes(&answer), STE_BYTES("{}")));
    assert_non_null(strstr(server->asked, "GET /api/overview HTTP/1.1\r\n"));
    assert_non_null(strstr(server->asked, "Authorization: Basic c3RlOnNlY3JldA==\r\n"));
    ste_buf_deinit(&answer);
}

static void test_put_post_delete(void **state)
{
    const struct {
        enum ste_http_method method;
        const char *line, *body;
    } cases[] = {
        {STE_HTTP_PUT, "PUT /a%2Fb HTTP/1.1\r\n", "{\"durable\":true}"},
        {STE_HTTP_PUT, "PUT /a%2Fb HTTP/1.1\r\n", ""},
        {STE_HTTP_POST, "POST /a%2Fb HTTP/1.1\r\n", "{}"},
        {STE_HTTP_DELETE, "DELETE /a%2Fb HTTP/1.1\r\n", ""},
    };
    struct server *server = *state;
    struct ste_buf answer = {0};
    struct ste_error err;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        unsigned status = 0;
        assert_int_equal(ask(server, "HTTP/1.1 204 No Content\r\n\r\n", cases[i].method, "/a%2Fb",
                             ste_bytes_of(cases[i].body), &status, &answer, &err),
                         STE_OK);
        assert_int_equal(status, 204);
        assert_int_equal(answer.len, 0);
        assert_true(strncmp(server->asked, cases[i].line, strlen(cases[i].line)) == 0);
        assert_non_null(strstr(server->asked, "Content-Type: application/json\r\n"));
        assert_string_equal(strstr(server->asked, "\r\n\r\n") + 4, cases[i].body);
    }
    ste_buf_deinit(&answer);
}

/* A refusal is an answer; a redirect is one too, and not followed. */
static void test_other_statuses_are_answers(void **state)
{
    struct server *server = *state;
    struct ste_buf answer = {0};
    struct ste_error err;
    unsigned status = 0;
    assert_int_equal(ask(server, "HTTP/1.1 401 No\r\nContent-Length: 2\r\n\r\nno", STE_HTTP_GET,
                         "/", (struct ste_bytes){0}, &status, &answer, &err),
                     STE_OK);
    assert_int_equal(status, 401);
    assert_int_equal(ask(server,
                         "HTTP/1.1 302 There\r\nLocation: http://127.0.0.1:1/\r\n"
                         "Content-Length: 0\r\n\r\n",
                         STE_HTTP_GET, "/", (struct ste_bytes){0}, &status, &answer, &err),
                     STE_OK);
    assert_int_equal(status, 302);
    ste_buf_deinit(&answer);
}

static void test_no_answer(void **state)
{
    struct server *server = *state;
    struct ste_buf answer = {0};
    struct ste_error err;
    unsigned status = 77;
    assert_int_equal(
        ask(server, NULL, STE_HTTP_GET, "/", (struct ste_bytes){0}, &status, &answer, &err),
        STE_E_HTTP);
    assert_non_null(strstr(err.text, "timed out"));
    assert_null(strstr(err.text, "secret"));
    close(server->listener);
    server->listener = -1;
    struct ste_http *http = NULL;
    assert_int_equal(ste_http_open(server->url, NULL, NULL, 1000, &http, &err), STE_OK);
    assert_int_equal(
        ste_http_request(http, STE_HTTP_GET, "/", (struct ste_bytes){0}, &status, &answer, &err),
        STE_E_HTTP);
    assert_int_equal(status, 77);
    ste_http_close(http);
    ste_buf_deinit(&answer);
}

/* A URL of the map never reads a file, and a proxy of the environment never sees our login. */
static void test_only_http_and_no_proxy(void **state)
{
    struct server *server = *state;
    struct ste_buf answer = {0};
    struct ste_http *http = NULL;
    struct ste_error err;
    unsigned status = 0;
    assert_int_equal(ste_http_open("file:///etc", NULL, NULL, 1000, &http, &err), STE_OK);
    assert_int_equal(ste_http_request(http, STE_HTTP_GET, "/passwd", (struct ste_bytes){0}, &status,
                                      &answer, &err),
                     STE_E_HTTP);
    ste_http_close(http);
    setenv("http_proxy", "http://127.0.0.1:1", 1);
    assert_int_equal(ask(server, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", STE_HTTP_GET, "/",
                         (struct ste_bytes){0}, &status, &answer, &err),
                     STE_OK);
    unsetenv("http_proxy");
    ste_buf_deinit(&answer);
}

static void test_an_endless_answer(void **state)
{
    struct server *server = *state;
    struct ste_buf answer = {0};
    struct ste_error err;
    unsigned status = 0;
    server->filler_bytes = STE_HTTP_BODY_BYTES_MAX + 65536;
    assert_int_equal(ask(server, "HTTP/1.1 200 OK\r\n\r\n", STE_HTTP_GET, "/",
                         (struct ste_bytes){0}, &status, &answer, &err),
                     STE_E_LIMIT);
    server->filler_bytes = STE_HTTP_BODY_BYTES_MAX;
    assert_int_equal(ask(server, "HTTP/1.1 200 OK\r\n\r\n", STE_HTTP_GET, "/",
                         (struct ste_bytes){0}, &status, &answer, &err),
                     STE_OK);
    assert_int_equal(answer.len, STE_HTTP_BODY_BYTES_MAX);
    ste_buf_deinit(&answer);
}

static void test_escape(void **state)
{
    (void)state;
    struct ste_buf out = {0};
    ste_http_escape(&out, "/ ^ste\\.in$?a=b&Az09-._~\xc3\xa9");
    ste_buf_append(&out, "", 1);
    assert_string_equal(out.at, "%2F%20%5Este%5C.in%24%3Fa%3Db%26Az09-._~%C3%A9");
    ste_buf_deinit(&out);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(test_get),
        TEST(test_put_post_delete),
        TEST(test_other_statuses_are_answers),
        TEST(test_no_answer),
        TEST(test_only_http_and_no_proxy),
        TEST(test_an_endless_answer),
        cmocka_unit_test(test_escape),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
