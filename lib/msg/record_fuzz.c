/* SPDX-License-Identifier: Apache-2.0
 * Any bytes are a delivery of a typed queue: what can be read is written again to the same bytes.
 */
#include <stdlib.h>

#include "msg/record.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ste_arena *arena = ste_arena_new(0);
    struct ste_reader reader = ste_reader_of((struct ste_bytes){(const char *)data, size});
    const char *element = "TradeReference";
    struct ste_match_key key;
    struct ste_buf again = {0};
    bool done = false;
    if (!ste_match_key_init(&key, &element, 1))
        abort();
    for (;;) {
        struct ste_record record;
        struct ste_trade_id id;
        const char *from = reader.at;
        if (ste_record_decode(&reader, arena, &record, &done, NULL) != STE_OK || done)
            break;
        ste_buf_clear(&again);
        if (!ste_record_encode(&again, &record))
            abort();
        struct ste_bytes taken = {from, (size_t)(reader.at - from)};
        if (!ste_bytes_equal(taken, ste_buf_bytes(&again)))
            abort();
        if (!ste_trade_identify(&record.message, &key, arena, &id))
            abort();
        ste_message_content64(&record.message);
        ste_message_identity64(&record.message);
    }
    ste_buf_deinit(&again);
    ste_arena_free(arena);
    return 0;
}
