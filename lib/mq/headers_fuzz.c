/* SPDX-License-Identifier: Apache-2.0
 * Content headers of any bytes: parsed without a crash, every view inside the input; and what
 * rabbitmq-c encodes is read back the same. */
#include <assert.h>
#include <stdlib.h>

#include "mq/headers.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void assert_inside(struct ste_bytes view, const char *start, size_t size)
{
    if (view.len == 0)
        return;
    if (view.at < start || view.at + view.len > start + size)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ste_mq_delivery delivery = {0};
    uint64_t body_bytes = 0, seq = 0;
    const char *start = (const char *)data;

    if (!ste_mq_headers_parse((struct ste_bytes){start, size}, &delivery, &body_bytes, &seq))
        return 0;
    const struct ste_bytes views[] = {
        delivery.message_id, delivery.user_id,   delivery.correlation_id, delivery.content_type,
        delivery.key_id,     delivery.signature, delivery.death_queue,    delivery.death_reason};
    for (size_t i = 0; i < sizeof views / sizeof *views; i++)
        assert_inside(views[i], start, size);

    /* What was read can be written, and is read back the same. */
    if (delivery.message_id.len > 255 || delivery.user_id.len > 255)
        abort();
    struct ste_mq_message message = {.exchange = "",
                                     .message_id = delivery.message_id,
                                     .user_id = delivery.user_id,
                                     .key_id = delivery.key_id,
                                     .signature = delivery.signature,
                                     .record_count = delivery.record_count};
    char *written = malloc(ste_mq_headers_bound(&message));
    if (!written)
        return 0;
    char *end = ste_mq_headers_write(written, &message, seq);
    struct ste_mq_delivery again = {0};
    uint64_t seq_again = 0;
    if (!ste_mq_headers_parse((struct ste_bytes){written, (size_t)(end - written)}, &again,
                              &body_bytes, &seq_again))
        abort();
    /* Numbers the wire's signed integers cannot carry come back as absent. */
    if (!ste_bytes_equal(again.message_id, delivery.message_id) ||
        !ste_bytes_equal(again.key_id, delivery.key_id) ||
        !ste_bytes_equal(again.signature, delivery.signature) ||
        (seq <= INT64_MAX && seq_again != seq))
        abort();
    free(written);
    return 0;
}
