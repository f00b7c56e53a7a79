/* SPDX-License-Identifier: Apache-2.0
 * Any bytes are a body from a reply queue: what can be read is written, read and written again to
 * the same bytes. */
#include <stdlib.h>

#include "msg/reply.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void write_all(struct ste_buf *buf, const struct ste_reply *replies, size_t count)
{
    bool written = ste_replies_open(buf);
    for (size_t i = 0; i < count; i++)
        written = ste_reply_write(buf, &replies[i], false) && written;
    if (!ste_replies_close(buf) || !written)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ste_arena *arena = ste_arena_new(0);
    struct ste_reply *replies = NULL, *again = NULL;
    size_t count = 0, again_count = 0;
    struct ste_buf first = {0}, second = {0};
    struct ste_bytes body = {(const char *)data, size};
    if (ste_replies_read(body, arena, &replies, &count, NULL) == STE_OK) {
        write_all(&first, replies, count);
        if (ste_replies_read(ste_buf_bytes(&first), arena, &again, &again_count, NULL) != STE_OK)
            abort();
        write_all(&second, again, again_count);
        if (!ste_bytes_equal(ste_buf_bytes(&first), ste_buf_bytes(&second)))
            abort();
    }
    ste_buf_deinit(&first);
    ste_buf_deinit(&second);
    ste_arena_free(arena);
    return 0;
}
