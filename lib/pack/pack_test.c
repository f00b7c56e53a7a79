/* SPDX-License-Identifier: Apache-2.0 */
#include "pack/pack.h"

#include <stdlib.h>
#include <string.h>

#include "base/testing.h"

enum { TEXT_BYTES = 20000 };

static struct ste_bytes text_of(char *at)
{
    for (size_t i = 0; i < TEXT_BYTES; i++)
        at[i] = (char)('a' + i % 23);
    return (struct ste_bytes){at, TEXT_BYTES};
}

static void test_there_and_back(void **state)
{
    static char text[TEXT_BYTES], back[TEXT_BYTES];
    static const int levels[] = {STE_PACK_FAST, STE_PACK_SMALL};
    struct ste_packer packer = {0};
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct ste_buf out = {0};
        size_t bytes = 0;
        ste_buf_append_cstr(&out, "head"); /* appended, not replaced */
        assert_true(ste_pack(&packer, levels[i], text_of(text), &out));
        const struct ste_bytes packed = {out.at + 4, out.len - 4};
        assert_true(packed.len < TEXT_BYTES / 10);
        assert_true(ste_is_packed(packed));
        assert_true(ste_unpacked_bytes(packed, &bytes));
        assert_int_equal(bytes, TEXT_BYTES);
        assert_true(ste_unpack(&packer, packed, back, bytes));
        assert_memory_equal(back, text, TEXT_BYTES);
        ste_buf_deinit(&out);
    }
    ste_packer_deinit(&packer);
}

static void test_what_does_not_get_smaller_is_left(void **state)
{
    struct ste_packer packer = {0};
    struct ste_buf out = {0};
    (void)state;
    assert_false(ste_pack(&packer, STE_PACK_FAST, STE_BYTES("q8#zX"), &out));
    assert_int_equal(out.len, 0);
    assert_false(ste_is_packed(STE_BYTES("q8#zX")));
    assert_false(ste_is_packed((struct ste_bytes){NULL, 0}));
    ste_buf_deinit(&out);
    ste_packer_deinit(&packer);
}

/* Every cut, and every byte changed: refused or something of the right size, never a crash. */
static void test_damaged(void **state)
{
    static char text[TEXT_BYTES], back[TEXT_BYTES];
    struct ste_packer packer = {0};
    struct ste_buf out = {0};
    size_t bytes = 0, refused = 0;
    (void)state;
    assert_true(ste_pack(&packer, STE_PACK_FAST, text_of(text), &out));
    for (size_t len = 0; len < out.len; len++) {
        char *const cut = malloc(len + 1);
        memcpy(cut, out.at, len);
        if (ste_unpacked_bytes((struct ste_bytes){cut, len}, &bytes) && bytes == TEXT_BYTES)
            assert_false(ste_unpack(&packer, (struct ste_bytes){cut, len}, back, bytes));
        free(cut);
    }
    for (size_t i = 0; i < out.len; i++) {
        out.at[i] = (char)(out.at[i] ^ 0x11);
        if (!ste_unpacked_bytes(ste_buf_bytes(&out), &bytes) || bytes > TEXT_BYTES ||
            !ste_unpack(&packer, ste_buf_bytes(&out), back, bytes))
            refused++;
        out.at[i] = (char)(out.at[i] ^ 0x11);
    }
    assert_true(refused > 0);
    ste_buf_deinit(&out);
    ste_packer_deinit(&packer);
}

static void test_unpacks_what_is_packed(void **state)
{
    static char text[TEXT_BYTES];
    struct ste_packer packer = {0};
    struct ste_buf out = {0};
    struct ste_arena *arena = ste_arena_new(0);
    struct ste_bytes plain = {0}, back = {0};
    struct ste_error why = {0};
    (void)state;
    assert_non_null(arena);
    plain = text_of(text);
    assert_ok(ste_unpack_if_packed(&packer, plain, arena, &back, &err));
    assert_ptr_equal(back.at, plain.at); /* no frame: the same bytes */
    assert_int_equal(back.len, plain.len);
    assert_true(ste_pack(&packer, STE_PACK_FAST, plain, &out));
    assert_ok(ste_unpack_if_packed(&packer, ste_buf_bytes(&out), arena, &back, &err));
    assert_int_equal(back.len, TEXT_BYTES);
    assert_memory_equal(back.at, text, TEXT_BYTES);
    back = (struct ste_bytes){0};
    assert_int_equal(
        ste_unpack_if_packed(&packer, (struct ste_bytes){out.at, out.len - 1}, arena, &back, &why),
        STE_E_PARSE);
    assert_null(back.at);
    ste_buf_deinit(&out);
    ste_arena_free(arena);
    ste_packer_deinit(&packer);
}

/* A frame whose head promises more than is allowed. */
static void test_bomb(void **state)
{
    /* magic; single segment, 8 bytes of content size; 2^40 bytes */
    static const char head[] = "\x28\xb5\x2f\xfd\xe0\x00\x00\x00\x00\x00\x01\x00\x00";
    size_t bytes = 7;
    (void)state;
    assert_false(ste_unpacked_bytes((struct ste_bytes){head, 13}, &bytes));
    assert_int_equal(bytes, 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_there_and_back),
        cmocka_unit_test(test_what_does_not_get_smaller_is_left),
        cmocka_unit_test(test_damaged),
        cmocka_unit_test(test_unpacks_what_is_packed),
        cmocka_unit_test(test_bomb),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
