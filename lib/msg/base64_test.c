/* SPDX-License-Identifier: Apache-2.0 */
#include "msg/testing.h"

#include "msg/base64.h"

/* RFC 4648 section 10. */
static const struct {
    const char *data, *text;
} vectors[] = {{"", ""},
               {"f", "Zg=="},
               {"fo", "Zm8="},
               {"foo", "Zm9v"},
               {"foob", "Zm9vYg=="},
               {"fooba", "Zm9vYmE="},
               {"foobar", "Zm9vYmFy"}};

static void both_ways(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(vectors); i++) {
        char text[16], data[16];
        size_t len = 99, bad = 99;
        ste_base64_encode(vectors[i].data, strlen(vectors[i].data), text);
        assert_string_equal(text, vectors[i].text);
        assert_true(ste_base64_decode(ste_bytes_of(text), data, sizeof(data), &len, &bad));
        assert_int_equal(len, strlen(vectors[i].data));
        assert_memory_equal(data, vectors[i].data, len);
    }
}

static void all_bytes(void **state)
{
    (void)state;
    unsigned char data[256], back[256];
    char text[4 * 86 + 1];
    size_t len = 0, bad = 0;
    for (int i = 0; i < 256; i++)
        data[i] = (unsigned char)(i * 7);
    ste_base64_encode(data, sizeof(data), text);
    assert_true(ste_base64_decode(ste_bytes_of(text), back, sizeof(back), &len, &bad));
    assert_int_equal(len, 256);
    assert_memory_equal(back, data, 256);
}

static void refused_where(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t bad_offset;
    } rows[] = {
        {"Zm9", 3},  {"Zm9vY", 5},    {"Zm9*", 3},          {"Zm*v", 2}, {"Zm9vZ===", 5},
        {"====", 0}, {"Zg==Zg==", 2}, {"Zm9v\nYg", 4},      {"?!", 0},   {"Zm-v", 2},
        {"Zh==", 1}, {"Zm9=", 2},     {"Zm9vYmFyZm9v", 12},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        char data[8];
        size_t len = 0, bad = 99;
        if (ste_base64_decode(ste_bytes_of(rows[i].text), data, sizeof(data), &len, &bad))
            fail_msg("\"%s\" was taken", rows[i].text);
        assert_int_equal(bad, rows[i].bad_offset);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_ways),
        cmocka_unit_test(all_bytes),
        cmocka_unit_test(refused_where),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
