/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "conf/cluster.h"

/* A file of these bytes, read into a buffer of out_bytes. */
static enum ste_code read_back(const char *content, size_t len, char *out, size_t out_bytes,
                               struct ste_error *err)
{
    char name[] = "/tmp/ste-secret-XXXXXX";
    int fd = mkstemp(name);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, content, len), len);
    close(fd);
    memset(out, '!', out_bytes);
    enum ste_code rc = ste_secret_read(name, out, out_bytes, err);
    unlink(name);
    return rc;
}

static void assert_secret(const char *content, const char *expected)
{
    char out[16];
    struct ste_error err;
    assert_int_equal(read_back(content, strlen(content), out, sizeof(out), &err), STE_OK);
    assert_string_equal(out, expected);
    for (size_t i = strlen(expected); i < sizeof(out); i++)
        assert_int_equal(out[i], 0); /* nothing of the next line stays behind */
}

static void the_first_line_without_its_end(void **state)
{
    (void)state;
    assert_secret("secret", "secret");
    assert_secret("secret\n", "secret");
    assert_secret("secret\r\nsecond\n", "secret");
    assert_secret(" with blanks \n", " with blanks ");
    assert_secret("123456789012345", "123456789012345");
    assert_secret("123456789012345\nmore", "123456789012345");
}

static void faults_tell_the_file_and_never_the_secret(void **state)
{
    (void)state;
    char out[8];
    struct ste_error err;
    assert_int_equal(ste_secret_read("/nonexistent/x", out, sizeof(out), &err), STE_E_FILE);
    assert_non_null(strstr(err.text, "/nonexistent/x"));
    assert_int_equal(read_back("", 0, out, sizeof(out), &err), STE_E_CONFIG);
    assert_int_equal(read_back("\nx", 2, out, sizeof(out), &err), STE_E_CONFIG);
    assert_int_equal(read_back("\r\n", 2, out, sizeof(out), &err), STE_E_CONFIG);
    assert_int_equal(read_back("a\0b\n", 4, out, sizeof(out), &err), STE_E_CONFIG);
    assert_int_equal(read_back("hunter22", 8, out, sizeof(out), &err), STE_E_CONFIG);
    assert_null(strstr(err.text, "hunter"));
    for (size_t i = 0; i < sizeof(out); i++)
        assert_int_equal(out[i], 0);
    assert_int_equal(ste_secret_read("/", out, sizeof(out), &err), STE_E_FILE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_line_without_its_end),
        cmocka_unit_test(faults_tell_the_file_and_never_the_secret),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
