/* SPDX-License-Identifier: Apache-2.0
 * Against real endpoints of lib/obs, one that is gone and one that never answers. */
#include "bench/scrape.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/testing.h"
#include "obs/obs.h"

static int listener(unsigned *ret_port)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t bytes = sizeof address;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_true(fd >= 0);
    assert_int_equal(bind(fd, (struct sockaddr *)&address, bytes), 0);
    assert_int_equal(listen(fd, 1), 0);
    assert_int_equal(getsockname(fd, (struct sockaddr *)&address, &bytes), 0);
    *ret_port = ntohs(address.sin_port);
    return fd;
}

static bool has(struct ste_bytes page, const char *text)
{
    return page.len > 0 && memmem(page.at, page.len, text, strlen(text)) != NULL;
}

static void test_all_at_once(void **state)
{
    (void)state;
    struct ste_obs *first = NULL, *second = NULL;
    struct ste_scrape scrapes[4] = {{.fd = -1}, {.fd = -1}, {.fd = -1}, {.fd = -1}};
    assert_ok(ste_obs_start("router", "router-1", 0, 1, &first, &err));
    assert_ok(ste_obs_start("node", "node-1", 0, 2, &second, &err));
    int gone = listener(&scrapes[1].port), silent = listener(&scrapes[2].port);
    close(gone);
    scrapes[0].port = ste_obs_port(first);
    scrapes[3].port = ste_obs_port(second);
    for (int turn = 0; turn < 2; turn++) {
        ste_obs_add(ste_obs_worker(second, 1), STE_M_RECORDS, 7);
        const uint64_t begun_ns = ste_clock_mono_ns();
        ste_scrape_all(scrapes, COUNT_OF(scrapes), 200);
        assert_true(ste_clock_mono_ns() - begun_ns < 2 * STE_NS_PER_S);
        assert_int_equal(scrapes[0].result, STE_OK);
        assert_true(has(scrapes[0].page, "ste_stage_arrivals_total{proc=\"router\""));
        assert_int_equal(scrapes[1].result, STE_E_HTTP);
        assert_int_equal(scrapes[1].page.len, 0);
        assert_int_equal(scrapes[2].result, STE_E_HTTP);
        assert_int_equal(scrapes[3].result, STE_OK);
        assert_true(has(scrapes[3].page, turn == 0 ? "worker=\"1\"} 7\n" : "worker=\"1\"} 14\n"));
    }
    for (size_t i = 0; i < COUNT_OF(scrapes); i++)
        ste_scrape_deinit(&scrapes[i]);
    close(silent);
    ste_obs_stop(first);
    ste_obs_stop(second);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_all_at_once)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
